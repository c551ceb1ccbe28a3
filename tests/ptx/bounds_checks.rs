//! A bounds check is there where it is needed, and gone where the kernel's own test makes it needless.

use warploom::prelude::*;

#[kernel]
fn checked(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}
// ptx: panic_bounds_check
// What a panic tells goes straight to the host: a stack in local memory would cost each launch.
// ptx-module-not: .local

#[kernel]
fn by_test(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x;
    }
}
// ptx-not: panic

#[test]
fn checks_that_cannot_fail_are_gone() {
    warploom_harness::ptx_file!("bounds_checks.rs");
}
