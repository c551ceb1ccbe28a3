use super::*;

fn row(function: &str, kind: &str, off_by: Option<u32>, exact_error: f64) -> Row {
    Row {
        precision: "f32".to_owned(),
        function: function.to_owned(),
        kind: kind.to_owned(),
        arguments: 1 << 30,
        off_by,
        exact_error,
        at: "2.5e0".to_owned(),
        bound: 2,
    }
}

fn file(rows: &[Row]) -> String {
    let lines = rows
        .iter()
        .map(|row| line(row, "GPU", "driver 1", "2026-01-31"));
    HEAD.to_owned() + &lines.collect::<String>()
}

#[test]
fn what_is_written_is_read() {
    let rows = vec![
        row("sinf", "all", Some(2), 2.125),
        row("sinf", "near pi", None, 1.5),
    ];
    let measured = parse(&file(&rows)).unwrap();
    assert_eq!(
        (&*measured.device, &*measured.platform, &*measured.date),
        ("GPU", "driver 1", "2026-01-31")
    );
    assert_eq!(measured.rows, rows);
    let exact = parse(&file(&[row("fmodf", "pairs", Some(0), 0.0)])).unwrap();
    assert_eq!(exact.rows[0].at, "-");
}

#[test]
fn files_that_mix_measurements_are_refused() {
    let sine = row("sinf", "all", Some(2), 2.125);
    let twice = parse(&file(&[sine.clone(), sine.clone()])).unwrap_err();
    assert!(
        twice.contains("line 3: sinf over all is there already"),
        "{twice}"
    );
    let other = file(&[row("cosf", "all", Some(1), 1.0)]).replace("GPU", "another");
    let two = parse(&(file(&[sine]) + &other)).unwrap_err();
    assert!(
        two.contains("line 4: another, driver 1 in a file of GPU"),
        "{two}"
    );
    assert!(parse("f32\tsinf\n").unwrap_err().contains("not 11 cells"));
    assert_eq!(parse(HEAD), Err("no rows".to_owned()));
}

#[test]
fn a_bound_counts_floats_or_half_a_unit_more() {
    assert!(row("sinf", "all", Some(2), 2.4).holds());
    assert!(!row("sinf", "all", Some(3), 2.4).holds());
    assert!(row("sin", "all", None, 2.49).holds());
    assert!(!row("sin", "all", None, 2.5).holds());
}

#[test]
fn the_page_has_the_worst_of_all_kinds() {
    let rows = [
        row("sinf", "all", Some(2), 1.125),
        row("sinf", "near pi", Some(1), 1.5),
        row("fmodf", "pairs", Some(0), 0.0),
    ];
    let text = document(&[parse(&file(&rows)).unwrap()], &[]);
    assert!(
        text.contains("| `sinf` | 2 | 1.50 | 2 | 2.5e0 |\n"),
        "{text}"
    );
    assert!(text.contains("| `fmodf` | 0 | 0.00 | 2 | – |\n"), "{text}");
    assert!(
        text.contains("2^30 arguments; functions of two: 2^30 pairs."),
        "{text}"
    );
}
