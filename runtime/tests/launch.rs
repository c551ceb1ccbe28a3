//! Launches by hand on the emulator, as the expansion of `kernel` makes them; and what is refused before anything runs.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

use warploom_emulator::intrinsics as lane;
use warploom_runtime::launch::{
    ByValue, Contract, Kernel, Param, Slice2DMutArg, SliceArg, SliceMutArg, ThreadBody,
    requires_failed, submit,
};
use warploom_runtime::{Device, DeviceBuffer, Launch, LaunchError, Result, Stream, StreamError};

fn index() -> usize {
    let wide = |n: u32| n as usize;
    wide(lane::block_idx_x()) * wide(lane::block_dim_x()) + wide(lane::thread_idx_x())
}

/// `y[i] += a * x[i]`, and what a typed launch of it does.
#[track_caller]
fn saxpy<'a>(
    stream: &Stream,
    launch: impl Into<Launch>,
    a: f32,
    x: impl SliceArg<'a, f32>,
    y: impl SliceMutArg<'a, f32>,
) -> Result<(), LaunchError> {
    let (x, y) = (x.bind(), y.bind());
    let a = ByValue::new(a);
    let kernel = Kernel {
        name: "launch::saxpy",
        base: "saxpy",
        package: "",
        contract: Contract {
            dims: 1,
            ..Contract::ANY
        },
        params: &[
            Param::by_value::<f32>(),
            Param::slice::<f32>(),
            Param::slice_mut::<f32>(),
        ],
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    let cpu = || {
        let i = index();
        // SAFETY: the emulator runs this while the buffers are borrowed, and no thread writes `x`.
        let x = unsafe { std::slice::from_raw_parts(x.parts().as_ptr(), x.len()) };
        if i < y.len() {
            // SAFETY: within the buffer.
            let y = unsafe { y.parts().as_mut_ptr().add(i) };
            // SAFETY: a kernel's own argument, read while the kernel runs.
            let a = unsafe { a.get() };
            // SAFETY: thread i alone accesses element i.
            unsafe { *y += a * x[i] };
        }
    };
    let args = [a.arg(), x.arg(), y.arg()];
    // SAFETY: description, arguments and body belong together.
    unsafe {
        submit(
            stream,
            launch.into(),
            &kernel,
            &args,
            &cpu,
            Location::caller(),
        )
    }
}

/// A kernel without parameters.
#[track_caller]
fn plain(
    stream: &Stream,
    launch: Launch,
    contract: Contract,
    cpu: &dyn ThreadBody,
) -> Result<(), LaunchError> {
    let kernel = Kernel {
        name: "launch::plain",
        base: "plain",
        package: "",
        contract,
        params: &[],
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    // SAFETY: no arguments.
    unsafe { submit(stream, launch, &kernel, &[], cpu, Location::caller()) }
}

//@ rows: GDR-10
#[test]
fn saxpy_covers_every_element() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let n = 1000;
    let x = device.upload(&vec![3.0f32; n])?;
    let mut y = device.upload(&vec![1.0f32; n])?;
    saxpy(&stream, Launch::covering(n), 2.0, &x, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, vec![7.0; n]);
    saxpy(&stream, (40, 32), 1.0, x.slice(..)?, y.slice_mut(..10)?)?;
    let y = y.to_vec(&stream)?;
    assert_eq!((y[9], y[10]), (10.0, 7.0));
    Ok(())
}

#[test]
fn halves_go_to_one_launch_and_views_can_be_used_again() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut both = device.upload(&[1.0f32, 2.0, 10.0, 20.0])?;
    let (left, mut right) = both.split_at_mut(2)?;
    for _ in 0..2 {
        saxpy(&stream, Launch::covering(2), 1.0, &left, &mut right)?;
    }
    assert_eq!(both.to_vec(&stream)?, [1.0, 2.0, 12.0, 24.0]);
    Ok(())
}

#[test]
fn covering_nothing_runs_nothing() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload::<f32>(&[])?;
    let mut y = device.zeroed::<f32>(0)?;
    saxpy(&stream, Launch::covering(0), 2.0, &x, &mut y)?;
    plain(&stream, Launch::covering_2d(5, 0), Contract::ANY, &|| {
        panic!("ran")
    })?;
    stream.synchronize()?;
    Ok(())
}

