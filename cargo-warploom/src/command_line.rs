//! Subcommands and their options.

use crate::project::{Only, Selection};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Task {
    New(NewOptions),
    Doctor(DoctorOptions),
    Show(ShowOptions),
    Report(ReportOptions),
    Check(CheckOptions),
    Sanitize(SanitizeOptions),
}

#[derive(Debug)]
pub(crate) struct NewOptions {
    /// The folder; its name is that of the package.
    pub(crate) folder: PathBuf,
    /// Another name of the package.
    pub(crate) name: Option<String>,
    /// A checkout of warploom to depend on.
    pub(crate) path: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct DoctorOptions {
    pub(crate) manifest_path: Option<PathBuf>,
    /// Whether the self-test of `warploom-build` is run.
    pub(crate) self_test: bool,
}

/// In which form a kernel is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Ptx,
    Sass,
    Ir,
}

#[derive(Debug)]
pub(crate) struct ShowOptions {
    pub(crate) form: Form,
    pub(crate) kernel: String,
    /// Whether that is its name in the PTX.
    pub(crate) by_entry: bool,
    /// `sm_90`; of PTX the best that the program carries for it.
    pub(crate) arch: Option<String>,
    /// Whether lines of source are left out.
    pub(crate) without_source: bool,
    pub(crate) selection: Selection,
}

#[derive(Debug)]
pub(crate) struct ReportOptions {
    pub(crate) archs: Vec<String>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) html: Option<PathBuf>,
    pub(crate) compare: Option<PathBuf>,
    /// Percent by which a figure may be worse.
    pub(crate) tolerance: f64,
    pub(crate) selection: Selection,
}

#[derive(Debug)]
pub(crate) struct CheckOptions {
    pub(crate) schedules: String,
    /// Names of kernels, as `WARPLOOM_CHECK_KERNELS` has them; empty: all.
    pub(crate) kernels: String,
    /// Numbers of launches, as `WARPLOOM_CHECK_LAUNCHES` has them; empty: all.
    pub(crate) launches: String,
    pub(crate) lints: bool,
    pub(crate) html: Option<PathBuf>,
    pub(crate) selection: Selection,
    /// Arguments of each program.
    pub(crate) arguments: Vec<OsString>,
}

#[derive(Debug)]
pub(crate) struct SanitizeOptions {
    pub(crate) tool: String,
    pub(crate) selection: Selection,
    /// Arguments of each program.
    pub(crate) arguments: Vec<OsString>,
}

/// Reads the command line; a wrong one, and a wish for help, end the process here, as with every program that uses clap.
pub(crate) fn read(arguments: impl IntoIterator<Item = OsString>) -> Task {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    // Cargo passes the subcommand's name on.
    if arguments.get(1).is_some_and(|first| first == "warploom") {
        arguments.remove(1);
    }
    task(&command().get_matches_from(arguments))
}

fn task(matches: &ArgMatches) -> Task {
    let (name, of) = matches.subcommand().unwrap_or(("doctor", matches));
    let path = |id: &str| of.get_one::<PathBuf>(id).cloned();
    let text = |id: &str| of.get_one::<String>(id).cloned();
    let form = |form| {
        Task::Show(ShowOptions {
            form,
            kernel: text("KERNEL").unwrap_or_default(),
            by_entry: of.get_flag("entry"),
            arch: text("arch"),
            without_source: of.get_flag("no-source"),
            selection: selection(of),
        })
    };
    match name {
        "new" => Task::New(NewOptions {
            folder: path("FOLDER").unwrap_or_default(),
            name: text("name"),
            path: path("path"),
        }),
        "ptx" => form(Form::Ptx),
        "sass" => form(Form::Sass),
        "ir" => form(Form::Ir),
        "report" => Task::Report(ReportOptions {
            archs: of
                .get_many("arch")
                .map_or_else(Vec::new, |all| all.cloned().collect()),
            json: path("json"),
            html: path("html"),
            compare: path("compare"),
            tolerance: of.get_one("tolerance").copied().unwrap_or_default(),
            selection: selection(of),
        }),
        "check" => Task::Check(CheckOptions {
            schedules: text("schedules").unwrap_or_default(),
            kernels: text("kernel").unwrap_or_default(),
            launches: text("launches").unwrap_or_default(),
            lints: of.get_flag("lints"),
            html: path("html"),
            selection: selection(of),
            arguments: trailing(of),
        }),
        "sanitize" => Task::Sanitize(SanitizeOptions {
            tool: text("tool").unwrap_or_default(),
            selection: selection(of),
            arguments: trailing(of),
        }),
        _ => Task::Doctor(DoctorOptions {
            manifest_path: path("manifest-path"),
            self_test: of.get_flag("self-test"),
        }),
    }
}

