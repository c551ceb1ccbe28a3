//! `split.tsv`: a line for each program, with its half, its kernels, and what they do.

use warploom_harness::unseen::{Row, half};

use super::kernel_case::Case;

/// The file, as it was when the program was built.
const SPLIT: &str = include_str!("../split.tsv");
const HEAD: &str = "suite\tprogram\thalf\tkernels\twhat they do";

/// What is wrong with the file for the programs that ran, each with its rows: a line that is missing or says something else.
pub(crate) fn wrong_lines(ran: &[(&Case, Vec<Row>)]) -> Vec<String> {
    let mut wrong = Vec::new();
    if SPLIT.lines().next() != Some(HEAD) {
        wrong.push(format!(
            "benches/unseen/split.tsv: the first line is not `{HEAD}`"
        ));
    }
    for (Case { suite, name, .. }, rows) in ran {
        let kernels: Vec<&str> = rows.iter().map(|row| row.kernel.as_str()).collect();
        let wanted = format!(
            "{suite}\t{name}\t{}\t{}\t",
            half(suite, name),
            kernels.join(" ")
        );
        let described = |line: &str| line.len() > wanted.len() && line.starts_with(&wanted);
        if !SPLIT.lines().any(described) {
            wrong.push(format!(
                "benches/unseen/split.tsv needs the line `{wanted}` and what the kernels do"
            ));
        }
    }
    wrong
}

/// Lines about programs that are not among `all`.
pub(crate) fn stale_lines(all: &[&Case]) -> Vec<String> {
    let is_known = |line: &&str| {
        let mut fields = line.split('\t');
        let named = (fields.next(), fields.next());
        all.iter()
            .any(|case| named == (Some(case.suite), Some(case.name)))
    };
    let stale = SPLIT.lines().skip(1).filter(|line| !is_known(line));
    stale
        .map(|line| format!("benches/unseen/split.tsv has a line of no program: `{line}`"))
        .collect()
}
