//! What the compiler cannot know: how often to write a loop's body, which way a branch goes, how a pointer is aligned.
//!
//! `#[likely]` and the like of C++ are functions here; `__builtin_assume` is [`core::hint::assert_unchecked`] and
//! `__builtin_unreachable` is [`core::hint::unreachable_unchecked`]: both hold in kernels, and debug builds check them on the emulator.

use core::hint::{assert_unchecked, cold_path};
use core::ops::Range;

/// Copies of a loop's body at most.
const MOST: usize = 64;

/// An integer that counts a loop.
///
/// ```
/// use warploom_device_std::hint::{LoopIndex, unroll};
/// fn count<T: LoopIndex>(range: std::ops::Range<T>) -> usize {
///     let mut n = 0;
///     unroll::<4, _>(range, |_| n += 1);
///     n
/// }
/// assert_eq!((count(0u32..7), count(3usize..9)), (7, 6));
/// ```
pub trait LoopIndex: Copy + sealed::Sealed {
    /// How many steps there are from `self` up to `end`; 0 if `end` is not above.
    #[doc(hidden)]
    fn steps_to(self, end: Self) -> u64;
    /// `steps` further; in range as the loop is.
    #[doc(hidden)]
    fn plus(self, steps: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! indices {
    ($($ty:ty: $wide:ty),*) => {$(
        impl sealed::Sealed for $ty {}
        impl LoopIndex for $ty {
            #[inline(always)]
            fn steps_to(self, end: Self) -> u64 {
                if self < end { (end as $wide).wrapping_sub(self as $wide) as u64 } else { 0 }
            }

            #[inline(always)]
            fn plus(self, steps: u64) -> Self {
                self.wrapping_add(steps as $ty)
            }
        }
    )*};
}

indices!(u32: u64, i32: i64, u64: u64, i64: i64, usize: u64, isize: i64);

/// Runs `body` for each number of `range`, with `N` copies of it in a row, and one at a time for what is left over.
///
/// The result is that of the plain loop, whatever the length. `N` of 0 or 1 means one copy: then neither LLVM nor the driver's compiler
/// makes more. Above 64 the build fails. `return` in `body` goes on with the next number; there is no `break`.
/// CUDA: `#pragma unroll N`.
///
/// ```
/// let mut sum = 0;
/// warploom_device_std::hint::unroll::<4, _>(0..11u32, |i| sum += i);
/// assert_eq!(sum, 55);
/// ```
/// ```compile_fail,E0080
/// warploom_device_std::hint::unroll::<65, _>(0..100u32, |_| {});
/// ```
#[inline(always)]
pub fn unroll<const N: usize, T: LoopIndex>(range: Range<T>, mut body: impl FnMut(T)) {
    const {
        check_copies::<N>();
    }
    let mut i = range.start;
    let mut left = i.steps_to(range.end);
    if N > 1 {
        while left >= N as u64 {
            keep_as_loop();
            copies::<N>(|k| body(i.plus(k as u64)));
            i = i.plus(N as u64);
            left -= N as u64;
        }
    }
    while left > 0 {
        keep_as_loop();
        body(i);
        i = i.plus(1);
        left -= 1;
    }
}

/// Runs `body` for 0 to `N - 1`, as `N` copies in a row without a loop. Above 64 the build fails.
///
/// What `body` computes from its argument alone is computed when the kernel is built. CUDA: `#pragma unroll` before a loop whose
/// number of rounds is a constant.
///
/// ```
/// let mut powers = [0u32; 5];
/// warploom_device_std::hint::unroll_all::<5>(|i| powers[i] = 1 << i);
/// assert_eq!(powers, [1, 2, 4, 8, 16]);
/// ```
#[inline(always)]
pub fn unroll_all<const N: usize>(body: impl FnMut(usize)) {
    const {
        check_copies::<N>();
    }
    copies::<N>(body);
}

/// [`unroll_all`], of a number that was checked.
#[inline(always)]
fn copies<const N: usize>(mut body: impl FnMut(usize)) {
    macro_rules! copies {
        ($($k:literal)*) => { $( if N > $k { body($k); } )* };
    }
    copies!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
    );
}

/// Fails the build above [`MOST`].
const fn check_copies<const N: usize>() {
    assert!(
        N <= MOST,
        "`unroll` and `unroll_all` copy a loop's body at most 64 times; take a smaller number, which need not divide the length, or nest two loops"
    );
}

/// Keeps compilers from copying the body of the loop in which it stands, at its start.
#[inline(always)]
pub(crate) fn keep_as_loop() {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.nounroll"]
            safe fn nounroll();
        }
        nounroll();
    }
}

