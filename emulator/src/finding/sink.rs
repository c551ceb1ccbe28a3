//! Where the findings of a run come together: folded by class and lines, counted, and kept within bounds.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::report::{Code, Note, Report};
use crate::site::SiteId;
use crate::sync::{Mutex, lock};

/// Different findings of one class that a run keeps. Further ones are counted.
const MOST_PER_CODE: usize = 64;

/// Which findings are one, and where this one was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The class.
    pub code: Code,
    /// The places in the source, in any order. `SiteId(0)` where there is only one, or none.
    pub sites: [SiteId; 2],
    /// What else tells findings apart that do not belong together: 0 if nothing does. The address of a barrier, for example.
    pub detail: u64,
    /// The block of the thread that is at fault, in linear order. Of equal findings that of the lowest block is shown.
    pub block: u64,
    /// The thread, in linear order in its block. In one block the finding of the lowest thread is shown.
    pub thread: u32,
}

impl Key {
    /// The pair without its order, so that it does not matter which side came first.
    fn id(&self) -> Id {
        let [a, b] = self.sites;
        Id {
            code: self.code,
            sites: [a.min(b), a.max(b)],
            detail: self.detail,
        }
    }

    fn at(&self) -> (u64, u32) {
        (self.block, self.thread)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Id {
    code: Code,
    sites: [SiteId; 2],
    detail: u64,
}

/// Collects what the checks of one run find. Shared by the threads of the run.
///
/// The outcome does not depend on who reports first, as long as no class has more than 64 different findings: of equal findings the one
/// of the lowest block and thread is kept.
///
/// ```
/// use warploom_emulator::check::{Code, Key, Report, Sink, SiteId};
///
/// let sink = Sink::default();
/// for thread in [5, 3, 4] {
///     let key = Key { code: Code::SHARED_RACE, sites: [SiteId(7), SiteId(9)], detail: 0, block: 0, thread };
///     sink.report(key, || Report::new(Code::SHARED_RACE, format!("found by thread {thread}")));
/// }
/// let reports = sink.finish();
/// assert_eq!((reports.len(), reports[0].count), (1, 3));
/// assert_eq!(reports[0].title, "found by thread 3");
/// ```
#[derive(Debug, Default)]
pub struct Sink(Mutex<SinkState>);

#[derive(Debug, Default)]
struct SinkState {
    kept: HashMap<Id, CountedReport>,
    /// By class: how many are kept, and how often another was found when there was no room.
    full: HashMap<Code, (usize, u64)>,
}

#[derive(Debug)]
struct CountedReport {
    at: (u64, u32),
    count: u64,
    report: Option<Report>,
}

impl Sink {
    /// Takes one finding. `build` is called only if it is the first of its kind, or of a lower thread than those before; otherwise the
    /// finding costs a look into a table.
    pub fn report(&self, key: Key, build: impl FnOnce() -> Report) {
        if !lock(&self.0).count(&key) {
            return;
        }
        // Without the lock: it looks into other tables.
        let report = build();
        if let Some(kept) = lock(&self.0).kept.get_mut(&key.id())
            && (kept.report.is_none() || kept.at == key.at())
        {
            kept.report = Some(report);
        }
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        lock(&self.0).kept.is_empty()
    }

    /// All findings, the worst first, then by block, thread and class. The sink is empty afterwards.
    #[must_use]
    pub fn finish(&self) -> Vec<Report> {
        let SinkState { kept, full } = std::mem::take(&mut *lock(&self.0));
        let mut all: Vec<_> = kept
            .into_iter()
            .filter_map(|(id, kept)| {
                let mut report = kept.report?;
                report.count = kept.count;
                Some((kept.at, id, report))
            })
            .collect();
        all.sort_by_key(|(at, id, report)| {
            (Reverse(report.severity), *at, id.code, id.sites, id.detail)
        });
        let mut reports: Vec<_> = all.into_iter().map(|(_, _, report)| report).collect();
        for (code, (_, more)) in full {
            if more > 0
                && let Some(last) = reports.iter_mut().rfind(|report| report.code == code)
            {
                let text =
                    format!("{more} more findings of this class, at other places, are not shown");
                last.notes.push(Note {
                    label: "note",
                    text,
                });
            }
        }
        reports
    }
}

impl SinkState {
    /// Counts a finding. `true`: its report is needed.
    fn count(&mut self, key: &Key) -> bool {
        match self.kept.entry(key.id()) {
            Entry::Occupied(entry) => {
                let kept = entry.into_mut();
                kept.count += 1;
                let lower = key.at() < kept.at;
                if lower {
                    kept.at = key.at();
                }
                lower
            }
            Entry::Vacant(entry) => {
                let (n_kept, more) = self.full.entry(key.code).or_default();
                if *n_kept == MOST_PER_CODE {
                    *more += 1;
                    return false;
                }
                *n_kept += 1;
                entry.insert(CountedReport {
                    at: key.at(),
                    count: 1,
                    report: None,
                });
                true
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
#[path = "sink_tests.rs"]
mod tests;
