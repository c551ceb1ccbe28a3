//! Crates of the category mathematics.

use crate::case::case;

case!(approx, "approx", |x| {
    use ::approx::{AbsDiffEq, RelativeEq, UlpsEq};
    let (a, b) = (unit(x, 1), unit(x, 9));
    let near = a + a * 1e-12;
    [
        u64::from(a.abs_diff_eq(&b, 0.1)),
        u64::from(a.relative_eq(&near, 1e-10, 1e-10)),
        u64::from(a.ulps_eq(&near, 1e-16, 4)),
        u64::from(::approx::relative_ne!(a, b, epsilon = 0.3)),
    ]
});

case!(cgmath, "cgmath", |x| {
    use ::cgmath::{
        InnerSpace, Matrix, Matrix4, Quaternion, Rotation, SquareMatrix, Vector3, Vector4,
    };
    let v = Vector3::new(unit(x, 0) + 0.5, unit(x, 16), unit(x, 32));
    let w = v.cross(Vector3::new(0.25, -1.0, 3.0));
    let m = Matrix4::from_translation(v) * Matrix4::from_scale(2.0).transpose();
    let p = m.invert().unwrap_or(Matrix4::identity()) * Vector4::new(1.0, 2.0, 3.0, 1.0);
    let q = Quaternion::new(0.5, 0.5, 0.5, 0.5).rotate_vector(w);
    [
        w.dot(v).to_bits(),
        p.x.to_bits() ^ p.z.to_bits(),
        q.y.to_bits(),
        v.magnitude().to_bits(),
    ]
});

case!(crypto_bigint, "crypto-bigint", |x| {
    use ::crypto_bigint::{Encoding, NonZero, U256};
    let a = U256::from_be_bytes(bytes(x));
    let b = U256::from_u64(x | 1);
    let modulus = U256::MAX.wrapping_sub(&U256::from_u64(188));
    let sum = a.add_mod(&b, &modulus);
    let (high, low) = (a.wrapping_mul(&b), a.sqrt_vartime());
    let rest = sure(Option::<NonZero<U256>>::from(NonZero::new(b)).ok_or(()));
    let rest = a.rem(&rest);
    [
        digest(&sum.to_be_bytes()),
        digest(&high.to_le_bytes()),
        digest(&low.to_le_bytes()),
        digest(&rest.to_le_bytes()),
    ]
});

case!(euclid, "euclid", |x| {
    use ::euclid::Angle;
    use ::euclid::default::{Box2D, Point2D, Transform2D, Vector2D};
    let p = Point2D::new(unit(x, 0), unit(x, 16));
    let v = Vector2D::new(unit(x, 32) + 0.1, 2.0);
    let t = Transform2D::new(1.0, 0.5, -0.5, 2.0, unit(x, 20), 4.0);
    let q = t.inverse().map_or(p, |t| t.transform_point(p));
    let area = Box2D::from_points([p, q, Point2D::new(3.0, -1.0)]).area();
    [
        q.x.to_bits(),
        area.to_bits(),
        v.length().to_bits(),
        Angle::radians(unit(x, 3)).to_degrees().to_bits(),
    ]
});

case!(fixed, "fixed", |x| {
    use ::fixed::types::{I16F16, I32F32, U8F24};
    let a = I16F16::from_bits(x as i32 >> 4);
    let b = I32F32::from_num(unit(x, 7)) + I32F32::from_num(3);
    let c = U8F24::from_num(unit(x, 30));
    [
        a.wrapping_mul(I16F16::from_num(1.75)).to_bits() as u64,
        (b / I32F32::from_num(7)).to_bits() as u64,
        u64::from(c.sqrt().to_bits()),
        b.to_num::<f64>().to_bits() ^ u64::from(a.is_negative()),
    ]
});

