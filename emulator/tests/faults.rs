//! Panics of threads, misuse, and what is refused before anything runs.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]
#![expect(
    clippy::panic,
    reason = "helpers of tests stand outside of #[test] functions"
)]

mod named;

use std::any::TypeId;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use named::named_barrier;
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, SharedKey, run};

#[derive(Debug, PartialEq)]
struct Panicked {
    message: String,
    block: [u32; 3],
    thread: [u32; 3],
    count: u64,
    file: String,
    line: u32,
}

#[track_caller]
fn panicked(shape: Shape, program: &(dyn Fn() + Sync)) -> Panicked {
    match run(shape, program) {
        Err(Fault::Panic {
            message,
            file,
            line,
            column: _,
            block,
            thread,
            count,
        }) => Panicked {
            message,
            block,
            thread,
            count,
            file,
            line,
        },
        other => panic!("no panic, but {other:?}"),
    }
}

#[test]
fn one_panic_leaves_all_others_running() {
    let finished = AtomicU32::new(0);
    let line = line!() + 3;
    let fault = panicked(Shape::new([3, 1, 1], [83, 1, 1]), &|| {
        if block_idx_x() == 1 && thread_idx_x() == 40 {
            panic!("thread {} gives up", thread_idx_x());
        }
        block_barrier();
        assert_ne!(vote_ballot(u32::MAX, true), 0);
        finished.fetch_add(1, Relaxed);
    });
    let expected = Panicked {
        message: "thread 40 gives up".into(),
        block: [1, 0, 0],
        thread: [40, 0, 0],
        count: 1,
        file: file!().into(),
        line,
    };
    assert_eq!(fault, expected);
    assert_eq!(finished.into_inner(), 3 * 83 - 1);
}

#[test]
fn the_lowest_block_and_thread_are_reported() {
    for workers in [1, 2, 5] {
        let shape = Shape {
            workers: Some(workers),
            ..Shape::new([4, 3, 1], [6, 5, 2])
        };
        let fault = panicked(shape, &|| {
            let block = block_idx_y() * 4 + block_idx_x();
            let thread = (thread_idx_z() * 5 + thread_idx_y()) * 6 + thread_idx_x();
            // Thread 20 panics at once, thread 13 later than that.
            if block >= 6 && thread == 13 {
                block_barrier();
                panic!("late");
            }
            assert!(block < 6 || thread != 20, "early");
            block_barrier();
        });
        assert_eq!((fault.block, fault.thread), ([2, 1, 0], [1, 2, 0]));
        assert_eq!((fault.message.as_str(), fault.count), ("late", 12));
    }
}

#[test]
fn a_panic_while_others_wait_releases_them() {
    let finished = AtomicU32::new(0);
    let fault = panicked(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
        assert!(thread_idx_x() != 63, "the last to arrive");
        block_barrier();
        warp_sync(u32::MAX);
        finished.fetch_add(1, Relaxed);
    });
    assert_eq!((fault.thread, finished.into_inner()), ([63, 0, 0], 63));
}

#[test]
fn a_panic_goes_before_the_deadlock_of_its_block() {
    let fault = panicked(Shape::new([2, 1, 1], [33, 1, 1]), &|| {
        assert!(thread_idx_x() != 32, "first");
        named_barrier(thread_idx_x() % 2);
    });
    assert_eq!((fault.message.as_str(), fault.block), ("first", [0; 3]));
}

#[test]
fn destructors_of_a_panicking_thread_do_not_wait() {
    struct Syncs;
    impl Drop for Syncs {
        fn drop(&mut self) {
            block_barrier();
            vote_any(u32::MAX, true);
            active_mask();
        }
    }
    let fault = panicked(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
        if thread_idx_x() == 3 {
            let _guard = Syncs;
            panic!("with a guard");
        }
        block_barrier();
    });
    assert_eq!((fault.message.as_str(), fault.count), ("with a guard", 2));
}

#[test]
fn a_panic_that_the_kernel_catches_is_none() {
    run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
        let outcome = std::panic::catch_unwind(|| assert!(thread_idx_x().is_multiple_of(2), "odd"));
        assert_eq!(outcome.is_ok(), thread_idx_x().is_multiple_of(2));
        block_barrier();
    })
    .unwrap();
}

#[test]
fn a_payload_without_text_is_reported() {
    let fault = panicked(Shape::new([1, 1, 1], [1, 1, 1]), &|| {
        std::panic::panic_any(5_u8)
    });
    assert_eq!(fault.message, "a panic whose payload is not text");
    let fault = panicked(Shape::new([1, 1, 1], [1, 1, 1]), &|| {
        std::panic::resume_unwind(Box::new("without a hook"))
    });
    assert_eq!((fault.message.as_str(), fault.line), ("without a hook", 0));
}

