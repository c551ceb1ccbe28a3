//! The least of some bytes is taken one by one: NVPTX has no arithmetic on vectors of bytes.
//@ release

use warploom::prelude::*;

#[kernel]
fn least_of_row(i: Index1D, width: u32, x: &[u8], mut y: DisjointSlice<u8>) {
    if let Some(y) = y.get_mut(i) {
        let row = &x[i.get() * width as usize..][..width as usize];
        *y = row.iter().copied().min().unwrap_or(u8::MAX);
    }
}
// ptx: ld.global.nc.b8
// ptx: min.u32
// ptx: st.global.b8
// ptx-not: prmt

#[test]
fn minima_of_bytes_are_taken_one_by_one() {
    warploom_harness::ptx_file!("byte_minima.rs");
}
