//! Code for tensor memory is in images for compute capability 10.0 alone.

use warploom::device_std::tcgen05::TensorMemory;
use warploom::device_std::wgmma::{Accumulator, WarpGroup};
use warploom::device_std::{FeatureSet, feature_set};
use warploom::prelude::*;

/// Each architecture has its own code.
#[kernel(block(128))]
#[allow(dead_code, reason = "never launched")]
fn each_has_its_own_code(block: Block, mut y: DisjointSlice<f32>) {
    let mut number = 1.0;
    if feature_set() == FeatureSet::Specific(100) {
        // SAFETY: never launched.
        unsafe { TensorMemory::<'_, 32>::allocate(block) }.release(block);
        number = 2.0;
    } else if feature_set() == FeatureSet::Specific(90) {
        let group = WarpGroup::new(block);
        let sums = group.begin(Accumulator::<8, f32>::zero()).commit().wait();
        number = sums.get(0);
    }
    // SAFETY: as above.
    unsafe { y.raw().write(number) };
}
// ptx-arch: sm_75
// ptx-not: tcgen05
// ptx-not: wgmma
// ptx-arch: sm_90a
// ptx-not: tcgen05
// ptx: wgmma.wait_group.sync.aligned 0;
// ptx-arch: sm_100a
// ptx: tcgen05.alloc.cta_group::1.sync.aligned.b32
// ptx: tcgen05.dealloc.cta_group::1.sync.aligned.b32
// ptx-not: wgmma

//@ rows: TM-product
#[test]
fn images_have_what_their_architecture_has() {
    warploom_harness::ptx_file!("ptx_images.rs");
}

/// What asks for the feature set and uses no tensor memory has no image for 10.0.
#[kernel(block(32))]
#[allow(dead_code, reason = "never launched")]
fn asks_for_other_features(mut y: DisjointSlice<u32>) {
    let is_hopper = feature_set() == FeatureSet::Specific(90);
    // SAFETY: never launched.
    unsafe { y.raw().write(u32::from(is_hopper)) };
}

#[test]
fn kernels_without_tensor_memory_have_no_image_for_it() {
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    let mut archs: Vec<&str> = images
        .iter()
        .filter(|image| {
            let mut kernels = image.kernels.iter();
            kernels.any(|(name, _)| name.ends_with("ptx_images::asks_for_other_features"))
        })
        .map(|image| image.arch.as_str())
        .collect();
    archs.sort_unstable();
    archs.dedup();
    assert!(
        !archs.is_empty() && !archs.contains(&"sm_100a"),
        "{archs:?}"
    );
}
