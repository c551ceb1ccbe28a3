//! Pools: allocation in order with a stream's work; and the count of what is alive.

use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;
use warploom_runtime::{MemoryError, PinnedOptions, PoolOptions, StreamError};

use std::sync::Mutex;

use crate::{numbers, step, stepped};

/// Held where a GPU's pools must keep what they have: before the driver refuses an allocation, it takes unused memory from every pool.
static FULL_MEMORY: Mutex<()> = Mutex::new(());

//@ rows: TM-8, GAS-1
#[test]
fn buffers_of_a_pool_are_used_like_others() {
    on_each_device(|device, stream| {
        let other = device.stream()?;
        let pool = device.pool()?;
        let n = 20_011;
        let mut expected = numbers(n);
        let mut x = pool.alloc_uninit::<u32>(n, stream)?;
        x.copy_from(0, &expected, stream)?;
        for round in 0..20 {
            // Each on the other stream than the one before, and freed while its work may still be under way.
            let stream = if round % 2 == 0 { stream } else { &other };
            let mut y = pool.zeroed::<u32>(n, stream)?;
            step::launch(stream, Launch::covering(n), &x, &mut y)?;
            expected = stepped(&expected);
            x = y;
        }
        assert_eq!(x.to_vec(stream)?, expected);
        assert_eq!(pool.filled(3, 2.5f64, &other)?.to_vec(stream)?, [2.5; 3]);
        Ok(())
    });
}

//@ rows: TM-8
#[test]
fn a_pool_counts_what_it_has() {
    let _alone = FULL_MEMORY.lock();
    on_each_device(|device, stream| {
        let pool = device.new_pool(PoolOptions::new().release_threshold(u64::MAX))?;
        assert_eq!(pool.usage()?.used, 0);
        let x = pool.zeroed::<u8>(1 << 20, stream)?;
        let y = pool.zeroed::<u8>(3 << 20, stream)?;
        let usage = pool.usage()?;
        assert!((4 << 20..8 << 20).contains(&usage.used), "{usage:?}");
        assert!(
            usage.reserved >= usage.used && usage.used_high >= usage.used,
            "{usage:?}"
        );
        drop((x, y));
        stream.synchronize()?;
        let usage = pool.usage()?;
        assert_eq!(usage.used, 0);
        assert!(
            usage.reserved >= 4 << 20,
            "kept below the threshold: {usage:?}"
        );
        pool.trim_to(0)?;
        let usage = pool.usage()?;
        assert_eq!(usage.reserved, 0);
        assert!(
            usage.reserved_high >= 4 << 20 && usage.used_high >= 4 << 20,
            "{usage:?}"
        );
        pool.reset_high_marks()?;
        let usage = pool.usage()?;
        assert_eq!((usage.reserved_high, usage.used_high), (0, 0));
        Ok(())
    });
}

//@ rows: TM-8
#[test]
fn the_threshold_says_what_is_kept() {
    let _alone = FULL_MEMORY.lock();
    on_each_device(|device, stream| {
        let pool = device.new_pool(PoolOptions::new())?;
        assert_eq!(pool.release_threshold()?, 0);
        drop(pool.zeroed::<u8>(64 << 20, stream)?);
        stream.synchronize()?;
        assert_eq!(pool.usage()?.reserved, 0);
        pool.set_release_threshold(u64::MAX)?;
        assert_eq!(pool.release_threshold()?, u64::MAX);
        drop(pool.zeroed::<u8>(64 << 20, stream)?);
        stream.synchronize()?;
        assert!(pool.usage()?.reserved >= 64 << 20);
        Ok(())
    });
}

//@ rows: TM-8
#[test]
fn buffers_outlive_their_pool_and_their_stream() {
    on_each_device(|device, stream| {
        let own = device.stream()?;
        let pool = device.new_pool(PoolOptions::new())?;
        let mut x = pool.alloc_uninit::<u32>(1000, &own)?;
        x.fill(7, &own)?;
        drop((pool, own));
        assert_eq!(x.to_vec(stream)?, [7; 1000]);
        drop(x);
        Ok(())
    });
}

