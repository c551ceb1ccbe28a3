//! Random products of warp groups, and a hash of their results: the same on a GPU and on the emulator, or one is wrong.

mod cases;

pub use cases::*;

use crate::tensor_cores::{Distribution, Number, Rows, counted, hash_of_element};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use warploom::prelude::*;

/// One combination of types, number of columns and layouts.
pub trait GroupCase: 'static {
    /// Types, columns and layouts.
    const NAME: &'static str;
    /// Columns of D.
    const COLUMNS: usize;
    /// Products in a sum.
    const K: usize;
    /// Elements of D.
    type Sum: Number + 'static;

    /// Multiplies random matrices and adds to D, of which `sums` gives the bits before and gets them after.
    ///
    /// # Safety
    /// All 128 threads of the block make this call; `sums` gives each element to one thread.
    unsafe fn run(
        block: Block<'_>,
        warp: Warp<'_>,
        product: u64,
        distribution: Distribution,
        sums: impl FnMut(usize, usize, Option<u32>) -> u32,
    );

    /// The bits of an element of matrix `a` or `b` of such a product.
    fn operand(
        role: char,
        product: u64,
        distribution: Distribution,
        row: usize,
        column: usize,
    ) -> u64;
}

/// Writes random C of the products `first..`, one after the other in row-major order.
#[kernel(block(256))]
pub fn fill_sums<T: Number + 'static>(
    i: Index1D,
    first: u64,
    columns: u32,
    distribution: u32,
    mut sums: DisjointSlice<u32>,
) {
    let (at, columns) = (i.get() as u64, u64::from(columns));
    if let Some(sum) = sums.get_mut(i) {
        let rows = Rows {
            product: first + at / (64 * columns),
            distribution: Distribution::of(distribution),
        };
        let (row, column) = (at / columns % 64, at % columns);
        *sum = T::of_c(rows, row as usize, column as usize).bits() as u32;
    }
}

/// Multiplies, a product for each block, and adds to `sums`.
#[kernel(block(128))]
pub fn multiply<C: GroupCase>(
    block: Block,
    warp: Warp,
    first: u64,
    distribution: u32,
    mut sums: DisjointSlice<u32>,
) {
    let product = first + block.index() as u64;
    let own = sums.raw();
    let start = block.index() * 64 * C::COLUMNS;
    if start + 64 * C::COLUMNS > sums.len() {
        return;
    }
    let exchange = |row: usize, column: usize, new: Option<u32>| {
        // SAFETY: within the slice, as was checked above.
        let place = unsafe { own.add(start + row * C::COLUMNS + column) };
        if let Some(new) = new {
            // SAFETY: a block has its own 64 rows, of which an accumulator gives each element to one thread.
            unsafe { place.write(new) };
        }
        // SAFETY: as above.
        unsafe { place.read() }
    };
    // SAFETY: all threads of the block make this call.
    unsafe {
        C::run(
            block,
            warp,
            product,
            Distribution::of(distribution),
            exchange,
        )
    };
}

/// Adds to `sum` the hashes of all elements of D of the products `first..`.
#[kernel(block(256))]
pub fn hash_sums(i: Index1D, first: u64, columns: u32, sums: &[u32], sum: &[AtomicU64]) {
    let (at, columns) = (i.get() as u64, u64::from(columns));
    if let Some(bits) = sums.get(i.get()) {
        let (row, column) = (at / columns % 64, at % columns);
        let product = first + at / (64 * columns);
        sum[0].fetch_add(
            hash_of_element(product, row, column, (*bits).into()),
            Relaxed,
        );
    }
}

/// D of these products, one after the other in row-major order.
///
/// # Errors
/// Those of launches and copies.
pub fn results_on<C: GroupCase>(
    stream: &Stream,
    products: std::ops::Range<u64>,
    distribution: Distribution,
) -> warploom::Result<DeviceBuffer<u32>> {
    let count = (products.end - products.start) as usize;
    let elements = count * 64 * C::COLUMNS;
    let mut sums = stream.device().zeroed::<u32>(elements)?;
    let (first, columns, number) = (products.start, C::COLUMNS as u32, distribution as u32);
    let blocks = elements.div_ceil(256) as u32;
    fill_sums::<C::Sum>::launch(stream, (blocks, 256), first, columns, number, &mut sums)?;
    multiply::<C>::launch(stream, (count as u32, 128), first, number, &mut sums)?;
    Ok(sums)
}

/// The hash of the results of these products on this device.
///
/// # Errors
/// Those of launches and copies.
pub fn hash_on<C: GroupCase>(
    stream: &Stream,
    products: std::ops::Range<u64>,
    distribution: Distribution,
) -> warploom::Result<u64> {
    let first = products.start;
    let sums = results_on::<C>(stream, products, distribution)?;
    let shape = (sums.len().div_ceil(256) as u32, 256);
    counted(stream, |hash| {
        let hash = hash.as_atomic();
        hash_sums::launch(stream, shape, first, C::COLUMNS as u32, &sums, hash)
    })
}

/// Products whose hash is kept beside that of all: 32768 elements, or one product.
#[must_use]
pub const fn sample<C: GroupCase>() -> u64 {
    512 / C::COLUMNS as u64
}
