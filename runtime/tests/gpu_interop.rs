//! Handles and memory that other code made with the driver, on a GPU. Skips, and says so, where there is none.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libloading::Library;
use warploom_harness::device_test::gpu_or_skip;
use warploom_runtime::interop::dlpack::{DLManagedTensor, Tensor};
use warploom_runtime::module::Code;
use warploom_runtime::{Device, DeviceBuffer, Graph, InteropError, Launch, Result, Stream};

type Handle = *mut c_void;

/// The driver, called by code that does not know this library.
struct Driver(Library);

macro_rules! calls {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) = $symbol:literal;)*) => { $(
        fn $name(&self, $($arg: $ty),*) -> c_int {
            // SAFETY: the driver's function of this name has this type; tests pass what it asks for.
            unsafe {
                let function = self.0.get::<unsafe extern "system" fn($($ty),*) -> c_int>($symbol).unwrap();
                function($($arg),*)
            }
        }
    )* };
}

impl Driver {
    calls! {
        fn ctx_create(context: *mut Handle, flags: c_uint, device: c_int) = b"cuCtxCreate_v2\0";
        fn ctx_destroy(context: Handle) = b"cuCtxDestroy_v2\0";
        fn ctx_set_current(context: Handle) = b"cuCtxSetCurrent\0";
        fn primary_retain(context: *mut Handle, device: c_int) = b"cuDevicePrimaryCtxRetain\0";
        fn primary_release(device: c_int) = b"cuDevicePrimaryCtxRelease_v2\0";
        fn stream_create(stream: *mut Handle, flags: c_uint) = b"cuStreamCreate\0";
        fn stream_destroy(stream: Handle) = b"cuStreamDestroy_v2\0";
        fn stream_synchronize(stream: Handle) = b"cuStreamSynchronize\0";
        fn event_query(event: Handle) = b"cuEventQuery\0";
        fn event_record(event: Handle, stream: Handle) = b"cuEventRecord\0";
        fn mem_alloc(address: *mut u64, bytes: usize) = b"cuMemAlloc_v2\0";
        fn mem_alloc_managed(address: *mut u64, bytes: usize, flags: c_uint) = b"cuMemAllocManaged\0";
        fn mem_free(address: u64) = b"cuMemFree_v2\0";
        fn mem_host_alloc(address: *mut *mut c_void, bytes: usize, flags: c_uint) = b"cuMemHostAlloc\0";
        fn mem_free_host(address: *mut c_void) = b"cuMemFreeHost\0";
        fn memset(address: u64, value: c_uint, count: usize, stream: Handle) = b"cuMemsetD32Async\0";
    }

    /// In the GPU's primary context, as CUDA's runtime interface works.
    fn stream(&self, device: &Device) -> Handle {
        let mut stream = ptr::null_mut();
        assert_eq!(self.ctx_set_current(device.raw_context()), 0);
        assert_eq!(self.stream_create(&raw mut stream, 1), 0);
        stream
    }

    fn memory(&self, device: &Device, bytes: usize) -> u64 {
        let mut address = 0;
        assert_eq!(self.ctx_set_current(device.raw_context()), 0);
        assert_eq!(self.mem_alloc(&raw mut address, bytes), 0);
        address
    }
}

/// The first GPU and the driver, unless the test is skipped.
fn gpu() -> Option<(Device, Driver)> {
    let device = gpu_or_skip()?;
    // SAFETY: the driver is loaded already.
    let driver = unsafe { Library::new("libcuda.so.1") }.unwrap();
    Some((device, Driver(driver)))
}

//@ rows: GMX-1, GMX-2, GDR-3
#[test]
fn the_context_is_the_primary_one_of_all() {
    let Some((device, driver)) = gpu() else {
        return;
    };
    let mut context = ptr::null_mut();
    let number = device.raw_device().unwrap();
    assert_eq!(driver.primary_retain(&raw mut context, number), 0);
    assert_eq!(context, device.raw_context());
    assert_eq!(driver.primary_release(number), 0);
}

