//! NVIDIA's assembler: PTX becomes machine code, and what it says of each kernel is read.

use crate::cuda_tools::{NVDISASM, PTXAS};
use crate::device_code::{Arch, Image};
use crate::ptxas_costs::{Cost, costs};
use crate::temporary::Folder;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An image that was assembled.
#[derive(Debug)]
pub(crate) struct Assembled {
    /// By the entries' names.
    pub(crate) costs: HashMap<String, Cost>,
    cubin: PathBuf,
    _folder: Folder,
}

/// The assembler, and the disassembler if there is one.
#[derive(Debug)]
pub(crate) struct Assembler {
    ptxas: PathBuf,
    /// Its version: `13.0.88`.
    pub(crate) version: String,
    nvdisasm: Result<PathBuf, String>,
}

impl Assembler {
    pub(crate) fn find() -> Result<Assembler, String> {
        let ptxas = PTXAS.find()?;
        let said = run(Command::new(&ptxas).arg("--version"))?;
        Ok(Assembler {
            version: version(&said),
            nvdisasm: NVDISASM.find(),
            ptxas,
        })
    }

    /// Assembles an image as the driver does. An image for one architecture alone is assembled for that.
    pub(crate) fn assemble(&self, image: &Image, arch: Arch) -> Result<Assembled, String> {
        let arch = if image.arch.exact { image.arch } else { arch };
        let folder = Folder::new()?;
        let (input, cubin) = (
            folder.path().join("code.ptx"),
            folder.path().join("code.cubin"),
        );
        std::fs::write(&input, &image.ptx)
            .map_err(|error| format!("cannot write {}: {error}", input.display()))?;
        let mut ptxas = Command::new(&self.ptxas);
        ptxas.args(["-v", "-O3", "-arch", &arch.name()]);
        if image.ptx.contains("\t.loc\t") {
            ptxas.arg("-lineinfo");
        }
        let said = run(ptxas.arg("-o").arg(&cubin).arg(&input))?;
        Ok(Assembled {
            costs: costs(&said).into_iter().collect(),
            cubin,
            _folder: folder,
        })
    }

    /// Machine code as text, with source lines where there are any; an error says how to get a disassembler.
    pub(crate) fn disassemble(&self, assembled: &Assembled) -> Result<String, String> {
        let nvdisasm = self.nvdisasm.as_ref().map_err(Clone::clone)?;
        run(Command::new(nvdisasm)
            .args(["-c", "-g"])
            .arg(&assembled.cubin))
    }

    /// Why there are no numbers of instructions.
    pub(crate) fn without_disassembler(&self) -> Option<&str> {
        self.nvdisasm.as_ref().err().map(String::as_str)
    }
}

/// Whether the assembler is too old for an architecture.
pub(crate) fn is_unknown_arch(error: &str) -> bool {
    error.contains("is not defined for option 'gpu-name'")
}

/// Runs a program and gives all that it says.
fn run(command: &mut Command) -> Result<String, String> {
    let name = Path::new(command.get_program()).display().to_string();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {name}: {error}"))?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    match output.status.success() {
        true => Ok(said),
        false => Err(format!("{name} failed:\n{}", said.trim_end())),
    }
}

/// `13.0.88` of `Cuda compilation tools, release 13.0, V13.0.88`.
fn version(said: &str) -> String {
    let words = said.split_whitespace();
    let mut numbers = words.filter_map(|word| word.strip_prefix('V'));
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    numbers.find(is_version).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read() {
        let said = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.36424714_0";
        assert_eq!(version(said), "13.0.88");
        assert_eq!(version("Very new"), "unknown");
    }

    #[test]
    fn an_architecture_that_is_too_new_is_told_from_other_errors() {
        assert!(is_unknown_arch(
            "ptxas fatal   : Value 'sm_130' is not defined for option 'gpu-name'"
        ));
        assert!(!is_unknown_arch("ptxas x.ptx, line 2; error : unknown"));
    }
}
