//! Branches on `arch()` are decided when the image is made, and what they leave out asks for nothing.

use warploom::device_std::{arch, intrinsics};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn guarded(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = if arch() >= 90 {
            intrinsics::clusters()
        } else {
            7
        };
    }
}
// ptx-arch: sm_75
// ptx-not: cluster
// ptx-arch: sm_90
// ptx: %nclusterid.x

/// What an old architecture lacks raises that of the kernel.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn unguarded(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = intrinsics::clusters();
    }
}
// ptx: %nclusterid.x

//@ rows: MC-1, GFN-6
#[test]
fn branches_on_the_architecture_are_decided() {
    warploom_harness::ptx_file!("ptx_arch.rs");
}

//@ rows: MC-5
#[test]
fn a_kernel_gets_the_architecture_that_it_needs() {
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    let of = |kernel: &str| {
        let holds = |i: &&warploom_harness::ptx::Image| {
            i.kernels.iter().any(|(name, _)| name.ends_with(kernel))
        };
        let archs = images.iter().filter(holds).map(|i| i.arch.clone());
        archs.collect::<Vec<_>>()
    };
    // For 8.0 there is nothing else than for 7.5.
    assert_eq!(of("::guarded"), ["sm_75", "sm_90"]);
    assert_eq!(of("::unguarded"), ["sm_90"]);
}
