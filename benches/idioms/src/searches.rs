//! Searches, early returns, `Option` and `match`.

use crate::pair::pairs;

pairs! {
    /// `.position(..)`
    position: f32 => u32, |t, n, x| {
        x[t..t + n].iter().position(|&v| v > 45.0).unwrap_or(n) as u32
    } plain {
        let mut k = 0;
        while k < n {
            if x[t + k] > 45.0 {
                break;
            }
            k += 1;
        }
        k as u32
    }

    /// `.any(..)`
    any: f32 => u32, |t, n, x| {
        u32::from(x[t..t + n].iter().any(|&v| v > 49.0))
    } plain {
        let mut k = 0;
        let mut found = 0;
        while k < n {
            if x[t + k] > 49.0 {
                found = 1;
                break;
            }
            k += 1;
        }
        found
    }

    /// `.all(..)`
    all: f32 => u32, |t, n, x| {
        u32::from(x[t..t + n].iter().all(|&v| v < 50.0))
    } plain {
        let mut k = 0;
        let mut all = 1;
        while k < n {
            if !(x[t + k] < 50.0) {
                all = 0;
                break;
            }
            k += 1;
        }
        all
    }

    /// `.all(..)` over a constant range
    all_constant: f32 => u32, |t, n, x| {
        u32::from((0..6).all(|k| x[t + k] < 45.0))
    } plain {
        let mut k = 0;
        let mut all = 1;
        while k < 6 {
            if !(x[t + k] < 45.0) {
                all = 0;
                break;
            }
            k += 1;
        }
        all
    }

    /// `.find(..)`
    find: f32 => f32, |t, n, x| {
        x[t..t + n].iter().copied().find(|v| *v > 45.0).unwrap_or(-1.0)
    } plain {
        let mut found = -1.0;
        let mut k = 0;
        while k < n {
            if x[t + k] > 45.0 {
                found = x[t + k];
                break;
            }
            k += 1;
        }
        found
    }

    /// `return` out of a loop
    early_return: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        for k in 0..n {
            let v = x[t + k];
            if v > 45.0 {
                return s;
            }
            s += v;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n && x[t + k] <= 45.0 {
            s += x[t + k];
            k += 1;
        }
        s
    }

    /// `?` inside of a loop
    question_mark: f32 => f32, |t, n, x| {
        fn sum(t: usize, n: usize, x: &[f32]) -> Option<f32> {
            let mut s = 0.0;
            for k in 0..n {
                s += x.get(t * 2 + k)?;
            }
            Some(s)
        }
        sum(t, n, x).unwrap_or(-1.0)
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            if t * 2 + k >= x.len() {
                return -1.0;
            }
            s += x[t * 2 + k];
            k += 1;
        }
        s
    }

    /// `while let Some(v) = iter.next()`
    while_let: f32 => f32, |t, n, x| {
        let mut s = 0.0;
        let mut values = x[t..t + n].iter();
        while let Some(v) = values.next() {
            s = s * 0.5 + v;
        }
        s
    } plain {
        let mut s = 0.0;
        let mut k = 0;
        while k < n {
            s = s * 0.5 + x[t + k];
            k += 1;
        }
        s
    }

    /// `.peekable()`: runs of equal signs
    peekable: i32 => i32, |t, n, x| {
        let mut runs = 0;
        let mut values = x[t..t + n].iter().peekable();
        while let Some(v) = values.next() {
            if values.peek().is_some_and(|next| (**next < 0) != (*v < 0)) {
                runs += 1;
            }
        }
        runs
    } plain {
        let mut runs = 0;
        let mut k = 0;
        while k < n {
            if k + 1 < n && (x[t + k + 1] < 0) != (x[t + k] < 0) {
                runs += 1;
            }
            k += 1;
        }
        runs
    }

    /// an `Option` that is carried by a loop
    carried_option: f32 => f32, |t, n, x| {
        let mut best: Option<f32> = None;
        for k in 0..n {
            let v = x[t + k];
            best = match best {
                Some(b) if b >= v => Some(b),
                _ => Some(v),
            };
        }
        best.unwrap_or(0.0)
    } plain {
        if n == 0 {
            return 0.0;
        }
        let mut best = x[t];
        let mut k = 1;
        while k < n {
            if !(best >= x[t + k]) {
                best = x[t + k];
            }
            k += 1;
        }
        best
    }

    /// a state machine with a small enum
    small_enum: i32 => i32, |t, n, x| {
        enum State {
            Up,
            Down,
            Flat,
        }
        let mut state = State::Flat;
        let mut turns = 0;
        for k in 0..n {
            let v = x[t + k];
            state = match (state, v > 0) {
                (State::Up, true) => State::Up,
                (State::Up, false) => {
                    turns += 1;
                    State::Down
                }
                (State::Down, true) => {
                    turns += 1;
                    State::Up
                }
                (State::Down, false) => State::Down,
                (State::Flat, true) => State::Up,
                (State::Flat, false) => State::Down,
            };
        }
        turns
    } plain {
        let mut state = 0u32;
        let mut turns = 0;
        let mut k = 0;
        while k < n {
            let up = x[t + k] > 0;
            let next = if up { 1 } else { 2 };
            if state != 0 && next != state {
                turns += 1;
            }
            state = next;
            k += 1;
        }
        turns
    }

    /// `match` on a number of cases with arithmetic in each
    match_operation: u32 => u32, |t, n, x| {
        let (a, b) = (x[t], x[t + 1]);
        match a % 4 {
            0 => a.wrapping_add(b),
            1 => a.wrapping_sub(b),
            2 => a ^ b,
            _ => a & b,
        }
    } plain {
        let (a, b) = (x[t], x[t + 1]);
        let case = a & 3;
        if case == 0 {
            a.wrapping_add(b)
        } else if case == 1 {
            a.wrapping_sub(b)
        } else if case == 2 {
            a ^ b
        } else {
            a & b
        }
    }

    /// binary search by hand with `Ordering`
    search_by_ordering: u32 => u32, |t, n, x| {
        use core::cmp::Ordering;
        let (mut low, mut high) = (0usize, x.len());
        let wanted = (t * 3) as u32;
        while low < high {
            let middle = low + (high - low) / 2;
            match (middle as u32).cmp(&wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return x[middle],
                Ordering::Greater => high = middle,
            }
        }
        low as u32
    } plain {
        let (mut low, mut high) = (0usize, x.len());
        let wanted = (t * 3) as u32;
        while low < high {
            let middle = (low + high) >> 1;
            let at = middle as u32;
            if at == wanted {
                return x[middle];
            }
            if at < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low as u32
    }

    /// `.partition_point(..)`
    partition_point: u32 => u32, |t, n, x| {
        x[..64].partition_point(|v| *v < t as u32) as u32
    } plain {
        let mut size = 64usize;
        let mut base = 0usize;
        while size > 1 {
            let half = size / 2;
            let middle = base + half;
            if x[middle] < t as u32 {
                base = middle;
            }
            size -= half;
        }
        (base + usize::from(x[base] < t as u32)) as u32
    }
}
