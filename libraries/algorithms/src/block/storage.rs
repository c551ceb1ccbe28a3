//! Shared memory of the pieces: one array, as large as the largest piece needs, for all of them.
//!
//! Why it is sound, whatever the threads of a block do, and why two pieces cannot disturb each other if they do the same:
//!
//! 1. Every access is a relaxed atomic of a word of the storage ([`super::slots`]), and plain types have no invalid values. So threads that meet a barrier
//!    from different pieces (which is a mistake of the program) get wrong values and nothing worse.
//! 2. A piece writes nothing before its first barrier. There all threads have left the piece before it, whichever that was and by whichever name
//!    it had the memory: so a place in the program that is run again, in a loop or in a function, is right too.
//! 3. What reads the storage later without a barrier (counts, decoded runs) keeps it borrowed.

use std::marker::PhantomData;

use warploom::device_std::SharedArray;
use warploom::device_std::groups::Group;
use warploom::prelude::*;

use super::slots::Region;

/// The threads of a block, which were counted.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Threads<'a, const THREADS: usize>(PhantomData<(&'a (), *mut ())>);

impl<'a, const THREADS: usize> Threads<'a, THREADS> {
    /// Proof that the block has `THREADS` threads. In a kernel with `#[kernel(block(..))]` they are counted when it is compiled.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn of(block: Block<'a>) -> Self {
        const {
            assert!(
                THREADS.is_multiple_of(32) && THREADS > 0 && THREADS <= 1024,
                "the pieces are for blocks of whole warps: 32, 64, 96 .. 1024 threads"
            );
        }
        assert!(
            block.threads() == THREADS,
            "the storage is for another number of threads than the block has"
        );
        Threads(PhantomData)
    }
}

/// Shared memory for the pieces of a block of `THREADS` threads: `WORDS` of 32 bits. Made by [`block_storage!`](crate::block_storage).
///
/// Any number of pieces use it, one after the other: each waits for the block before it writes. So no barrier is needed between two pieces, and none can be
/// forgotten. CUDA: `__shared__ union { BlockScan::TempStorage scan; BlockRadixSort::TempStorage sort; }` and `__syncthreads` between the uses.
///
/// ```
/// use warploom::prelude::*;
/// use warploom_algorithms::block::{BlockPieces, Exchange, Pieces, Scan};
/// use warploom_algorithms::block_storage;
/// #[kernel(block(64))]
/// fn sums(block: Block) {
///     let mut storage = block_storage!(block, 64, [Scan<u32>, Exchange<u32, 2>]);
///     let (up_to, all) = block.inclusive_scan_items(&mut storage, [1, 1], |a, b| a + b);
///     let striped = block.blocked_to_striped(&mut storage, up_to);
///     let t = block.thread() as u32;
///     assert_eq!((striped, all), ([t + 1, t + 65], 128));
/// }
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// sums::launch(&stream, (3, 64))?;
/// # stream.synchronize()?;
/// # Ok::<(), warploom::Error>(())
/// ```
/// A storage that is too small, because the piece was not named, does not compile:
/// ```compile_fail,E0080
/// # use warploom::prelude::*;
/// # use warploom_algorithms::block::{Exchange, Pieces, Scan};
/// # use warploom_algorithms::block_storage;
/// #[kernel(block(64))]
/// fn kernel(block: Block) {
///     let mut storage = block_storage!(block, 64, [Scan<u32>]);
///     block.blocked_to_striped(&mut storage, [1u64; 4]);
/// }
/// # let stream = Device::emulator().stream().unwrap();
/// # kernel::launch(&stream, (1, 64)).unwrap();
/// ```
/// A storage belongs to its thread:
/// ```compile_fail,E0277
/// fn needs_send<T: Send>() {}
/// needs_send::<warploom_algorithms::block::Storage<'static, 64, 4>>();
/// ```
/// and ends with the frame in which the macro stands:
/// ```compile_fail,E0716
/// # use warploom::prelude::*;
/// # use warploom_algorithms::block::{Storage, Scan};
/// # use warploom_algorithms::block_storage;
/// fn made(block: Block<'static>) -> Storage<'static, 64, 4> {
///     let storage: Storage<'static, 64, 4> = block_storage!(block, 64, bytes: 16);
///     storage
/// }
/// ```
pub struct Storage<'a, const THREADS: usize, const WORDS: usize> {
    #[doc(hidden)]
    pub array: SharedArray<'a, u32, WORDS>,
    #[doc(hidden)]
    pub threads: Threads<'a, THREADS>,
}