//@ rows: TM-11
#[test]
fn rows_arrive_with_width_and_height() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut image = device.zeroed::<u32>(7 * 5)?;
    let mut rows = image.view_2d_mut(7)?;
    let out = Slice2DMutArg::<u32>::bind(&mut rows);
    assert_eq!((out.width(), out.height()), (7, 5));
    let kernel = Kernel {
        name: "launch::fill",
        base: "fill",
        package: "",
        contract: Contract {
            dims: 2,
            ..Contract::ANY
        },
        params: &[Param::slice_2d_mut::<u32>()],
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    let cpu = || {
        let x = lane::block_idx_x() * lane::block_dim_x() + lane::thread_idx_x();
        let y = lane::block_idx_y() * lane::block_dim_y() + lane::thread_idx_y();
        let (width, x, y) = (out.width(), x as usize, y as usize);
        if x < width && y < out.height() {
            // SAFETY: within the rows.
            let to = unsafe { out.parts().as_mut_ptr().add(y * width + x) };
            // SAFETY: each thread writes its own element.
            unsafe { *to = (10 * y + x) as u32 };
        }
    };
    let shape = Launch::covering_2d(7, 5);
    // SAFETY: description, argument and body belong together.
    unsafe {
        submit(
            &stream,
            shape,
            &kernel,
            &[out.arg()],
            &cpu,
            Location::caller(),
        )?
    };
    let expected: Vec<u32> = (0..5)
        .flat_map(|y| (0..7).map(move |x| 10 * y + x))
        .collect();
    assert_eq!(image.to_vec(&stream)?, expected);
    Ok(())
}

#[test]
fn atomics_count_across_blocks() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut counts = device.zeroed::<u32>(3)?;
    let view = SliceArg::<AtomicU32>::bind(counts.as_atomic());
    let kernel = Kernel {
        name: "launch::count",
        base: "count",
        package: "",
        contract: Contract::ANY,
        params: &[Param::slice::<AtomicU32>()],
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    let cpu = || {
        // SAFETY: the buffer is borrowed while the emulator runs this.
        let counts = unsafe { std::slice::from_raw_parts(view.parts().as_ptr(), view.len()) };
        counts[index() % 3].fetch_add(1, Ordering::Relaxed);
    };
    // SAFETY: description, argument and body belong together.
    unsafe {
        submit(
            &stream,
            Launch::new(9, 65),
            &kernel,
            &[view.arg()],
            &cpu,
            Location::caller(),
        )?
    };
    assert_eq!(counts.to_vec(&stream)?, [195, 195, 195]);
    Ok(())
}

#[test]
fn barriers_meet_in_a_launch() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let arrived = AtomicU32::new(0);
    let early = AtomicU32::new(0);
    plain(&stream, Launch::new(1, 96), Contract::ANY, &|| {
        arrived.fetch_add(1, Ordering::Relaxed);
        lane::block_barrier();
        early.fetch_add(
            u32::from(arrived.load(Ordering::Relaxed) != 96),
            Ordering::Relaxed,
        );
    })?;
    stream.synchronize()?;
    assert_eq!(early.into_inner(), 0);
    Ok(())
}

//@ rows: GER-1, GER-3
#[test]
fn a_panic_is_reported_once_with_its_place() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32; 5])?;
    let mut y = device.upload(&[1.0f32; 8])?;
    saxpy(&stream, Launch::new(2, 4), 1.0, &x, &mut y)?;
    let launched = line!() - 1;
    let Err(StreamError::Panic(panic)) = stream.synchronize() else {
        panic!("no panic was reported");
    };
    assert_eq!((panic.block, panic.thread), ([1, 0, 0], [1, 0, 0]));
    assert_eq!(panic.launched_at.map(Location::line), Some(launched));
    let text = panic.to_string();
    let start = format!("kernel `saxpy` panicked at {}:", file!());
    assert!(text.starts_with(&start), "{text}");
    assert!(text.contains("index out of bounds: the len is 5 but the index is 5 (block (1,0,0), thread (1,0,0); launched at "), "{text}");
    // Reported once; what the other threads wrote is there; the next launch works.
    stream.synchronize()?;
    assert_eq!(y.to_vec(&stream)?, [2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]);
    saxpy(&stream, Launch::covering(5), 1.0, &x, y.slice_mut(..5)?)?;
    stream.synchronize()?;
    Ok(())
}

