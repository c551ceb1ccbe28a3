//! `is_device()` and `arch()`.

use warploom::device_std::{FeatureSet, arch, feature_set, is_device};
use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

#[kernel]
fn ask(i: Index1D, mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = [u32::from(is_device()), arch()];
    }
}

//@ rows: EX-6, MC-1, GPM-11, GFN-6, E-24
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
            // The images that a kernel gets which asks.
            let images: &[u32] = if device.is_gpu() { &[75, 80, 90] } else { &[0] };
            assert!(images.contains(&arch), "{arch} on {}", device.name());
        }
        Ok(())
    });
}

#[kernel]
fn features(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = match feature_set() {
            FeatureSet::Base => 1,
            FeatureSet::Specific(arch) => arch,
            _ => 2,
        };
    }
}

//@ rows: MC-6
#[test]
fn features_of_one_architecture_are_those_of_the_image_that_runs() {
    assert_eq!(feature_set(), FeatureSet::Base);
    on_each_device(|device, stream| {
        // A kernel that asks gets an image for sm_90a, which runs on GPUs of compute capability 9.0 alone.
        let is_specific = device.is_gpu() && device.compute_capability() == (9, 0);
        let expected = if is_specific { 90 } else { 1 };
        let mut y = device.zeroed(33)?;
        features::launch(stream, (1, 33), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [expected; 33], "{}", device.name());
        Ok(())
    });
}

#[kernel]
fn by_cfg(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = if cfg!(warploom_device) { 2 } else { 1 };
    }
}

//@ rows: MC-7
#[test]
fn cfg_knows_the_pass() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(33)?;
        by_cfg::launch(stream, (1, 33), &mut y)?;
        // Checked runs on the emulator are runs of device code.
        let y = y.to_vec(stream)?;
        assert!(y == [2; 33] || y == [1; 33] && !device.is_gpu(), "{y:?}");
        Ok(())
    });
    for (mode, expected) in [(Mode::Fast, 1), (Mode::Checked, 2)] {
        let device = Emulator::new().mode(mode).device();
        let stream = device.stream().unwrap();
        let mut y = device.zeroed(33).unwrap();
        by_cfg::launch(&stream, (1, 33), &mut y).unwrap();
        assert_eq!(y.to_vec(&stream).unwrap(), [expected; 33]);
    }
}

#[kernel]
fn sized<T: Plain + Default>(i: Index1D, mut y: DisjointSlice<u32>, value: T) {
    if let Some(y) = y.get_mut(i) {
        *y = match arch() {
            0 => size_of_val(&value) as u32,
            _ => size_of::<T>() as u32,
        };
    }
}

/// The signature is one source for both passes, and an instance is wanted wherever host code launches it.
//@ rows: MC-2, MC-3
#[test]
fn instances_do_not_depend_on_the_architecture() {
    check(&[[1, 4, 16]; 35], |device, stream| {
        let mut y = [device.zeroed(35)?, device.zeroed(35)?, device.zeroed(35)?];
        sized::launch(stream, (1, 35), &mut y[0], 0u8)?;
        sized::launch(stream, (1, 35), &mut y[1], 0f32)?;
        sized::launch(stream, (1, 35), &mut y[2], [0u64; 2])?;
        let [a, b, c] = [
            y[0].to_vec(stream)?,
            y[1].to_vec(stream)?,
            y[2].to_vec(stream)?,
        ];
        Ok((0..35).map(|i| [a[i], b[i], c[i]]).collect())
    });
}
