//! Which executions belong to one warp, and lanes that stand by.

use super::*;

/// A tree over 256 elements of shared memory, 32 times: in each interval those threads work that `works` names, given the stride.
fn tree(works: impl Fn(u32, u32) -> bool, strides: &[u32]) -> Profile {
    run(32, 256, strides.len() as u32, |block, interval, t| {
        let stride = strides[interval as usize];
        let at = |i: u32| 1024 + 4 * u64::from(i);
        if !works(t, stride) {
            return vec![];
        }
        vec![
            at_line(10, shared(read(block, t, at((t + stride) % 256)))),
            at_line(11, write(shared(read(block, t, at(t))))),
        ]
    })
}

//@ rows: P-27, GPFI-9
#[test]
fn an_interleaved_tree_is_divergent() {
    let strides = [1, 2, 4, 8, 16, 32, 64, 128];
    let profile = tree(|t, stride| t % (2 * stride) == 0, &strides);
    let spot = &profile.spots[0].tally;
    // Warps that execute the line: 8, 8, 8, 8, 8, 4, 2, 1; lanes: 128, 64, ... 1.
    assert_eq!((spot.requests, spot.executions), (32 * 47, 32 * 255));
    assert_eq!(spot.split, 32 * 47);
    assert_eq!(spot.active[16], 32 * 8);
    let found = report(&profile, Code::DIVERGENCE);
    assert_eq!(
        found.title,
        "divergent code: on average 5.43 of the 32 lanes of a warp that are there take part"
    );
    assert!(notes(&found, "note").contains("2 accesses in lines 10, 11 alike"));
    assert_eq!(found.sides[0].place.as_ref().unwrap().line, 10);
}

//@ rows: P-27, GPFI-9
#[test]
fn a_sequential_tree_is_not() {
    let strides = [128, 64, 32, 16, 8, 4, 2, 1];
    let profile = tree(|t, stride| t < stride, &strides);
    let spot = &profile.spots[0].tally;
    // Whole warps down to a stride of 32: 4, 2, 1; then one warp each with some of its lanes.
    assert_eq!((spot.requests, spot.split), (32 * 12, 32 * 5));
    assert!(!codes(&profile).contains(&Code::DIVERGENCE));
}

#[test]
fn both_sides_of_a_branch_are_told_with_their_lanes() {
    let profile = run(32, 64, 1, |block, _, t| {
        let side = if t % 4 == 0 { 20 } else { 30 };
        vec![at_line(side, read(block, t, GLOBAL + 4 * u64::from(t)))]
    });
    let found = report(&profile, Code::DIVERGENCE);
    assert_eq!(found.sides[0].place.as_ref().unwrap().line, 20);
    assert!(notes(&found, "help").starts_with("the lanes that work lie apart"));
    let side = profile.lines.iter().find(|line| line.line == 30).unwrap();
    assert_eq!((side.lanes.sum, side.lanes.of), (32 * 48, 32 * 64));
}

#[test]
fn one_lane_that_writes_the_blocks_result_is_no_finding() {
    let profile = run(64, 32, 1, |block, _, t| match t {
        0 => vec![write(read(block, t, GLOBAL + 4 * block))],
        _ => vec![at_line(9, read(block, t, GLOBAL))],
    });
    assert_eq!(codes(&profile), []);
}

#[test]
fn one_lane_that_writes_its_warps_result_is_no_finding() {
    let profile = run(64, 64, 1, |block, _, t| match t % 32 {
        0 => vec![write(read(block, t, GLOBAL + 4 * block))],
        _ => vec![at_line(9, read(block, t, GLOBAL))],
    });
    assert!(!codes(&profile).contains(&Code::DIVERGENCE));
}

#[test]
fn loops_of_different_length_leave_lanes_behind() {
    // Lane l executes the line l + 1 times: as many requests as the longest, the k-th with 32 - k lanes.
    let profile = run(1, 32, 1, |block, _, t| {
        let each = (0..=t).map(|k| read(block, t, GLOBAL + 128 * u64::from(k) + 4 * u64::from(t)));
        each.collect()
    });
    let spot = &profile.spots[0].tally;
    assert_eq!((spot.requests, spot.executions), (32, 528));
    assert!((1..=32).all(|lanes| spot.active[lanes] == 1));
    assert_eq!(
        spot.sectors.ideal,
        (1..=32_u64)
            .map(|lanes| (4 * lanes).div_ceil(32))
            .sum::<u64>()
    );
}

