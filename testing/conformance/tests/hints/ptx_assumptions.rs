//! What assumptions remove.

use std::hint::{assert_unchecked, unreachable_unchecked};

use warploom::device_std::hint::assume_aligned;
use warploom::device_std::intrinsics::{prof_trigger_3, prof_trigger_4};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn four(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: never launched.
        let x = unsafe { x.as_ptr().add(4 * at) };
        // SAFETY: as above.
        let x = unsafe { assume_aligned::<16, f32>(x) };
        let x = |k| {
            // SAFETY: as above.
            let x = unsafe { x.add(k) };
            // SAFETY: as above.
            unsafe { *x }
        };
        *y = x(0) + x(1) + x(2) + x(3);
    }
}
// ptx: ld.global...v4.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn not_known(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: never launched.
        let x = unsafe { x.as_ptr().add(4 * at) };
        let x = |k| {
            // SAFETY: as above.
            let x = unsafe { x.add(k) };
            // SAFETY: as above.
            unsafe { *x }
        };
        *y = x(0) + x(1) + x(2) + x(3);
    }
}
// ptx-not: .v4

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn known(x: u32) {
    // SAFETY: never launched.
    unsafe { assert_unchecked(x < 10) };
    if x > 12 {
        prof_trigger_3();
    }
}
// ptx-not: pmevent

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn no_other(x: u32) {
    match x {
        0 => prof_trigger_3(),
        1 => prof_trigger_4(),
        // SAFETY: never launched.
        _ => unsafe { unreachable_unchecked() },
    }
}
// One comparison tells the two arms apart.
// ptx-count: 1 setp
// ptx-count: 2 pmevent

//@ rows: OH-2, OH-3, OH-5
#[test]
fn assumptions_are_used() {
    warploom_harness::ptx_file!("ptx_assumptions.rs");
}
