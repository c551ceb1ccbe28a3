//! A report as text.

use super::figures::{BLOCKS, Figures, Report};

/// A table with a line for each kernel and architecture.
pub(super) fn text(report: &Report) -> String {
    let mut rows = vec![heading()];
    let mut before = None;
    for figures in &report.kernels {
        // A kernel's name stands in its first line only.
        let label = report.label(figures);
        let is_same = before.as_ref() == Some(&label);
        rows.push(row(if is_same { "" } else { &label }, figures));
        before = Some(label);
    }
    let columns = rows[0].len();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (number, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let space = " ".repeat(width - cell.chars().count());
            // Names to the left, figures to the right.
            match number {
                0 => line.push_str(&format!("{cell}{space}")),
                1 => line.push_str(&format!("  {cell}{space}")),
                _ => line.push_str(&format!("  {space}{cell}")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str(&format!(
        "\nptxas {} -O3. Spills, shared memory and stack in bytes; shared memory is the static part. Occupancy by threads of a block: warps on a multiprocessor, of those that fit.\n",
        report.ptxas
    ));
    text
}

fn heading() -> Vec<String> {
    let names = [
        "kernel",
        "arch",
        "registers",
        "spills",
        "shared",
        "stack",
        "instructions",
    ];
    let names = names.into_iter().map(str::to_owned);
    let blocks = BLOCKS.iter().map(u32::to_string);
    names
        .chain(blocks)
        .chain(["other blocks".to_owned()])
        .collect()
}

fn row(name: &str, figures: &Figures) -> Vec<String> {
    let mut cells = vec![name.to_owned(), figures.arch.clone()];
    let numbers = [
        figures.registers,
        figures.spilled_bytes(),
        figures.shared_bytes,
        figures.stack_bytes,
    ];
    cells.extend(numbers.iter().map(u32::to_string));
    let none = || "-".to_owned();
    cells.push(figures.instructions.map_or_else(none, |n| n.to_string()));
    cells.extend(BLOCKS.iter().map(|threads| {
        let room = figures.occupancy_at(*threads);
        room.map_or_else(none, |room| format!("{} %", room.percent()))
    }));
    let others = figures
        .occupancy
        .iter()
        .filter(|o| !BLOCKS.contains(&o.threads));
    let others = others.map(|o| format!("{}: {} %", o.threads, o.percent()));
    cells.push(others.collect::<Vec<_>>().join(", "));
    cells
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::figures;
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let mut spilling = figures("app::k", 255);
        spilling.arch = "sm_100".into();
        spilling.spill_store_bytes = 12;
        spilling.spill_load_bytes = 24;
        spilling.instructions = None;
        let report = Report::new("13.0.88".into(), vec![figures("app::k", 32), spilling]);
        let mut other = figures("app::k", 32);
        other.entry = "k_2".into();
        let two = Report::new("13.0.88".into(), vec![figures("app::k", 32), other]);
        assert!(
            text(&two).contains("\napp::k (k_2)  sm_90 "),
            "{}",
            text(&two)
        );
        let text = text(&report);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "kernel  arch    registers  spills  shared  stack  instructions    32     64    128    256    512   1024  other blocks"
        );
        assert_eq!(
            lines[1],
            "app::k  sm_90          32       0       0      0           100  50 %  100 %  100 %  100 %  100 %  100 %"
        );
        assert_eq!(
            lines[2],
            "        sm_100        255      36       0      0             -  13 %   13 %   13 %   13 %    0 %    0 %"
        );
        assert!(lines[4].starts_with("ptxas 13.0.88 -O3."));
    }
}
