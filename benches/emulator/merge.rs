//! The lines of all engines become one result file. What the peers computed is compared with the plain loop here.

use std::collections::HashMap;
use std::num::NonZero;
use std::path::Path;

use warploom_harness::date;
use warploom_harness::emulator_speed::{Line, Machine, Results, read_lines};
use warploom_harness::results::{file_name, write};

use super::cases::CASES;
use super::{BenchError, expected};

/// Reads all `*.jsonl` of `folder` and writes `<processor>-<cores>-cores.json` to `out`.
pub(crate) fn merge(folder: &Path, out: &Path) -> Result<(), BenchError> {
    let lines = read_lines(folder)?;
    let mut sums = HashMap::new();
    for (_, line) in &lines {
        let Line::Sample(sample) = line else { continue };
        let Some(case) = CASES.iter().find(|case| case.name == sample.kernel) else {
            return Err(BenchError::Argument(format!("kernel {}", sample.kernel)));
        };
        let key = (case.name, sample.blocks);
        let expected = match sums.get(&key) {
            Some(sum) => *sum,
            None => expected(case, sample.blocks)?,
        };
        sums.insert(key, expected);
        if sample.check != expected {
            return Err(BenchError::Wrong {
                kernel: sample.kernel.clone(),
                engine: sample.engine.clone(),
                blocks: sample.blocks,
                found: sample.check,
                expected,
            });
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let processor = processor();
    let file = out.join(file_name(&format!(
        "{} {cores} cores",
        processor.replace("(R)", "")
    )));
    let from_shell = |name: &str| std::env::var(name).unwrap_or_default();
    let machine = Machine {
        processor,
        cores,
        compiler: from_shell("WARPLOOM_BENCH_COMPILER"),
        load: from_shell("WARPLOOM_BENCH_LOAD"),
        date: date::today(),
    };
    let results = Results::of(machine, &lines);
    write(&file, &results)?;
    println!("wrote {} rows to {}", results.rows.len(), file.display());
    Ok(())
}

/// What the system calls the processor.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':'));
    name.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |(_, name)| name.trim().to_owned(),
    )
}
