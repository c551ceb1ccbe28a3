//! Statics of a library, which kernels of the library and of this crate use: they are in two images.

use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_conformance::library::{CALLS, HITS, STEP, hit, restart};
use warploom_harness::device_test::on_each_kind_of_device;

#[kernel]
fn strike(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = hit();
    }
}

/// Uses the constant only.
#[kernel]
fn tell_step(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = *STEP;
    }
}

//@ rows: MS-1, MS-2, MS-3, MS-4, GVAR-1, GVAR-2
#[test]
fn a_static_is_one_for_the_kernels_of_all_crates() {
    on_each_kind_of_device(|device, stream| {
        let (hits, step) = (device.symbol(&HITS)?, device.symbol(&STEP)?);
        assert_eq!((hits.read(stream)?, step.read(stream)?), (100, 3));
        let mut y = device.zeroed(70)?;
        let mut round = |expected_from: u32, by: u32| -> warploom::Result<()> {
            strike::launch(stream, (2, 35), &mut y)?;
            let mut seen = y.to_vec(stream)?;
            seen.sort_unstable();
            assert_eq!(
                seen,
                Vec::from_iter((0..70).map(|k| expected_from + by * k))
            );
            Ok(())
        };
        round(100, 3)?;
        restart::launch(stream, (1, 32), 1000)?;
        round(1003, 3)?;
        step.write(stream, &5)?;
        restart::launch(stream, (1, 32), 2000)?;
        round(2005, 5)?;
        assert_eq!(hits.read(stream)?, 2005 + 5 * 70);
        hits.write(stream, &7)?;
        round(7, 5)?;
        let calls = device.managed(&CALLS)?;
        assert_eq!([0, 1].map(|k: usize| calls[k].load(Relaxed)), [280, 2]);
        let mut y = device.zeroed(5)?;
        tell_step::launch(stream, (1, 5), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [5; 5]);
        Ok(())
    });
}
