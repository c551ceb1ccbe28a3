//! Rows, their file, and what is worse.

use super::*;

fn figures(registers: u32, instructions: u32) -> Figures {
    let work = Work {
        instructions,
        arithmetic: 2,
        branches: 1,
        barriers: 0,
        memory: [("LDG.128.CONSTANT".to_owned(), 2), ("STG".to_owned(), 1)].into(),
    };
    Figures {
        registers,
        spilled: 0,
        hottest: Some(Work {
            instructions: 10,
            ..work.clone()
        }),
        whole: work,
    }
}

fn row(kernel: &str, side: Side, figures: Figures) -> Row {
    Row {
        kernel: kernel.to_owned(),
        side,
        figures,
    }
}

#[test]
fn rows_come_back_from_their_file() {
    let without_loop = Figures {
        hottest: None,
        ..figures(20, 40)
    };
    let rows = [
        row("dot", Side::Ours, figures(10, 30)),
        row("dot", Side::Nvcc, without_loop),
    ];
    let text = to_text(&rows);
    assert_eq!(from_text(Path::new("static.tsv"), &text).unwrap(), rows);
}

#[test]
fn a_line_that_is_no_row_is_named() {
    let text = format!("{HEAD}\ndot\tours\tmany\n");
    let error = from_text(Path::new("static.tsv"), &text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "static.tsv, line 2: not a row of 14 fields"
    );
}

#[test]
fn what_is_worse_is_told_and_what_is_better_is_not() {
    let committed = [
        row("dot", Side::Ours, figures(10, 30)),
        row("dot", Side::Nvcc, figures(9, 20)),
    ];
    let better = [row("dot", Side::Ours, figures(9, 29))];
    assert_eq!(worse(&committed, &better), [""; 0]);
    let worse_one = [row("dot", Side::Ours, figures(11, 31))];
    assert_eq!(
        worse(&committed, &worse_one),
        [
            "dot: registers: 11, committed are 10",
            "dot: instructions: 31, committed are 30"
        ]
    );
}

#[test]
fn narrower_accesses_are_told() {
    let mut now = figures(10, 30);
    now.whole.memory = [("LDG.CONSTANT".to_owned(), 2), ("STG".to_owned(), 1)].into();
    let committed = [row("dot", Side::Ours, figures(10, 30))];
    let told = worse(&committed, &[row("dot", Side::Ours, now)]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("dot: accesses to memory: "), "{told:?}");
}

#[test]
fn a_kernel_in_one_list_only_is_told() {
    let one = [row("dot", Side::Ours, figures(10, 30))];
    assert_eq!(worse(&one, &[]), ["dot: has committed figures and is gone"]);
    assert_eq!(worse(&[], &one), ["dot: has no committed figures"]);
}

#[test]
fn a_document_shows_both_sides() {
    let rows = [
        row("dot", Side::Ours, figures(10, 30)),
        row("dot", Side::Nvcc, figures(9, 20)),
    ];
    let text = document(&rows);
    let line = "| `dot` | 10 / 9 | 0 / 0 | 30 / 20 | 10 / 10 | 2.00 / 2.00 |";
    assert!(text.contains(line), "{text}");
    assert!(
        text.contains("| `dot` | 2 LDG.128.CONSTANT, 1 STG | the same |"),
        "{text}"
    );
}
