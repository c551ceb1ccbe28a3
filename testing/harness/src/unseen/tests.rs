use std::collections::BTreeMap;

use super::*;

fn row(kernel: &str, half: Half, ours: f64, peer: f64) -> Row {
    let mut row = Row {
        suite: "suite".to_owned(),
        program: "program".to_owned(),
        kernel: kernel.to_owned(),
        half,
        scale: 1,
        ..Row::default()
    };
    let times = Times {
        ours_ms: vec![ours; 3],
        peer_ms: vec![peer; 3],
        unchecked_ms: Vec::new(),
    };
    row.set_times(&times).unwrap();
    row
}

fn machine() -> Machine {
    Machine {
        gpu: "NVIDIA X".to_owned(),
        driver: "1".to_owned(),
        compiler: "nvcc 1".to_owned(),
        date: "2026-01-31".to_owned(),
    }
}

#[test]
fn the_split_is_about_even_and_never_changes() {
    let names = (0..1000).map(|i| half("suite", &format!("program{i}")));
    let worked = names.filter(|half| *half == Half::Worked).count();
    assert!((450..550).contains(&worked), "{worked}");
    // Recorded when the seed was chosen; a change would move programs that were worked on to the other half.
    let recorded = ["atax", "bicg", "mvt", "lu", "adi", "syrk"]
        .map(|name| half("polybench", name).to_string());
    assert_eq!(recorded.join(" "), RECORDED);
}

const RECORDED: &str = "held-out worked worked held-out held-out held-out";

#[test]
fn a_row_without_times_is_an_error() {
    let error = Row::default().set_times(&Times::default()).unwrap_err();
    assert!(matches!(error, UnseenError::NoTimes { .. }), "{error}");
}

#[test]
fn the_page_has_three_groups_or_says_what_is_missing() {
    let causes = BTreeMap::from([("slow".to_owned(), "two barriers".to_owned())]);
    let page = document(&[], &[], &causes);
    assert!(page.contains("No results are committed yet"), "{page}");
    let results = Results {
        machine: machine(),
        rows: vec![
            row("slow", Half::Worked, 2.0, 1.0),
            row("fast", Half::Worked, 1.0, 2.0),
            row("same", Half::HeldOut, 1.0, 1.0),
        ],
    };
    let page = document(&[], &[results], &causes);
    for line in [
        "| old table | 0 | | | | | |",
        "| worked half | 2 | 1.000 | 1.250 | 0.500 | 1 | 1 |",
        "| held-out half | 1 | 1.000 | 1.000 | 1.000 | 1 | 0 |",
        "| `slow` | 0.500 | two barriers |",
        "| suite | program | `slow` | 2.0000 ms | 1.0000 ms | 0.500 | 0.0 %, 0.0 % |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}
