//! Reductions of iterators.

use crate::pair::pairs;

pairs! {
    /// `.iter().sum()` of integers
    sum_of_integers: i32 => i32, |t, n, x| {
        x[t..t + n].iter().sum()
    } plain {
        let mut s = 0;
        let mut k = 0;
        while k < n {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `.iter().product()`
    product: i32 => i32, |t, n, x| {
        x[t..t + 8].iter().map(|v| v | 1).fold(1, |p: i32, v| p.wrapping_mul(v))
    } plain {
        let mut p = 1i32;
        let mut k = 0;
        while k < 8 {
            p = p.wrapping_mul(x[t + k] | 1);
            k += 1;
        }
        p
    }

    /// `.iter().max()` of integers
    max_of_integers: i32 => i32, |t, n, x| {
        x[t..t + n].iter().copied().max().unwrap_or(i32::MIN)
    } plain {
        let mut m = i32::MIN;
        let mut k = 0;
        while k < n {
            m = m.max(x[t + k]);
            k += 1;
        }
        m
    }

    /// `.iter().min()` of a constant number of integers
    min_of_constant: i32 => i32, |t, n, x| {
        x[t..t + 9].iter().copied().min().unwrap_or(0)
    } plain {
        let mut m = x[t];
        let mut k = 1;
        while k < 9 {
            m = m.min(x[t + k]);
            k += 1;
        }
        m
    }

    /// `.fold(NEG_INFINITY, f32::max)`
    fold_max: f32 => f32, |t, n, x| {
        x[t..t + n].iter().copied().fold(f32::NEG_INFINITY, f32::max)
    } plain {
        let mut m = f32::NEG_INFINITY;
        let mut k = 0;
        while k < n {
            m = m.max(x[t + k]);
            k += 1;
        }
        m
    }

    /// `.reduce(f32::min)`
    reduce_min: f32 => f32, |t, n, x| {
        x[t..t + 9].iter().copied().reduce(f32::min).unwrap_or(0.0)
    } plain {
        let mut m = x[t];
        let mut k = 1;
        while k < 9 {
            m = m.min(x[t + k]);
            k += 1;
        }
        m
    }

    /// `.iter().enumerate()` and a comparison: the position of the least value
    argmin: f32 => u32, |t, n, x| {
        let mut best = (f32::INFINITY, 0);
        for (k, &v) in x[t..t + n].iter().enumerate() {
            if v < best.0 {
                best = (v, k as u32);
            }
        }
        best.1
    } plain {
        let mut least = f32::INFINITY;
        let mut at = 0;
        let mut k = 0;
        while k < n {
            if x[t + k] < least {
                least = x[t + k];
                at = k as u32;
            }
            k += 1;
        }
        at
    }

    /// `.max_by_key(..)`
    max_by_key: i32 => i32, |t, n, x| {
        x[t..t + 8].iter().copied().max_by_key(|v| v.abs()).unwrap_or(0)
    } plain {
        let mut best = x[t];
        let mut k = 1;
        while k < 8 {
            if x[t + k].abs() >= best.abs() {
                best = x[t + k];
            }
            k += 1;
        }
        best
    }

    /// `.try_fold(..)`
    try_fold: i32 => i32, |t, n, x| {
        x[t..t + n].iter().try_fold(0i32, |s, v| s.checked_add(*v)).unwrap_or(-1)
    } plain {
        let mut s = 0i32;
        let mut k = 0;
        while k < n {
            let (next, over) = s.overflowing_add(x[t + k]);
            if over {
                return -1;
            }
            s = next;
            k += 1;
        }
        s
    }

    /// `.take_while(..)`
    take_while: f32 => f32, |t, n, x| {
        x[t..t + n].iter().take_while(|v| **v <= 45.0).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            let v = x[t + k];
            if !(v <= 45.0) {
                break;
            }
            s += v;
            k += 1;
        }
        s
    }

    /// `.filter(..).sum()`
    filter_sum: f32 => f32, |t, n, x| {
        x[t..t + n].iter().filter(|v| **v > 0.0).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            if x[t + k] > 0.0 {
                s += x[t + k];
            }
            k += 1;
        }
        s
    }

    /// `.filter_map(..)`
    filter_map: i32 => i32, |t, n, x| {
        x[t..t + n].iter().filter_map(|&v| (v > 0).then(|| v * 2)).sum()
    } plain {
        let mut s = 0;
        let mut k = 0;
        while k < n {
            if x[t + k] > 0 {
                s += x[t + k] * 2;
            }
            k += 1;
        }
        s
    }

    /// `.flat_map(..)`
    flat_map: f32 => f32, |t, n, x| {
        (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).map(|(a, b)| x[t + a * 16 + b]).sum()
    } plain {
        let mut s = 0.0;
        let mut a = 0;
        while a < 4 {
            let mut b = 0;
            while b < 4 {
                s += x[t + a * 16 + b];
                b += 1;
            }
            a += 1;
        }
        s
    }

    /// `iter().map(f32::exp).sum()`
    sum_of_exponentials: f32 => f32, |t, n, x| {
        x[t..t + n].iter().map(|v| (v * 0.01).exp()).sum()
    } plain {
        let mut s = -0.0;
        let mut k = 0;
        while k < n {
            s += (x[t + k] * 0.01).exp();
            k += 1;
        }
        s
    }
}
