//! Threads that need more stack than they have: a panic of the thread in checked mode, a message and the end of the process in fast mode.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail as the tests do"
)]

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom::{KernelPanic, StreamError};

const CHILD: &str = "WARPLOOM_TEST_OVERFLOW_CHILD";
const THREADS: usize = 50;
/// In each block.
const CULPRIT: usize = 7;
const N: usize = 3 * THREADS;

/// So many frames, one in the other.
#[inline(never)]
fn deep(x: &[u32], depth: u32) -> u32 {
    let mut frame = [depth; 64];
    frame[x[depth as usize % x.len()] as usize % 64] += 1;
    if depth != 0 {
        frame[0] = deep(x, depth - 1); //~ call
    }
    frame[x[0] as usize % 64] + frame[0]
}

/// One frame of 384 KiB.
#[inline(never)]
fn wide(x: &[u32]) -> u32 {
    let mut frame = [0_u32; 96 << 10];
    for (at, word) in (0..).zip(&mut frame) {
        *word = x[at % x.len()] + at as u32;
    }
    frame[x[0] as usize % frame.len()]
}

#[kernel]
fn recurse(i: Index1D, depth: u32, x: &[u32], mut y: DisjointSlice<u32>) {
    let at = i.get();
    let Some(y) = y.get_mut(i) else { return };
    *y = if at % THREADS == CULPRIT {
        deep(x, depth)
    } else {
        1
    };
}

#[kernel]
fn widen(i: Index1D, block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let at = i.get();
    block.sync();
    let Some(y) = y.get_mut(i) else { return };
    *y = if at % THREADS == CULPRIT { wide(x) } else { 1 };
}

/// With less stack than the wide frame and all that lies below a stack.
fn emulator(mode: Mode) -> Emulator {
    Emulator::new().mode(mode).stack_bytes(64 << 10)
}

/// What a launch leaves, and how it ends.
fn run(
    device: &Device,
    launch: impl FnOnce(&Stream, Launch, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>),
) -> (Vec<u32>, Option<KernelPanic>) {
    let stream = device.stream().unwrap();
    let x = device.upload(&[3_u32; N]).unwrap();
    let mut y = device.upload(&[0_u32; N]).unwrap();
    launch(&stream, Launch::new(3, THREADS as u32), &x, &mut y);
    let panic = match stream.synchronize() {
        Ok(()) => None,
        Err(StreamError::Panic(panic)) => Some(*panic),
        Err(other) => panic!("{other}"),
    };
    (y.to_vec(&stream).unwrap(), panic)
}

fn run_recurse(device: &Device, depth: u32) -> (Vec<u32>, Option<KernelPanic>) {
    run(device, |stream, shape, x, y| {
        recurse::launch(stream, shape, depth, x, y).unwrap();
    })
}

fn run_widen(device: &Device) -> (Vec<u32>, Option<KernelPanic>) {
    run(device, |stream, shape, x, y| {
        widen::launch(stream, shape, x, y).unwrap();
    })
}

#[track_caller]
fn is_reported((left, panic): (Vec<u32>, Option<KernelPanic>), kernel: &str) -> KernelPanic {
    let panic = panic.unwrap();
    assert_eq!(panic.kernel, kernel);
    assert_eq!(
        (panic.block, panic.thread),
        ([0; 3], [CULPRIT as u32, 0, 0])
    );
    let text = "stack overflow: the thread needs more than its 65536 bytes of stack; ";
    assert!(panic.message.starts_with(text), "{}", panic.message);
    let expected: Vec<u32> = (0..N).map(|i| u32::from(i % THREADS != CULPRIT)).collect();
    assert_eq!(left, expected, "all other threads came to their end");
    panic
}

#[test]
fn recursion_in_checked_mode_is_reported_and_the_process_goes_on() {
    let device = emulator(Mode::Checked).device();
    let call = include_str!("stack_overflow.rs").lines().zip(1..);
    let (_, call) = call
        .into_iter()
        .find(|(line, _)| line.ends_with("//~ call"))
        .unwrap();
    // Overflows in the kernel's own code and in the emulator's functions: at each depth another frame is the last.
    for depth in [10_000, 10_001, 100_000] {
        let panic = is_reported(run_recurse(&device, depth), "recurse");
        assert!(panic.file.ends_with("stack_overflow.rs"), "{}", panic.file);
        assert_eq!(panic.line, call);
    }
    let (left, panic) = run_recurse(&device, 10);
    assert!(panic.is_none() && left[CULPRIT] > 1, "{panic:?}");
}

#[test]
fn a_frame_larger_than_all_that_lies_below_the_stack_is_reported() {
    let device = emulator(Mode::Checked).device();
    for _ in 0..3 {
        is_reported(run_widen(&device), "widen");
    }
    let device = emulator(Mode::Checked).stack_bytes(1 << 20).device();
    let (left, panic) = run_widen(&device);
    assert!(panic.is_none() && left[CULPRIT] > 1, "{panic:?}");
}

#[test]
fn child_recurses() {
    if std::env::var_os(CHILD).is_some() {
        run_recurse(&emulator(Mode::Fast).device(), 100_000);
    }
}

#[test]
fn child_widens() {
    if std::env::var_os(CHILD).is_some() {
        run_widen(&emulator(Mode::Fast).device());
    }
}

#[test]
fn in_fast_mode_a_message_names_kernel_block_and_thread() {
    for (test, kernel) in [("child_recurses", "recurse"), ("child_widens", "widen")] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
        // One block after the other.
        let output = command
            .env(CHILD, "1")
            .env("WARPLOOM_WORKERS", "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(6), "{text}");
        let expected = format!(
            "warploom: kernel `{kernel}`, block (0, 0, 0), thread (7, 0, 0): stack overflow: the thread needs more than its 65536 bytes of stack; "
        );
        assert!(text.contains(&expected), "{text}");
    }
}
