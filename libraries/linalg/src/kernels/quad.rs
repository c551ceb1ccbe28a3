//! Four neighbours at once.

use warploom::device_std::Plain;

/// Bytes to which four elements of `T` must be aligned.
pub(crate) const fn quad_alignment<T>() -> usize {
    if size_of::<T>() >= 4 {
        16
    } else {
        4 * size_of::<T>()
    }
}

/// Whether all lines of a matrix begin where four elements can be read at once.
#[inline(always)]
pub(crate) fn has_quads<T>(start: *const T, leading: u64, stride: u64) -> bool {
    let bytes = |elements: u64| elements * size_of::<T>() as u64;
    let bytes = start.addr() as u64 | bytes(leading) | bytes(stride);
    bytes.is_multiple_of(quad_alignment::<T>() as u64)
}

/// # Safety
/// Four elements can be read from `from`, which is aligned to [`quad_alignment`].
#[inline(always)]
pub(crate) unsafe fn read_quad<T: Plain>(from: *const T) -> [T; 4] {
    macro_rules! read {
        ($word:ty) => {{
            // SAFETY: as many bytes as four elements, aligned to the word (the caller's promise).
            let words = unsafe { from.cast::<$word>().read() };
            // SAFETY: plain elements of the same size.
            unsafe { core::mem::transmute_copy(&words) }
        }};
    }
    match size_of::<T>() {
        1 => read!(u32),
        2 => read!(u64),
        4 => read!(u128),
        _ => read!([u128; 2]),
    }
}

/// # Safety
/// Four elements can be written to `to`, which is aligned to [`quad_alignment`].
#[inline(always)]
pub(crate) unsafe fn write_quad<T: Plain>(to: *mut T, values: [T; 4]) {
    macro_rules! write {
        ($word:ty) => {{
            // SAFETY: plain elements of the same size.
            let words: $word = unsafe { core::mem::transmute_copy(&values) };
            // SAFETY: as many bytes as four elements, aligned to the word (the caller's promise).
            unsafe { to.cast::<$word>().write(words) };
        }};
    }
    match size_of::<T>() {
        1 => write!(u32),
        2 => write!(u64),
        4 => write!(u128),
        _ => write!([u128; 2]),
    }
}