/// [`Storage`] in the memory whose size the launch decides: for more than 48 KiB.
///
/// ```
/// use warploom::prelude::*;
/// use warploom_algorithms::block::{DynamicStorage, Exchange, Piece, Pieces};
/// const WORDS: usize = <Exchange<u32, 2> as Piece<64>>::BYTES / 4;
/// #[kernel(block(64))]
/// fn kernel(block: Block, memory: DynamicShared<u32>) {
///     let mut storage = DynamicStorage::<64, WORDS>::of(block, memory);
///     let t = block.thread() as u32;
///     let striped = block.blocked_to_striped(&mut storage, [2 * t, 2 * t + 1]);
///     assert_eq!(striped, [t, t + 64]);
/// }
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let launch = Launch::new(2, 64).dynamic_shared(4 * WORDS as u32);
/// kernel::launch(&stream, launch)?;
/// # stream.synchronize()?;
/// # Ok::<(), warploom::Error>(())
/// ```
pub struct DynamicStorage<'k, const THREADS: usize, const WORDS: usize> {
    start: *mut u32,
    _threads: Threads<'k, THREADS>,
}

impl<'k, const THREADS: usize, const WORDS: usize> DynamicStorage<'k, THREADS, WORDS> {
    /// The first `WORDS` of `memory`.
    ///
    /// # Panics
    /// When the launch gave less memory; when the block has another number of threads.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn of(block: Block<'k>, memory: DynamicShared<'_, u32>) -> Self {
        // That of the block that runs, whatever launch `memory` was taken from.
        let own = DynamicShared::<'k, u32>::of_block();
        assert!(
            memory.len().min(own.len()) >= WORDS,
            "the launch gave less dynamic shared memory than the storage has"
        );
        DynamicStorage {
            start: own.as_ptr(),
            _threads: Threads::of(block),
        }
    }
}

/// The storage of each warp: an equal part of the block's `S`. Made by [`per_warp`](super::BlockPieces::per_warp).
pub struct PerWarp<'s, S> {
    start: *mut u32,
    _storage: PhantomData<&'s mut S>,
}

impl<'s, 'k, S: Scratch<Block<'k>>> PerWarp<'s, S> {
    const WARPS: usize = S::THREADS / 32;
    const WORDS: usize = S::BYTES / 4 / Self::WARPS;

    /// Behind a barrier of the block.
    #[inline(always)]
    pub(super) fn of(storage: &'s mut S, block: Block<'k>) -> Self {
        let warp = block.thread() / 32 % Self::WARPS;
        PerWarp {
            start: storage.region().start().wrapping_add(warp * Self::WORDS),
            _storage: PhantomData,
        }
    }
}

/// What pieces of the group `G`, a [`Block`] or a [`Warp`], have as storage: [`Storage`], [`DynamicStorage`], [`PerWarp`]. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no storage of a `{G}`",
    label = "not the storage of this group",
    note = "a block has a `Storage`, made by `block_storage!`; a warp has its part of that: `&mut block.per_warp(&mut storage)`"
)]
pub trait Scratch<G: Group>: sealed::Sealed {
    /// Threads of the group.
    const THREADS: usize;
    /// Bytes of shared memory.
    const BYTES: usize;

    #[doc(hidden)]
    fn region(&mut self) -> Region<'_>;
}

mod sealed {
    pub trait Sealed {}
}

impl<const THREADS: usize, const WORDS: usize> sealed::Sealed for Storage<'_, THREADS, WORDS> {}
impl<'a, 'k: 'a, const THREADS: usize, const WORDS: usize> Scratch<Block<'k>>
    for Storage<'a, THREADS, WORDS>
{
    const THREADS: usize = THREADS;
    const BYTES: usize = 4 * WORDS;

    #[inline(always)]
    fn region(&mut self) -> Region<'_> {
        if WORDS > 0 {
            // The emulator refuses an array that was named in the state of asynchronous code, which may outlive the block.
            let _ = self.array.atomic(0);
        }
        // SAFETY: the array has as many words; it is the block's as long as `'a`, and others access it as they promised `SharedArray`.
        unsafe { Region::of(self.array.as_ptr(), WORDS) }
    }
}

