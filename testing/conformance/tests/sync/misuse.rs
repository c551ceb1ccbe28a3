//! Barriers that not all threads reach: the emulator reports them, with kernel, block, thread and place. A GPU would wait for ever.

use warploom::prelude::*;

#[kernel]
fn all_but_one(block: Block) {
    if block.thread() > 0 {
        block.sync();
    }
    if block.thread() == 0 {
        block.sync_any(true); // something else than the others wait for
    }
}

/// The line in [`all_but_one`] where the others wait.
const MISSED: u32 = line!() - 8;

#[kernel]
fn one_at_a_time(block: Block, warp: Warp) {
    for k in 0..block.threads() {
        if k == block.thread() {
            block.sync();
        }
    }
    warp.sync();
}

#[kernel]
fn rounds_by_thread(block: Block) {
    for k in 0..block.threads() {
        if k < block.thread() {
            block.sync();
        }
    }
    block.sync_any(true);
}

#[kernel]
fn mixed_questions(block: Block) {
    if block.thread() < 32 {
        block.sync_count(true);
    } else {
        block.sync_all(true);
    }
}

/// What a run of `launch` on the emulator reports.
#[track_caller]
fn report(launch: impl FnOnce(&Stream) -> Result<(), warploom::LaunchError>) -> String {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    launch(&stream).unwrap();
    stream.synchronize().unwrap_err().to_string()
}

#[track_caller]
fn expect(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(
            text.contains(part),
            "{text}\nwhere this was expected:\n{part}"
        );
    }
}

//@ rows: SY-5, GSY-2
#[test]
fn a_barrier_that_one_thread_misses_is_reported() {
    let text = report(|stream| all_but_one::launch(stream, (2, 96)));
    let place = format!("wait at barrier 0, {}:{MISSED}:", file!());
    expect(
        &text,
        &[
            "kernel `all_but_one` never ends: block (0, 0, 0) is stuck: ",
            "1 thread (first: (0, 0, 0)) waits at barrier 0 with `barrier_any`",
            "95 threads (first: (1, 0, 0)) ",
            &place,
        ],
    );
}

/// CUDA's second bad example with one barrier more or less for each thread: a thread with no round left waits for something else.
//@ rows: SY-5
#[test]
fn threads_with_different_numbers_of_rounds_are_reported() {
    let text = report(|stream| rounds_by_thread::launch(stream, (1, 70)));
    expect(
        &text,
        &[
            "kernel `rounds_by_thread` never ends: block (0, 0, 0) is stuck: ",
            "1 thread (first: (0, 0, 0)) waits at barrier 0 with `barrier_any`",
            "69 threads (first: (1, 0, 0)) wait at barrier 0, ",
        ],
    );
}

/// The example itself: every thread does arrive once, though in different rounds of the loop. The emulator counts arrivals, as GPUs do
/// from compute capability 7.0 on, so this completes; what lanes tell it (calls of intrinsics and accesses, in order) is the same for all
/// of them, so it cannot see that the rounds differ.
#[test]
fn a_barrier_in_a_loop_over_threads_completes_on_the_emulator() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    one_at_a_time::launch(&stream, (1, 70)).unwrap();
    stream.synchronize().unwrap();
}

//@ rows: SY-5
#[test]
fn different_questions_at_one_barrier_are_reported() {
    let text = report(|stream| mixed_questions::launch(stream, (1, 64)));
    expect(
        &text,
        &[
            "32 threads (first: (0, 0, 0)) wait at barrier 0 with `barrier_count`",
            "32 threads (first: (32, 0, 0)) wait at barrier 0 with `barrier_all`",
        ],
    );
}
