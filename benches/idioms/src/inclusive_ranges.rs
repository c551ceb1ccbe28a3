//! Loops over ranges with their end, `a..=b`.

use crate::pair::pairs;

pairs! {
    /// `for k in 0..=8`
    inclusive_constant: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..=8 {
            s += x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 9 {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `for k in 0..=n`
    inclusive: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..=n {
            s += x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n + 1 {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `for k in -2..=2` of `i32`
    inclusive_signed: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in -2i32..=2 {
            s += x[(t as i32 + 2 + k) as usize] * k as f32;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = -2i32;
        while k < 3 {
            s += x[(t as i32 + 2 + k) as usize] * k as f32;
            k += 1;
        }
        s
    }

    /// `for k in -r..=r` with a radius that is not constant
    inclusive_radius: f32 => f32, |t, n, x| {
        let r = n as i32;
        let mut s = 0.0;
        for k in -r..=r {
            s += x[(t as i32 + r + k) as usize];
        }
        s
    } plain {
        let r = n as i32;
        let mut s = 0.0;
        let mut k = -r;
        while k < r + 1 {
            s += x[(t as i32 + r + k) as usize];
            k += 1;
        }
        s
    }

    /// two inclusive ranges, one in the other
    inclusive_nest: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for row in 0..=2 {
            for column in 0..=4 {
                s += x[t + row * 16 + column];
            }
        }
        s
    } plain {
        let mut s = 0.0;
        let mut row = 0;
        while row < 3 {
            let mut column = 0;
            while column < 5 {
                s += x[t + row * 16 + column];
                column += 1;
            }
            row += 1;
        }
        s
    }

    /// three inclusive ranges around a point
    inclusive_cube: f32 => f32, |t, n, x| {
        let mut s = 0.0f32;
        for a in 0..=2usize {
            for b in 0..=2usize {
                for c in 0..=2usize {
                    s = s.max(x[t + a * 64 + b * 8 + c]);
                }
            }
        }
        s
    } plain {
        let mut s = 0.0f32;
        let mut a = 0usize;
        while a < 3 {
            let mut b = 0usize;
            while b < 3 {
                let mut c = 0usize;
                while c < 3 {
                    s = s.max(x[t + a * 64 + b * 8 + c]);
                    c += 1;
                }
                b += 1;
            }
            a += 1;
        }
        s
    }

    /// `(0..=64).step_by(16)`
    step_by_inclusive: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (0..=64).step_by(16) {
            s += x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 65 {
            s += x[t + k];
            k += 16;
        }
        s
    }

    /// `(0..=7).rev()`
    reversed_inclusive: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (0..=7).rev() {
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

    /// `(1..=n).rev()`
    reversed_inclusive_dynamic: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in (1..=n).rev() {
            s = s * 0.5 + x[t + k];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = n;
        while k > 0 {
            s = s * 0.5 + x[t + k];
            k -= 1;
        }
        s
    }

    /// `(0..=8).map(..).sum()`
    map_sum_inclusive: f32 => f32, |t, n, x| {
        (0..=8).map(|k| x[t + k] * 0.5).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 9 {
            s += x[t + k] * 0.5;
            k += 1;
        }
        s
    }

    /// a triangle: the inner range ends at the outer counter
    triangle: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for a in 0..12 {
            for b in 0..=a {
                s += x[t + a * 12 + b];
            }
        }
        s
    } plain {
        let mut s = 0.0;
        let mut a = 0;
        while a < 12 {
            let mut b = 0;
            while b < a + 1 {
                s += x[t + a * 12 + b];
                b += 1;
            }
            a += 1;
        }
        s
    }
}
