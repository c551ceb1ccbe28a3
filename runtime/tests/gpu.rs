//! The driver's side, with device code written by hand and carried the way `warploom-build` does it.
//!
//! Skips, and says so, where there is no GPU; the last test runs all others on the fake driver.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use warploom_harness::device_test::gpu_or_skip;
use warploom_harness::embed_device_code;
use warploom_runtime::launch::{ByValue, Contract, Kernel, Param, SliceArg, SliceMutArg, submit};
use warploom_runtime::model::Model;
use warploom_runtime::{
    Device, Error, Graph, Launch, LaunchError, Limits, MemoryError, PinnedOptions, Result, Stream,
    StreamError,
};

const MANIFEST: &str = r#"{"target":"test gpu","failure":null,"kernels":[
{"name":"gpu::saxpy","entry":"saxpy","launched_at":[],"id":7,"params":[
 {"kind":"ByValue","size":4,"align":4},{"kind":"Slice","size":4,"align":4},{"kind":"SliceMut","size":4,"align":4}]},
{"name":"gpu::delayed","entry":"delayed","launched_at":[],"id":8,"params":[{"kind":"SliceMut","size":4,"align":4}]},
{"name":"gpu::shared","entry":"shared","launched_at":[],"id":9,"params":[{"kind":"SliceMut","size":4,"align":4}]},
{"name":"gpu::empty","entry":"empty","launched_at":[],"id":10,"params":[]},
{"name":"gpu::absent","entry":"absent","launched_at":[],"id":11,"params":[]},
{"name":"gpu::lied","entry":"saxpy","launched_at":[],"id":12,"params":[]}],
"images":[{"sm":75,"exact":false,"offset":0,"len":8192}]}"#;

embed_device_code!(MANIFEST, include_bytes!("gpu.ptx"), 8192);

fn kernel<'a>(name: &'static str, params: &'a [Param]) -> Kernel<'a> {
    Kernel {
        name,
        base: name.trim_start_matches("gpu::"),
        package: "",
        contract: Contract {
            dims: 1,
            ..Contract::ANY
        },
        params,
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    }
}

#[track_caller]
fn saxpy<'a>(
    stream: &Stream,
    launch: Launch,
    a: f32,
    x: impl SliceArg<'a, f32>,
    y: impl SliceMutArg<'a, f32>,
) -> Result<(), LaunchError> {
    let (x, y, a) = (x.bind(), y.bind(), ByValue::new(a));
    let params = [
        Param::by_value::<f32>(),
        Param::slice::<f32>(),
        Param::slice_mut::<f32>(),
    ];
    let args = [a.arg(), x.arg(), y.arg()];
    // SAFETY: description and arguments are those of the PTX.
    unsafe {
        submit(
            stream,
            launch,
            &kernel("gpu::saxpy", &params),
            &args,
            &|| {},
            Location::caller(),
        )
    }
}

/// One of the kernels with one output.
#[track_caller]
fn output<'a, T: 'a>(
    stream: &Stream,
    launch: Launch,
    name: &'static str,
    y: impl SliceMutArg<'a, T>,
) -> Result<(), LaunchError> {
    let y = y.bind();
    let params = [Param::slice_mut::<T>()];
    // SAFETY: description and arguments are those of the PTX.
    unsafe {
        submit(
            stream,
            launch,
            &kernel(name, &params),
            &[y.arg()],
            &|| {},
            Location::caller(),
        )
    }
}

#[track_caller]
fn bare(stream: &Stream, name: &'static str) -> Result<(), LaunchError> {
    // SAFETY: no arguments.
    unsafe {
        submit(
            stream,
            Launch::new(1, 1),
            &kernel(name, &[]),
            &[],
            &|| {},
            Location::caller(),
        )
    }
}

//@ rows: GDV-1, GCC-12, GCC-13, GCC-14, GCC-15, GCC-16, GCC-17, GCC-19, GCC-21, GCC-24, GCC-32
#[test]
fn a_device_describes_itself() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    eprintln!(
        "{} {:?} {:?}",
        device.name(),
        device.compute_capability(),
        device.driver_version()
    );
    eprintln!("{:?}", device.limits());
    assert!(device.is_gpu() && device.limits().threads_per_block >= 1024);
    let (major, minor) = device.compute_capability();
    if let Some(model) = Model::of(major, minor) {
        // Another board of the same capability has other multiprocessors.
        let mut modelled = Limits::of(model);
        modelled.multiprocessors = device.limits().multiprocessors;
        assert_eq!(device.limits(), modelled, "the model is this GPU");
    }
    assert!(matches!(
        Device::cuda(4096),
        Err(warploom_runtime::DeviceError::NoSuchDevice { .. })
    ));
    Ok(())
}

