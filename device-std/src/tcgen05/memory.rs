//! Columns of tensor memory, from their allocation to their release.

use crate::index::linear_thread;
use crate::scope::Brand;
use crate::{Block, intrinsics as raw};
use core::marker::PhantomData;

/// `COLUMNS` columns of tensor memory that a block has allocated: 32, 64, 128, 256 or 512, of the 512 of a multiprocessor.
///
/// Each thread of the block has one, of the same columns. Matrices are parts of it: [`columns`](Self::columns) lends all of them, and
/// [`split`](ColumnRange::split) shares them out. The compiler refuses the release while a part is in use, and a use after it:
///
/// ```compile_fail,E0505
/// use warploom_device_std::{Block, tcgen05::TensorMemory};
/// fn kernel(block: Block) {
///     let mut memory = unsafe { TensorMemory::<'_, 64>::allocate(block) };
///     let columns = memory.columns();
///     memory.release(block);
///     let (first, rest) = columns.split::<32, 32>();
/// }
/// ```
/// ```compile_fail,E0382
/// # use warploom_device_std::{Block, tcgen05::TensorMemory};
/// # fn kernel(block: Block) {
/// let memory = unsafe { TensorMemory::<'_, 64>::allocate(block) };
/// memory.release(block);
/// memory.release(block);
/// # }
/// ```
/// Numbers of columns that cannot be allocated do not compile:
/// ```compile_fail,E0080
/// # use warploom_device_std::{Block, tcgen05::TensorMemory};
/// # fn kernel(block: Block) {
/// let memory = unsafe { TensorMemory::<'_, 48>::allocate(block) };
/// # }
/// # kernel(unsafe { Block::from_launch() });
/// ```
/// No safe code makes one from a number:
/// ```compile_fail,E0451
/// # use warploom_device_std::tcgen05::TensorMemory;
/// # fn forged<'k>(memory: TensorMemory<'k, 64>) -> TensorMemory<'k, 64> {
/// TensorMemory { address: 0, ..memory }
/// # }
/// ```
#[must_use = "a block releases what it has allocated before it ends"]
pub struct TensorMemory<'k, const COLUMNS: usize> {
    address: u32,
    _brand: Brand<'k>,
}

impl<'k, const COLUMNS: usize> TensorMemory<'k, COLUMNS> {
    const IS_ALLOCATED: () = assert!(
        COLUMNS.is_power_of_two() && COLUMNS >= 32 && COLUMNS <= 512,
        "a block allocates 32, 64, 128, 256 or 512 columns of tensor memory"
    );

    /// Allocates columns, and waits while other blocks of the multiprocessor have too many. Their values are unspecified. PTX: `tcgen05.alloc`. Compute
    /// capability: 10.0a.
    ///
    /// # Safety
    /// The block has a multiple of 128 threads, and all of them make the same calls on what they get from this, in the same order, this one included. They end with
    /// [`release`](Self::release) and not with a panic, after products under way have been waited for. What the block has allocated at a time is at most 512 columns; it
    /// allocates nothing after [`relinquish`](Self::relinquish).
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn allocate(block: Block<'k>) -> Self {
        const { Self::IS_ALLOCATED };
        let place: *mut u32 = raw::shared_site::<u32, 1, Place>().cast();
        if in_first_warp() {
            // SAFETY: a whole warp, a place in shared memory, a number of columns that can be allocated; the caller promises the release.
            unsafe { raw::tcgen05_alloc(place, COLUMNS as u32) };
        }
        meet(block);
        // SAFETY: written in front of the barrier, by an instruction that wrote all of it.
        let address = unsafe { place.read() };
        block.sync(); // the next allocation writes it again
        TensorMemory {
            address,
            _brand: Brand::new(),
        }
    }

    /// Says that the block allocates no more, so that a block that waits for columns can have those that are free. PTX: `tcgen05.relinquish_alloc_permit`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn relinquish(&self) {
        if in_first_warp() {
            // SAFETY: a whole warp; the promise of `allocate`.
            unsafe { raw::tcgen05_relinquish() };
        }
    }

    /// All of the columns.
    #[inline(always)]
    pub fn columns<'m>(&'m mut self) -> ColumnRange<'m, COLUMNS> {
        ColumnRange {
            address: self.address,
            _of: PhantomData,
        }
    }

    /// Gives the columns back, when all threads of the block have come here. PTX: `tcgen05.dealloc`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn release(self, block: Block<'_>) {
        // SAFETY: lanes that do not come leave numbers without meaning. A load may have been dropped without waiting for it.
        unsafe { raw::tcgen05_wait_loads() };
        meet(block);
        if in_first_warp() {
            // SAFETY: a whole warp; what was allocated, which no thread uses behind the barrier.
            unsafe { raw::tcgen05_dealloc(self.address, COLUMNS as u32) };
        }
    }
}

/// Where in shared memory an allocation writes the address.
enum Place {}

/// Whether the thread is in the first warp of its block. The same in all lanes of a warp as the compiler sees it too.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
fn in_first_warp() -> bool {
    // SAFETY: lanes that do not come leave an answer without meaning.
    unsafe { raw::shuffle_idx(u32::MAX, linear_thread() / 32, 0, 31) == 0 }
}

/// Waits for the other threads of the block, and for what they did with tensor memory.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
pub(super) fn meet(block: Block<'_>) {
    // SAFETY: in a kernel, which has a block.
    unsafe { raw::tcgen05_before_sync() };
    block.sync();
    // SAFETY: as above.
    unsafe { raw::tcgen05_after_sync() };
}

/// `N` neighbouring columns of a [`TensorMemory`]: 128 rows of `N` cells of 32 bits.
pub struct ColumnRange<'m, const N: usize> {
    pub(super) address: u32,
    _of: PhantomData<&'m mut ()>,
}

impl<'m, const N: usize> ColumnRange<'m, N> {
    /// The first `FIRST` columns and the other `REST`. Both numbers are multiples of 8.
    ///
    /// ```compile_fail,E0080
    /// use warploom_device_std::tcgen05::ColumnRange;
    /// fn kernel(columns: ColumnRange<'_, 64>) {
    ///     let (first, rest) = columns.split::<32, 64>(); // there are not so many
    /// }
    /// # let _: fn(ColumnRange<'_, 64>) = kernel;
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn split<const FIRST: usize, const REST: usize>(
        self,
    ) -> (ColumnRange<'m, FIRST>, ColumnRange<'m, REST>) {
        const {
            assert!(
                FIRST.is_multiple_of(8) && REST.is_multiple_of(8),
                "parts of tensor memory have a multiple of 8 columns"
            );
            assert!(
                FIRST + REST == N,
                "parts of tensor memory have as many columns as the whole"
            );
        };
        let first = ColumnRange {
            address: self.address,
            _of: PhantomData,
        };
        let rest = ColumnRange {
            address: self.address + FIRST as u32,
            _of: PhantomData,
        };
        (first, rest)
    }
}

/// The address of a row and a column of a range: its upper half counts rows.
#[inline(always)]
pub(super) fn address(first: u32, row: usize, column: usize) -> u32 {
    first
        .wrapping_add((row as u32) << 16)
        .wrapping_add(column as u32)
}
