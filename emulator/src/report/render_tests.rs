//! Every form that a finding can have, as one file: `reports.txt`.

use super::*;
use crate::finding::Code;

const KERNELS: &str = "src/kernels.rs";

fn sources() -> Sources {
    let mut text = String::new();
    for line in 1..=70 {
        text.push_str(match line {
            12 => "    out[i] = x[i + 1] * 2.0;",
            20 => "\t\tif i < n {\tout[i] = 1; }",
            21 => "    let größe = größen[i]; // 漢字 größen",
            54 => "    tile[t] = x[i];",
            58 => "    acc += tile[31 - t];",
            60 => "    tile[t] = tile[t + 1];",
            _ => "",
        });
        text.push('\n');
    }
    let long = format!(
        "    {} tile[t] = {};",
        "x + ".repeat(200),
        "y + ".repeat(200)
    );
    Sources::of_texts(&[(KERNELS, &text), ("src/long.rs", &long)])
}

fn who(block: u32, thread: u32) -> Who {
    Who {
        block: [block, 0, 0],
        thread: [thread, 0, 0],
        warp: thread / 32,
        lane: thread % 32,
    }
}

fn side(line: u32, column: u32, who: Who, did: &str) -> Side {
    Side {
        place: Some(Place {
            file: KERNELS.into(),
            line,
            column,
        }),
        stack: vec![],
        who: Some(who),
        did: did.into(),
    }
}

fn frame(line: u32, function: &str) -> Frame {
    Frame {
        file: KERNELS.into(),
        line,
        column: 5,
        function: function.into(),
    }
}

fn race() -> Report {
    let mut report = Report::new(
        Code::SHARED_RACE,
        "race on shared memory: read and write of tile[28] without a barrier between them",
    )
    .side(side(58, 12, who(2, 3), "reads tile[28] (4 bytes)"))
    .side(side(54, 5, who(2, 60), "wrote it: -1.5 before, 4 now"))
    .help("call sync_threads() after src/kernels.rs:54")
    .note("any order of threads has this race, although this run's result may be right")
    .why("both are in barrier interval 1\n(no sync_threads() since the start of the kernel)");
    report.count = 2048;
    report.kernel = "transpose::<32>".into();
    report.launch = "<<<(8,8,1),(32,2,1)>>> at tests/t.rs:19 (launch 4)".into();
    report.replay = "WARPLOOM_SCHEDULE=random:7 cargo test".into();
    report
}

fn with_sides(sides: Vec<Side>) -> Report {
    Report {
        sides,
        ..Report::new(
            Code::GRID_RACE_WRITES,
            "race between blocks: two writes to out[0]",
        )
    }
}

