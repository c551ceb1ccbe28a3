//! What results must be, by definition: exact values are compared with candidates in one long integer; the host's own arithmetic,
//! rounded to nearest, supplies the first candidate.

use std::cmp::Ordering;

use warploom::device_std::round::Mode;

/// Words of an exact value, in units of 2^-2148, the least product of two `f64`.
const WORDS: usize = 68;

/// One of the numbers that an exact value is compared with: `±significand · 2^exponent`.
pub(crate) type Term = (bool, u128, i32);

/// The sign of the sum, exactly: compares it with zero.
pub(crate) fn compare_sum(terms: &[Term]) -> Ordering {
    let mut sum = [0u64; WORDS];
    for &(negative, significand, exponent) in terms {
        let at = (exponent + 2148) as usize;
        let (word, bit) = (at / 64, at % 64);
        // The significand in three words, shifted to its place.
        let low = (significand as u64) << bit;
        let middle = (significand >> (64 - bit)) as u64;
        let high = match bit {
            0 => 0,
            _ => ((significand >> 64) as u64) >> (64 - bit),
        };
        let mut carry = false;
        for (k, sum) in sum[word..].iter_mut().enumerate() {
            let add = [low, middle, high].get(k).copied().unwrap_or(0);
            if k > 2 && !carry {
                break;
            }
            let (first, second);
            if negative {
                (*sum, first) = sum.overflowing_sub(add);
                (*sum, second) = sum.overflowing_sub(carry.into());
            } else {
                (*sum, first) = sum.overflowing_add(add);
                (*sum, second) = sum.overflowing_add(carry.into());
            }
            carry = first || second;
        }
    }
    match sum.iter().all(|&word| word == 0) {
        true => Ordering::Equal,
        false if sum[WORDS - 1] >> 63 == 1 => Ordering::Less,
        false => Ordering::Greater,
    }
}

/// `f32` and `f64`, as the model needs them.
pub(crate) trait Real: Copy + PartialEq + PartialOrd + std::fmt::Debug {
    const ZERO: Self;
    fn up(self) -> Self;
    fn down(self) -> Self;
    fn wide(self) -> f64;
    fn of(wide: f64) -> Self;
    fn operations(a: Self, b: Self, c: Self) -> [Self; 7];
}

macro_rules! real {
    ($($ty:ident)*) => {$(
        impl Real for $ty {
            const ZERO: $ty = 0.0;
            fn up(self) -> $ty { self.next_up() }
            fn down(self) -> $ty { self.next_down() }
            fn wide(self) -> f64 { self.into() }
            fn of(wide: f64) -> $ty { wide as $ty }
            fn operations(a: $ty, b: $ty, c: $ty) -> [$ty; 7] {
                [a + b, a - b, a * b, a.mul_add(b, c), a / b, 1.0 / a, a.sqrt()]
            }
        }
    )*};
}
real!(f32 f64);

/// A finite number as a term.
pub(crate) fn term(x: impl Real) -> Term {
    let bits = x.wide().to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & (u64::MAX >> 12));
    let leading = u64::from(exponent != 0) << 52;
    (
        bits >> 63 == 1,
        (leading | fraction).into(),
        exponent.max(1) as i32 - 1075,
    )
}

pub(crate) fn product(a: Term, b: Term) -> Term {
    (a.0 != b.0, a.1 * b.1, a.2 + b.2)
}

pub(crate) fn minus(a: Term) -> Term {
    (!a.0, a.1, a.2)
}

/// The number that `mode` gives for a value whose nearest number is known and that compares as `compare` says.
pub(crate) fn round<F: Real>(nearest: F, mode: Mode, compare: impl Fn(F) -> Ordering) -> F {
    let compare = |r: F| match r.wide() {
        f64::INFINITY => Ordering::Less,
        f64::NEG_INFINITY => Ordering::Greater,
        _ => compare(r),
    };
    let beside = compare(nearest);
    let down = if beside == Ordering::Less {
        nearest.down()
    } else {
        nearest
    };
    let up = if beside == Ordering::Greater {
        nearest.up()
    } else {
        nearest
    };
    match mode {
        Mode::Nearest => nearest,
        Mode::Up => up,
        Mode::Down => down,
        Mode::TowardZero if compare(F::ZERO) == Ordering::Greater => down,
        Mode::TowardZero => up,
    }
}

/// `[a + b, a - b, a · b, a · b + c, a / b, 1 / a, √a]`, each rounded once.
pub(crate) fn operations<F: Real>(mode: Mode, a: F, b: F, c: F) -> [F; 7] {
    let nearest = F::operations(a, b, c);
    let finite = |x: &F| x.wide().is_finite();
    // Terms that cancel, or zeros of both signs: −0 when rounding down.
    let zero = |signs: [f64; 2], nearest: F| match mode {
        Mode::Down if !signs.iter().all(|s| s.is_sign_positive()) => F::of(-0.0),
        _ => nearest,
    };
    let (x, y, z) = (a.wide(), b.wide(), c.wide());
    let of = |k: usize| -> F {
        let near = nearest[k];
        // What is infinite exactly is not rounded; neither is what is no number.
        let operands: &[F] = match k {
            3 => &[a, b, c],
            5 | 6 => &[a],
            _ => &[a, b],
        };
        if !operands.iter().all(finite) || near.wide().is_nan() {
            return near;
        }
        match k {
            0 | 1 => {
                let y = if k == 1 { -y } else { y };
                let b = F::of(y);
                let compare = |r| compare_sum(&[term(a), term(b), minus(term(r))]);
                match compare(F::ZERO) {
                    Ordering::Equal => zero([x, y], near),
                    _ => round(near, mode, compare),
                }
            }
            2 => round(near, mode, |r| {
                compare_sum(&[product(term(a), term(b)), minus(term(r))])
            }),
            3 => {
                let compare =
                    |r| compare_sum(&[product(term(a), term(b)), term(c), minus(term(r))]);
                let product = if (x.is_sign_negative()) != (y.is_sign_negative()) {
                    -1.0
                } else {
                    1.0
                };
                match compare(F::ZERO) {
                    Ordering::Equal => zero([product, z], near),
                    _ => round(near, mode, compare),
                }
            }
            4 | 5 => {
                let (a, b) = if k == 4 { (x, y) } else { (1.0, x) };
                if b == 0.0 {
                    return near;
                }
                round(near, mode, |r| {
                    let order =
                        compare_sum(&[term(F::of(a)), minus(product(term(r), term(F::of(b))))]);
                    if b < 0.0 { order.reverse() } else { order }
                })
            }
            _ => round(near, mode, |r| match r.wide() < 0.0 {
                true => Ordering::Greater,
                false => compare_sum(&[term(a), minus(product(term(r), term(r)))]),
            }),
        }
    };
    std::array::from_fn(of)
}
