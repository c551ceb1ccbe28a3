use super::*;

const DOT: Shape = Shape { m: 1, n: 1, k: 4 };
const F32: Kind = float(Float::F16, Sum::F32);
const F16: Kind = float(Float::F16, Sum::F16);
const ONE: u64 = 0x3c00;
const MINUS_ONE: u64 = 0xbc00;

const fn float(of: Float, sum: Sum) -> Kind {
    Kind::Float {
        a: of,
        b: of,
        c: sum,
        d: sum,
    }
}

/// One element of D, of a row of A and a column of B.
fn dot(kind: Kind, a: &[u64], b: &[u64], c: u64) -> u64 {
    let mut d = [c];
    multiply_add(kind, Shape { k: a.len(), ..DOT }, a, b, &mut d);
    d[0]
}

fn f32_of(kind: Kind, a: &[u64], b: &[u64], c: f32) -> f32 {
    f32::from_bits(dot(kind, a, b, c.to_bits().into()) as u32)
}

#[test]
fn small_integers_are_exact_in_every_type() {
    let numbers = [1, 2, 3, 4u64];
    let floats = |of: fn(f32) -> u64| numbers.map(|n| of(n as f32));
    let bf16 = floats(|x| u64::from(x.to_bits() >> 16));
    let tf32 = floats(|x| u64::from(x.to_bits()));
    assert_eq!(
        f32_of(float(Float::Bf16, Sum::F32), &bf16, &bf16, 0.5),
        30.5
    );
    assert_eq!(
        f32_of(float(Float::Tf32, Sum::F32), &tf32, &tf32, 0.5),
        30.5
    );
    let f16 = [0x3c00, 0x4000, 0x4200, 0x4400];
    assert_eq!(f32_of(F32, &f16, &f16, 0.5), 30.5);
    let e4m3 = [0x38, 0x40, 0x44, 0x48];
    assert_eq!(
        f32_of(float(Float::E4m3, Sum::F32), &e4m3, &e4m3, 0.5),
        30.5
    );
    let e5m2 = [0x3c, 0x40, 0x42, 0x44];
    assert_eq!(
        f32_of(float(Float::E5m2, Sum::F32), &e5m2, &e5m2, 0.5),
        30.5
    );
    let f64s = numbers.map(|n| (n as f64).to_bits());
    assert_eq!(
        dot(Kind::Double, &f64s, &f64s, 0.5f64.to_bits()),
        30.5f64.to_bits()
    );
    let byte = Integer {
        bits: 8,
        signed: true,
    };
    let integer = Kind::Integer {
        a: byte,
        b: byte,
        saturates: false,
    };
    assert_eq!(
        dot(integer, &numbers, &numbers, u64::from(-31i32 as u32)),
        u64::from(-1i32 as u32)
    );
}

#[test]
fn a_matrix_is_multiplied_in_row_major_order() {
    let byte = Integer {
        bits: 8,
        signed: false,
    };
    let kind = Kind::Integer {
        a: byte,
        b: byte,
        saturates: false,
    };
    let mut d = [100, 200, 300, 400];
    multiply_add(
        kind,
        Shape { m: 2, n: 2, k: 2 },
        &[1, 2, 3, 4],
        &[5, 6, 7, 8],
        &mut d,
    );
    assert_eq!(d, [119, 222, 343, 450]);
}

#[test]
fn addends_are_cut_off_at_25_bits_behind_the_point() {
    let small = |exponent: i32| 2f32.powi(exponent);
    let cancel = |c: f32| f32_of(F32, &[ONE, MINUS_ONE], &[ONE, ONE], c);
    assert_eq!(cancel(small(-25)), small(-25));
    assert_eq!(cancel(small(-26)), 0.0);
    assert_eq!(cancel(small(-25) + small(-26)), small(-25));
    assert_eq!(cancel(-small(-25) - small(-26)), -small(-25));
}