//@ rows: GMX-1, GMX-2, GDR-3
#[test]
fn a_context_of_others_is_worked_in_and_left_to_them() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let mut theirs = ptr::null_mut();
    assert_eq!(
        driver.ctx_create(&raw mut theirs, 0, device.raw_device().unwrap()),
        0
    );
    assert_eq!(driver.ctx_set_current(device.raw_context()), 0);
    // SAFETY: the context is destroyed below, after all that was made in it.
    let there = unsafe { Device::from_raw_context(theirs)? };
    assert_eq!((there.raw_context(), there.name()), (theirs, device.name()));
    let stream = there.stream()?;
    let x = there.upload(&[1u32, 2, 3])?;
    let mut y = there.zeroed::<u32>(3)?;
    y.copy_from_device(0, &x, &stream)?;
    assert_eq!(y.to_vec(&stream)?, [1, 2, 3]);
    // What is of one context does not go to the other.
    assert!(y.copy_from(0, &[9], &device.stream()?).is_err());
    let (theirs_too, ours) = (driver.stream(&there), driver.stream(&device));
    // SAFETY: a live stream, destroyed below.
    assert!(unsafe { Stream::from_raw(&there, theirs_too) }.is_ok());
    // SAFETY: as above.
    let wrong = unsafe { Stream::from_raw(&there, ours) };
    assert!(matches!(wrong, Err(InteropError::WrongContext { .. })));
    for (context, stream) in [(theirs, theirs_too), (device.raw_context(), ours)] {
        assert_eq!(driver.ctx_set_current(context), 0);
        assert_eq!(driver.stream_destroy(stream), 0);
    }
    // A second device in it, and the primary context by its handle.
    // SAFETY: a live context, destroyed below.
    let again = unsafe { Device::from_raw_context(theirs) }?;
    // SAFETY: the device's own context, which it keeps alive.
    let primary = unsafe { Device::from_raw_context(device.raw_context()) }?;
    assert_eq!(again.raw_context(), theirs);
    assert_eq!(primary.raw_context(), device.raw_context());
    drop((x, y, stream, there, again, primary));
    assert_eq!(driver.ctx_destroy(theirs), 0, "it was not destroyed");
    assert_eq!(device.upload(&[7u8])?.to_vec(&device.stream()?)?, [7]);
    Ok(())
}

//@ rows: GMX-1, GMX-2, GDR-4
#[test]
fn launches_pools_and_graphs_work_whatever_context_the_thread_has() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let (stream, pool) = (device.stream()?, device.pool()?);
    let module = device.load(&Code::ptx(include_str!("modules.ptx"))?)?;
    let shared = module.kernel::<(*mut u32,)>("shared")?;
    let mut y = device.zeroed::<u32>(1)?;
    let shape = Launch::new(1, 1).dynamic_shared(512);
    let graph = Graph::capture(&device, |s| {
        // SAFETY: the kernel has this parameter, and writes the bytes of its shared memory into one word.
        unsafe { shared.launch(s, shape, (&mut y,)) }
    })?
    .instantiate()?;
    let mut theirs = ptr::null_mut();
    let number = device.raw_device().unwrap();
    assert_eq!(driver.ctx_create(&raw mut theirs, 0, number), 0);
    let contexts = [device.raw_context(), ptr::null_mut(), theirs].map(|one| one.addr());
    let mut all = || -> Result<()> {
        for current in contexts.map(ptr::without_provenance_mut) {
            for bytes in [100, 200] {
                // Twice: the second is the launch that passed before.
                for _ in 0..2 {
                    assert_eq!(driver.ctx_set_current(current), 0);
                    let shape = Launch::new(1, 1).dynamic_shared(bytes);
                    // SAFETY: as above.
                    unsafe { shared.launch(&stream, shape, (&mut y,))? };
                }
                assert_eq!(y.to_vec(&stream)?, [bytes]);
            }
            assert_eq!(driver.ctx_set_current(current), 0);
            graph.launch(&stream)?;
            assert_eq!(y.to_vec(&stream)?, [512]);
            assert_eq!(driver.ctx_set_current(current), 0);
            let mut scratch = pool.alloc_uninit::<u32>(1000, &stream)?;
            scratch.fill(7, &stream)?;
            assert_eq!(scratch.to_vec(&stream)?, [7; 1000]);
            assert_eq!(driver.ctx_set_current(current), 0);
            drop(scratch);
        }
        Ok(())
    };
    all()?;
    std::thread::scope(|scope| scope.spawn(&mut all).join().unwrap())?;
    assert_eq!(device.lost(), None);
    assert_eq!(driver.ctx_destroy(theirs), 0);
    stream.synchronize()?;
    Ok(())
}