case!(glam, "glam", |x| {
    use ::glam::{Mat3, Mat4, Quat, Vec2, Vec3A, Vec4};
    let f = |bits| unit(x, bits) as f32;
    let v = Vec3A::new(f(0), f(8), f(16) + 0.5);
    let m = Mat4::from_cols(
        Vec4::X * 2.0,
        Vec4::new(0.5, 1.0, f(3), 0.0),
        Vec4::Z,
        Vec4::new(f(24), 1.0, 2.0, 1.0),
    );
    let p = m.inverse() * Vec4::new(1.0, f(11), 3.0, 1.0);
    let q = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5) * v;
    let d = Mat3::from_cols(v.into(), q.into(), p.truncate()).determinant();
    let all = [
        p.x,
        p.z,
        q.x,
        q.y,
        d,
        v.length(),
        v.floor().dot(q),
        Vec2::new(f(1), f(2)).perp_dot(Vec2::Y),
    ];
    let bits = all.map(|f| u64::from(f.to_bits()));
    [
        bits[0] << 32 | bits[1],
        bits[2] << 32 | bits[3],
        bits[4] << 32 | bits[5],
        bits[6] << 32 | bits[7],
    ]
});

case!(half, "half", |x| {
    use ::half::slice::HalfFloatSliceExt;
    use ::half::{bf16, f16};
    let a = f16::from_f64(unit(x, 2) * 100.0);
    let b = bf16::from_f32(unit(x, 18) as f32 - 0.5);
    let mut wide = [0f32; 4];
    [a, -a, f16::from_bits(x as u16 & 0x7bff), f16::ONE].convert_to_f32_slice(&mut wide);
    [
        u64::from((a * a + f16::ONE).to_bits()),
        u64::from((b / bf16::from_f32(3.0)).to_bits()),
        wide.iter().fold(0, |s, f| s << 7 ^ u64::from(f.to_bits())),
        u64::from(a > f16::from_f32(50.0)),
    ]
});

case!(libm, "libm", |x| {
    let a = unit(x, 0) * 8.0 - 4.0;
    let b = unit(x, 16) + 0.5;
    let exact = ::libm::sqrt(b) + ::libm::fma(a, b, 0.1) + ::libm::floor(a) + ::libm::rint(b * 9.0);
    let singles =
        ::libm::sqrtf(b as f32) + ::libm::fmaf(a as f32, 3.0, 0.1) + ::libm::truncf(a as f32);
    let library =
        ::libm::exp(a) + ::libm::sin(a) * ::libm::log(b) + ::libm::pow(b, a) + ::libm::atan2(a, b);
    let more = ::libm::tgamma(b) + ::libm::erf(a) + ::libm::cbrt(a) + ::libm::fmod(a, b);
    [
        exact.to_bits(),
        u64::from(singles.to_bits()),
        library.to_bits(),
        more.to_bits(),
    ]
});

case!(matrixmultiply, "matrixmultiply", |x| {
    let a: [f64; 12] = core::array::from_fn(|i| unit(x, i as u32 * 3));
    let b: [f64; 20] = core::array::from_fn(|i| unit(x, i as u32 * 2) - 0.5);
    let mut c = [1.0f64; 15];
    // SAFETY: 3 by 4, 4 by 5 and 3 by 5 elements, row by row.
    unsafe {
        ::matrixmultiply::dgemm(
            3,
            4,
            5,
            2.0,
            a.as_ptr(),
            4,
            1,
            b.as_ptr(),
            5,
            1,
            0.5,
            c.as_mut_ptr(),
            5,
            1,
        );
    }
    [
        c[0].to_bits(),
        c[7].to_bits(),
        c[14].to_bits(),
        c.iter().fold(0, |s, v| s ^ v.to_bits().rotate_left(9)),
    ]
});

case!(micromath, "micromath", |x| {
    use ::micromath::F32Ext;
    use ::micromath::vector::{F32x3, Vector};
    let a = unit(x, 4) as f32 * 6.0;
    let v = F32x3 {
        x: a,
        y: 1.5,
        z: -2.0,
    };
    let low = |f: f32| u64::from(f.to_bits());
    [
        low(F32Ext::sin(a)) << 32 | low(F32Ext::sqrt(a)),
        low(F32Ext::ln(a + 1.0)) << 32 | low(F32Ext::atan2(a, 2.0)),
        low(v.magnitude()),
        low(F32Ext::powf(a, 1.5)),
    ]
});

