//! Clusters: their size, the ranks in them, and their barrier.

use core::sync::atomic::Ordering::Relaxed;

use warploom::device_std::Cluster;
use warploom::prelude::*;
use warploom_harness::device_test::{devices, on_each_device};

/// What a block sees: rank, blocks, coordinates in the cluster, extents of the cluster, of the cluster in the grid, and of the grid.
type Seen = [u32; 16];

fn look(block: Block<'_>, cluster: &Cluster<'_>, y: &mut DisjointSlice<'_, Seen, PerBlock>) {
    let xyz = |dim: Dim3| [dim.x, dim.y, dim.z];
    let [inside, dim, place, all] = [
        cluster.block_idx(),
        cluster.dim(),
        cluster.idx(),
        cluster.grid_dim(),
    ]
    .map(xyz);
    let threads = cluster.threads() - block.threads() * cluster.blocks();
    let thread = cluster.thread() - cluster.rank() * block.threads() - block.thread();
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = [
            cluster.rank() as u32,
            cluster.blocks() as u32,
            inside[0],
            inside[1],
            inside[2],
            dim[0],
            dim[1],
            dim[2],
            place[0],
            place[1],
            place[2],
            all[0],
            all[1],
            all[2],
            threads as u32,
            thread as u32,
        ];
    }
}

fn expected(grid: [u32; 3], cluster: [u32; 3]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                let inside = [x % cluster[0], y % cluster[1], z % cluster[2]];
                let place = [x / cluster[0], y / cluster[1], z / cluster[2]];
                let all: Vec<u32> = grid.iter().zip(cluster).map(|(n, c)| n / c).collect();
                let rank = (inside[2] * cluster[1] + inside[1]) * cluster[0] + inside[0];
                let mut one = vec![rank, cluster.iter().product()];
                one.extend(inside);
                one.extend(cluster);
                one.extend(place);
                one.extend(all);
                one.extend([0, 0]);
                seen.push(one.try_into().unwrap());
            }
        }
    }
    seen
}

#[kernel(cluster(2, 1, 1))]
fn fixed(block: Block, cluster: Cluster, mut y: DisjointSlice<Seen, PerBlock>) {
    look(block, &cluster, &mut y);
}

#[kernel(cluster)]
fn at_launch(block: Block, cluster: Cluster, mut y: DisjointSlice<Seen, PerBlock>) {
    look(block, &cluster, &mut y);
}

#[kernel]
fn undeclared(
    block: Block,
    cluster: Cluster,
    a: f32,
    b: i32,
    mut y: DisjointSlice<Seen, PerBlock>,
    mut z: DisjointSlice<f32, PerBlock>,
) {
    look(block, &cluster, &mut y);
    if let Some(leader) = block.leader()
        && let Some(z) = z.get_mut(leader)
    {
        *z = a + b as f32;
    }
}

//@ rows: KC-4, CG-cluster
#[test]
fn a_declared_cluster_needs_no_word_at_the_launch() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        for grid in [[2, 1, 1], [6, 1, 1], [4, 3, 2]] {
            let mut y = device.zeroed((grid[0] * grid[1] * grid[2]) as usize)?;
            let shape = Launch::new((grid[0], grid[1], grid[2]), 70);
            fixed::launch(stream, shape, &mut y)?;
            assert_eq!(y.to_vec(stream)?, expected(grid, [2, 1, 1]));
            // Nor does it hurt.
            fixed::launch(stream, shape.cluster(2), &mut y)?;
            assert_eq!(y.to_vec(stream)?, expected(grid, [2, 1, 1]));
        }
        Ok(())
    });
}

//@ rows: KC-4, KC-5, CG-cluster
#[test]
fn a_launch_says_how_large_a_cluster_is() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        let grid = [4, 4, 2];
        for cluster in [
            [1, 1, 1],
            [4, 1, 1],
            [1, 2, 2],
            [2, 2, 2],
            [2, 1, 1],
            [4, 2, 1],
        ] {
            let mut y = device.zeroed(32)?;
            let shape = Launch::new((4, 4, 2), (32, 3));
            let shape = shape.cluster((cluster[0], cluster[1], cluster[2]));
            at_launch::launch(stream, shape, &mut y)?;
            assert_eq!(y.to_vec(stream)?, expected(grid, cluster));
        }
        Ok(())
    });
}