/// `condition`, which is nearly always true: the other way may be slow. CUDA: `__builtin_expect(condition, 1)`, `[[likely]]`.
///
/// ```
/// # use warploom_device_std::hint::likely;
/// assert!(likely(2 > 1) && !likely(1 > 2));
/// ```
#[inline(always)]
#[must_use]
pub fn likely(condition: bool) -> bool {
    if !condition {
        cold_path();
    }
    condition
}

/// `condition`, which is nearly never true: that way may be slow. CUDA: `__builtin_expect(condition, 0)`, `[[unlikely]]`.
///
/// ```
/// use warploom_device_std::hint::unlikely;
/// assert!(unlikely(2 > 1)); // the value is that of the condition
/// ```
#[inline(always)]
#[must_use]
pub fn unlikely(condition: bool) -> bool {
    if condition {
        cold_path();
    }
    condition
}

/// `pointer`, of which the compiler may take for granted that it is a multiple of `ALIGN`, a power of two.
///
/// So four `f32` behind a pointer that is aligned to 16 become one access of 16 bytes. Debug builds check it on the emulator.
/// CUDA: `__builtin_assume_aligned(pointer, ALIGN)`.
///
/// # Safety
/// The address is a multiple of `ALIGN`.
///
/// ```
/// # use warploom_device_std::hint::assume_aligned;
/// #[repr(align(16))]
/// struct Four([f32; 4]);
/// let four = Four([1.0; 4]);
/// // SAFETY: the type is aligned to 16.
/// let start = unsafe { assume_aligned::<16, f32>(four.0.as_ptr()) };
/// assert_eq!(start, four.0.as_ptr());
/// ```
#[inline(always)]
#[must_use]
pub unsafe fn assume_aligned<const ALIGN: usize, T>(pointer: *const T) -> *const T {
    // SAFETY: the caller promises it for offset 0.
    unsafe { assume_aligned_offset::<ALIGN, 0, T>(pointer) }
}

/// [`assume_aligned`] for a pointer to write through.
///
/// # Safety
/// The address is a multiple of `ALIGN`.
///
/// ```
/// use warploom_device_std::hint::assume_aligned_mut;
/// let mut x = [0u64; 2];
/// // SAFETY: `u64` is aligned to 8 bytes.
/// let p = unsafe { assume_aligned_mut::<8, _>(x.as_mut_ptr()) };
/// assert_eq!(p.addr() % 8, 0);
/// ```
#[inline(always)]
#[must_use]
pub unsafe fn assume_aligned_mut<const ALIGN: usize, T>(pointer: *mut T) -> *mut T {
    // SAFETY: the caller promises it for offset 0.
    unsafe { assume_aligned_offset::<ALIGN, 0, T>(pointer) }.cast_mut()
}

/// `pointer`, which is `OFFSET` bytes behind a multiple of `ALIGN`, a power of two.
///
/// CUDA: `__builtin_assume_aligned(pointer, ALIGN, OFFSET)`.
///
/// # Safety
/// The address less `OFFSET` is a multiple of `ALIGN`.
///
/// ```
/// use warploom_device_std::hint::assume_aligned_offset;
/// let x = [0u64; 2];
/// // SAFETY: eight bytes before the second element is the first, aligned to 8 bytes.
/// let p = unsafe { assume_aligned_offset::<8, 8, _>(&raw const x[1]) };
/// assert_eq!(p, &raw const x[1]);
/// ```
#[inline(always)]
#[must_use]
pub unsafe fn assume_aligned_offset<const ALIGN: usize, const OFFSET: usize, T>(
    pointer: *const T,
) -> *const T {
    const {
        assert!(ALIGN.is_power_of_two(), "an alignment is a power of two");
    }
    let start = pointer.addr().wrapping_sub(OFFSET);
    // SAFETY: the caller's promise.
    unsafe { assert_unchecked(start & (ALIGN - 1) == 0) };
    pointer
}