//@ rows: TM-8
#[test]
fn a_pool_gives_no_more_than_there_is() {
    let _alone = FULL_MEMORY.lock();
    on_each_device(|device, stream| {
        let pool = device.pool()?;
        for len in [usize::MAX, usize::MAX / 8, 1 << 58] {
            let error = pool.zeroed::<u64>(len, stream).unwrap_err();
            assert!(
                matches!(error, MemoryError::OutOfMemory { size: 8, .. }),
                "{error}"
            );
        }
        assert!(pool.zeroed::<u64>(0, stream)?.is_empty());
        assert_eq!(pool.zeroed::<[u8; 0]>(4, stream)?.to_vec(stream)?.len(), 4);
        Ok(())
    });
}

//@ rows: TM-8
#[test]
fn a_pool_with_a_limit_keeps_to_it() {
    on_each_device(|device, stream| {
        let limited = device.new_pool(PoolOptions::new().max_bytes(64 << 20));
        let pool = match limited {
            Err(MemoryError::Unsupported(why)) if device.is_gpu() => {
                assert!(why.to_string().contains("12.2"), "{why}");
                return Ok(());
            }
            pool => pool?,
        };
        let x = pool.zeroed::<u8>(40 << 20, stream)?;
        let error = pool.zeroed::<u8>(40 << 20, stream).unwrap_err();
        assert!(matches!(error, MemoryError::OutOfMemory { .. }), "{error}");
        drop(x);
        stream.synchronize()?;
        assert_eq!(pool.zeroed::<u8>(40 << 20, stream)?.len(), 40 << 20);
        Ok(())
    });
}

#[test]
fn a_stream_of_another_device_allocates_nothing() {
    on_each_device(|device, _| {
        let other = Device::emulator().stream()?;
        let error = device.pool()?.zeroed::<u8>(1, &other).unwrap_err();
        assert!(matches!(error, MemoryError::WrongDevice { .. }), "{error}");
        Ok(())
    });
}

//@ rows: TM-8, GDM-1, P-11, P-42, P-43
#[test]
fn everything_that_was_made_is_counted_and_goes() {
    on_each_device(|device, stream| {
        assert_eq!(device.memory_in_use().total().buffers, 0);
        {
            let x = device.zeroed::<u32>(1000)?;
            let rows = device.pitched_zeroed::<u32>((10, 10))?;
            let host = device.pinned_with::<u8>(77, PinnedOptions::new().mapped())?;
            let managed = device.managed_zeroed::<u64>(3)?;
            let pooled = device.pool()?.zeroed::<u16>(8, stream)?;
            let empty = device.zeroed::<f32>(0)?;
            let now = device.memory_in_use();
            assert_eq!(
                (now.device.buffers, now.device.bytes),
                (3, 4000 + rows.pitch() * 10)
            );
            assert_eq!((now.pinned.buffers, now.pinned.bytes), (1, 77));
            assert_eq!((now.managed.buffers, now.managed.bytes), (1, 24));
            assert_eq!((now.pooled.buffers, now.pooled.bytes), (1, 16));
            assert_eq!(now.total().buffers, 6);
            drop((x, host, managed, pooled, empty));
            assert_eq!(device.memory_in_use().total().bytes, rows.pitch() * 10);
        }
        // What fails is not counted.
        let _ = device.zeroed::<u64>(usize::MAX).unwrap_err();
        assert_eq!(device.memory_in_use().total().bytes, 0);
        assert_eq!(device.memory_in_use().total().buffers, 0);
        Ok(())
    });
}

//@ rows: TM-8
#[test]
fn threads_that_allocate_side_by_side_leave_nothing_behind() {
    on_each_device(|device, stream| {
        let pool = device.pool()?;
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8u32)
                .map(|thread| {
                    let (device, pool) = (&device, &pool);
                    scope.spawn(move || -> Result<(), StreamError> {
                        let own = device.stream()?;
                        let work = || -> Result<(), MemoryError> {
                            for round in 0..50 {
                                let mut x = pool.alloc_uninit::<u32>(5000, &own)?;
                                x.fill(thread * 100 + round, &own)?;
                                let mut host = device.pinned::<u32>(5000)?;
                                x.copy_to_pinned(0, &mut host, &own)?;
                                drop(x);
                                assert!(
                                    host.as_slice()?.iter().all(|v| *v == thread * 100 + round)
                                );
                            }
                            Ok(())
                        };
                        work().unwrap();
                        own.synchronize()
                    })
                })
                .collect();
            for thread in threads {
                thread.join().unwrap().unwrap();
            }
        });
        stream.synchronize()?;
        assert_eq!(device.memory_in_use().total().buffers, 0);
        Ok(())
    });
}
