//! Parts of slices, and iterators over them.

use crate::pair::pairs;

pairs! {
    /// `for v in &x[t..t + 8]`
    part_constant: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for v in &x[t..t + 8] {
            s += v;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 8 {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `for v in &x[t..t + n]`
    part: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for v in &x[t..t + n] {
            s += v;
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

    /// `x[t..=t + n].iter()`
    part_inclusive: f32 => f32, |t, n, x| {
        x[t..=t + n].iter().sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k <= n {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `.iter().enumerate()`
    enumerated: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for (k, v) in x[t..t + n].iter().enumerate() {
            s += v * k as f32;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[t + k] * k as f32;
            k += 1;
        }
        s
    }

    /// `.zip` of equal lengths
    zip_equal: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for (a, b) in x[t..t + n].iter().zip(&x[t + 40..t + 40 + n]) {
            s += a * b;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[t + k] * x[t + 40 + k];
            k += 1;
        }
        s
    }

    /// `.zip` of unequal lengths
    zip_unequal: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for (a, b) in x[t..].iter().zip(&x[..n]) {
            s += a * b;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n && t + k < x.len() {
            s += x[t + k] * x[k];
            k += 1;
        }
        s
    }

    /// `.zip(0..)`: a counter beside an iterator
    zip_counter: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for (v, k) in x[t..t + n].iter().zip(0u32..) {
            s += v * k as f32;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[t + k] * k as u32 as f32;
            k += 1;
        }
        s
    }

    /// three slices zipped
    zip_three: f32 => f32, |t, n, x| {
        let (a, b, c) = (&x[t..t + n], &x[t + 40..t + 40 + n], &x[t + 80..t + 80 + n]);
        a.iter().zip(b).zip(c).map(|((a, b), c)| a * b + c).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s += x[t + k] * x[t + 40 + k] + x[t + 80 + k];
            k += 1;
        }
        s
    }

    /// `.iter().skip(2).take(5)`
    skip_take: f32 => f32, |t, n, x| {
        x[t..].iter().skip(2).take(5).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 2;
        while k < 7 && t + k < x.len() {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `.take(n)`
    take: f32 => f32, |t, n, x| {
        x[t..].iter().take(n).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n && t + k < x.len() {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `.iter().step_by(4)` of a part of constant length
    slice_step_by: f32 => f32, |t, n, x| {
        x[t..t + 64].iter().step_by(4).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 64 {
            s += x[t + k];
            k += 4;
        }
        s
    }

    /// `.windows(3)`
    windows: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for w in x[t..t + 16].windows(3) {
            s += w[0] - 2.0 * w[1] + w[2];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 14 {
            s += x[t + k] - 2.0 * x[t + k + 1] + x[t + k + 2];
            k += 1;
        }
        s
    }

    /// `.windows(2)` of a length that is not constant
    windows_dynamic: f32 => u32, |t, n, x| {
        x[t..t + n].windows(2).filter(|w| w[0] <= w[1]).count() as u32
    } plain {
        let mut count = 0;
        let mut k = 1;
        while k < n {
            if x[t + k - 1] <= x[t + k] {
                count += 1;
            }
            k += 1;
        }
        count
    }

    /// `.chunks_exact(4)`
    chunks_exact: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for c in x[t..t + 32].chunks_exact(4) {
            s += c[0] * c[1] + c[2] * c[3];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 32 {
            s += x[t + k] * x[t + k + 1] + x[t + k + 2] * x[t + k + 3];
            k += 4;
        }
        s
    }

    /// `.chunks_exact(4)` of a length that is not constant
    chunks_exact_dynamic: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for c in x[t..t + n].chunks_exact(4) {
            s += c[0] * c[1] + c[2] * c[3];
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k + 4 <= n {
            s += x[t + k] * x[t + k + 1] + x[t + k + 2] * x[t + k + 3];
            k += 4;
        }
        s
    }

    /// `.chunks(8)` with a loop over each chunk
    chunks: f32 => f32, |t, n, x| {
        let mut s = 0.0f32;
        for c in x[t..t + 32].chunks(8) {
            let mut p = 0.0;
            for v in c {
                p += v;
            }
            s = s.max(p);
        }
        s
    } plain {
        let mut s = 0.0f32;
        let mut k = 0;
        while k < 4 {
            let mut p = 0.0;
            let mut j = 0;
            while j < 8 {
                p += x[t + k * 8 + j];
                j += 1;
            }
            s = s.max(p);
            k += 1;
        }
        s
    }

    /// `.as_chunks::<4>()`
    as_chunks: f32 => f32, |t, n, x| {
        let (chunks, _) = x[t..t + 32].as_chunks::<4>();
        chunks.iter().map(|[a, b, c, d]| a * b + c * d).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 32 {
            s += x[t + k] * x[t + k + 1] + x[t + k + 2] * x[t + k + 3];
            k += 4;
        }
        s
    }

    /// `.iter().rev()`
    slice_reversed: f32 => f32, |t, n, x| {
        x[t..t + n].iter().rev().fold(0.0, |s, v| s * 0.5 + v)
    } plain {
        let mut s = 0.0;
        let mut k = n;
        while k > 0 {
            k -= 1;
            s = s * 0.5 + x[t + k];
        }
        s
    }

    /// `.first()` and `.last()`
    first_and_last: f32 => f32, |t, n, x| {
        let part = &x[t..t + n];
        part.first().copied().unwrap_or(0.0) + part.last().copied().unwrap_or(0.0)
    } plain {
        if n > 0 { x[t] + x[t + n - 1] } else { 0.0 }
    }

    /// `.get(k).copied().unwrap_or(0.0)`: values outside are zero
    get_or_zero: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..9 {
            s += x.get(t * 2 + k).copied().unwrap_or(0.0);
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 9 {
            let at = t * 2 + k;
            s += if at < x.len() { x[at] } else { 0.0 };
            k += 1;
        }
        s
    }

    /// `split_at`
    split_at: f32 => f32, |t, n, x| {
        let (a, b) = x[t..t + 16].split_at(8);
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 8 {
            s += x[t + k] * x[t + 8 + k];
            k += 1;
        }
        s
    }

    /// `while let [a, b, tail @ ..]`
    slice_pattern: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        let mut rest = &x[t..t + n];
        while let [a, b, tail @ ..] = rest {
            s += a * b;
            rest = tail;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k + 2 <= n {
            s += x[t + k] * x[t + k + 1];
            k += 2;
        }
        s
    }

    /// a row of a matrix: `&x[start..][..32]`
    row: f32 => f32, |t, n, x| {
        let row = &x[t..][..32];
        row.iter().map(|v| v * v).sum()
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < 32 {
            s += x[t + k] * x[t + k];
            k += 1;
        }
        s
    }

    /// an array of constant length from a slice: `x[..].try_into().unwrap()`
    array_from_slice: f32 => f32, |t, n, x| {
        let a: [f32; 4] = x[t..t + 4].try_into().unwrap();
        a[0] * a[3] - a[1] * a[2]
    } plain {
        x[t] * x[t + 3] - x[t + 1] * x[t + 2]
    }

    /// bytes into a word: `u32::from_le_bytes(x[..].try_into().unwrap())`
    word_from_bytes: u8 => u32, |t, n, x| {
        u32::from_le_bytes(x[t..t + 4].try_into().unwrap())
    } plain {
        u32::from(x[t]) | u32::from(x[t + 1]) << 8 | u32::from(x[t + 2]) << 16 | u32::from(x[t + 3]) << 24
    }
}
