//! What a device of each compute capability refuses: every limit, and one beyond it, on the emulator that stands for it.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests stand outside of #[test] functions"
)]

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

use warploom_emulator::SharedKey;
use warploom_emulator::intrinsics as lane;
use warploom_runtime::launch::{Contract, Kernel, Param, ThreadBody, submit};
use warploom_runtime::model::{Emulator, Model};
use warploom_runtime::{Device, Launch, LaunchError, Stream};

/// A kernel without parameters.
#[track_caller]
fn plain(
    stream: &Stream,
    launch: Launch,
    contract: Contract,
    cpu: &dyn ThreadBody,
) -> Result<(), LaunchError> {
    let kernel = Kernel {
        name: "model::plain",
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

/// Launches on each model what it can just run, and expects all threads; then one more, and expects the text.
#[track_caller]
fn at_the_limit(contract: Contract, case: impl Fn(&Device) -> (Launch, Launch, u64, String)) {
    for model in Model::all() {
        let device = Device::emulator_of(model);
        let stream = device.stream().unwrap();
        let ran = AtomicU64::new(0);
        let count = || {
            ran.fetch_add(1, Ordering::Relaxed);
        };
        let (fits, beyond, threads, text) = case(&device);
        plain(&stream, fits, contract, &count).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(ran.load(Ordering::Relaxed), threads, "{model}");
        let error = plain(&stream, beyond, contract, &count).unwrap_err();
        assert_eq!(error.to_string(), text, "{model}");
        assert_eq!(ran.load(Ordering::Relaxed), threads, "{model}: nothing ran");
    }
}

//@ rows: GCC-13, GCC-40
#[test]
fn threads_of_a_block() {
    at_the_limit(Contract::ANY, |device| {
        let text = format!(
            "cannot launch `plain` with 1025 threads per block: {} runs at most 1024; use more blocks, or lower the block size",
            device.name()
        );
        (Launch::new(1, 1024), Launch::new(1, 1025), 1024, text)
    });
}

//@ rows: GCC-15, GCC-40
#[test]
fn depth_of_a_block() {
    at_the_limit(Contract::ANY, |device| {
        let text = format!(
            "cannot launch `plain` with block.z = 65: {} has at most 64; use more work per thread, or another dimension",
            device.name()
        );
        (
            Launch::new(1, (1, 1, 64)),
            Launch::new(1, (1, 1, 65)),
            64,
            text,
        )
    });
}

//@ rows: GCC-12, GCC-40
#[test]
fn blocks_of_a_grid_along_each_axis() {
    for axis in ["y", "z"] {
        at_the_limit(Contract::ANY, |device| {
            let grid = |n| if axis == "y" { (1, n, 1) } else { (1, 1, n) };
            let text = format!(
                "cannot launch `plain` with grid.{axis} = 65536: {} has at most 65535; use more work per thread, or another dimension",
                device.name()
            );
            let (fits, beyond) = (Launch::new(grid(65_535), 1), Launch::new(grid(65_536), 1));
            (fits, beyond, 65_535, text)
        });
    }
    at_the_limit(Contract::ANY, |device| {
        let text = format!(
            "cannot launch `plain` with grid.x = 2147483648: {} has at most 2147483647; use more work per thread, or another dimension",
            device.name()
        );
        // As many as can be asked for in a test.
        (
            Launch::new(1 << 16, 1),
            Launch::new(1 << 31, 1),
            1 << 16,
            text,
        )
    });
}

//@ rows: GCC-21, GCC-40
#[test]
fn dynamic_shared_memory_on_request() {
    let contract = Contract {
        dynamic_shared: true,
        ..Contract::ANY
    };
    at_the_limit(contract, |device| {
        let limit = device.limits().shared_bytes_opt_in;
        let launch = |bytes| Launch::new(3, 32).dynamic_shared(bytes);
        let text = format!(
            "cannot launch `plain` with {} bytes of dynamic shared memory beside 0 bytes of its own: a block on {} has at most {limit}; use a smaller tile",
            limit + 1,
            device.name()
        );
        (launch(limit), launch(limit + 1), 96, text)
    });
}

/// Static and dynamic bytes in one block; what the launch says.
fn with_static(device: &Device, fixed: usize, dynamic: u32) -> Result<(), LaunchError> {
    struct Tile;
    static KEY: SharedKey = SharedKey::new(std::any::TypeId::of::<Tile>(), "u8");
    let stream = device.stream().unwrap();
    let launch = Launch::new(1, 1).dynamic_shared(dynamic);
    plain(&stream, launch, Contract::ANY, &|| {
        // SAFETY: the one type of array with this key, and a launch with as many bytes.
        let start = unsafe { lane::shared_static(&KEY, fixed, 1) };
        // SAFETY: the array's last byte.
        let last = unsafe { start.add(fixed - 1) };
        // SAFETY: as above; one thread.
        unsafe { last.write(1) };
    })?;
    stream.synchronize().unwrap();
    Ok(())
}

#[test]
fn static_shared_memory_is_limited_on_its_own_and_with_the_dynamic() {
    for model in Model::all() {
        let device = Device::emulator_of(model);
        with_static(&device, 49_152, 0).unwrap();
        let text = with_static(&device, 49_153, 0).unwrap_err().to_string();
        let parts = [
            "cannot run `plain`: its static shared arrays have 49153 bytes (the last: of `u8`, runtime/tests/model.rs:",
            &format!("and a block on {} has at most 49152,", device.name()),
            "take a `DynamicShared`, or use smaller arrays",
        ];
        for part in parts {
            assert!(text.contains(part), "{text}");
        }

        let limit = device.limits().shared_bytes_opt_in;
        let rest = limit - 49_152;
        with_static(&device, 49_152, rest).unwrap();
        let error = with_static(&device, 49_152, rest + 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "cannot launch `plain` with {} bytes of dynamic shared memory beside 49152 bytes of its own: a block on {} has at most {limit}; use a smaller tile",
                rest + 1,
                device.name()
            )
        );
        // The device takes further work.
        with_static(&device, 49_152, rest).unwrap();
    }
}

//@ rows: GCC-32, GCC-40, GFN-13
#[test]
fn parameters() {
    const FITS: usize = 32_764;
    for model in Model::all() {
        let device = Device::emulator_of(model);
        let stream = device.stream().unwrap();
        let launch = |bytes: usize| {
            let params = [Param::by_value::<[u8; FITS]>(), Param::by_value::<u8>()];
            let small = warploom_runtime::launch::ByValue::new(0u8);
            let large = warploom_runtime::launch::ByValue::new([0u8; FITS]);
            let args = [large.arg(), small.arg()];
            let n = 1 + usize::from(bytes > FITS);
            let kernel = Kernel {
                name: "model::large",
                base: "large",
                package: "",
                contract: Contract::ANY,
                params: &params[..n],
                layouts: &[],
                index: 0,
                file: file!(),
                line: line!(),
            };
            let shape = Launch::new(1, 1);
            // SAFETY: description and arguments belong together; the body uses neither.
            unsafe {
                submit(
                    &stream,
                    shape,
                    &kernel,
                    &args[..n],
                    &|| {},
                    Location::caller(),
                )
            }
        };
        launch(FITS).unwrap();
        let text = launch(FITS + 1).unwrap_err().to_string();
        let expected = format!(
            "with 32765 bytes of parameters: {} takes at most 32764;",
            device.name()
        );
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn clusters() {
    for model in Model::all() {
        let device = Device::emulator_of(model);
        let stream = device.stream().unwrap();
        let launch = |blocks, large| {
            let launch = Launch::new(32, 32).cluster(blocks);
            let launch = if large {
                launch.large_clusters()
            } else {
                launch
            };
            plain(&stream, launch, Contract::ANY, &|| {}).map_err(|error| error.to_string())
        };
        let limits = model.limits();
        let name = device.name();
        if limits.compute_capability < (9, 0) {
            let text = launch(1, false).unwrap_err();
            assert!(
                text.contains(&format!("in clusters: {name} has none,")),
                "{text}"
            );
            continue;
        }
        assert_eq!(launch(8, false), Ok(()));
        let text = launch(16, false).unwrap_err();
        assert!(
            text.contains(&format!("of 16 blocks: {name} runs at most 8 here;")),
            "{text}"
        );
        let largest = limits.largest_cluster;
        assert_eq!(launch(largest, true), Ok(()));
        let text = launch(2 * largest, true).unwrap_err();
        assert!(
            text.contains(&format!("{name} runs at most {largest} here;")),
            "{text}"
        );
    }
}

//@ rows: GCC-17, GCC-19, GCC-40
#[test]
fn places_for_a_cooperative_grid() {
    let contract = Contract {
        cooperative: true,
        ..Contract::ANY
    };
    // By threads, by shared memory and by blocks, on each model.
    for (threads, dynamic) in [(1024, 0), (32, 40 * 1024), (32, 0)] {
        at_the_limit(contract, |device| {
            let limits = device.limits();
            let by_threads = limits.threads_per_multiprocessor / threads;
            let by_shared = limits.shared_bytes_per_multiprocessor
                / (dynamic + limits.shared_bytes_reserved).max(1);
            let per = by_threads
                .min(by_shared)
                .min(limits.blocks_per_multiprocessor);
            let places = per * limits.multiprocessors;
            let launch = |blocks| Launch::new(blocks, threads).dynamic_shared(dynamic);
            let text = format!(
                "cannot launch `plain` cooperatively with {} blocks: {} has places for {places} of them at a time; use fewer blocks, and let each do more",
                places + 1,
                device.name()
            );
            let ran = u64::from(places) * u64::from(threads);
            (launch(places), launch(places + 1), ran, text)
        });
    }
}

//@ rows: GCC-16, GCC-24
#[test]
fn constant_memory_and_warps_are_answered() {
    for model in Model::all() {
        let limits = Device::emulator_of(model).limits();
        assert_eq!((limits.constant_bytes, limits.warp), (65_536, 32));
        assert_eq!(
            (limits.shared_bytes, limits.parameter_bytes),
            (49_152, 32_764)
        );
    }
}

#[test]
fn kernels_without_device_code_run_on_every_model() {
    for model in Model::all() {
        let device = Emulator::new().model(model).device();
        let stream = device.stream().unwrap();
        plain(&stream, Launch::new(1, 32), Contract::ANY, &|| {
            lane::redux_add(u32::MAX, 1);
        })
        .unwrap();
        stream.synchronize().unwrap();
    }
}
