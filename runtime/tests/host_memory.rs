//! Kinds of memory on the fake driver: which calls are made, in which order, what is waited for, and what is left when calls fail.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

use warploom_fake_driver::testing::{Fake, assert_passed, is_child, run_child};
use warploom_runtime::{
    Advice, Device, HostPart, HostPartMut, MemoryError, MemoryLocation, PinnedOptions, PoolOptions,
    Result,
};

/// Runs `body` in a process of its own whose GPU is the fake; nothing is left afterwards, and nothing was freed too early.
#[track_caller]
fn on_fake(test: &str, options: &str, body: impl FnOnce(&Fake, &Device) -> Result<()>) {
    if !is_child() {
        assert_passed(&run_child(test, options, &[]).unwrap());
        return;
    }
    let fake = Fake::loaded().unwrap();
    let device = Device::cuda(0).unwrap();
    if let Err(error) = body(&fake, &device) {
        panic!("{error}");
    }
    assert_eq!(device.memory_in_use().total().buffers, 0);
    drop(device);
    assert_eq!((fake.live(), fake.complaints()), (vec![], vec![]));
}

fn numbers(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

/// Work is done when a thread waits for it, and not before.
const QUEUED: &str = "queued=1,devices=2";

//@ rows: GPL-1, GPL-7, GAS-1, GAS-8
#[test]
fn copies_of_page_locked_memory_are_queued_and_waited_for() {
    let test = "copies_of_page_locked_memory_are_queued_and_waited_for";
    on_fake(test, QUEUED, |fake, device| {
        let (one, other) = (device.stream()?, device.stream()?);
        let mut host = device.pinned_from(&numbers(1000))?;
        let mut x = device.zeroed::<u32>(1000)?;
        fake.start_log();
        x.copy_from_pinned(0, &host, &one)?;
        x.copy_to_pinned(500, host.slice_mut(..500)?, &other)?;
        let log = fake.log();
        assert!(
            log.iter().any(|call| call == "cuStreamWaitEvent"),
            "{log:?}"
        );
        let waits = |call: &&String| call.ends_with("Synchronize");
        assert_eq!(log.iter().find(waits), None);
        assert_eq!(host.as_slice()?[..500], numbers(1000)[500..]);
        fake.start_log();
        assert_eq!(host.as_slice()?.len(), 1000); // nothing is left to wait for
        assert_eq!(fake.log().iter().find(waits), None);
        // The host writes after the copy has read, and frees after it too.
        x.copy_from_pinned(0, &host, &one)?;
        host.as_mut_slice()?.fill(1);
        assert_eq!(x.slice(..500)?.to_vec(&other)?, numbers(1000)[500..]);
        x.copy_from_pinned(0, &host, &one)?;
        drop(host);
        assert_eq!(x.to_vec(&one)?, [1; 1000]);
        Ok(())
    });
}

//@ rows: GPL-2
#[test]
fn portable_memory_keeps_its_order_across_devices() {
    let test = "portable_memory_keeps_its_order_across_devices";
    on_fake(test, QUEUED, |_, device| {
        let second = Device::cuda(1)?;
        let (one, two) = (device.stream()?, second.stream()?);
        let options = PinnedOptions::new().portable();
        let mut host = device.pinned_with::<u32>(100, options)?;
        let x = device.upload(&numbers(100))?;
        let mut y = second.zeroed::<u32>(100)?;
        for _ in 0..3 {
            x.copy_to_pinned(0, &mut host, &one)?;
            y.copy_from_pinned(0, &host, &two)?;
        }
        drop(host);
        assert_eq!(y.to_vec(&two)?, numbers(100));
        Ok(())
    });
}

#[test]
fn threads_of_two_devices_share_portable_memory() {
    let test = "threads_of_two_devices_share_portable_memory";
    on_fake(test, QUEUED, |_, device| {
        let second = Device::cuda(1)?;
        let options = PinnedOptions::new().portable();
        let mut host = device.pinned_with::<u32>(64, options)?;
        host.as_mut_slice()?.copy_from_slice(&numbers(64));
        let host = &host;
        std::thread::scope(|scope| {
            for device in [device, &second, device, &second] {
                scope.spawn(move || {
                    let work = || -> Result<()> {
                        let stream = device.stream()?;
                        let mut x = device.zeroed::<u32>(64)?;
                        for _ in 0..100 {
                            x.copy_from_pinned(0, host, &stream)?;
                            assert_eq!(host.as_slice()?[1], numbers(2)[1]);
                        }
                        assert_eq!(x.to_vec(&stream)?, numbers(64));
                        Ok(())
                    };
                    work().unwrap();
                });
            }
        });
        Ok(())
    });
}

//@ rows: GDM-11
#[test]
fn fills_are_the_drivers() {
    on_fake("fills_are_the_drivers", QUEUED, |fake, device| {
        let stream = device.stream()?;
        let mut x = device.zeroed::<u16>(10)?;
        fake.start_log();
        x.fill(0x1234, &stream)?;
        assert!(fake.log().contains(&"cuMemsetD16Async".to_owned()));
        assert_eq!(x.to_vec(&stream)?, [0x1234; 10]);
        assert_eq!(device.filled(3, 1.5f32)?.to_vec(&stream)?, [1.5; 3]);
        assert_eq!(
            device.filled(3, [1u8, 2, 3])?.to_vec(&stream)?,
            [[1, 2, 3]; 3]
        );
        assert_eq!(
            device.filled(5, u64::MAX - 1)?.to_vec(&stream)?,
            [u64::MAX - 1; 5]
        );
        assert_eq!(
            device.filled(5, [1u16, 2, 3])?.to_vec(&stream)?,
            [[1, 2, 3]; 5]
        );
        let mut rows = device.pitched_zeroed::<[u32; 3]>((5, 4))?;
        fake.start_log();
        rows.rect_mut(1..4, 1..3)?.fill([7; 3], &stream)?;
        let log = fake.log();
        assert!(log.contains(&"cuMemsetD2D32Async".to_owned()), "{log:?}");
        rows.rect_mut(..1, ..)?.fill([1, 2, 3], &stream)?;
        let all = rows.to_vec(&stream)?;
        let row = |middle: [u32; 3]| [[1, 2, 3], middle, middle, middle, [0; 3]];
        assert_eq!(
            all.concat(),
            [row([0; 3]), row([7; 3]), row([7; 3]), row([0; 3])]
                .concat()
                .concat()
        );
        Ok(())
    });
}

//@ rows: GDM-2, GDM-3, GDM-6, GDM-7, GDM-12
#[test]
fn rectangles_and_boxes_go_everywhere() {
    on_fake("rectangles_and_boxes_go_everywhere", QUEUED, |_, device| {
        let (one, other) = (device.stream()?, device.stream()?);
        let data = numbers(7 * 5 * 6);
        let mut x = device.pitched_zeroed::<u32>((7, 5, 6))?;
        assert_eq!(x.pitch(), 512);
        x.copy_from(&data, &one)?;
        assert_eq!(x.to_vec(&one)?, data);
        let part = HostPart::new(&data, (7, 5, 6))?.part(2.., 1..4, 3..5)?;
        let mut expected = vec![0; 30];
        let mut y = device.pitched_zeroed::<u32>((8, 4, 3))?;
        y.part_mut(3.., 1.., 1..)?
            .copy_from_device(x.part(2.., 1..4, 3..5)?, &other)?;
        let mut flat = device.zeroed::<u32>(30)?;
        let to = flat.as_slice_mut().shaped((5, 3, 2))?;
        to.into_part(.., .., ..)?
            .copy_from_device(y.part(3.., 1.., 1..)?, &one)?;
        let mut host = device.pinned::<u32>(30)?;
        y.part(3.., 1.., 1..)?.copy_to_pinned(&mut host, &other)?;
        let mut back = device.pitched_zeroed::<u32>((5, 3, 2))?;
        back.as_slice_mut().copy_from_pinned(&host, &one)?;
        back.as_slice()
            .copy_to_host(HostPartMut::new(&mut expected, (5, 3, 2))?, &other)?;
        let mut again = device.pitched_zeroed::<u32>((5, 3, 2))?;
        again.as_slice_mut().copy_from_host(part, &one)?;
        assert_eq!(expected, again.to_vec(&other)?);
        assert_eq!(expected, flat.to_vec(&other)?);
        assert_eq!(expected, host.as_slice()?);
        assert_eq!(expected[0], data[(3 * 5 + 1) * 7 + 2]);
        // Elements of 12 bytes: the driver's pitch is no whole number of them.
        let odd = device.pitched_zeroed::<[u32; 3]>((5, 3))?;
        assert_eq!((odd.pitch(), odd.row_elements()), (1536, 128));
        Ok(())
    });
}

//@ rows: TM-5
#[test]
fn managed_memory_is_advised_and_moved() {
    on_fake(
        "managed_memory_is_advised_and_moved",
        "queued=1,memory=1000000",
        |fake, device| {
            let stream = device.stream()?;
            let mut x = device.managed_from(&numbers(1000))?;
            x.advise(Advice::ReadMostly)?;
            x.advise(Advice::PreferredLocation(MemoryLocation::Device))?;
            x.advise(Advice::AccessedBy(MemoryLocation::Host))?;
            let told = x.range_attributes()?;
            assert_eq!(
                (told.read_mostly, told.preferred),
                (true, Some(MemoryLocation::Device))
            );
            x.unadvise(Advice::PreferredLocation(MemoryLocation::Device))?;
            assert_eq!(x.range_attributes()?.preferred, None);
            x.prefetch(10.., MemoryLocation::Host, &stream)?;
            x.device_slice_mut().slice_mut(..5)?.fill(9, &stream)?;
            assert_eq!(x.as_slice()?[..6], [9, 9, 9, 9, 9, numbers(6)[5]]);
            // The card has a million bytes: no more is asked for.
            fake.start_log();
            let error = device.managed_zeroed::<u8>(999_000).unwrap_err();
            assert!(matches!(error, MemoryError::OutOfMemory { .. }), "{error}");
            assert!(!fake.log().contains(&"cuMemAllocManaged".to_owned()));
            Ok(())
        },
    );
}

//@ rows: TM-8, GAS-1
#[test]
fn a_pool_allocates_and_frees_without_waits() {
    on_fake(
        "a_pool_allocates_and_frees_without_waits",
        QUEUED,
        |fake, device| {
            let (one, other) = (device.stream()?, device.stream()?);
            let pool = device.new_pool(PoolOptions::new().release_threshold(u64::MAX))?;
            fake.start_log();
            let mut y = device.pool()?.alloc_uninit::<u32>(100, &other)?;
            {
                let mut x = pool.filled(100, 5u32, &one)?;
                y.copy_from_device(0, &x, &other)?;
                x.fill(6, &one)?; // after the copy
            }
            let log = fake.log();
            assert!(
                log.iter().all(|call| !call.ends_with("Synchronize")),
                "{log:?}"
            );
            assert_eq!(pool.usage()?.used, 400, "freed when the stream gets there");
            assert_eq!(y.to_vec(&other)?, [5; 100]);
            one.synchronize()?;
            let usage = pool.usage()?;
            assert_eq!((usage.used, usage.reserved, usage.used_high), (0, 400, 400));
            pool.trim_to(100)?;
            assert_eq!(pool.usage()?.reserved, 100);
            drop(pool.zeroed::<u8>(10, &other)?);
            drop((one, other, pool));
            Ok(())
        },
    );
}

//@ rows: TM-8
#[test]
fn an_old_driver_has_no_limited_pools() {
    on_fake(
        "an_old_driver_has_no_limited_pools",
        "version=12010",
        |_, device| {
            let error = device
                .new_pool(PoolOptions::new().max_bytes(1000))
                .unwrap_err();
            assert!(matches!(error, MemoryError::Unsupported(_)), "{error}");
            assert!(
                error.to_string().contains("12.2") && error.to_string().contains("12.1"),
                "{error}"
            );
            assert!(device.new_pool(PoolOptions::new()).is_ok());
            Ok(())
        },
    );
}

//@ rows: GPL-1, GPL-2, GPL-4
#[test]
fn a_registered_vector_comes_back() {
    on_fake("a_registered_vector_comes_back", QUEUED, |fake, device| {
        let stream = device.stream()?;
        let mut vec = numbers(300);
        let address = vec.as_ptr();
        let options = PinnedOptions::new().portable().mapped();
        let mut host = device.register(&mut vec, options)?;
        assert!(vec.is_empty() && host.device_slice()?.len() == 300);
        let mut x = device.zeroed::<u32>(300)?;
        x.copy_from_pinned(0, &host, &stream)?;
        x.fill(3, &stream)?;
        x.copy_to_pinned(0, host.slice_mut(..100)?, &stream)?;
        let back = host.take_vec()?; // waits
        assert_eq!(
            (back.as_ptr(), &back[..100], back[100]),
            (address, &[3; 100][..], numbers(101)[100])
        );
        assert!(host.is_empty() && fake.count("registered memory") == 0);
        let mut again = device.register(&mut back.clone(), PinnedOptions::new())?;
        x.copy_to_pinned(0, &mut again, &stream)?;
        drop(again); // waits, and frees the vector
        Ok(())
    });
}

/// Something of each kind, on one stream.
fn everything(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let options = PinnedOptions::new().mapped();
    let mut host = device.pinned_with::<u32>(64, options)?;
    let mut registered = device.register(&mut numbers(64), options)?;
    let mut managed = device.managed_zeroed::<u32>(64)?;
    let mut rows = device.pitched_zeroed::<u32>((8, 4, 2))?;
    let pool = device.new_pool(PoolOptions::new())?;
    let mut x = pool.zeroed::<u32>(64, &stream)?;
    x.copy_from_pinned(0, &registered, &stream)?;
    rows.as_slice_mut()
        .copy_from_device(x.as_slice().shaped((8, 4, 2))?, &stream)?;
    rows.rect_mut(1..3, 1..)?.fill(5, &stream)?;
    rows.part_mut(1..3, 1.., ..1)?.copy_from(&[6; 6], &stream)?;
    rows.as_slice().copy_to_pinned(&mut host, &stream)?;
    managed.advise(Advice::ReadMostly)?;
    managed.prefetch(.., MemoryLocation::Device, &stream)?;
    managed
        .device_slice_mut()
        .copy_from_device(0, &x, &stream)?;
    x.fill(1, &stream)?;
    assert_eq!(managed.range_attributes()?.preferred, None);
    assert_eq!(managed.as_slice()?, numbers(64));
    assert_eq!(
        host.as_slice()?[8..12],
        [numbers(9)[8], 6, 6, numbers(12)[11]]
    );
    assert_eq!(registered.take_vec()?, numbers(64));
    assert_eq!(pool.usage()?.used, 256);
    assert_eq!(x.to_vec(&stream)?, [1; 64]);
    Ok(())
}

/// All calls that `everything` makes, but for letting go and for the questions that have an answer without the driver.
const CALLS: &[&str] = &[
    "cuMemAllocFromPoolAsync",
    "cuMemAllocManaged",
    "cuMemAllocPitch_v2",
    "cuMemGetAddressRange_v2",
    "cuMemAdvise",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemHostGetDevicePointer_v2",
    "cuMemHostRegister_v2",
    "cuMemPoolCreate",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAttribute",
    "cuMemPrefetchAsync",
    "cuMemRangeGetAttribute",
    "cuMemcpy2DAsync_v2",
    "cuMemcpy3DAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD2D32Async",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
];

#[test]
fn each_call_may_fail_and_nothing_is_left() {
    on_fake(
        "each_call_may_fail_and_nothing_is_left",
        "queued=1",
        |fake, device| {
            everything(device)?;
            let before = fake.live();
            for call in CALLS {
                for code in [1, 2, 801, 999] {
                    fake.fail(&format!("{call}:1:{code}"));
                    let injected = fake.count("injected");
                    let outcome = everything(device);
                    assert_eq!(
                        fake.count("injected"),
                        injected + 1,
                        "{call} was not called"
                    );
                    let error = outcome.unwrap_err().to_string();
                    assert!(
                        error.contains(call) || code == 2 && error.contains("has no room"),
                        "{call} {code}: {error}"
                    );
                    fake.fail_nothing();
                    assert_eq!(
                        (fake.live(), fake.complaints()),
                        (before.clone(), vec![]),
                        "{call}"
                    );
                    everything(device)?;
                }
            }
            Ok(())
        },
    );
}

#[test]
fn a_vector_stays_where_it_is_if_it_cannot_be_registered() {
    let test = "a_vector_stays_where_it_is_if_it_cannot_be_registered";
    on_fake(test, "", |fake, device| {
        let mut vec = numbers(10);
        for call in ["cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"] {
            fake.fail(&format!("{call}:1:1"));
            assert!(
                device
                    .register(&mut vec, PinnedOptions::new().mapped())
                    .is_err()
            );
            fake.fail_nothing();
            assert_eq!((&vec, fake.count("registered memory")), (&numbers(10), 0));
        }
        let error = device
            .register(&mut vec, PinnedOptions::new().write_combined())
            .unwrap_err();
        assert!(matches!(error, MemoryError::Unsupported(_)), "{error}");
        assert_eq!(vec, numbers(10));
        Ok(())
    });
}

#[test]
fn a_broken_context_is_an_error_and_no_crash() {
    on_fake(
        "a_broken_context_is_an_error_and_no_crash",
        "queued=1",
        |fake, device| {
            let stream = device.stream()?;
            let mut host = device.pinned_from(&numbers(100))?;
            let mut x = device.pool()?.zeroed::<u32>(100, &stream)?;
            let mut registered = device.register(&mut numbers(100), PinnedOptions::new())?;
            x.copy_to_pinned(0, &mut host, &stream)?;
            x.copy_to_pinned(0, &mut registered, &stream)?;
            fake.break_context(0, 700);
            assert!(host.as_slice().is_err() && registered.take_vec().is_err());
            assert!(x.fill(1, &stream).is_err() && device.pinned::<u8>(1).is_err());
            Ok(())
        },
    );
}
