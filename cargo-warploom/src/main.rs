//! `cargo warploom`: what a user of warploom does beside `cargo build` and `cargo run`.
//!
//! Takes a project and its programs, as cargo builds them; gives listings, tables and pages. It changes nothing in a project. Must not know: how kernels are
//! compiled (`warploom-build` does) and how they run (`warploom-runtime` does). Start at `command_line`, then the file of the subcommand.

mod check; // tests and programs under the checks of the emulator
mod command_line; // subcommands and their options
mod cuda_tools; // where ptxas, nvdisasm and compute-sanitizer are
mod device_code; // what a program carries
mod doctor; // what is missing on a machine
mod html; // text in pages
mod llvm_ir; // a kernel's IR
mod machine_code; // a kernel's machine code
mod new_project; // a project from a template
mod project; // what cargo says of a project, and builds of it
mod ptx; // a kernel's PTX
mod ptxas; // PTX becomes machine code
mod ptxas_costs; // what it says of each kernel
mod report; // what kernels cost
mod sanitize; // tests and programs under compute-sanitizer
mod select; // kernels by name
mod show; // a kernel's code on the terminal
mod source_lines; // code with the lines of source that it came from
mod temporary; // folders that go away

use command_line::Task;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// What a subcommand has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Nothing to complain of.
    Fine,
    /// The subcommand did its work, and found something.
    Found,
}

/// Exit code of a subcommand that found something.
const FOUND: u8 = 1;
/// Exit code of a subcommand that could not do its work; clap's, for a wrong command line.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let done = match command_line::read(std::env::args_os()) {
        Task::New(options) => new_project::run(&options),
        Task::Doctor(options) => doctor::run(&options),
        Task::Show(options) => show::run(&options),
        Task::Report(options) => report::run(&options),
        Task::Check(options) => check::run(&options),
        Task::Sanitize(options) => sanitize::run(&options),
    };
    match done {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Found) => ExitCode::from(FOUND),
        Err(why) => {
            // Where standard error is closed, the exit code says it.
            drop(writeln!(std::io::stderr(), "error: {why}"));
            ExitCode::from(FAILED)
        }
    }
}

/// Writes to standard output. A reader that has gone, such as `head`, ends the program without an error.
fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| format!("cannot write to standard output: {error}")),
    }
}

/// Writes a file, and makes the folders above it.
fn write(path: &Path, text: &str) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(cannot)?;
    }
    std::fs::write(path, text).map_err(cannot)
}

/// `1 error`, `2 errors`.
fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Says what goes on, on standard error.
fn remark(text: &str) {
    // A remark that cannot be written is not missed.
    drop(writeln!(std::io::stderr(), "{text}"));
}
