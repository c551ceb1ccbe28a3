use std::path::PathBuf;

use super::reporter::{Form, Reporter};
use super::*;
use warploom_emulator::WaitPoint;

const FILE: &str = "src/k.rs";

fn launched() -> Launched<'static> {
    Launched {
        device: "the emulator",
        name: "shop::transpose<32>",
        base: "transpose",
        grid: [8, 8, 1],
        block: [32, 2, 1],
        at: Location::caller(),
        number: 4,
        replay: "WARPLOOM_SCHEDULE=random:7".into(),
        sites: 1..2,
    }
}

fn side(line: u32) -> Side {
    Side {
        place: Some(Place {
            file: FILE.into(),
            line,
            column: 5,
        }),
        stack: vec![],
        who: Some(launched().who([2, 0, 0], [3, 1, 0])),
        did: "writes out[0]".into(),
    }
}

fn race(line: u32) -> Report {
    let report = Report::new(Code::SHARED_RACE, "race on shared memory: tile[3]");
    report.side(side(line)).why("nothing orders them")
}

fn same_value(line: u32) -> Report {
    Report::new(Code::SAME_VALUE, "several threads write found[0]").side(side(line))
}

fn outcome(fault: Option<Fault>, reports: Vec<Report>) -> Outcome {
    let mut outcome = Outcome::default();
    (outcome.fault, outcome.reports) = (fault, reports);
    outcome
}

fn conclusion(fault: Option<Fault>, reports: Vec<Report>) -> Option<StreamError> {
    conclude(&launched(), outcome(fault, reports), &Warnings::default()).unwrap()
}

fn panic() -> Fault {
    Fault::Panic {
        message: "lost".into(),
        file: FILE.into(),
        line: 7,
        column: 9,
        block: [1, 0, 0],
        thread: [3, 1, 0],
        count: 2,
    }
}

fn deadlock() -> Fault {
    Fault::Deadlock {
        block: [0; 3],
        waits: vec![Wait {
            point: WaitPoint::Barrier { id: 0 },
            block: [0; 3],
            threads: 32,
            first: [0, 1, 0],
            file: "src/k.rs",
            line: 3,
            column: 5,
        }],
    }
}

/// The text without what varies: the place of these tests, and the one that runs.
fn text(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    let text = text.replace(&launched().at.to_string(), "HERE");
    text.replace(&replay::replay(&launched().replay), "REPLAY")
}

#[test]
fn nothing_found_is_no_error() {
    assert!(conclusion(None, vec![]).is_none());
}

#[test]
fn warnings_are_no_error() {
    assert!(conclusion(None, vec![same_value(901)]).is_none());
}

#[test]
fn errors_fail_with_all_that_was_found() {
    let Some(StreamError::Check(findings)) = conclusion(None, vec![race(9), same_value(902)])
    else {
        panic!();
    };
    let codes: Vec<_> = findings
        .findings()
        .iter()
        .map(|report| report.code)
        .collect();
    assert_eq!(codes, [Code::SHARED_RACE, Code::SAME_VALUE]);
    assert_eq!(findings.kernel(), "transpose::<32>");
    assert_eq!(findings.launched_at().file(), file!());
    assert_eq!(
        text(&findings),
        "kernel `transpose::<32>` has 1 error

error[WL0101]: race on shared memory: tile[3]
--> src/k.rs:9:5
 = note: thread (3,1,0) of block (2,0,0) [warp 1, lane 3] writes out[0]
 = why: nothing orders them
 = launch: transpose::<32> <<<(8,8,1),(32,2,1)>>> at HERE (launch 4)
 = replay: REPLAY"
    );
}

#[test]
fn unwrap_shows_the_text() {
    let error = conclusion(None, vec![race(9)]).unwrap();
    let text = format!("{error:?}");
    assert!(text.contains("\nerror[WL0101]: race"), "{text}");
}

#[test]
fn long_lists_of_errors_end() {
    let error = conclusion(None, (1..=22).map(race).collect()).unwrap();
    let text = error.to_string();
    assert_eq!(text.matches("error[").count(), 20);
    assert!(text.ends_with("\n\n2 more errors are not shown"), "{text}");
}