//@ rows: GER-2
#[test]
fn every_wait_reports_the_first_panic() -> Result<()> {
    let device = Device::emulator();
    let (stream, other) = (device.stream()?, device.stream()?);
    let event = device.event()?;
    let mut x = device.upload(&[1u8])?;
    let fail = |text: &'static str| {
        plain(&stream, Launch::new(1, 1), Contract::ANY, &move || {
            panic!("{text}")
        })
    };
    let mut waits: Vec<Box<dyn FnMut() -> String>> = vec![
        Box::new(|| stream.synchronize().unwrap_err().to_string()),
        Box::new(|| other.synchronize().unwrap_err().to_string()),
        Box::new(|| x.to_vec(&other).unwrap_err().to_string()),
        Box::new(|| {
            stream.record(&event).unwrap();
            event.synchronize().unwrap_err().to_string()
        }),
    ];
    for wait in &mut waits {
        fail("first")?;
        fail("second")?;
        let text = wait();
        assert!(
            text.contains("`plain` panicked") && text.contains(": first ("),
            "{text}"
        );
    }
    drop(waits);
    fail("again")?;
    let text = x.copy_from(0, &[7], &stream).unwrap_err().to_string();
    assert!(text.contains("again"), "{text}");
    assert_eq!(x.to_vec(&stream)?, [7]);
    Ok(())
}

#[test]
fn a_deadlock_is_its_own_error() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    plain(&stream, Launch::new(1, 64), Contract::ANY, &|| {
        let id = if lane::thread_idx_x() == 0 { 1 } else { 2 };
        // SAFETY: the kernel has no tiles.
        unsafe { lane::barrier(id) };
    })?;
    let error = stream.synchronize().unwrap_err();
    assert!(matches!(error, StreamError::Deadlock(_)), "{error}");
    assert!(
        error.to_string().starts_with("kernel `plain` never ends: "),
        "{error}"
    );
    stream.synchronize()?;
    Ok(())
}

#[track_caller]
fn refused(launch: Launch, contract: Contract, text: &str) {
    let ran = AtomicU32::new(0);
    let attempt = || -> Result<()> {
        let stream = Device::emulator().stream()?;
        plain(&stream, launch, contract, &|| {
            ran.store(1, Ordering::Relaxed)
        })?;
        Ok(())
    };
    let error = attempt().err().map(|error| error.to_string());
    let error = error.unwrap_or_default();
    let start = format!("cannot launch `plain` with {text}");
    assert!(error.starts_with(&start), "{error}");
    assert_eq!(ran.into_inner(), 0);
}

//@ rows: GLA-4, GER-4
#[test]
fn shapes_that_the_device_cannot_run_are_refused() {
    let any = Contract::ANY;
    refused(Launch::new(0, 32), any, "grid.x = 0:");
    refused(Launch::new(1, (32, 0)), any, "block.y = 0:");
    refused(
        Launch::new((1, 65_536), 32),
        any,
        "grid.y = 65536: emulator has at most 65535;",
    );
    refused(
        Launch::new(1, (1, 1, 65)),
        any,
        "block.z = 65: emulator has at most 64;",
    );
    refused(
        Launch::new(1, (64, 32)),
        any,
        "2048 threads per block: emulator runs at most 1024;",
    );
    let threads = (1usize << 31) * 256;
    refused(
        Launch::covering(threads),
        any,
        "grid.x = 2147483648: emulator has at most 2147483647;",
    );
    let shared = Launch::new(1, 32).dynamic_shared(227 * 1024 + 1);
    refused(
        shared,
        any,
        "232449 bytes of dynamic shared memory beside 0 bytes",
    );
}

//@ rows: GLA-9
#[test]
fn shapes_that_the_kernel_does_not_allow_are_refused() {
    let dims = |dims| Contract {
        dims,
        ..Contract::ANY
    };
    refused(
        Launch::new((2, 2), 32),
        dims(1),
        "grid.y = 2: the kernel is 1-dimensional",
    );
    refused(
        Launch::new(2, (32, 2)),
        dims(1),
        "block.y = 2: the kernel is 1-dimensional",
    );
    refused(
        Launch::new((2, 2, 2), 32),
        dims(2),
        "grid.z = 2: the kernel is 2-dimensional",
    );
    let block = Contract {
        block: [128, 1, 1],
        ..Contract::ANY
    };
    refused(
        Launch::new(1, 64),
        block,
        "blocks of [64, 1, 1] threads: the kernel is declared for [128, 1, 1]",
    );
    let bounds = Contract {
        max_threads: 128,
        ..Contract::ANY
    };
    refused(
        Launch::new(1, 129),
        bounds,
        "129 threads per block: the kernel runs with at most 128",
    );
}

