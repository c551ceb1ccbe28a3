//! NVIDIA's assembler: PTX becomes machine code, and what it says of each kernel is read.

use crate::cuda_tools::{NVDISASM, PTXAS};
use crate::device_code::{Arch, Image};
use crate::temporary::Folder;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the assembler says of one kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Bytes that are moved out of registers, and back.
    pub(crate) spill_stores: u32,
    pub(crate) spill_loads: u32,
    /// Static bytes of shared memory of a block.
    pub(crate) shared_bytes: u32,
    /// Bytes of a thread's stack.
    pub(crate) stack_bytes: u32,
}

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
            costs: costs(&said),
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

/// Reads what `ptxas -v` says. Functions that kernels call have lines of their own, which are part of the kernel's.
fn costs(said: &str) -> HashMap<String, Cost> {
    let mut all: HashMap<String, Cost> = HashMap::new();
    let (mut entry, mut is_entrys) = (String::new(), false);
    for line in said.lines() {
        let quoted = |before: &str| Some(line.split_once(before)?.1.split('\'').next()?.to_owned());
        if let Some(name) = quoted("Compiling entry function '") {
            all.insert(name.clone(), Cost::default());
            entry = name;
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            is_entrys = name.trim() == entry;
        } else if let Some(cost) = all.get_mut(&entry) {
            let before = |words: &str| {
                let number = line.split_once(words)?.0.split_whitespace().next_back()?;
                number.parse::<u32>().ok()
            };
            if line.contains("bytes stack frame") && is_entrys {
                cost.stack_bytes = before(" bytes stack frame").unwrap_or_default();
                cost.spill_stores = before(" bytes spill stores").unwrap_or_default();
                cost.spill_loads = before(" bytes spill loads").unwrap_or_default();
            } else if line.contains(" registers") && line.contains("Used ") {
                cost.registers = before(" registers").unwrap_or_default();
                cost.shared_bytes = before(" bytes smem").unwrap_or_default();
                let cumulative = before(" bytes cumulative stack size").unwrap_or_default();
                cost.stack_bytes = cost.stack_bytes.max(cumulative);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As ptxas 13.0.88 prints it.
    const SAID: &str = "ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function 'saxpy' for 'sm_90'
ptxas info    : Function properties for saxpy
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Compile time = 18.231 ms
ptxas info    : Compiling entry function 'tiled' for 'sm_90'
ptxas info    : Function properties for tiled
    104 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 112 bytes cumulative stack size, 4096 bytes smem, 400 bytes cmem[0]
";

    #[test]
    fn the_figures_of_each_kernel_are_read() {
        let costs = costs(SAID);
        assert_eq!(costs.len(), 2);
        let saxpy = Cost {
            registers: 32,
            ..Cost::default()
        };
        assert_eq!(costs["saxpy"], saxpy);
        let tiled = Cost {
            registers: 40,
            spill_stores: 12,
            spill_loads: 20,
            shared_bytes: 4096,
            stack_bytes: 112,
        };
        assert_eq!(costs["tiled"], tiled);
    }

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
