//! Notes of a process that runs LLVM, for the one that started it: kernels, then each step before it begins.

use crate::fork;
use crate::jobs::{Slot, Slots};
use crate::llvm::Module;
use crate::roots::Root;
use crate::watch::Watch;
use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The file of notes, as the variable by which a process learns that it is to link.
pub(super) const NOTES: &str = "WARPLOOM_LINKER_NOTES";
/// Where that process writes what it has linked.
pub(super) const CONTAINER: &str = "WARPLOOM_LINKER_CONTAINER";
/// The numbers of the kernels to compile, if not all.
pub(super) const ONLY: &str = "WARPLOOM_LINKER_ONLY";
/// The number of the step whose module is to be kept.
pub(super) const KEEP: &str = "WARPLOOM_LINKER_KEEP";
/// Leaves out (`1`) what the crash has nothing to do with.
pub(super) const UNINSTRUMENTED: &str = "WARPLOOM_LINKER_UNINSTRUMENTED";
/// How a process ends whose LLVM has given up.
pub(super) const GAVE_UP: i32 = 70;

const KERNEL: &str = "kernel ";
const STEP: &str = "step ";
const REASON: &str = "reason ";

/// Where a module is kept: beside the notes.
pub(super) fn kept(notes: &Path) -> PathBuf {
    notes.with_extension("ll")
}

/// The notes of this process.
pub(super) struct Notes {
    path: PathBuf,
    /// Where the result goes.
    pub(super) container: PathBuf,
    only: Option<Vec<usize>>,
    keep: Option<usize>,
    steps: Cell<usize>,
    slots: Slots,
}

impl Notes {
    /// `None` in the process that starts others.
    pub(super) fn of_this_process() -> Option<Notes> {
        let number = |text: &str| text.parse().ok();
        let only = std::env::var(ONLY).ok();
        Some(Notes {
            path: std::env::var_os(NOTES)?.into(),
            container: std::env::var_os(CONTAINER)?.into(),
            only: only.map(|list| list.split(',').filter_map(number).collect()),
            keep: std::env::var(KEEP).ok().and_then(|text| number(&text)),
            steps: Cell::new(0),
            slots: Slots::of_cargo(),
        })
    }

    /// Whether the code for the emulator is to be made.
    pub(super) fn instrument(&self) -> bool {
        std::env::var(UNINSTRUMENTED).as_deref() != Ok("1")
    }

    fn add(&self, kind: &str, what: &str) {
        add(&self.path, kind, what);
    }

    /// What notes LLVM's reason for giving up.
    pub(super) fn reason(&self) -> impl Fn(&str) + Send + Sync + use<> {
        let path = self.path.clone();
        move |reason| add(&path, REASON, reason)
    }
}

/// A line; without it the report of a crash says less, and nothing else changes. Of a copy of the process there are none.
fn add(path: &Path, kind: &str, what: &str) {
    if fork::is_copy() {
        return;
    }
    let line = format!("{kind}{}\n", what.replace('\n', " "));
    let file = OpenOptions::new().append(true).create(true).open(path);
    drop(file.and_then(|mut file| file.write_all(line.as_bytes())));
}

impl Watch for Notes {
    fn enters(&self, step: &str, module: &Module<'_>) {
        self.add(STEP, step);
        self.steps.set(self.steps.get() + 1);
        if self.keep == Some(self.steps.get()) {
            drop(std::fs::write(kept(&self.path), module.to_text()));
        }
    }

    fn choose(&self, kernels: &mut Vec<Root<'_>>) {
        for kernel in kernels.iter() {
            let Root {
                name, file, line, ..
            } = kernel;
            self.add(KERNEL, &format!("`{name}` at {file}:{line}"));
        }
        if let Some(only) = &self.only {
            let mut number = 0..;
            kernels.retain(|_| number.next().is_some_and(|n| only.contains(&n)));
        }
    }

    /// Not where a crash is traced: what its steps are must not depend on free slots.
    fn slot(&self) -> Option<Slot> {
        self.slots.take().filter(|_| self.only.is_none())
    }
}

/// What a process has noted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Noted {
    pub(super) kernels: Vec<String>,
    /// How many steps it had begun, and the last.
    pub(super) steps: usize,
    pub(super) step: String,
    pub(super) reason: Option<String>,
}

impl Noted {
    pub(super) fn read(path: &Path) -> Noted {
        let mut noted = Noted::default();
        for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
            if let Some(kernel) = line.strip_prefix(KERNEL) {
                noted.kernels.push(kernel.to_owned());
            } else if let Some(step) = line.strip_prefix(STEP) {
                noted.steps += 1;
                step.clone_into(&mut noted.step);
            } else if let Some(reason) = line.strip_prefix(REASON) {
                noted.reason = Some(reason.to_owned());
            }
        }
        noted
    }
}
