//! Launch bounds, register limits, and what the driver says of a kernel.

use warploom::LaunchError;
use warploom::model::Model;
use warploom::occupancy::{BlockNeeds, Multiprocessor};
use warploom::prelude::*;
use warploom_harness::device_test::{gpu_or_skip, on_each_device};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[kernel(launch_bounds(256, 4))]
fn bounded(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = block_dim().x;
    }
}

#[kernel(launch_bounds(max_threads = 96, max_blocks_per_cluster = 4))]
fn bounded_cluster(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = block_dim().x;
    }
}

#[kernel(block(8, 4))]
fn exact(block: Block, mut y: DisjointSlice<u32, PerBlock>) {
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = block_dim().x * 100 + block_dim().y;
    }
}

#[kernel(max_registers(32))]
fn few_registers(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 7;
    }
}

//@ rows: KC-7, GLA-9
#[test]
fn a_block_keeps_to_the_bounds() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(300)?;
        let error = bounded::launch(stream, (1, 257), &mut y).unwrap_err();
        assert!(
            matches!(
                error,
                LaunchError::TooManyThreads {
                    kernel: "bounded",
                    given: 257,
                    limit: 256
                }
            ),
            "{error}"
        );
        bounded::launch(stream, (2, 256), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [256; 300]);
        Ok(())
    });
}

//@ rows: KC-7
#[test]
fn a_cluster_keeps_to_the_bounds() {
    on_each_device(|device, stream| {
        if device.limits().cluster_blocks == 0 {
            return Ok(());
        }
        let mut y = device.zeroed::<u32>(8 * 96)?;
        let shape = Launch::new(8, 96);
        let error = bounded_cluster::launch(stream, shape.cluster(8), &mut y).unwrap_err();
        assert!(
            matches!(
                error,
                LaunchError::TooManyBlocksPerCluster {
                    given: 8,
                    limit: 4,
                    ..
                }
            ),
            "{error}"
        );
        bounded_cluster::launch(stream, shape.cluster(4), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [96; 8 * 96]);
        Ok(())
    });
}

//@ rows: KC-8, GLA-10
#[test]
fn host_and_device_share_one_constant() {
    assert_eq!(
        (
            bounded::MAX_THREADS,
            bounded_cluster::MAX_THREADS,
            exact::MAX_THREADS
        ),
        (256, 96, 32)
    );
    on_each_device(|device, stream| {
        // A host that knows the generation chooses among its own constants.
        let block = match device.compute_capability() {
            (8.., _) => bounded::MAX_THREADS,
            _ => bounded::MAX_THREADS / 2,
        };
        let mut y = device.zeroed::<u32>(3 * block as usize)?;
        bounded::launch(stream, (3, block), &mut y)?;
        assert!(y.to_vec(stream)?.iter().all(|seen| *seen == block));
        let attributes = bounded::attributes(device)?;
        assert_eq!(attributes.is_some(), device.is_gpu());
        if let Some(attributes) = attributes {
            assert_eq!(attributes.max_threads, bounded::MAX_THREADS);
        }
        Ok(())
    });
}

/// What a limit is for is the GPU's alone: the emulator models no registers. That it runs such kernels is the next test's.
//@ rows: KC-7, KC-9, KC-10, GLA-8
#[test]
fn registers_keep_to_the_bounds() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let attributes = few_registers::attributes(&device)?.ok_or("no attributes")?;
    assert!((1..=32).contains(&attributes.registers), "{attributes:?}");
    assert!(attributes.binary_version >= 75 && attributes.ptx_version >= 63);
    let attributes = bounded::attributes(&device)?.ok_or("no attributes")?;
    let most = 64 * 1024 / (256 * 4);
    assert!(attributes.registers <= most, "{attributes:?}");
    Ok(())
}

#[test]
fn a_kernel_with_a_register_limit_runs() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed::<u32>(70)?;
        few_registers::launch(stream, (2, 35), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [7; 70]);
        assert_eq!(
            few_registers::attributes(device)?.is_some(),
            device.is_gpu()
        );
        Ok(())
    });
}

macro_rules! hungry {
    ($($sum:ident)*) => {
        /// Needs a register for each of the sums, which are all live in a loop of unknown trip count.
        #[kernel]
        fn hungry(i: Index1D, n: u32, x: &[u32], mut y: DisjointSlice<u32>) {
            let mut k = 1u32;
            $(k += 2; let mut $sum = k;)*
            for round in 0..n as usize {
                let x = x[(i.get() + round) % x.len()];
                $($sum = $sum.wrapping_mul(x ^ $sum).wrapping_add($sum >> 3);)*
            }
            if let Some(y) = y.get_mut(i) {
                *y = 0 $(^ $sum)*;
            }
        }
    };
}
hungry!(a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9
        d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9
        g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9);

//@ rows: GLA-5, KC-10
#[test]
fn a_block_that_has_too_few_registers_is_refused() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let x = device.upload(&[3u32, 5, 7])?;
    let mut y = device.zeroed::<u32>(1024)?;
    let attributes = hungry::attributes(&device)?.ok_or("no attributes")?;
    assert!(attributes.registers > 64, "{attributes:?}");
    let error = hungry::launch(&stream, (1, 1024), 2, &x, &mut y).unwrap_err();
    let LaunchError::TooManyThreads {
        given: 1024, limit, ..
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(limit, attributes.max_threads);
    assert_eq!(y.to_vec(&stream)?, [0; 1024], "nothing ran");
    hungry::launch(&stream, (2, 64), 2, &x, &mut y)?;
    assert!(y.to_vec(&stream)?[..128].iter().any(|sum| *sum != 0));
    Ok(())
}

//@ rows: GCC-20
#[test]
fn the_registers_of_a_multiprocessor_limit_its_blocks() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let all = device.properties()?.registers_per_multiprocessor;
    let room = hungry::function(&device)?.occupancy(256, 0)?;
    let taken = |blocks| blocks * room.registers_per_block;
    assert!(room.blocks > 0 && taken(room.blocks) <= all, "{room:?}");
    assert!(taken(room.blocks + 1) > all, "{room:?}");
    Ok(())
}

/// The emulator has no kernel's registers: its models have those of the multiprocessors, and the rule for how many blocks fit.
//@ rows: GCC-20
#[test]
fn every_model_has_the_registers_of_its_multiprocessors() -> Result<()> {
    for model in Model::all() {
        let device = Device::emulator_of(model);
        let properties = device.properties()?;
        // Of all generations since 5.0 but 5.3 and 6.2.
        assert_eq!(
            properties.registers_per_multiprocessor,
            64 * 1024,
            "{model:?}"
        );
        // A warp takes registers in units of 256: blocks of 256 threads with 64 registers each take 16 Ki of the 64 Ki, with 100 registers
        // 26 Ki, with 255 all.
        for (registers, blocks) in [(64, 4), (100, 2), (128, 2), (255, 1)] {
            let room = Multiprocessor::of(model).occupancy_of(&BlockNeeds {
                threads: 256,
                registers,
                shared_bytes: 0,
            });
            assert_eq!(room.blocks, blocks, "{registers} registers on {model:?}");
        }
    }
    Ok(())
}
