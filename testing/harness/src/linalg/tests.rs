use super::*;

fn results() -> Results {
    let side = |median| Summary {
        median,
        spread: 0.01,
    };
    let row = |kind: &str, ours, peer| Row {
        kind: kind.to_owned(),
        of: "cube".to_owned(),
        m: 1000,
        n: 2000,
        k: 500,
        kernel: "Tensor 128x256".to_owned(),
        ours: side(ours),
        peer: side(peer),
        clock_mhz: 1980,
        power_w: 0,
        error: 0.5,
    };
    Results {
        gpu: "NVIDIA X".to_owned(),
        driver: "1".to_owned(),
        peer: "cuBLASLt 13".to_owned(),
        date: "2026-01-31".to_owned(),
        rows: vec![
            row("bf16 tn", 0.25, 0.5),
            row("bf16 tn", 2.0, 1.0),
            row("f32 nn", 1.0, 1.0),
        ],
    }
}

#[test]
fn a_file_gives_the_rows_that_were_written() {
    assert_eq!(parse(&text(&results())), Ok(results()));
}

#[test]
fn a_wrong_line_is_named() {
    let short = text(&results()).replace("\tTensor 128x256", "");
    assert_eq!(
        parse(&short),
        Err((6, "it has 12 columns, and must have 13".to_owned()))
    );
    let no_number = text(&results()).replace("\t1000\t", "\tmany\t");
    assert_eq!(
        parse(&no_number),
        Err((6, "the value of `m` cannot be read".to_owned()))
    );
}

#[test]
fn the_page_has_means_and_rates() {
    let page = document(&[results()]);
    assert!(page.contains("| bf16 tn | 2 | 1.000 | 0.500 |\n"), "{page}");
    assert!(
        page.contains("| cube | 1000 | 2000 | 500 | 0.250 ms | 0.500 ms | 2.000 | 8.0 | 4.0 | Tensor 128x256 | 1980 MHz | – | 1.0 %, 1.0 % | 5e-1 |\n"),
        "{page}"
    );
}
