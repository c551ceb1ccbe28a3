//! Testing without a GPU: one body on the emulator, in several orders, and on a GPU where there is one.

use warploom::assert_gpu_matches_emulator;
use warploom::model::{Emulator, Mode, Model};
use warploom::prelude::*;
use warploom::testing::{Comparison, every_schedule};

// ANCHOR: kernel
/// Mean of each element and its two neighbours.
#[kernel]
fn smooth(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        let (before, after) = (at.saturating_sub(1), (at + 1).min(x.len() - 1));
        *y = (x[before] + x[at] + x[after]) / 3.0;
    }
}

fn smoothed(device: &Device, x: &[f32]) -> warploom::Result<Vec<f32>> {
    let stream = device.stream()?;
    let input = device.upload(x)?;
    let mut y = device.zeroed::<f32>(x.len())?;
    smooth::launch(&stream, Launch::covering(x.len()), &input, &mut y)?;
    Ok(y.to_vec(&stream)?)
}
// ANCHOR_END: kernel

// ANCHOR: plain
#[test]
fn a_step_becomes_a_slope() -> warploom::Result<()> {
    let device = Device::emulator();
    let y = smoothed(&device, &[0.0, 0.0, 0.0, 3.0, 3.0, 3.0])?;
    assert_eq!(y, [0.0, 0.0, 1.0, 2.0, 3.0, 3.0]);
    Ok(())
}
// ANCHOR_END: plain

// ANCHOR: everywhere
#[test]
fn all_orders_and_the_gpu_agree() {
    let x: Vec<f32> = (0..500).map(|i| (i as f32).sqrt()).collect();
    let always = Comparison::exact().schedules(every_schedule(5));
    let ran = assert_gpu_matches_emulator!(always, |device| smoothed(device, &x));
    assert_eq!(ran.emulator, 1 + 4 + 5); // the default order, four fixed ones, five random ones
}
// ANCHOR_END: everywhere

// ANCHOR: models
#[test]
fn a_small_gpu_is_emulated() -> warploom::Result<()> {
    let small = Device::emulator_of(Model::CC_7_5);
    assert_eq!(small.compute_capability(), (7, 5));
    let checked = Emulator::new().model(Model::CC_8_6).mode(Mode::Checked);
    for device in [small, checked.device()] {
        assert_eq!(smoothed(&device, &[3.0; 100])?, [3.0; 100]);
    }
    Ok(())
}
// ANCHOR_END: models
