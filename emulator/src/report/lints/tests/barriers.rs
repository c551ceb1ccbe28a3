//! Barriers that order something, and those that do not.

use super::*;

fn needed(profile: &Profile) -> (u64, u64) {
    let counts = profile.barriers[0].counts;
    (counts.needed, counts.passed)
}

/// Two blocks of 64 threads that do `before`, come through a barrier and do `after`; both give address and kind.
fn two_intervals(
    before: impl Fn(u32) -> (u64, AccessClass),
    after: impl Fn(u32) -> (u64, AccessClass),
) -> Profile {
    run(2, 64, 2, |block, interval, t| {
        let (address, kind) = if interval == 0 { before(t) } else { after(t) };
        vec![Access {
            kind,
            ..shared(read(block, t, 1024 + address))
        }]
    })
}

use AccessClass::{Atomic, Load, Store};

/// A barrier in line 50, inlined from these files of the device library.
fn barrier_from(files: &[&str]) -> SiteId {
    let frame = |file: &str, line| Frame {
        file: file.into(),
        line,
        column: 5,
        function: String::new(),
    };
    let library = files.iter().map(|file| frame(file, 7));
    let frames: Vec<_> = library.chain([frame("kernel.rs", 50)]).collect();
    let shown = frames.len() - 1;
    SiteId(register(vec![SiteInfo { frames, shown }]))
}

/// What is said of such a barrier that orders nothing.
fn useless(files: &[&str]) -> Option<String> {
    let site = barrier_from(files);
    let mut lints = Lints::new([1, 1, 1], [64, 1, 1]);
    for t in 0..64 {
        lints.access(shared(read(0, t, 1024 + own(t))));
    }
    lints.sync(SyncKind::Block, site, 0, (0, 0));
    for t in 0..64 {
        lints.access(shared(read(0, t, 1024 + own(t))));
        lints.exit(0, t);
    }
    let reports = lints.finish().reports();
    reports.first().map(|report| notes(report, "help"))
}

#[test]
fn the_kernels_own_barrier_can_be_removed() {
    for files in [
        &[][..],
        &["device-std/src/block.rs", "device-std/src/block.rs"],
        &["/registry/warploom-device-std-0.1.0/src/block.rs"],
        &["device-std/src/block.rs", "device-std/src/groups.rs"],
        &["device-std/src/intrinsics/sync.rs"],
    ] {
        let help = useless(files).unwrap();
        assert!(help.contains("remove it"), "{files:?}: {help}");
    }
}

#[test]
fn the_barrier_of_a_tile_comes_with_its_phase() {
    let help = useless(&[
        "/registry/warploom-device-std-0.1.0/src/shared/phases.rs",
        "/registry/warploom-device-std-0.1.0/src/shared/tile.rs",
    ]);
    let help = help.unwrap();
    assert!(help.starts_with("a tile changes its phase"), "{help}");
    assert!(!help.contains("remove"), "{help}");
}

#[test]
fn a_barrier_inside_of_a_library_function_is_not_reported() {
    let files = ["device-std/src/block.rs", "device-std/src/groups/block.rs"];
    assert_eq!(useless(&files), None);
}

fn own(t: u32) -> u64 {
    4 * u64::from(t)
}

#[test]
fn a_barrier_between_a_write_and_anothers_read_is_needed() {
    let profile = two_intervals(|t| (own(t), Store), |t| (own(63 - t), Load));
    assert_eq!(needed(&profile), (2, 2));
    assert_eq!(codes(&profile), []);
}

#[test]
fn a_barrier_between_a_read_and_anothers_write_is_needed() {
    let profile = two_intervals(|t| (own(t), Load), |t| (own(63 - t), Store));
    assert_eq!(needed(&profile), (2, 2));
}

#[test]
fn a_barrier_between_two_writes_is_needed() {
    let profile = two_intervals(|t| (own(t), Store), |t| (own(t ^ 1), Store));
    assert_eq!(needed(&profile), (2, 2));
}

