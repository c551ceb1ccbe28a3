//! NVIDIA's programs that make machine code and print it.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::merge::merged;
use super::{Figures, StaticError, function};
use crate::ptx::Image;
use crate::ptxas::{Cost, Ptxas, costs};

/// Names the disassembler; without it the one beside `WARPLOOM_PTXAS`, then that of the `PATH` is taken.
const NVDISASM: &str = "WARPLOOM_NVDISASM";
/// Set to 1 where a missing program must not go unnoticed.
const REQUIRE: &str = "WARPLOOM_REQUIRE_PTXAS";

/// Assembler and disassembler.
#[derive(Debug, Clone)]
pub struct Tools {
    ptxas: OsString,
    nvdisasm: OsString,
    /// For which architecture: `sm_90`.
    pub arch: &'static str,
}

/// Both programs; `None`, and a remark, if one is missing.
///
/// # Panics
/// If one is missing and `WARPLOOM_REQUIRE_PTXAS` is 1.
#[must_use]
pub fn tools(arch: &'static str) -> Option<Tools> {
    let ptxas = Ptxas::find()?.program;
    let beside = Path::new(&ptxas).with_file_name("nvdisasm");
    let nvdisasm = std::env::var_os(NVDISASM).unwrap_or_else(|| {
        let beside = beside
            .is_absolute()
            .then_some(beside)
            .filter(|p| p.exists());
        beside.map_or_else(|| "nvdisasm".into(), PathBuf::into_os_string)
    });
    let version = Command::new(&nvdisasm).arg("--version").output();
    if !version.is_ok_and(|v| v.status.success()) {
        let text = format!("skipped, no nvdisasm: set {NVDISASM}, or put it into PATH\n");
        assert!(!std::env::var(REQUIRE).is_ok_and(|v| v == "1"), "{text}");
        // Nothing is lost but the remark.
        drop(std::io::stderr().write_all(text.as_bytes()));
        return None;
    }
    Some(Tools {
        ptxas,
        nvdisasm,
        arch,
    })
}

impl Tools {
    /// The assembler's version: `V13.0.88`.
    ///
    /// # Errors
    /// [`StaticError::Tool`] if it does not say.
    pub fn version(&self) -> Result<String, StaticError> {
        let said = run(Command::new(&self.ptxas).arg("--version"))?;
        let version = said
            .split_whitespace()
            .find(|w| w.starts_with('V') && w[1..].starts_with(|c: char| c.is_ascii_digit()));
        Ok(version.unwrap_or("of unknown version").to_owned())
    }

    /// Assembles PTX as the driver and nvcc do.
    ///
    /// # Errors
    /// [`StaticError`] with what the programs say.
    pub fn assemble(&self, ptx: &str) -> Result<MachineCode, StaticError> {
        let folder = Folder::new()?;
        let (input, cubin) = (folder.0.join("code.ptx"), folder.0.join("code.cubin"));
        std::fs::write(&input, ptx).map_err(|source| in_file(&input, source))?;
        let mut ptxas = Command::new(&self.ptxas);
        ptxas.args(["-v", "-O3", "-arch", self.arch, "-o"]);
        let said = run(ptxas.arg(&cubin).arg(&input))?;
        self.of_cubin(&cubin, said, "our PTX")
    }

    /// Assembles images of one program, in as few runs as possible. An image may be named several times.
    ///
    /// Of 24 kernels that were compared, 22 become the same as by themselves; of the others, which call functions, one is an instruction shorter (114 of 115) and one
    /// has its instructions in another order: ptxas assigns registers to a function and its callers together.
    ///
    /// # Errors
    /// [`StaticError`] with what the programs say.
    pub fn assemble_all(&self, images: &[&Image]) -> Result<MachineCode, StaticError> {
        let texts: Vec<&str> = images.iter().map(|image| image.ptx.as_str()).collect();
        let mut all = MachineCode {
            text: String::new(),
            costs: Vec::new(),
            place: "our PTX".to_owned(),
        };
        for ptx in merged(&texts) {
            let code = self.assemble(&ptx)?;
            all.text += &code.text;
            all.costs.extend(code.costs);
        }
        Ok(all)
    }

    /// Compiles twins with nvcc.
    ///
    /// # Errors
    /// [`StaticError`] with what the programs say.
    pub fn compile(&self, nvcc: &OsString, source: &Path) -> Result<MachineCode, StaticError> {
        let folder = Folder::new()?;
        let cubin = folder.0.join("code.cubin");
        let mut command = Command::new(nvcc);
        command.args(["-O3", "-cubin", "-Xptxas", "-v"]);
        command.arg(format!("-arch={}", self.arch)).arg("-o");
        let said = run(command.arg(&cubin).arg(source))?;
        self.of_cubin(&cubin, said, &source.display().to_string())
    }

    fn of_cubin(
        &self,
        cubin: &Path,
        said: String,
        place: &str,
    ) -> Result<MachineCode, StaticError> {
        let text = run(Command::new(&self.nvdisasm).arg("-c").arg(cubin))?;
        Ok(MachineCode {
            text,
            costs: costs(&said),
            place: place.to_owned(),
        })
    }
}

/// Machine code of one or more kernels.
#[derive(Debug)]
pub struct MachineCode {
    text: String,
    costs: Vec<Cost>,
    place: String,
}

impl MachineCode {
    /// The instructions, as nvdisasm prints them.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Counts one kernel.
    ///
    /// # Errors
    /// [`StaticError::NoFunction`] if there is none of this name.
    pub fn figures(&self, kernel: &str) -> Result<Figures, StaticError> {
        let cost = self.costs.iter().find(|c| c.entry == kernel);
        let found = function(&self.text, kernel).zip(cost);
        let (code, cost) = found.ok_or_else(|| StaticError::NoFunction {
            kernel: kernel.to_owned(),
            place: self.place.clone(),
        })?;
        Ok(Figures {
            registers: cost.registers,
            spilled: cost.spilled,
            whole: code.work(),
            hottest: code.hottest_loop(),
        })
    }
}

/// Runs a program and gives all that it says.
fn run(command: &mut Command) -> Result<String, StaticError> {
    let failed = |command: &Command, reason: String| StaticError::Tool {
        command: command.get_program().to_string_lossy().into_owned(),
        reason,
    };
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|e| failed(command, e.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(said)
    } else {
        Err(failed(command, said))
    }
}

fn in_file(path: &Path, source: std::io::Error) -> StaticError {
    StaticError::File {
        path: path.display().to_string(),
        source,
    }
}

/// A folder of its own for every call, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, StaticError> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("warploom-static-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|source| in_file(&folder, source))?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind does no harm.
        drop(std::fs::remove_dir_all(&self.0));
    }
}
