use std::collections::BTreeMap;
use std::fs;

use super::lines::code;
use super::*;
use crate::results::{file_name, write};

fn results() -> Results {
    let side = |median| Side {
        median,
        spread: 0.02,
    };
    Results {
        machine: Machine {
            gpu: "NVIDIA X".to_owned(),
            driver: "1".to_owned(),
            originals: "nvcc 13".to_owned(),
            date: "2026-01-31".to_owned(),
        },
        rows: vec![Row {
            program: "scan3".to_owned(),
            case: "float".to_owned(),
            n: 1 << 25,
            by: "Thrust".to_owned(),
            ours: side(0.08),
            device_ms: 0.07,
            original: side(0.12),
            runs: 50,
            rounds: 3,
        }],
    }
}

#[test]
fn lines_of_code_are_told_from_comments() {
    let text = "/* a\n b */\n\n// c\nint x; // d\n  /* e */\nint y;\n";
    let expected = [false, false, false, false, true, false, true];
    assert_eq!(code(text), expected);
}

#[test]
fn a_side_is_the_median_of_its_rounds() {
    let side = Side::of([3.0, 1.0, 2.0].into_iter()).unwrap();
    assert_eq!(side.median, 2.0);
    assert_eq!(Side::of([].into_iter()), None);
    assert_eq!(Side::of([f64::NAN].into_iter()), None);
}

#[test]
fn rows_of_other_programs_are_kept_if_they_are_of_the_same_run() {
    let folder = std::env::temp_dir().join(format!("kept-programs-{}", std::process::id()));
    let file = folder.join(file_name("NVIDIA X"));
    write(&file, &results()).unwrap();
    let with = |programs: &[&str], date: &str| {
        let mut new = results();
        new.machine.date = date.to_owned();
        new.rows.clear();
        new.keep_others(&file, programs).unwrap();
        new.rows.len()
    };
    let (own, other) = (with(&["scan3"], "2026-01-31"), with(&["rle"], "2026-01-31"));
    let of_another_day = with(&["rle"], "2026-02-01");
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!((own, other, of_another_day), (0, 1, 0));
}

#[test]
fn a_checkout_of_another_commit_is_refused() {
    let folder = std::env::temp_dir().join(format!("hecbench-{}", std::process::id()));
    let source = folder.join("src/radixsort2-cuda");
    fs::create_dir_all(&source).unwrap();
    fs::write(source.join("main.cu"), "int main() {}\n").unwrap();
    let error = count(&folder, &folder).unwrap_err().to_string();
    fs::remove_dir_all(&folder).unwrap();
    assert!(
        error.contains("has 1 lines, and 143 in commit f27000a5"),
        "{error}"
    );
}

#[test]
fn the_page_has_lines_and_times() {
    let original = Lines {
        algorithm: 3,
        main: 100,
        headers: 60,
    };
    let ours = Lines {
        algorithm: 2,
        main: 24,
        headers: 0,
    };
    let lines = BTreeMap::from([("scan3".to_owned(), (original, ours))]);
    let page = document(&lines, 99, &[results()]);
    for line in [
        "| scan3 | 3 | 2 | 100 | 60 | 24 |",
        "The ports together have 24 lines, 123 with what they share; the originals 100, and 60 in headers.",
        "All of ours share 99 lines",
        "Driver 1; nvcc 13; 2026-01-31.",
        "| scan3 | float | 2^25 | 80.00 µs | 70.00 µs | 0.120 ms (Thrust) | 1.500 | 2.0 %, 2.0 % |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    assert!(document(&lines, 99, &[]).contains("No times are recorded yet."));
}
