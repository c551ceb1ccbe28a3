//! Products of small matrices on tensor cores: each lane of a warp holds a part of them in registers.
//!
//! [`Warp::mma`](crate::Warp::mma) computes `D = A · B + C` of fragments [`A`], [`B`] and [`D`]. Which element is in which register of which lane is
//! part of their types: `coords(lane, i)`, the layout of the PTX manual, and the same in kernels, on the host and on the emulator.
//!
//! | shape | A, B | C, D | method | PTX, compute capability |
//! |---|---|---|---|---|
//! | [`M16N8K8`] | [`F16`](crate::F16) | `F16`, `f32` | `mma` | 6.5, 7.5 |
//! | [`M16N8K16`] | `F16` | `F16`, `f32` | `mma` | 7.0, 8.0 |
//! | `M16N8K8`, `M16N8K16` | [`Bf16`](crate::Bf16) | `f32` | `mma` | 7.0, 8.0 |
//! | [`M16N8K4`], `M16N8K8` | [`Tf32`] | `f32` | `mma` | 7.0, 8.0 |
//! | [`M8N8K4`] | `f64` | `f64` | `mma` | 7.0, 8.0 |
//! | `M16N8K4`, `M16N8K8`, `M16N8K16` | `f64` | `f64` | `mma` | 7.8, 9.0 |
//! | `M16N8K16`, [`M16N8K32`] | `i8` or `u8`, each | `i32` | `mma`, `mma_saturating` | 7.0, 8.0 |
//! | `M16N8K32`, [`M16N8K64`] | [`S4`] or [`U4`], each | `i32` | `mma`, `mma_saturating` | 7.0, 8.0 |
//! | [`M16N8K128`], [`M16N8K256`] | [`B1`] | `i32` | `mma_and` | 7.1, 8.0 |
//! | `M16N8K128`, `M16N8K256` | `B1` | `i32` | `mma_xor` | 7.0, 8.0 |
//! | `M16N8K32` | [`E4m3`] or [`E5m2`], each | `f32` | `mma` | 8.4, 8.9 |
//!
//! With a sparse A, [`SparseA`], of whose elements half are there:
//!
//! | shape | A, B | C, D | method | PTX, compute capability |
//! |---|---|---|---|---|
//! | `M16N8K16`, `M16N8K32` | `F16` | `F16`, `f32` | `mma_sparse` | 8.5, 8.0 |
//! | `M16N8K16`, `M16N8K32` | `Bf16` | `f32` | `mma_sparse` | 8.5, 8.0 |
//! | `M16N8K8`, `M16N8K16` | `Tf32` | `f32` | `mma_sparse` | 8.5, 8.0 |
//! | `M16N8K32`, `M16N8K64` | `i8` or `u8`, each | `i32` | `mma_sparse`, `mma_sparse_saturating` | 8.5, 8.0 |
//! | `M16N8K64`, `M16N8K128` | `S4` or `U4`, each | `i32` | `mma_sparse`, `mma_sparse_saturating` | 8.5, 8.0 |
//! | `M16N8K64` | `E4m3` or `E5m2`, each | `f32` | `mma_sparse` | 8.5, 8.9 |
//!
//! A kernel that uses one is compiled for that compute capability at least. Scaled products (`mma.block_scale`) and those of 7.0 and 12.0 (m8n8k4 of
//! `f16`, types of 4 and 6 bits of floating point) are missing.
//!
//! ```
//! # use warploom_emulator::{run, Shape};
//! use warploom_device_std::{F16, Warp, mma::{A, B, D, M16N8, M16N8K16}};
//! fn square(warp: Warp) {
//!     let a = A::<M16N8K16, F16>::from_fn(warp, |row, k| F16::from_f32((row + k) as f32));
//!     let b = B::<M16N8K16, F16>::from_fn(warp, |k, column| F16::from_f32(if k == column { 2.0 } else { 0.0 }));
//!     let d: D<M16N8, f32> = warp.mma(a, b, D::splat(1.0));
//!     d.for_each(warp, |row, column, value| assert_eq!(value, 2.0 * (row + column) as f32 + 1.0));
//! }
//! # run(Shape::new([1, 1, 1], [64, 1, 1]), &|| square(unsafe { Warp::from_launch() }))?;
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```
//! The arithmetic: all products of an instruction and C are added at once. Addends are aligned to the largest one and cut off some bits below it, then
//! the sum is rounded: toward zero to an `f32`, to nearest to an [`F16`](crate::F16). So a result may differ from that of a loop, and from one GPU to
//! the next. The emulator gives the bits of compute capability 9.0. Integers are exact, and `f64` is a chain of fused multiply-adds.

mod element; // `E4m3`, `S4`, `B1` …
mod fragment; // `A`, `B`, `D`
mod moves; // `movmatrix`
mod product; // `Warp::mma`
mod registers; // how elements lie in registers
mod rows; // `ldmatrix`, `stmatrix`
mod shape; // `M16N8K16` …
mod sparse; // `Warp::mma_sparse`
mod tf32; // `Tf32`

pub use element::{B1, E4m3, E5m2, Element, S4, SumElement, U4};
pub use fragment::{A, B, D};
pub use product::{AndCount, MultiplyAdd, MultiplyAddSaturating, XorCount};
pub use registers::Registers;
pub use rows::{InRows, SharedElements, Transposes};
pub use shape::{
    Holds, HoldsSums, M8N8, M8N8K4, M16N8, M16N8K4, M16N8K8, M16N8K16, M16N8K32, M16N8K64,
    M16N8K128, M16N8K256, Shape, SumShape,
};
pub use sparse::{
    HoldsSparse, SparseA, SparseElement, SparseMultiplyAdd, SparseMultiplyAddSaturating,
};
pub use tf32::Tf32;