#[test]
fn a_payload_that_panics_when_dropped_is_survived() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the payload");
        }
    }
    let fault = panicked(Shape::new([1, 1, 1], [2, 1, 1]), &|| {
        if thread_idx_x() == 0 {
            std::panic::resume_unwind(Box::new(Bomb));
        }
        block_barrier();
    });
    assert_eq!((fault.thread, fault.count), ([0; 3], 1));
}

#[test]
fn a_payload_that_waits_when_dropped_does_not() {
    struct Waits;
    impl Drop for Waits {
        fn drop(&mut self) {
            named_barrier(3);
            assert_eq!(vote_ballot(u32::MAX, true), 1);
        }
    }
    let fault = panicked(Shape::new([1, 1, 1], [40, 1, 1]), &|| {
        if thread_idx_x().is_multiple_of(2) {
            std::panic::panic_any(Waits);
        }
        block_barrier();
    });
    assert_eq!((fault.thread, fault.count), ([0; 3], 20));
}

#[test]
fn misuse_of_an_intrinsic_names_the_callers_line() {
    let line = line!() + 2;
    let fault = panicked(Shape::new([1, 1, 1], [2, 1, 1]), &|| {
        named_barrier(16);
    });
    assert_eq!(
        fault.message,
        "barrier(16): a block has the barriers 0 to 15"
    );
    assert_eq!(
        (fault.file.as_str(), fault.line, fault.count),
        (file!(), line, 2)
    );

    let line = line!() + 3;
    let fault = panicked(Shape::new([1, 1, 1], [40, 1, 1]), &|| {
        if thread_idx_x() == 34 {
            vote_any(0xfb, true);
        }
    });
    assert_eq!(
        fault.message,
        "`vote_any` was called by lane 2 with mask 0x000000fb, in which it is not; a lane must be in its own mask"
    );
    assert_eq!((fault.file.as_str(), fault.line), (file!(), line));
    let fault = panicked(Shape::new([1, 1, 1], [1, 1, 1]), &|| trap());
    assert_eq!(fault.message, "trap");
}

#[test]
fn outside_a_kernel_intrinsics_say_so() {
    let message = |call: fn()| {
        *std::panic::catch_unwind(call)
            .unwrap_err()
            .downcast::<String>()
            .unwrap()
    };
    let calls: [(&str, fn()); 8] = [
        ("thread_idx_x", || _ = thread_idx_x()),
        ("grid_dim_z", || _ = grid_dim_z()),
        ("lane_id", || _ = lane_id()),
        ("barrier", || block_barrier()),
        ("warp_sync", || warp_sync(1)),
        ("shuffle_up", || _ = shuffle_up(1, 0, 0, 0)),
        ("active_mask", || _ = active_mask()),
        ("dynamic_shared", || {
            // SAFETY: the pointer is not used.
            let _ = unsafe { dynamic_shared() };
        }),
    ];
    for (name, call) in calls {
        assert_eq!(
            message(call),
            format!("`{name}()` was called outside a kernel")
        );
    }
    // An OS thread that a kernel starts is not in the kernel.
    run(Shape::new([1, 1, 1], [1, 1, 1]), &|| {
        assert!(std::thread::spawn(thread_idx_x).join().is_err());
    })
    .unwrap();
}

#[test]
fn a_kernel_cannot_run_another() {
    let shape = Shape::new([1, 1, 1], [3, 1, 1]);
    run(shape, &|| {
        let refused = run(shape, &|| {});
        assert_eq!(refused, Err(Fault::Nested));
        assert_eq!(
            refused.unwrap_err().to_string(),
            "cannot run a kernel from inside a kernel; launch it from host code"
        );
        block_barrier();
    })
    .unwrap();
}

#[test]
fn shapes_beyond_a_limit_are_refused() {
    let text = |shape| {
        run(shape, &|| panic!("must not run"))
            .unwrap_err()
            .to_string()
    };
    let cases = [
        (
            [0, 1, 1],
            [1, 1, 1],
            "grid.x = 0: it is at least 1 and at most 2147483647",
        ),
        (
            [1, 65536, 1],
            [1, 1, 1],
            "grid.y = 65536: it is at least 1 and at most 65535",
        ),
        (
            [1, 1, 1],
            [1025, 1, 1],
            "block.x = 1025: it is at least 1 and at most 1024",
        ),
        (
            [1, 1, 1],
            [1, 1, 65],
            "block.z = 65: it is at least 1 and at most 64",
        ),
        (
            [1, 1, 1],
            [33, 32, 1],
            "threads per block = 1056: it is at least 1 and at most 1024",
        ),
    ];
    for (grid, block, expected) in cases {
        let text = text(Shape::new(grid, block));
        assert_eq!(
            text,
            format!("cannot run a kernel with {expected}; use another grid or block size")
        );
    }
    let shape = Shape {
        dynamic_shared_bytes: 232_449,
        ..Shape::new([1, 1, 1], [1, 1, 1])
    };
    assert_eq!(
        text(shape),
        "cannot run a kernel with 232449 bytes of dynamic shared memory: a block has at most 232448; use a smaller tile"
    );
}

