//! Bits are counted by instructions: without loops, and without branches for zero.
//@ release

use warploom::prelude::*;

#[kernel]
fn ones_by_clearing(i: Index1D, x: &[u64], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(&x)) = (y.get_mut(i), x.get(i.get())) {
        let (mut rest, mut count) = (x, 0);
        while rest != 0 {
            rest &= rest - 1;
            count += 1;
        }
        *y = count;
    }
}
// ptx: ld.global
// ptx: popc.b64
// ptx: st.global

#[kernel]
fn zeros_below(i: Index1D, x: &[u64], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.trailing_zeros();
    }
}
// ptx: ld.global
// ptx: popc.b64
// ptx: st.global
// ptx-count: 1 bra

#[test]
fn bits_are_counted_by_instructions() {
    warploom_harness::ptx_file!("bits.rs");
}
