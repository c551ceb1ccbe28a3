//! Pooling and the figures of the document.

use super::*;

fn machine() -> Machine {
    Machine {
        processor: "Loom 3000".to_owned(),
        cores: 2,
        compiler: "rustc 1.95".to_owned(),
        load: "0.1".to_owned(),
        date: "2026-01-31".to_owned(),
    }
}

fn sample(kernel: &str, engine: &str, cores: usize, ns: &[f64]) -> Sample {
    Sample {
        kernel: kernel.to_owned(),
        engine: engine.to_owned(),
        version: String::new(),
        cores,
        blocks: 10,
        threads: 100,
        events: 2,
        check: 0,
        ns: ns.to_vec(),
        before_kib: 1024,
        peak_kib: 2048,
    }
}

fn results(lines: Vec<(&str, Line)>) -> Results {
    let lines: Vec<_> = lines
        .into_iter()
        .map(|(file, line)| (file.to_owned(), line))
        .collect();
    Results::of(machine(), &lines)
}

#[test]
fn times_of_several_processes_are_pooled() {
    let first = sample("reduce", "warploom fast", 1, &[100.0, 300.0]);
    let second = sample("reduce", "warploom fast", 1, &[200.0]);
    let other = sample("reduce", "warploom fast", 2, &[50.0]);
    let found = results(vec![
        ("fast", Line::Sample(first)),
        ("fast", Line::Sample(other)),
        ("fast", Line::Sample(second)),
    ]);
    let row = found.row("reduce", "warploom fast", 1).unwrap();
    assert_eq!((row.runs, row.median_ns, row.best_ns), (3, 200.0, 100.0));
    assert_eq!((row.per_thread(), row.per_event()), (2.0, 1.0));
    assert_eq!(found.rows.len(), 2);
    assert_eq!(row.peak_kib, None);
}

#[test]
fn the_memory_file_gives_memory_and_no_times() {
    let timed = sample("reduce", "warploom fast", 1, &[100.0]);
    let alone = Sample {
        peak_kib: 4096,
        ..sample("reduce", "warploom fast", 1, &[900.0])
    };
    let found = results(vec![
        ("fast", Line::Sample(timed)),
        ("memory", Line::Sample(alone)),
    ]);
    assert_eq!(found.rows.len(), 1);
    assert_eq!(
        (found.rows[0].runs, found.rows[0].peak_kib),
        (1, Some(4096))
    );
}

#[test]
fn claims_are_decided_by_the_figures() {
    let found = results(vec![
        (
            "fast",
            Line::Sample(sample("saxpy", "warploom fast", 1, &[700.0])),
        ),
        (
            "fast",
            Line::Sample(sample("reduce", "warploom fast", 1, &[2000.0])),
        ),
        (
            "checked",
            Line::Sample(sample("reduce", "warploom checked", 1, &[5000.0])),
        ),
    ]);
    let text = document(&[found]);
    assert!(text.contains("| ≤ 6 ns | 7.00 ns | **no** |"), "{text}");
    assert!(text.contains("| ≤ 25 ns | 10.00 ns | yes |"), "{text}");
    assert!(text.contains("| ≤ 3× | 2.50× | yes |"), "{text}");
    assert!(text.contains("| ≤ 4 s | n/a | n/a |"), "{text}");
}

#[test]
fn samples_per_second_follow_from_the_time_per_thread() {
    // 100 threads in 10 µs: 100 ns for each.
    let line = Line::Sample(sample("sample_f32", "warploom fast", 1, &[10_000.0]));
    let text = document(&[results(vec![("fast", line)])]);
    assert!(
        text.contains("| ≥ 5 million | 10.00 million | yes |"),
        "{text}"
    );
    assert!(text.contains("| warploom fast | 10.0 | n/a |"), "{text}");
    assert!(text.contains("| warploom checked | n/a | n/a |"), "{text}");
}

#[test]
fn what_is_missing_is_said_once() {
    let missing = Missing {
        engine: "PoCL".to_owned(),
        why: "there is no OpenCL here".to_owned(),
    };
    let twice = vec![
        ("pocl", Line::Missing(missing.clone())),
        ("pocl", Line::Missing(missing)),
    ];
    let text = document(&[results(twice)]);
    assert_eq!(
        text.matches("- PoCL: there is no OpenCL here").count(),
        1,
        "{text}"
    );
}

#[test]
fn without_results_the_document_has_what_is_expected() {
    let text = document(&[]);
    assert!(text.contains("No results are recorded yet."), "{text}");
    assert!(text.contains("per thread and barrier: 16 ns"), "{text}");
}

#[test]
fn lines_come_back_as_they_were_written() {
    let folder = std::env::temp_dir().join(format!("warploom-speed-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let line = Line::Sample(sample("scan", "by hand", 2, &[1.5]));
    append(&folder.join("hand.jsonl"), &line).unwrap();
    let read = read_lines(&folder).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(read, vec![("hand".to_owned(), line)]);
}
