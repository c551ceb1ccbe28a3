//! What `Device::take_access_costs` gives.

use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom::{Device, Launch};

/// Reads what follows.
#[kernel]
fn next(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get() + 1];
    }
}

/// Launches `next` for 64 threads, with an input of `n` elements: the last thread panics where that is below 65.
fn launch(device: &Device, n: usize) -> warploom::Result<()> {
    let stream = device.stream()?;
    let (x, mut y) = (device.zeroed::<f32>(n)?, device.zeroed::<f32>(64)?);
    next::launch(&stream, Launch::new(1, 64), &x, &mut y)?;
    Ok(stream.synchronize()?)
}

fn with_lints() -> Device {
    Emulator::new().mode(Mode::Checked).lints(true).device()
}

#[test]
fn launches_of_one_kernel_are_summed_until_they_are_taken() {
    let device = with_lints();
    launch(&device, 65).unwrap();
    launch(&device, 65).unwrap();
    let [of] = &device.take_access_costs()[..] else {
        unreachable!("one kernel was launched");
    };
    assert_eq!((&*of.kernel, of.launches), ("next", 2));
    let loads = of.costs.global_loads;
    assert_eq!((loads.instructions, loads.sectors), (4, 20));
    assert_eq!(device.take_access_costs(), []);
}

#[test]
fn a_launch_that_panics_is_not_counted() {
    let device = with_lints();
    launch(&device, 64).unwrap_err();
    assert_eq!(device.take_access_costs(), []);
}

#[test]
fn nothing_is_counted_without_lints() {
    let device = Emulator::new().mode(Mode::Checked).lints(false).device();
    launch(&device, 65).unwrap();
    assert_eq!(device.take_access_costs(), []);
}