#[test]
fn executions_beyond_those_that_are_kept_are_counted_and_taken_to_be_alike() {
    let n = 2000;
    let profile = run(1, 32, 1, |block, _, t| {
        (0..n)
            .map(|k| read(block, t, GLOBAL + 4 * (32 * k + u64::from(t))))
            .collect()
    });
    let spot = &profile.spots[0].tally;
    assert_eq!((spot.requests, spot.executions), (n, 32 * n));
    assert_eq!((spot.sectors.touched, spot.bytes), (4 * n, 128 * n));
}

#[test]
fn a_warp_operation_of_half_the_lanes_does_not_split_what_came_before() {
    let mut lints = Lints::new([1, 1, 1], [32, 1, 1]);
    let visit = |lints: &mut Lints, lanes: std::ops::Range<u32>, line| {
        for t in lanes {
            lints.access(at_line(line, read(0, t, GLOBAL + 4 * u64::from(t))));
        }
    };
    // The lower lanes come to their operation before the upper ones start.
    visit(&mut lints, 0..16, 1);
    lints.sync(SyncKind::Warp, site(40), 0, (0, 0xffff));
    visit(&mut lints, 0..16, 2);
    visit(&mut lints, 16..32, 1);
    let profile = lints.finish();
    let requests = |line: u32| {
        profile
            .lines
            .iter()
            .find(|known| known.line == line)
            .unwrap()
            .requests
    };
    assert_eq!((requests(1), requests(2)), (1, 1));
}

#[test]
fn a_warp_operation_parts_executions() {
    let mut lints = Lints::new([1, 1, 1], [32, 1, 1]);
    for half in 0..2 {
        for t in 16 * half..16 * half + 16 {
            lints.access(read(0, t, GLOBAL));
        }
        lints.sync(SyncKind::Warp, site(40), 0, (0, u32::MAX));
    }
    let profile = lints.finish();
    assert_eq!(profile.spots[0].tally.active[16], 2);
}

#[test]
fn lanes_that_left_are_not_waited_for() {
    let mut lints = Lints::new([1, 1, 1], [32, 1, 1]);
    for t in 0..32 {
        lints.access(read(0, t, GLOBAL));
        if t >= 8 {
            lints.exit(0, t);
        }
    }
    lints.sync(SyncKind::Block, site(50), 0, (0, 0));
    for t in 0..8 {
        lints.access(at_line(2, read(0, t, GLOBAL)));
        lints.exit(0, t);
    }
    let profile = lints.finish();
    let lanes = |line: usize| profile.lines[line].lanes;
    assert_eq!((lanes(0).sum, lanes(0).of), (32, 32));
    assert_eq!((lanes(1).sum, lanes(1).of), (8, 8));
}

//@ rows: GPF5-7
#[test]
fn a_ragged_last_warp_is_reported() {
    let profile = run(8, 33, 1, |block, _, t| {
        vec![read(block, t, GLOBAL + 4 * u64::from(t))]
    });
    let found = report(&profile, Code::IDLE_LANES);
    assert_eq!(
        found.title,
        "blocks of 33 threads: 48 % of the 64 lanes do not exist"
    );
    assert!(notes(&found, "help").contains("blocks of 32 or 64 threads"));
    assert_eq!((profile.idle.missing, profile.idle.idle), (8 * 31, 0));
}

#[test]
fn a_last_warp_that_is_nearly_full_is_not() {
    let profile = run(8, 1000, 1, |block, _, t| {
        vec![read(block, t, GLOBAL + 4 * u64::from(t))]
    });
    assert_eq!(codes(&profile), []);
    assert_eq!(profile.idle.missing, 8 * 24);
}

#[test]
fn threads_that_return_at_once_are_counted() {
    let profile = run(4, 128, 1, |block, _, t| match t < 40 {
        true => vec![read(block, t, GLOBAL + 4 * u64::from(t))],
        false => vec![],
    });
    let found = report(&profile, Code::IDLE_LANES);
    assert_eq!(found.title, "69 % of the threads (352 of 512) do nothing");
    assert_eq!(profile.idle.warps, 4 * 2);
    // They do not make the others' code divergent.
    assert_eq!(profile.lines[0].lanes.of, 4 * 40);
}

#[test]
fn a_guard_for_the_last_block_is_no_finding() {
    let profile = run(4, 256, 1, |block, _, t| {
        let i = block * 256 + u64::from(t);
        if i < 1000 {
            vec![read(block, t, GLOBAL + 4 * i)]
        } else {
            vec![]
        }
    });
    assert_eq!(codes(&profile), []);
    assert_eq!(profile.idle.idle, 24);
}
