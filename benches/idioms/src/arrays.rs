//! Small arrays by value, tuples, structs and closures.

use crate::pair::pairs;

pairs! {
    /// `for v in array`
    array_by_value: f32 => f32, |t, n, x| {
        let a = [x[t], x[t + 1], x[t + 2], x[t + 3]];
        let mut s = 0.0;
        for v in a {
            s = s * 0.5 + v;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 4 {
            s = s * 0.5 + x[t + k];
            k += 1;
        }
        s
    }

    /// `for v in array` with a check in the body
    array_with_check: f32 => f32, |t, n, x| {
        let offsets = [0usize, 3, 7, 12];
        let mut s = 0.0;
        for o in offsets {
            s += x[t + o];
        }
        s
    } plain {
        x[t] + x[t + 3] + x[t + 7] + x[t + 12]
    }

    /// `core::array::from_fn`
    array_from_fn: f32 => f32, |t, n, x| {
        let a: [f32; 8] = core::array::from_fn(|k| x[t + k]);
        a[0] * a[7] + a[1] * a[6] + a[2] * a[5] + a[3] * a[4]
    } plain {
        x[t] * x[t + 7] + x[t + 1] * x[t + 6] + x[t + 2] * x[t + 5] + x[t + 3] * x[t + 4]
    }

    /// `array.map(..)`
    array_map: f32 => f32, |t, n, x| {
        let a = [x[t], x[t + 1], x[t + 2], x[t + 3]].map(|v| v * v);
        a[0] + a[1] + a[2] + a[3]
    } plain {
        x[t] * x[t] + x[t + 1] * x[t + 1] + x[t + 2] * x[t + 2] + x[t + 3] * x[t + 3]
    }

    /// `array.iter().sum()`
    array_sum: f32 => f32, |t, n, x| {
        let mut a = [0.0f32; 6];
        for (k, a) in a.iter_mut().enumerate() {
            *a = x[t + k] * 2.0;
        }
        a.iter().sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 6 {
            s += x[t + k] * 2.0;
            k += 1;
        }
        s
    }

    /// a table of offsets as pairs: `for (dx, dy) in NEIGHBOURS`
    table_of_pairs: f32 => f32, |t, n, x| {
        const NEIGHBOURS: [(usize, usize); 4] = [(0, 1), (1, 0), (1, 2), (2, 1)];
        let mut s = 0.0;
        for (dx, dy) in NEIGHBOURS {
            s += x[t + dx + dy * 16];
        }
        s
    } plain {
        x[t + 16] + x[t + 1] + x[t + 1 + 32] + x[t + 2 + 16]
    }

    /// `for &(dx, dy) in &TABLE` with signed offsets and a check of borders
    table_of_signed: f32 => f32, |t, n, x| {
        const NEIGHBOURS: [(i32, i32); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
        let (w, h) = (25i32, 28i32);
        let (c, r) = (t as i32 % w, t as i32 / w);
        let mut s = 0.0;
        for &(dx, dy) in &NEIGHBOURS {
            let (c, r) = (c + dx, r + dy);
            if (0..w).contains(&c) && (0..h).contains(&r) {
                s += x[(r * w + c) as usize];
            }
        }
        s
    } plain {
        let (w, h) = (25i32, 28i32);
        let (c, r) = (t as i32 % w, t as i32 / w);
        let mut s = 0.0;
        if r > 0 {
            s += x[((r - 1) * w + c) as usize];
        }
        if c > 0 {
            s += x[(r * w + c - 1) as usize];
        }
        if c + 1 < w {
            s += x[(r * w + c + 1) as usize];
        }
        if r + 1 < h {
            s += x[((r + 1) * w + c) as usize];
        }
        s
    }

    /// a constant table of weights zipped with a part of a slice
    weights: f32 => f32, |t, n, x| {
        const WEIGHTS: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
        x[t..t + 5].iter().zip(&WEIGHTS).map(|(v, w)| v * w).sum()
    } plain {
        x[t] + x[t + 1] * 4.0 + x[t + 2] * 6.0 + x[t + 3] * 4.0 + x[t + 4]
    }

    /// weights by an inclusive range around the middle
    weights_around: f32 => f32, |t, n, x| {
        const WEIGHTS: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
        let mut s = 0.0;
        for d in -2i32..=2 {
            let at = (t as i32 + d).clamp(0, x.len() as i32 - 1);
            s += WEIGHTS[(d + 2) as usize] * x[at as usize];
        }
        s
    } plain {
        const WEIGHTS: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];
        let mut s = 0.0;
        let mut d = -2i32;
        while d < 3 {
            let mut at = t as i32 + d;
            at = if at < 0 { 0 } else { at };
            at = if at > x.len() as i32 - 1 { x.len() as i32 - 1 } else { at };
            s += WEIGHTS[(d + 2) as usize] * x[at as usize];
            d += 1;
        }
        s
    }

    /// insertion into a sorted array of four
    top_four: f32 => f32, |t, n, x| {
        let mut top = [f32::NEG_INFINITY; 4];
        for &v in &x[t..t + n] {
            let mut v = v;
            for slot in &mut top {
                if v > *slot {
                    core::mem::swap(slot, &mut v);
                }
            }
        }
        top[3]
    } plain {
        let mut top = [f32::NEG_INFINITY; 4];
        let mut k = 0;
        while k < n {
            let mut v = x[t + k];
            let mut j = 0;
            while j < 4 {
                if v > top[j] {
                    let other = top[j];
                    top[j] = v;
                    v = other;
                }
                j += 1;
            }
            k += 1;
        }
        top[3]
    }

    /// five values sorted by swaps: the median
    median: f32 => f32, |t, n, x| {
        let mut a: [f32; 5] = core::array::from_fn(|k| x[t + k]);
        for i in 0..a.len() {
            for j in 0..a.len() - 1 - i {
                if a[j] > a[j + 1] {
                    a.swap(j, j + 1);
                }
            }
        }
        a[2]
    } plain {
        let mut a = [x[t], x[t + 1], x[t + 2], x[t + 3], x[t + 4]];
        let mut i = 0;
        while i < 5 {
            let mut j = 0;
            while j < 4 - i {
                let (low, high) = (a[j], a[j + 1]);
                let swap = low > high;
                a[j] = if swap { high } else { low };
                a[j + 1] = if swap { low } else { high };
                j += 1;
            }
            i += 1;
        }
        a[2]
    }

    /// a small matrix as an array of arrays
    matrix: f32 => f32, |t, n, x| {
        let m: [[f32; 3]; 3] = core::array::from_fn(|r| core::array::from_fn(|c| x[t + r * 3 + c]));
        let v = [1.0, 2.0, 3.0];
        let mut out = [0.0; 3];
        for (o, row) in out.iter_mut().zip(&m) {
            *o = row.iter().zip(&v).map(|(a, b)| a * b).sum();
        }
        out.iter().sum()
    } plain {
        let mut s = 0.0;
        let mut r = 0;
        while r < 3 {
            s += x[t + r * 3] + x[t + r * 3 + 1] * 2.0 + x[t + r * 3 + 2] * 3.0;
            r += 1;
        }
        s
    }

    /// tuples that a loop carries
    carried_tuple: f32 => f32, |t, n, x| {
        let (sum, squares) = x[t..t + n].iter().fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
        squares - sum * sum
    } plain {
        let mut sum = 0.0;
        let mut squares = 0.0;
        let mut k = 0;
        while k < n {
            sum += x[t + k];
            squares += x[t + k] * x[t + k];
            k += 1;
        }
        squares - sum * sum
    }

    /// a struct with methods and operators
    complex: f32 => f32, |t, n, x| {
        #[derive(Clone, Copy)]
        struct Complex {
            re: f32,
            im: f32,
        }
        impl core::ops::Mul for Complex {
            type Output = Self;
            fn mul(self, o: Self) -> Self {
                Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
            }
        }
        let w = Complex { re: x[t] * 0.02, im: x[t + 1] * 0.02 };
        let mut z = w;
        for _ in 0..n {
            z = z * w;
        }
        z.re + z.im
    } plain {
        let (x, y) = (x[t] * 0.02, x[t + 1] * 0.02);
        let (mut re, mut im) = (x, y);
        let mut k = 0;
        while k < n {
            let next = re * x - im * y;
            im = re * y + im * x;
            re = next;
            k += 1;
        }
        re + im
    }

    /// a closure that is called in several places
    closure: f32 => f32, |t, n, x| {
        let at = |d: usize| x[(t + d).min(x.len() - 1)];
        at(0) + at(1) * 2.0 + at(2)
    } plain {
        let last = x.len() - 1;
        let b = if t + 1 < last { t + 1 } else { last };
        let c = if t + 2 < last { t + 2 } else { last };
        x[if t < last { t } else { last }] + x[b] * 2.0 + x[c]
    }

    /// a labelled `break`
    labelled_break: f32 => u32, |t, n, x| {
        let mut steps = 0;
        'outer: for a in 0..8 {
            for b in 0..8 {
                steps += 1;
                if x[t + a * 8 + b] > 45.0 {
                    break 'outer;
                }
            }
        }
        steps
    } plain {
        let mut steps = 0;
        let mut a = 0;
        let mut found = false;
        while a < 8 && !found {
            let mut b = 0;
            while b < 8 && !found {
                steps += 1;
                found = x[t + a * 8 + b] > 45.0;
                b += 1;
            }
            a += 1;
        }
        steps
    }

    /// `continue` for what is masked
    continued: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..=16 {
            if k == 8 {
                continue;
            }
            s += x[t + k] / (k as f32 - 8.0);
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 17 {
            if k != 8 {
                s += x[t + k] / (k as f32 - 8.0);
            }
            k += 1;
        }
        s
    }

    /// the histogram of a few values in a local array
    local_histogram: u8 => u32, |t, n, x| {
        let mut counts = [0u32; 4];
        for &v in &x[t..t + n] {
            counts[usize::from(v >> 6)] += 1;
        }
        counts.iter().enumerate().map(|(k, c)| c << (8 * k)).sum()
    } plain {
        let mut counts = [0u32; 4];
        let mut k = 0;
        while k < n {
            counts[(x[t + k] >> 6) as usize] += 1;
            k += 1;
        }
        counts[0] + (counts[1] << 8) + (counts[2] << 16) + (counts[3] << 24)
    }
}
