//! A process that was forked has none of its parent's threads, and runs kernels all the same.
//!
//! One test in this file: no other thread may be at work when the process forks.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]
#![cfg(all(unix, not(miri)))]

use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use warploom_emulator::intrinsics::block_barrier;
use warploom_emulator::{Shape, run};

// Of the C library that every program here is linked with.
unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    fn alarm(seconds: u32) -> u32;
    fn _exit(status: i32) -> !;
}

/// Whether a run on three OS threads visits every thread of its grid.
fn runs() -> bool {
    let sum = AtomicU32::new(0);
    let shape = Shape {
        workers: Some(3),
        ..Shape::new([300, 1, 1], [40, 1, 1])
    };
    let fault = run(shape, &|| {
        block_barrier();
        sum.fetch_add(1, Relaxed);
    });
    fault.is_ok() && sum.into_inner() == 12_000
}

/// As [`runs`], while the calling thread unwinds: then it leaves all work to helpers.
fn runs_while_unwinding() -> bool {
    struct Runs<'a>(&'a AtomicBool);
    impl Drop for Runs<'_> {
        fn drop(&mut self) {
            self.0.store(runs(), Relaxed);
        }
    }
    let ran = AtomicBool::new(false);
    let unwound = catch_unwind(|| {
        let _runs = Runs(&ran);
        resume_unwind(Box::new(()));
    });
    unwound.is_err() && ran.into_inner()
}

#[test]
fn a_forked_process_runs_kernels() {
    assert!(runs(), "so that there are helpers");
    // SAFETY: the child calls what a program with one thread may, and leaves without running anything of the parent's.
    let child = unsafe { fork() };
    if child == 0 {
        // SAFETY: a child that waits for ever is killed.
        unsafe {
            alarm(60);
            _exit(if runs_while_unwinding() && runs() {
                42
            } else {
                1
            });
        }
    }
    assert!(child > 0);
    assert!(runs(), "the parent has its own");
    let mut status = 0;
    // SAFETY: the child is ours, and the place can be written.
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 42 << 8, "the child's status: 14 is the alarm");
}
