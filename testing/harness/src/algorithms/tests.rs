use std::fs;

use super::*;

fn pair(ours: f64, peer: f64) -> Pair {
    let side = |median| Summary {
        median,
        spread: 0.01,
    };
    Pair {
        ours: side(ours),
        peer: side(peer),
    }
}

fn row(algorithm: &str, n: u64, ours: f64, peer: f64) -> Row {
    Row {
        algorithm: algorithm.to_owned(),
        of: "u32".to_owned(),
        n,
        entropy: "0.544".to_owned(),
        bytes: 8 * n,
        planned: pair(ours, peer),
        pooled: pair(1.0, 2.0),
        idle: pair(1.0, 0.5),
        runs: 20,
        plan_bytes: 4,
        workspace_bytes: 2048,
        max_error: 0.0,
    }
}

fn results(rows: Vec<Row>) -> Results {
    Results {
        machine: Machine {
            gpu: "NVIDIA X".to_owned(),
            driver: "1".to_owned(),
            peers: "CUB 3".to_owned(),
            date: "2026-01-31".to_owned(),
            copy_gb_s: 1000.0,
        },
        rows,
    }
}

#[test]
fn a_file_gives_the_rows_that_were_written() {
    let written = results(vec![
        row("scan", 1 << 16, 0.25, 0.5),
        row("sort", 7, 1.0, 3.0),
    ]);
    assert_eq!(parse(&text(&written)), Ok(written));
}

#[test]
fn rows_of_other_algorithms_are_kept_if_they_are_of_the_same_day() {
    let folder = std::env::temp_dir().join(format!("kept-algorithms-{}", std::process::id()));
    let file = folder.join(file_name("NVIDIA X"));
    let rows = [row("scan", 7, 1.0, 1.0), row("sort", 7, 1.0, 1.0)];
    write(&file, &results(rows.to_vec())).unwrap();
    let mut new = results(vec![]);
    new.machine.copy_gb_s = 999.0;
    let other = new.others(&file, &["scan"]).unwrap();
    new.machine.date = "2026-02-01".to_owned();
    let of_another_day = new.others(&file, &["scan"]).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(other, rows[1..]);
    assert_eq!(of_another_day, []);
    assert_eq!(new.others(&file, &["scan"]).unwrap(), []);
}

#[test]
fn a_wrong_line_is_named_with_its_column() {
    let right = text(&results(vec![row("scan", 9, 0.25, 0.5)]));
    let of = |from: &str, to: &str| parse(&right.replace(from, to)).unwrap_err();
    assert_eq!(
        of("# peers", "# pears"),
        (3, "it must begin with `# peers`".to_owned())
    );
    assert_eq!(
        of("\tmax_error", ""),
        (6, "these are not the columns".to_owned())
    );
    assert_eq!(
        of("\t9\t", "\tnine\t"),
        (7, "the value of `n` cannot be read".to_owned())
    );
    let short = "it has 20 columns, and must have 21";
    assert_eq!(of("\t9\t", "\t"), (7, short.to_owned()));
}

#[test]
fn times_become_medians_and_their_ratio() {
    let times = Times {
        ours_ms: vec![1.0, 2.0, 9.0],
        peer_ms: vec![3.0; 3],
        unchecked_ms: Vec::new(),
    };
    assert_eq!(Pair::of(&times).map(|pair| pair.ratio()), Some(1.5));
    assert_eq!(Pair::of(&Times::default()), None);
}

#[test]
fn the_summary_has_all_rows_and_the_large_ones() {
    let rows = [
        row("scan", 1 << 16, 1.0, 4.0),
        row("scan", 1 << 24, 1.0, 1.0),
    ];
    assert_eq!(
        summary(&rows),
        "all: 2 rows, geometric mean 2.000, lowest 1.000; from 2^24: 1 rows, geometric mean 1.000, lowest 1.000"
    );
}

#[test]
fn without_results_the_page_says_so() {
    let page = document(&[]);
    assert!(page.contains("No results are recorded yet."), "{page}");
}

#[test]
fn the_page_has_means_lowest_ratios_and_bandwidth() {
    let small = row("scan", 1 << 16, 1.0, 4.0);
    let large = row("scan", 1 << 28, 4.0, 3.6);
    let other = row("sort", 1 << 24, 1.0, 1.6);
    let page = document(&[results(vec![small, large, other])]);
    for line in [
        "Driver 1; CUB 3; 2026-01-31. A copy moves 1000 GB/s.",
        "| all, planned | 3 | 1.793 | 0.900 (scan of u32, 2^28) | 2 |",
        "| from 2^24, planned | 2 | 1.200 | 0.900 (scan of u32, 2^28) | 1 |",
        "| all, pooled | 3 | 2.000 | 2.000 (scan of u32, 2^16) | 3 |",
        "| all, idle | 3 | 0.500 | 0.500 (scan of u32, 2^16) | 0 |",
        "| scan | 2 | 1.897 | 0.900 | 0.900 |",
        "| sort | 1 | 1.600 | 1.600 | 1.600 |",
        "| u32 | 2^28 | 0.544 | 4.000 ms | 3.600 ms | 0.900 | 2.000 | 0.500 | 67.11 | 537 | 54 % | 4 B, 2.0 KiB | 1.0 %, 1.0 % | 0e0 |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

#[test]
fn rows_that_bandwidth_does_not_bound_have_none() {
    let sort = Row {
        bytes: 0,
        ..row("sort", 1 << 16, 0.05, 0.05)
    };
    let page = document(&[results(vec![sort])]);
    let line = "| 50.00 µs | 50.00 µs | 1.000 | 2.000 | 0.500 | 1.31 | – | – |";
    assert!(page.contains(line), "{line}\n{page}");
}
