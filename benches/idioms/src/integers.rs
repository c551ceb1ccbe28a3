//! Conversions, saturating and checked arithmetic, bits.

use crate::pair::pairs;

pairs! {
    /// `as u8` of a float: saturates
    float_to_byte: f32 => u8, |t, n, x| {
        (x[t] * 7.0) as u8
    } plain {
        ((x[t] * 7.0) as i32).clamp(0, 255) as u8
    }

    /// `.clamp(0.0, 255.0) as u8`
    clamped_to_byte: f32 => u8, |t, n, x| {
        (x[t] * 7.0).clamp(0.0, 255.0) as u8
    } plain {
        ((x[t] * 7.0) as i32).clamp(0, 255) as u8
    }

    /// `as i8` of a float
    float_to_signed_byte: f32 => i32, |t, n, x| {
        i32::from((x[t] * 7.0) as i8)
    } plain {
        ((x[t] * 7.0) as i32).clamp(-128, 127)
    }

    /// `as u16` of a float
    float_to_short: f32 => u32, |t, n, x| {
        u32::from((x[t] * 7000.0) as u16)
    } plain {
        ((x[t] * 7000.0) as i32).clamp(0, 65535) as u32
    }

    /// `as i32` of a float
    float_to_int: f32 => i32, |t, n, x| {
        (x[t] * 1e9) as i32
    } plain {
        let v = x[t] * 1e9;
        if v != v { 0 } else { v.clamp(-2_147_483_648.0, 2_147_483_520.0) as i32 + i32::from(v >= 2_147_483_648.0) * 127 }
    }

    /// `as usize` of a float as an index
    float_to_index: f32 => f32, |t, n, x| {
        x[(x[t].abs() as usize).min(x.len() - 1)]
    } plain {
        x[(x[t].abs() as u32).min(x.len() as u32 - 1) as usize]
    }

    /// `saturating_sub` of an index
    saturating_index: f32 => f32, |t, n, x| {
        x[t.saturating_sub(2)] + x[(t + 2).min(x.len() - 1)]
    } plain {
        let low = if t < 2 { 0 } else { t - 2 };
        let high = if t + 2 > x.len() - 1 { x.len() - 1 } else { t + 2 };
        x[low] + x[high]
    }

    /// `checked_sub` of an index
    checked_index: f32 => f32, |t, n, x| {
        t.checked_sub(3).map_or(0.0, |k| x[k])
    } plain {
        if t >= 3 { x[t - 3] } else { 0.0 }
    }

    /// `checked_sub(..).and_then(get)`
    checked_neighbour: f32 => f32, |t, n, x| {
        let left = t.checked_sub(1).and_then(|k| x.get(k)).copied().unwrap_or(0.0);
        let right = t.checked_add(1).and_then(|k| x.get(k)).copied().unwrap_or(0.0);
        left + right
    } plain {
        let left = if t >= 1 && t - 1 < x.len() { x[t - 1] } else { 0.0 };
        let right = if t + 1 < x.len() { x[t + 1] } else { 0.0 };
        left + right
    }

    /// `checked_add_signed`: neighbours by signed offsets
    checked_add_signed: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for d in -2isize..=2 {
            if let Some(v) = t.checked_add_signed(d).and_then(|k| x.get(k)) {
                s += v;
            }
        }
        s
    } plain {
        let mut s = 0.0;
        let mut d = -2isize;
        while d <= 2 {
            let k = t as isize + d;
            if k >= 0 && (k as usize) < x.len() {
                s += x[k as usize];
            }
            d += 1;
        }
        s
    }

    /// `rem_euclid`: periodic borders
    rem_euclid: f32 => f32, |t, n, x| {
        let w = 64i32;
        let left = (t as i32 - 5).rem_euclid(w);
        x[left as usize]
    } plain {
        x[((t as i32 - 5) & 63) as usize]
    }

    /// `saturating_add` of bytes
    saturating_bytes: u8 => u8, |t, n, x| {
        x[t].saturating_add(x[t + 1])
    } plain {
        let s = u32::from(x[t]) + u32::from(x[t + 1]);
        (if s > 255 { 255 } else { s }) as u8
    }

    /// `abs_diff` of bytes
    abs_diff: u8 => u32, |t, n, x| {
        (0..8).map(|k| u32::from(x[t + k].abs_diff(x[t + 16 + k]))).sum()
    } plain {
        let mut s = 0;
        let mut k = 0;
        while k < 8 {
            let d = i32::from(x[t + k]) - i32::from(x[t + 16 + k]);
            s += (if d < 0 { -d } else { d }) as u32;
            k += 1;
        }
        s
    }

    /// `rotate_left` and `wrapping_add`
    rotate: u32 => u32, |t, n, x| {
        let mut h = x[t];
        for k in 1..9 {
            h = (h ^ x[t + k]).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        }
        h
    } plain {
        let mut h = x[t];
        let mut k = 1;
        while k < 9 {
            let v = h ^ x[t + k];
            h = ((v << 13) | (v >> 19)).wrapping_mul(5).wrapping_add(0xe654_6b64);
            k += 1;
        }
        h
    }

    /// `swap_bytes`
    swap_bytes: u32 => u32, |t, n, x| {
        x[t].swap_bytes()
    } plain {
        let v = x[t];
        let (high, low) = (v >> 16, v & 0xffff);
        let high = (high >> 8) | ((high & 0xff) << 8);
        let low = (low >> 8) | ((low & 0xff) << 8);
        (low << 16) | high
    }

    /// a message schedule in an array of 64 words
    message_schedule: u32 => u32, |t, n, x| {
        let mut w = [0u32; 64];
        w[..16].copy_from_slice(&x[t..t + 16]);
        for k in 16..64 {
            let a = w[k - 15].rotate_right(7) ^ w[k - 15].rotate_right(18) ^ (w[k - 15] >> 3);
            let b = w[k - 2].rotate_right(17) ^ w[k - 2].rotate_right(19) ^ (w[k - 2] >> 10);
            w[k] = w[k - 16].wrapping_add(a).wrapping_add(w[k - 7]).wrapping_add(b);
        }
        w.iter().fold(0, |h, v| h ^ v)
    } plain {
        let mut w = [0u32; 64];
        let mut k = 0;
        while k < 16 {
            w[k] = x[t + k];
            k += 1;
        }
        while k < 64 {
            let a = w[k - 15].rotate_right(7) ^ w[k - 15].rotate_right(18) ^ (w[k - 15] >> 3);
            let b = w[k - 2].rotate_right(17) ^ w[k - 2].rotate_right(19) ^ (w[k - 2] >> 10);
            w[k] = w[k - 16].wrapping_add(a).wrapping_add(w[k - 7]).wrapping_add(b);
            k += 1;
        }
        let mut h = 0;
        k = 0;
        while k < 64 {
            h ^= w[k];
            k += 1;
        }
        h
    }

    /// `count_ones`, `leading_zeros`, `trailing_zeros`
    bit_counts: u32 => u32, |t, n, x| {
        x[t].count_ones() + x[t].leading_zeros() * 64 + x[t].trailing_zeros() * 4096
    } plain {
        let v = x[t];
        v.count_ones() + v.leading_zeros() * 64 + v.trailing_zeros() * 4096
    }

    /// `for byte in word.to_le_bytes()`
    bytes_of_word: u32 => u32, |t, n, x| {
        let mut h = 0u32;
        for byte in x[t].to_le_bytes() {
            h = h.wrapping_mul(31).wrapping_add(u32::from(byte));
        }
        h
    } plain {
        let v = x[t];
        let mut h = 0u32;
        let mut k = 0;
        while k < 4 {
            h = h.wrapping_mul(31).wrapping_add((v >> (8 * k)) & 255);
            k += 1;
        }
        h
    }

    /// `u64::from(a) * u64::from(b)`: the high half of a product
    high_half: u32 => u32, |t, n, x| {
        ((u64::from(x[t]) * u64::from(x[t + 1])) >> 32) as u32
    } plain {
        ((x[t] as u64 * x[t + 1] as u64) >> 32) as u32
    }

    /// `div_ceil` and `next_multiple_of` by a constant
    div_ceil: u32 => u32, |t, n, x| {
        x[t].div_ceil(32) + (x[t] >> 4).next_multiple_of(8)
    } plain {
        let v = x[t];
        (v / 32 + u32::from(v % 32 != 0)) + (((v >> 4) + 7) / 8) * 8
    }

    /// `/` and `%` by a value that is not constant
    division: u32 => u32, |t, n, x| {
        let d = n as u32;
        x[t] / d + x[t] % d
    } plain {
        let d = n as u32;
        if d == 0 {
            panic!("attempt to divide by zero");
        }
        x[t] / d + x[t] % d
    }

    /// row and column of a linear index
    row_and_column: f32 => f32, |t, n, x| {
        let (row, column) = (t / n, t % n);
        x[row + column]
    } plain {
        let row = t as u32 / n as u32;
        let column = t as u32 - row * n as u32;
        x[(row + column) as usize]
    }

    /// an index in 64 bits from values of 32
    wide_index: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..4usize {
            s += x[(t / 32) * 4 + (t % 32) * 2 + k];
        }
        s
    } plain {
        let t = t as u32;
        let mut s = 0.0;
        let mut k = 0u32;
        while k < 4 {
            s += x[((t / 32) * 4 + (t % 32) * 2 + k) as usize];
            k += 1;
        }
        s
    }
}
