//! What cannot run is refused with a reason, and the device takes further work.

use warploom::device_std::Cluster;
use warploom::prelude::*;
use warploom::{LaunchError, shared_array};
use warploom_harness::device_test::on_each_device;

#[kernel]
fn plain(mut y: DisjointSlice<u32, PerBlock>, block: Block) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = 5;
    }
}

/// Has 40,000 bytes of shared memory of its own.
#[kernel]
fn large_array(mut y: DisjointSlice<u32, PerBlock>, block: Block) {
    let array = shared_array!(u32, 10_000);
    // SAFETY: each thread writes its own element.
    unsafe { array.set(block.thread(), 6) };
    // SAFETY: its own element.
    let value = unsafe { array.get(block.thread()) };
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = value;
    }
}

#[kernel]
fn takes_dynamic(_shared: DynamicShared<u32>, mut y: DisjointSlice<u32, PerBlock>, block: Block) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = 7;
    }
}

#[kernel(cluster(2, 1, 1))]
fn pairs(mut y: DisjointSlice<u32, PerBlock>, block: Block, cluster: Cluster) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = cluster.dim().x;
    }
}

#[kernel(cluster)]
fn any_cluster(mut y: DisjointSlice<u32, PerBlock>, block: Block, cluster: Cluster) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = cluster.blocks() as u32;
    }
}

type Outcome = Result<(), LaunchError>;

/// Expects the refusal, an untouched output, and that the device goes on.
#[track_caller]
fn refused(expected: &str, launch: impl Fn(&Stream, &mut DeviceBuffer<u32>) -> Outcome) {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(8)?;
        let text = match launch(stream, &mut y) {
            Ok(()) => panic!("on {}: it ran; expected was: {expected}", device.name()),
            Err(error) => error.to_string(),
        };
        assert!(
            text.contains(&expected.replace("{device}", device.name())),
            "on {}: {text}",
            device.name()
        );
        stream.synchronize()?;
        assert_eq!(y.to_vec(stream)?, [0; 8], "on {}", device.name());
        plain::launch(stream, (8, 32), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [5; 8], "on {}", device.name());
        Ok(())
    });
}

/// [`refused`], where there are clusters.
#[track_caller]
fn clusters_refused(expected: &str, launch: impl Fn(&Stream, &mut DeviceBuffer<u32>) -> Outcome) {
    refused(expected, |stream, y| {
        if stream.device().limits().cluster_blocks > 0 {
            return launch(stream, y);
        }
        let outcome = launch(stream, y);
        assert!(matches!(outcome, Err(LaunchError::NoClusters { .. })));
        // What the others say, so that one expectation fits all.
        Err(LaunchError::Requires {
            kernel: "",
            condition: "",
            extents: expected.replace("{device}", stream.device().name()),
        })
    });
}

//@ rows: KC-3, GLA-4
#[test]
fn grids_and_blocks_over_the_maxima() {
    refused(
        "cannot launch `plain` with 1025 threads per block: {device} runs at most 1024",
        |stream, y| plain::launch(stream, (1, 1025), y),
    );
    refused("with block.z = 65: {device} has at most 64", |stream, y| {
        plain::launch(stream, (1, (1, 1, 65)), y)
    });
    refused(
        "with grid.x = 2147483648: {device} has at most 2147483647",
        |stream, y| plain::launch(stream, (1 << 31, 1), y),
    );
    refused(
        "with grid.y = 65536: {device} has at most 65535",
        |stream, y| plain::launch(stream, ((1, 65_536), 1), y),
    );
    refused(
        "with grid.z = 65536: {device} has at most 65535",
        |stream, y| plain::launch(stream, ((1, 1, 65_536), 1), y),
    );
    refused(
        "with block.y = 0: every dimension is at least 1",
        |stream, y| plain::launch(stream, (1, (32, 0)), y),
    );
    refused(
        "with grid.x = 0: every dimension is at least 1",
        |stream, y| plain::launch(stream, (0, 32), y),
    );
}

//@ rows: KC-3, GLA-4
#[test]
fn more_dynamic_shared_memory_than_a_block_has() {
    refused(
        "cannot launch `plain` with 1048576 bytes of dynamic shared memory beside 0 bytes of its own: a block on {device}",
        |stream, y| plain::launch(stream, Launch::new(8, 32).dynamic_shared(1 << 20), y),
    );
    refused(
        "cannot launch `takes_dynamic` without saying how much dynamic shared memory a block gets",
        |stream, y| takes_dynamic::launch(stream, (8, 32), y),
    );
}

//@ rows: KC-3, GLA-4, GPF5-9
#[test]
fn more_dynamic_shared_memory_than_static_leaves() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(8)?;
        let all = device.limits().shared_bytes_opt_in;
        let shape = Launch::new(8, 32);
        let asked = shape.dynamic_shared(all - 39_008);
        let text = large_array::launch(stream, asked, &mut y)
            .unwrap_err()
            .to_string();
        assert_eq!(
            text,
            format!(
                "cannot launch `large_array` with {} bytes of dynamic shared memory beside 40000 bytes of its own: a block on {} has at most {all}; use a smaller tile",
                all - 39_008,
                device.name()
            )
        );
        assert_eq!(y.to_vec(stream)?, [0; 8]);
        large_array::launch(stream, shape.dynamic_shared(all - 40_000), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [6; 8]);
        Ok(())
    });
}

//@ rows: KC-4
#[test]
fn a_declared_cluster_is_kept() {
    clusters_refused(
        "cannot launch `pairs` with grid.x = 7 in clusters of 2 along that axis: the grid is a whole number of clusters; use a multiple of 2",
        |stream, y| pairs::launch(stream, (7, 32), y),
    );
    refused(
        "cannot launch `pairs` in clusters of [4, 1, 1] blocks: the kernel is declared for [2, 1, 1]",
        |stream, y| pairs::launch(stream, Launch::new(8, 32).cluster(4), y),
    );
    refused(
        "cannot launch `any_cluster` without a cluster: the kernel leaves its size to the launch; give it with `Launch::cluster`",
        |stream, y| any_cluster::launch(stream, (8, 32), y),
    );
}

//@ rows: KC-5
#[test]
fn clusters_have_limits() {
    clusters_refused(
        "cannot launch `any_cluster` in clusters of 16 blocks: {device} runs at most 8 here",
        |stream, y| any_cluster::launch(stream, Launch::new(16, 32).cluster(16), y),
    );
    clusters_refused(
        "cannot launch `any_cluster` in clusters of 32 blocks: {device} runs at most ",
        |stream, y| {
            let shape = Launch::new(32, 32).cluster((4, 8)).large_clusters();
            any_cluster::launch(stream, shape, y)
        },
    );
    clusters_refused(
        "with grid.x = 6 in clusters of 4 along that axis",
        |stream, y| any_cluster::launch(stream, Launch::new(6, 32).cluster(4), y),
    );
    refused(
        "with cluster.y = 0: every dimension is at least 1",
        |stream, y| any_cluster::launch(stream, Launch::new(8, 32).cluster((2, 0)), y),
    );
}
