//! GPUs that are not there: which one is opened, what it is asked and told, and its loss, on the fake driver. Each test runs in a process
//! of its own.

#![cfg(target_os = "linux")]

use warploom_fake_driver::testing::{Fake, fake_driver, nothing_is_left};
use warploom_runtime::device::{
    Attribute, ComputeMode, ContextLimit, DeviceOptions, PciId, Uuid, Wait,
};
use warploom_runtime::module::Code;
use warploom_runtime::{Device, DeviceError, Launch, Result};

//@ rows: GDV-1
#[test]
fn gpus_are_listed_without_a_context() -> Result<()> {
    let Some(fake) = fake_driver(
        "gpus_are_listed_without_a_context",
        "devices=3,memory=1000000",
        &[],
    ) else {
        return Ok(());
    };
    fake.start_log();
    let gpus = Device::list()?;
    assert_eq!((gpus.len(), Device::count()?), (3, 3));
    for (number, gpu) in (0..).zip(&gpus) {
        assert_eq!(
            (gpu.ordinal, gpu.is_gpu, gpu.total_memory),
            (number, true, 1_000_000)
        );
        assert_eq!((gpu.compute_capability, gpu.multiprocessors), ((9, 0), 132));
        assert_eq!(
            (gpu.pci.bus, gpu.clock_khz, gpu.memory_bus_bits),
            (4 + number, Some(1_980_000), Some(6144))
        );
        assert!(gpu.ecc && gpu.can_map_host_memory && gpu.cluster_launch && !gpu.integrated);
        assert_eq!(
            (gpu.async_engines, gpu.compute_mode),
            (3, ComputeMode::Default)
        );
    }
    assert!(!fake.log().iter().any(|call| call.contains("Ctx")));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GDV-1, GDR-2
#[test]
fn a_machine_without_gpus_is_an_ordinary_case() -> Result<()> {
    let Some(_fake) = fake_driver(
        "a_machine_without_gpus_is_an_ordinary_case",
        "devices=0",
        &[],
    ) else {
        return Ok(());
    };
    assert_eq!(Device::open()?.name(), "emulator");
    assert_eq!((Device::count()?, Device::all()?.len()), (1, 1));
    assert_eq!(Device::cuda(0).unwrap_err(), DeviceError::NoDevice);
    Ok(())
}

//@ rows: GDV-1
#[test]
fn any_attribute_can_be_asked() -> Result<()> {
    let Some(_fake) = fake_driver("any_attribute_can_be_asked", "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    assert_eq!(device.attribute(Attribute::L2_CACHE_SIZE)?, 62_914_560);
    assert_eq!(device.attribute(Attribute::of(108))?, 39_321_600);
    let error = device.attribute(Attribute::of(5000)).unwrap_err();
    assert!(matches!(&error, DeviceError::Unsupported(_)), "{error}");
    Ok(())
}

//@ rows: GDV-2
#[test]
fn a_gpu_is_chosen_by_uuid_and_by_place() -> Result<()> {
    let Some(_fake) = fake_driver("a_gpu_is_chosen_by_uuid_and_by_place", "devices=3", &[]) else {
        return Ok(());
    };
    let gpus = Device::list()?;
    assert_eq!(Device::cuda_uuid(gpus[2].uuid)?.ordinal(), 2);
    assert_eq!(Device::cuda_pci(gpus[1].pci)?.ordinal(), 1);
    let unknown = Device::cuda_uuid(Uuid([1; 16])).unwrap_err().to_string();
    assert!(unknown.contains(&gpus[0].uuid.to_string()), "{unknown}");
    let nowhere = PciId {
        domain: 9,
        bus: 9,
        slot: 9,
    };
    assert!(matches!(
        Device::cuda_pci(nowhere),
        Err(DeviceError::NoSuchId { .. })
    ));
    Ok(())
}

//@ rows: GDV-2
#[test]
fn the_variable_chooses_by_place() -> Result<()> {
    let variables = [("WARPLOOM_DEVICE", "cuda:0000:05:00.0")];
    let Some(_fake) = fake_driver("the_variable_chooses_by_place", "devices=3", &variables) else {
        return Ok(());
    };
    assert_eq!(Device::open()?.ordinal(), 1);
    assert_eq!((Device::count()?, Device::all()?.len()), (1, 1));
    Ok(())
}

//@ rows: GDV-2, GDV-5
#[test]
fn gpus_that_may_not_be_used_are_passed_over() -> Result<()> {
    let test = "gpus_that_may_not_be_used_are_passed_over";
    let Some(fake) = fake_driver(test, "devices=4,prohibited=1,taken=2", &[]) else {
        return Ok(());
    };
    assert_eq!(Device::open()?.ordinal(), 2);
    let all: Vec<_> = Device::all()?.iter().map(Device::ordinal).collect();
    assert_eq!((all, Device::count()?), (vec![2, 3], 3));
    assert_eq!(Device::cuda_first(&[0, 3, 2])?.ordinal(), 3);
    assert_eq!(
        Device::cuda(0).unwrap_err(),
        DeviceError::Prohibited { given: 0 }
    );
    let mode = ComputeMode::ExclusiveProcess;
    assert_eq!(
        Device::cuda(1).unwrap_err(),
        DeviceError::Busy { given: 1, mode }
    );
    assert!(matches!(
        Device::cuda_first(&[0, 1]),
        Err(DeviceError::NoneOpens { .. })
    ));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GAS-13, GPL-4
#[test]
fn options_are_fixed_once_the_context_is_there() -> Result<()> {
    let Some(fake) = fake_driver("options_are_fixed_once_the_context_is_there", "", &[]) else {
        return Ok(());
    };
    let blocking = DeviceOptions::new().wait(Wait::Block);
    let device = blocking.cuda(0)?;
    assert_eq!(device.options()?.waits(), Wait::Block);
    blocking.cuda(0)?; // the same again
    let error = DeviceOptions::new().wait(Wait::Spin).cuda(0).unwrap_err();
    assert!(
        matches!(&error, DeviceError::ContextActive { ordinal: 0, .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("Wait::Spin") && text.contains("Wait::Block"),
        "{text}"
    );
    drop(device);
    let spinning = DeviceOptions::new().wait(Wait::Spin).cuda(0)?;
    assert_eq!(spinning.options()?.waits(), Wait::Spin);
    drop(spinning);
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GDR-12
#[test]
fn limits_are_set_and_read_back() -> Result<()> {
    let Some(_fake) = fake_driver("limits_are_set_and_read_back", "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    for limit in ContextLimit::ALL {
        let now = device.context_limit(*limit)?;
        assert_eq!(
            device.set_context_limit(*limit, now + 64)?,
            now + 64,
            "{limit}"
        );
    }
    assert_eq!(device.heap_limit()?, (8 << 20) + 64);
    let error = device
        .set_context_limit(ContextLimit::Heap, 1 << 60)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("heap of kernels") && error.contains("OUT_OF_MEMORY"),
        "{error}"
    );
    device.reset_persisting_l2()?;
    Ok(())
}

//@ rows: GDV-4, GDR-3, GDR-6
#[test]
fn a_reset_gives_all_memory_back() -> Result<()> {
    let Some(fake) = fake_driver("a_reset_gives_all_memory_back", "devices=2", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(1)?;
    device.set_context_limit(ContextLimit::Stack, 9000)?;
    let before = device.memory_info()?;
    let x = device.zeroed::<u8>(1 << 20)?;
    assert_eq!(before.free - device.memory_info()?.free, 1 << 20);
    assert!(matches!(
        device.clone().reset(),
        Err(DeviceError::StillUsed { others: 2, .. })
    ));
    assert_eq!(fake.count("contexts"), 1);
    drop(x);
    let device = device.reset()?;
    assert_eq!((device.ordinal(), device.memory_info()?), (1, before));
    assert_eq!(device.context_limit(ContextLimit::Stack)?, 1024);
    drop(device);
    nothing_is_left(&fake);
    Ok(())
}

/// Calls past the runtime: what another library in the process does.
struct Other<'f>(&'f Fake);

#[expect(clippy::unwrap_used, reason = "as above")]
impl Other<'_> {
    fn current(&self) -> u64 {
        let mut context = 0;
        type Get = unsafe extern "system" fn(*mut u64) -> i32;
        // SAFETY: the function's type.
        let get = unsafe { self.0.function::<Get>("cuCtxGetCurrent") }.unwrap();
        // SAFETY: it writes one number.
        assert_eq!(unsafe { get(&raw mut context) }, 0);
        context
    }

    /// Makes a context of its own and leaves it current.
    fn create(&self, device: i32) -> u64 {
        let mut context = 0;
        type Create = unsafe extern "system" fn(*mut u64, u32, i32) -> i32;
        // SAFETY: the function's type.
        let create = unsafe { self.0.function::<Create>("cuCtxCreate_v2") }.unwrap();
        // SAFETY: it writes one number.
        assert_eq!(unsafe { create(&raw mut context, 0, device) }, 0);
        context
    }

    fn one(&self, function: &str, argument: u64) {
        type One = unsafe extern "system" fn(u64) -> i32;
        // SAFETY: the function's type.
        let call = unsafe { self.0.function::<One>(function) }.unwrap();
        // SAFETY: functions of one argument in a register, a handle or a small number.
        assert_eq!(unsafe { call(argument) }, 0);
    }
}

//@ rows: GDR-3, GDR-4, GDR-5, GMX-4
#[test]
fn a_guard_gives_the_thread_its_own_context_back() -> Result<()> {
    let Some(fake) = fake_driver(
        "a_guard_gives_the_thread_its_own_context_back",
        "devices=2",
        &[],
    ) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    let other = Other(&fake);
    let theirs = other.create(0);
    {
        let _outer = a.make_current()?;
        let ours = other.current();
        assert_ne!(ours, theirs);
        let inner = b.make_current()?;
        b.upload(&[1u8; 100])?;
        a.upload(&[1u8; 100])?; // replaces the top
        drop(inner);
        assert_eq!(other.current(), ours);
    }
    assert_eq!(other.current(), theirs);
    a.upload(&[1u8; 100])?;
    assert_ne!(other.current(), theirs); // without a guard
    other.one("cuCtxDestroy_v2", theirs);
    Ok(())
}

//@ rows: GMX-2, GDR-6
#[test]
fn a_context_of_others_is_used_and_never_destroyed() -> Result<()> {
    let test = "a_context_of_others_is_used_and_never_destroyed";
    let Some(fake) = fake_driver(test, "devices=2,queued=1", &[]) else {
        return Ok(());
    };
    let other = Other(&fake);
    // SAFETY: null is allowed.
    let null = unsafe { Device::from_raw_context(std::ptr::null_mut()) };
    assert_eq!(null.unwrap_err(), DeviceError::NullContext);
    let outer = Device::cuda(1)?;
    let theirs = other.create(1);
    let raw = std::ptr::without_provenance_mut(usize::try_from(theirs).unwrap());
    other.one("cuCtxSetCurrent", 0);
    // SAFETY: destroyed below, after both devices.
    let a = unsafe { Device::from_raw_context(raw) }?;
    // SAFETY: as above.
    let b = unsafe { Device::from_raw_context(raw) }?;
    assert_eq!(
        (a.ordinal(), a.raw_context(), b.raw_context()),
        (1, raw, raw)
    );
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let ones = a.upload(&[1u32; 10])?;
    let (mut x, mut y) = (a.zeroed::<u32>(10)?, b.zeroed::<u32>(10)?);
    x.copy_from_device(0, &ones, &on_a)?; // queued
    assert_eq!(x.to_vec(&on_a)?, [1; 10]);
    // Each is a device of its own, as always.
    assert!(y.copy_from_device(0, &x, &on_b).is_err());
    y.copy_from_peer(0, &outer.upload(&[2u32; 10])?, &on_b)?;
    assert_eq!(y.to_vec(&on_b)?, [2; 10]);
    // The primary context by its handle is held as ever.
    let contexts = fake.count("contexts");
    // SAFETY: it stays while `outer` does.
    let primary = unsafe { Device::from_raw_context(outer.raw_context())? };
    assert_eq!(fake.count("contexts"), contexts + 1);
    drop((ones, x, y, on_a, on_b, a, b, primary));
    assert_eq!(fake.count("contexts"), contexts);
    other.one("cuCtxDestroy_v2", theirs); // complains if something is left in it
    drop(outer);
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GER-1, GMX-2
#[test]
fn all_devices_in_a_context_of_others_hear_of_its_loss() -> Result<()> {
    let test = "all_devices_in_a_context_of_others_hear_of_its_loss";
    let Some(fake) = fake_driver(test, "recovers=1", &[]) else {
        return Ok(());
    };
    assert_eq!(Device::count()?, 1); // initialises the driver
    let other = Other(&fake);
    let theirs = other.create(0);
    let raw = std::ptr::without_provenance_mut(usize::try_from(theirs).unwrap());
    // SAFETY: destroyed below, after both devices.
    let a = unsafe { Device::from_raw_context(raw) }?;
    // SAFETY: as above.
    let b = unsafe { Device::from_raw_context(raw) }?;
    let stream = b.stream()?;
    fake.fail("cuCtxSynchronize:1:719");
    assert!(a.synchronize().is_err());
    fake.fail_nothing();
    fake.start_log();
    assert!(stream.synchronize().is_err() && b.upload(&[1u8]).is_err());
    assert_eq!(fake.log(), [""; 0], "a call reached the driver");
    assert_eq!(b.lost().map(|cause| cause.code), Some(719));
    // The way on is the primary context.
    let again = a.reopen()?;
    assert_ne!(again.raw_context(), raw);
    assert_eq!(again.upload(&[1u8])?.to_vec(&again.stream()?)?, [1]);
    drop((a, b, stream));
    other.one("cuCtxDestroy_v2", theirs);
    Ok(())
}

//@ rows: GMX-1, GMX-2, GDR-4
#[test]
fn the_runtime_works_whatever_context_a_thread_has() -> Result<()> {
    let Some(fake) = fake_driver(
        "the_runtime_works_whatever_context_a_thread_has",
        "devices=2",
        &[],
    ) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let (x, y) = (a.upload(&[1u32, 2])?, b.upload(&[3u32, 4])?);
    let other = Other(&fake);
    let theirs = other.create(1);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(x.to_vec(&on_a).unwrap(), [1, 2])); // a thread that has none
    });
    for current in [0, theirs] {
        other.one("cuCtxSetCurrent", current);
        assert_eq!(x.to_vec(&on_a)?, [1, 2]);
        other.one("cuCtxSetCurrent", current);
        assert_eq!(y.to_vec(&on_b)?, [3, 4]);
    }
    drop((x, y, on_a, on_b));
    other.one("cuCtxDestroy_v2", theirs);
    drop((a, b));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GMX-1, GDR-4
#[test]
fn launches_find_their_context_after_other_code_changed_it() -> Result<()> {
    let Some(fake) = fake_driver(
        "launches_find_their_context_after_other_code_changed_it",
        "devices=2",
        &[],
    ) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (stream, mut y) = (device.stream()?, device.zeroed::<u32>(1)?);
    let module = device.load(&Code::ptx(include_str!("modules.ptx"))?)?;
    let shared = module.kernel::<(*mut u32,)>("shared")?;
    let other = Other(&fake);
    let theirs = other.create(1);
    for (bytes, current) in [
        (100, None),
        (200, Some(0)),
        (300, None),
        (400, Some(theirs)),
    ] {
        if let Some(current) = current {
            other.one("cuCtxSetCurrent", current);
        }
        let shape = Launch::new(1, 1).dynamic_shared(bytes);
        // SAFETY: the kernel has this parameter, and writes the bytes of its shared memory into one word.
        unsafe { shared.launch(&stream, shape, (&mut y,))? };
        assert_eq!(y.to_vec(&stream)?, [bytes]);
    }
    let again = [
        "cuLaunchKernel", // refused
        "cuCtxGetCurrent",
        "cuCtxSetCurrent",
        "cuLaunchKernel",
    ];
    for (current, calls) in [
        (None, &again[..1]),
        (Some(theirs), &again[..]),
        (None, &again[..1]),
        (Some(0), &again[..]),
    ] {
        if let Some(current) = current {
            other.one("cuCtxSetCurrent", current);
        }
        fake.start_log();
        // SAFETY: as above.
        unsafe { shared.launch(&stream, Launch::new(1, 1), (&mut y,))? };
        assert_eq!(fake.log(), calls);
    }
    drop((y, shared, module, stream, device));
    other.one("cuCtxDestroy_v2", theirs);
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GMX-1, GDR-4
#[test]
fn a_context_of_others_that_broke_is_no_loss_of_ours() -> Result<()> {
    let Some(fake) = fake_driver(
        "a_context_of_others_that_broke_is_no_loss_of_ours",
        "devices=2",
        &[],
    ) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let (stream, pool) = (device.stream()?, device.pool()?);
    let module = device.load(&Code::ptx(include_str!("modules.ptx"))?)?;
    let shared = module.kernel::<(*mut u32,)>("shared")?;
    let mut y = device.zeroed::<u32>(1)?;
    let other = Other(&fake);
    let shape = Launch::new(1, 1).dynamic_shared(7);
    // SAFETY: the kernel has this parameter, and writes the bytes of its shared memory into one word.
    let mut launch = || unsafe { shared.launch(&stream, shape, (&mut y,)) };
    launch()?;
    let theirs = other.create(1);
    // On another thread it is destroyed, which leaves it current here; to use it is an error that ends contexts.
    std::thread::scope(|scope| {
        scope.spawn(|| other.one("cuCtxDestroy_v2", theirs));
    });
    launch()?;
    other.one("cuCtxSetCurrent", 0);
    drop(pool.zeroed::<u8>(100, &stream)?);
    assert_eq!((device.lost(), y.to_vec(&stream)?), (None, vec![7]));
    drop((y, shared, module, pool, stream, device));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: GDV-7
#[test]
fn a_context_that_other_code_destroyed_is_lost() -> Result<()> {
    let Some(fake) = fake_driver("a_context_that_other_code_destroyed_is_lost", "", &[]) else {
        return Ok(());
    };
    let device = Device::cuda(0)?;
    let x = device.zeroed::<u8>(10)?;
    Other(&fake).one("cuDevicePrimaryCtxReset_v2", 0);
    let error = device.synchronize().unwrap_err().to_string();
    assert!(
        error.contains("INVALID_CONTEXT") && error.contains("is lost"),
        "{error}"
    );
    let again = device.reopen()?;
    let y = again.upload(&[7u8; 10])?;
    drop((x, device));
    assert_eq!(y.to_vec(&again.stream()?)?, [7; 10]);
    Ok(())
}