#[test]
fn a_panic_keeps_its_sentence_and_gains_a_finding() {
    let error = conclusion(Some(panic()), vec![race(9)]).unwrap();
    let text = text(&error);
    let start = "kernel `transpose` panicked at src/k.rs:7:9: lost (block (1,0,0), thread (3,1,0); launched at HERE)

error[WL0400]: lost
--> src/k.rs:7:9
 = note: thread (3,1,0) of block (1,0,0) [warp 1, lane 3] panicked here
 = note: found 2 times at this line; the first is shown
 = launch: transpose::<32> <<<(8,8,1),(32,2,1)>>> at HERE (launch 4)
 = replay: REPLAY

error[WL0101]: race";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn a_deadlock_keeps_its_sentence_and_gains_a_finding() {
    let error = conclusion(Some(deadlock()), vec![]).unwrap();
    let text = text(&error);
    let start = "kernel `transpose` never ends: block (0, 0, 0) is stuck: 32 threads (first: (0, 1, 0)) wait at barrier 0, src/k.rs:3:5 (launched at HERE)

error[WL0223]: ";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn a_deadlock_has_the_class_of_its_finding() {
    let of = |reports| match conclusion(Some(deadlock()), reports) {
        Some(StreamError::Deadlock(deadlock)) => deadlock.code(),
        other => panic!("{other:?}"),
    };
    assert_eq!(of(vec![]), Code::DEADLOCK);
    let exits = Report::new(Code::EXIT_BEFORE_BARRIER, "");
    let diverged = Report::new(Code::BARRIER_DIVERGENCE, "");
    assert_eq!(of(vec![race(9), exits, diverged]), Code::BARRIER_DIVERGENCE);
}

#[test]
fn what_could_not_run_is_an_error_of_the_launch() {
    let error = conclude(
        &launched(),
        outcome(Some(Fault::Nested), vec![]),
        &Warnings::default(),
    )
    .unwrap_err();
    assert!(matches!(
        error,
        LaunchError::Emulator {
            kernel: "transpose",
            ..
        }
    ));
}

/// A reporter of this form, which knows no sources.
fn reporter(form: &str) -> (Reporter, Sources) {
    let (reporter, wrong) = Reporter::new(Some(form), None);
    assert_eq!(wrong, [""; 0]);
    (reporter, Sources::default())
}

fn said(form: &str, reports: Vec<Report>, fault: Option<Fault>) -> Vec<String> {
    let (mut reporter, sources) = reporter(form);
    reporter
        .take(&launched(), reports, fault.as_ref(), &sources)
        .1
}

#[test]
fn people_read_warnings_at_once_and_errors_with_the_err() {
    let said = said("human", vec![race(9), same_value(9)], Some(panic()));
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("warning[WL0114]: several"), "{said:?}");
}

#[test]
fn quiet_says_nothing_and_gives_everything_back() {
    let (mut reporter, sources) = reporter("quiet");
    let (left, said) = reporter.take(&launched(), vec![race(9), same_value(9)], None, &sources);
    assert_eq!((left.len(), said.len()), (2, 0));
}

#[test]
fn a_warning_is_said_once_for_its_places() {
    let (mut reporter, sources) = reporter("human");
    let mut said = |reports| reporter.take(&launched(), reports, None, &sources).1.len();
    assert_eq!(said(vec![same_value(9), same_value(10)]), 2);
    assert_eq!(said(vec![same_value(9), same_value(11)]), 1);
}

#[test]
fn programs_read_errors_of_every_launch() {
    let (mut reporter, sources) = reporter("json");
    for _ in 0..2 {
        let said = reporter.take(&launched(), vec![race(9)], None, &sources).1;
        assert_eq!(said.len(), 1);
    }
}

