//! Limits that the author sets reach ptxas, and nothing else does.

use warploom::prelude::*;

#[kernel(launch_bounds(256, 2))]
fn bounded(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}
// ptx: .maxntid 256
// ptx: .minnctapersm 2
// ptx-not: .reqntid
// ptx-not: .maxnreg

#[kernel(max_registers(40))]
fn few_registers(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 2;
    }
}
// ptx: .maxnreg 40
// ptx-not: .maxntid

#[kernel]
fn free(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 3;
    }
}
// ptx-not: .maxntid
// ptx-not: .maxnreg
// ptx-not: .minnctapersm
// ptx-not: .reqntid

#[test]
fn limits_reach_the_assembler() {
    warploom_harness::ptx_file!("launch_bounds.rs");
}
