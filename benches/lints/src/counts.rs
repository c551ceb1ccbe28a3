//! What was counted of a case, and tables of it.

use std::fmt::Write as _;

use warploom::checked::{AccessCosts, GlobalCost, SharedCost};
use warploom::model::{Emulator, Mode};

use crate::Case;

/// The names of the counts, as the tables' columns have them. *Instructions* are those that warps executed, *sectors* 32 bytes of global memory, *passes* those over the
/// banks of shared memory, *conflicts* the passes that would not be needed if no bank had to give two words in one.
pub const NAMES: [&str; 10] = [
    "global_load_instructions",
    "global_load_sectors",
    "global_store_instructions",
    "global_store_sectors",
    "shared_load_instructions",
    "shared_load_passes",
    "shared_load_conflicts",
    "shared_store_instructions",
    "shared_store_passes",
    "shared_store_conflicts",
];

/// What one launch counted, in the order of [`NAMES`].
pub type Counts = [u64; NAMES.len()];

/// What was counted of all cases, by one means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// By what: the lints, or a GPU with its driver, its profiler and the day.
    pub head: String,
    /// By case.
    pub rows: Vec<(String, Counts)>,
}

impl Table {
    /// What is in a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of_text(text: &str) -> Result<Table, String> {
        let mut lines = text.lines();
        let mut head = || lines.next().and_then(|line| line.strip_prefix("# "));
        let by = head().ok_or("the first line does not say by what was counted")?;
        let columns = head().ok_or("the second line does not name the columns")?;
        let expected = format!("kernel\t{}", NAMES.join("\t"));
        if columns != expected {
            return Err(format!("the columns are `{columns}`, not `{expected}`"));
        }
        let row = |line: &str| {
            let (kernel, counts) = line.split_once('\t')?;
            let counts = counts.split('\t').map(|n| n.parse().ok());
            let counts: Vec<u64> = counts.collect::<Option<_>>()?;
            Some((kernel.to_owned(), counts.try_into().ok()?))
        };
        let rows = lines.map(|line| row(line).ok_or_else(|| format!("a line is wrong: {line}")));
        Ok(Table {
            head: by.to_owned(),
            rows: rows.collect::<Result<_, _>>()?,
        })
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("# {}\n# kernel\t{}\n", self.head, NAMES.join("\t"));
        for (kernel, counts) in &self.rows {
            let counts = counts.map(|n| n.to_string()).join("\t");
            let _ = writeln!(text, "{kernel}\t{counts}");
        }
        text
    }

    /// What was counted of this case.
    #[must_use]
    pub fn row(&self, kernel: &str) -> Option<&Counts> {
        let row = self.rows.iter().find(|(name, _)| name == kernel);
        row.map(|(_, counts)| counts)
    }
}

/// Runs a case on the emulator, where the lints count.
///
/// # Errors
/// What the case found wrong, or that there was not one launch of its kernel.
pub fn by_lints(case: &Case) -> Result<Counts, String> {
    let device = Emulator::new().mode(Mode::Checked).lints(true).device();
    let stream = device.stream().map_err(|error| error.to_string())?;
    (case.run)(&device, &stream)?;
    match &device.take_access_costs()[..] {
        [of] if of.kernel == case.name && of.launches == 1 => Ok(counts(&of.costs)),
        other => Err(format!("one launch was expected, not {other:?}")),
    }
}

fn counts(costs: &AccessCosts) -> Counts {
    let global = |cost: &GlobalCost| [cost.instructions, cost.sectors];
    let shared = |cost: &SharedCost| {
        [
            cost.instructions,
            cost.passes,
            cost.passes - cost.ideal_passes,
        ]
    };
    let [a, b] = global(&costs.global_loads);
    let [c, d] = global(&costs.global_stores);
    let [e, f, g] = shared(&costs.shared_loads);
    let [h, i, j] = shared(&costs.shared_stores);
    [a, b, c, d, e, f, g, h, i, j]
}
