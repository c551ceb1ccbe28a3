//! What a kernel requires of its launches needs no check in the kernel. (Checked builds check the contract itself.)
//@ release

use warploom::prelude::*;

#[kernel(requires(x.len() == y.len()))]
fn by_contract(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}
// ptx-not: panic
// ptx-not: call
// ptx-count: 1 setp
// ptx-count: 1 bra

#[kernel(requires(x.len() >= 64))]
fn by_mask(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get() % 64];
    }
}
// ptx-not: panic

#[test]
fn contracts_remove_checks() {
    warploom_harness::ptx_file!("contracts.rs");
}
