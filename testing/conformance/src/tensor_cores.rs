//! Random products for every instruction of tensor cores, and a hash of their results: the same on a GPU and on the emulator, or one is wrong.

mod cases;
mod fragments;
mod numbers;
mod sparse;

pub use cases::*;
pub use fragments::*;
pub use numbers::{Distribution, Number, Rows, hash_of_element};
pub use sparse::*;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use warploom::LaunchError;
use warploom::prelude::*;

/// One combination of shape and types.
pub trait Case: 'static {
    /// The name of the intrinsic.
    const NAME: &'static str;
    /// Rows of A, columns of B, products in a sum.
    const SHAPE: [usize; 3];

    /// Computes a product of random matrices; calls `with(row, column, bits)` for each element of D that the lane has.
    fn run(
        warp: Warp<'_>,
        product: u64,
        distribution: Distribution,
        with: impl FnMut(usize, usize, u64),
    );

    /// The bits of an element of matrix `a`, `b` or `c` of such a product.
    fn operand(
        role: char,
        product: u64,
        distribution: Distribution,
        row: usize,
        column: usize,
    ) -> u64;
}

/// Adds to `sum` the hashes of all elements of D of the products `first..first + products`. Each warp takes every `n`-th of them.
#[kernel(block(256))]
pub fn hash<C: Case>(
    i: Index1D,
    warp: Warp,
    first: u64,
    products: u64,
    distribution: u32,
    sum: &[AtomicU64],
) {
    let warps = u64::from(grid_dim().x) * 8;
    let mut product = first + i.get() as u64 / 32;
    let mut own = 0u64;
    while product < first + products {
        C::run(
            warp,
            product,
            Distribution::of(distribution),
            |row, column, bits| {
                let element = hash_of_element(product, row as u64, column as u64, bits);
                own = own.wrapping_add(element);
            },
        );
        product += warps;
    }
    sum[0].fetch_add(own, Relaxed);
}

/// Leaves the bits of D of the products `first..` in row-major order, one product for each warp.
#[kernel(block(256))]
pub fn results<C: Case>(i: Index1D, warp: Warp, first: u64, distribution: u32, d: &[AtomicU64]) {
    let number = i.get() / 32;
    let [m, n, _] = C::SHAPE;
    C::run(
        warp,
        first + number as u64,
        Distribution::of(distribution),
        |row, column, bits| {
            d[number * m * n + row * n + column].store(bits, Relaxed);
        },
    );
}

/// The hash of the results of these products on this device. The number of warps, a multiple of 8, has no influence on it.
///
/// # Errors
/// Those of launches and copies.
pub fn hash_on<C: Case>(
    stream: &Stream,
    products: std::ops::Range<u64>,
    distribution: Distribution,
    warps: u32,
) -> warploom::Result<u64> {
    let (first, count) = (products.start, products.end - products.start);
    let distribution = distribution as u32;
    counted(stream, |sum| {
        let sum = sum.as_atomic();
        hash::<C>::launch(stream, (warps / 8, 256), first, count, distribution, sum)
    })
}

/// What a launch adds to the counter that it is given.
pub(crate) fn counted(
    stream: &Stream,
    launch: impl FnOnce(&mut DeviceBuffer<u64>) -> Result<(), LaunchError>,
) -> warploom::Result<u64> {
    let mut sum = stream.device().zeroed::<u64>(1)?;
    launch(&mut sum)?;
    Ok(sum.to_vec(stream)?[0])
}

/// D of 8 products, each in row-major order.
///
/// # Errors
/// Those of launches and copies.
pub fn results_on<C: Case>(
    stream: &Stream,
    first: u64,
    distribution: Distribution,
) -> warploom::Result<Vec<u64>> {
    let [m, n, _] = C::SHAPE;
    let mut d = stream.device().zeroed::<u64>(8 * m * n)?;
    results::<C>::launch(stream, (1, 256), first, distribution as u32, d.as_atomic())?;
    Ok(d.to_vec(stream)?)
}
