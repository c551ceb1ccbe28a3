//! A panic writes a record and ends its thread. It never traps, which would cost the host its context.

use warploom::prelude::*;

#[kernel]
fn index(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}
// ptx: panic_bounds_check
// ptx-module: atom...and.b64
// ptx-module: exit;
// ptx-module-not: trap

#[expect(clippy::expect_used, reason = "the panic is what is tested")]
#[kernel]
fn messages(i: Index1D, mut y: DisjointSlice<u32>) {
    let Some(y) = y.get_mut(i) else { return };
    assert!(*y != 3, "a literal");
    assert!(*y != 4, "a number: {}", *y);
    *y = Some(*y).filter(|v| *v != 5).expect("not five");
    *y = 100 / *y;
}
// ptx-module: panic_str
// ptx-module: panic_values_1
// ptx-module: st.release.sys.global.b32
// ptx-module: exit;
// ptx-module-not: trap

#[kernel]
fn slices(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let Some(y) = y.get_mut(i) else { return };
    let from = *y as usize;
    *y = x[from..from + 3].iter().fold(0, |a, b| a ^ b);
}
// ptx-module: slice_index_fail
// ptx-module: exit;
// ptx-module-not: trap

#[test]
fn panics_record_and_exit() {
    warploom_harness::ptx_file!("panics.rs");
}
