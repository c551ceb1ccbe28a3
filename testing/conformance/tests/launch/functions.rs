//! What a loaded kernel says of itself, what it is told, and how many blocks of it there is room for.

use warploom::module::CachePreference;
use warploom::prelude::*;
use warploom::{LaunchError, occupancy};
use warploom_harness::device_test::on_each_device;

#[kernel]
fn double(x: &[u32], i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 2 * x[i.get()];
    }
}

/// Adds up what the threads of a block write into as much shared memory as the launch gives.
#[kernel]
fn sums(block: Block, words: DynamicShared<u32>, mut y: DisjointSlice<u32, PerBlock>) {
    for k in (block.thread()..words.len()).step_by(block.threads()) {
        // SAFETY: each thread writes words of its own.
        unsafe { words.set(k, 1) };
    }
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let sum = (0..words.len()).map(|k| unsafe { words.get(k) }).sum();
    if let Some(leader) = block.leader()
        && let Some(y) = y.get_mut(leader)
    {
        *y = sum;
    }
}

#[kernel(launch_bounds(160))]
fn bounded(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = block_dim().x;
    }
}

fn by_rules(room: &occupancy::Occupancy) -> u32 {
    let all = [
        Some(room.by_blocks),
        Some(room.by_warps),
        room.by_registers,
        room.by_shared,
    ];
    all.into_iter().flatten().min().unwrap_or(0)
}

//@ rows: GPF5-6
#[test]
fn driver_and_rules_count_the_same_blocks() {
    on_each_device(|device, _| {
        let most = device.limits().shared_bytes_opt_in;
        let function = sums::function(device)?;
        for threads in [1, 32, 33, 96, 128, 256, 480, 512, 768, 1024] {
            for bytes in [0, 1000, 8 * 1024, 33 * 1024, 48 * 1024, most - 1024] {
                let room = function.occupancy(threads, bytes)?;
                assert_eq!(
                    room.blocks,
                    by_rules(&room),
                    "{threads} threads, {bytes} bytes: {room:?}"
                );
                assert_eq!(room.warps, room.blocks * threads.div_ceil(32));
                assert!((0.0..=1.0).contains(&room.occupancy()), "{room:?}");
            }
        }
        assert_eq!(function.occupancy(1025, 0)?.blocks, 0);
        assert_eq!(function.occupancy(32, most + 1)?.blocks, 0);
        Ok(())
    });
}

//@ rows: GCC-18
#[test]
fn a_multiprocessor_has_the_warps_of_its_generation() {
    on_each_device(|device, _| {
        let warps = match device.compute_capability() {
            (7, 5) => 32,
            (8, 6..) | (12, _) => 48,
            _ => 64,
        };
        let function = double::function(device)?;
        for of_block in [8, 16, 24, 32] {
            // Fewer blocks than there are places: warps alone decide, unless a debug build takes many registers.
            let room = function.occupancy(32 * of_block, 0)?;
            let by_warps = warps / of_block;
            let blocks = room
                .by_registers
                .map_or(by_warps, |most| by_warps.min(most));
            assert_eq!(
                (room.max_warps, room.by_warps, room.blocks),
                (warps, by_warps, blocks),
                "{of_block} warps a block: {room:?}"
            );
        }
        Ok(())
    });
}

//@ rows: GPF5-2
#[test]
fn the_best_block_is_one_that_runs() {
    on_each_device(|device, stream| {
        let n = 10_007;
        let x = device.upload(&vec![21u32; n])?;
        let mut y = device.zeroed::<u32>(n)?;
        let best = double::function(device)?.best_block(|_| 0)?;
        assert!(
            best.threads.is_multiple_of(32) && best.threads <= 1024,
            "{best:?}"
        );
        let multiprocessors = device.limits().multiprocessors;
        assert_eq!(
            best.blocks,
            best.blocks_per_multiprocessor * multiprocessors
        );
        double::launch(stream, best.covering(n), &x, &mut y)?;
        assert_eq!(y.to_vec(stream)?, vec![42; n]);
        Ok(())
    });
}

#[test]
fn the_best_block_keeps_to_bounds_and_to_shared_memory() {
    on_each_device(|device, stream| {
        let best = bounded::function(device)?.best_block(|_| 0)?;
        assert!(best.threads <= bounded::MAX_THREADS, "{best:?}");
        let best = sums::function(device)?.best_block(|threads| 256 * threads)?;
        assert_eq!(best.dynamic_shared_bytes, 256 * best.threads);
        assert!(best.dynamic_shared_bytes <= device.limits().shared_bytes_opt_in);
        let mut y = device.zeroed::<u32>(3)?;
        let shape = Launch::new(3, best.threads).dynamic_shared(best.dynamic_shared_bytes);
        sums::launch(stream, shape, &mut y)?;
        assert_eq!(y.to_vec(stream)?, [64 * best.threads; 3]);
        let most = device.limits().shared_bytes_opt_in;
        let error = sums::function(device)?
            .best_block(|_| most + 1)
            .unwrap_err();
        assert!(
            matches!(error, LaunchError::SharedTooLarge { .. }),
            "{error}"
        );
        Ok(())
    });
}

//@ rows: GLA-18
#[test]
fn a_preference_for_cache_or_shared_memory_changes_no_result() {
    on_each_device(|device, stream| {
        let function = sums::function(device)?;
        let mut y = device.zeroed::<u32>(40)?;
        let shape = Launch::new(40, 64).dynamic_shared(4096);
        for preference in [
            CachePreference::L1,
            CachePreference::Shared,
            CachePreference::Equal,
            CachePreference::None,
        ] {
            function.prefer_cache(preference)?;
            sums::launch(stream, shape, &mut y)?;
            assert_eq!(y.to_vec(stream)?, [1024; 40], "{preference:?}");
        }
        for percent in [Some(0), Some(50), Some(100), None] {
            function.prefer_shared(percent)?;
            sums::launch(stream, shape, &mut y)?;
            assert_eq!(y.to_vec(stream)?, [1024; 40], "{percent:?} percent");
        }
        let error = function.prefer_shared(Some(200)).unwrap_err();
        assert!(
            matches!(error, LaunchError::WrongCarveout { given: 200, .. }),
            "{error}"
        );
        Ok(())
    });
}

/// The driver has one number for what a kernel may ask for; each line that launches it has its own memory of that number.
//@ rows: GLA-14
#[test]
fn a_line_with_less_shared_memory_takes_none_from_another() {
    on_each_device(|device, stream| {
        let most = device.limits().shared_bytes_opt_in;
        let mut y = device.zeroed::<u32>(1)?;
        let much = |y: &mut DeviceBuffer<u32>| {
            sums::launch(stream, Launch::new(1, 32).dynamic_shared(most), y)
        };
        much(&mut y)?;
        sums::launch(stream, Launch::new(1, 32).dynamic_shared(52 * 1024), &mut y)?;
        sums::function(device)?.allow_dynamic_shared(50 * 1024)?;
        much(&mut y)?;
        assert_eq!(y.to_vec(stream)?, [most / 4]);
        Ok(())
    });
}

#[test]
fn a_function_is_what_attributes_say() {
    on_each_device(|device, _| {
        let function = bounded::function(device)?;
        assert_eq!(
            (function.name(), function.device().is_gpu()),
            ("bounded", device.is_gpu())
        );
        assert_eq!(function.attributes()?, bounded::attributes(device)?);
        if device.driver_version() >= Some((12, 4)) {
            function.load()?;
            assert!(function.is_loaded()?, "it was just loaded");
        }
        Ok(())
    });
}