//@ rows: GDM-1, GDM-5, GDM-14, GPM-10
#[test]
fn memory_goes_there_and_back() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let source: Vec<u32> = (0..1_000_003).collect();
    let mut x = device.upload(&source)?;
    assert_eq!(x.to_vec(&stream)?, source);
    x.copy_from(5, &[1, 2], &stream)?;
    let (left, right) = x.split_at_mut(10)?;
    let mut right = right;
    right.copy_from_device(0, left.as_slice().slice(5..7)?, &stream)?;
    assert_eq!(
        x.slice(4..13)?.to_vec(&stream)?,
        [4, 1, 2, 7, 8, 9, 1, 2, 12]
    );
    assert_eq!(device.zeroed::<u8>(1001)?.to_vec(&stream)?, [0; 1001]);
    assert_eq!(device.upload::<u8>(&[])?.to_vec(&stream)?, [0u8; 0]);
    assert!(matches!(
        device.alloc_uninit::<u64>(1 << 50),
        Err(MemoryError::OutOfMemory { .. })
    ));
    let foreign = Device::emulator().stream()?;
    assert!(matches!(
        x.to_vec(&foreign),
        Err(MemoryError::WrongDevice { .. })
    ));
    Ok(())
}

//@ rows: GDR-10
#[test]
fn saxpy_runs() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let n = 100_001;
    let x = device.upload(&vec![3.0f32; n])?;
    let mut y = device.upload(&vec![1.0f32; n])?;
    saxpy(&stream, Launch::covering(n), 2.0, &x, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, vec![7.0; n]);
    Ok(())
}

//@ rows: GPL-4, TM-5, TM-12
#[test]
fn kernels_use_every_kind_of_memory() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (stream, other) = (device.stream()?, device.stream()?);
    let n = 1000;
    let options = PinnedOptions::new().mapped();
    let mut mapped = device.pinned_with::<f32>(n, options)?;
    mapped.as_mut_slice()?.fill(1.0);
    let mut managed = device.managed_from(&vec![2.0f32; n])?;
    let mut pooled = device.pool()?.filled(n, 3.0f32, &stream)?;
    let mut registered = device.register(&mut vec![4.0f32; n], options)?;
    let launch = Launch::covering(n);
    saxpy(&stream, launch, 10.0, mapped.device_slice()?, &mut managed)?; // 12
    saxpy(&other, launch, 10.0, &managed, &mut pooled)?; // 123
    saxpy(
        &stream,
        launch,
        10.0,
        &pooled,
        registered.device_slice_mut()?,
    )?; // 1234
    let from = registered.device_slice()?;
    saxpy(&other, launch, 10.0, from, mapped.device_slice_mut()?)?; // 12341
    assert_eq!(mapped.as_slice()?, vec![12_341.0; n]);
    assert_eq!(managed.as_slice()?, vec![12.0; n]);
    assert_eq!(registered.take_vec()?, vec![1234.0; n]);
    drop(pooled);
    let mut rows = device.pitched_zeroed::<f32>((100, 10))?;
    rows.copy_from(&vec![5.0; n], &stream)?;
    let mut sums = device.zeroed::<f32>(rows.padded().len())?;
    saxpy(
        &stream,
        Launch::covering(sums.len()),
        2.0,
        rows.padded(),
        &mut sums,
    )?;
    let sums = sums.to_vec(&stream)?;
    assert_eq!((sums[99], sums[rows.row_elements()]), (10.0, 10.0));
    Ok(())
}

//@ rows: GER-1, GER-2, GER-3
#[test]
fn a_panic_is_an_error_and_the_device_goes_on() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32; 5])?;
    let mut y = device.upload(&[1.0f32; 8])?;
    for _ in 0..2 {
        saxpy(&stream, Launch::new(2, 4), 1.0, &x, &mut y)?;
        let launched = line!() - 1;
        let Err(StreamError::Panic(panic)) = stream.synchronize() else {
            panic!("no panic was reported");
        };
        eprintln!("{panic}");
        assert_eq!(
            (&*panic.kernel, &*panic.file, panic.line, panic.column),
            ("saxpy", "k.rs", 12, 9)
        );
        assert!(
            panic
                .message
                .starts_with("index out of bounds: the len is 5 but the index is ")
        );
        assert_eq!(panic.block, [1, 0, 0]);
        assert!((1..4).contains(&panic.thread[0]));
        assert_eq!(panic.launched_at.map(Location::line), Some(launched));
        stream.synchronize()?;
    }
    assert_eq!(y.to_vec(&stream)?, [3.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0]);
    saxpy(&stream, Launch::covering(5), 1.0, &x, y.slice_mut(..5)?)?;
    assert_eq!(y.to_vec(&stream)?[..6], [4.0, 4.0, 4.0, 4.0, 4.0, 1.0]);
    Ok(())
}

