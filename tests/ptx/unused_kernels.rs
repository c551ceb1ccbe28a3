//! Kernels that nothing in this crate launches are there all the same, several of one name too.

use warploom::prelude::*;

#[kernel]
fn never_launched(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 10;
    }
}
// ptx: 10;

mod inner {
    use warploom::prelude::*;

    #[kernel]
    pub(super) fn same_name(i: Index1D, mut y: DisjointSlice<u32>) {
        if let Some(y) = y.get_mut(i) {
            *y = 11;
        }
    }
}

#[kernel]
fn same_name(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 12;
    }
}
// ptx: 12;

#[test]
fn every_kernel_is_there() {
    warploom_harness::ptx_file!("unused_kernels.rs");
    if let Some(images) = warploom_harness::ptx::images() {
        let name = concat!(module_path!(), "::inner::same_name");
        let codes = warploom_harness::ptx::instances(&images, name);
        assert!(
            codes.iter().all(|c| c.own.contains(", 11;")) && !codes.is_empty(),
            "{codes:#?}"
        );
    }
}

//@ rows: GCO-9
#[test]
fn a_program_reads_the_ptx_that_it_carries() {
    let carried = warploom::module::carried_ptx().unwrap();
    if warploom_harness::ptx::images().is_none() {
        assert_eq!(carried.len(), 0);
        return;
    }
    let name = concat!(module_path!(), "::inner::same_name");
    let found: Vec<&str> = carried.iter().filter_map(|ptx| ptx.kernel(name)).collect();
    assert!(!found.is_empty(), "no PTX of {name}");
    for text in found {
        let starts = text.starts_with(".visible .entry ") && text.ends_with("\n}");
        assert!(starts && text.contains(", 11;"), "{text}");
    }
    for ptx in carried {
        for kernel in ptx.kernels() {
            assert!(ptx.kernel(kernel).is_some(), "{kernel}");
        }
        assert!(ptx.text().contains(&format!(".target {}", ptx.arch())));
    }
}
