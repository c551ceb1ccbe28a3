//! Every call of a program fails once with every code: an error that names the code or a right result, never a panic, a leak or a hang.

use std::panic::{AssertUnwindSafe, catch_unwind};

use warploom_fake_driver::code::{CODES, Code};
use warploom_fake_driver::testing::{Fake, assert_passed, is_child, run_child};

use warploom_runtime::{Device, Error, MemoryError, StreamError};

use crate::program::{PARTS, Part, names, run, run_part, whole_text};

/// Codes that are injected: all that there are.
pub(crate) fn codes() -> impl Iterator<Item = i32> {
    CODES
        .iter()
        .map(|(code, ..)| *code)
        .filter(|code| *code != 0)
}

/// Some of each kind: after the two in the middle, nothing works any more.
const FEW: [i32; 6] = [1, 2, 700, 719, 400, 999];

/// Calls that give something back. One that fails leaves something behind.
const RELEASES: [&str; 21] = [
    "cuArrayDestroy",
    "cuDestroyExternalMemory",
    "cuDestroyExternalSemaphore",
    "cuDevicePrimaryCtxRelease_v2",
    "cuEventDestroy_v2",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphicsUnmapResources",
    "cuGraphicsUnregisterResource",
    "cuMemAddressFree",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostUnregister",
    "cuMemPoolDestroy",
    "cuMemRelease",
    "cuMemUnmap",
    "cuMipmappedArrayDestroy",
    "cuModuleUnload",
    "cuStreamDestroy_v2",
    "cuSurfObjectDestroy",
    "cuTexObjectDestroy",
];

/// Codes that are an answer of this call: the module has no such variable, the kernel no such parameter, the driver no such attribute, no GPU renders.
const ANSWERS: [(&str, Code); 6] = [
    ("cuDeviceGetAttribute", Code::INVALID_VALUE),
    ("cuModuleGetGlobal_v2", Code::NOT_FOUND),
    ("cuFuncGetParamInfo", Code::INVALID_VALUE),
    ("cuGLGetDevices_v2", Code::NO_DEVICE),
    ("cuGLGetDevices_v2", Code::INVALID_GRAPHICS_CONTEXT),
    ("cuGLGetDevices_v2", Code::OPERATING_SYSTEM),
];

/// What is wrong with the run of `part` in which call `at`, which was of `function`, failed with `code`; nothing if all is as it must be.
fn verdict(fake: &Fake, part: Part, (at, function): (usize, &str), code: Code) -> Option<String> {
    let name = code.name().unwrap();
    fake.fail(&format!("*:{}:{}", at + 1, code.0));
    let before = fake.count("injected");
    let outcome = catch_unwind(AssertUnwindSafe(|| run_part(part)));
    fake.fail_nothing();
    let wrong = match outcome {
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            Some(format!(
                "panicked: {:?}",
                text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            ))
        }
        Ok(Err(error)) if !names(&error, name) => {
            Some(format!("does not name the code: {}", whole_text(&error)))
        }
        // A code that breaks the context and is not reported would be lost work.
        Ok(_) if fake.count("injected") != before + 1 => Some("was not reached".to_owned()),
        Ok(_) if RELEASES.contains(&function) => None,
        Ok(_) if !fake.live().is_empty() => Some(format!("leaves {:?}", fake.live())),
        // As if other code had ended the context: what is left goes with it.
        Ok(_) if (function, code) == ("cuCtxSetCurrent", Code::INVALID_CONTEXT) => None,
        Ok(_) if !fake.complaints().is_empty() => {
            Some(format!("complaints: {:?}", fake.complaints()))
        }
        Ok(_) => None,
    };
    fake.reset();
    wrong.map(|wrong| format!("call {at}, {function} with {name}: {wrong}"))
}

fn sweep(codes: &[i32]) {
    let fake = Fake::loaded().unwrap();
    // Loads and initialises the driver, which happens once per process.
    run().unwrap();
    assert_eq!(
        (fake.live(), fake.complaints()),
        (vec![], Vec::<String>::new())
    );
    let (mut wrong, mut injections) = (Vec::new(), 0);
    for part in PARTS {
        fake.start_log();
        run_part(part).unwrap();
        for (at, function) in fake.log().iter().enumerate() {
            let codes = codes.iter().copied().map(Code);
            for code in codes.filter(|code| !ANSWERS.contains(&(function, *code))) {
                injections += 1;
                wrong.extend(verdict(&fake, part, (at, function), code));
            }
        }
    }
    eprintln!("{injections} injections");
    assert!(
        wrong.is_empty(),
        "{} of them are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_call_fails_with_every_code() {
    if is_child() {
        return sweep(&codes().collect::<Vec<_>>());
    }
    assert_passed(
        &run_child(
            "sweep::every_call_fails_with_every_code",
            "probe=0,recovers=1",
            &[],
        )
        .unwrap(),
    );
}

#[test]
fn every_call_fails_while_work_is_queued() {
    if is_child() {
        return sweep(&FEW);
    }
    let this = "sweep::every_call_fails_while_work_is_queued";
    assert_passed(&run_child(this, "queued=1,probe=0,recovers=1", &[]).unwrap());
}

/// Codes after which a driver goes on.
const PASSING: [i32; 4] = [1, 2, 400, 999];

/// One call fails; then the same device does the same part again.
fn again() {
    let fake = Fake::loaded().unwrap();
    let mut wrong = Vec::new();
    for part in PARTS {
        let device = Device::cuda(0).unwrap();
        fake.start_log();
        part(&device).unwrap();
        drop(device);
        // Memory that stays registered when it is freed is in the way of the program's next use of it: that is the driver's.
        let calls = fake.log().into_iter().enumerate();
        for (at, function) in &calls
            .filter(|(_, function)| function != "cuMemHostUnregister")
            .collect::<Vec<_>>()
        {
            for code in PASSING {
                let device = Device::cuda(0).unwrap();
                fake.fail(&format!("*:{}:{code}", at + 1));
                let first = catch_unwind(AssertUnwindSafe(|| part(&device).err()));
                fake.fail_nothing();
                // Waits for what the first time left in flight: statics are for all streams.
                device.set_print_buffer(1024).unwrap();
                let mut second = catch_unwind(AssertUnwindSafe(|| part(&device)));
                if matches!(&second, Ok(Err(error)) if is_late_panic(error)) {
                    second = catch_unwind(AssertUnwindSafe(|| part(&device)));
                }
                let call = format!("call {at}, {function} with {code}");
                if !matches!(second, Ok(Ok(()))) {
                    wrong.push(format!("{call}: {first:?}, then {second:?}"));
                }
                drop(device);
                if !RELEASES.contains(&&**function) && !fake.live().is_empty() {
                    wrong.push(format!("{call} leaves {:?}", fake.live()));
                }
                fake.reset();
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A kernel's panic that the first run could not report.
fn is_late_panic(error: &Error) -> bool {
    let panic = |error: &StreamError| matches!(error, StreamError::Panic(_));
    match error {
        Error::Memory(MemoryError::Stream(error)) | Error::Stream(error) => panic(error),
        _ => false,
    }
}

#[test]
fn a_device_goes_on_after_a_call_that_failed() {
    if is_child() {
        return again();
    }
    let this = "sweep::a_device_goes_on_after_a_call_that_failed";
    assert_passed(&run_child(this, "queued=1,probe=0,recovers=1", &[]).unwrap());
}
