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
        let switches = Switches::of(execution);
        let schedule = switches.to_string();
        let title = format!("Schedule {schedule}");
        let page = timeline::page(&title, &failed.message, execution, &sources);
        ScheduleFailure {
            message: failed.message.clone(),
            execution: number,
            switches: switches.count().switches,
            switches_before: before.switches,
            old_loads: switches.count().old_loads,
            old_loads_before: before.old_loads,
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
        let switches = |count| match count {
            1 => "1 switch".to_owned(),
            count => format!("{count} switches"),
        };
        let loads = match self.old_loads {
            0 => String::new(),
            1 => " and 1 load of an older value".to_owned(),
            count => format!(" and {count} loads of older values"),
        };
        let loads_before = match self.old_loads_before {
            0 => String::new(),
            count => format!(" and {count}"),
        };
        write!(
            f,
            "execution {} failed; a schedule with {} of threads{loads} is enough ({}{loads_before} at first)",
            self.execution,
            switches(self.switches),
            self.switches_before,
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
