//! Which types go through.

use warploom_device_std::{Bf16, F16, Plain};

use super::DLDataType;

/// Elements that other libraries know: integers, floats, half precision.
///
/// # Safety
/// [`DATA_TYPE`](DlElement::DATA_TYPE) describes a type of this size and these bits.
///
/// ```
/// use warploom_runtime::interop::dlpack::DlElement;
/// assert_eq!(f32::DATA_TYPE.to_string(), "f32");
/// ```
#[diagnostic::on_unimplemented(
    message = "other libraries have no tensors of `{Self}`",
    note = "the elements of tensors are `u8` to `u64`, `i8` to `i64`, `f32`, `f64`, `F16` and `Bf16`"
)]
pub unsafe trait DlElement: Plain {
    /// What other libraries call it.
    const DATA_TYPE: DLDataType;
}

macro_rules! elements {
    ($($ty:ty: $code:literal, $bits:literal;)*) => { $(
        const _: () = assert!(size_of::<$ty>() * 8 == $bits);
        // SAFETY: the size is checked above, and these codes are DLPack's for such numbers.
        unsafe impl DlElement for $ty {
            const DATA_TYPE: DLDataType = DLDataType { code: $code, bits: $bits, lanes: 1 };
        }
    )* };
}

elements! {
    i8: 0, 8;
    i16: 0, 16;
    i32: 0, 32;
    i64: 0, 64;
    u8: 1, 8;
    u16: 1, 16;
    u32: 1, 32;
    u64: 1, 64;
    F16: 2, 16;
    f32: 2, 32;
    f64: 2, 64;
    Bf16: 4, 16;
}
