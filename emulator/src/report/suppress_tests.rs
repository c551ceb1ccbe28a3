use super::*;
use crate::site::{Frame, SiteInfo, register};

const FILE: &str = "src/k.rs";

const TEXT: &str = "\
fn kernel() {
    found[0] = 1; // warploom: allow(WL0114, reason = \"one flag\")
    // warploom: allow(WL0114, reason = \"one flag\")
    #[rustfmt::skip]
    // more words
    found[1] = 1;
    // warploom: allow(WL0114)
    found[2] = 1;

    // warploom: allow(WL0113, reason = \"another class\")
    found[3] = 1;
    // warploom: allow(races)
    found[4] = 1;
}
";

fn sources() -> Sources {
    Sources::of_texts(&[(FILE, TEXT)])
}

fn frame(line: u32) -> Frame {
    Frame {
        file: FILE.into(),
        line,
        column: 5,
        function: String::new(),
    }
}

fn side(line: u32) -> Side {
    let Frame {
        file, line, column, ..
    } = frame(line);
    Side {
        place: Some(Place { file, line, column }),
        stack: vec![],
        who: None,
        did: "writes".into(),
    }
}

fn found_at(line: u32) -> Report {
    Report::new(Code::SAME_VALUE, "several threads write the same").side(side(line))
}

/// Codes of what is left of these.
fn sifted(allowances: &mut Allowances, reports: Vec<Report>) -> Vec<Code> {
    let left = allowances.sift(reports, &sources());
    left.iter().map(|report| report.code).collect()
}

fn sites(lines: impl IntoIterator<Item = u32>) -> Range<u32> {
    let infos: Vec<_> = lines
        .into_iter()
        .map(|line| SiteInfo {
            frames: vec![frame(line)],
            shown: 0,
        })
        .collect();
    let count = infos.len() as u32;
    let first = register(infos);
    first..first + count
}

/// Lines of the comments that were not used.
fn unused(allowances: &Allowances) -> Vec<(Code, u32)> {
    let line = |report: &Report| {
        let place = report.sides.first().and_then(|side| side.place.as_ref());
        place.map_or(0, |place| place.line)
    };
    let reports = allowances.unused(&sources());
    reports
        .iter()
        .map(|report| (report.code, line(report)))
        .collect()
}

#[test]
fn a_comment_at_the_end_of_the_line_allows() {
    assert!(sifted(&mut Allowances::default(), vec![found_at(2)]).is_empty());
}

#[test]
fn a_comment_above_allows_past_attributes_and_other_comments() {
    assert!(sifted(&mut Allowances::default(), vec![found_at(6)]).is_empty());
}

#[test]
fn a_comment_allows_no_other_class() {
    assert_eq!(
        sifted(&mut Allowances::default(), vec![found_at(11)]),
        [Code::SAME_VALUE]
    );
}

#[test]
fn a_comment_allows_no_other_line() {
    // The comment of line 7 is for line 8, and there is an empty line behind that.
    let left = sifted(&mut Allowances::default(), vec![found_at(9), found_at(1)]);
    assert_eq!(left, [Code::SAME_VALUE; 2]);
}

#[test]
fn any_side_and_any_caller_may_have_the_comment() {
    let mut second = found_at(1).side(side(2));
    assert!(sifted(&mut Allowances::default(), vec![second.clone()]).is_empty());
    second.sides.truncate(1);
    second.sides[0].stack = vec![frame(14), frame(6)];
    assert!(sifted(&mut Allowances::default(), vec![second]).is_empty());
}

#[test]
fn a_missing_reason_is_reported_once() {
    let mut allowances = Allowances::default();
    let left = allowances.sift(vec![found_at(8), found_at(8)], &sources());
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(
        left[0].render(&sources(), false),
        "warning[WL0920]: findings are allowed without a reason
 --> src/k.rs:7:5
  |
7 |     // warploom: allow(WL0114)
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^ no reason is given
  |
  = help: write `reason = \"…\"` behind the codes: why is it right?"
    );
    assert_eq!(allowances.n_taken(), 2);
}

#[test]
fn a_comment_that_cannot_be_read_allows_nothing_and_is_reported() {
    let mut allowances = Allowances::default();
    let left = allowances.sift(vec![found_at(13)], &sources());
    assert_eq!(
        (left[0].code, left[1].code),
        (Code::SAME_VALUE, Code::BAD_ALLOWANCE)
    );
    assert_eq!(
        left[1].title,
        "cannot read what is allowed here: `races` is no code such as WL0114"
    );
}

#[test]
fn a_list_allows_by_file_and_line() {
    let mut allowances = Allowances::default();
    allowances.add(Allowance::list("WL0114@k.rs:9=why").unwrap());
    assert_eq!(
        sifted(&mut allowances, vec![found_at(9), found_at(1)]),
        [Code::SAME_VALUE]
    );
}

#[test]
fn a_list_allows_a_whole_file() {
    let mut allowances = Allowances::default();
    allowances.add(Allowance::list("WL0114@src/k.rs=why").unwrap());
    assert!(sifted(&mut allowances, vec![found_at(9), found_at(1)]).is_empty());
}

#[test]
fn the_end_of_a_name_is_no_file() {
    let mut allowances = Allowances::default();
    allowances.add(Allowance::list("WL0114@.rs:9=why;WL0114@c/k.rs=why").unwrap());
    assert_eq!(
        sifted(&mut allowances, vec![found_at(9)]),
        [Code::SAME_VALUE]
    );
}

#[test]
fn an_entry_without_a_reason_is_reported() {
    let mut allowances = Allowances::default();
    allowances.add(Allowance::list("WL0114@k.rs:9").unwrap());
    let left = allowances.sift(vec![found_at(9)], &sources());
    assert_eq!(
        left[0].title,
        "findings are allowed without a reason: WL0114@k.rs:9"
    );
}

#[test]
fn what_did_not_run_is_not_unused() {
    let mut allowances = Allowances::default();
    allowances.ran(sites([1, 9]));
    assert_eq!(unused(&allowances), []);
}

#[test]
fn a_comment_for_a_line_that_ran_is_unused_until_it_takes_a_finding() {
    let mut allowances = Allowances::default();
    allowances.ran(sites([2, 2, 6]));
    assert_eq!(
        unused(&allowances),
        [(Code::UNUSED_ALLOWANCE, 2), (Code::UNUSED_ALLOWANCE, 3)]
    );
    assert!(sifted(&mut allowances, vec![found_at(6)]).is_empty());
    assert_eq!(unused(&allowances), [(Code::UNUSED_ALLOWANCE, 2)]);
}

#[test]
fn a_comment_that_cannot_be_read_is_reported_without_a_finding() {
    let mut allowances = Allowances::default();
    allowances.ran(sites([13]));
    assert_eq!(unused(&allowances), [(Code::BAD_ALLOWANCE, 12)]);
}

#[test]
fn an_entry_of_a_list_is_unused_if_its_line_ran() {
    let mut allowances = Allowances::default();
    allowances.add(Allowance::list("WL0114@k.rs:1=why;WL0114@k.rs:9=why").unwrap());
    allowances.ran(sites([9]));
    let reports = allowances.unused(&sources());
    assert_eq!(reports.len(), 1);
    assert_eq!(
        reports[0].title,
        "`WL0114@k.rs:9` allows what was not found"
    );
}
