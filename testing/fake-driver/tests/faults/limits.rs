//! Too much, too long, too many at once.

use warploom_fake_driver::testing::{Fake, assert_passed, is_child, run_child};
use warploom_runtime::{Device, Launch, LaunchError, MemoryError};

use crate::carried::{COUNT, bare, races, saxpy, waits};

fn fake(test: &str, options: &str) -> Option<Fake> {
    if is_child() {
        return Some(Fake::loaded().unwrap());
    }
    assert_passed(&run_child(&format!("limits::{test}"), options, &[]).unwrap());
    None
}

#[test]
fn more_than_the_device_has_is_an_ordinary_error() {
    let Some(fake) = fake(
        "more_than_the_device_has_is_an_ordinary_error",
        "memory=1000000",
    ) else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let most = device.zeroed::<u8>(900_000).unwrap();
    for (elements, error) in [
        (100_001, device.zeroed::<u8>(100_001).unwrap_err()),
        (
            usize::MAX,
            device.alloc_uninit::<u64>(usize::MAX).unwrap_err(),
        ),
        (1 << 60, device.alloc_uninit::<u64>(1 << 60).unwrap_err()),
    ] {
        assert!(
            matches!(error, MemoryError::OutOfMemory { elements: given, .. } if given == elements),
            "{error}"
        );
    }
    assert_eq!(fake.count("device memory"), 1);
    drop(most);
    // There is room again, and the device goes on.
    let stream = device.stream().unwrap();
    assert_eq!(
        device
            .upload(&[3u8; 1_000_000])
            .unwrap()
            .to_vec(&stream)
            .unwrap()[999_999],
        3
    );
}

#[test]
fn a_copy_that_does_not_fit_never_reaches_the_driver() {
    let this = "a_copy_that_does_not_fit_never_reaches_the_driver";
    let Some(fake) = fake(this, "") else { return };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let mut x = device.upload(&[1u32, 2, 3, 4]).unwrap();
    let y = device.upload(&[9u32; 5]).unwrap();
    fake.start_log();
    let mut target = [0; 3];
    for error in [
        x.copy_from(2, &[7, 7, 7], &stream).unwrap_err(),
        x.copy_from(usize::MAX, &[7], &stream).unwrap_err(),
        x.copy_to(2, &mut target, &stream).unwrap_err(),
        x.copy_from_device(0, &y, &stream).unwrap_err(),
    ] {
        assert!(
            matches!(error, MemoryError::CopyOutOfRange { .. }),
            "{error}"
        );
    }
    assert_eq!(fake.log(), Vec::<String>::new());
    assert_eq!(x.to_vec(&stream).unwrap(), [1, 2, 3, 4]);
}

#[test]
fn device_code_that_the_driver_refuses_is_an_error_with_the_line() {
    let this = "device_code_that_the_driver_refuses_is_an_error_with_the_line";
    let Some(fake) = fake(this, "") else { return };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    for _ in 0..2 {
        let error = bare(&stream, Launch::new(1, 1), "faults::broken", false).unwrap_err();
        assert!(matches!(error, LaunchError::Refused { .. }), "{error}");
        let text = error.to_string();
        for part in [
            "CUDA_ERROR_INVALID_PTX (218)",
            "line 9; error",
            "'multiply'",
            "`broken`",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
    assert_eq!(fake.count("modules"), 0);
    // Other modules can be loaded.
    bare(&stream, Launch::new(1, 1), "faults::count", false).unwrap();
    stream.synchronize().unwrap();
}

const THREADS: usize = 64;
const LAUNCHES: usize = 1000;

#[test]
fn many_threads_launch_on_one_stream() {
    let Some(fake) = fake("many_threads_launch_on_one_stream", "queued=1,probe=0") else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..LAUNCHES {
                    bare(&stream, Launch::new(1, 1), "faults::count", false).unwrap();
                }
            });
        }
    });
    let count = device.symbol(&COUNT).unwrap();
    assert_eq!(
        count.read(&stream).unwrap() as usize,
        40 + THREADS * LAUNCHES
    );
    drop((count, stream, device));
    assert_eq!(
        (fake.live(), fake.complaints()),
        (vec![], Vec::<String>::new())
    );
}

#[test]
fn many_threads_launch_on_streams_of_their_own() {
    let this = "many_threads_launch_on_streams_of_their_own";
    let Some(fake) = fake(this, "queued=1,probe=0") else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let x = device.upload(&[1.0f32]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (device, x) = (&device, &x);
            scope.spawn(move || {
                let stream = device.stream().unwrap();
                // Shared input, own output.
                let mut y = device.upload(&[thread as f32]).unwrap();
                for _ in 0..LAUNCHES {
                    saxpy(&stream, Launch::new(1, 1), 1.0, x, &mut y).unwrap();
                }
                assert_eq!(y.to_vec(&stream).unwrap(), [(thread + LAUNCHES) as f32]);
            });
        }
    });
    drop((x, device));
    assert_eq!(fake.count("launches") as usize, THREADS * LAUNCHES);
    assert_eq!(
        (fake.live(), fake.complaints()),
        (vec![], Vec::<String>::new())
    );
}

/// What the runtime asks for only where the device pass has put the wait.
#[test]
fn a_dependent_launch_of_a_kernel_that_does_not_wait_is_refused() {
    let this = "a_dependent_launch_of_a_kernel_that_does_not_wait_is_refused";
    let Some(_fake) = fake(this, "") else { return };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(1).unwrap();
    waits(&stream, &mut y).unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [7]);
    let error = races(&stream).unwrap_err();
    assert!(
        error.to_string().contains("CUDA_ERROR_INVALID_VALUE"),
        "{error}"
    );
}