#[test]
fn products_are_aligned_by_the_sum_of_their_exponents() {
    // 1.5 · 1.5 has the exponent 0, though it is more than 2.
    let x = 0x3e00;
    let c = 2f32.powi(-25);
    assert_eq!(f32_of(F32, &[x, x], &[x, x ^ 0x8000], c), c);
}

#[test]
fn an_f32_is_cut_off_and_an_f16_is_rounded_to_nearest() {
    let almost = 1.0 + 2f32.powi(-24);
    assert_eq!(f32_of(F32, &[ONE, ONE], &[ONE, ONE], 2f32.powi(-23)), 2.0);
    assert_eq!(f32_of(F32, &[0], &[0], almost), almost);
    // 2048 + 1 lies between two numbers, 2048 + 3 too: to even.
    assert_eq!(dot(F16, &[ONE], &[ONE], 0x6800), 0x6800);
    assert_eq!(dot(F16, &[ONE], &[0x4200], 0x6800), 0x6802);
    assert_eq!(dot(F16, &[ONE, ONE], &[0x7bff, 0x7bff], 0), 0x7c00);
}

#[test]
fn subnormal_numbers_are_kept() {
    assert_eq!(f32_of(F32, &[1], &[ONE], 0.0), 2f32.powi(-24));
    assert_eq!(dot(F16, &[1], &[ONE], 0), 1);
    let least = f32::from_bits(1);
    assert_eq!(
        f32_of(float(Float::Bf16, Sum::F32), &[0], &[0], least),
        least
    );
}

#[test]
fn infinities_and_nan() {
    let infinity = 0x7c00;
    assert_eq!(dot(F32, &[infinity], &[MINUS_ONE], 0), 0xff80_0000);
    assert_eq!(dot(F16, &[infinity], &[ONE], 0), 0x7c00);
    let nan = 0x7fff_ffff;
    assert_eq!(dot(F32, &[infinity], &[0], 0), nan);
    assert_eq!(dot(F32, &[infinity], &[ONE], 0xff80_0000), nan);
    assert_eq!(dot(F32, &[infinity, infinity], &[ONE, MINUS_ONE], 0), nan);
    assert_eq!(dot(F32, &[0xfe01], &[ONE], 0), nan);
    assert_eq!(dot(F16, &[ONE], &[ONE], 0x7c01), 0x7fff);
    assert_eq!(dot(float(Float::E4m3, Sum::F32), &[0x7f], &[0x38], 0), nan);
    assert_eq!(
        f32_of(float(Float::E4m3, Sum::F32), &[0x7e], &[0x38], 0.0),
        448.0
    );
}

#[test]
fn a_zero_has_no_exponent() {
    let c = f32::from_bits(0x01c9_65fb);
    assert_eq!(f32_of(F32, &[0, 0x7bff], &[0x7bff, 0x8000], c), c);
    assert_eq!(f32_of(F32, &[1], &[1], 0.0), 2f32.powi(-48));
}

#[test]
fn addends_are_aligned_to_an_exponent_of_at_least_minus_133() {
    let bf16 = |x: f32| u64::from(x.to_bits() >> 16);
    let small = |exponent: i32| 2f32.powi(exponent);
    // 127 · 2^-156 is one unit less than the least f32. Eight products of 2^-158 fill it; those of almost 2^-158 are cut off.
    let with = |x: f32| {
        let mut a = [bf16(x); 9];
        let mut b = [bf16(small(-80)); 9];
        (a[0], b[0]) = (bf16(127.0 * small(-78)), bf16(small(-78)));
        dot(float(Float::Bf16, Sum::F32), &a, &b, 0)
    };
    assert_eq!(with(small(-78)), 1);
    assert_eq!(with(1.9921875 * small(-79)), 0);
}

