//! A `match` whose arms only compute is no branch, so that loads of a loop do not wait for the arms of the iteration before.
//@ release

use warploom::prelude::*;

#[kernel]
fn counts_of_columns(i: Index1D, x: &[u8], rows: usize, mut y: DisjointSlice<[u32; 2]>) {
    let columns = y.len();
    if let Some(y) = y.get_mut(i) {
        let mut counts = [0; 2];
        for row in 0..rows {
            match x[row * columns + i.get()] {
                b'0' => counts[0] += 1,
                b'1' => counts[1] += 1,
                _ => {}
            }
        }
        *y = counts;
    }
}
// ptx: ld.global.nc.b8
// ptx-next: setp.eq.b16
// ptx-next: setp.eq.b16
// ptx-next: selp.b32

#[test]
fn arms_that_compute_are_selected() {
    warploom_harness::ptx_file!("matches.rs");
}
