//! The criterion, and the two files.

use super::*;

fn row(pair: &str, idiom: u32, plain: u32) -> Row {
    let form = |instructions| Form {
        registers: 12,
        instructions,
        local: 0,
        hottest: Some(Loop {
            instructions: 10,
            accesses: 2,
        }),
    };
    Row {
        pair: pair.to_owned(),
        title: "`for k in 0..n`".to_owned(),
        idiom: form(idiom),
        plain: form(plain),
    }
}

fn exceptions(lines: &[&str]) -> Exceptions {
    exceptions_from_text(Path::new("exceptions.tsv"), &lines.join("\n")).unwrap()
}

#[test]
fn an_idiom_at_the_limit_passes() {
    let rows = [row("ranges::range", 110, 100), row("ranges::fold", 20, 40)];
    assert_eq!(violations(&rows, &Exceptions::new()), [""; 0]);
}

#[test]
fn an_idiom_over_the_limit_is_told_unless_it_is_listed() {
    let rows = [row("ranges::range", 111, 100)];
    assert_eq!(
        violations(&rows, &Exceptions::new()),
        [
            "ranges::range: 111 instructions, its plain form has 100: 1.110 times as many, the limit is 1.10; improve the compiler, or give the reason \
             that its machine code shows in benches/idioms/exceptions.tsv"
        ]
    );
    let listed = exceptions(&["ranges::range\tIt is unrolled."]);
    assert_eq!(violations(&rows, &listed), [""; 0]);
}

#[test]
fn a_listed_idiom_within_the_limit_is_told() {
    let rows = [row("ranges::range", 110, 100)];
    let listed = exceptions(&["ranges::range\tIt is unrolled."]);
    assert_eq!(
        violations(&rows, &listed),
        [
            "ranges::range: 110 instructions, its plain form has 100: 1.100 times as many, within the limit of 1.10; remove its line from \
             benches/idioms/exceptions.tsv"
        ]
    );
}

#[test]
fn a_listed_pair_that_is_not_there_is_told() {
    let listed = exceptions(&["ranges::rnage\tIt is unrolled."]);
    assert_eq!(
        violations(&[row("ranges::range", 100, 100)], &listed),
        [
            "ranges::rnage: benches/idioms/exceptions.tsv lists it, and there is no such pair; remove or correct its line"
        ]
    );
}

#[test]
fn exceptions_need_a_reason_and_stand_once() {
    let fails = |text: &str| {
        let error = exceptions_from_text(Path::new("exceptions.tsv"), text).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        fails("# head\nranges::range\t \n"),
        "exceptions.tsv, line 2: `ranges::range` has no reason: write the pair, a tab, and one sentence"
    );
    assert_eq!(
        fails("a::b\tOne.\na::b\tTwo.\n"),
        "exceptions.tsv, line 2: `a::b` has a line already; remove one of the two"
    );
}

#[test]
fn rows_come_back_from_their_file() {
    let mut without_loop = row("ranges::fold", 20, 40);
    without_loop.plain.hottest = None;
    let rows = [row("ranges::range", 30, 30), without_loop];
    let read = from_text(Path::new("idioms.tsv"), &to_text(&rows)).unwrap();
    assert_eq!(read, rows);
}

#[test]
fn a_line_that_is_no_row_is_named() {
    let text = to_text(&[row("ranges::range", 0, 30)]);
    let error = from_text(Path::new("idioms.tsv"), &text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "idioms.tsv, line 2: not a row of 12 fields; write the file anew with WARPLOOM_BLESS=1 cargo run --release -p warploom-idioms"
    );
}

#[test]
fn accesses_to_local_memory_are_counted_apart() {
    let work = Work {
        instructions: 9,
        memory: [
            ("LDG".to_owned(), 2),
            ("LDL.64".to_owned(), 3),
            ("STL".to_owned(), 1),
        ]
        .into(),
        ..Work::default()
    };
    let form = Form::of(&Figures {
        registers: 8,
        spilled: 0,
        whole: work.clone(),
        hottest: Some(work),
    });
    assert_eq!((form.local, form.instructions), (4, 9));
    let hottest = form.hottest.unwrap();
    assert_eq!((hottest.instructions, hottest.accesses), (9, 6));
}

#[test]
fn the_page_has_each_row_and_each_reason() {
    let rows = [
        row("ranges::range", 30, 30),
        row("slices::take", 60, 40),
        row("slices::row", 20, 40),
    ];
    let listed = exceptions(&["slices::take\tIt is unrolled."]);
    let page = document(&rows, &listed);
    for part in [
        "3 pairs",
        "## Ranges",
        "## Slices",
        "| `range` | `for k in 0..n` | 12 / 12 | 30 / 30 | 1.00 |",
        "| `slices::take` | 60 / 40 | 10 / 10 | 5.0 / 5.0 | It is unrolled. |",
    ] {
        assert!(page.contains(part), "no `{part}` in:\n{page}");
    }
}
