//! No driver, one that is too old, one whose every call fails, one without a GPU: errors that say so, and the emulator where any device
//! will do.

use std::process::Output;

use warploom_fake_driver::code::Code;
use warploom_fake_driver::testing::{
    Folder, assert_passed, is_child, run_child, run_child_in, without,
};
use warploom_runtime::{Device, DeviceError, Error, Launch, LaunchError};

use crate::carried::{bare, waits};
use crate::program::{run, whole_text};
use crate::sweep::codes;

/// What [`Device::open`] gives when no GPU was asked for: a device that works.
fn assert_falls_back() {
    let device = Device::open().unwrap();
    assert!(!device.is_gpu());
    let stream = device.stream().unwrap();
    assert_eq!(device.upload(&[7u8]).unwrap().to_vec(&stream).unwrap(), [7]);
}

/// Runs a test in a process whose driver is this file.
fn with_file(test: &str, bytes: &[u8], options: &str) -> Output {
    let folder = Folder::new(test).unwrap();
    folder.write(bytes).unwrap();
    run_child_in(&folder, test, options, &[]).unwrap()
}

#[test]
fn a_library_that_is_no_driver_is_no_driver() {
    if !is_child() {
        let this = "absent::a_library_that_is_no_driver_is_no_driver";
        return assert_passed(&with_file(this, b"no library", ""));
    }
    assert_falls_back();
    let error = Device::cuda(0).unwrap_err();
    assert!(
        matches!(error, DeviceError::DriverNotFound { .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("libcuda.so.1 (") && text.contains("libcuda.so ("),
        "{text}"
    );
}

#[test]
fn a_driver_without_a_needed_function_is_named_too_old() {
    if !is_child() {
        let this = "absent::a_driver_without_a_needed_function_is_named_too_old";
        let old = without(&["cuMemsetD8Async", "cuEventRecord"]).unwrap();
        return assert_passed(&with_file(this, &old, ""));
    }
    assert_falls_back();
    let text = Device::cuda(0).unwrap_err().to_string();
    assert!(
        text.contains("lacks cuEventRecord, cuMemsetD8Async;"),
        "{text}"
    );
}

/// Of the first driver that is supported: nothing that came later.
#[test]
fn a_driver_without_later_functions_does_all_else() {
    if !is_child() {
        let this = "absent::a_driver_without_later_functions_does_all_else";
        let later = ["cuLaunchKernelEx", "cuFuncGetParamInfo"];
        return assert_passed(&with_file(this, &without(&later).unwrap(), "version=11040"));
    }
    let device = Device::cuda(0).unwrap();
    assert_eq!(device.driver_version(), Some((11, 4)));
    let stream = device.stream().unwrap();
    bare(&stream, Launch::new(1, 1), "faults::count", false).unwrap();
    stream.synchronize().unwrap();
    let clusters = Launch::new(2, 1).cluster(2);
    let error = bare(&stream, clusters, "faults::count", false).unwrap_err();
    assert!(matches!(error, LaunchError::Driver { .. }), "{error}");
    assert!(error.to_string().contains("need driver 11.8"), "{error}");
    let error = waits(&stream, &mut device.zeroed::<u32>(1).unwrap()).unwrap_err();
    assert!(error.to_string().contains("need driver 11.8"), "{error}");
    let error = whole_text(&run().unwrap_err());
    assert!(error.contains("cuLaunchKernelEx"), "{error}");
}

#[test]
fn device_code_that_is_too_new_for_the_driver_is_refused_with_its_reason() {
    let this = "absent::device_code_that_is_too_new_for_the_driver_is_refused_with_its_reason";
    if !is_child() {
        return assert_passed(&run_child(this, "version=10020", &[]).unwrap());
    }
    let text = whole_text(&run().unwrap_err());
    assert!(
        text.contains("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
        "{text}"
    );
    assert!(text.contains("PTX version 7.0"), "{text}");
}

#[test]
fn a_driver_whose_every_call_fails_is_an_error_with_its_code() {
    let this = "absent::a_driver_whose_every_call_fails_is_an_error_with_its_code";
    if !is_child() {
        for code in codes() {
            let output = run_child(
                this,
                &format!("fail=*:*:{code}"),
                &[("CODE", &code.to_string())],
            );
            assert_passed(&output.unwrap());
        }
        return;
    }
    assert_falls_back();
    let code: i32 = std::env::var("CODE").unwrap().parse().unwrap();
    let error = Device::cuda(0).unwrap_err();
    // Not even the code's name can be asked for.
    let wanted = format!("cuInit with an unknown error ({code}): no description");
    match error {
        DeviceError::NoDevice => assert_eq!(code, 100),
        error => assert!(error.to_string().contains(&wanted), "{error}"),
    }
}

#[test]
fn an_error_at_the_start_chooses_the_emulator_unless_a_gpu_is_asked_for() {
    let this = "absent::an_error_at_the_start_chooses_the_emulator_unless_a_gpu_is_asked_for";
    if !is_child() {
        for code in codes() {
            for device in [None, Some("cuda")] {
                let code_text = code.to_string();
                let mut variables = vec![("CODE", &*code_text)];
                variables.extend(device.map(|device| ("WARPLOOM_DEVICE", device)));
                let output = run_child(this, &format!("fail=cuInit:*:{code}"), &variables);
                assert_passed(&output.unwrap());
            }
        }
        return;
    }
    let code = Code(std::env::var("CODE").unwrap().parse().unwrap());
    if std::env::var_os("WARPLOOM_DEVICE").is_none() {
        return assert_falls_back();
    }
    match Device::open().unwrap_err() {
        DeviceError::NoDevice => assert_eq!(code, Code::NO_DEVICE),
        error => {
            let text = error.to_string();
            assert!(text.contains(code.name().unwrap()), "{text}");
        }
    }
}

#[test]
fn a_number_that_no_gpu_has_is_an_error() {
    let this = "absent::a_number_that_no_gpu_has_is_an_error";
    if !is_child() {
        return assert_passed(&run_child(this, "devices=2", &[]).unwrap());
    }
    let error = Device::cuda(2).unwrap_err();
    assert_eq!(error, DeviceError::NoSuchDevice { given: 2, count: 2 });
    assert!(Device::cuda(1).unwrap().is_gpu());
}

#[test]
fn a_driver_without_gpus_is_no_device() {
    let this = "absent::a_driver_without_gpus_is_no_device";
    if !is_child() {
        return assert_passed(&run_child(this, "devices=0", &[]).unwrap());
    }
    assert!(matches!(
        run().unwrap_err(),
        Error::Device(DeviceError::NoDevice)
    ));
    assert_falls_back();
}