//@ rows: GAS-10
#[test]
fn streams_hand_buffers_over() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (slow, fast) = (device.stream()?, device.stream()?);
    let n = 1000;
    for _ in 0..5 {
        let mut x = device.zeroed::<f32>(n)?;
        let mut y = device.zeroed::<f32>(n)?;
        let start = Instant::now();
        output::<f32>(&slow, Launch::covering(n), "gpu::delayed", &mut x)?;
        saxpy(&fast, Launch::covering(n), 1.0, &x, &mut y)?;
        let submitted = start.elapsed();
        assert_eq!(y.to_vec(&fast)?, vec![1.0; n]);
        eprintln!(
            "submitted after {submitted:?}, done after {:?}",
            start.elapsed()
        );
        // Dropping waits for the kernel that still writes.
        output::<f32>(&slow, Launch::covering(n), "gpu::delayed", &mut x)?;
        drop(x);
        drop(device.upload(&vec![5.0f32; n])?);
    }
    Ok(())
}

/// That it is the end of the device that waits, and no other test, is shown by `gpu_streams`, where each test has a process of its own.
//@ rows: GDV-4, GDR-6
#[test]
fn a_dropped_device_waits_for_its_kernels() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    bare(&stream, "gpu::empty")?;
    let mut x = device.zeroed::<f32>(1)?;
    output::<f32>(&stream, Launch::covering(1), "gpu::delayed", &mut x)?;
    let done = Arc::new(AtomicBool::new(false));
    let behind_the_kernel = Arc::clone(&done);
    stream.launch_host(move || behind_the_kernel.store(true, Ordering::Release))?;
    drop((stream, device));
    drop(x); // the last that holds the device
    assert!(
        done.load(Ordering::Acquire),
        "the device was closed before its work was done"
    );
    // It can be opened again, and works.
    let device = Device::cuda(0)?;
    let stream = device.stream()?;
    let mut x = device.zeroed::<f32>(7)?;
    output::<f32>(&stream, Launch::covering(7), "gpu::delayed", &mut x)?;
    assert_eq!(x.to_vec(&stream)?, [1.0; 7]);
    Ok(())
}

#[test]
fn much_dynamic_shared_memory_is_asked_for() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(1)?;
    for bytes in [
        0,
        1024,
        48 * 1024,
        60 * 1024,
        64,
        device.limits().shared_bytes_opt_in,
    ] {
        let launch = Launch::new(1, 1).dynamic_shared(bytes);
        output::<u32>(&stream, launch, "gpu::shared", &mut y)?;
        assert_eq!(y.to_vec(&stream)?, [bytes]);
    }
    let launch = Launch::new(1, 1).dynamic_shared(device.limits().shared_bytes_opt_in + 1);
    let error = output::<u32>(&stream, launch, "gpu::shared", &mut y).unwrap_err();
    assert!(
        matches!(error, LaunchError::SharedTooLarge { .. }),
        "{error}"
    );
    Ok(())
}

//@ rows: GDR-9
#[test]
fn wrong_device_code_is_refused() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let error = bare(&stream, "gpu::nowhere").unwrap_err();
    assert!(matches!(error, LaunchError::NoDeviceCode { .. }), "{error}");
    let error = bare(&stream, "gpu::saxpy").unwrap_err();
    assert!(
        matches!(error, LaunchError::LayoutMismatch { parameter: 1, .. }),
        "{error}"
    );
    let error = bare(&stream, "gpu::absent").unwrap_err();
    assert!(error.to_string().contains("cuModuleGetFunction"), "{error}");
    if device.driver_version() >= Some((12, 4)) {
        let error = bare(&stream, "gpu::lied").unwrap_err();
        assert!(
            matches!(error, LaunchError::LayoutMismatch { .. }),
            "{error}"
        );
    }
    bare(&stream, "gpu::empty")?;
    stream.synchronize()?;
    Ok(())
}