fn trailing(of: &ArgMatches) -> Vec<OsString> {
    of.get_many("ARGUMENTS")
        .map_or_else(Vec::new, |all| all.cloned().collect())
}

fn selection(of: &ArgMatches) -> Selection {
    let mut only = Vec::new();
    let names = |id: &str| of.get_many::<String>(id).unwrap_or_default().cloned();
    only.extend(names("bin").map(Only::Bin));
    only.extend(names("example").map(Only::Example));
    only.extend(names("test").map(Only::Test));
    only.extend(names("bench").map(Only::Bench));
    if of.get_flag("lib") {
        only.push(Only::Lib);
    }
    let mut flags = Vec::new();
    for id in [
        "release",
        "all-features",
        "no-default-features",
        "locked",
        "offline",
    ] {
        if of.get_flag(id) {
            flags.push(format!("--{id}"));
        }
    }
    for id in ["profile", "features"] {
        if let Some(value) = of.get_one::<String>(id) {
            flags.push(format!("--{id}={value}"));
        }
    }
    Selection {
        manifest_path: of.get_one("manifest-path").cloned(),
        package: of.get_one("package").cloned(),
        only,
        flags,
    }
}

fn command() -> Command {
    Command::new("cargo warploom")
        .bin_name("cargo warploom")
        .version(env!("CARGO_PKG_VERSION"))
        .about("GPU kernels in Rust: new projects, what is missing on a machine, a kernel's code and costs, tests under checks")
        .after_help("Exit code: 0 if all is well, 1 if something was found (an error of doctor, a figure that got worse, a finding, a test that failed), 2 if the command could not do its work.")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(new())
        .subcommand(
            Command::new("doctor")
                .about("Says what of this machine and project is ready, and how to get what is missing")
                .arg(flag("self-test", "Also runs the self-test of the device pass, and prints all of its rows"))
                .arg(manifest_path()),
        )
        .subcommand(show("ptx", "Prints the PTX of a kernel, with the lines of source"))
        .subcommand(show("sass", "Prints the machine code of a kernel, with the lines of source; needs ptxas and nvdisasm"))
        .subcommand(show("ir", "Prints the LLVM IR of a kernel, as it becomes PTX; compiles the device code again for that"))
        .subcommand(report())
        .subcommand(check())
        .subcommand(sanitize())
}

fn new() -> Command {
    Command::new("new")
        .about("Makes a project with a kernel, a test of it and a workflow for CI")
        .after_help(
            "Until the crates are published, --path names a checkout of warploom, and the project depends on that: \
             cargo warploom new hello --path ../warploom. Its workflow for CI then needs the checkout at the same place.",
        )
        .arg(Arg::new("FOLDER").required(true).value_parser(value_parser!(PathBuf)).help("The project's folder, which must not exist yet; its last part is the package's name"))
        .arg(text("name", "NAME", "Another name for the package"))
        .arg(file("path", "PATH", "Depends on the checkout of warploom in this folder, instead of on version 0.1"))
}

fn show(name: &'static str, about: &'static str) -> Command {
    let command = Command::new(name)
        .about(about)
        .arg(Arg::new("KERNEL").required(true).help(
            "The kernel's name, or the end of its path: `saxpy`, `kernels::saxpy`, `scan::<f32>`",
        ))
        .arg(flag(
            "entry",
            "KERNEL is the name of the entry in the PTX, which tells instances of one name apart",
        ))
        .arg(flag("no-source", "Leaves out the lines of source"))
        .arg(text(
            "arch",
            "ARCH",
            "The GPU's architecture, such as sm_90",
        ));
    with_selection(command)
}

