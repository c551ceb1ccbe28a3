//! What is said of a schedule that fails.

use std::fmt;
use std::path::PathBuf;

use warploom_emulator::check::Sources;

use super::execution::Execution;
use super::failure::Failed;
use super::switches::{Count, REPLAY, Switches};
use super::timeline;

/// The folder for pages of failing schedules.
const TIMELINES: &str = "WARPLOOM_TIMELINES";

/// A schedule in which the body fails, with the fewest switches that were found.
#[derive(Clone)]
#[non_exhaustive]
pub struct ScheduleFailure {
    /// The error or panic of the body.
    pub message: String,
    /// Which execution failed, from 1.
    pub execution: u64,
    /// The schedule, as `WARPLOOM_REPLAY` takes it.
    pub schedule: String,
    /// Switches of threads in it.
    pub switches: usize,
    /// Switches in the execution that failed first.
    pub switches_before: usize,
    /// Loads of older values in it.
    pub old_loads: usize,
    /// Loads of older values in the execution that failed first.
    pub old_loads_before: usize,
    /// Stores and changes in it that come before others which were made earlier, in the modification order, or before a load of their own thread that the program has first.
    pub early_stores: usize,
    /// Such stores in the execution that failed first.
    pub early_stores_before: usize,
    /// The steps, as text.
    pub timeline: String,
    /// The steps, as HTML.
    pub page: String,
    /// Where the page was written, if the environment asks for pages.
    pub page_at: Option<PathBuf>,
}

impl ScheduleFailure {
    pub(super) fn new(
        failed: &Failed,
        execution: &Execution,
        number: u64,
        before: Count,
    ) -> ScheduleFailure {
        let sources = Sources::of_this_program();
        let count = Count::of(execution);
        let schedule = Switches::of(execution).to_string();
        let title = format!("Schedule {schedule}");
        let page = timeline::page(&title, &failed.message, execution, &sources);
        ScheduleFailure {
            message: failed.message.clone(),
            execution: number,
            switches: count.switches,
            switches_before: before.switches,
            old_loads: count.old_loads,
            old_loads_before: before.old_loads,
            early_stores: count.early_stores,
            early_stores_before: before.early_stores,
            timeline: timeline::text(execution, &sources),
            page_at: write_page(&page),
            page,
            schedule,
        }
    }
}

/// Writes a page about a failing schedule, if the environment asks for it.
fn write_page(page: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(TIMELINES).filter(|folder| !folder.is_empty())?;
    let folder = PathBuf::from(folder);
    let test = std::thread::current()
        .name()
        .unwrap_or("main")
        .replace("::", "-");
    let path = folder.join(format!("{test}.html"));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, page));
    match written {
        Ok(()) => Some(path),
        Err(error) => {
            eprintln!(
                "warploom: no page about the schedule in {}: {error}",
                folder.display()
            );
            None
        }
    }
}

impl fmt::Display for ScheduleFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = |count, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let rows = [
            (
                self.old_loads,
                self.old_loads_before,
                "load of an older value",
                "loads of older values",
            ),
            (
                self.early_stores,
                self.early_stores_before,
                "store that comes early",
                "stores that come early",
            ),
        ];
        let mut enough = several(self.switches, "switch", "switches") + " of threads";
        let mut first = self.switches_before.to_string();
        for (count, before, one, more) in rows {
            if count > 0 {
                enough += " and ";
                enough += &several(count, one, more);
            }
            if before > 0 {
                first += " and ";
                first += &before.to_string();
            }
        }
        write!(
            f,
            "execution {} failed; a schedule with {enough} is enough ({first} at first)",
            self.execution,
        )?;
        writeln!(f, "\n\n{}\n\n{}", self.message, self.timeline.trim_end())?;
        write!(f, "\nTo run this schedule: {REPLAY}='{}'", self.schedule)?;
        match &self.page_at {
            Some(page) => write!(f, "\nAs a page: {}", page.display()),
            None => Ok(()),
        }
    }
}

crate::error::debug_is_the_text!(ScheduleFailure);

impl std::error::Error for ScheduleFailure {}
