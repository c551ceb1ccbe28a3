//! A report against one that was stored: what got worse, what got better.

use super::figures::{Figures, Report};
use crate::counted;
use std::collections::HashMap;

/// What has changed.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Worse by more than the tolerance.
    pub(super) worse: Vec<Change>,
    /// Worse, but within the tolerance.
    pub(super) tolerated: Vec<Change>,
    pub(super) better: Vec<Change>,
    /// Kernels that one of the reports lacks.
    notes: Vec<String>,
    tolerance: f64,
}

/// A figure that has changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) kernel: String,
    pub(super) arch: String,
    /// `registers`
    pub(super) what: String,
    before: u32,
    after: u32,
    unit: &'static str,
}

/// Name, architecture, and which of those with both: instances may share a name.
type Key<'a> = (&'a str, &'a str, usize);

fn by_key(report: &Report) -> Vec<(Key<'_>, &Figures)> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    let mut all: Vec<&Figures> = report.kernels.iter().collect();
    all.sort_by_key(|figures| figures.line);
    // Otherwise as in the report.
    let keyed = all.into_iter().map(|figures| {
        let count = seen.entry((&figures.kernel, &figures.arch)).or_default();
        *count += 1;
        ((&*figures.kernel, &*figures.arch, *count), figures)
    });
    keyed.collect()
}

/// Compares; `tolerance`: percent by which a figure may be worse.
pub(super) fn compare(before: &Report, after: &Report, tolerance: f64) -> Compared {
    let mut compared = Compared {
        tolerance,
        ..Compared::default()
    };
    if before.ptxas != after.ptxas {
        compared.notes.push(format!(
            "the stored report was made with ptxas {}, this one with {}: differences may be the assembler's",
            before.ptxas, after.ptxas
        ));
    }
    let stored: HashMap<Key<'_>, &Figures> = by_key(before).into_iter().collect();
    let now = by_key(after);
    for (key, figures) in &now {
        match stored.get(key) {
            Some(old) => compared.figures(old, figures),
            None => compared
                .notes
                .push(format!("{} for {} is new", key.0, key.1)),
        }
    }
    for (key, _) in by_key(before) {
        if !now.iter().any(|(other, _)| *other == key) {
            compared
                .notes
                .push(format!("{} for {} is not there any more", key.0, key.1));
        }
    }
    compared
}

impl Compared {
    pub(super) fn is_worse(&self) -> bool {
        !self.worse.is_empty()
    }

