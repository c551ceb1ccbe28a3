//! Lanes of native kernels that end the process, by a stack overflow or a check of std that aborts: a message with block and thread.
//!
//! Each test that ends a process starts this program anew with one of the tests called `child_…`.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, warploom_threads))
))]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::env;
use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::ptr;

use warploom_emulator::check::{HOOKS, Mode, Options};
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, Together, run, run_with};

const CHILD: &str = "WARPLOOM_TEST_OVERFLOW_CHILD";
const ABORTED: i32 = 6;
const FAULTED: i32 = 11;

/// This program with that test alone.
fn child(test: &str) -> Output {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(CHILD, "1").output().unwrap()
}

fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// What the child left on its error stream, which `signal` ended.
#[track_caller]
fn ended_by(signal: i32, test: &str) -> String {
    let output = child(test);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.signal(), Some(signal), "{text}");
    text
}

/// So many frames of about 1 KiB, one in the other.
#[inline(never)]
fn deep(depth: u32) -> u32 {
    let mut frame = [depth; 256];
    black_box(&mut frame);
    if depth == 0 {
        frame[0]
    } else {
        deep(depth - 1) + frame[1]
    }
}

/// One frame of 4 MiB.
#[inline(never)]
fn wide() -> u8 {
    let mut frame = [0_u8; 4 << 20];
    black_box(&mut frame);
    frame[1]
}

/// Thread 7 of block 1 does something, after all threads of its block have met.
fn one_of_many(act: fn()) {
    let outcome = run(Shape::new([3, 1, 1], [40, 1, 1]), &|| {
        block_barrier();
        if block_idx_x() == 1 && thread_idx_x() == 7 {
            act();
        }
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn child_recurses() {
    if is_child() {
        one_of_many(|| _ = black_box(deep(100_000)));
    }
}

#[test]
fn child_has_a_frame_larger_than_all_that_lies_below_its_stack() {
    if is_child() {
        one_of_many(|| _ = black_box(wide()));
    }
}

#[test]
fn child_writes_nowhere() {
    if is_child() {
        // SAFETY: none; it is what the test is about.
        one_of_many(|| unsafe { ptr::without_provenance_mut::<u32>(64).write_volatile(1) });
    }
}

#[test]
fn child_breaks_what_an_unsafe_function_requires() {
    if is_child() {
        let mut options = Options::default();
        options.kernel = "shift";
        let shape = Shape::new([3, 1, 1], [40, 1, 1]);
        run_with(shape, Together::default(), &options, &|| {
            block_barrier();
            if block_idx_x() == 1 && thread_idx_x() == 7 {
                let (values, index) = (black_box(&[1, 2, 3][..]), black_box(5));
                // SAFETY: none; it is what the test is about.
                black_box(unsafe { values.get_unchecked(index) });
            }
        });
    }
}

/// The location of this one is a line of core.
#[test]
fn child_copies_over_itself() {
    if is_child() {
        one_of_many(|| {
            let mut words = [0_u32; 8];
            let to = black_box(words.as_mut_ptr());
            // SAFETY: none; it is what the test is about.
            let from = unsafe { to.add(2) };
            // SAFETY: as above.
            unsafe { ptr::copy_nonoverlapping(from, to, 4) };
        });
    }
}

#[test]
fn child_recurses_on_the_host() {
    if is_child() {
        one_of_many(|| {});
        black_box(deep(100_000_000));
    }
}

#[test]
fn a_native_overflow_ends_the_process_with_its_block_and_thread() {
    for test in [
        "child_recurses",
        "child_has_a_frame_larger_than_all_that_lies_below_its_stack",
    ] {
        let text = ended_by(ABORTED, test);
        let expected = "warploom: block (1, 0, 0), thread (7, 0, 0): stack overflow: the thread needs more than its 262144 bytes of stack; ";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("WARPLOOM_STACK_BYTES"), "{text}");
    }
}

/// std's location of such a panic may be a line of its own.
#[test]
fn a_check_of_std_that_aborts_names_the_kernel_and_the_users_line() {
    if cfg!(not(debug_assertions)) {
        return; // std has no such checks
    }
    for (test, lane) in [
        (
            "child_breaks_what_an_unsafe_function_requires",
            "warploom: kernel `shift`, block (1, 0, 0), thread (7, 0, 0), at ",
        ),
        (
            "child_copies_over_itself",
            "warploom: block (1, 0, 0), thread (7, 0, 0), at ",
        ),
    ] {
        let text = ended_by(ABORTED, test);
        assert!(text.contains("unsafe precondition(s) violated"), "{text}");
        let place = text.split_once(lane).map(|(_, place)| place);
        let file = place.and_then(|place| place.split(':').next());
        assert!(file.unwrap().ends_with("tests/overflow.rs"), "{text}");
    }
}

#[test]
fn other_faults_are_left_to_the_handler_of_before() {
    let text = ended_by(FAULTED, "child_writes_nowhere");
    assert!(!text.contains("stack overflow"), "{text}");
    // That of the standard library, on its own OS thread.
    let text = ended_by(ABORTED, "child_recurses_on_the_host");
    assert!(text.contains("has overflowed its stack"), "{text}");
    assert!(!text.contains("warploom:"), "{text}");
}

/// So many frames of about 1 KiB, and a step of the lane in the innermost.
#[inline(never)]
fn step_below(depth: u32, step: extern "C-unwind" fn(*const u8, u32)) -> u32 {
    let mut frame = [depth; 256];
    black_box(&mut frame);
    if depth == 0 {
        step(frame.as_ptr().cast(), 1);
        frame[0]
    } else {
        step_below(depth - 1, step) + frame[1]
    }
}

#[test]
fn a_checked_lane_that_overflows_in_the_emulators_code_ends_at_its_next_step() {
    let hook = HOOKS
        .iter()
        .find(|hook| hook.name == "check.load4")
        .unwrap();
    // SAFETY: the hook of this name has this type.
    let step = unsafe {
        std::mem::transmute::<*const (), extern "C-unwind" fn(*const u8, u32)>(hook.address)
    };
    let mut options = Options::default();
    options.mode = Mode::Checked;
    options.workers = Some(1);
    let run_below = |depth| {
        let shape = Shape::new([3, 1, 1], [40, 1, 1]);
        let outcome = run_with(shape, Together::default(), &options, &|| {
            block_barrier();
            if thread_idx_x() % 16 == 7 {
                black_box(step_below(depth, step));
            }
        });
        outcome.fault
    };
    // Twice: the reserve is there again for later lanes of the stack.
    for _ in 0..2 {
        // Within the 256 KiB of the stack, and within the 128 KiB of the reserve.
        assert_eq!(run_below(200), None);
        let Some(Fault::Panic {
            message,
            block,
            thread,
            count,
            ..
        }) = run_below(300)
        else {
            panic!("no overflow")
        };
        assert!(
            message.starts_with("stack overflow: the thread needs more than its 262144 bytes"),
            "{message}"
        );
        assert_eq!((block, thread, count), ([0; 3], [7, 0, 0], 9));
    }
}

#[test]
fn a_larger_stack_is_large_enough() {
    let mut options = Options::default();
    options.stack_bytes = 8 << 20;
    let shape = Shape::new([2, 1, 1], [40, 1, 1]);
    let outcome = run_with(shape, Together::default(), &options, &|| {
        block_barrier();
        black_box(wide());
    });
    assert_eq!(outcome.fault, None);
}