//@ rows: GMX-1
#[test]
fn copies_of_rectangles_and_arrays_work_whatever_context_the_thread_has() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let mut theirs = ptr::null_mut();
    let number = device.raw_device().unwrap();
    assert_eq!(driver.ctx_create(&raw mut theirs, 0, number), 0);
    let contexts = [device.raw_context(), ptr::null_mut(), theirs].map(|one| one.addr());
    let mut expected: Vec<u32> = (0..37 * 11).collect();
    let extents = (37, 11, 1);
    let given = device.upload(&expected)?;
    // A stream of ours, and one whose handle stands for another stream in each context.
    for stream in [device.stream()?, device.default_stream()?] {
        let mut array = device.array_uninit::<u32>((37, 11))?;
        let mut rows = device.pitched_zeroed::<u32>((37, 11))?;
        for current in contexts.map(ptr::without_provenance_mut) {
            let to = &mut array.as_slice_mut();
            assert_eq!(driver.ctx_set_current(current), 0);
            to.copy_from_device(given.as_slice().shaped(extents)?, &stream)?;
            assert_eq!(driver.ctx_set_current(current), 0);
            rows.as_slice_mut()
                .copy_from_device(array.as_slice(), &stream)?;
            assert_eq!(driver.ctx_set_current(current), 0);
            let back = &mut rows.part_mut(1.., 1.., ..)?;
            back.copy_from_device(array.part(..36, ..10, ..)?, &stream)?;
            let found = rows.to_vec(&stream)?;
            for (at, expected) in expected.iter_mut().enumerate() {
                let inside = at % 37 > 0 && at / 37 > 0;
                *expected = (at - if inside { 38 } else { 0 }) as u32;
            }
            assert_eq!(found, expected);
        }
    }
    assert_eq!(device.lost(), None);
    assert_eq!(driver.ctx_destroy(theirs), 0);
    Ok(())
}

//@ rows: GMX-3, HX-10
#[test]
fn work_of_others_and_ours_keep_the_order_of_one_stream() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let theirs = driver.stream(&device);
    // SAFETY: a live stream, destroyed below when ours is gone.
    let stream = unsafe { Stream::from_raw(&device, theirs)? };
    let mut x = device.upload(&vec![1u32; 1 << 20])?;
    for round in 0..20 {
        x.order_on(&stream)?;
        assert_eq!(driver.memset(x.raw_ptr(), round, x.len(), theirs), 0);
        // Another stream of ours waits for what they queued.
        let other = device.stream()?;
        assert_eq!(x.slice((1 << 20) - 1..)?.to_vec(&other)?, [round]);
        x.copy_from(0, &[77], &other)?;
    }
    drop((x, stream));
    assert_eq!(driver.stream_synchronize(theirs), 0, "it was not destroyed");
    assert_eq!(driver.stream_destroy(theirs), 0);
    Ok(())
}

//@ rows: GMX-3
#[test]
fn null_is_the_legacy_default_stream() -> Result<()> {
    let Some((device, _)) = gpu() else {
        return Ok(());
    };
    // SAFETY: the default stream is always there.
    let stream = unsafe { Stream::from_raw(&device, ptr::null_mut())? };
    let x = device.upload(&[3u8, 1, 4])?;
    assert_eq!(x.to_vec(&stream)?, [3, 1, 4]);
    stream.synchronize()?;
    Ok(())
}

