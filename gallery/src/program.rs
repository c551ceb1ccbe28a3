//! A program of the gallery as it runs: where, with which arguments, and what was checked.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use warploom::Device;
use warploom::model::{Emulator, Mode};

use crate::findings::{REPORT, Reports};
use crate::score::Score;

/// What a program's `run` returns; `?` takes every error.
pub type Result<T = (), E = Box<dyn Error>> = std::result::Result<T, E>;

/// The device that a program runs on, its arguments and the score of its checks.
#[derive(Debug)]
pub struct Program {
    device: Device,
    arguments: Vec<String>,
    pub(crate) score: Score,
    pub(crate) reports: Option<Reports>,
}

/// Runs a program on the device that the environment names: a GPU if there is one, else the emulator. The `main` of most programs.
///
/// Prints how many checks passed. The exit code is 1 if a check failed, if there was none, or if `run` returns an error.
pub fn main(run: fn(&Program) -> Result) -> ExitCode {
    match Device::open() {
        Ok(device) => conclude(run, Program::on(device)),
        Err(error) => ended(&error),
    }
}

/// Runs a program whose kernels are wrong: on the emulator, which checks every access, on every machine.
///
/// ```
/// use warploom_gallery::{Program, Result};
///
/// fn run(program: &Program) -> Result {
///     let stream = program.device().stream()?; // launch a kernel with a race, then:
///     // program.finds("WL0101", stream.synchronize());
///     # program.holds("nothing is reported", stream.synchronize().is_ok());
///     Ok(())
/// }
/// # let status = // all of `main`:
/// warploom_gallery::mistake(run)
/// # ;
/// # assert_eq!(status, std::process::ExitCode::SUCCESS);
/// ```
pub fn mistake(run: fn(&Program) -> Result) -> ExitCode {
    let device = Emulator::new().mode(Mode::Checked).device();
    conclude(run, Program::on(device))
}

/// Runs a program about what kernels cost: on the emulator with performance lints, on every machine. What the emulator warns of is read
/// back by [`Program::warns`]; for that the program starts itself once more, with the variable that has warnings written to a file.
pub fn costs(run: fn(&Program) -> Result) -> ExitCode {
    let lints = Emulator::new().mode(Mode::Checked).lints(true);
    if let Some(reports) = Reports::of_environment() {
        let program = Program {
            reports: Some(reports),
            ..Program::on(lints.device())
        };
        return conclude(run, program);
    }
    match again() {
        Ok(code) => code,
        Err(error) => ended(&*error),
    }
}

/// This program in a process of its own, whose warnings go to a file.
fn again() -> Result<ExitCode> {
    let this = std::env::current_exe()?;
    let name = this.file_stem().unwrap_or(this.as_os_str());
    let folder = Path::new(crate::files::FOLDER);
    std::fs::create_dir_all(folder)?;
    let file = format!("{}-{}.jsonl", name.to_string_lossy(), std::process::id());
    let path = folder.join(file);
    let status = Command::new(&this)
        .args(std::env::args_os().skip(1))
        .env(REPORT, format!("json:{}", path.display()))
        .status();
    drop(std::fs::remove_file(&path)); // there is none if nothing was found
    Ok(ExitCode::from(u8::from(!status?.success())))
}

fn conclude(run: fn(&Program) -> Result, program: Program) -> ExitCode {
    match run(&program) {
        Ok(()) => program.score.conclude(program.device.name()),
        Err(error) => ended(&*error),
    }
}

fn ended(error: &dyn Error) -> ExitCode {
    eprintln!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        eprintln!("  because: {cause}");
        source = cause.source();
    }
    ExitCode::FAILURE
}

impl Program {
    fn on(device: Device) -> Program {
        Program {
            device,
            arguments: std::env::args().collect(),
            score: Score::default(),
            reports: None,
        }
    }

    /// Where its kernels run.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// One value on the emulator, another on a GPU: sizes, for most programs.
    #[must_use]
    pub fn sized<T>(&self, on_the_emulator: T, on_a_gpu: T) -> T {
        if self.device.is_gpu() {
            on_a_gpu
        } else {
            on_the_emulator
        }
    }

    /// Runs what launches kernels, waits for the device, and gives the lines that they printed, which go to the standard output as well.
    /// One text per call of `gpu_println!`, without the end of the line.
    ///
    /// # Errors
    /// That of `launches`, and whatever waiting for the device gives.
    pub fn printed(&self, launches: impl FnOnce() -> Result) -> Result<Vec<String>> {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        self.device.on_print(move |text| {
            crate::score::say(text);
            let line = text.trim_end_matches('\n').to_owned();
            kept.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(line);
        });
        launches()?;
        self.device.synchronize()?;
        Ok(std::mem::take(
            &mut *lines.lock().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// The argument at this position of the command line, the first is 1; `otherwise` if it is not there.
    ///
    /// # Errors
    /// If it is there and cannot be read as a `T`; the text says which argument, and what stands there.
    pub fn argument<T: FromStr>(&self, position: usize, otherwise: T) -> Result<T> {
        let Some(text) = self.arguments.get(position) else {
            return Ok(otherwise);
        };
        let wanted = std::any::type_name::<T>();
        text.parse()
            .map_err(|_| format!("argument {position} is `{text}`, which is no {wanted}").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_arguments(arguments: &[&str]) -> Program {
        Program {
            arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
            ..Program::on(Device::emulator())
        }
    }

    #[test]
    fn arguments_are_read_or_named() {
        let program = with_arguments(&["program", "7", "many"]);
        assert_eq!(program.argument(1, 3usize).unwrap(), 7);
        assert_eq!(program.argument(3, 3usize).unwrap(), 3);
        let error = program.argument(2, 3usize).unwrap_err().to_string();
        assert_eq!(error, "argument 2 is `many`, which is no usize");
    }

    #[test]
    fn the_emulator_gets_the_first_size() {
        assert_eq!(with_arguments(&[]).sized(1, 2), 1);
    }

    #[test]
    fn a_program_that_checks_nothing_fails() {
        let checked: fn(&Program) -> Result = |program| {
            program.holds("one and one", 1 + 1 == 2);
            Ok(())
        };
        assert_eq!(mistake(checked), ExitCode::SUCCESS);
        assert_eq!(mistake(|_| Ok(())), ExitCode::FAILURE);
        assert_eq!(mistake(|_| Err("no".into())), ExitCode::FAILURE);
    }
}
