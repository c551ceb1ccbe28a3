//! Debug assertions leave nothing in release builds.
//@ release

use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn unchecked(i: Index1D, mut y: DisjointSlice<u32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        debug_assert!(at % 7 != 3, "three");
        *y = 1;
    }
}
// ptx-not: rem
// ptx-not: mul.hi
// ptx-module-not: exit

//@ rows: DB-2
#[test]
fn debug_assertions_are_gone() {
    warploom_harness::ptx_file!("ptx_release.rs");
}
