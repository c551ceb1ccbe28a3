//! A kernel that faults: on a GPU it ends the context, often all contexts of the process, and the program is told; on the emulator it ends
//! nothing.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test may fail as the test does"
)]

use warploom::device_std::debug::trap;
use warploom::prelude::*;
use warploom::{DeviceError, Result};
use warploom_harness::device_test::devices;

#[kernel]
fn traps(i: Index1D) {
    if i.get() == 3 {
        trap();
    }
}

#[kernel]
fn doubles(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = 2 * x[i.get()];
    }
}

fn double(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (x, mut y) = (device.upload(&[21u32; 64])?, device.zeroed(64)?);
    doubles::launch(&stream, Launch::covering(64), &x, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, [42; 64]);
    Ok(())
}

//@ rows: GER-1, GER-2, GER-3, GDV-4
#[test]
fn a_program_is_told_that_its_device_is_lost() {
    // The fault is the whole process's on a GPU.
    const CHILD: &str = "WARPLOOM_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let mut program = std::process::Command::new(std::env::current_exe().unwrap());
        let test = "a_program_is_told_that_its_device_is_lost";
        let program = program
            .args(["--exact", test, "--nocapture"])
            .env(CHILD, "1");
        let output = program.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}\n{errors}"
        );
        return;
    }
    for device in devices() {
        survive(&device).unwrap();
    }
}

fn survive(device: &Device) -> Result<()> {
    double(device)?;
    let (stream, old) = (device.stream()?, device.upload(&[1u8; 1000])?);
    traps::launch(&stream, (1, 32))?; // the launch itself is well
    let first = device.synchronize().unwrap_err().to_string();
    if device.is_gpu() {
        let cause = device.lost().unwrap();
        assert!(cause.is_sticky() && first.contains("reopen"), "{first}");
        let later = device.upload(&[1u8]).unwrap_err().to_string();
        assert!(
            later.contains(&cause.name) && later.contains("was not called"),
            "{later}"
        );
        match device.reopen() {
            Ok(again) => {
                double(&again)?;
                drop((old, stream));
                double(&again)?;
                assert_eq!(again.lost(), None);
            }
            Err(error) => {
                assert!(
                    matches!(&error, DeviceError::LostToProcess { ordinal: 0, .. }),
                    "{error}"
                );
                drop((old, stream)); // neither hangs nor fails
            }
        }
    } else {
        assert_eq!(device.lost(), None);
        device.synchronize()?; // told once
        assert_eq!(old.to_vec(&stream)?, [1; 1000]);
        double(device)?;
    }
    Ok(())
}
