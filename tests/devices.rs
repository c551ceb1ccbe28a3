//! Devices, alone and in pairs: one body on the emulator and on GPUs. Pairs of GPUs where there are two.

use std::sync::{Mutex, PoisonError};

use warploom::device::{Attribute, ContextLimit, DeviceOptions, PeerAttribute, Wait};
use warploom::model::Emulator;
use warploom::prelude::*;
use warploom::{DeviceError, Graph, MemoryError, Result};
use warploom_harness::device_test::{on_each_device, two_gpus_or_skip};

#[kernel]
fn scale(i: Index1D, by: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = by * x[i.get()];
    }
}

/// Whether one GPU reaches another's memory is a matter of the process: one test at a time says it.
static ALLOWING: Mutex<()> = Mutex::new(());

/// Two devices of the emulator; then two GPUs, or a remark that they are missing.
#[track_caller]
#[expect(clippy::panic, reason = "a helper of tests may fail as the tests do")]
fn on_each_pair(body: impl Fn(&Device, &Device) -> Result<()>) {
    let gpus = two_gpus_or_skip();
    for pair in [Some(Emulator::new().devices(2)), gpus]
        .into_iter()
        .flatten()
    {
        body(&pair[0], &pair[1])
            .unwrap_or_else(|error| panic!("on two of {}: {error}", pair[0].name()));
    }
}

//@ rows: GDV-1, GDV-2, GDV-6, GPL-6, GDR-1, GPM-11
#[test]
fn devices_say_what_they_are() {
    on_each_device(|device, _| {
        let said = device.properties()?;
        assert_eq!((&*said.name, said.is_gpu), (device.name(), device.is_gpu()));
        assert_eq!(said.ordinal, device.ordinal());
        assert_eq!(said.compute_capability, device.compute_capability());
        assert_eq!(said.multiprocessors, device.limits().multiprocessors);
        assert_eq!(said.cluster_launch, device.limits().cluster_blocks > 0);
        assert_ne!(said.uuid.0, [0; 16]);
        assert!(said.can_map_host_memory && said.unified_addressing && said.memory_pools);
        assert!(said.total_memory > 1 << 30 && said.registers_per_block >= 32_768);
        let asked = device.attribute(Attribute::MULTIPROCESSOR_COUNT)?;
        assert_eq!(asked.unsigned_abs(), said.multiprocessors);
        Ok(())
    });
}

//@ rows: GDV-1, GDV-2
#[test]
fn devices_that_are_listed_can_be_opened() -> Result<()> {
    let listed = Device::list()?;
    let opened = Device::all()?;
    assert!(!opened.is_empty() && opened.len() <= Device::count()?);
    for device in opened {
        let said = device.properties()?;
        assert!(listed.contains(&said), "{said:?}");
        if said.is_gpu {
            assert_eq!(Device::cuda_uuid(said.uuid)?.ordinal(), said.ordinal);
            assert_eq!(Device::cuda_pci(said.pci)?.ordinal(), said.ordinal);
        }
    }
    Ok(())
}

//@ rows: GDR-12
#[test]
fn limits_are_what_was_set_or_rounded() {
    on_each_device(|device, _| {
        let before = device.context_limit(ContextLimit::Stack)?;
        let set = device.set_context_limit(ContextLimit::Stack, before + 1000)?;
        assert!(set >= before + 1000, "{set}");
        assert_eq!(device.context_limit(ContextLimit::Stack)?, set);
        device.set_context_limit(ContextLimit::Stack, before)?;
        assert!(device.context_limit(ContextLimit::PendingLaunches)? > 0);
        let huge = device.set_context_limit(ContextLimit::PersistingL2, 1 << 50);
        // A GPU takes what it has; the emulator has none.
        assert!(huge.is_err() || huge? < 1 << 50);
        device.reset_persisting_l2()?;
        Ok(())
    });
}

/// Since compute capability 2.0.
//@ rows: GCC-23
#[test]
fn a_thread_has_512_kib_of_local_memory_and_no_more() {
    const MOST: usize = 512 << 10;
    on_each_device(|device, _| {
        let before = device.context_limit(ContextLimit::Stack)?;
        for too_large in [MOST + 1, 2 * MOST, 1 << 40] {
            let error = device.set_context_limit(ContextLimit::Stack, too_large);
            assert!(error.is_err(), "{too_large} bytes");
            assert_eq!(device.context_limit(ContextLimit::Stack)?, before);
        }
        Ok(())
    });
}

//@ rows: GDV-1
#[test]
fn memory_that_is_taken_is_not_free() {
    const BYTES: usize = 256 << 20;
    on_each_device(|device, _| {
        let before = device.memory_info()?;
        assert!(before.free > 0 && before.free <= before.total);
        let taken = device.zeroed::<u8>(BYTES)?;
        let during = device.memory_info()?;
        assert_eq!(during.total, before.total);
        // Others use the same memory: the host's on the emulator.
        if device.is_gpu() {
            assert!(during.free < before.free, "{before:?}, {during:?}");
        }
        drop(taken);
        Ok(())
    });
}

