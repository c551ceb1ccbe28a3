//! The device's heap: what `Box`, `Vec` and `String` call, over the driver's `malloc` and `free`.
//!
//! The device linker puts these functions in place of the allocation symbols of rustc (`__rust_alloc` and the like, whose signatures
//! they have) and of `alloc::alloc::handle_alloc_error`. The driver's heap gives multiples of 16; more comes from a larger piece, whose
//! start is kept before the aligned address.

use core::alloc::Layout;
use core::ptr;

/// What the driver's heap aligns to.
const ALIGN: usize = 16;

mod device {
    unsafe extern "C" {
        /// The driver's `malloc`: null if the heap is full.
        #[link_name = "__warploom.heap_alloc"]
        pub(super) fn alloc(bytes: u64) -> *mut u8;
        /// The driver's `free`.
        #[link_name = "__warploom.heap_free"]
        pub(super) fn free(start: *mut u8);
    }
}

/// In place of `__rust_alloc`. `size` is not zero: std's collections allocate nothing for that.
///
/// # Safety
/// As `GlobalAlloc::alloc`.
#[unsafe(no_mangle)]
pub unsafe fn __warploom_alloc(size: usize, align: usize) -> *mut u8 {
    if align <= ALIGN {
        // SAFETY: any size is allowed.
        return unsafe { device::alloc(size as u64) };
    }
    // Room for the address before the aligned start, which is at least 16 bytes behind the real one.
    let Some(bytes) = size.checked_add(align) else {
        return ptr::null_mut();
    };
    // SAFETY: as above.
    let start = unsafe { device::alloc(bytes as u64) };
    if start.is_null() {
        return start;
    }
    let aligned = start.wrapping_add(align - start.addr() % align);
    // SAFETY: `start` is a multiple of 16, `align` a larger power of two: there are at least 16 bytes before `aligned`.
    unsafe { aligned.cast::<*mut u8>().sub(1).write(start) };
    aligned
}

/// In place of `__rust_dealloc`.
///
/// # Safety
/// As `GlobalAlloc::dealloc`.
#[unsafe(no_mangle)]
pub unsafe fn __warploom_dealloc(start: *mut u8, _size: usize, align: usize) {
    let start = if align <= ALIGN {
        start
    } else {
        // SAFETY: `__warploom_alloc` left the real start there, for this alignment.
        unsafe { start.cast::<*mut u8>().sub(1).read() }
    };
    // SAFETY: this is what `device::alloc` gave, and the caller gives it up.
    unsafe { device::free(start) };
}

/// In place of `__rust_realloc`.
///
/// # Safety
/// As `GlobalAlloc::realloc`.
#[unsafe(no_mangle)]
pub unsafe fn __warploom_realloc(
    start: *mut u8,
    old_size: usize,
    align: usize,
    new_size: usize,
) -> *mut u8 {
    // SAFETY: the caller's promises are those of the three calls; the new piece does not overlap the old one.
    unsafe {
        let new = __warploom_alloc(new_size, align);
        if !new.is_null() {
            new.copy_from_nonoverlapping(start, old_size.min(new_size));
            __warploom_dealloc(start, old_size, align);
        }
        new
    }
}

/// In place of `__rust_alloc_zeroed`.
///
/// # Safety
/// As `GlobalAlloc::alloc_zeroed`.
#[unsafe(no_mangle)]
pub unsafe fn __warploom_alloc_zeroed(size: usize, align: usize) -> *mut u8 {
    // SAFETY: as promised to us; the piece has `size` bytes.
    unsafe {
        let start = __warploom_alloc(size, align);
        if !start.is_null() {
            start.write_bytes(0, size);
        }
        start
    }
}

/// In place of `__rust_no_alloc_shim_is_unstable_v2`, which std calls before it allocates.
#[unsafe(no_mangle)]
pub fn __warploom_no_alloc_shim() {}

/// In place of `alloc::alloc::handle_alloc_error`: the heap is full. std passes no location in the user's source.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub fn __warploom_alloc_error(layout: Layout) -> ! {
    crate::panic::out_of_memory(layout.size())
}
