//! docs/generated/lint-counters.md: the lints' counts beside those of GPUs, and what is known of differences.

use std::fmt::Write as _;

use crate::counts::NAMES;
use crate::{Counts, Table, cases};

/// A count of a kernel that is known to differ on GPUs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The kernel.
    pub kernel: String,
    /// The name of the count.
    pub count: String,
    /// Why.
    pub reason: String,
}

impl Difference {
    /// The lines of `benches/lints/differences.tsv`.
    ///
    /// # Errors
    /// A line that has not three fields, none of them empty, or names no count.
    pub fn all_of_text(text: &str) -> Result<Vec<Difference>, String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let difference = |line: &str| {
            let fields: Vec<_> = line.split('\t').collect();
            let [kernel, count, reason] = <[&str; 3]>::try_from(fields).ok()?;
            let is_whole = NAMES.contains(&count) && !kernel.is_empty() && !reason.is_empty();
            is_whole.then(|| Difference {
                kernel: kernel.to_owned(),
                count: count.to_owned(),
                reason: reason.to_owned(),
            })
        };
        let all = lines.map(|line| difference(line).ok_or_else(|| format!("not so: {line}")));
        all.collect()
    }
}

/// Counts that differ: kernel, name, by the lints, by the GPU.
type Differing<'a> = (&'a str, &'static str, u64, u64);

/// Where a GPU's counts are others than the lints'.
fn differing<'a>(lints: &'a Table, gpu: &'a Table) -> Vec<Differing<'a>> {
    let mut found = Vec::new();
    for (kernel, ours) in &lints.rows {
        let Some(theirs) = gpu.row(kernel) else {
            continue;
        };
        for (name, (ours, theirs)) in NAMES.into_iter().zip(ours.iter().zip(theirs)) {
            if ours != theirs {
                found.push((&**kernel, name, *ours, *theirs));
            }
        }
    }
    found
}

/// What contradicts the list of known differences: counts that differ without a reason, reasons without a difference, kernels that a GPU was not asked about.
#[must_use]
pub fn violations(lints: &Table, gpus: &[Table], known: &[Difference]) -> Vec<String> {
    let mut found = Vec::new();
    for gpu in gpus {
        let missing = |kernel: &&str| gpu.row(kernel).is_none();
        for kernel in cases().map(|case| case.name).filter(missing) {
            found.push(format!("{}: {kernel} was not counted", gpu.head));
        }
        for (kernel, name, ours, theirs) in differing(lints, gpu) {
            let is_known = |known: &Difference| (&*known.kernel, &*known.count) == (kernel, name);
            if !known.iter().any(is_known) {
                let gpu = &gpu.head;
                found.push(format!(
                    "{gpu}: {kernel}: {name} is {theirs}, the lints say {ours}"
                ));
            }
        }
    }
    let differs = |known: &Difference| {
        let mut all = gpus.iter().flat_map(|gpu| differing(lints, gpu));
        all.any(|(kernel, name, ..)| (&*known.kernel, &*known.count) == (kernel, name))
    };
    for known in known.iter().filter(|known| !differs(known)) {
        let Difference { kernel, count, .. } = known;
        found.push(format!("{kernel}: {count} is listed, but differs nowhere"));
    }
    found
}

const HEAD: &str = "# Sectors and bank conflicts: the lints and the hardware\n\n\
    <!-- Generated from benches/lints/emulator.tsv, benches/lints/differences.tsv and benches/results/lints/. To write it anew: WARPLOOM_BLESS=1 cargo test -p \
    warploom-lint-counters -->\n\n\
    The kernels of `benches/lints/` were launched once each, on the emulator, where the [lints](../lints.md) count, and on GPUs under Nsight Compute, \
    which reads their counters (`benches/lints/run-on-gpu.py`). A test fails where a count differs and `benches/lints/differences.tsv` does not say why.\n\n\
    Each kernel but `tail` has 512 full warps.\n\n\
    | count | lints | counter of the GPU |\n|---|---|---|\n\
    | instructions | executions by warps; several for an access that is too wide for one | `smsp__inst_executed_op_global_ld`, `…_global_st`, `…_shared_ld`, `…_shared_st` |\n\
    | sectors | different sectors of 32 bytes of each instruction | `l1tex__t_sectors_pipe_lsu_mem_global_op_ld`, `…_st` |\n\
    | passes | most words in one bank, summed over the parts of each instruction | `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld`, `…_st` |\n\
    | conflicts | passes beyond one for each part | `l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld`, `…_st` |\n";

/// The page.
#[must_use]
pub fn document(lints: &Table, gpus: &[Table], known: &[Difference]) -> String {
    let mut text = HEAD.to_owned();
    let mut titles = String::from("| kernel | accesses | loads | stores | loads | stores |");
    text += "\n## Counts\n\n\
        Loads and stores of global memory: instructions, sectors. Of shared memory: instructions, passes, conflicts. Empty: none.\n\n";
    for (number, gpu) in (1..).zip(gpus) {
        let _ = writeln!(text, "{number}. {}", gpu.head);
        let _ = write!(titles, " GPU {number} |");
    }
    if gpus.is_empty() {
        text += "GPUs: not measured.\n";
        titles += " GPUs |";
    }
    let _ = writeln!(
        text,
        "\n{}\n|{}",
        titles
            .replacen("loads | stores", "global loads | global stores", 1)
            .replace("| loads | stores", "| shared loads | shared stores"),
        "---|".repeat(6 + gpus.len().max(1))
    );
    for case in cases() {
        let counts = lints.row(case.name).copied().unwrap_or_default();
        let _ = write!(
            text,
            "| `{}` | {} |{}",
            case.name,
            case.about,
            cells(&counts)
        );
        if gpus.is_empty() {
            text += " not measured |";
        }
        for gpu in gpus {
            let _ = write!(text, " {} |", verdict(case.name, lints, gpu));
        }
        text.push('\n');
    }
    text += "\n## Known differences\n\n";
    if known.is_empty() {
        text += "None.\n";
    }
    for Difference {
        kernel,
        count,
        reason,
    } in known
    {
        let _ = writeln!(text, "- `{kernel}`, {}: {reason}", count.replace('_', " "));
    }
    text
}

/// The cells of one row: global loads and stores, shared loads and stores.
fn cells(counts: &Counts) -> String {
    let parts = [&counts[..2], &counts[2..4], &counts[4..7], &counts[7..]];
    let cell = |part: &[u64]| match part.iter().all(|n| *n == 0) {
        true => " |".to_owned(),
        false => {
            let numbers: Vec<_> = part.iter().map(u64::to_string).collect();
            format!(" {} |", numbers.join(", "))
        }
    };
    parts.into_iter().map(cell).collect()
}

/// `equal`, or the counts of the GPU that differ.
fn verdict(kernel: &str, lints: &Table, gpu: &Table) -> String {
    if gpu.row(kernel).is_none() {
        return "not measured".to_owned();
    }
    let found = differing(lints, gpu);
    let found = found.iter().filter(|(name, ..)| *name == kernel);
    let found: Vec<_> = found
        .map(|(_, name, _, theirs)| format!("{}: {theirs}", name.replace('_', " ")))
        .collect();
    match found.is_empty() {
        true => "equal".to_owned(),
        false => found.join("; "),
    }
}
