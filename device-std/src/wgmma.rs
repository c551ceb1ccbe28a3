//! Products of matrices by warp groups: four warps multiply tiles of shared memory, while they do something else.
//!
//! A [`WarpGroup`] computes `D = A · B + D`, where D has 64 rows and `N` columns and is in the registers of its 128 threads: an [`Accumulator`]. A has 64 rows and is in
//! shared memory or in registers, B is in shared memory, both in the layout of a [`SwizzledTile`](crate::shared::SwizzledTile). One instruction multiplies 32
//! bytes of each row of A with as many of B: 16 elements of 16 bits.
//!
//! | A, B | D | columns of D | elements of a row |
//! |---|---|---|---|
//! | [`F16`](crate::F16) | `F16`, `f32` | 8, 16 … 256 | 16 |
//! | [`Bf16`](crate::Bf16) | `f32` | 8, 16 … 256 | 16 |
//! | [`Tf32`](crate::mma::Tf32) | `f32` | 8, 16 … 256 | 8 |
//! | [`E4m3`](crate::mma::E4m3) or [`E5m2`](crate::mma::E5m2), each | `F16`, `f32` | 8, 16 … 256 | 32 |
//! | `i8` or `u8`, each | `i32` | 8, 16, 24, 32, 48, 64 … 256 | 32 |
//!
//! Products go on while the threads do something else, and types say how far they are:
//!
//! 1. [`WarpGroup::begin`] takes an accumulator and gives a [`Batch`], to which products are added. PTX: `wgmma.fence`, `wgmma.mma_async`.
//! 2. [`Batch::commit`] ends it and gives [`InFlight`] sums, which cannot be read. PTX: `wgmma.commit_group`.
//! 3. [`InFlight::wait`] gives the accumulator back. PTX: `wgmma.wait_group`.
//!
//! A kernel that uses one is compiled for `sm_90a` alone: compute capability 9.0, and no newer one. Code behind `feature_set() == FeatureSet::Specific(90)` is left
//! out of other images. Accumulators stay in registers: the build fails if one does not, or if a function call is left in such a kernel.
//!
//! ```
//! # use warploom_emulator::{run, Shape};
//! use warploom_device_std::shared::{Swizzle128, SwizzledTiles};
//! use warploom_device_std::wgmma::{Accumulator, WarpGroup};
//! use warploom_device_std::{Bf16, Block, swizzled_tiles};
//! fn product(block: Block) {
//!     let a: SwizzledTiles<'_, Bf16, 64, 64, Swizzle128, 1> = swizzled_tiles!(block);
//!     let b: SwizzledTiles<'_, Bf16, 32, 64, Swizzle128, 1> = swizzled_tiles!(block); // 32 columns of B, 64 elements each
//!     let (a, b) = (a.stage(0), b.stage(0));
//!     // SAFETY: each thread writes its own elements, and no thread writes behind `published`.
//!     let (a, b) = unsafe {
//!         a.fill(block.thread(), 128, |row, k| Bf16::from_f32((row + k) as f32));
//!         b.fill(block.thread(), 128, |column, k| Bf16::from_f32(if column == k { 2.0 } else { 0.0 }));
//!         (a.published(block), b.published(block))
//!     };
//!     let group = WarpGroup::new(block);
//!     let mut batch = group.begin(Accumulator::<32, f32>::zero());
//!     for k in [0, 16, 32, 48] {
//!         batch = batch.multiply_add(a.rows(0, k), b.rows(0, k));
//!     }
//!     let sums = batch.commit().wait();
//!     sums.for_each(group, |row, column, sum| assert_eq!(sum, 2.0 * (row + column) as f32));
//! }
//! # run(Shape::new([1, 1, 1], [128, 1, 1]), &|| product(unsafe { Block::from_launch() }))?;
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```
//! The arithmetic is that of [`mma`](crate::mma), but for elements of 8 bits, of whose floating-point sums 13 bits behind the point are kept. The
//! emulator gives the bits of compute capability 9.0.

mod accumulator; // `Accumulator`
mod batch; // `Batch`, `InFlight`
mod group; // `WarpGroup`
mod operand; // tiles that may be read, and parts of them
mod types; // which types multiply

pub use accumulator::{Accumulator, Columns, HoldsSums};
pub use batch::{Batch, InFlight};
pub use group::WarpGroup;
pub use operand::{KMajor, Major, MnMajor, Operand, TileView};
pub use types::{Input, Multiply, SixteenBits, Sum};
