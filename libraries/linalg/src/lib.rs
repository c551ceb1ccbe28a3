//! Products of matrices for [`warploom`]: `C = epilogue(alpha · A · B + beta · C + bias)`, on tensor cores where there are any.
//!
//! The trait [`Products`] of the [`prelude`] adds [`matmul`](Products::matmul) to [`Stream`], for operands that are a [`Matrix`]: row-major or column-major, with
//! leading distances, several of them with a stride. What happens to each sum before it is stored is a closure, compiled into the kernel.
//! The trait [`Attends`] adds [`attention`](Attends::attention): `softmax(scale · Q · Kᵀ) · V` of heads of 64 or 128.
//! Kernels are generic: a crate that multiplies compiles the kernels for the types and layouts that it uses, and no others. So it needs `warploom-build` and
//! the line in `build.rs`, as every crate with kernels.

mod arithmetic; // elements, sums, results
mod attention; // attention as a method of a stream
mod bulk; // operands for bulk copies
mod call; // the arguments of all kernels
mod epilogue; // what happens to each sum
mod error; // why a product did not run
mod kernels; // what runs on the device
mod matmul; // the product as a method of a stream
mod matrix; // how elements are arranged
mod plan; // which kernel runs
mod tuning; // the tiles of the kernels

pub use arithmetic::{Arithmetic, Element, Numbers, Output, Sum};
pub use attention::{Attends, Attention, HalfFloat, HeadExtents, Heads, HeadsMut};
pub use epilogue::{Epilogue, Place, gelu, relu};
pub use error::Error;
pub use matmul::{Matmul, MatmulThen, Products};
pub use matrix::{ColumnMajor, IntoElements, IntoElementsMut, Layout, Matrix, MatrixMut, RowMajor};
pub use plan::{Candidate, Extents, Family, MatmulPlan, Ran, Refused};

/// What most programs import with one line.
pub mod prelude {
    pub use crate::{Attends, Heads, HeadsMut, Matrix, MatrixMut, Products};
}

#[cfg(doc)]
use warploom::Stream;

// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