fn report() -> Command {
    let command = Command::new("report")
        .about("Prints what kernels cost, for each architecture: registers, spills, shared memory, stack, instructions, occupancy")
        .after_help("Needs ptxas, and nvdisasm for the number of instructions; no GPU. With --release the figures are those of optimised programs, without checks for overflow. The same program gives the same figures with the same version of ptxas.")
        .arg(
            Arg::new("arch")
                .long("arch")
                .value_name("ARCH")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .help("Architectures, separated by commas [default: sm_75,sm_80,sm_90,sm_100]"),
        )
        .arg(file("json", "FILE", "Writes the report as JSON, for --compare"))
        .arg(file("html", "FILE", "Writes the report as a page"))
        .arg(file("compare", "FILE", "Compares with a report that --json wrote; exits with 1 if a figure got worse"))
        .arg(
            Arg::new("tolerance")
                .long("tolerance")
                .value_name("PERCENT")
                .default_value("0")
                .value_parser(percent)
                .help("By how much a figure may be worse"),
        );
    with_selection(command)
}

fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text
        .trim_end_matches('%')
        .parse()
        .map_err(|_| "a number of percent is expected".to_owned())?;
    match number.is_finite() && number >= 0.0 {
        true => Ok(number),
        false => Err("a number of percent from 0 on is expected".to_owned()),
    }
}

fn check() -> Command {
    let command = Command::new("check")
        .about("Runs the tests, or programs, on the emulator with all of its checks, under several schedules")
        .after_help("Documentation tests are not run: they have no code with checks.")
        .arg(
            text("schedules", "SCHEDULES", "`all` (24), a number of random ones beside the four fixed ones, or names with commas between them: forward, reverse, last-warp-first, one-lane, random:SEED").default_value("0"),
        )
        .arg(text("kernel", "NAMES", "Checks only kernels whose path contains one of these names, with commas between them, and none that has a `-` before it: `matmul,-matmul_naive`. Programs without such kernels are not run").allow_hyphen_values(true))
        .arg(text("launches", "NUMBERS", "Checks only launches of these numbers, which findings have: `4`, or numbers and ranges with commas between them, `1,4..=6,9..`"))
        .arg(flag("lints", "Performance lints as well, and a page for each kernel"))
        .arg(file("html", "FILE", "Where the page of findings is written [default: warploom-check/index.html in the target folder]"))
        .arg(arguments());
    with_selection(command)
}

fn sanitize() -> Command {
    let command = Command::new("sanitize")
        .about("Runs the tests, or programs, on a GPU under NVIDIA's compute-sanitizer")
        .arg(
            text("tool", "TOOL", "Which of its tools")
                .default_value("memcheck")
                .value_parser(["memcheck", "racecheck", "synccheck", "initcheck"]),
        )
        .arg(arguments());
    with_selection(command)
}

/// Which programs are built, and how; as cargo's own options.
fn with_selection(command: Command) -> Command {
    let many = |id: &'static str, help: &'static str| {
        text(id, "NAME", help)
            .action(ArgAction::Append)
            .help_heading("Programs")
    };
    let build = |arg: Arg| arg.help_heading("Build");
    command
        .arg(
            text("package", "PACKAGE", "The package")
                .short('p')
                .help_heading("Programs"),
        )
        .arg(flag("lib", "The unit tests of the library").help_heading("Programs"))
        .arg(many("bin", "A binary"))
        .arg(many("example", "An example"))
        .arg(many("test", "A test program"))
        .arg(many("bench", "A benchmark"))
        .arg(build(
            flag("release", "Optimised, with the profile `release`").short('r'),
        ))
        .arg(build(
            text("profile", "PROFILE", "With this profile").conflicts_with("release"),
        ))
        .arg(build(
            text(
                "features",
                "FEATURES",
                "With these features, separated by commas",
            )
            .short('F'),
        ))
        .arg(build(flag("all-features", "With all features")))
        .arg(build(flag(
            "no-default-features",
            "Without the default features",
        )))
        .arg(build(flag(
            "locked",
            "Fails if the lock file has to change",
        )))
        .arg(build(flag("offline", "Without network")))
        .arg(build(manifest_path()))
}

fn arguments() -> Arg {
    Arg::new("ARGUMENTS")
        .last(true)
        .num_args(0..)
        .value_parser(value_parser!(OsString))
        .help("Arguments of the programs")
}

fn manifest_path() -> Arg {
    file("manifest-path", "PATH", "The project's Cargo.toml")
}

fn flag(id: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(id).action(ArgAction::SetTrue).help(help)
}

fn text(id: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(id).value_name(value).help(help)
}

fn file(id: &'static str, value: &'static str, help: &'static str) -> Arg {
    text(id, value, help).value_parser(value_parser!(PathBuf))
}

#[cfg(test)]
#[path = "command_line_tests.rs"]
mod tests;
