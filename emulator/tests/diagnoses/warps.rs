use super::*;
use warploom_emulator::Fault;
use warploom_emulator::intrinsics::*;

const FULL: u32 = u32::MAX;

#[test]
fn a_lane_that_waits_elsewhere_never_arrives() {
    let line = line!() + 3;
    let report = only(64, || {
        if thread_idx_x() == 37 {
            block_barrier();
        } else if thread_idx_x() >= 32 {
            shuffle_down(FULL, 1, 1, 31);
        } else {
            block_barrier();
        }
    });
    assert_eq!(lines(&report), (Code::LANE_MISSING, vec![line + 2, line]));
    assert_eq!(
        report.title,
        "`shuffle_down`: lane 5 of the mask will never arrive"
    );
    expect(
        &report.sides[0].did,
        "mask 0b11111111_11111111_11111111_11111111 (lanes 0-31)",
    );
    expect(
        &report.sides[1].did,
        "is named by the mask, and waits at barrier 0",
    );
    let who = report.sides[1].who.unwrap();
    assert_eq!((who.warp, who.lane), (1, 5));
}

#[test]
fn lanes_that_have_exited_are_a_note() {
    let line = line!() + 3;
    let outcome = outcome(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
        if lane_id() < 16 {
            vote_any(FULL, true);
        }
    });
    assert_eq!(outcome.fault, None);
    let report = one(outcome);
    assert_eq!(lines(&report), (Code::LANE_MISSING, vec![line, 0]));
    assert_eq!(report.severity, warploom_emulator::check::Severity::Note);
    assert_eq!(
        report.title,
        "`vote_any`: lanes 16-31 of the mask had exited"
    );
}

#[test]
fn lanes_that_never_were_are_not_missing() {
    let outcome = outcome(Shape::new([1, 1, 1], [40, 1, 1]), &|| {
        warp_sync(FULL);
        vote_any(FULL, true);
    });
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}

#[test]
fn masks_that_differ_are_shown_in_binary() {
    let line = line!() + 3;
    let report = only(32, || {
        let mask = if lane_id() < 4 { 0xff } else { FULL };
        warp_sync(mask);
    });
    assert_eq!(lines(&report), (Code::MASKS_DIFFER, vec![line, line]));
    expect(
        &report.sides[0].did,
        "mask 0b00000000_00000000_00000000_11111111 (lanes 0-7); there: lanes 0-3",
    );
    expect(&report.sides[1].did, "there: lanes 4-31");
}

#[test]
fn a_mask_that_differed_before_the_exit_is_found() {
    let report = only(32, || {
        warp_sync(if lane_id() < 16 { 0xffff } else { FULL });
    });
    assert_eq!(report.code, Code::MASKS_DIFFER);
    expect(&report.title, "lanes 16-31 and lanes 0-15");
}

#[test]
fn operations_that_differ_name_both() {
    let line = line!() + 3;
    let report = only(32, || {
        if lane_id() < 16 {
            shuffle_idx(FULL, 1, 0, 31);
        } else {
            vote_all(FULL, true);
        }
    });
    assert_eq!(
        lines(&report),
        (Code::OPERATIONS_DIFFER, vec![line, line + 2])
    );
    assert_eq!(
        report.title,
        "lanes 0-15 of a warp wait at `shuffle_idx`, lanes 16-31 at `vote_all`"
    );
}

#[test]
fn each_warp_that_hangs_counts() {
    let report = only(96, || {
        if lane_id() < 16 {
            shuffle_idx(FULL, 1, 0, 31);
        } else {
            vote_all(FULL, true);
        }
    });
    assert_eq!((report.code, report.count), (Code::OPERATIONS_DIFFER, 3));
}

