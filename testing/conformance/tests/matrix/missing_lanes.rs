//! Lanes that have returned before their warp multiplies matrices: numbers without meaning, and nothing else.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::device_std::mma::{A, B, D, M16N8, M16N8K16, M16N8K32, SparseA};
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// Products of which the lanes below `present` get the sums, the others return before.
#[kernel(block(32))]
fn products(
    block: Block,
    warp: Warp,
    mut tile: SharedTile<F16, 1024>,
    present: u32,
    sums: &[AtomicU32],
) {
    tile.fill(|_| F16::ONE);
    let tile = tile.publish(&block);
    if warp.lane() >= present {
        return;
    }
    let a = A::<M16N8K16, F16>::ldmatrix_rows(warp, &tile, 512, 16);
    let b = B::<M16N8K16, F16>::ldmatrix_columns(warp, &tile, 768, 16);
    let mut d: D<M16N8, f32> = warp.mma(a, b, D::zero());
    let sparse = SparseA::<M16N8K32, F16>::from_parts(a.registers(), 0x4444_4444);
    let [above, below] = b.registers();
    let b = B::from_registers([above, below, above, below]);
    d = warp.mma_sparse(sparse, b, d);
    d.for_each(warp, |row, column, value| {
        sums[row * 8 + column].store(value.to_bits(), Relaxed)
    });
}

#[test]
fn a_launch_ends_and_the_device_stays_usable() {
    on_each_device(|device, stream| {
        let mut sums = device.zeroed::<u32>(128)?;
        for present in [31, 16, 8, 1] {
            products::launch(stream, (4, 32), present, sums.as_atomic())?;
            // The emulator adds a note: what the missing lanes hold is no part of the products.
            stream.synchronize()?;
        }
        products::launch(stream, (1, 32), 32, sums.as_atomic())?;
        assert_eq!(
            sums.to_vec(stream)?,
            [32f32.to_bits(); 128],
            "on {}",
            device.name()
        );
        Ok(())
    });
}