//@ rows: GDR-7
#[test]
fn a_stream_of_another_context_is_refused() {
    let Some((device, driver)) = gpu() else {
        return;
    };
    if let Ok(second) = Device::cuda(1) {
        // SAFETY: a live stream.
        let error = unsafe { Stream::from_raw(&device, second.stream().unwrap().raw()) };
        let error = error.unwrap_err();
        assert!(
            matches!(error, InteropError::WrongContext { .. }),
            "{error}"
        );
        return;
    }
    let (mut context, mut theirs) = (ptr::null_mut(), ptr::null_mut());
    let number = device.raw_device().unwrap();
    assert_eq!(driver.ctx_create(&raw mut context, 0, number), 0);
    assert_eq!(driver.stream_create(&raw mut theirs, 1), 0);
    // SAFETY: a live stream.
    let error = unsafe { Stream::from_raw(&device, theirs) }.unwrap_err();
    assert!(
        matches!(error, InteropError::WrongContext { .. }),
        "{error}"
    );
    assert_eq!(driver.ctx_set_current(context), 0);
    assert_eq!(
        (driver.stream_destroy(theirs), driver.ctx_destroy(context)),
        (0, 0)
    );
}

#[test]
fn the_default_stream_of_each_thread_is_refused() {
    let Some((device, _)) = gpu() else { return };
    // SAFETY: a stream that is always there.
    let error = unsafe { Stream::from_raw(&device, ptr::without_provenance_mut(2)) }.unwrap_err();
    assert!(matches!(error, InteropError::PerThreadStream), "{error}");
}

//@ rows: GMX-3
#[test]
fn an_event_of_ours_is_theirs() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let (stream, event) = (device.stream()?, device.event()?);
    assert_eq!(driver.ctx_set_current(device.raw_context()), 0);
    assert_eq!(driver.event_record(event.raw(), stream.raw()), 0);
    stream.synchronize()?;
    assert_eq!(driver.event_query(event.raw()), 0);
    Ok(())
}

//@ rows: GMX-3
#[test]
fn memory_of_the_driver_is_a_buffer_until_it_is_given_back() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let (stream, told) = (device.stream()?, Arc::new(AtomicUsize::new(0)));
    let (address, count) = (driver.memory(&device, 4000), Arc::clone(&told));
    let release = move || {
        count.fetch_add(1, Ordering::SeqCst);
    };
    // SAFETY: 1000 words, which are freed below.
    let mut x = unsafe { DeviceBuffer::<u32>::from_raw_parts(&device, address, 1000, release)? };
    assert_eq!(x.raw_ptr(), address);
    x.copy_from(0, &vec![9; 1000], &stream)?;
    assert_eq!(x.slice(998..)?.to_vec(&stream)?, [9, 9]);
    drop(x);
    assert_eq!(told.load(Ordering::SeqCst), 1);
    assert_eq!(driver.mem_free(address), 0, "it was not freed");
    Ok(())
}

//@ rows: GMX-3
#[test]
fn memory_that_the_gpu_does_not_reach_is_refused() {
    let Some((device, _)) = gpu() else { return };
    let host = vec![0u32; 4096];
    let address = host.as_ptr().addr() as u64;
    // SAFETY: refused before any use.
    let error = unsafe { DeviceBuffer::<u32>::from_raw_parts(&device, address, 4096, || ()) };
    let error = error.unwrap_err();
    assert!(
        matches!(error, InteropError::UnknownAddress { .. }),
        "{error}"
    );
}

/// The tensor of `given` with another kind of memory in it.
///
/// # Safety
/// `address` is memory of `device_type` for all elements.
unsafe fn moved(given: *mut DLManagedTensor, device_type: i32, address: u64) -> Result<Tensor> {
    // SAFETY: `given` is a structure of ours that no other code takes.
    let tensor = unsafe { &mut (*given).dl_tensor };
    tensor.device.device_type = device_type;
    tensor.device.device_id = 0;
    tensor.data = ptr::with_exposed_provenance_mut(usize::try_from(address).unwrap());
    // SAFETY: as above, taken once; the caller promises the memory.
    Ok(unsafe { Tensor::from_raw(given) }?)
}

