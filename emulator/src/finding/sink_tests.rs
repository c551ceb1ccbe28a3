use std::cell::Cell;

use super::*;
use crate::finding::Severity;

fn key(sites: [u32; 2], block: u64, thread: u32) -> Key {
    Key {
        code: Code::SHARED_RACE,
        sites: sites.map(SiteId),
        detail: 0,
        block,
        thread,
    }
}

fn report(sink: &Sink, key: Key) {
    let Key { block, thread, .. } = key;
    sink.report(key, || Report::new(key.code, format!("{block} {thread}")));
}

fn titles(sink: &Sink) -> Vec<String> {
    sink.finish()
        .into_iter()
        .map(|report| report.title)
        .collect()
}

#[test]
fn findings_at_one_pair_of_places_are_one() {
    let sink = Sink::default();
    report(&sink, key([1, 2], 0, 0));
    report(&sink, key([2, 1], 0, 5));
    report(&sink, key([1, 2], 3, 0));
    let reports = sink.finish();
    assert_eq!(reports.len(), 1);
    assert_eq!((reports[0].count, &*reports[0].title), (3, "0 0"));
}

#[test]
fn other_places_classes_and_details_are_other_findings() {
    let sink = Sink::default();
    report(&sink, key([1, 2], 0, 0));
    report(&sink, key([1, 3], 0, 1));
    report(
        &sink,
        Key {
            detail: 9,
            ..key([1, 2], 0, 2)
        },
    );
    report(
        &sink,
        Key {
            code: Code::WARP_RACE,
            ..key([1, 2], 0, 3)
        },
    );
    assert_eq!(titles(&sink), ["0 0", "0 1", "0 2", "0 3"]);
}

#[test]
fn the_lowest_block_and_in_it_the_lowest_thread_is_shown() {
    let sink = Sink::default();
    for (block, thread) in [(5, 0), (2, 7), (2, 3), (2, 9), (4, 0)] {
        report(&sink, key([1, 2], block, thread));
    }
    assert_eq!(titles(&sink), ["2 3"]);
}

#[test]
fn a_repeated_finding_builds_no_report() {
    let (sink, n_built) = (Sink::default(), Cell::new(0));
    for thread in 3..100 {
        sink.report(key([1, 2], 0, thread), || {
            n_built.set(n_built.get() + 1);
            Report::new(Code::SHARED_RACE, "")
        });
    }
    assert_eq!(n_built.get(), 1);
}

#[test]
fn the_worst_come_first() {
    let sink = Sink::default();
    let with = |severity, thread| {
        sink.report(key([thread, 0], 0, thread), || Report {
            severity,
            ..Report::new(Code::SHARED_RACE, format!("{severity:?} {thread}"))
        });
    };
    with(Severity::Note, 1);
    with(Severity::Error, 4);
    with(Severity::Warning, 2);
    with(Severity::Error, 3);
    assert_eq!(titles(&sink), ["Error 3", "Error 4", "Warning 2", "Note 1"]);
}

#[test]
fn a_class_keeps_so_many_and_counts_the_others() {
    let sink = Sink::default();
    let most = MOST_PER_CODE as u32;
    for site in 1..=most + 10 {
        report(&sink, key([site, 0], 0, site));
    }
    report(&sink, key([1, 0], 0, 0));
    report(
        &sink,
        Key {
            code: Code::WARP_RACE,
            ..key([1, 2], 9, 9)
        },
    );
    let reports = sink.finish();
    assert_eq!(reports.len(), MOST_PER_CODE + 1);
    assert_eq!(reports[0].count, 2, "those that are kept go on counting");
    let last = &reports[MOST_PER_CODE - 1];
    assert_eq!(
        last.notes[0].text,
        "10 more findings of this class, at other places, are not shown"
    );
    assert_eq!(reports[MOST_PER_CODE].notes, []);
}

#[test]
fn a_sink_is_empty_again_after_it_gave_everything_away() {
    let sink = Sink::default();
    assert!(sink.is_empty());
    report(&sink, key([1, 2], 0, 0));
    assert!(!sink.is_empty());
    assert_eq!(sink.finish().len(), 1);
    assert!(sink.is_empty());
}

#[test]
fn threads_of_one_run_share_a_sink() {
    let sink = Sink::default();
    std::thread::scope(|scope| {
        for block in 0..4 {
            let sink = &sink;
            scope.spawn(move || {
                for thread in (0..100).rev() {
                    report(sink, key([1, 2], block, thread));
                }
            });
        }
    });
    let reports = sink.finish();
    assert_eq!((reports[0].count, &*reports[0].title), (400, "0 0"));
}
