//! Roles, shapes and layouts: the types that name a fragment.

mod sealed {
    pub trait Sealed {}
}

/// `A` of `A · B + C`: `M` rows and `K` columns. CUDA: `wmma::matrix_a`.
#[derive(Clone, Copy, Debug)]
pub enum MatrixA {}
/// `B` of `A · B + C`: `K` rows and `N` columns. CUDA: `wmma::matrix_b`.
#[derive(Clone, Copy, Debug)]
pub enum MatrixB {}
/// `C` and the result of `A · B + C`: `M` rows and `N` columns. CUDA: `wmma::accumulator`.
#[derive(Clone, Copy, Debug)]
pub enum Accumulator {}

/// Row by row: the elements of a row are neighbours. CUDA: `wmma::row_major`, `wmma::mem_row_major`.
#[derive(Clone, Copy, Debug)]
pub struct RowMajor;
/// Column by column: the elements of a column are neighbours. CUDA: `wmma::col_major`, `wmma::mem_col_major`.
#[derive(Clone, Copy, Debug)]
pub struct ColMajor;

/// [`RowMajor`] or [`ColMajor`].
///
/// ```compile_fail,E0277
/// struct Diagonal;
/// impl warploom_device_std::wmma::Layout for Diagonal {}
/// ```
pub trait Layout: sealed::Sealed + Copy + 'static {
    /// Whether the elements of a row are neighbours.
    const IS_ROW_MAJOR: bool;
}

impl sealed::Sealed for RowMajor {}
impl sealed::Sealed for ColMajor {}
impl Layout for RowMajor {
    const IS_ROW_MAJOR: bool = true;
}
impl Layout for ColMajor {
    const IS_ROW_MAJOR: bool = false;
}

/// The sizes of a product: `A` is `M × K`, `B` is `K × N`, the result is `M × N`.
///
/// ```
/// use warploom_device_std::wmma::{M32N8K16, Shape};
/// assert_eq!((M32N8K16::M, M32N8K16::N, M32N8K16::K), (32, 8, 16));
/// ```
pub trait Shape: sealed::Sealed + Copy + 'static {
    /// Rows of `A` and of the result.
    const M: usize;
    /// Columns of `B` and of the result.
    const N: usize;
    /// Columns of `A` and rows of `B`.
    const K: usize;
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident $m:literal $n:literal $k:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl sealed::Sealed for $name {}
        impl Shape for $name {
            const M: usize = $m;
            const N: usize = $n;
            const K: usize = $k;
        }
    )*};
}

shapes! {
    /// 16 × 16 × 16: `F16`, `Bf16`, `i8`, `u8`.
    M16N16K16 16 16 16;
    /// 32 × 8 × 16: `F16`, `Bf16`, `i8`, `u8`.
    M32N8K16 32 8 16;
    /// 8 × 32 × 16: `F16`, `Bf16`, `i8`, `u8`.
    M8N32K16 8 32 16;
    /// 16 × 16 × 8: `Tf32`.
    M16N16K8 16 16 8;
    /// 8 × 8 × 4: `f64`.
    M8N8K4 8 8 4;
    /// 8 × 8 × 32: `S4`, `U4`.
    M8N8K32 8 8 32;
    /// 8 × 8 × 128: `B1`.
    M8N8K128 8 8 128;
}