#[test]
fn a_finding_as_json() {
    let mut report = race(9);
    report.sides[0].stack = vec![warploom_emulator::check::Frame {
        file: "src/l.rs".into(),
        line: 3,
        column: 0,
        function: "shop::load".into(),
    }];
    report.count = 2048;
    launched().sign(&mut report);
    let nowhere = Side {
        place: None,
        stack: vec![],
        who: None,
        did: "is \"free\"".into(),
    };
    let said = said("json", vec![report.side(nowhere)], None);
    let (line, at) = (said[0].as_str(), launched().at);
    let (file, number) = (at.file(), at.line());
    let (before, rendered) = line.split_once(",\"rendered\":\"").unwrap();
    assert_eq!(
        before,
        [
            r#"{"schema":1,"code":"WL0101","name":"SHARED_RACE","severity":"error","title":"race on shared memory: tile[3]","#,
            r#""sides":[{"file":"src/k.rs","line":9,"column":5,"#,
            r#""callers":[{"file":"src/l.rs","line":3,"column":null,"function":"shop::load"}],"#,
            r#""block":[2,0,0],"thread":[3,1,0],"warp":1,"lane":3,"did":"writes out[0]"},"#,
            r#"{"file":null,"line":null,"column":null,"callers":[],"#,
            r#""block":null,"thread":null,"warp":null,"lane":null,"did":"is \"free\""}],"#,
            r#""notes":[{"label":"why","text":"nothing orders them"}],"count":2048,"kernel":"transpose::<32>","#,
            &format!(r#""launch":{{"grid":[8,8,1],"block":[32,2,1],"file":{file:?},"line":{number},"column":{},"number":4}},"#, at.column()),
            &format!(r#""replay":"{}""#, replay::replay(&launched().replay)),
        ]
        .concat()
    );
    assert!(
        rendered.starts_with("error[WL0101]: race on shared memory: tile[3]\\n"),
        "{rendered}"
    );
    assert!(!line.contains('\n'), "one line");
}

#[test]
fn a_panic_as_json() {
    let said = said("json", vec![], Some(panic()));
    let finding: serde_json::Value = serde_json::from_str(&said[0]).unwrap();
    assert_eq!(
        (finding["code"].as_str(), finding["count"].as_u64()),
        (Some("WL0400"), Some(2))
    );
    assert_eq!(finding["title"], "lost");
    assert_eq!(finding["sides"][0]["lane"], 3);
    assert_eq!(finding["sides"][0]["warp"], 1);
}

#[test]
fn a_deadlock_as_json_says_where_threads_wait() {
    let said = said("json", vec![], Some(deadlock()));
    let finding: serde_json::Value = serde_json::from_str(&said[0]).unwrap();
    assert_eq!(finding["code"], "WL0223");
    assert_eq!(finding["sides"][0]["did"], "waits at barrier 0");
}

#[test]
fn a_deadlock_with_a_finding_of_its_own_is_not_said_twice() {
    let report = Report::new(Code::BARRIER_DIVERGENCE, "");
    assert_eq!(said("json", vec![report], Some(deadlock())).len(), 1);
}

#[test]
fn forms_have_names() {
    assert_eq!(Form::of_variable(""), Some(Form::Human));
    assert_eq!(
        Form::of_variable("json:a/b.jsonl"),
        Some(Form::Json(Some(PathBuf::from("a/b.jsonl"))))
    );
    assert_eq!(Form::of_variable("json:"), None);
    let (_, wrong) = Reporter::new(Some("xml"), None);
    assert_eq!(
        wrong,
        ["WARPLOOM_REPORT is `xml`; use `human`, `quiet`, `json` or `json:PATH`, or unset it"]
    );
}

#[test]
fn the_environment_allows() {
    let (mut reporter, wrong) = Reporter::new(None, Some("WL0101@k.rs:9=known"));
    assert_eq!(wrong, [""; 0]);
    let (left, _) = reporter.take(
        &launched(),
        vec![race(9), race(10)],
        None,
        &Sources::default(),
    );
    assert_eq!(left, [race(10)]);
}

#[test]
fn an_environment_that_cannot_be_read_allows_nothing_and_says_so() {
    let (mut reporter, wrong) = Reporter::new(None, Some("WL0101@k.rs:9=known; all"));
    assert_eq!(
        wrong,
        [
            "cannot read WARPLOOM_ALLOW, and nothing of it counts: `all`: `@` and a file are missing, as in WL0114@src/lib.rs:12"
        ]
    );
    let (left, _) = reporter.take(&launched(), vec![race(9)], None, &Sources::default());
    assert_eq!(left.len(), 1);
}

#[test]
fn lines_are_added_to_a_file() {
    let path = std::env::temp_dir().join(format!("warploom-report-{}.jsonl", std::process::id()));
    let form = Form::Json(Some(path.clone()));
    reporter::write(&form, &["{}".to_owned(), "[]".to_owned()]);
    reporter::write(&form, &["1".to_owned()]);
    let written = std::fs::read_to_string(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(written.unwrap(), "{}\n[]\n1\n");
}