//@ rows: GAS-7, GER-2
#[test]
fn a_device_is_waited_for() {
    on_each_device(|device, stream| {
        let other = device.stream()?;
        let x = device.upload(&[1u32; 1000])?;
        let (mut y, mut z) = (device.zeroed(1000)?, device.zeroed(1000)?);
        scale::launch(stream, Launch::covering(1000), 2, &x, &mut y)?;
        scale::launch(&other, Launch::covering(1000), 3, &x, &mut z)?;
        device.synchronize()?;
        assert_eq!(
            (y.to_vec(stream)?, z.to_vec(stream)?),
            (vec![2; 1000], vec![3; 1000])
        );
        Ok(())
    });
}

//@ rows: GDR-3, GDR-4, GDR-5, GDR-6
#[test]
fn contexts_are_pushed_and_popped_and_work_goes_on() {
    on_each_device(|device, stream| {
        let x = device.upload(&[5u32; 10])?;
        let mut y = device.zeroed(10)?;
        {
            let outer = device.make_current()?;
            let inner = device.make_current()?;
            scale::launch(stream, Launch::covering(10), 2, &x, &mut y)?;
            drop(outer);
            drop(inner);
        }
        let there = std::thread::scope(|scope| scope.spawn(|| y.to_vec(stream)).join());
        assert!(there.is_ok_and(|y| y.is_ok_and(|y| y == [10; 10])));
        Ok(())
    });
}

//@ rows: GDV-4, GDR-6
#[test]
fn a_device_that_was_given_up_comes_back_fresh() {
    on_each_device(|device, _| {
        let own = device.reopen()?;
        let x = own.upload(&[1u8; 100])?;
        assert!(matches!(
            own.clone().reset(),
            Err(DeviceError::StillUsed { .. })
        ));
        drop(x);
        let own = own.reset()?;
        let stream = own.stream()?;
        assert_eq!(own.upload(&[1u8; 100])?.to_vec(&stream)?, [1; 100]);
        assert_eq!((own.ordinal(), own.lost()), (device.ordinal(), None));
        Ok(())
    });
}

//@ rows: GAS-13
#[test]
fn each_way_to_wait_works_or_says_what_is_fixed() {
    on_each_device(|device, _| {
        for wait in [Wait::Auto, Wait::Spin, Wait::Yield, Wait::Block] {
            let options = DeviceOptions::new().wait(wait);
            let own = match device.is_gpu() {
                false => options.emulator(),
                // Other tests of this process have the context.
                true => match options.cuda(device.ordinal()) {
                    Ok(own) => own,
                    Err(error) => {
                        assert!(
                            matches!(error, DeviceError::ContextActive { .. }),
                            "{error}"
                        );
                        continue;
                    }
                },
            };
            assert_eq!(own.options()?.waits(), wait);
            assert_eq!(own.upload(&[1u8])?.to_vec(&own.stream()?)?, [1]);
        }
        Ok(())
    });
}

//@ rows: GDV-3
#[test]
fn two_devices_work_at_a_time_each_for_its_thread() {
    on_each_pair(|a, b| {
        std::thread::scope(|scope| {
            let threads = [(a, 2), (b, 3)].map(|(device, by)| {
                scope.spawn(move || -> Result<Vec<u32>> {
                    let stream = device.stream()?;
                    let (x, mut y) = (device.upload(&[7u32; 1000])?, device.zeroed(1000)?);
                    scale::launch(&stream, Launch::covering(1000), by, &x, &mut y)?;
                    Ok(y.to_vec(&stream)?)
                })
            });
            for (thread, by) in threads.into_iter().zip([2, 3]) {
                let answer = thread.join().unwrap_or_else(|_| Ok(vec![]))?;
                assert_eq!(answer, [7 * by; 1000]);
            }
            Ok(())
        })
    });
}

//@ rows: GDV-3, GDR-7
#[test]
fn buffers_of_one_device_do_not_go_to_another() {
    on_each_pair(|a, b| {
        let (x, on_b) = (a.zeroed::<u32>(10)?, b.stream()?);
        assert!(matches!(
            x.to_vec(&on_b),
            Err(MemoryError::WrongDevice { .. })
        ));
        let mut y = b.zeroed(10)?;
        let refused = scale::launch(&on_b, Launch::covering(10), 1, &x, &mut y);
        assert!(refused.is_err_and(|error| error.to_string().contains("another device")));
        Ok(())
    });
}

