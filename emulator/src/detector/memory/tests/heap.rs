//! The device's heap.

use std::sync::atomic::Ordering::Relaxed;

use super::*;
use crate::detector::heap_free;

#[test]
fn pieces_of_the_heap_are_checked_like_buffers() {
    let reports = one_lane(|| {
        let piece = heap_alloc(24);
        assert_eq!(piece.addr() % 16, 0);
        (0..3).for_each(|i| write(piece.addr() + 8 * i, 8));
        (0..3).for_each(|i| read(piece.addr() + 8 * i, 8));
        heap_free(piece);
    });
    assert_eq!(reports, []);
    for (offset, code) in [
        (24, Code::GLOBAL_BOUNDS),
        (32, Code::GLOBAL_BOUNDS),
        (8, Code::GLOBAL_UNINIT),
    ] {
        let mut reports = one_lane(|| {
            let piece = heap_alloc(24);
            read(piece.addr() + offset, 8);
        });
        reports.retain(|report| report.code != Code::LEAK);
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].code, code);
    }
}

#[test]
fn a_piece_of_the_heap_is_not_used_after_it_was_freed() {
    let report = finding(|| {
        let piece = heap_alloc(100);
        write(piece.addr() + 96, 4);
        heap_free(piece);
        read(piece.addr() + 96, 4);
    });
    assert_eq!(report.code, Code::USE_AFTER_FREE);
    assert_eq!(
        report.title,
        "use of freed memory: byte 96 of a piece of the device's heap"
    );
    assert!(report.sides[1].did.contains("freed it"), "{report:?}");
}

#[test]
fn only_what_is_allocated_is_freed_and_once() {
    let twice = finding(|| {
        let piece = heap_alloc(8);
        heap_free(piece);
        heap_free(piece);
    });
    assert_eq!(twice.code, Code::BAD_FREE);
    assert_eq!(
        twice.title,
        "a piece of the device's heap of 8 bytes is freed twice"
    );
    let inside = finding(|| {
        let piece = heap_alloc(32);
        heap_free(piece.wrapping_add(16));
        heap_free(piece);
    });
    assert!(text(&inside).contains("16 bytes behind the start of a piece"));
    assert_eq!(one_lane(|| heap_free(ptr::null_mut())), []);
}

#[test]
fn what_the_heap_keeps_after_a_run_is_a_note() {
    let kept = crate::sync::StaticMutex::new(0);
    let report = finding(|| *kept.lock().unwrap() = heap_alloc(40).addr());
    assert_eq!(
        (report.code, report.severity),
        (Code::LEAK, crate::finding::Severity::Note)
    );
    assert!(
        report
            .title
            .starts_with("1 piece of the device's heap (40 bytes)")
    );
    // A later kernel frees it, and nothing is left to be said.
    let start = *kept.lock().unwrap();
    assert_eq!(
        one_lane(|| heap_free(ptr::without_provenance_mut(start))),
        []
    );
}

#[test]
fn the_heap_has_a_limit() {
    assert_eq!(heap_alloc(u64::MAX), ptr::null_mut());
    assert_eq!(heap_alloc(8 << 20 | 1), ptr::null_mut());
    assert_eq!(heap_alloc(0), ptr::null_mut());
}

/// Thread 41 of a block accesses byte 40 of a piece, and thread 63, which comes after it, frees the piece; between them perhaps a barrier.
fn used_and_freed(meets: bool, how: How, bytes: usize) -> Vec<Report> {
    let piece = std::sync::atomic::AtomicPtr::new(ptr::null_mut());
    let outcome = run_on(Shape::new([1, 1, 1], [70, 1, 1]), || {
        let t = intrinsics::thread_idx_x();
        if t == 0 {
            let start = heap_alloc(64);
            access(start.addr(), 64, 1, How::Writes);
            piece.store(start, Relaxed);
        }
        intrinsics::block_barrier();
        let start = piece.load(Relaxed);
        if t == 41 {
            access(start.addr() + 40, bytes, bytes, how);
        }
        if meets {
            intrinsics::block_barrier();
        }
        if t == 63 {
            heap_free(start);
        }
    });
    assert_eq!(outcome.fault, None);
    outcome.reports
}

#[test]
fn a_free_races_with_what_others_did_before_it() {
    for (how, bytes, did) in [
        (How::Reads, 4, "read"),
        (How::Reads, 1, "read"),
        (How::Writes, 8, "wrote"),
    ] {
        let reports = used_and_freed(false, how, bytes);
        let [report] = &reports[..] else {
            panic!("{reports:?}")
        };
        assert_eq!(report.code, Code::USE_AFTER_FREE);
        assert_eq!(
            report.title,
            "free of memory that another thread uses, without order between the two: byte 40 of a piece of the device's heap"
        );
        let who = |side: usize| report.sides[side].who.unwrap().thread[0];
        assert_eq!((who(0), who(1)), (63, 41));
        assert!(report.sides[0].did.contains("frees"), "{report:?}");
        assert!(report.sides[1].did.contains(did), "{report:?}");
    }
}

#[test]
fn a_barrier_before_the_free_is_enough() {
    for how in [How::Reads, How::Writes] {
        assert_eq!(used_and_freed(true, how, 4), []);
    }
}
