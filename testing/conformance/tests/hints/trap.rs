//! `trap()`: the hard end. On a GPU it costs the process its context, so each test has a process of its own.

use std::sync::{Arc, Mutex};

use warploom::device_std::debug::trap;
use warploom::prelude::*;
use warploom::{StreamError, gpu_println};
use warploom_harness::device_test::on_each_device;

#[kernel]
fn traps(i: Index1D, wanted: u32) {
    if i.get() == wanted as usize {
        gpu_println!("about to trap: {wanted}");
        trap();
    }
}

//@ rows: OF-1
#[test]
fn a_trap_is_an_error_of_the_launch() {
    if !in_child("trap::a_trap_is_an_error_of_the_launch") {
        return;
    }
    on_each_device(|device, _| {
        let printed = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&printed);
        device.on_print(move |text| kept.lock().unwrap().push_str(text));
        let stream = device.stream()?;
        traps::launch(&stream, (2, 35), 99_999)?;
        stream.synchronize()?;
        traps::launch(&stream, (2, 35), 50)?;
        let error = stream.synchronize().unwrap_err();
        // The buffer outlives the context; the format string, if the host has not met it before, does not.
        assert!(printed.lock().unwrap().contains("50"), "{printed:?}");
        if device.is_gpu() {
            assert!(matches!(error, StreamError::Driver(_)), "{error}");
            assert!(stream.synchronize().is_err(), "the context is lost");
            assert!(device.upload(&[1u8]).is_err(), "for all later work");
            std::process::exit(0); // nothing of this device can be tidied up
        }
        assert!(error.to_string().contains("trap"), "{error}");
        Ok(())
    });
}

/// Whether this is the process for the test alone; if not, runs one and fails as it fails.
fn in_child(test: &str) -> bool {
    const CHILD: &str = "WARPLOOM_TEST_CHILD";
    if std::env::var(CHILD).is_ok_and(|name| name == test) {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let output = std::process::Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, test)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    false
}