case!(nalgebra, "nalgebra", |x| {
    use ::nalgebra::{Matrix3, Matrix4, Rotation3, Vector3, Vector4};
    let v = Vector3::new(unit(x, 0) + 0.5, unit(x, 16), unit(x, 32));
    let m = Matrix3::new(4.0, v.x, 0.5, v.x, 5.0, v.y, 0.5, v.y, 6.0);
    let inverse = m.try_inverse().unwrap_or(Matrix3::identity());
    let root = m.cholesky().map_or(0.0, |c| c.determinant());
    let solved = Matrix4::from_diagonal(&Vector4::new(1.0, 2.0, v.x, 4.0))
        .lu()
        .solve(&Vector4::new(1.0, 1.0, 1.0, v.z))
        .map_or(0.0, |s| s.sum());
    let turned = Rotation3::from_axis_angle(&Vector3::z_axis(), v.y) * v;
    [
        (inverse * v).norm().to_bits(),
        root.to_bits(),
        solved.to_bits(),
        near(turned.x) ^ near(turned.y) << 32,
    ]
});

case!(num_bigint, "num-bigint", |x| {
    use ::num_bigint::{BigInt, BigUint};
    let mut power = BigUint::from(1u32);
    for k in 1..12u32 {
        power *= x >> (k % 5) | 1;
    }
    let rest = &power % BigUint::from(1_000_000_007u64);
    let quotient = &power / BigUint::from(x | 1) / BigUint::from(u128::from(x) << 20 | 3);
    let signed = BigInt::from(x as i64) * BigInt::from(-7) - BigInt::from(power.bits());
    let mixed = BigUint::from(x).modpow(
        &BigUint::from(65_537u32),
        &BigUint::from(u128::from(!x) << 64 | 0x1_0001),
    );
    [
        digest(&power.to_bytes_le()),
        rest.to_u64_digits().first().copied().unwrap_or(0),
        digest(&quotient.to_bytes_le()) ^ digest(&signed.to_signed_bytes_le()),
        digest(&mixed.to_bytes_le()),
    ]
});

case!(num_complex, "num-complex", |x| {
    use ::num_complex::Complex64;
    let a = Complex64::new(unit(x, 0) - 0.5, unit(x, 16) + 0.25);
    let b = Complex64::new(1.5, -unit(x, 32));
    let q = a / b + a * b.conj();
    let root = b.sqrt();
    let power = a.exp() * b.ln();
    [
        q.re.to_bits() ^ q.im.to_bits(),
        near(root.re) ^ near(root.im) << 32,
        near(power.re) ^ near(power.im) << 32,
        near(a.norm()),
    ]
});

case!(num_integer, "num-integer", |x| {
    use ::num_integer::{Integer, Roots, binomial, div_floor};
    let (a, b) = (x >> 7, x as u32 as u64 | 1);
    let extended = (a as i64 >> 20).extended_gcd(&(b as i64));
    [
        a.gcd(&b) ^ (a % 1000).lcm(&(b % 1000 + 1)),
        x.sqrt() ^ x.cbrt() << 33,
        div_floor(-(a as i64 >> 9), b as i64) as u64 ^ binomial(30u64, x % 31),
        extended.x as u64 ^ extended.y as u64,
    ]
});

case!(num_rational, "num-rational", |x| {
    use ::num_rational::Ratio;
    let a = Ratio::new((x % 1000) as i64, 77);
    let b = Ratio::new(-((x >> 20) as i64 % 500), 35);
    let c = a * b - b / Ratio::new(3, 5);
    [
        *c.numer() as u64,
        *c.denom() as u64,
        c.round().to_integer() as u64,
        u64::from(a > b) + (c.fract().numer().unsigned_abs() << 1),
    ]
});

