//! NVIDIA's programs, which only some subcommands need.

use super::Line;
use crate::cuda_tools::{ALL, Tool};
use std::path::PathBuf;

pub(super) fn lines() -> Vec<Line> {
    ALL.iter().map(|tool| line(*tool, tool.find())).collect()
}

fn line(tool: Tool, found: Result<PathBuf, String>) -> Line {
    match found {
        Ok(path) => Line::ok(format!("{}: {}", tool.name, path.display())),
        Err(why) if why.starts_with("WARPLOOM_") => {
            Line::error(why, "change or unset the variable")
        }
        Err(_) => Line::warning(
            format!("no {}, which is needed for {}", tool.name, tool.purpose),
            tool.remedy(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;
    use crate::cuda_tools::PTXAS;

    #[test]
    fn a_missing_tool_is_a_warning_and_a_wrong_variable_an_error() {
        assert_eq!(
            line(PTXAS, Ok("/bin/ptxas".into())),
            Line::ok("ptxas: /bin/ptxas")
        );
        let missing = line(PTXAS, Err("ptxas is in no CUDA toolkit".into()));
        assert_eq!(missing.state, State::Warning);
        assert_eq!(
            missing.remedy.as_deref(),
            Some("python3 -m pip install nvidia-cuda-nvcc, or name the file with WARPLOOM_PTXAS")
        );
        let wrong = line(PTXAS, Err("WARPLOOM_PTXAS=/x is no file".into()));
        assert_eq!(wrong.state, State::Error);
    }
}