//@ rows: GDM-12, TM-13
#[test]
fn copies_between_devices_keep_their_order_with_and_without_access() {
    let _alone = ALLOWING.lock().unwrap_or_else(PoisonError::into_inner);
    on_each_pair(|a, b| {
        for direct in [false, true] {
            if direct && a.can_access_peer(b)? && b.can_access_peer(a)? {
                a.enable_peer_access(b)?;
                b.enable_peer_access(a)?;
                a.enable_peer_access(b)?;
            }
            let n = 1 << 16;
            let (on_a, on_b) = (a.stream()?, b.stream()?);
            let ones = a.upload(&vec![1u32; n])?;
            let (mut x, mut y, mut back) = (a.zeroed(n)?, b.zeroed(n)?, a.zeroed(n)?);
            for round in 1..=4 {
                // Each step waits for the one before, on the devices; the host never does.
                scale::launch(&on_a, Launch::covering(n), round, &ones, &mut x)?;
                y.copy_from_peer(0, &x, if round % 2 == 0 { &on_a } else { &on_b })?;
                scale::launch(&on_a, Launch::covering(n), 99, &ones, &mut x)?;
                let (mut z, stream) = (b.zeroed(n)?, b.stream()?);
                scale::launch(&stream, Launch::covering(n), 10, &y, &mut z)?;
                back.copy_from_peer(0, &z, &on_b)?;
                drop(z);
                assert_eq!(back.to_vec(&on_a)?, vec![10 * round; n]);
            }
        }
        a.disable_peer_access(b)?;
        b.disable_peer_access(a)?;
        Ok(())
    });
}

//@ rows: GDM-12, TM-13
#[test]
fn kernels_use_a_peers_memory_once_they_may() {
    let _alone = ALLOWING.lock().unwrap_or_else(PoisonError::into_inner);
    on_each_pair(|a, b| {
        if !a.can_access_peer(b)? {
            return Ok(());
        }
        let shape = Launch::covering(1000);
        let (on_a, on_b) = (a.stream()?, b.stream()?);
        let (x, mut z) = (b.upload(&[7u32; 1000])?, b.zeroed(1000)?);
        let mut y = a.zeroed(1000)?;
        let refused = scale::launch(&on_a, shape, 2, &x, &mut y);
        assert!(refused.is_err_and(|error| error.to_string().contains("enable_peer_access")));
        a.enable_peer_access(b)?;
        for round in 1..=4 {
            // Each launch waits for the one before, on the devices; the host never does.
            scale::launch(&on_b, shape, round, &x, &mut z)?;
            scale::launch(&on_a, shape, 10, &z, &mut y)?;
            scale::launch(&on_a, shape, 3, &y, &mut z)?;
            assert_eq!(z.to_vec(&on_b)?, [7 * 30 * round; 1000]);
        }
        // The other direction was not asked for.
        assert!(scale::launch(&on_b, shape, 1, &y, &mut z).is_err());
        a.disable_peer_access(b)?;
        assert!(scale::launch(&on_a, shape, 1, &x, &mut y).is_err());
        assert_eq!(y.to_vec(&on_a)?, [7 * 40; 1000]);
        Ok(())
    });
}

//@ rows: TM-13
#[test]
fn graphs_copy_between_devices_in_order_with_the_work_of_both() {
    let _alone = ALLOWING.lock().unwrap_or_else(PoisonError::into_inner);
    on_each_pair(|a, b| {
        for direct in [false, true] {
            if direct && a.can_access_peer(b)? {
                a.enable_peer_access(b)?;
            }
            let n = 1 << 16;
            let (on_a, on_b) = (a.stream()?, b.stream()?);
            let ones = b.upload(&vec![1u32; n])?;
            let (mut x, mut y, mut z) = (b.zeroed(n)?, a.zeroed(n)?, a.zeroed(n)?);
            let mut back = b.zeroed(n)?;
            let mut graph = Graph::new(a)?;
            graph.add(|s| y.copy_from_peer(0, &x, s))?;
            graph.add(|s| scale::launch(s, Launch::covering(n), 10, &y, &mut z))?;
            graph.add(|s| back.copy_from_peer(0, &z, s))?;
            let graph = graph.instantiate()?;
            for round in 1..=4 {
                // Each run comes after the launch on the other device before it, and before the one behind it; the host never waits.
                scale::launch(&on_b, Launch::covering(n), round, &ones, &mut x)?;
                graph.launch(&on_a)?;
                scale::launch(&on_b, Launch::covering(n), 99, &ones, &mut x)?;
                assert_eq!(back.slice(..)?.to_vec(&on_b)?, vec![10 * round; n]);
            }
            drop(graph);
        }
        a.disable_peer_access(b)?;
        Ok(())
    });
}

//@ rows: TM-13
#[test]
fn the_way_between_two_devices_is_described() {
    on_each_pair(|a, b| {
        assert!(!a.can_access_peer(a)?);
        let can = a.can_access_peer(b)?;
        let access = a.peer_attribute(PeerAttribute::Access, b)?;
        assert_eq!(access != 0, can);
        assert!(a.peer_attribute(PeerAttribute::PerformanceRank, b)? >= 0);
        Ok(())
    });
}
