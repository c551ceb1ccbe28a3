//! All cases: twins are right and give no report; bugs give theirs, with the right class at the right lines.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use warploom_corpus::case::{Case, File, Run};
use warploom_corpus::findings::Finding;
use warploom_corpus::record::{self, Row, Verdict};
use warploom_corpus::table::{self, Found};
use warploom_corpus::{cases, correct, expect};
use warploom_emulator::check::{Code, Mode, Schedule};
use warploom_runtime::model::Emulator;

/// What one run gave.
#[derive(Debug, Default, Clone)]
struct Observed {
    outcome: String,
    findings: Vec<Finding>,
}

/// A child without output for so long is ended: one that runs beside many other processes is no failure.
const SILENCE: Duration = Duration::from_secs(300);

/// The same in the order in which reports are made.
fn usual() -> &'static BTreeMap<String, [Observed; 2]> {
    static USUAL: OnceLock<BTreeMap<String, [Observed; 2]>> = OnceLock::new();
    USUAL.get_or_init(|| observe(Schedule::Forward))
}

/// Both runs of each case in this order of threads, by name; the twin's first.
fn observe(order: Schedule) -> BTreeMap<String, [Observed; 2]> {
    let mut seen = BTreeMap::new();
    let all = cases().chain(correct());
    let mut left: Vec<&str> = all.map(|(_, case)| case.name).collect();
    while !left.is_empty() {
        let Some((name, why)) = observe_in_child(order, &left, &mut seen) else {
            break;
        };
        // The case that ended the process, or did not end, is left out; the others go on.
        seen.entry(name.clone()).or_default()[1].outcome = why;
        let done = left.iter().position(|n| **n == name).unwrap();
        left.drain(..=done);
    }
    seen
}

/// Runs cases in a process of their own; if that does not come to its end, the case that it was at, and what happened.
fn observe_in_child(
    order: Schedule,
    names: &[&str],
    seen: &mut BTreeMap<String, [Observed; 2]>,
) -> Option<(String, String)> {
    let file = format!("corpus-{}-{order}.json", std::process::id()).replace(':', "-");
    let path = std::env::temp_dir().join(file);
    drop(fs::remove_file(&path));
    let mut child = Command::new(env!("CARGO_BIN_EXE_corpus-case"))
        .arg("report")
        .args(names)
        .env("WARPLOOM_REPORT", format!("json:{}", path.display()))
        .env("WARPLOOM_STEP_LIMIT", "2000000")
        .env_remove("WARPLOOM_EMULATOR")
        .env("WARPLOOM_SCHEDULE", order.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (send, lines) = mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            drop(send.send(line));
        }
    });
    let mut now = (String::new(), 0);
    let silent = loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => take(&line, &mut now, seen),
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    if silent {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    reader.join().unwrap();
    drop(fs::remove_file(&path));
    match (silent, status.success()) {
        (true, _) => Some((now.0, "does not come to an end".to_owned())),
        (false, false) => Some((now.0, format!("ended the process: {status}"))),
        (false, true) => None,
    }
}

/// One line of the child; `now` is the run that it is at.
fn take(line: &str, now: &mut (String, usize), seen: &mut BTreeMap<String, [Observed; 2]>) {
    let words: Vec<&str> = line.split('\t').collect();
    if let ["case", name, version] = words.as_slice() {
        *now = ((*name).to_owned(), usize::from(*version == "bug"));
    }
    let observed = &mut seen.entry(now.0.clone()).or_default()[now.1];
    match words.as_slice() {
        ["finding", code, severity, lines, title] => observed.findings.push(Finding {
            code: code.parse().unwrap(),
            lines: lines.split(',').filter_map(|n| n.parse().ok()).collect(),
            is_note: *severity == "note",
            title: (*title).to_owned(),
        }),
        ["outcome", what] => observed.outcome = (*what).to_owned(),
        _ => {}
    }
}

/// What is wrong with a bug's run; empty if it was found, and nothing else.
fn wrong_with_bug(file: &File, case: &Case, observed: &Observed) -> Vec<String> {
    let mut wrong = Vec::new();
    for expected in expect::expected(file, case).iter().filter(|e| e.needed) {
        if !observed
            .findings
            .iter()
            .any(|f| expected.is_met_by(f.code, &f.lines))
        {
            let (codes, lines) = (&expected.codes, &expected.lines);
            wrong.push(format!("missed {codes:?} at lines {lines:?}"));
        }
    }
    let is_allowed = |f: &&Finding| f.is_note || expect::is_allowed(file, case, f.code, &f.lines);
    for finding in observed.findings.iter().filter(|f| !is_allowed(f)) {
        let Finding {
            code, lines, title, ..
        } = finding;
        wrong.push(format!("also found {code} at lines {lines:?}: {title}"));
    }
    if !wrong.is_empty() {
        wrong.push(format!("outcome: {}", observed.outcome));
    }
    wrong
}

