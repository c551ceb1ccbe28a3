//! `F16x2` and `Bf16x2`: each half as the single number.

use warploom::device_std::{Bf16, Bf16x2, F16, F16x2};
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::half::{BRAIN, Format, HALF, patterns};
use crate::values::{MANY, native};

macro_rules! pairs {
    ($kernel:ident $pair:ident $scalar:ident) => {
        #[kernel]
        fn $kernel<const NATIVE: bool>(
            i: Index1D,
            x: &[[$pair; 3]],
            mut y: DisjointSlice<[u32; 15]>,
        ) {
            if native::<NATIVE>()
                && let Some(y) = y.get_mut(i)
            {
                let [a, b, c] = x[i.get()];
                *y = [
                    (a + b).to_bits(),
                    (a - b).to_bits(),
                    (a * b).to_bits(),
                    (a / b).to_bits(),
                    a.min(b).to_bits(),
                    a.max(b).to_bits(),
                    a.mul_add(b, c).to_bits(),
                    (-a).to_bits(),
                    a.abs().to_bits(),
                    a.eq_mask(b),
                    a.ne_mask(b),
                    a.lt_mask(b),
                    a.le_mask(b),
                    a.gt_mask(b),
                    $pair::new(a.high(), b.low()).swap().to_bits(),
                ];
            }
        }
    };
}
pairs!(two_f16 F16x2 F16);
pairs!(two_bf16 Bf16x2 Bf16);

fn each(format: Format, [a, b, c]: [u16; 3]) -> [u16; 14] {
    let (x, y) = (format.value(a), format.value(b));
    let mask = |holds: bool| 0u16.wrapping_sub(holds.into());
    let [sum, difference, product, quotient, least, greatest] = format.operations(a, b);
    [
        sum,
        difference,
        product,
        quotient,
        least,
        greatest,
        format.fused([a, b, c]),
        a ^ 0x8000,
        a & 0x7fff,
        mask(x == y),
        mask(x != y),
        mask(x < y),
        mask(x <= y),
        mask(x > y),
    ]
}

fn both(format: Format, [a, b, c]: [u32; 3]) -> [u32; 15] {
    let low = each(format, [a, b, c].map(|x| x as u16));
    let high = each(format, [a, b, c].map(|x| (x >> 16) as u16));
    std::array::from_fn(|k| match k {
        14 => b & 0xffff | (a >> 16) << 16,
        _ => u32::from(high[k]) << 16 | u32::from(low[k]),
    })
}

/// Two neighbouring triples in each.
fn inputs(format: Format) -> Vec<[u32; 3]> {
    let all = patterns(format, 2 * MANY);
    let turned = all.iter().skip(all.len() / 3).chain(&all);
    let both = all.iter().zip(turned);
    both.map(|(low, high)| std::array::from_fn(|k| u32::from(high[k]) << 16 | u32::from(low[k])))
        .collect()
}

fn agree_f16<const NATIVE: bool>() {
    let x: Vec<[F16x2; 3]> = inputs(HALF)
        .iter()
        .map(|x| x.map(F16x2::from_bits))
        .collect();
    check_map(
        &x,
        |stream, x, y| two_f16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| both(HALF, x[i].map(F16x2::to_bits)),
    );
}

//@ rows: F16-pair
#[test]
fn pairs_of_f16() {
    agree_f16::<false>();
}

//@ rows: F16-pair
#[test]
fn pairs_of_f16_natively() {
    agree_f16::<true>();
}

fn agree_bf16<const NATIVE: bool>() {
    let x: Vec<[Bf16x2; 3]> = inputs(BRAIN)
        .iter()
        .map(|x| x.map(Bf16x2::from_bits))
        .collect();
    check_map(
        &x,
        |stream, x, y| two_bf16::<NATIVE>::launch(stream, Launch::covering(x.len()), x, y),
        |i| both(BRAIN, x[i].map(Bf16x2::to_bits)),
    );
}

//@ rows: BF16-pair
#[test]
fn pairs_of_bf16() {
    agree_bf16::<false>();
}

//@ rows: BF16-pair
#[test]
fn pairs_of_bf16_natively() {
    agree_bf16::<true>();
}

//@ rows: F16-pair, BF16-pair
#[test]
fn pairs_lie_in_memory_as_two() {
    assert_eq!((size_of::<F16x2>(), align_of::<F16x2>()), (4, 4));
    assert_eq!((size_of::<Bf16x2>(), align_of::<Bf16x2>()), (4, 4));
    let pair = F16x2::new(F16::ONE, F16::MAX);
    assert_eq!(pair.to_bits().to_le_bytes(), [0, 0x3c, 0xff, 0x7b]);
    assert_eq!(<[F16; 2]>::from(pair), [F16::ONE, F16::MAX]);
    assert_eq!(Bf16x2::from([Bf16::ONE; 2]), Bf16x2::splat(Bf16::ONE));
}
