//! Iterators over slices that leave elements out, or go from the end to the start.

use crate::pair::pairs;

pairs! {
    /// `.iter().skip(t).step_by(64).sum()`: every 64th element from the thread's on
    skip_step_constant: f32 => f32, |t, n, x| {
        x.iter().skip(t).step_by(64).sum()
    } plain {
        let mut s = -0.0;
        let mut k = t;
        while k < x.len() {
            s += x[k];
            k += 64;
        }
        s
    }

    /// `.iter().skip(t).step_by(n).sum()`: the sum of a column
    skip_step: f32 => f32, |t, n, x| {
        x.iter().skip(t).step_by(n).sum()
    } plain {
        let mut s = -0.0;
        let mut k = t;
        while k < x.len() {
            s += x[k];
            k += n;
        }
        s
    }

    /// `for v in x[t..].iter().step_by(n)`
    part_step: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for v in x[t..].iter().step_by(n) {
            s += v;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = t;
        while k < x.len() {
            s += x[k];
            k += n;
        }
        s
    }

    /// `.iter().enumerate().skip(t).step_by(64)`
    enumerated_step: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for (k, v) in x.iter().enumerate().skip(t).step_by(64) {
            s += v * k as f32;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = t;
        while k < x.len() {
            s += x[k] * k as f32;
            k += 64;
        }
        s
    }

    /// `.chunks_exact(n)`, an element of each
    column_of_chunks: f32 => f32, |t, n, x| {
        x.chunks_exact(n).map(|row| row[t % n]).sum()
    } plain {
        let mut s = -0.0;
        let mut first = 0;
        while first + n <= x.len() {
            s += x[first + t % n];
            first += n;
        }
        s
    }

    /// `.iter().rev().enumerate()` beside another index
    reversed_enumerated: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for (k, v) in x[..n].iter().rev().enumerate() {
            s += v * x[t + 4 * k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[n - 1 - k] * x[t + 4 * k];
            k += 1;
        }
        s
    }

    /// `.iter().enumerate()` beside a column: a vector by a matrix
    enumerated_column: f32 => f32, |t, n, x| {
        x[..8].iter().enumerate().map(|(k, v)| v * x[k * n + t]).sum()
    } plain {
        let mut s = -0.0;
        let mut k = 0;
        while k < 8 {
            s += x[k] * x[k * n + t];
            k += 1;
        }
        s
    }
}
