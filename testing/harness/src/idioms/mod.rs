//! Idioms of Rust beside the same written with counters and indices (`benches/idioms`): rows, their file `benches/results/idioms.tsv`, the
//! criterion with its exceptions, `docs/generated/idioms.md`.
//!
//! Takes figures of machine code. Must not know: which idioms there are, how they are compiled.

mod document;

pub use document::document;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::static_comparison::{Figures, StaticError, Work};

/// An idiom may have so many instructions for each 100 of its plain form.
pub const LIMIT_PERCENT: u32 = 110;
/// The file that says which idioms have more, and why.
pub const EXCEPTIONS: &str = "benches/idioms/exceptions.tsv";
/// The file of rows.
pub const ROWS: &str = "benches/results/idioms.tsv";

/// One idiom, both forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its file and module: `ranges::reversed`.
    pub pair: String,
    /// What the idiom is.
    pub title: String,
    /// With the idiom.
    pub idiom: Form,
    /// With counters and indices.
    pub plain: Form,
}

impl Row {
    /// Instructions of the idiom by those of the plain form.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        f64::from(self.idiom.instructions) / f64::from(self.plain.instructions)
    }

    /// Whether the idiom has more instructions than [`LIMIT_PERCENT`] allows.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let hundredth = u64::from(self.plain.instructions) * u64::from(LIMIT_PERCENT);
        u64::from(self.idiom.instructions) * 100 > hundredth
    }
}

/// What one form became.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Form {
    /// Registers per thread.
    pub registers: u32,
    /// All but panics.
    pub instructions: u32,
    /// Loads and stores of the thread's local memory: arrays and spilled registers.
    pub local: u32,
    /// Its hottest loop, if it has one.
    pub hottest: Option<Loop>,
}

/// A loop of one form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loop {
    /// All of it.
    pub instructions: u32,
    /// Loads, stores and atomics among them.
    pub accesses: u32,
}

impl Form {
    /// Of a kernel's figures.
    #[must_use]
    pub fn of(figures: &Figures) -> Form {
        let accesses = |work: &Work| work.memory.values().sum();
        let is_local = |name: &str| name.starts_with("LDL") || name.starts_with("STL");
        let memory = figures.whole.memory.iter();
        Form {
            registers: figures.registers,
            instructions: figures.whole.instructions,
            local: memory.filter(|(name, _)| is_local(name)).map(|m| m.1).sum(),
            hottest: figures.hottest.as_ref().map(|work| Loop {
                instructions: work.instructions,
                accesses: accesses(work),
            }),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Form {
            registers,
            instructions,
            local,
            hottest,
        } = self;
        let Loop {
            instructions: in_loop,
            accesses,
        } = hottest.unwrap_or_default();
        write!(
            f,
            "{registers}\t{instructions}\t{local}\t{in_loop}\t{accesses}"
        )
    }
}

/// Why idioms are over the limit, in the order of the file: pair and reason.
pub type Exceptions = BTreeMap<String, String>;

/// What is wrong, one sentence each: idioms over the limit that are not listed, and listed ones that are not over it, or not there.
#[must_use]
pub fn violations(rows: &[Row], exceptions: &Exceptions) -> Vec<String> {
    let mut found = Vec::new();
    for row in rows {
        let (pair, ratio) = (&row.pair, row.ratio());
        let (idiom, plain) = (row.idiom.instructions, row.plain.instructions);
        let limit = f64::from(LIMIT_PERCENT) / 100.0;
        match (row.is_over(), exceptions.contains_key(pair)) {
            (true, false) => found.push(format!(
                "{pair}: {idiom} instructions, its plain form has {plain}: {ratio:.3} times as many, the limit is {limit:.2}; \
                 improve the compiler, or give the reason that its machine code shows in {EXCEPTIONS}"
            )),
            (false, true) => found.push(format!(
                "{pair}: {idiom} instructions, its plain form has {plain}: {ratio:.3} times as many, within the limit of {limit:.2}; \
                 remove its line from {EXCEPTIONS}"
            )),
            _ => {}
        }
    }
    for pair in exceptions.keys() {
        if !rows.iter().any(|row| row.pair == *pair) {
            found.push(format!(
                "{pair}: {EXCEPTIONS} lists it, and there is no such pair; remove or correct its line"
            ));
        }
    }
    found
}

/// Reads the file of exceptions: a pair and a reason per line, lines with `#` aside.
///
/// # Errors
/// [`StaticError::Format`] names the first line without a reason, and the first one whose pair has a line already.
pub fn exceptions_from_text(path: &Path, text: &str) -> Result<Exceptions, StaticError> {
    let mut exceptions = Exceptions::new();
    for (line, content) in (1..).zip(text.lines()) {
        if content.starts_with('#') || content.is_empty() {
            continue;
        }
        let (pair, reason) = content.split_once('\t').unwrap_or((content, ""));
        if reason.trim().is_empty() {
            let text = format!("`{pair}` has no reason: write the pair, a tab, and one sentence");
            return Err(wrong(path, line, text));
        }
        let before = exceptions.insert(pair.to_owned(), reason.to_owned());
        if before.is_some() {
            let text = format!("`{pair}` has a line already; remove one of the two");
            return Err(wrong(path, line, text));
        }
    }
    Ok(exceptions)
}

const HEAD: &str = "pair\ttitle\t\
    registers\tinstructions\tlocal accesses\tloop instructions\tloop accesses\t\
    plain registers\tplain instructions\tplain local accesses\tplain loop instructions\tplain loop accesses";

/// The rows as a file, one line each.
#[must_use]
pub fn to_text(rows: &[Row]) -> String {
    let line = |row: &Row| {
        format!(
            "{}\t{}\t{}\t{}\n",
            row.pair, row.title, row.idiom, row.plain
        )
    };
    let lines: String = rows.iter().map(line).collect();
    format!("{HEAD}\n{lines}")
}

/// Reads what [`to_text`] wrote.
///
/// # Errors
/// [`StaticError::Format`] names the first line that is no row.
pub fn from_text(path: &Path, text: &str) -> Result<Vec<Row>, StaticError> {
    const ANEW: &str =
        "write the file anew with WARPLOOM_BLESS=1 cargo run --release -p warploom-idioms";
    let mut lines = (1..).zip(text.lines());
    if !matches!(lines.next(), Some((_, HEAD))) {
        return Err(wrong(path, 1, format!("another head; {ANEW}")));
    }
    lines
        .map(|(line, content)| {
            row(content).ok_or_else(|| wrong(path, line, format!("not a row of 12 fields; {ANEW}")))
        })
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [pair, title, figures @ ..] = fields.as_slice() else {
        return None;
    };
    let figures = figures.iter().map(|field| field.parse().ok());
    let figures = figures.collect::<Option<Vec<u32>>>()?;
    let [a, b, c, d, e, f, g, h, i, j] = figures[..] else {
        return None;
    };
    let form = |[registers, instructions, local, in_loop, accesses]: [u32; 5]| Form {
        registers,
        instructions,
        local,
        hottest: (in_loop != 0).then_some(Loop {
            instructions: in_loop,
            accesses,
        }),
    };
    // A ratio needs both.
    (b != 0 && g != 0).then(|| Row {
        pair: (*pair).to_owned(),
        title: (*title).to_owned(),
        idiom: form([a, b, c, d, e]),
        plain: form([f, g, h, i, j]),
    })
}

fn wrong(path: &Path, line: usize, text: String) -> StaticError {
    StaticError::Format {
        path: path.display().to_string(),
        line,
        text,
    }
}

#[cfg(test)]
mod tests;