/// What is shown, and the finding.
#[expect(clippy::too_many_lines, reason = "one entry per form")]
fn all() -> Vec<(&'static str, Report)> {
    let elsewhere = |file: &str, line, column| {
        let mut side = side(line, column, who(0, 0), "writes out[0]");
        side.place = Some(Place {
            file: file.into(),
            line,
            column,
        });
        side
    };
    let mut nowhere = side(0, 0, who(1, 0), "wrote it");
    nowhere.place = None;
    let mut without_thread = side(12, 14, who(0, 0), "reads x[1000], and x has 1000 elements");
    without_thread.who = None;
    let mut called = side(54, 5, who(0, 1), "writes out[0]");
    called.stack = vec![frame(60, "load"), frame(70, "shop::transpose")];
    let deep = Side {
        stack: (1..=9).map(|line| frame(line, "f")).collect(),
        ..called.clone()
    };
    vec![
        ("two sides", race()),
        (
            "one side",
            Report::new(Code::GLOBAL_BOUNDS, "out of bounds: x[1000]").side(without_thread),
        ),
        (
            "two blocks",
            with_sides(vec![
                side(54, 5, who(0, 0), "writes out[0]"),
                side(54, 5, who(7, 0), "wrote it"),
            ]),
        ),
        (
            "one line, two columns",
            with_sides(vec![
                side(60, 15, who(0, 0), "reads tile[1]"),
                side(60, 5, who(0, 1), "wrote it"),
            ]),
        ),
        (
            "the same thread",
            with_sides(vec![
                side(54, 5, who(0, 0), "reads"),
                side(12, 5, who(0, 0), "started the copy"),
            ]),
        ),
        (
            "other files",
            with_sides(vec![
                side(54, 5, who(0, 0), "writes out[0]"),
                elsewhere("src/long.rs", 1, 806),
            ]),
        ),
        (
            "without source text",
            with_sides(vec![
                elsewhere("gone/a.rs", 3, 9),
                elsewhere("gone/b.rs", 4, 0),
            ]),
        ),
        (
            "the first without source text",
            with_sides(vec![
                elsewhere("gone/a.rs", 3, 9),
                side(54, 5, who(0, 1), "wrote it"),
            ]),
        ),
        (
            "one side without source text",
            with_sides(vec![elsewhere("gone/a.rs", 3, 9)]),
        ),
        (
            "a side without place",
            with_sides(vec![
                side(54, 5, who(0, 0), "writes out[0]"),
                nowhere.clone(),
            ]),
        ),
        ("no place at all", with_sides(vec![nowhere])),
        (
            "beyond the end of file and line",
            with_sides(vec![
                side(500, 5, who(0, 0), "writes"),
                side(12, 400, who(0, 1), "wrote it"),
            ]),
        ),
        (
            "tabs",
            with_sides(vec![side(20, 14, who(0, 0), "writes out[0]")]),
        ),
        (
            "characters of several bytes",
            with_sides(vec![side(21, 19, who(0, 0), "reads größen[0]")]),
        ),
        (
            "no column",
            with_sides(vec![side(54, 0, who(0, 0), "writes out[0]")]),
        ),
        (
            "callers",
            with_sides(vec![called.clone(), side(58, 12, who(0, 2), "wrote it")]),
        ),
        ("many callers", with_sides(vec![deep])),
        (
            "many sides",
            with_sides(
                (0..10)
                    .map(|line| side(50 + line, 5, who(0, line), "waits here"))
                    .collect(),
            ),
        ),
        (
            "a warning",
            Report {
                severity: Severity::Warning,
                count: 3,
                ..Report::new(Code::SAME_VALUE, "several\nlines of title")
            },
        ),
        (
            "nothing but a title",
            Report::new(Code::LEAK, "128 bytes were never freed"),
        ),
        (
            "a note",
            Report::new(Code::EXIT_BEFORE_BARRIER, "32 threads returned").note("a note"),
        ),
    ]
}

fn texts() -> String {
    let sources = sources();
    let texts: Vec<_> = all()
        .iter()
        .map(|(what, report)| format!("## {what}\n{}\n", report.render(&sources, false)))
        .collect();
    texts.join("\n")
}

#[test]
fn every_form_is_as_it_was_read_and_approved() {
    let texts = texts();
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/reports.txt");
        std::fs::write(path, &texts).unwrap();
        return;
    }
    let expected = include_str!("reports.txt");
    assert_eq!(
        texts, expected,
        "if this is better: WARPLOOM_BLESS=1 cargo test"
    );
}

#[test]
fn colours_change_nothing_but_colours() {
    let (sources, report) = (sources(), race());
    let styled = report.render(&sources, true);
    assert!(styled.contains("\x1b["));
    let mut plain = String::new();
    for (index, part) in styled.split("\x1b[").enumerate() {
        let text = match index {
            0 => part,
            _ => part.split_once('m').map_or("", |(_, text)| text),
        };
        plain.push_str(text);
    }
    assert_eq!(plain, report.render(&sources, false));
}

#[test]
fn colours_are_for_terminals_unless_said_otherwise() {
    assert!(chosen("", false, true));
    assert!(!chosen("", false, false));
    assert!(!chosen("auto", true, true));
    assert!(chosen("always", true, false));
    assert!(!chosen("never", false, true));
}

#[test]
fn a_side_that_is_no_more_than_a_place_gives_no_empty_note() {
    let mut place = side(7, 5, who(0, 0), "");
    (place.who, place.place.as_mut().unwrap().file) = (None, "is/not/there.rs".into());
    let report = Report::new(Code::REDUNDANT_BARRIER, "barrier")
        .side(place)
        .why("because");
    let text = report.render(&Sources::default(), false);
    assert!(!text.contains("note:"), "{text}");
    assert!(text.contains("is/not/there.rs:7:5"), "{text}");
}