case!(num_traits, "num-traits", |x| {
    use ::num_traits::{Bounded, Float, FromPrimitive, PrimInt, ToPrimitive, WrappingMul, clamp};
    fn generic<T: PrimInt + WrappingMul + Bounded>(a: T, b: T) -> T {
        a.wrapping_mul(&b).swap_bytes() ^ T::max_value() >> 3
    }
    let a = unit(x, 6) * 40.0 - 20.0;
    let (mantissa, exponent, sign) = Float::integer_decode(a);
    [
        generic(x, 0x1234_5677),
        mantissa ^ exponent as u64 ^ sign as u64,
        Float::powi(a, 5).to_bits() ^ Float::sqrt(a * a).to_bits(),
        u64::from_f64(clamp(a, 0.0, 9.0)).unwrap_or(99) ^ u64::from(300.5f32.to_u8().is_none()),
    ]
});

case!(ordered_float, "ordered-float", |x| {
    use ::ordered_float::{NotNan, OrderedFloat};
    let mut list: [OrderedFloat<f64>; 8] =
        core::array::from_fn(|i| OrderedFloat(unit(x, i as u32 * 5)));
    list[3] = OrderedFloat(f64::NAN);
    list.sort_unstable();
    let least = list.iter().min().map_or(0, |v| v.to_bits());
    let sure = NotNan::new(unit(x, 9)).map_or(0, |v| (v * v + 1.0).to_bits());
    [
        least,
        list.iter().fold(0, |a, v| a.rotate_left(7) ^ v.to_bits()),
        sure,
        u64::from(NotNan::new(f64::NAN).is_err()),
    ]
});

case!(rust_decimal, "rust_decimal", |x| {
    use ::rust_decimal::Decimal;
    let a = Decimal::new((x >> 20) as i64, 4);
    let b = Decimal::new((x & 0xffff) as i64 + 1, 2);
    let c = a / b;
    let d = (a * b).round_dp(3);
    [
        digest(&c.serialize()),
        digest(&d.serialize()),
        digest(&(a % b).serialize()),
        u64::from(c > b) + u64::from(d.scale()) * 2,
    ]
});

case!(typenum, "typenum", |x| {
    use ::typenum::{Integer, Max, N3, P5, Prod, Sum, U7, U12, U100, Unsigned};
    type Big = Sum<Prod<U12, U100>, U7>;
    type Larger = <Big as Max<U100>>::Output;
    [
        x % Big::U64,
        Larger::U64,
        (::typenum::Prod::<N3, P5>::I64) as u64,
        x >> <::typenum::Log2<Big>>::U32,
    ]
});

case!(wide, "wide", |x| {
    use ::wide::{CmpGt, f32x4, f64x2, i16x8, i32x4, u8x16, u32x4};
    let f = |bits| unit(x, bits) as f32;
    let a = f32x4::new([f(0), f(8), f(16), f(24)]);
    let b = a * f32x4::splat(3.5) + f32x4::splat(0.25);
    let floats = (b.sqrt().max(a) + b.floor() + a.round()).to_array();
    let chosen = b.cmp_gt(f32x4::splat(2.0)).blend(a, b).reduce_add();
    let narrow = i16x8::new(core::array::from_fn(|i| (x >> (i * 6)) as i16));
    let product = (i16x8::mul_keep_high(narrow, i16x8::splat(1234))
        + narrow.saturating_add(narrow))
    .to_array();
    let words = (u32x4::splat(x as u32) * u32x4::new([3, 5, 7, 9])).to_array();
    let lanes = u8x16::new(bytes(x)).max(u8x16::splat(90)).to_array();
    let signed = (i32x4::splat(x as i32) >> 3u32)
        .cmp_gt(i32x4::splat(0))
        .move_mask();
    let double = (f64x2::new([unit(x, 3), 2.0]) / f64x2::splat(3.0)).to_array();
    [
        floats.iter().fold(u64::from(chosen.to_bits()), |s, v| {
            s.rotate_left(9) ^ u64::from(v.to_bits())
        }),
        product
            .iter()
            .fold(0, |s: u64, v| s.rotate_left(8) ^ u64::from(*v as u16)),
        words
            .iter()
            .fold(digest(&lanes), |s, v| s.rotate_left(11) ^ u64::from(*v)),
        double[0].to_bits() ^ double[1].to_bits() ^ signed as u64,
    ]
});
