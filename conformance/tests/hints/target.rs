//! `is_device()` and `arch()`.

use warploom::device::{arch, is_device};
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

#[kernel]
fn ask(i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = [u32::from(is_device()), arch()];
    }
}

//@ rows: EX-6, MC-1
#[test]
fn code_knows_where_it_runs() {
    assert!(!is_device(), "this is the host");
    on_each_device(|device, stream| {
        let mut y = device.zeroed(70)?;
        ask::launch(stream, (2, 35), &mut y)?;
        for [on_device, arch] in y.to_vec(stream)? {
            assert_eq!(
                on_device, 1,
                "a kernel runs on a device, the emulator included"
            );
            assert_eq!(arch, if device.is_gpu() { 75 } else { 0 });
        }
        Ok(())
    });
}
