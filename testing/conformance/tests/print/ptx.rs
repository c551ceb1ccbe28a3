//! What printing costs: one atomic addition and stores; nothing where nothing is printed.

use warploom::gpu_println;
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn prints(i: Index1D, x: &[f32]) {
    if let Some(x) = x.get(i.get()) {
        gpu_println!("{}: {x}", i.get());
    }
}
// ptx: ld.global.b64 ... [__warploom_print_ring]
// ptx: atom.
// ptx: st.volatile
// ptx: fence ... sys
// ptx: st.volatile
// ptx-module-not: call
// ptx-module-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn silent(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}
// ptx-module-not: __warploom_print_ring

//@ rows: GPF-23
#[test]
fn printing_is_one_atomic_and_stores() {
    warploom_harness::ptx_file!("ptx.rs");
}

//@ rows: GPF-23
#[test]
fn printing_needs_no_newer_architecture() {
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    let printing: Vec<_> = images
        .iter()
        .filter(|i| {
            i.kernels
                .iter()
                .any(|(name, _)| name.ends_with("ptx::prints"))
        })
        .collect();
    assert_eq!(printing.len(), 1);
    assert_eq!(printing[0].arch, "sm_75");
    assert_eq!(
        printing[0].kernels.len(),
        1,
        "printing kernels need not share an image"
    );
}
