//! `cargo warploom sanitize`: tests and programs on a GPU, under NVIDIA's compute-sanitizer.

use crate::command_line::SanitizeOptions;
use crate::cuda_tools::COMPUTE_SANITIZER;
use crate::device_code;
use crate::project::{self, Programs, start};
use crate::{Verdict, print, remark};
use std::ffi::OsString;
use std::process::{ExitStatus, Stdio};
use warploom_runtime::Device;

/// What compute-sanitizer exits with if it has found something; programs exit with others.
const FOUND: i32 = 86;

pub(crate) fn run(options: &SanitizeOptions) -> Result<Verdict, String> {
    let tool = COMPUTE_SANITIZER.find()?;
    gpu()?;
    let programs = project::build(&options.selection, Programs::Tests, &[])?;
    let mut runner = vec![tool.into_os_string()];
    let found = FOUND.to_string();
    runner.extend(
        [
            "--tool",
            &options.tool,
            "--error-exitcode",
            &found,
            "--target-processes",
            "all",
        ]
        .map(OsString::from),
    );
    // A call that the driver refuses is an error of the program where it does not expect it.
    runner.extend(["--report-api-errors", "no"].map(OsString::from));
    let mut verdicts = Vec::new();
    for program in &programs {
        let carried = device_code::read(program, 0)?;
        if carried.kernels.is_empty() {
            remark(&format!(
                "note: {} is not run: it carries no code for a GPU",
                program.name
            ));
            continue;
        }
        remark(&format!("{}, under {}", program.name, options.tool));
        let status = start(&runner, program, &options.arguments)
            .env("WARPLOOM_DEVICE", "cuda")
            .stdin(Stdio::null())
            .status()
            .map_err(|error| format!("cannot run {}: {error}", runner[0].display()))?;
        let verdict = verdict(status, &options.tool);
        verdicts.push((status.success(), format!("{}: {verdict}\n", program.name)));
    }
    if verdicts.is_empty() {
        return Err(
            "no program carries code for a GPU; `cargo warploom doctor` says why".to_owned(),
        );
    }
    for (_, text) in &verdicts {
        print(text)?;
    }
    Ok(match verdicts.iter().all(|(is_fine, _)| *is_fine) {
        true => Verdict::Fine,
        false => Verdict::Found,
    })
}

fn verdict(status: ExitStatus, tool: &str) -> String {
    match status.code() {
        Some(0) => "nothing found".to_owned(),
        Some(FOUND) => format!("{tool} found something, see above"),
        _ => format!("failed ({status})"),
    }
}

/// An error if there is no GPU.
fn gpu() -> Result<(), String> {
    let error = match Device::cuda(0) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    Err(format!(
        "compute-sanitizer needs a GPU: {error}; `cargo warploom check` finds the same kinds of errors without one"
    ))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    #[test]
    fn what_was_found_is_told_from_what_failed() {
        let of = |code: i32| verdict(ExitStatus::from_raw(code << 8), "racecheck");
        assert_eq!(of(0), "nothing found");
        assert_eq!(of(FOUND), "racecheck found something, see above");
        assert_eq!(of(101), "failed (exit status: 101)");
    }
}
