//! What is left over of an unrolled loop comes before it, and an address that moves by what the launch says is one addition in each round: so
//! little else lives in registers that ptxas has room for many loads under way.
//@ release

use warploom::prelude::*;

#[kernel]
fn columns(at: Index2D, a: &[f32], b: &[f32], n: u32, mut c: DisjointSlice2D<f32>) {
    let n = n as usize;
    let (x, y) = (at.x(), at.y());
    if let Some(c) = c.get_mut(at) {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[y * n + k] * b[k * n + x];
        }
        *c = sum;
    }
}
// ptx: .pragma "nounroll";
// ptx: ld.global.nc.b32
// ptx: ld.global.nc.b32
// ptx: setp.lt.u32
// Four rounds: the first address of the column as it is, the others by one addition each.
// ptx: ld.global.nc.b32
// ptx-next: ld.global.nc.b32
// ptx: ld.global.nc.b32
// ptx-next: add.s64
// ptx-next: ld.global.nc.b32
// ptx: ld.global.nc.b32
// ptx-next: add.s64
// ptx-next: ld.global.nc.b32
// ptx: ld.global.nc.b32
// ptx-next: add.s64
// ptx-next: ld.global.nc.b32

#[test]
fn addresses_walk_and_remainders_come_first() {
    warploom_harness::ptx_file!("loop_walks.rs");
}