//@ rows: GAS-11
#[test]
fn events_time_the_device() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let (start, end) = (device.event()?, device.event()?);
    assert!(matches!(start.synchronize(), Err(StreamError::NotRecorded)));
    let mut x = device.zeroed::<f32>(1)?;
    output::<f32>(&stream, Launch::covering(1), "gpu::delayed", &mut x)?;
    stream.record(&start)?;
    output::<f32>(&stream, Launch::covering(1), "gpu::delayed", &mut x)?;
    stream.record(&end)?;
    let ms = start.elapsed_ms(&end)?;
    eprintln!("a delayed kernel takes {ms} ms");
    assert!(ms > 0.5);
    let other = device.stream()?;
    other.wait(&end)?;
    other.synchronize()?;
    Ok(())
}

//@ rows: GDV-3, GDR-5
#[test]
fn threads_share_a_gpu() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let n = 4096;
    let x = device.upload(&vec![1.0f32; n])?;
    std::thread::scope(|scope| {
        let work = || -> Result<Vec<f32>> {
            let stream = device.stream()?;
            let mut y = device.zeroed::<f32>(n)?;
            for _ in 0..200 {
                saxpy(&stream, Launch::covering(n), 1.0, &x, &mut y)?;
            }
            Ok(y.to_vec(&stream)?)
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap()?, vec![200.0; n]);
        }
        Ok::<_, Error>(())
    })
}

/// Nodes of different buffers may run in any order, those of one buffer in that of their recording.
#[test]
fn a_graph_runs_its_nodes_in_the_order_of_their_buffers() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32; 500])?;
    let (mut y, mut z) = (device.zeroed::<f32>(500)?, device.zeroed::<f32>(500)?);
    let mut kept = device.zeroed::<f32>(500)?;
    let shape = Launch::covering(500);
    let mut graph = Graph::new(&device)?;
    let first = graph.add(|s| saxpy(s, shape, 1.0, &x, &mut y))?;
    graph.add(|s| kept.copy_from_device(0, &y, s))?;
    graph.add(|s| saxpy(s, shape, 2.0, &y, &mut z))?;
    graph.add(|s| saxpy(s, shape, 10.0, &x, &mut y))?;
    graph.add(|s| saxpy(s, Launch::covering(0), 10.0, &x, &mut y))?;
    let mut graph = graph.instantiate()?;
    graph.launch(&stream)?;
    assert_eq!(kept.to_vec(&stream)?, [1.0; 500]);
    assert_eq!(z.to_vec(&stream)?, [2.0; 500]);
    assert_eq!(y.to_vec(&stream)?, [11.0; 500]);
    graph.update(first, |s| saxpy(s, shape, 5.0, &x, &mut y))?;
    graph.launch(&device.stream()?)?;
    drop((graph, x));
    assert_eq!(kept.to_vec(&stream)?, [16.0; 500]);
    assert_eq!(z.to_vec(&stream)?, [34.0; 500]);
    assert_eq!(y.to_vec(&stream)?, [26.0; 500]);
    Ok(())
}

#[test]
fn a_panic_in_a_graph_names_its_launch() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let (x, mut y) = (device.zeroed::<f32>(10)?, device.zeroed::<f32>(11)?);
    let graph = Graph::capture(&device, |s| saxpy(s, Launch::covering(11), 1.0, &x, &mut y))?;
    let graph = graph.instantiate()?;
    for _ in 0..2 {
        graph.launch(&stream)?;
        let error = stream.synchronize().unwrap_err();
        let StreamError::Panic(panic) = error else {
            return Err(error.into());
        };
        assert_eq!((&*panic.kernel, &*panic.file), ("saxpy", "k.rs"));
        assert!(panic.launched_at.is_some());
    }
    Ok(())
}

/// None of 20 000 launches in a row is lost. Prints what one costs the host; that it costs little is measured, not tested.
#[test]
fn no_launch_of_many_is_lost() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32; 64])?;
    let mut y = device.zeroed::<f32>(64)?;
    for (what, rounds) in [
        ("first", 1),
        ("warm", 1000),
        ("empty", 20_000),
        ("saxpy", 20_000),
    ] {
        let start = Instant::now();
        for i in 0..rounds {
            if what == "saxpy" {
                saxpy(&stream, Launch::covering(64), 1.0, &x, &mut y)?;
            } else {
                bare(&stream, "gpu::empty")?;
            }
            if i % 512 == 511 {
                stream.synchronize()?;
            }
        }
        eprintln!("{what}: {:?} per launch", start.elapsed() / rounds);
        stream.synchronize()?;
    }
    assert_eq!(y.to_vec(&stream)?, [20_000.0; 64], "no launch is lost");
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
    // Queued work shows what does not wait.
    for options in ["", "queued=1"] {
        let output = run_others("all_of_it_runs_on_the_fake_driver", options).unwrap();
        assert_passed(&output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("skipped"), "{said}");
    }
}