#[test]
fn a_barrier_between_accesses_of_each_thread_to_its_own_is_not() {
    let profile = two_intervals(|t| (own(t), Store), |t| (own(t), Load));
    assert_eq!(needed(&profile), (0, 2));
    let found = report(&profile, Code::REDUNDANT_BARRIER);
    assert_eq!(
        found.title,
        "barrier that ordered nothing in this launch (2 times)"
    );
    assert!(notes(&found, "note").contains("evidence, not proof"));
    assert_eq!(found.sides[0].place.as_ref().unwrap().line, 50);
}

#[test]
fn a_barrier_between_reads_is_not() {
    let profile = two_intervals(|_| (0, Load), |_| (0, Load));
    assert_eq!(needed(&profile), (0, 2));
}

#[test]
fn a_barrier_that_one_block_of_many_needs_stays() {
    let profile = run(8, 64, 2, |block, interval, t| match interval {
        0 => vec![write(shared(read(block, t, own(t))))],
        _ if block == 7 => vec![shared(read(block, t, own(63 - t)))],
        _ => vec![],
    });
    assert_eq!(needed(&profile), (1, 8));
    assert_eq!(codes(&profile), []);
}

#[test]
fn bytes_in_one_word_count_as_one() {
    let byte = |access| Access { bytes: 1, ..access };
    let profile = run(1, 64, 2, |block, interval, t| match interval {
        0 => vec![byte(write(shared(read(block, t, u64::from(t)))))],
        _ => vec![byte(shared(read(block, t, u64::from(t ^ 1))))],
    });
    assert_eq!(needed(&profile), (1, 1));
}

#[test]
fn the_barrier_before_an_atomic_is_kept() {
    // Other blocks may learn through the atomic of what was written before the barrier.
    let profile = two_intervals(|t| (own(t), Store), |_| (4096, Atomic));
    assert_eq!(needed(&profile), (2, 2));
}

#[test]
fn the_barrier_after_a_fence_is_kept() {
    let mut lints = Lints::new([1, 1, 1], [32, 1, 1]);
    lints.access(write(read(0, 0, GLOBAL)));
    lints.order(0);
    lints.sync(SyncKind::Block, site(50), 0, (0, 0));
    lints.access(write(read(0, 1, GLOBAL + 4)));
    assert_eq!(needed(&lints.finish()), (1, 1));
}

#[test]
fn the_barrier_after_a_copy_is_kept() {
    let mut lints = Lints::new([1, 1, 1], [32, 1, 1]);
    lints.distrust(0);
    lints.sync(SyncKind::Block, site(50), 0, (0, 0));
    lints.access(write(read(0, 1, GLOBAL + 4)));
    assert_eq!(needed(&lints.finish()), (1, 1));
}

#[test]
fn a_barrier_that_answers_is_kept() {
    let mut lints = Lints::new([1, 1, 1], [32, 1, 1]);
    lints.sync(SyncKind::BlockResult, site(50), 0, (0, 0));
    assert_eq!(needed(&lints.finish()), (1, 1));
}

#[test]
fn only_the_two_neighbouring_intervals_count() {
    // Written in interval 0, read in interval 2: either of the two barriers alone would do.
    let profile = run(1, 64, 3, |block, interval, t| match interval {
        0 => vec![write(shared(read(block, t, own(t))))],
        2 => vec![shared(read(block, t, own(63 - t)))],
        _ => vec![],
    });
    assert_eq!(needed(&profile), (0, 2));
}

#[test]
fn the_first_block_shows_its_intervals() {
    let profile = run(3, 64, 2, |block, interval, t| {
        let n = if t < 32 { 1 } else { 1 + interval as usize };
        vec![shared(read(block, t, own(t))); n]
    });
    let accesses: Vec<_> = profile
        .first
        .iter()
        .map(|interval| interval.accesses.clone())
        .collect();
    assert_eq!(accesses, [[32, 32], [32, 64]]);
    assert_eq!(profile.first[0].until, Some(site(50)));
    assert_eq!(profile.first[1].until, None);
}
