//! The table: no name twice, symbols as the device linker wants them, and every entry runs on the CPU.
mod launch;
use launch::launch;
use std::collections::BTreeSet;
use warploom_device_std::intrinsics::*;
use warploom_emulator::Fault;

fn lines() -> impl Iterator<Item = &'static Intrinsic> {
    TABLES.iter().copied().flatten()
}

#[test]
fn names_are_unique_and_symbols_are_ours() {
    let names = BTreeSet::from_iter(lines().map(|line| line.name));
    assert_eq!(names.len(), lines().count());
    assert!(lines().all(|line| line.symbol.starts_with("__warploom.")));
}

#[test]
fn lanes_meet_in_what_is_convergent() {
    let meets = |name: &str| lines().any(|line| line.name == name && line.convergent);
    assert!(
        ["warp_sync", "vote_any", "shuffle_idx", "active_mask"]
            .into_iter()
            .all(meets)
    );
    assert!(
        !["thread_idx_x", "lane_id", "fence_device"]
            .into_iter()
            .any(meets)
    );
}

#[test]
fn fences_and_masks_run_on_the_cpu() {
    let result = launch((2, 2), (33, 1), || {
        fence_block();
        fence_device();
        fence_system();
        assert_ne!(active_mask() & 1 << lane_id(), 0);
        assert_eq!(dynamic_shared_bytes(), 1024);
        // SAFETY: all threads make this call.
        unsafe { warp_sync(u32::MAX) };
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn a_trap_is_a_fault() {
    assert!(matches!(launch(1, 1, || trap()), Err(Fault::Panic { .. })));
}
