//! Integer instructions, and pairs of 16-bit integers in a word.

/// The low 32 bits of the product of the low 24 bits, both signed.
#[must_use]
pub fn mul24_i32(a: i32, b: i32) -> i32 {
    (a << 8 >> 8).wrapping_mul(b << 8 >> 8)
}

/// The low 32 bits of the product of the low 24 bits.
#[must_use]
pub fn mul24_u32(a: u32, b: u32) -> u32 {
    (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff)
}

macro_rules! by_type {
    ($($ty:ident $wide:ident $mul_hi:ident $sad:ident;)*) => {$(
        /// The upper half of the product.
        #[must_use]
        pub fn $mul_hi(a: $ty, b: $ty) -> $ty {
            ($wide::from(a) * $wide::from(b) >> $ty::BITS) as $ty
        }
        /// `c` plus the distance of `a` and `b`, wrapping at the end.
        #[must_use]
        pub fn $sad(a: $ty, b: $ty, c: $ty) -> $ty {
            c.wrapping_add(a.abs_diff(b) as $ty)
        }
    )*};
}
by_type! {
    i16 i32 mul_hi_i16 sad_i16;
    u16 u32 mul_hi_u16 sad_u16;
    i32 i64 mul_hi_i32 sad_i32;
    u32 u64 mul_hi_u32 sad_u32;
    i64 i128 mul_hi_i64 sad_i64;
    u64 u128 mul_hi_u64 sad_u64;
}

/// Four bytes of the eight of `b:a`: each nibble of `selector` names one, its top bit asks for eight copies of that byte's sign.
#[must_use]
pub fn byte_permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
    let pick = |nibble: u32| {
        let byte = bytes[(selector >> (4 * nibble) & 7) as usize];
        match selector >> (4 * nibble) & 8 {
            0 => byte,
            _ => (byte as i8 >> 7) as u8,
        }
    };
    u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)])
}

/// The high word of `high:low`, shifted left by `n % 32`.
#[must_use]
pub fn funnel_left_wrap(low: u32, high: u32, n: u32) -> u32 {
    funnel_left_clamp(low, high, n % 32)
}

/// The high word of `high:low`, shifted left by `min(n, 32)`.
#[must_use]
pub fn funnel_left_clamp(low: u32, high: u32, n: u32) -> u32 {
    (((u64::from(high) << 32 | u64::from(low)) << n.min(32)) >> 32) as u32
}

/// The low word of `high:low`, shifted right by `n % 32`.
#[must_use]
pub fn funnel_right_wrap(low: u32, high: u32, n: u32) -> u32 {
    funnel_right_clamp(low, high, n % 32)
}

/// The low word of `high:low`, shifted right by `min(n, 32)`.
#[must_use]
pub fn funnel_right_clamp(low: u32, high: u32, n: u32) -> u32 {
    ((u64::from(high) << 32 | u64::from(low)) >> n.min(32)) as u32
}

macro_rules! dot_products {
    ($($ty:ident $byte:ident $half:ident: $dp4a:ident $low:ident $high:ident;)*) => {$(
        /// `c` plus the products of the four bytes, wrapping.
        #[must_use]
        pub fn $dp4a(a: u32, b: u32, c: $ty) -> $ty {
            let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
            pairs.fold(c, |sum, (a, b)| sum.wrapping_add($ty::from(a as $byte) * $ty::from(b as $byte)))
        }
        /// `c` plus the products of the two halves of `a` with the low two bytes of `b`, wrapping.
        #[must_use]
        pub fn $low(a: u32, b: u32, c: $ty) -> $ty {
            let [low, high, ..] = b.to_le_bytes().map(|byte| $ty::from(byte as $byte));
            c.wrapping_add($ty::from(a as $half) * low).wrapping_add($ty::from((a >> 16) as $half) * high)
        }
        /// `c` plus the products of the two halves of `a` with the high two bytes of `b`, wrapping.
        #[must_use]
        pub fn $high(a: u32, b: u32, c: $ty) -> $ty {
            $low(a, b >> 16, c)
        }
    )*};
}
dot_products! {
    i32 i8 i16: dp4a_i32 dp2a_lo_i32 dp2a_hi_i32;
    u32 u8 u16: dp4a_u32 dp2a_lo_u32 dp2a_hi_u32;
}

macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident = |$a:ident: $ty:ident, $b:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(a: u32, b: u32) -> u32 {
            let each = |$a: $ty, $b: $ty| -> $ty { $body };
            let low = each(a as $ty, b as $ty) as u16;
            let high = each((a >> 16) as $ty, (b >> 16) as $ty) as u16;
            u32::from(high) << 16 | u32::from(low)
        }
    )*};
}
pairs! {
    /// Both halves added, wrapping, no carry between them.
    add_u16x2 = |a: u16, b| a.wrapping_add(b);
    /// The lesser of both halves, signed.
    min_s16x2 = |a: i16, b| a.min(b);
    /// The greater of both halves, signed.
    max_s16x2 = |a: i16, b| a.max(b);
    /// The lesser of both halves, unsigned.
    min_u16x2 = |a: u16, b| a.min(b);
    /// The greater of both halves, unsigned.
    max_u16x2 = |a: u16, b| a.max(b);
}