#[test]
fn nan_of_f64_keeps_its_bits() {
    let one = 1f64.to_bits();
    let nan = |payload: u64| 0x7ff0_0000_0000_0000 | payload;
    let quiet = |payload: u64| 0x7ff8_0000_0000_0000 | payload;
    assert_eq!(dot(Kind::Double, &[nan(1)], &[nan(2)], nan(3)), quiet(2));
    assert_eq!(dot(Kind::Double, &[nan(1)], &[one], nan(3)), quiet(3));
    assert_eq!(
        dot(Kind::Double, &[nan(1) | 1 << 63], &[one], one),
        quiet(1) | 1 << 63
    );
    let infinity = f64::INFINITY.to_bits();
    assert_eq!(
        dot(Kind::Double, &[infinity], &[0], one),
        0xfff8_0000_0000_0000
    );
}

#[test]
fn the_lowest_bits_of_a_tf32_are_ignored() {
    let tf32 = float(Float::Tf32, Sum::F32);
    assert_eq!(dot(tf32, &[0x3f80_1fff], &[0x3f80_0000], 0), 0x3f80_0000);
    assert_eq!(dot(tf32, &[0x3f80_2000], &[0x3f80_0000], 0), 0x3f80_2000);
}

#[test]
fn pairs_of_8_bit_floats_go_into_two_sums() {
    let e5m2 = float(Float::E5m2, Sum::F32);
    let (one, tiny) = (0x3c, 0x01); // 1 and 2^-16
    // 1 + 2^-32 is cut off in the first sum; -1 comes in the second.
    let apart = dot(e5m2, &[one, tiny, one | 0x80, 0], &[one, tiny, one, 0], 0);
    assert_eq!(apart, 0);
    // C is added last, to nearest.
    let c = 1.0 + f32::EPSILON;
    assert_eq!(f32_of(e5m2, &[tiny, 0, 0, 0], &[0x10, 0, 0, 0], c), c);
}

#[test]
fn integers_wrap_or_saturate() {
    let byte = Integer {
        bits: 8,
        signed: true,
    };
    let product = |saturates, c: i32| {
        let kind = Kind::Integer {
            a: byte,
            b: byte,
            saturates,
        };
        dot(kind, &[0x80], &[0x80], u64::from(c as u32)) as u32 as i32
    };
    assert_eq!(product(false, i32::MAX), i32::MIN + 16383);
    assert_eq!(product(true, i32::MAX), i32::MAX);
    let nibble = |signed| Integer { bits: 4, signed };
    let mixed = Kind::Integer {
        a: nibble(true),
        b: nibble(false),
        saturates: true,
    };
    assert_eq!(dot(mixed, &[15], &[15], 0) as u32 as i32, -15);
}

#[test]
fn bits_are_counted() {
    assert_eq!(
        dot(
            Kind::Bits(BitOperation::And),
            &[1, 1, 0, 0],
            &[1, 0, 1, 0],
            7
        ),
        8
    );
    assert_eq!(
        dot(
            Kind::Bits(BitOperation::Xor),
            &[1, 1, 0, 0],
            &[1, 0, 1, 0],
            7
        ),
        9
    );
}

#[test]
fn sums_of_another_type_are_those_of_f32_converted() {
    let shape = Shape { m: 1, n: 1, k: 1 };
    let product = |c: Sum, d: Sum, [a, b, summand]: [u64; 3]| {
        let kind = Kind::Float {
            a: Float::F16,
            b: Float::F16,
            c,
            d,
        };
        let mut sum = [summand];
        multiply_add(kind, shape, &[a], &[b], &mut sum);
        sum[0]
    };
    // 1 + 2⁻¹¹ + 2⁻²⁵: `f32` loses the last term, and what is left is halfway between two numbers, the even one of which is 1.
    let halfway = [0x0c00, 0x0800, 0x3f80_1000];
    assert_eq!(product(Sum::F32, Sum::F16, halfway), 0x3c00);
    // 2⁻²⁴ + 2⁻⁴⁵: as an `f32` the summand has the exponent −24, as a subnormal `f16` it had −14.
    let subnormal = [0x0001, 0x0008, 0x0001];
    assert_eq!(product(Sum::F16, Sum::F32, subnormal), 0x3380_0004);
}
