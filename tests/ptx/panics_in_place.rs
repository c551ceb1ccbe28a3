//! A kernel that calls nothing but panics has them in place: with a call ptxas would give the whole kernel more registers and instructions.

use warploom::prelude::*;

#[kernel]
fn checks(i: Index1D, x: &[u32], z: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] ^ z[i.get()];
    }
}
// ptx: // __warploom_panic_bounds_check
// ptx: atom.relaxed.sys.global.and.b64
// ptx: // __warploom_panic_bounds_check
// ptx: atom.relaxed.sys.global.and.b64
// ptx-not: call

#[kernel]
fn formats(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        assert!(*y != 4, "a number: {:5}", *y);
        *y = x[i.get()];
    }
}
// ptx: call ... panic_bounds_check
// ptx-not: atom

#[test]
fn panics_stand_in_kernels_that_call_nothing_else() {
    warploom_harness::ptx_file!("panics_in_place.rs");
}
