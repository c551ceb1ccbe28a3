//! Calls of instrumented code: they are named by the site that was said before, in whatever the emulator tells.

mod named;

use std::mem::transmute;

use named::named_barrier;
use warploom_emulator::check::{Frame, HOOKS, SiteInfo, register};
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Fault, Shape, run};

/// Says from where the next intrinsic is called, as instrumented code does.
fn at(site: u32) {
    let hook = HOOKS.iter().find(|hook| hook.name == "check.at");
    let hook = hook.map_or(std::ptr::null(), |hook| hook.address);
    // SAFETY: the hook of this name has this type.
    unsafe { transmute::<*const (), extern "C-unwind" fn(u32)>(hook)(site) }
}

fn sites(lines: &[u32]) -> u32 {
    let frame = |line: &u32| Frame {
        file: "src/kernel.rs".into(),
        line: *line,
        column: 9,
        function: "kernel".into(),
    };
    let info = |line| SiteInfo {
        frames: vec![frame(line)],
        shown: 0,
    };
    register(lines.iter().map(info).collect())
}

#[test]
fn a_stuck_block_names_the_sites() {
    let first = sites(&[10, 20]);
    let fault = run(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
        let odd = thread_idx_x() % 2;
        at(first + odd);
        named_barrier(odd);
    });
    let Err(Fault::Deadlock { waits, .. }) = fault else {
        panic!("{fault:?}")
    };
    let places: Vec<_> = waits
        .iter()
        .map(|wait| (wait.file, wait.line, wait.column))
        .collect();
    assert_eq!(places, [("src/kernel.rs", 10, 9), ("src/kernel.rs", 20, 9)]);
}

#[test]
fn active_masks_meet_by_line() {
    // Two instructions of one line, as after unrolling, and another line.
    let first = sites(&[10, 10, 20]);
    run(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
        let branch = lane_id() % 3;
        at(first + branch);
        let expected = (0..32).filter(|lane| (lane % 3 == 2) == (branch == 2));
        assert_eq!(active_mask(), expected.map(|lane| 1 << lane).sum::<u32>());
    })
    .unwrap();
}

#[test]
fn misuse_is_a_panic_at_the_site() {
    let first = sites(&[31]);
    let fault = run(Shape::new([1, 1, 1], [1, 1, 1]), &|| {
        at(first);
        named_barrier(99);
    });
    let Err(Fault::Panic {
        file, line, column, ..
    }) = fault
    else {
        panic!("{fault:?}")
    };
    assert_eq!((file.as_str(), line, column), ("src/kernel.rs", 31, 9));
}