fn wrong_with_twin(observed: &Observed) -> Vec<String> {
    let mut wrong = Vec::new();
    if observed.outcome != "right" {
        wrong.push(format!("the twin's outcome: {}", observed.outcome));
    }
    for Finding {
        code, lines, title, ..
    } in &observed.findings
    {
        wrong.push(format!("the twin gives {code} at lines {lines:?}: {title}"));
    }
    wrong
}

/// What a run says of a case, and why.
fn judge(file: &File, case: &Case, [twin, bug]: [&Observed; 2]) -> (Verdict, Vec<String>) {
    let codes = expect::codes(file, case);
    let wrong_twin = wrong_with_twin(twin);
    let wrong_bug = wrong_with_bug(file, case, bug);
    let is_right = |f: &&Finding| codes.contains(&f.code);
    let verdict = Verdict {
        found: bug.findings.iter().any(|f| !f.is_note || is_right(&f)),
        class: bug.findings.iter().any(|f| is_right(&f)),
        lines: wrong_bug.is_empty(),
        twin: wrong_twin.is_empty(),
    };
    (verdict, wrong_twin.into_iter().chain(wrong_bug).collect())
}

#[test]
fn every_bug_is_found_and_no_twin_gives_a_report() {
    let observed = usual();
    let committed = fs::read_to_string(repository(REPORTED)).unwrap_or_default();
    let notes = record::read(&committed);
    let (mut found, mut rows, mut wrong) = (BTreeMap::new(), Vec::new(), String::new());
    let mut details = String::new();
    for (file, case) in cases() {
        let [twin, bug] = observed.get(case.name).cloned().unwrap_or_default();
        let (verdict, why) = judge(file, case, [&twin, &bug]);
        let first = expect::class(file, case);
        let found_here = Found {
            bug: verdict.lines,
            other_class: !bug.findings.iter().any(|f| f.code == first),
            twin: !verdict.twin,
            verdict,
        };
        found.insert(case.name.to_owned(), found_here);
        let text = match case.half() {
            None => &mut wrong,
            Some(half) => {
                let note = notes.get(case.name).map_or("", |row| &row.note);
                rows.push(Row::new(case, half, verdict, note));
                &mut details
            }
        };
        for line in why {
            writeln!(text, "{}:{}: {line}", file.path, case.name).unwrap();
        }
    }
    let mut false_reports = 0;
    for (file, case) in correct() {
        let [run, _] = observed.get(case.name).cloned().unwrap_or_default();
        let why = wrong_with_twin(&run);
        false_reports += usize::from(!why.is_empty());
        for line in why {
            writeln!(wrong, "{}:{}: {line}", file.path, case.name).unwrap();
        }
    }
    assert!(wrong.is_empty(), "not as expected:\n{wrong}");
    compare(REPORTED, &record::text(&mut rows), &details);
    let document = table::document(&found, false_reports, &sanitizer_results());
    compare("docs/generated/checker.md", &document, "");
}

const REPORTED: &str = "testing/corpus/results/reported.tsv";

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// What `compute-sanitizer.sh` left on a machine with a GPU; empty if it never ran.
fn sanitizer_results() -> String {
    fs::read_to_string(repository("testing/corpus/results/compute-sanitizer.tsv"))
        .unwrap_or_default()
}

