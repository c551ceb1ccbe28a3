//! A ring of stages: whose turn it is to fill one, and whose to read it.

use core::marker::PhantomData;

use super::mbarrier::Mbarrier;
use crate::{SharedArray, Warp, tma};

/// The barriers of `STAGES` stages of shared memory, which bulk copies fill in turn while warps read others. Compute capability 9.0.
///
/// Each stage has two: one says that it is full, one that it is empty. What a stage holds lies elsewhere, such as in
/// [`SwizzledTiles`](crate::shared::SwizzledTiles). Roles are those of warp specialisation:
///
/// - One thread begins copies: [`fill`](Self::fill) waits until a stage is empty and gives the barrier at which its copies end.
/// - Warps read: [`wait_full`](Self::wait_full), then [`release`](Self::release).
///
/// All sides count turns for themselves, from [`Turn::FIRST`] on: turn after turn, without leaving one out. In the first round all stages are empty.
/// CUDA: `cutlass::PipelineTmaAsync`, `cuda::pipeline` with `cuda::pipeline_role`. `STAGES` is a power of 2: its remainders are known to be stages, and no check of an index is left.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::pipeline::{Ring, Turn};
/// use warploom_device_std::{Block, Warp, shared_array, tma};
/// /// The sum of as many lines as `x` has: the first warp lets copies bring them, two others read.
/// fn sum(block: Block, warp: Warp, x: &[[u128; 32]]) {
///     let (stages, memory) = (shared_array!([u128; 32], 2), shared_array!([u64; 2], 2));
///     // SAFETY: one thread initialises the ring, in front of the block's barrier; the first warp fills it, and two warps read each stage.
///     unsafe {
///         let ring = Ring::new(memory);
///         if block.thread() == 0 {
///             ring.init(2);
///         }
///         block.sync();
///         let (mut turn, mut sum) = (Turn::FIRST, 0);
///         for line in x {
///             let stage = stages.as_ptr().add(turn.stage());
///             if block.thread() == 0 {
///                 let full = ring.fill(turn, 512);
///                 tma::copy_to_shared(stage.cast(), line.as_ptr().cast(), 512, full);
///             } else if block.thread() >= 32 {
///                 ring.wait_full(turn);
///                 sum += stage.cast::<u128>().add(warp.lane() as usize).read();
///                 ring.release(turn, warp);
///             }
///             turn = turn.next();
///         }
///         assert!(block.thread() < 32 || sum == x.len() as u128 * (warp.lane() as u128 + 1));
///     }
/// }
/// # let x: Vec<[u128; 32]> = vec![core::array::from_fn(|lane| lane as u128 + 1); 7];
/// # run(Shape::new([2, 1, 1], [96, 1, 1]), &|| unsafe { sum(Block::from_launch(), Warp::from_launch(), &x) })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// The number of stages is a power of 2:
/// ```compile_fail,E0080
/// # use warploom_device_std::{pipeline::Ring, shared_array};
/// # fn kernel() {
/// let memory = shared_array!([u64; 2], 3);
/// // SAFETY: never used.
/// let ring = unsafe { Ring::new(memory) };
/// # }
/// # let _ = warploom_emulator::run(warploom_emulator::Shape::new([1; 3], [1; 3]), &|| kernel());
/// ```
#[derive(Clone, Copy)]
pub struct Ring<'k, const STAGES: usize> {
    /// For each stage the barrier of a full one, then that of an empty one.
    first: *mut u64,
    _memory: PhantomData<&'k ()>,
}

/// A place in a [`Ring`] of `STAGES` stages, and whether the ring has been passed an odd number of times.
///
/// ```
/// use warploom_device_std::pipeline::Turn;
/// let third = Turn::<2>::FIRST.next().next();
/// assert_eq!((third.stage(), third), (0, Turn::of(2)));
/// assert_ne!(third, Turn::FIRST); // the same stage in another round
/// assert_eq!(Turn::<2>::of(4), Turn::FIRST);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<const STAGES: usize> {
    stage: usize,
    /// 0 or 1.
    round: u32,
}

impl<const STAGES: usize> Turn<STAGES> {
    /// The first one.
    pub const FIRST: Self = Turn { stage: 0, round: 0 };

    /// That of number `number`, counted from 0.
    #[inline(always)]
    #[must_use]
    pub const fn of(number: usize) -> Self {
        Turn {
            stage: number % STAGES,
            round: (number / STAGES) as u32 & 1,
        }
    }

