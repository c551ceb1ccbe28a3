//! `cargo warploom check`: tests and programs on the emulator with all of its checks, under several schedules.

mod findings; // what the emulator reports
mod page; // all of it as a page
mod progress; // a bar on a terminal
mod schedules; // which orders of threads

use crate::command_line::CheckOptions;
use crate::device_code;
use crate::project::{self, Program, Programs, start};
use crate::temporary::Folder;
use crate::{Verdict, counted, print, select, write};
use findings::Findings;
use progress::Progress;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use warploom_runtime::checked::Filter;

/// Variables that would change what is checked; a developer may have set them.
const FOREIGN: [&str; 4] = [
    "WARPLOOM_REPLAY",
    "WARPLOOM_SCHEDULES",
    "WARPLOOM_LINTS",
    "WARPLOOM_REQUIRE_GPU",
];

/// A program under one schedule.
#[derive(Debug)]
struct Run {
    program: String,
    schedule: String,
    /// How it ended, if not well.
    failure: Option<Failure>,
}

#[derive(Debug)]
struct Failure {
    /// `exit status: 101`
    status: String,
    output: String,
    /// Whether errors that the emulator found say why.
    is_explained: bool,
}

/// What came of all runs.
#[derive(Debug, Default)]
struct Outcome {
    runs: Vec<Run>,
    findings: Findings,
    /// Programs that were not run or not checked, and why.
    notes: Vec<String>,
    /// Pages about kernels: title and file.
    pages: Vec<(String, PathBuf)>,
}

pub(crate) fn run(options: &CheckOptions) -> Result<Verdict, String> {
    let schedules = schedules::read(&options.schedules)?;
    let filter = filter(options)?;
    let manifest = options.selection.manifest_path.as_deref();
    let target = project::metadata(manifest, false)?.target_directory;
    let default = target.join("warploom-check/index.html");
    let page = options.html.clone().unwrap_or(default);
    let built = project::build(&options.selection, Programs::Tests, &[])?;
    let mut outcome = Outcome::default();
    let programs = with_kernels(built, &filter, &mut outcome.notes)?;
    let folder = Folder::new()?;
    let mut progress = Progress::new(programs.len() * schedules.len());
    for (number, program) in programs.iter().enumerate() {
        for schedule in &schedules {
            progress.begins(&format!("{}, {schedule}", program.name));
            // Later schedules count the same accesses.
            let is_first = Some(schedule) == schedules.first();
            let pages = (options.lints && is_first).then(|| pages_of(&page, number));
            let run = one(
                program,
                schedule,
                options,
                &folder,
                pages.as_deref(),
                &mut outcome.findings,
            )?;
            progress.ended(run.failure.is_none());
            outcome.runs.push(run);
            if let Some(pages) = pages {
                outcome.pages.extend(list(&pages, &program.name));
            }
        }
    }
    progress.done();
    write(&page, &page::html(&outcome, &page))?;
    print(&outcome.text(&schedules))?;
    print(&format!("page: {}\n", page.display()))?;
    Ok(match outcome.is_fine() {
        true => Verdict::Fine,
        false => Verdict::Found,
    })
}

/// Which launches are checked.
fn filter(options: &CheckOptions) -> Result<Filter, String> {
    let (kernels, launches) = (&options.kernels, &options.launches);
    let filter = Filter::default().kernels(kernels);
    let filter = filter.map_err(|expected| format!("--kernel {kernels}: {expected}"))?;
    let filter = filter.launches(launches);
    filter.map_err(|expected| format!("--launches {launches}: {expected}"))
}

/// The programs that launch kernels, as far as that can be seen; notes say what becomes of the others.
fn with_kernels(
    built: Vec<Program>,
    filter: &Filter,
    notes: &mut Vec<String>,
) -> Result<Vec<Program>, String> {
    let mut chosen = Vec::new();
    let mut all = device_code::DeviceCode::default();
    let mut left_out = Vec::new();
    for program in built {
        let carried = device_code::read(&program, 0)?;
        let name = &program.name;
        if carried.kernels.is_empty() && carried.failures.is_empty() {
            notes.push(format!("{name} is not run: it carries no kernels"));
            continue;
        }
        let mut names = carried.kernels.iter().map(|kernel| &*kernel.name);
        if !carried.kernels.is_empty() && !names.any(|name| filter.has_kernel(name)) {
            notes.push(format!(
                "{name} is not run: --kernel leaves out all of its kernels"
            ));
            left_out.extend(carried.kernels);
            continue;
        }
        for (target, reason) in &carried.failures {
            let first = reason.lines().next().unwrap_or_default();
            notes.push(format!(
                "in {name}, kernels of {target} are run without checks of memory: {first}"
            ));
        }
        if !carried.kernels.is_empty() && !carried.is_instrumented {
            notes.push(format!("in {name}, kernels are run without checks of memory: it was built without instrumented code"));
        }
        all.failures.extend(carried.failures);
        chosen.push(program);
    }
    match chosen.is_empty() {
        false => Ok(chosen),
        true if left_out.is_empty() => Err(select::none(&all)),
        true => Err(format!(
            "--kernel leaves out all kernels; there are{}",
            select::list(&left_out)
        )),
    }
}

/// The folder of pages about a program's kernels.
fn pages_of(page: &Path, number: usize) -> PathBuf {
    page.with_file_name("kernels").join(number.to_string())
}

