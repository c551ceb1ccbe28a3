//! What launches demand stands in the PTX.

use core::sync::atomic::AtomicU32;

use super::parameters::{Table, look_up};
use warploom::device_std::{Cluster, CooperativeGrid, GridConst, launch_dependents};
use warploom::prelude::*;
use warploom::shared_array;

#[kernel(cluster(2, 1, 1))]
#[allow(dead_code, reason = "never launched")]
fn fixed_cluster(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}
// ptx: .explicitcluster
// ptx: .reqnctapercluster 2, 1, 1

#[kernel(cluster)]
#[allow(dead_code, reason = "never launched")]
fn cluster_at_launch(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 2;
    }
}
// ptx: .explicitcluster
// ptx-not: .reqnctapercluster

#[kernel(launch_bounds(max_threads = 128, min_blocks = 3, max_blocks_per_cluster = 4))]
#[allow(dead_code, reason = "never launched")]
fn bounded(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 3;
    }
}
// ptx: .maxntid 128
// ptx: .minnctapersm 3
// ptx: .maxclusterrank 4
// ptx-not: .explicitcluster

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn barrier_alone(mut cluster: Cluster) {
    cluster.sync();
}
// ptx: barrier.cluster.arrive.release
// ptx: barrier.cluster.wait.acquire
// ptx-not: .explicitcluster
// ptx-not: bra

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn mapped(cluster: Cluster, counts: &[AtomicU32]) {
    let words = shared_array!(u32, 8);
    if cluster.blocks() > 1 {
        // SAFETY: never launched.
        let there = unsafe { cluster.map_shared_rank(words, 1) };
        there
            .atomic(0)
            .fetch_add(1, core::sync::atomic::Ordering::Relaxed);
        counts[0].store(cluster.rank() as u32, core::sync::atomic::Ordering::Relaxed);
    }
}
// ptx: %cluster_nctarank
// ptx: mapa.u64
// ptx: %cluster_ctarank

#[kernel(cooperative)]
#[allow(dead_code, reason = "never launched")]
fn cooperative(grid: CooperativeGrid, n: u32) {
    for _ in 0..n {
        grid.sync();
    }
}
// ptx-module: bar
// ptx-module: atom
// ptx-module: bar

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn grid_constant(i: Index1D, table: GridConst<Table>, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = look_up(&table, 3);
    }
}
// ptx: .param .align 4 .b8 ...[1200]
// ptx-module-not: .local

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn by_value(i: Index1D, table: Table, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = look_up(&table, 3);
    }
}
// ptx: .param .align 4 .b8 ...[1200]

#[kernel(max_registers(40))]
#[allow(dead_code, reason = "never launched")]
fn few_registers(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}
// ptx: .maxnreg 40

#[kernel(dependent_launch)]
#[allow(dead_code, reason = "never launched")]
fn dependent(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x;
    }
}
// ptx-arch: sm_75
// ptx-not: griddepcontrol
// ptx-arch: sm_90
// ptx: griddepcontrol.wait;
// ptx: ld.param
// ptx: ld.global
// ptx-count: 1 griddepcontrol

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn triggering(i: Index1D, mut y: DisjointSlice<u32>) {
    launch_dependents();
    if let Some(y) = y.get_mut(i) {
        *y = 1;
    }
}
// ptx-arch: sm_75
// ptx-not: griddepcontrol
// ptx-arch: sm_90
// ptx: griddepcontrol.launch_dependents;
// ptx: st.global
// ptx-count: 1 griddepcontrol

//@ rows: KC-4, KC-7, KC-9, GLA-7, AN-7, AN-8, CG-cluster, CG-grid
#[test]
fn declarations_are_directives() {
    warploom_harness::ptx_file!("ptx_launch.rs");
}

//@ rows: KC-4, KC-7
#[test]
fn clusters_raise_the_architecture() {
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    let of = |kernel: &str| {
        let ends = format!("ptx_launch::{kernel}");
        let holds = |i: &&warploom_harness::ptx::Image| {
            i.kernels.iter().any(|(name, _)| name.ends_with(&ends))
        };
        let archs = images.iter().filter(holds).map(|i| i.arch.clone());
        archs.collect::<Vec<_>>()
    };
    for kernel in [
        "fixed_cluster",
        "cluster_at_launch",
        "bounded",
        "barrier_alone",
    ] {
        assert_eq!(of(kernel), ["sm_90"], "{kernel}");
    }
    for kernel in ["cooperative", "grid_constant", "by_value"] {
        assert_eq!(of(kernel), ["sm_75"], "{kernel}");
    }
    for kernel in ["dependent", "triggering"] {
        assert_eq!(of(kernel), ["sm_75", "sm_90"], "{kernel}");
    }
}