    /// The number of its stage, below `STAGES`.
    #[inline(always)]
    #[must_use]
    pub const fn stage(self) -> usize {
        // Below it anyway: so the compiler sees it in loops as well.
        self.stage % STAGES
    }

    /// The one that follows.
    #[inline(always)]
    #[must_use]
    pub const fn next(self) -> Self {
        let stage = (self.stage + 1) % STAGES;
        Turn {
            stage,
            round: self.round ^ (stage == 0) as u32,
        }
    }
}

impl<'k, const STAGES: usize> Ring<'k, STAGES> {
    /// The ring whose barriers are in `memory`.
    ///
    /// # Safety
    /// The memory is used for nothing else. [`init`](Self::init) and a barrier of the block come before everything else that is done with the ring.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(memory: SharedArray<'k, [u64; 2], STAGES>) -> Self {
        const {
            assert!(
                STAGES.is_power_of_two(),
                "the number of stages of a ring is a power of 2"
            )
        };
        Ring {
            first: memory.as_ptr().cast(),
            _memory: PhantomData,
        }
    }

    /// Makes all stages empty, each to be read by `readers` warps. PTX: `mbarrier.init`, `fence.mbarrier_init`.
    ///
    /// # Safety
    /// One thread does this, once, and a barrier of the block lies between it and the first use. `readers` is at least 1 and below 2^20.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn init(self, readers: u32) {
        let mut turn = Turn::FIRST;
        for _ in 0..STAGES {
            // SAFETY: the caller's promise. One thread says that copies have begun.
            unsafe { self.full(turn).init(1) };
            // SAFETY: as above; one lane of each warp says that it has read.
            unsafe { self.empty(turn).init(readers) };
            turn = turn.next();
        }
        tma::fence_mbarrier_init();
    }

    /// Waits until the stage of `turn` is empty, and says that copies of `bytes` bytes fill it: those whose barrier is the result.
    ///
    /// PTX: `mbarrier.try_wait.parity`, `mbarrier.arrive.expect_tx`.
    ///
    /// # Safety
    /// One thread of the block makes this call, turn after turn; copies of so many bytes, below 2^20, follow.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    #[must_use = "copies end at this barrier"]
    pub unsafe fn fill(self, turn: Turn<STAGES>, bytes: u32) -> Mbarrier<'k> {
        // In the first round it has the parity of the phase before the first, which has ended.
        // SAFETY: initialised (promised to `new`).
        unsafe { self.empty(turn).wait_parity(turn.round ^ 1) };
        let full = self.full(turn);
        // SAFETY: the one arrival that the barrier counts.
        let _ = unsafe { full.arrive_expecting(bytes) };
        full
    }

    /// Waits until copies have filled the stage of `turn`: what they wrote is visible to this thread, and to products of its warp group. PTX: `mbarrier.try_wait.parity`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn wait_full(self, turn: Turn<STAGES>) {
        // SAFETY: initialised (promised to `new`).
        unsafe { self.full(turn).wait_parity(turn.round) };
    }

    /// Says for a warp that it has read the stage of `turn`. When all readers have done so the stage is empty.
    ///
    /// All lanes make the call: it waits for the warp, and then one lane arrives for all. Lanes may be at different places when the products of their warp group
    /// have been waited for, and one that still reads would lose the stage to the next copy. PTX: `bar.warp.sync`, `mbarrier.arrive`.
    ///
    /// # Safety
    /// Each reader makes the call once for each turn that it has waited for, when its products that read the stage have been waited for, and it reads the stage no more.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub unsafe fn release(self, turn: Turn<STAGES>, warp: Warp<'_>) {
        warp.sync();
        if warp.lane() == 0 {
            // SAFETY: one of the arrivals that the barrier counts (the caller's promise).
            let _ = unsafe { self.empty(turn).arrive() };
        }
    }

    #[inline(always)]
    fn full(self, turn: Turn<STAGES>) -> Mbarrier<'k> {
        Mbarrier::at(self.first.wrapping_add(turn.stage() * 2))
    }

    #[inline(always)]
    fn empty(self, turn: Turn<STAGES>) -> Mbarrier<'k> {
        Mbarrier::at(self.first.wrapping_add(turn.stage() * 2 + 1))
    }
}