#[test]
fn covering_takes_the_block_of_the_kernel() -> Result<()> {
    let stream = Device::emulator().stream()?;
    let seen = AtomicU32::new(0);
    let note = || {
        seen.store(
            lane::block_dim_x() * 1000 + lane::block_dim_y(),
            Ordering::Relaxed,
        )
    };
    for (launch, contract, expected) in [
        (Launch::covering(1), Contract::ANY, 256_001),
        (Launch::covering_2d(3, 2), Contract::ANY, 16_016),
        (
            Launch::covering(1),
            Contract {
                block: [64, 2, 0],
                ..Contract::ANY
            },
            64_002,
        ),
        (
            Launch::covering(1),
            Contract {
                max_threads: 100,
                ..Contract::ANY
            },
            96_001,
        ),
        (
            Launch::covering(1),
            Contract {
                max_threads: 20,
                ..Contract::ANY
            },
            20_001,
        ),
    ] {
        plain(&stream, launch, contract, &note)?;
        assert_eq!(
            seen.load(Ordering::Relaxed),
            expected,
            "{launch:?} {contract:?}"
        );
    }
    stream.synchronize()?;
    Ok(())
}

//@ rows: GLA-1, GLA-13
#[test]
fn covering_takes_the_block_that_the_launch_asks_for() -> Result<()> {
    let stream = Device::emulator().stream()?;
    let (threads, block) = (AtomicU32::new(0), AtomicU32::new(0));
    let note = || {
        threads.fetch_add(1, Ordering::Relaxed);
        let dims = [lane::block_dim_x(), lane::block_dim_y()];
        block.store(dims[0] * 1000 + dims[1], Ordering::Relaxed);
    };
    for (launch, expected) in [
        (Launch::covering(100).block(32), (128, 32_001)),
        (Launch::covering(96).block(32), (96, 32_001)),
        (Launch::covering(100).block(64).block(50), (100, 50_001)),
        (Launch::covering_2d(10, 5).block((8, 2)), (96, 8_002)),
        (Launch::new((2, 3), 1).block(10), (60, 10_001)),
        (Launch::covering(0).block(0), (0, 0)),
    ] {
        threads.store(0, Ordering::Relaxed);
        block.store(0, Ordering::Relaxed);
        plain(&stream, launch, Contract::ANY, &note)?;
        let seen = (
            threads.load(Ordering::Relaxed),
            block.load(Ordering::Relaxed),
        );
        assert_eq!(seen, expected, "{launch:?}");
    }
    // As where grid and block are given.
    let declared = Contract {
        block: [64, 0, 0],
        ..Contract::ANY
    };
    assert!(plain(&stream, Launch::covering(100).block(64), declared, &note).is_ok());
    for (launch, contract, what) in [
        (Launch::covering(100).block(32), declared, "block"),
        (Launch::covering(100).block(0), Contract::ANY, "block.x"),
        (Launch::covering(100).block(2048), Contract::ANY, "2048"),
        // No whole number of clusters covers so many, of those that can be counted.
        (
            Launch::covering(usize::MAX).block(1).cluster(2),
            Contract::ANY,
            "grid.x",
        ),
    ] {
        let error = plain(&stream, launch, contract, &note)
            .unwrap_err()
            .to_string();
        assert!(error.contains(what), "{error}");
    }
    stream.synchronize()?;
    Ok(())
}

