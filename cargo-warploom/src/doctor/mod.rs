//! `cargo warploom doctor`: what of a machine and a project is ready, and how to get what is missing.

mod devices; // driver and GPUs
mod project; // packages with kernels
mod settings; // variables
mod toolchain; // rustc, LLVM, linker
mod tools; // ptxas, nvdisasm, compute-sanitizer

use crate::command_line::DoctorOptions;
use crate::{Verdict, counted, print};

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Ok,
    /// Something does not work that not everybody needs.
    Warning,
    /// No GPU code can be built or run as asked.
    Error,
}

/// A line of the answer, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    state: State,
    text: String,
    remedy: Option<String>,
}

impl Line {
    fn ok(text: impl Into<String>) -> Line {
        Line {
            state: State::Ok,
            text: text.into(),
            remedy: None,
        }
    }

    fn warning(text: impl Into<String>, remedy: impl Into<String>) -> Line {
        Line {
            state: State::Warning,
            text: text.into(),
            remedy: Some(remedy.into()),
        }
    }

    fn error(text: impl Into<String>, remedy: impl Into<String>) -> Line {
        Line {
            state: State::Error,
            ..Line::warning(text, remedy)
        }
    }

    /// `error    no LLVM can be used`, and the remedy below.
    fn render(&self) -> String {
        let word = match self.state {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Error => "error",
        };
        let mut text = String::new();
        for (number, line) in self.text.lines().enumerate() {
            let word = if number == 0 { word } else { "" };
            text.push_str(&format!("{word:<8} {}\n", line.trim_end()));
        }
        for line in self.remedy.iter() {
            text.push_str(&format!("{:<8} remedy: {line}\n", ""));
        }
        text
    }
}

pub(crate) fn run(options: &DoctorOptions) -> Result<Verdict, String> {
    let mut lines = toolchain::lines(options.self_test);
    lines.extend(devices::lines());
    lines.extend(tools::lines());
    lines.extend(settings::lines());
    lines.extend(project::lines(options.manifest_path.as_deref()));
    let text: String = lines.iter().map(Line::render).collect();
    print(&(text + &summary(&lines)))?;
    let is_bad = lines.iter().any(|line| line.state == State::Error);
    Ok(if is_bad {
        Verdict::Found
    } else {
        Verdict::Fine
    })
}

fn summary(lines: &[Line]) -> String {
    let count = |state| lines.iter().filter(|line| line.state == state).count();
    format!(
        "\n{}, {}\n",
        counted(count(State::Error), "error"),
        counted(count(State::Warning), "warning")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_begins_with_its_state() {
        let lines = [
            Line::ok("rustc 1.95.0"),
            Line::warning("no ptxas\nnowhere", "install it"),
            Line::error("no LLVM", "install it"),
        ];
        let text: String = lines.iter().map(Line::render).collect();
        assert_eq!(
            text + &summary(&lines),
            "ok       rustc 1.95.0\nwarning  no ptxas\n         nowhere\n         remedy: install it\nerror    no LLVM\n         remedy: install it\n\n1 error, 1 warning\n"
        );
    }
}
