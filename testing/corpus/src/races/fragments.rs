//! Matrices of warps in shared memory, between warps.

use warploom::device_std::wmma::{Accumulator, Fragment, M16N16K16, RowMajor};
use warploom::prelude::*;

use crate::case::{case, cases, launch};

type Sums = Fragment<Accumulator, M16N16K16, f32>;

/// Warp 0 stores its sums, the other loads them.
#[kernel]
fn stored_and_loaded<const BUG: bool>(
    warp: Warp,
    block: Block,
    mut y: DisjointSlice2D<f32, WarpPatches<16, 16>>,
) {
    let tile = shared_array!(f32, 256);
    let mut sums = Sums::filled(3.0);
    // SAFETY: 16 lines of 16 elements, with a barrier between storing and loading. The bug is the point.
    unsafe {
        if warp.index() == 0 {
            sums.store_raw(warp, tile.as_ptr(), 16, RowMajor); //~ WL0101 first
        }
        if !BUG {
            block.sync();
        }
        if warp.index() == 1 {
            sums = Sums::load_raw(warp, tile.as_ptr(), 16, RowMajor); //~ WL0101 second
        }
    }
    if let Some(mut patch) = y.get_mut(warp) {
        sums.store(warp, &mut patch, (0, 0), RowMajor);
    }
}

cases!("fragments.rs":
    case!(stored_and_loaded, "", |run| {
        let mut y = run.zeroed::<f32>(512)?;
        launch!(run, stored_and_loaded, (1, 64), y.view_2d_mut(16)?);
        run.expect(&y, |_| 3.0)
    }),
);