//@ rows: GLA-15
#[test]
fn arguments_are_checked() -> Result<()> {
    let (device, foreign) = (Device::emulator(), Device::emulator());
    let stream = device.stream()?;
    let x = foreign.upload(&[1.0f32])?;
    let mut y = device.upload(&[1.0f32])?;
    let error = saxpy(&stream, Launch::covering(1), 1.0, &x, &mut y).unwrap_err();
    assert!(
        matches!(error, LaunchError::WrongDevice { argument: 2, .. }),
        "{error}"
    );

    let large = ByValue::new([0u8; 32_765]);
    let mut kernel = Kernel {
        name: "launch::large",
        base: "large",
        package: "",
        contract: Contract::ANY,
        params: &[Param::by_value::<[u8; 32_765]>()],
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    let launch = |kernel: &Kernel<'_>, args: &[_]| {
        // SAFETY: refused before anything runs.
        unsafe {
            submit(
                &stream,
                Launch::new(1, 1),
                kernel,
                args,
                &|| {},
                Location::caller(),
            )
        }
    };
    let error = launch(&kernel, &[large.arg()]).unwrap_err().to_string();
    assert!(
        error.contains("32765 bytes of parameters: emulator takes at most 32764"),
        "{error}"
    );
    let other = [Param::by_value::<u8>()];
    kernel.params = &other;
    let error = launch(&kernel, &[large.arg()]).unwrap_err().to_string();
    assert!(
        error.contains("argument 1 is a value of 32765 bytes"),
        "{error}"
    );
    let error = launch(&kernel, &[]).unwrap_err().to_string();
    assert!(error.contains("argument 1 is absent"), "{error}");
    Ok(())
}

/// Eight numbers as two arrays of four, which start `bytes` behind a multiple of 16; what a launch that reads them says.
fn launched_at(bytes: usize) -> Result<Option<LaunchError>> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut memory = [0u128; 4];
    let address = memory.as_mut_ptr().expose_provenance() + bytes;
    // SAFETY: 32 bytes of the 64 from `address` on, which nothing else uses while the buffer is there.
    let x = unsafe { DeviceBuffer::<[f32; 4]>::from_raw_parts(&device, address as u64, 2, || ())? };
    let x = SliceArg::<[f32; 4]>::bind(&x);
    let params = [Param::slice::<[f32; 4]>()];
    let kernel = Kernel {
        name: "launch::rows",
        base: "rows",
        package: "",
        contract: Contract::ANY,
        params: &params,
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    let (launch, args) = (Launch::new(1, 1), [x.arg().named("x")]);
    // SAFETY: the body does nothing.
    let launched = unsafe { submit(&stream, launch, &kernel, &args, &|| {}, Location::caller()) };
    stream.synchronize()?;
    Ok(launched.err())
}

#[test]
fn elements_start_where_they_can_be_accessed_as_vectors() -> Result<()> {
    assert!(launched_at(0)?.is_none());
    assert!(launched_at(16)?.is_none());
    for bytes in [4, 8] {
        let error = launched_at(bytes)?
            .map(|e| e.to_string())
            .unwrap_or_default();
        for part in [
            "argument 1 (`x`)",
            "of 16 bytes",
            "a multiple of 16",
            "`DeviceBuffer`",
        ] {
            assert!(error.contains(part), "{bytes} bytes: {error}");
        }
    }
    // Arrays that are taken off bytes keep to it: here behind one byte.
    let device = Device::emulator();
    let mut bytes = device.zeroed::<u8>(100)?;
    let (_, rest) = bytes.as_slice_mut().take_aligned::<u8>(1)?;
    let (arrays, rest) = rest.take_aligned::<[f32; 4]>(2)?;
    let arrays = SliceMutArg::<[f32; 4]>::bind(arrays);
    assert_eq!((arrays.parts().as_ptr().addr() % 16, rest.len()), (0, 52));
    Ok(())
}

#[test]
fn a_requirement_names_the_lengths() {
    let error = requires_failed(
        "saxpy",
        "x.len() == y.len()",
        &[("x.len()", 5), ("y.len()", 4)],
    );
    assert_eq!(
        error.to_string(),
        "cannot launch `saxpy`: it requires `x.len() == y.len()`, but x.len() = 5, y.len() = 4; pass arguments that meet it"
    );
}

//@ rows: GDV-3
#[test]
fn threads_share_a_device() -> Result<()> {
    let device = Device::emulator();
    let x = device.upload(&vec![1.0f32; 300])?;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| -> Result<Vec<f32>> {
                    let stream = device.stream()?;
                    let mut y = device.zeroed::<f32>(300)?;
                    saxpy(&stream, Launch::covering(300), 4.0, &x, &mut y)?;
                    Ok(y.to_vec(&stream)?)
                })
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap()?, vec![4.0; 300]);
        }
        Ok(())
    })
}
