//! Where statics are in PTX: their space, their visibility, their bytes, and the instructions that reach them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::device_std::atomic;
use warploom::prelude::*;
use warploom_device_std::{constant_static, device_static, managed_static};

device_static! {
    static SHOWN: [AtomicU32; 2] = [AtomicU32::new(4), AtomicU32::new(0x0102_0304)];
    static LOG: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];
    static HIGHEST: Atomic<u32> = Atomic::new(3);
}

constant_static! {
    static WEIGHTS: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
}

managed_static! {
    static BOTH: AtomicU32 = AtomicU32::new(9);
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn add(i: Index1D) {
    SHOWN[i.get() % 2].fetch_add(1, Relaxed);
}
// ptx: atom...global.add.u32
// ptx-not: cvta

/// The scope of the device, and no result.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn raise(i: Index1D) {
    HIGHEST.fetch_max(i.get() as u32, atomic::Relaxed);
}
// ptx: red.relaxed.gpu.global.max.u32
// ptx-not: cvta

/// Nothing but the host reads what this leaves.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn write_only(i: Index1D) {
    LOG[i.get() % 8].store(i.get() as u32, Relaxed);
}
// ptx: st.relaxed...global.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn weigh(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x * WEIGHTS[i.get() % 4];
    }
}
// ptx: ld.const.b32

/// The initial value is no fact: the host may have written another.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn first_weight(i: Index1D, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(i) {
        *y = WEIGHTS[0];
    }
}
// ptx: ld.const.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn add_to_both(_i: Index1D) {
    BOTH.fetch_add(1, Relaxed);
    BOTH.fetch_add(2, Relaxed);
}
// ptx-count: 1 __warploom_static_BOTH
// ptx-count: 2 add.u32

//@ rows: MS-1, MS-2, MS-4
#[test]
fn statics_are_reached_in_their_spaces() {
    warploom_harness::ptx_file!("ptx_statics.rs");
}

/// The lines that start with a directive and name this variable, of all images.
fn declarations(name: &str) -> Vec<String> {
    let Some(images) = warploom_harness::ptx::images() else {
        return vec![];
    };
    let lines = images.iter().flat_map(|image| image.ptx.lines());
    let named = lines.filter(|line| line.starts_with('.') && line.contains(&format!("_{name}[")));
    named.map(str::to_owned).collect()
}

//@ rows: MS-1, MS-2
#[test]
fn statics_are_visible_and_have_their_bytes() {
    if warploom_harness::ptx::images().is_none() {
        return;
    }
    let shown =
        ".visible .global .align 4 .b8 __warploom_static_SHOWN[8] = {4, 0, 0, 0, 4, 3, 2, 1};";
    assert_eq!(declarations("SHOWN"), [shown]);
    let weights = ".visible .const .align 4 .b8 __warploom_static_WEIGHTS[16] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64};";
    assert_eq!(
        declarations("WEIGHTS"),
        [weights],
        "both kernels share an image"
    );
}
