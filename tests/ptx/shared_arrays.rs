//! Static shared arrays: one per place in the program, also of one type; accesses are shared, not generic.

use warploom::prelude::*;

#[kernel]
fn two(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let (a, b) = (shared_array!(u32, 64), shared_array!(u32, 64));
    let t = block.thread() & 63;
    // SAFETY: never launched; the text alone matters.
    unsafe { a.set(t, 1) };
    // SAFETY: as above.
    unsafe { b.set(t, 2) };
    block.sync();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: as above.
        let a = unsafe { a.get(63 - t) };
        // SAFETY: as above.
        let b = unsafe { b.get(63 - t) };
        *y = a ^ b;
    }
}
// ptx-count: 2 .shared .align
// ptx-count: 2 st.shared.b32
// ptx-count: 2 ld.shared.b32
// ptx-not: cvta.shared
// ptx-not: cvta.to.shared
// ptx-not: panic

#[kernel]
fn aligned(block: Block, i: Index1D, mut y: DisjointSlice<u8>) {
    let bytes = shared_array!(u8, 48);
    // SAFETY: as above.
    unsafe { bytes.set(block.thread() % 48, 1) };
    block.sync();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: as above.
        *y = unsafe { bytes.get(3) };
    }
}
// ptx: .shared .align 16 .b8 ...[48]

//@ rows: MS-5
#[test]
fn arrays_are_distinct_and_shared() {
    warploom_harness::ptx_file!("shared_arrays.rs");
}
