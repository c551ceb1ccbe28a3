//! The heap's size. It can only be set before a kernel that allocates is loaded: a process of its own.

use warploom::StreamError;
use warploom::prelude::*;
use warploom_harness::device_test::{gpu_or_skip, on_each_device};

#[kernel]
fn takes(bytes: u64, mut y: DisjointSlice<u64>, i: Index1D) {
    if let Some(y) = y.get_mut(i) {
        let mut all: Vec<u8> = Vec::with_capacity(bytes as usize);
        all.resize(1000, 1);
        *y = all.iter().map(|b| u64::from(*b)).sum::<u64>() + all.capacity() as u64;
    }
}

//@ rows: HEAP-limit
#[test]
fn the_limit_can_be_asked_and_set() {
    if !in_child("limit::the_limit_can_be_asked_and_set") {
        return;
    }
    on_each_device(|device, stream| {
        assert!(device.heap_limit()? >= 8 << 20);
        device.set_heap_limit(96 << 20)?;
        assert!(device.heap_limit()? >= 96 << 20);
        let mut y = device.zeroed(1)?;
        takes::launch(stream, (1, 1), 40 << 20, &mut y)?;
        assert_eq!(y.to_vec(stream)?, [1000 + (40 << 20)]);
        Ok(())
    });
}

//@ rows: HEAP-limit
#[test]
fn a_full_heap_is_a_panic_of_the_kernel() {
    // The emulator allocates from the host, which has more.
    let Some(device) = gpu_or_skip() else {
        return;
    };
    if !in_child("limit::a_full_heap_is_a_panic_of_the_kernel") {
        return;
    }
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(1).unwrap();
    takes::launch(&stream, (1, 1), 1 << 40, &mut y).unwrap();
    let Err(StreamError::Panic(panic)) = stream.synchronize() else {
        panic!("no panic");
    };
    assert_eq!(&*panic.kernel, "takes");
    assert_eq!(
        panic.message,
        format!("memory allocation of {} bytes failed", 1u64 << 40)
    );
    takes::launch(&stream, (1, 1), 1000, &mut y).unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [2000], "the device goes on");
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
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    false
}