fn one(
    program: &Program,
    schedule: &str,
    options: &CheckOptions,
    folder: &Folder,
    pages: Option<&Path>,
    findings: &mut Findings,
) -> Result<Run, String> {
    let file = folder.path().join("findings");
    drop(std::fs::remove_file(&file)); // that of the run before
    let mut command = start(&[], program, &options.arguments);
    for variable in FOREIGN {
        command.env_remove(variable);
    }
    if let Some(pages) = pages {
        drop(std::fs::remove_dir_all(pages)); // those of an earlier build
        command.env(
            "WARPLOOM_LINTS",
            format!("html:{}", absolute(pages).display()),
        );
    }
    let output = command
        .env("WARPLOOM_DEVICE", "emulator")
        .env("WARPLOOM_EMULATOR", "checked")
        .env("WARPLOOM_SCHEDULE", schedule)
        .env("WARPLOOM_CHECK_KERNELS", &options.kernels)
        .env("WARPLOOM_CHECK_LAUNCHES", &options.launches)
        .env("WARPLOOM_REPORT", format!("json:{}", file.display()))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {}: {error}", program.path.display()))?;
    let lines = match std::fs::read_to_string(&file) {
        // Without findings there is no file.
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| format!("cannot read {}: {error}", file.display()))?,
    };
    let errors = findings.add(&lines, &program.name, schedule)?;
    let text = [output.stdout, output.stderr].concat();
    let failure = (!output.status.success()).then(|| Failure {
        status: output.status.to_string(),
        output: String::from_utf8_lossy(&text).into_owned(),
        is_explained: errors > 0,
    });
    Ok(Run {
        program: program.name.clone(),
        schedule: schedule.to_owned(),
        failure,
    })
}

/// Tests run in another folder.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The pages that a run has written.
fn list(folder: &Path, program: &str) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let title = |path: &PathBuf| {
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let titled = paths
        .into_iter()
        .filter_map(|path| Some((title(&path)?, path)));
    titled
        .map(|(kernel, path)| (format!("{kernel}, in {program}"), path))
        .collect()
}

impl Outcome {
    fn is_fine(&self) -> bool {
        self.failures().next().is_none() && self.findings.errors() == 0
    }

    /// Runs that failed; of each program the first.
    fn failures(&self) -> impl Iterator<Item = (&Run, &Failure)> {
        let is_first = |number: usize, run: &Run| {
            let mut earlier = self.runs[..number].iter();
            !earlier.any(|r| r.failure.is_some() && r.program == run.program)
        };
        let failed = self.runs.iter().enumerate();
        let failed = failed.filter_map(|(n, run)| Some((n, run, run.failure.as_ref()?)));
        failed
            .filter(move |(number, run, _)| is_first(*number, run))
            .map(|(_, run, failure)| (run, failure))
    }

    fn text(&self, schedules: &[String]) -> String {
        let mut text = String::new();
        for note in &self.notes {
            text.push_str(&format!("note: {note}\n"));
        }
        for (run, failure) in self.failures() {
            let why = match failure.is_explained {
                true => ", for what was found".to_owned(),
                false => format!(":\n{}", failure.output.trim_end()),
            };
            text.push_str(&format!(
                "\n{} failed under {} ({}){why}\n",
                run.program, run.schedule, failure.status,
            ));
        }
        for finding in self.findings.all() {
            text.push_str(&format!(
                "\n{}\n   = found in {} under {}\n",
                finding.rendered.trim_end(),
                finding.programs.join(", "),
                finding.schedules.join(", ")
            ));
        }
        let failed = self.runs.iter().filter(|run| run.failure.is_some()).count();
        let errors = self.findings.errors();
        text.push_str(&format!(
            "\n{} under {}: {failed} failed; found {}, {}\n",
            counted(self.runs.len(), "run"),
            counted(schedules.len(), "schedule"),
            counted(errors, "error"),
            counted(self.findings.all().len() - errors, "warning"),
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(failed: &[(&str, &str)]) -> Outcome {
        let runs = ["a (test)", "b (test)"].into_iter().flat_map(|program| {
            ["forward", "reverse"].into_iter().map(move |schedule| Run {
                program: program.into(),
                schedule: schedule.into(),
                failure: failed.contains(&(program, schedule)).then(|| Failure {
                    status: "exit status: 101".into(),
                    output: format!("panic under {schedule}\n"),
                    is_explained: program == "a (test)",
                }),
            })
        });
        Outcome {
            runs: runs.collect(),
            ..Outcome::default()
        }
    }

    #[test]
    fn the_first_failure_of_a_program_is_shown() {
        let schedules = ["forward".to_owned(), "reverse".to_owned()];
        let outcome = outcome(&[
            ("b (test)", "forward"),
            ("b (test)", "reverse"),
            ("a (test)", "reverse"),
        ]);
        let text = outcome.text(&schedules);
        assert!(!outcome.is_fine());
        assert!(
            text.contains(
                "\nb (test) failed under forward (exit status: 101):\npanic under forward\n"
            ),
            "{text}"
        );
        assert_eq!(text.matches("failed under").count(), 2, "{text}");
        let explained = "a (test) failed under reverse (exit status: 101), for what was found\n";
        assert!(text.contains(explained), "{text}");
        assert!(
            text.ends_with("4 runs under 2 schedules: 3 failed; found 0 errors, 0 warnings\n"),
            "{text}"
        );
    }

    #[test]
    fn without_failures_and_errors_all_is_fine() {
        assert!(outcome(&[]).is_fine());
        let mut warned = outcome(&[]);
        let line = |severity: &str| {
            format!(
                r#"{{"code":"WL0201","severity":"{severity}","title":"t","rendered":"r","sides":[]}}"#
            )
        };
        warned
            .findings
            .add(&line("warning"), "a", "forward")
            .unwrap();
        assert!(warned.is_fine());
        warned
            .findings
            .add(&line("error").replace("0201", "0101"), "a", "forward")
            .unwrap();
        assert!(!warned.is_fine());
    }
}