impl<const THREADS: usize, const WORDS: usize> sealed::Sealed
    for DynamicStorage<'_, THREADS, WORDS>
{
}
impl<'k, const THREADS: usize, const WORDS: usize> Scratch<Block<'k>>
    for DynamicStorage<'k, THREADS, WORDS>
{
    const THREADS: usize = THREADS;
    const BYTES: usize = 4 * WORDS;

    #[inline(always)]
    fn region(&mut self) -> Region<'_> {
        // SAFETY: `of` saw that there are as many words; the memory is the block's as long as `'k`, and others access it as they promised
        // `DynamicShared`.
        unsafe { Region::of(self.start, WORDS) }
    }
}

impl<S> sealed::Sealed for PerWarp<'_, S> {}
impl<'k, S: Scratch<Block<'k>>> Scratch<Warp<'_>> for PerWarp<'_, S> {
    const THREADS: usize = 32;
    const BYTES: usize = 4 * Self::WORDS;

    #[inline(always)]
    fn region(&mut self) -> Region<'_> {
        // SAFETY: a part of the block's storage, which is borrowed.
        unsafe { Region::of(self.start, Self::WORDS) }
    }
}

/// A piece, of a group of `THREADS` threads, and the shared memory that it needs: what [`block_storage!`](crate::block_storage) is told.
pub trait Piece<const THREADS: usize> {
    /// Bytes.
    const BYTES: usize;
}

/// A piece of each warp.
pub struct OfWarps<P>(PhantomData<P>);

impl<P: Piece<32>, const THREADS: usize> Piece<THREADS> for OfWarps<P> {
    const BYTES: usize = P::BYTES * (THREADS / 32);
}

macro_rules! piece {
    ($($(#[$doc:meta])* $name:ident<$($ty:ident),*; $($items:ident),*>($threads:ident) = $bytes:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name<$($ty,)* $(const $items: usize),*>(::std::marker::PhantomData<($($ty,)*)>);

        impl<$($ty: Plain,)* $(const $items: usize,)* const $threads: usize> Piece<$threads> for $name<$($ty,)* $($items),*> {
            const BYTES: usize = $bytes;
        }
    )*};
}
pub(super) use piece;

/// Words of the largest of pieces that need so many bytes.
#[doc(hidden)]
#[must_use]
pub const fn largest(bytes: &[usize]) -> usize {
    let (mut most, mut i) = (0, 0);
    while i < bytes.len() {
        if bytes[i] > most {
            most = bytes[i];
        }
        i += 1;
    }
    most.div_ceil(4)
}

/// Shared memory for pieces: `block_storage!(block, 256, [Scan<u32>, RadixSort<u32, 8>])` is a [`Storage`](crate::block::Storage) of the largest of these
/// pieces for a block of 256 threads; `block_storage!(block, 256, bytes: 8192)` has that many bytes.
///
/// Each place in the program has memory of its own, as `shared_array!` does. In a generic kernel, where the size depends on a parameter, take the second form:
/// a piece that does not fit is an error when the kernel is compiled.
#[macro_export]
macro_rules! block_storage {
    ($block:expr, $threads:expr, [$($piece:ty),+ $(,)?]) => {
        $crate::block_storage!($block, $threads, words: $crate::block::largest(&[$(<$piece as $crate::block::Piece<{ $threads }>>::BYTES),+]))
    };
    ($block:expr, $threads:expr, bytes: $bytes:expr) => {
        $crate::block_storage!($block, $threads, words: $crate::block::largest(&[$bytes]))
    };
    ($block:expr, $threads:expr, words: $words:expr) => {
        $crate::block::Storage {
            array: ::warploom::shared_array!(u32, { $words }),
            threads: $crate::block::Threads::<{ $threads }>::of($block),
        }
    };
}
