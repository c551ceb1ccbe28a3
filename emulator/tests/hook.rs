//! The panic hook of the process, which a run must leave as it was for everyone else. Alone in its process.

use std::panic;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, run};

#[test]
fn lanes_are_silent_and_others_keep_their_hook() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let count = || {
        panic::set_hook(Box::new(|_| _ = CALLS.fetch_add(1, Relaxed)));
    };
    let panicking_run = || {
        run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
            block_barrier();
            assert!(thread_idx_x() != 7, "lane {}", 7);
        })
    };
    count();
    let Err(Fault::Panic { message, line, .. }) = panicking_run() else {
        panic!("no panic")
    };
    assert_eq!((message.as_str(), CALLS.load(Relaxed)), ("lane 7", 0));
    assert_ne!(line, 0);

    let outcome = panic::catch_unwind(|| panic!("host"));
    assert_eq!((outcome.is_err(), CALLS.load(Relaxed)), (true, 1));

    // Someone replaces the hook later: the message is still there, the place is not.
    count();
    let Err(Fault::Panic { message, line, .. }) = panicking_run() else {
        panic!("no panic")
    };
    assert_eq!(
        (message.as_str(), line, CALLS.load(Relaxed)),
        ("lane 7", 0, 3)
    );
}
