//! Additions of half floats and of vectors: their instructions, at each order and scope.

use super::ptx_operations::instructions;
use warploom::device_std::atomic::{Atomic, Relaxed, scope};
use warploom::device_std::intrinsics as raw;
use warploom::prelude::*;
use warploom_harness::ptx;

macro_rules! at_each_order {
    ($scope:literal |$how:ident| $body:expr) => {
        at_each_order!(@ $scope |$how| $body; 0 1 2 3 4)
    };
    (@ $scope:literal |$how:ident| $body:expr; $($order:literal)*) => {
        $({ const $how: u32 = 4 * $order + $scope; $body; })*
    };
}

macro_rules! kernels {
    ($($name:ident: $scope:literal;)*) => {$(
        #[kernel]
        #[allow(dead_code, reason = "never launched")]
        fn $name(short: &[Atomic<u16>], pair: &[Atomic<u32>], float: &[Atomic<[f32; 4]>], v: u16, w: u32, f: f32, mut y: DisjointSlice<u32>) {
            let ([short, ..], [pair, ..], [float, ..]) = (short, pair, float) else { return };
            let (short, pair, float) = (short.as_ptr(), pair.as_ptr(), float.as_ptr().cast::<f32>());
            let y = y.raw();
            // SAFETY: never launched; the text alone matters.
            unsafe {
                at_each_order!($scope |HOW| {
                    y.write_volatile(raw::atomic_fetch_add_f16(short, v, HOW).into());
                    y.write_volatile(raw::atomic_fetch_add_bf16(short, v, HOW).into());
                    y.write_volatile(raw::atomic_fetch_add_f16x2(pair, w, HOW));
                    y.write_volatile(raw::atomic_fetch_add_bf16x2(pair, w, HOW));
                    raw::atomic_fetch_add_f16(short, v, HOW);
                    let mut out = [0.0; 4];
                    raw::atomic_fetch_add_f32x2(float, f, 1.0, out.as_mut_ptr(), HOW);
                    y.write_volatile(out[1].to_bits());
                    raw::atomic_fetch_add_f32x4(float, f, 1.0, f, 3.0, out.as_mut_ptr(), HOW);
                    y.write_volatile(out[3].to_bits());
                });
            }
        }
    )*};
}
kernels! {
    halves_block: 0;
    halves_cluster: 1;
    halves_device: 2;
    halves_system: 3;
}

//@ rows: AT-1, NA-1
#[test]
fn halves_and_vectors_at_every_order_and_scope() {
    let Some(images) = ptx::images() else { return };
    for (name, scope) in [
        ("block", "cta"),
        ("cluster", "cluster"),
        ("device", "gpu"),
        ("system", "sys"),
    ] {
        let codes = ptx::instances(&images, &format!("{}::halves_{name}", module_path!()));
        let archs: Vec<&str> = codes.iter().map(|c| c.arch.as_str()).collect();
        assert_eq!(
            archs,
            ["sm_90"],
            "bfloat16 and vectors are newer than sm_75"
        );
        let mut expected = Vec::new();
        for order in ["relaxed", "acquire", "release", "acq_rel", "seq_cst"] {
            let sem = if order == "seq_cst" { "acquire" } else { order };
            let reduces = scope != "sys" && matches!(order, "relaxed" | "release");
            let dropped = if reduces { "red" } else { "atom" };
            for operation in [
                format!("atom.{sem}.{scope}.global.add.noftz.f16"),
                format!("atom.{sem}.{scope}.global.add.noftz.bf16"),
                format!("atom.{sem}.{scope}.global.add.noftz.f16x2"),
                format!("atom.{sem}.{scope}.global.add.noftz.bf16x2"),
                format!("{dropped}.{sem}.{scope}.global.add.noftz.f16"),
                format!("atom.{sem}.{scope}.global.add.v2.f32"),
                format!("atom.{sem}.{scope}.global.add.v4.f32"),
            ] {
                if order == "seq_cst" {
                    expected.push(format!("fence.sc.{scope}"));
                }
                expected.push(operation);
            }
        }
        for code in codes {
            assert_eq!(instructions(&code.own), expected, "{}", code.own);
        }
    }
}

/// Through the safe interface: lanes one by one, where the architecture is older than the instruction.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn lanes(x: &[Atomic<[f32; 2]>], v: f32) {
    if let [x, ..] = x {
        x.at::<scope::Block>().fetch_add([v, 1.0], Relaxed);
    }
}
// ptx-arch: sm_75
// ptx-count: 2 red.relaxed.cta.global.add.f32
// ptx-arch: sm_90
// ptx-count: 1 atom.relaxed.cta.global.add.v2.f32
// ptx-count: 0 red.relaxed.cta.global.add.f32

//@ rows: AT-1
#[test]
fn vectors_are_lanes_on_older_gpus() {
    warploom_harness::ptx_file!("ptx_halves.rs");
}