//@ rows: GMX-5
#[test]
fn tensors_in_page_locked_and_managed_memory_are_taken() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let stream = device.stream()?;
    assert_eq!(driver.ctx_set_current(device.raw_context()), 0);
    let (mut pinned, mut managed) = (ptr::null_mut(), 0);
    assert_eq!(driver.mem_host_alloc(&raw mut pinned, 24, 3), 0);
    assert_eq!(driver.mem_alloc_managed(&raw mut managed, 24, 1), 0);
    for (device_type, address) in [(3, pinned.expose_provenance() as u64), (13, managed)] {
        let shape = device.zeroed::<f32>(6)?.into_dlpack(&[2, 3], &stream)?;
        // SAFETY: 24 bytes each, freed below.
        let tensor = unsafe { moved(shape.into_raw()?, device_type, address)? };
        let mut x = tensor.into_buffer::<f32>(&device)?;
        x.copy_from(0, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &stream)?;
        assert_eq!(x.slice(4..)?.to_vec(&stream)?, [5.0, 6.0]);
        assert_eq!(
            x.into_dlpack(&[6], &stream)?.device().device_type,
            device_type
        );
    }
    assert_eq!(
        (driver.mem_free_host(pinned), driver.mem_free(managed)),
        (0, 0)
    );
    Ok(())
}

//@ rows: GMX-5
#[test]
fn our_own_page_locked_and_managed_memory_goes_out_and_comes_back() -> Result<()> {
    let Some((device, _)) = gpu() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut pinned = device.pinned::<f32>(4)?;
    let mut managed = device.managed_zeroed::<f32>(4)?;
    x.copy_to_pinned(0, &mut pinned, &stream)?; // waited for
    managed
        .device_slice_mut()
        .copy_from_device(0, &x, &stream)?;
    let addresses = [pinned.as_slice()?.as_ptr().addr() as u64, managed.raw_ptr()];
    let tensors = [pinned.into_dlpack(&[2, 2])?, managed.into_dlpack(&[4])?];
    for ((tensor, address), device_type) in tensors.into_iter().zip(addresses).zip([3, 13]) {
        assert_eq!(tensor.device().device_type, device_type);
        let raw = tensor.into_raw()?;
        // SAFETY: ours, and alive.
        let data = unsafe { (*raw).dl_tensor.data };
        assert_eq!(data.addr() as u64, address);
        // SAFETY: ours, taken once.
        let tensor = unsafe { Tensor::from_raw(raw) }?;
        let y = tensor.into_buffer::<f32>(&device)?;
        assert_eq!(y.to_vec(&stream)?, [1.0, 2.0, 3.0, 4.0]);
    }
    Ok(())
}

//@ rows: GMX-5
#[test]
fn a_tensor_of_another_gpu_is_refused() -> Result<()> {
    let Some((device, _)) = gpu() else {
        return Ok(());
    };
    let x = device
        .zeroed::<f32>(6)?
        .into_dlpack(&[6], &device.stream()?)?;
    let given = x.into_raw()?;
    // SAFETY: ours, and alive.
    unsafe { (*given).dl_tensor.device.device_id = 7 };
    // SAFETY: ours, taken once.
    let tensor = unsafe { Tensor::from_raw(given) }?;
    let error = tensor.into_buffer::<f32>(&device).unwrap_err();
    assert!(error.to_string().contains("memory of GPU 7"), "{error}");
    Ok(())
}

/// A tensor that never leaves: what is done with it next waits for what was done before.
#[test]
fn a_tensor_of_our_own_keeps_the_order() -> Result<()> {
    let Some((device, driver)) = gpu() else {
        return Ok(());
    };
    let (first, second, third) = (device.stream()?, device.stream()?, device.stream()?);
    let x = device.zeroed::<u32>(1 << 20)?;
    x.order_on(&first)?;
    assert_eq!(driver.ctx_set_current(device.raw_context()), 0);
    assert_eq!(driver.memset(x.raw_ptr(), 5, x.len(), first.raw()), 0);
    let y = x
        .into_dlpack(&[1 << 20], &second)?
        .into_buffer::<u32>(&device)?;
    assert_eq!(y.slice((1 << 20) - 1..)?.to_vec(&third)?, [5]);
    Ok(())
}

/// The same tests where there is no GPU: the runtime's half of all of them.
#[test]
#[cfg(target_os = "linux")]
fn all_of_it_runs_on_the_fake_driver() {
    use warploom_fake_driver::testing::{assert_passed, is_child, run_others};
    if is_child() {
        return;
    }
    // Queued work shows a missing wait.
    for options in ["devices=2", "devices=2,queued=1"] {
        let output = run_others("all_of_it_runs_on_the_fake_driver", options).unwrap();
        assert_passed(&output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("skipped"), "{said}");
    }
}
