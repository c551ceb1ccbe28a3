//! Loops over ranges without their end, `a..b`.

use crate::pair::pairs;

pairs! {
    /// `for k in 0..n`
    range: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..n {
            s += x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `(0..n).step_by(2)`
    step_by_two: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (0..n).step_by(2) {
            s += x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[t + k];
            k += 2;
        }
        s
    }

    /// `(t..x.len()).step_by(256)`: the strided loop of a grid
    step_by_stride: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (t..x.len()).step_by(256) {
            s += x[k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = t;
        while k < x.len() {
            s += x[k];
            k += 256;
        }
        s
    }

    /// `(0..64).step_by(8)`: a constant number of steps
    step_by_constant: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (0..64).step_by(8) {
            s += x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 64 {
            s += x[t + k];
            k += 8;
        }
        s
    }

    /// `(0..n).rev()`
    reversed: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (0..n).rev() {
            s = s * 0.5 + x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = n;
        while k > 0 {
            k -= 1;
            s = s * 0.5 + x[t + k];
        }
        s
    }

    /// `(0..8).rev()`
    reversed_constant: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (0..8).rev() {
            s = s * 0.5 + x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 8;
        while k > 0 {
            k -= 1;
            s = s * 0.5 + x[t + k];
        }
        s
    }

    /// `(0..4).chain(8..12)`
    chained: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (0..4).chain(8..12) {
            s += x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 4 {
            s += x[t + k];
            k += 1;
        }
        k = 8;
        while k < 12 {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// a halving step in a `while` loop
    halving: f32 => f32, |t, n, x| {
        let mut s = x[t];
        let mut step = 128;
        while step > 0 {
            s += x[t + step];
            step /= 2;
        }
        s
    } plain {
        let mut s = x[t];
        let mut step = 128u32;
        while step != 0 {
            s += x[t + step as usize];
            step >>= 1;
        }
        s
    }

    /// `iter::successors`
    successors: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for step in core::iter::successors(Some(128usize), |&s| (s > 1).then_some(s / 2)) {
            s += x[t + step];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut step = 128usize;
        while step >= 1 {
            s += x[t + step];
            step /= 2;
        }
        s
    }

    /// `(0..n).map(..).sum()`
    map_sum: f32 => f32, |t, n, x| {
        (0..n).map(|k| x[t + k]).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `(0..n).fold(..)`
    fold: f32 => f32, |t, n, x| {
        (0..n).fold(1.0, |s, k| s * 0.99 + x[t + k])
    } plain {
        let mut s = 1.0;
        let mut k = 0;
        while k < n {
            s = s * 0.99 + x[t + k];
            k += 1;
        }
        s
    }

    /// `(0..n).filter(..).count()`
    filter_count: f32 => u32, |t, n, x| {
        (0..n).filter(|&k| x[t + k] > 0.0).count() as u32
    } plain {
        let mut count = 0;
        let mut k = 0;
        while k < n {
            if x[t + k] > 0.0 {
                count += 1;
            }
            k += 1;
        }
        count
    }

    /// a loop over `u32` with a cast of the index
    range_of_u32: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..n as u32 {
            s += x[t + k as usize];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0u32;
        while k < n as u32 {
            s += x[t + k as usize];
            k += 1;
        }
        s
    }

    /// `for k in t + 1..end`: a range whose start is a sum
    range_from_sum: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in t + 1..t + n {
            s += x[k] * x[k - t - 1];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = t + 1;
        while k < t + n {
            s += x[k] * x[k - t - 1];
            k += 1;
        }
        s
    }

    /// `previous = k`: the index of the iteration before, and of the last element in the first
    previous_index: f32 => f32, |t, n, x| {
        let (mut s, mut previous) = (0.0, n - 1);
        for k in 0..n {
            s += x[k] * x[previous] + t as f32;
            previous = k;
        }
        s
    } plain {
        let (mut s, mut previous, mut k) = (0.0, n - 1, 0);
        while k < n {
            s += x[k] * x[previous] + t as f32;
            previous = k;
            k += 1;
        }
        s
    }

    /// `next = x[k + 2]` at the end of a loop: the element of the next iteration
    look_ahead: f32 => f32, |t, n, x| {
        let (mut s, mut here, mut next) = (0.0, x[t], x[t + 1]);
        for k in 0..n {
            s += here * next;
            here = next;
            next = x[t + k + 2];
        }
        s
    } plain {
        let (mut s, mut here, mut next, mut k) = (0.0, x[t], x[t + 1], 0);
        while k < n {
            s += here * next;
            here = next;
            next = x[t + k + 2];
            k += 1;
        }
        s
    }
}
