//! One block of dynamic shared memory in parts of several types.

use super::DynamicShared;
use crate::Plain;
use crate::scope::Brand;

/// Cuts dynamic shared memory into parts, one after the other, each aligned to its type. Made by [`DynamicShared::carve`].
///
/// All threads of a block that take the same parts in the same order get the same memory. How many bytes the launch has to give says
/// [`SharedLayout`]. CUDA: `extern __shared__`, and pointers into it.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DynamicShared, SharedLayout};
/// const BYTES: u32 = SharedLayout::new().with::<u16>(127).with::<f32>(64).with::<u32>(256).bytes();
/// fn kernel(memory: DynamicShared<u8>) {
///     let mut carve = memory.carve();
///     let shorts = carve.take::<u16>(127);
///     let floats = carve.take::<f32>(64); // two bytes after the shorts
///     let ints = carve.take::<u32>(256);
///     assert_eq!(floats.as_ptr().addr() - shorts.as_ptr().addr(), 256);
///     assert_eq!((ints.len(), carve.left()), (256, 0));
/// }
/// # assert_eq!(BYTES, 1536);
/// # let shape = Shape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: BYTES, workers: None };
/// # run(shape, &|| unsafe { kernel(DynamicShared::from_launch()) })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Debug)]
pub struct Carve<'k> {
    next: *mut u8,
    left: usize,
    _brand: Brand<'k>,
}

impl<'k, T: Plain> DynamicShared<'k, T> {
    /// Cuts this memory into parts of other types.
    #[inline(always)]
    #[must_use]
    pub fn carve(self) -> Carve<'k> {
        Carve {
            next: self.as_ptr().cast(),
            left: self.len() * size_of::<T>(),
            _brand: Brand::new(),
        }
    }
}

impl<'k> Carve<'k> {
    /// The next `n` elements of `T`, after as many unused bytes as their alignment needs.
    ///
    /// # Panics
    /// When fewer bytes are left.
    #[inline(always)]
    #[track_caller]
    pub fn take<T: Plain>(&mut self, n: usize) -> DynamicShared<'k, T> {
        const { assert!(size_of::<T>() > 0, "a part of no bytes has no place") };
        let start = self.part(n, size_of::<T>(), align_of::<T>());
        DynamicShared::part(start.cast(), n)
    }

    /// The next `bytes` bytes from a multiple of `align` on. Panics when fewer are left.
    #[inline(always)]
    #[track_caller]
    pub(super) fn bytes(&mut self, bytes: usize, align: usize) -> *mut u8 {
        self.part(bytes, 1, align)
    }

    #[inline(always)]
    #[track_caller]
    fn part(&mut self, n: usize, size: usize, align: usize) -> *mut u8 {
        let padding = self.next.addr().wrapping_neg() % align;
        let bytes = n.saturating_mul(size).saturating_add(padding);
        if bytes > self.left {
            too_little(n, size, self.left);
        }
        // Wrapping, because nothing here promises that the launch still runs.
        let start = self.next.wrapping_add(padding);
        self.next = self.next.wrapping_add(bytes);
        self.left -= bytes;
        start
    }

    /// Bytes that are left.
    #[inline(always)]
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }
}

/// How many bytes of dynamic shared memory a [`Carve`] needs for parts taken in this order: for the launch.
///
/// ```
/// use warploom_device_std::SharedLayout;
/// assert_eq!(SharedLayout::new().with::<u16>(128).with::<f32>(64).with::<i32>(256).bytes(), 1536);
/// assert_eq!(SharedLayout::new().with::<u8>(1).with::<u64>(1).bytes(), 16);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedLayout {
    bytes: usize,
}

impl SharedLayout {
    /// No parts.
    #[must_use]
    pub const fn new() -> Self {
        SharedLayout { bytes: 0 }
    }

    /// These parts, then `n` elements of `T`.
    ///
    /// # Panics
    /// When there are more bytes than a `usize` counts.
    #[must_use]
    pub const fn with<T: Plain>(self, n: usize) -> Self {
        self.with_bytes(n * size_of::<T>(), align_of::<T>())
    }

    /// These parts, then `bytes` bytes from a multiple of `align` on.
    pub(super) const fn with_bytes(self, bytes: usize, align: usize) -> Self {
        SharedLayout {
            bytes: self.bytes.next_multiple_of(align) + bytes,
        }
    }

    /// Bytes of all parts, for `Launch::dynamic_shared`. More than 2^32 - 1 count as that; no device gives a block so much.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        if self.bytes > u32::MAX as usize {
            u32::MAX
        } else {
            self.bytes as u32
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
#[expect(
    clippy::panic,
    reason = "a kernel reports misuse by a panic, which the host gets as an error"
)]
fn too_little(n: usize, size: usize, left: usize) -> ! {
    panic!(
        "{n} elements of {size} bytes do not fit into the {left} bytes of dynamic shared memory that are left"
    )
}