#[test]
fn too_much_shared_memory_is_a_fault_with_numbers() {
    struct Site;
    static KEY: SharedKey = SharedKey::new(TypeId::of::<Site>(), "f64");
    static FIRST: SharedKey = SharedKey::new(TypeId::of::<Fault>(), "u8");
    let line = line!() + 6;
    let ask = |dynamic, first, bytes| {
        let went_on = AtomicU32::new(0);
        // SAFETY: the pointers are not used.
        let fault = run(with_dynamic(dynamic), &|| unsafe {
            shared_static(&FIRST, first, 1);
            shared_static(&KEY, bytes, 8);
            went_on.fetch_add(1, Relaxed);
        });
        assert_eq!(went_on.into_inner(), 0);
        fault.unwrap_err().to_string()
    };
    let of = format!("(the last: of `f64`, {}:{line}:13)", file!());
    assert_eq!(
        ask(1000, 3, 49_150),
        format!(
            "cannot give a block 49158 bytes of static shared arrays {of}: it has at most 49152, more only as dynamic shared memory; take a `DynamicShared`, or use smaller arrays"
        )
    );
    assert_eq!(
        ask(232_000, 8, 441),
        format!(
            "cannot give a block 449 bytes of static shared arrays {of} beside 232000 bytes of dynamic shared memory, 232449 in all: it has at most 232448; ask for less dynamic shared memory, or use smaller arrays"
        )
    );
}

fn with_dynamic(dynamic_shared_bytes: u32) -> Shape {
    Shape {
        dynamic_shared_bytes,
        ..Shape::new([2, 1, 1], [40, 1, 1])
    }
}

#[test]
fn shared_memory_cannot_be_aligned_to_anything() {
    struct Site;
    static KEY: SharedKey = SharedKey::new(TypeId::of::<Site>(), "f64");
    let fault = panicked(Shape::new([1, 1, 1], [1, 1, 1]), &|| {
        // SAFETY: the pointer is not used.
        unsafe { shared_static(&KEY, 8, 2048) };
    });
    assert!(
        fault
            .message
            .starts_with("shared memory cannot be aligned to 2048 bytes"),
        "{}",
        fault.message
    );
}

#[test]
fn a_run_during_a_panic_of_the_host_works() {
    struct RunsOnDrop<'a>(&'a AtomicU32);
    impl Drop for RunsOnDrop<'_> {
        fn drop(&mut self) {
            let outcome = run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
                block_barrier();
                self.0
                    .fetch_add(vote_ballot(u32::MAX, true).count_ones(), Relaxed);
            });
            assert_eq!(outcome, Ok(()));
        }
    }
    let votes = AtomicU32::new(0);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _guard = RunsOnDrop(&votes);
        std::panic::resume_unwind(Box::new(()));
    }));
    assert!(outcome.is_err());
    assert_eq!(votes.into_inner(), 2 * (32 * 32 + 8 * 8));
}

#[test]
fn the_texts_of_all_faults() {
    let panic = |count| Fault::Panic {
        message: "index out of bounds".into(),
        file: "src/k.rs".into(),
        line: 3,
        column: 9,
        block: [1, 0, 0],
        thread: [2, 0, 0],
        count,
    };
    let at = "index out of bounds, at src/k.rs:3:9, in block (1, 0, 0), thread (2, 0, 0)";
    assert_eq!(panic(1).to_string(), at);
    assert_eq!(panic(2).to_string(), format!("{at} (and 1 more thread)"));
    assert_eq!(panic(9).to_string(), format!("{at} (and 8 more threads)"));
    let stacks = Fault::OutOfStacks {
        block: [0; 3],
        thread: [7, 0, 0],
        cause: "out of memory".into(),
    };
    assert_eq!(
        stacks.to_string(),
        "cannot make a stack for thread (7, 0, 0) of block (0, 0, 0): out of memory; use smaller blocks, fewer workers or a smaller cooperative grid"
    );
}