fn compare(path: &str, expected: &str, details: &str) {
    let file = repository(path);
    if std::env::var_os("WARPLOOM_BLESS").is_some_and(|value| value == "1") {
        fs::write(&file, expected).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    let differs: Vec<&str> = expected
        .lines()
        .filter(|line| !committed.lines().any(|other| other == *line))
        .collect();
    assert!(
        committed == expected,
        "{path} is another: run WARPLOOM_BLESS=1 cargo test -p warploom-corpus --test corpus\nnew lines:\n{}\n{details}",
        differs.join("\n")
    );
}

#[test]
fn results_of_the_sanitizer_name_cases_and_tools() {
    let results = table::sanitizer(
        "# a note\nguard_dropped\tWL0001\tbug\tmemcheck\treport\tInvalid write\n\
         guard_dropped\tWL0001\ttwin\tracecheck\tclean\t\nnonsense\n",
    );
    let of_case = results["guard_dropped"];
    assert!(of_case[0].bug && !of_case[1].twin && results.len() == 1);
    let names: BTreeSet<&str> = cases()
        .chain(correct())
        .map(|(_, case)| case.name)
        .collect();
    for name in table::sanitizer(&sanitizer_results()).keys() {
        assert!(names.contains(name.as_str()), "there is no case `{name}`");
    }
}

/// Twins, and correct kernels. Where the record says of a twin that it is not right, it says why.
fn right_twins() -> impl Iterator<Item = (&'static File, &'static Case)> {
    let record = record::read(&fs::read_to_string(repository(REPORTED)).unwrap_or_default());
    cases()
        .filter(move |(_, case)| record.get(case.name).is_none_or(|row| row.verdict.twin))
        .chain(correct())
}

#[test]
fn twins_are_right_in_native_code() {
    let mut wrong = String::new();
    for (file, case) in right_twins() {
        let device = Emulator::new().mode(Mode::Fast).device();
        let stream = device.stream().unwrap();
        let run = Run {
            device: &device,
            stream: &stream,
            bug: false,
        };
        if let Err(failure) = (case.run)(&run) {
            writeln!(wrong, "{}:{}: {failure}", file.path, case.name).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Besides the one that reports are made in.
const ORDERS: [Schedule; 6] = [
    Schedule::Reverse,
    Schedule::LastWarpFirst,
    Schedule::OneLane,
    Schedule::Random(1),
    Schedule::Random(2),
    Schedule::Random(3),
];

/// Whether a run of the bug has a finding of one of these classes.
fn has(observed: &BTreeMap<String, [Observed; 2]>, case: &Case, codes: &[u16]) -> bool {
    let runs = observed.get(case.name);
    runs.is_some_and(|[_, bug]| bug.findings.iter().any(|f| codes.contains(&f.code)))
}

/// In whichever order threads run, a race of different warps is not taken for one within a warp, and one of different blocks not for one within a block.
#[test]
fn races_have_their_class_in_every_order() {
    const RACES: [u16; 8] = [100, 101, 102, 103, 110, 111, 112, 113];
    let mut wrong = String::new();
    for order in ORDERS {
        let observed = observe(order);
        for (file, case) in cases() {
            let expected = expect::expected(file, case).into_iter();
            let is_race = |codes: &Vec<u16>| codes.iter().any(|code| RACES.contains(code));
            let races = expected.filter(|e| e.needed).map(|e| e.codes);
            for codes in races.filter(is_race) {
                if has(usual(), case, &codes) && !has(&observed, case, &codes) {
                    let (path, name) = (file.path, case.name);
                    writeln!(wrong, "{path}:{name}: {order}: no {codes:?}").unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Reports that fail a launch: in whichever order threads run, twins have none.
#[test]
fn twins_are_right_in_every_order() {
    let mut wrong = String::new();
    for order in ORDERS {
        for (file, case) in right_twins() {
            let emulator = Emulator::new().mode(Mode::Checked).schedule(order);
            let device = emulator.device();
            let stream = device.stream().unwrap();
            let run = Run {
                device: &device,
                stream: &stream,
                bug: false,
            };
            if let Err(failure) = (case.run)(&run) {
                writeln!(wrong, "{}:{}: {order}: {failure}", file.path, case.name).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_case_says_what_is_to_be_found() {
    let mut names = BTreeSet::new();
    for (file, case) in cases() {
        let expected = expect::expected(file, case);
        assert!(
            expected.iter().any(|e| e.needed),
            "{} has no mark",
            case.name
        );
        assert!(names.insert(case.name), "{} is there twice", case.name);
        let names_thread = case.origin.split(['/', '#']).count() == 3;
        assert!(
            case.half().is_none() || names_thread,
            "{}: {}",
            case.name,
            case.origin
        );
        for code in expected.iter().flat_map(|e| &e.codes) {
            assert!(Code::of_number(*code).is_some(), "{}: {code}", case.name);
        }
    }
    for (_, case) in correct() {
        assert!(names.insert(case.name), "{} is there twice", case.name);
    }
    assert!(names.len() >= 120, "only {} cases", names.len());
}

#[test]
fn the_record_has_the_half_of_each_name() {
    let committed = fs::read_to_string(repository(REPORTED)).unwrap();
    let halves: BTreeMap<&str, String> = cases()
        .filter_map(|(_, case)| Some((case.name, case.half()?.to_string())))
        .collect();
    for row in record::read(&committed).values() {
        assert_eq!(
            halves.get(row.name.as_str()),
            Some(&row.half),
            "{}",
            row.name
        );
    }
    let of = |half: &str| halves.values().filter(|other| *other == half).count();
    assert!(of("worked") >= 60 && of("held-out") >= 60, "{halves:?}");
}

#[test]
fn rows_of_the_record_are_read_back() {
    let row = |name: &str, half: &str, note: &str| Row {
        name: name.to_owned(),
        origin: "owner/repository#1".to_owned(),
        half: half.to_owned(),
        verdict: Verdict {
            found: true,
            class: true,
            lines: false,
            twin: true,
        },
        note: note.to_owned(),
    };
    let mut rows = [row("b", "worked", ""), row("a", "held-out", "a line off")];
    let text = record::text(&mut rows);
    let back: Vec<Row> = record::read(&(text + "nonsense\n")).into_values().collect();
    assert_eq!(back, rows);
}