//@ rows: KC-5
#[test]
fn any_kernel_may_be_launched_in_clusters() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        let (mut y, mut z) = (device.zeroed(4)?, device.zeroed(4)?);
        let shape = Launch::new(4, 64);
        undeclared::launch(stream, shape.cluster(2), 1.5, -4, &mut y, &mut z)?;
        assert_eq!(y.to_vec(stream)?, expected([4, 1, 1], [2, 1, 1]));
        assert_eq!(z.to_vec(stream)?, [-2.5; 4]);
        undeclared::launch(stream, shape, 1.5, 4, &mut y, &mut z)?;
        assert_eq!(y.to_vec(stream)?, expected([4, 1, 1], [1, 1, 1]));
        assert_eq!(z.to_vec(stream)?, [5.5; 4]);
        // Covering rounds up to whole clusters.
        let mut y = device.zeroed(6)?;
        let shape = Launch::covering(1100).cluster(3);
        undeclared::launch(stream, shape, 0.0, 0, &mut y, &mut z)?;
        assert_eq!(y.to_vec(stream)?, expected([6, 1, 1], [3, 1, 1]));
        Ok(())
    });
}

/// Adds one per thread and round; each thread expects all of its cluster.
#[kernel(cluster)]
fn rounds(
    mut cluster: Cluster,
    n: u32,
    counts: &[core::sync::atomic::AtomicU32],
    i: Index1D,
    mut wrong: DisjointSlice<u32>,
) {
    let count = &counts[cluster.idx().x as usize];
    let mut bad = 0;
    for round in 1..=n {
        count.fetch_add(1, Relaxed);
        cluster.sync();
        bad += u32::from(count.load(Relaxed) != round * cluster.threads() as u32);
        cluster.sync();
    }
    if let Some(wrong) = wrong.get_mut(i) {
        *wrong = bad;
    }
}

//@ rows: CG-cluster
#[test]
fn a_cluster_waits_for_all_its_threads() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        for (blocks, cluster, threads) in [(2, 2, 96), (12, 4, 70), (8, 8, 33), (6, 3, 256)] {
            let mut counts = device.zeroed::<u32>((blocks / cluster) as usize)?;
            let mut wrong = device.upload(&vec![9u32; (blocks * threads) as usize])?;
            let shape = Launch::new(blocks, threads).cluster(cluster);
            rounds::launch(stream, shape, 25, counts.as_atomic(), &mut wrong)?;
            assert!(wrong.to_vec(stream)?.iter().all(|wrong| *wrong == 0));
            assert!(
                counts
                    .to_vec(stream)?
                    .iter()
                    .all(|n| *n == 25 * cluster * threads)
            );
        }
        Ok(())
    });
}

/// A value goes from the first block to the others between the halves of the barrier.
#[kernel(cluster(4))]
fn halves(
    block: Block,
    mut cluster: Cluster,
    cells: &[core::sync::atomic::AtomicU32],
    mut y: DisjointSlice<u32, PerBlock>,
) {
    let cell = &cells[cluster.idx().x as usize];
    let mut sum = 0;
    for round in 0..10 {
        if cluster.rank() == 0 && block.thread() == block.threads() - 1 {
            cell.store(round + 100 * cluster.idx().x, Relaxed);
        }
        let arrival = cluster.arrive();
        sum += round; // work of its own
        arrival.wait();
        sum += cell.load(Relaxed);
        drop(cluster.arrive()); // waits as well
    }
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = sum;
    }
}

//@ rows: CG-cluster
#[test]
fn the_barrier_has_two_halves() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        let mut cells = device.zeroed::<u32>(2)?;
        let mut y = device.zeroed(8)?;
        halves::launch(stream, (8, 40), cells.as_atomic(), &mut y)?;
        let sum = |cluster: u32| 45 + 45 + 10 * 100 * cluster;
        let expected: Vec<u32> = (0..8).map(|block| sum(block / 4)).collect();
        assert_eq!(y.to_vec(stream)?, expected);
        Ok(())
    });
}

/// Some threads, and one whole block of each cluster, leave or panic early.
#[kernel(cluster(3))]
fn leavers(
    block: Block,
    mut cluster: Cluster,
    panics: bool,
    counts: &[core::sync::atomic::AtomicU32],
) {
    if block.thread() % 3 == 1 {
        return;
    }
    if cluster.rank() == 1 {
        assert!(!panics, "left early");
        return;
    }
    cluster.sync();
    counts[0].fetch_add(1, Relaxed);
    cluster.sync();
}

//@ rows: CG-cluster
#[test]
fn threads_that_left_are_not_waited_for() {
    for device in devices() {
        if device.limits().cluster_blocks == 0 {
            continue;
        }
        let stream = device.stream().unwrap();
        let mut counts = device.zeroed::<u32>(1).unwrap();
        leavers::launch(&stream, (6, 96), false, counts.as_atomic()).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(counts.to_vec(&stream).unwrap(), [4 * 64]);
        leavers::launch(&stream, (6, 96), true, counts.as_atomic()).unwrap();
        let text = stream.synchronize().unwrap_err().to_string();
        assert!(text.contains("left early"), "{text}");
        assert_eq!(counts.to_vec(&stream).unwrap(), [8 * 64]);
    }
}
