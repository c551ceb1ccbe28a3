//! Small arrays whose iterators are adapted, and what is called for several of them.

use crate::pair::pairs;

pairs! {
    /// `[a, b, c].into_iter().flatten()`: those of some optional values that are there
    flattened_options: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for v in [x.get(t), x.get(t + n), x.get(t + 8 * n)].into_iter().flatten() {
            s = s * 0.5 + v;
        }
        s
    } plain {
        let mut s = 0.0;
        if t < x.len() {
            s = s * 0.5 + x[t];
        }
        if t + n < x.len() {
            s = s * 0.5 + x[t + n];
        }
        if t + 8 * n < x.len() {
            s = s * 0.5 + x[t + 8 * n];
        }
        s
    }

    /// `a.into_iter().zip(b)`
    zipped_arrays: f32 => f32, |t, n, x| {
        let a = [x[t], x[t + 1], x[t + 2], x[t + 3]];
        let b = [x[t + n], x[t + n + 1], x[t + n + 2], x[t + n + 3]];
        let mut s = 0.0;
        for (a, b) in a.into_iter().zip(b) {
            s += a * b;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 4 {
            s += x[t + k] * x[t + n + k];
            k += 1;
        }
        s
    }

    /// `a.into_iter().chain(b)`
    chained_arrays: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for v in [x[t], x[t + 1]].into_iter().chain([x[t + n], x[t + n + 1]]) {
            s = s * 0.5 + v;
        }
        s
    } plain {
        let mut s = x[t];
        s = s * 0.5 + x[t + 1];
        s = s * 0.5 + x[t + n];
        s * 0.5 + x[t + n + 1]
    }

    /// `array.into_iter().enumerate()`, into another array
    enumerated_array: f32 => f32, |t, n, x| {
        let mut turned = [0.0f32; 4];
        for (k, v) in [x[t], x[t + 1], x[t + 2], x[t + 3]].into_iter().enumerate() {
            turned[(k + 1) % 4] = v;
        }
        turned[0] + 2.0 * turned[1] + 3.0 * turned[2] + 4.0 * turned[3]
    } plain {
        let (a, b, c, d) = (x[t], x[t + 1], x[t + 2], x[t + 3]);
        d + 2.0 * a + 3.0 * b + 4.0 * c
    }

    /// `array.into_iter().filter(..).map(..).sum()`
    filtered_array: f32 => f32, |t, n, x| {
        let a = [x[t], x[t + n], x[t + 2 * n], x[t + 3 * n]];
        a.into_iter().filter(|v| *v > 0.0).map(|v| v * v).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 4 {
            let v = x[t + k * n];
            if v > 0.0 {
                s += v * v;
            }
            k += 1;
        }
        s
    }

    /// `[a, b].into_iter().flatten()` of arrays
    flattened_arrays: f32 => f32, |t, n, x| {
        let rows = [[x[t], x[t + 1]], [x[t + n], x[t + n + 1]], [x[t + 2 * n], x[t + 2 * n + 1]]];
        let mut s = 0.0;
        for v in rows.into_iter().flatten() {
            s = s * 0.5 + v;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 3 {
            s = s * 0.5 + x[t + k * n];
            s = s * 0.5 + x[t + k * n + 1];
            k += 1;
        }
        s
    }

    /// a network of comparisons as a closure, called for two arrays
    network_called_twice: f32 => f32, |t, n, x| {
        const NETWORK: [(usize, usize); 19] = [
            (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (1, 2), (5, 6),
            (0, 4), (3, 7), (1, 5), (2, 6), (1, 4), (3, 6), (2, 4), (3, 5), (3, 4),
        ];
        let mut calls = 0;
        let mut sort = |items: &mut [f32; 8]| {
            calls += 1;
            for (a, b) in NETWORK {
                let (less, more) = (items[a].min(items[b]), items[a].max(items[b]));
                (items[a], items[b]) = (less, more);
            }
        };
        let mut a: [f32; 8] = core::array::from_fn(|k| x[t + k]);
        let mut b: [f32; 8] = core::array::from_fn(|k| x[t + n + k]);
        sort(&mut a);
        sort(&mut b);
        a[1] + a[6] + b[3] * b[4] + calls as f32
    } plain {
        let mut s = [0.0f32; 2];
        let mut k = 0;
        let mut out = [[0.0f32; 8]; 2];
        while k < 2 {
            let mut v = [0.0f32; 8];
            let mut j = 0;
            while j < 8 {
                v[j] = x[t + k * n + j];
                j += 1;
            }
            macro_rules! order {
                ($a:expr, $b:expr) => {
                    let (less, more) = (v[$a].min(v[$b]), v[$a].max(v[$b]));
                    v[$a] = less;
                    v[$b] = more;
                };
            }
            order!(0, 1); order!(2, 3); order!(4, 5); order!(6, 7); order!(0, 2); order!(1, 3);
            order!(4, 6); order!(5, 7); order!(1, 2); order!(5, 6); order!(0, 4); order!(3, 7);
            order!(1, 5); order!(2, 6); order!(1, 4); order!(3, 6); order!(2, 4); order!(3, 5);
            order!(3, 4);
            out[k] = v;
            k += 1;
        }
        s[0] = out[0][1] + out[0][6];
        s[1] = out[1][3] * out[1][4];
        s[0] + s[1] + 2.0
    }
}
