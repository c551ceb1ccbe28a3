//! What devices without tensor memory say.

use warploom::device_std::tcgen05::TensorMemory;
use warploom::device_std::{FeatureSet, feature_set};
use warploom::model::Model;
use warploom::prelude::*;
use warploom_conformance::tensor_memory_matmul::matmul_on;
use warploom_harness::device_test::{gpu_or_skip, on_each_device};

/// What the device says of a product of one tile.
fn refusal(device: &Device) -> String {
    let multiply = || -> warploom::Result<()> {
        let stream = device.stream()?;
        let (a, b) = (device.zeroed(128 * 64)?, device.zeroed(128 * 64)?);
        let mut c = device.zeroed(128 * 128)?;
        matmul_on(&stream, (&a, &b), &mut c, [128, 128, 64])?;
        Ok(stream.synchronize()?)
    };
    multiply()
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

//@ rows: TM-product
#[test]
fn the_emulator_says_that_it_does_not_calculate_it() {
    let text = refusal(&Device::emulator());
    assert!(
        text.contains(
            "`tcgen05.alloc` needs a GPU of compute capability 10.0, and the emulator does not calculate it"
        ),
        "{text}"
    );
}

#[test]
fn the_emulator_stays_usable() {
    let device = Device::emulator();
    assert!(refusal(&device).contains("tcgen05.alloc"));
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(1).unwrap();
    with_other_code::launch(&stream, (1, 128), &mut y).unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [7]);
}

/// The launch is refused, on a GPU and on the emulator of one.
#[test]
fn other_gpus_have_no_image() {
    if warploom_harness::ptx::images().is_none() {
        return;
    }
    let emulated = Device::emulator_of(Model::CC_9_0);
    let gpu = gpu_or_skip().filter(|gpu| gpu.compute_capability() != (10, 0));
    for device in gpu.into_iter().chain([emulated]) {
        let text = refusal(&device);
        assert!(
            text.contains("no device code of kernel `tile_product` runs on")
                && text.contains("sm_100a (compute capability 10.0 only)"),
            "{text}"
        );
    }
}

/// That of the GPU that has tensor memory launches it, and says that it does not calculate it.
#[test]
fn the_emulator_of_a_gpu_with_tensor_memory_does_not_calculate_it_either() {
    let text = refusal(&Device::emulator_of(Model::CC_10_0));
    assert!(
        text.contains("the emulator does not calculate it"),
        "{text}"
    );
}

/// A kernel that has tensor memory where there is some.
#[kernel(block(128))]
fn with_other_code(block: Block, mut y: DisjointSlice<u32>) {
    if feature_set() == FeatureSet::Specific(100) {
        // SAFETY: all threads, which release it at once.
        unsafe { TensorMemory::<'_, 32>::allocate(block) }.release(block);
    }
    if block.thread() == 0 && !y.is_empty() {
        // SAFETY: one thread of one block, within the slice.
        unsafe { y.raw().write(7) };
    }
}

#[test]
fn other_code_runs_elsewhere() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(1)?;
        with_other_code::launch(stream, (1, 128), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [7], "on {}", device.name());
        Ok(())
    });
}