    fn figures(&mut self, before: &Figures, after: &Figures) {
        let bytes = [
            ("spills", before.spilled_bytes(), after.spilled_bytes()),
            ("shared memory", before.shared_bytes, after.shared_bytes),
            ("stack", before.stack_bytes, after.stack_bytes),
        ];
        let mut add = |what: String, unit, (old, new): (u32, u32), more_is_worse: bool| {
            let change = Change {
                kernel: after.kernel.clone(),
                arch: after.arch.clone(),
                what,
                before: old,
                after: new,
                unit,
            };
            let by = f64::from(new.abs_diff(old));
            let most = f64::from(old) * self.tolerance / 100.0;
            match (old == new, (new > old) == more_is_worse) {
                (true, _) => {}
                (false, false) => self.better.push(change),
                (false, true) if by <= most => self.tolerated.push(change),
                (false, true) => self.worse.push(change),
            }
        };
        add(
            "registers".into(),
            "",
            (before.registers, after.registers),
            true,
        );
        for (what, old, new) in bytes {
            add(what.into(), " bytes", (old, new), true);
        }
        if let (Some(old), Some(new)) = (before.instructions, after.instructions) {
            add("instructions".into(), "", (old, new), true);
        }
        for old in &before.occupancy {
            if let Some(new) = after.occupancy_at(old.threads) {
                let what = format!("warps with blocks of {} threads", old.threads);
                add(what, "", (old.warps, new.warps), false);
            }
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::from("\n");
        for note in &self.notes {
            text.push_str(&format!("note: {note}\n"));
        }
        for (changes, word) in [
            (&self.worse, "worse"),
            (&self.tolerated, "tolerated"),
            (&self.better, "better"),
        ] {
            for change in changes {
                text.push_str(&format!("{word}: {}\n", change.text()));
            }
        }
        let tolerance = match self.tolerance > 0.0 {
            true => format!(" by more than {} %", self.tolerance),
            false => String::new(),
        };
        text.push_str(&format!(
            "{} worse{tolerance}, {} better\n",
            counted(self.worse.len(), "figure"),
            self.better.len()
        ));
        text
    }
}

impl Change {
    pub(super) fn text(&self) -> String {
        let Change {
            kernel,
            arch,
            what,
            before,
            after,
            unit,
        } = self;
        format!("{kernel} for {arch}: {what} {before} -> {after}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::figures;
    use super::*;

    fn report(kernels: Vec<Figures>) -> Report {
        Report::new("13.0.88".into(), kernels)
    }

    #[test]
    fn more_registers_and_less_occupancy_are_worse() {
        let compared = compare(
            &report(vec![figures("app::k", 32)]),
            &report(vec![figures("app::k", 40)]),
            0.0,
        );
        assert!(compared.is_worse());
        let texts: Vec<String> = compared.worse.iter().map(Change::text).collect();
        assert_eq!(texts[0], "app::k for sm_90: registers 32 -> 40");
        assert!(
            texts.contains(
                &"app::k for sm_90: warps with blocks of 256 threads 64 -> 48".to_owned()
            ),
            "{texts:?}"
        );
        assert!(compared.text().ends_with("figures worse, 0 better\n"));
    }

    #[test]
    fn the_tolerance_is_a_part_of_the_old_figure() {
        let mut more = figures("app::k", 32);
        more.instructions = Some(105);
        let (old, new) = (
            report(vec![figures("app::k", 32)]),
            report(vec![more.clone()]),
        );
        assert!(compare(&old, &new, 4.9).is_worse());
        let tolerated = compare(&old, &new, 5.0);
        assert!(!tolerated.is_worse());
        assert!(tolerated.text().contains("tolerated: app::k for sm_90: instructions 100 -> 105\n0 figures worse by more than 5 %, 0 better\n"), "{}", tolerated.text());
        // Nothing to something is worse by any measure.
        more.instructions = Some(100);
        more.spill_load_bytes = 4;
        let spilling = compare(&old, &report(vec![more]), 1000.0);
        assert_eq!(
            spilling.worse[0].text(),
            "app::k for sm_90: spills 0 -> 4 bytes"
        );
    }

    #[test]
    fn better_new_and_lost_kernels_are_not_worse() {
        let old = report(vec![figures("app::k", 64), figures("app::old", 8)]);
        let new = report(vec![figures("app::k", 32), figures("app::new", 255)]);
        let compared = compare(&old, &new, 0.0);
        assert!(!compared.is_worse());
        assert!(!compared.better.is_empty());
        let text = compared.text();
        assert!(text.contains("note: app::new for sm_90 is new\n"), "{text}");
        assert!(
            text.contains("note: app::old for sm_90 is not there any more\n"),
            "{text}"
        );
    }

    #[test]
    fn another_assembler_and_instances_of_one_name_are_told_apart() {
        let mut second = figures("app::map", 40);
        second.line = 9;
        let old = report(vec![figures("app::map", 32), second.clone()]);
        second.registers = 41;
        let mut new = report(vec![figures("app::map", 32), second]);
        new.ptxas = "13.2.0".into();
        let compared = compare(&old, &new, 0.0);
        assert_eq!(
            compared.worse[0].text(),
            "app::map for sm_90: registers 40 -> 41"
        );
        assert!(
            compared
                .text()
                .contains("made with ptxas 13.0.88, this one with 13.2.0")
        );
    }
}
