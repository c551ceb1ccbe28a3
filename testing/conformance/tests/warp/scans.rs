//! Scans over the lanes of a warp.

use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::model::{noise, warp_of};

/// Associative and not commutative: the maps `v -> a * v + b`, first `p`, then `q`.
fn then(p: [u32; 2], q: [u32; 2]) -> [u32; 2] {
    [
        p[0].wrapping_mul(q[0]),
        p[1].wrapping_mul(q[0]).wrapping_add(q[1]),
    ]
}

#[kernel]
fn scans(warp: Warp, i: Index1D, leave: u32, x: &[[u32; 2]], mut y: DisjointSlice<[[u32; 2]; 2]>) {
    let v = x[i.get() % x.len()];
    if v[0] % 11 < leave {
        return;
    }
    let seen = [
        warp.inclusive_scan(v, then),
        warp.exclusive_scan(v, [1, 0], then),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: WS-2
#[test]
fn in_lane_order_over_those_that_are_there() {
    for block in [64usize, 96, 70, 3] {
        for leave in [0, 4] {
            let x: Vec<[u32; 2]> = (0..3 * block as u32)
                .map(|i| [noise(i) as u32, (noise(i) >> 32) as u32])
                .collect();
            let expected: Vec<[[u32; 2]; 2]> = (0..x.len())
                .map(|i| {
                    let (first, _) = warp_of(i, block);
                    let before = (first..i).map(|k| x[k]).filter(|v| v[0] % 11 >= leave);
                    if x[i][0] % 11 < leave {
                        return [[0; 2]; 2];
                    }
                    let before = before.reduce(then);
                    [
                        before.map_or(x[i], |b| then(b, x[i])),
                        before.unwrap_or([1, 0]),
                    ]
                })
                .collect();
            check(&expected, |device, stream| {
                let mut y = device.zeroed(x.len())?;
                scans::launch(
                    stream,
                    (3, block as u32),
                    leave,
                    &device.upload(&x)?,
                    &mut y,
                )?;
                Ok(y.to_vec(stream)?)
            });
        }
    }
}
