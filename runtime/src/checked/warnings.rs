//! Warnings and notes of an emulated device, until they are taken.

use std::collections::HashSet;
use std::sync::Mutex;

use super::{Code, Place, Report};
use crate::device::{Backend, Device};
use crate::sync::lock;

/// What was found and is no error.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    reports: Vec<Report>,
    known: HashSet<Kind>,
}

/// Findings of one class at the same places are of one kind: programs and people learn of them once.
pub(super) type Kind = (Code, Vec<Option<Place>>);

/// The kind of a finding.
pub(super) fn kind(report: &Report) -> Kind {
    let places = report.sides.iter().map(|side| side.place.clone());
    (report.code, places.collect())
}

impl Warnings {
    /// Keeps those of new kinds.
    pub(crate) fn add(&self, found: Vec<Report>) {
        if found.is_empty() {
            return; // as nearly always
        }
        let mut waiting = lock(&self.0);
        for report in found {
            if waiting.known.insert(kind(&report)) {
                waiting.reports.push(report);
            }
        }
    }

    fn take(&self) -> Vec<Report> {
        std::mem::take(&mut *lock(&self.0)).reports
    }
}

impl Device {
    /// What the emulator's checks found since the last call and what is no error: warnings and notes of launches without an error, as
    /// [`KernelFindings`](super::KernelFindings) has those of the others, and of copies of uninitialised bytes. For tests that a
    /// kernel stays free of them.
    ///
    /// In the order in which they were found, those of one class at the same places once; without what is [allowed](super::allow). Taking
    /// them changes nothing about what `WARPLOOM_REPORT` says. In [`Mode::Fast`](crate::model::Mode::Fast) the emulator sees what threads
    /// wait for, and nothing else; on a GPU nothing is found.
    ///
    /// ```
    /// use warploom_runtime::model::{Emulator, Mode};
    /// let device = Emulator::new().mode(Mode::Checked).device();
    /// let stream = device.stream()?;
    /// device.alloc_uninit::<u32>(4)?.to_vec(&stream)?;
    /// let warnings = device.take_warnings();
    /// assert_eq!(warnings[0].code.to_string(), "WL0021");
    /// assert!(device.take_warnings().is_empty());
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn take_warnings(&self) -> Vec<Report> {
        match &self.0.backend {
            Backend::Emulator(emulated) => emulated.warnings.take(),
            Backend::Cuda(_) => vec![],
        }
    }
}
