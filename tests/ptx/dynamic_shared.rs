//! Dynamic shared memory: one declaration without size, plain shared accesses, its length from the launch.

use warploom::prelude::*;

#[kernel]
fn reversed(
    block: Block,
    i: Index1D,
    tile: DynamicShared<u32>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let t = block.thread();
    let Some(last) = tile.len().checked_sub(1) else {
        return;
    };
    // SAFETY: never launched; the text alone matters.
    unsafe { tile.set(t, x.get(i.get()).copied().unwrap_or(0)) };
    block.sync();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: as above.
        *y = unsafe { tile.get(last - t.min(last)) };
    }
}
// ptx: %dynamic_smem_size
// ptx: st.shared.b32
// ptx: bar.sync
// ptx: ld.shared.b32
// ptx-module: __warploom_dynamic_shared
// ptx-not: cvta.shared

//@ rows: MS-6
#[test]
fn dynamic_shared_memory_is_shared_memory() {
    warploom_harness::ptx_file!("dynamic_shared.rs");
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    for image in images
        .iter()
        .filter(|i| i.ptx.contains("dynamic_shared_reversed") || i.ptx.contains(".entry reversed"))
    {
        let declared = ".extern .shared .align 128 .b8 __warploom_dynamic_shared[]";
        assert!(
            image.ptx.contains(declared),
            "no {declared} in {}",
            image.target
        );
    }
}
