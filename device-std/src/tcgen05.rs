//! Products of matrices whose sums are in tensor memory: the tensor cores of compute capability 10.0. CUDA: the fifth generation of tensor cores, PTX: `tcgen05`.
//!
//! **This code is compiled and assembled, and has not run on a GPU.** Layouts and descriptors follow the PTX ISA, and no GPU has confirmed them. The emulator does not calculate these products: a call
//! there ends the run with an error.
//!
//! A block computes `D = A · B + D`, where D has 64 or 128 rows and `N` columns and is in [`TensorMemory`]: an [`Accumulator`]. A is in shared memory, or in tensor memory, B is in
//! shared memory, in the layout of a [`SwizzledTile`](crate::shared::SwizzledTile). Types and tiles are those of [`wgmma`](crate::wgmma); one instruction multiplies 32 bytes of each
//! row of A with as many of B.
//!
//! | A, B | D | kind |
//! |---|---|---|
//! | [`F16`](crate::F16) | `F16`, `f32` | `f16` |
//! | [`Bf16`](crate::Bf16) | `f32` | `f16` |
//! | [`Tf32`](crate::mma::Tf32) | `f32` | `tf32` |
//! | [`E4m3`](crate::mma::E4m3) or [`E5m2`](crate::mma::E5m2), each | `F16`, `f32` | `f8f6f4` |
//! | `i8` or `u8`, each | `i32` | `i8` |
//!
//! All threads of the block make the same calls, and types say how far products are:
//!
//! 1. [`TensorMemory::allocate`] gives columns, which [`ColumnRange::split`] shares out; [`TensorMemory::release`] takes them back. PTX: `tcgen05.alloc`, `tcgen05.dealloc`.
//! 2. [`Accumulator::begin`] takes a matrix and gives a [`Batch`], to which products are added: by one thread, `tcgen05.mma`.
//! 3. [`Batch::commit`] ends it and gives a matrix [`InFlight`], which cannot be read. PTX: `tcgen05.commit` to an [`Mbarrier`](crate::Mbarrier).
//! 4. [`InFlight::wait`] gives it back, and [`Accumulator::load`] moves it to registers. PTX: `tcgen05.ld`, `tcgen05.wait::ld`.
//!
//! A kernel that uses one is compiled for `sm_100a` alone: compute capability 10.0, and no other one. Code behind `feature_set() == FeatureSet::Specific(100)` is left out of
//! other images.
//!
//! ```
//! # use warploom_emulator::{run, Shape};
//! use warploom_device_std::shared::{Swizzle128, SwizzledTiles};
//! use warploom_device_std::tcgen05::{Accumulator, Shape32x32b, TensorMemory};
//! use warploom_device_std::wgmma::WarpGroup;
//! use warploom_device_std::{Bf16, Block, Mbarrier, intrinsics, shared_array, swizzled_tiles};
//! fn product(block: Block) {
//!     let a: SwizzledTiles<'_, Bf16, 128, 64, Swizzle128, 1> = swizzled_tiles!(block);
//!     let b: SwizzledTiles<'_, Bf16, 32, 64, Swizzle128, 1> = swizzled_tiles!(block); // 32 columns of B, 64 elements each
//!     let (a, b) = (a.stage(0), b.stage(0));
//!     let barriers = shared_array!(u64, 1);
//!     // SAFETY: all 128 threads make these calls; the barrier is for the sums alone, and no thread writes the tiles behind `published`.
//!     unsafe {
//!         let mut memory = TensorMemory::<'_, 32>::allocate(block);
//!         let done = Mbarrier::new(barriers, 0);
//!         if block.thread() == 0 {
//!             done.init(1);
//!             intrinsics::fence_mbarrier_init();
//!         }
//!         a.fill(block.thread(), 128, |row, k| Bf16::from_f32((row + k) as f32));
//!         b.fill(block.thread(), 128, |column, k| Bf16::from_f32(if column == k { 2.0 } else { 0.0 }));
//!         let (a, b) = (a.published(block), b.published(block));
//!         let sums: Accumulator<'_, 128, 32> = Accumulator::new(memory.columns(), done);
//!         let mut batch = sums.begin(block).multiply(a.rows(0, 0), b.rows(0, 0));
//!         for k in [16, 32, 48] {
//!             batch = batch.multiply_add(a.rows(0, k), b.rows(0, k));
//!         }
//!         let sums = batch.commit().wait();
//!         let own = sums.load::<Shape32x32b, 32>(WarpGroup::new(block), 0, 0).wait(); // a row for each thread
//!         own.for_each(|row, column, sum| assert_eq!(sum, 2.0 * (row + column) as f32));
//!         memory.release(block);
//!     }
//! }
//! let refused = run(Shape::new([1, 1, 1], [128, 1, 1]), &|| product(unsafe { Block::from_launch() }));
//! let why = refused.unwrap_err().to_string();
//! assert!(why.contains("`tcgen05.alloc` needs a GPU of compute capability 10.0, and the emulator does not calculate it"));
//! ```

mod accumulator; // `Accumulator`
mod batch; // `Batch`, `InFlight`
mod descriptor; // what an instruction is told of its matrices
mod factor; // A in tensor memory
mod memory; // columns, from allocation to release
mod moves; // between tensor memory and registers

pub use accumulator::Accumulator;
pub use batch::{Batch, InFlight};
pub use descriptor::{instruction_descriptor, matrix_descriptor};
pub use factor::{FactorInMemory, FactorView, RowsInMemory};
pub use memory::{ColumnRange, TensorMemory};
pub use moves::{
    Loaded, Loading, Moves, Repeated, Shape, Shape16x64b, Shape16x128b, Shape16x256b, Shape32x32b,
};