#[test]
fn a_lane_outside_of_its_mask_is_a_report_and_a_panic() {
    let line = line!() + 3;
    let outcome = outcome(Shape::new([1, 1, 1], [40, 1, 1]), &|| {
        if thread_idx_x() == 34 {
            vote_any(0xfb, true);
        }
    });
    assert!(matches!(outcome.fault, Some(Fault::Panic { .. })));
    let report = one(outcome);
    assert_eq!(lines(&report), (Code::NOT_IN_MASK, vec![line]));
    assert_eq!(report.title, "`vote_any`: lane 2 is not in its own mask");
    expect(
        &report.sides[0].did,
        "0b00000000_00000000_00000000_11111011 (lanes 0-1, 3-7)",
    );
}

#[test]
fn a_value_of_a_lane_that_left_is_undefined() {
    let line = line!() + 4;
    let outcome = outcome(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
        warp_sync(FULL);
        if lane_id() < 16 {
            shuffle_down(FULL, 1, 8, 31);
        }
    });
    let [report, note] = &outcome.reports[..] else {
        panic!("{:#?}", outcome.reports)
    };
    assert_eq!(lines(report), (Code::INACTIVE_SOURCE, vec![line, line - 2]));
    assert_eq!(
        report.title,
        "`shuffle_down`: lane 8 takes the value of lane 16, which has exited"
    );
    expect(&notes(report), "readers of such a lane: lanes 8-15");
    assert_eq!(lines(note), (Code::LANE_MISSING, vec![line, line - 2]));
}

//@ rows: E-6
#[test]
fn a_value_from_outside_of_the_mask_is_undefined() {
    let report = only(32, || {
        if lane_id() < 16 {
            shuffle_bfly(0xffff, 1, 16, 31);
        }
        warp_sync(FULL);
    });
    assert_eq!(report.code, Code::INACTIVE_SOURCE);
    assert_eq!(
        report.title,
        "`shuffle_bfly`: lane 0 takes the value of lane 16, which is not in the mask"
    );
}

#[test]
fn a_value_beyond_the_end_of_the_block_is_undefined() {
    let report = only(40, || _ = shuffle_down(FULL, 1, 4, 31));
    assert_eq!(lines(&report).0, Code::INACTIVE_SOURCE);
    assert_eq!(
        report.title,
        "`shuffle_down`: lane 4 takes the value of lane 8, which does not exist: the block ends before it"
    );
    assert_eq!(report.sides.len(), 1);
}

#[test]
fn the_ends_of_a_segment_are_no_finding() {
    let outcome = outcome(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
        for delta in [1, 2, 4, 8, 16] {
            shuffle_up(FULL, 1, delta, 0);
            shuffle_down(FULL, 1, delta, 31);
        }
    });
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}

#[test]
#[expect(clippy::if_same_then_else, reason = "two places are the point")]
fn two_places_of_one_operation_are_a_warning() {
    let line = line!() + 4;
    let outcome = outcome(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
        for _ in 0..3 {
            if lane_id() < 12 {
                redux_add(FULL, 1);
            } else {
                redux_add(FULL, 1);
            }
        }
    });
    assert_eq!(outcome.fault, None);
    let report = one(outcome);
    assert_eq!(lines(&report), (Code::WARP_PLACES, vec![line, line + 2]));
    assert_eq!(
        (report.severity, report.count),
        (warploom_emulator::check::Severity::Warning, 6)
    );
    assert_eq!(
        report.sides[1].did,
        "came to `redux_add` from here: lanes 12-31"
    );
}

#[test]
#[expect(clippy::match_same_arms, reason = "two places are the point")]
fn branches_that_name_their_own_lanes_may_meet_in_each() {
    let outcome = outcome(Shape::new([2, 1, 1], [64, 1, 1]), &|| {
        if lane_id() < 16 {
            vote_any(0xffff, true);
        } else {
            vote_any(0xffff_0000, true);
        }
        for _ in 0..lane_id() % 2 {
            active_mask();
        }
        match lane_id() {
            3 => warp_sync(0b11_1000),
            4 | 5 => warp_sync(0b11_1000),
            _ => {}
        }
        warp_sync(FULL);
    });
    assert_eq!((outcome.fault, outcome.reports), (None, vec![]));
}
