//! What the rows are checked with: LLVM, a small crate that this rustc compiles, and the bitcode of Rust's libraries.

use crate::archive::embedded_bitcode;
use crate::llvm::{Context, Module};
use crate::toolchain::Toolchain;
use crate::wrapper::DEVICE_FLAGS;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::path::PathBuf;
use std::process::Command;

/// What the process of the self-test is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) rustc: PathBuf,
    pub(super) sysroot: PathBuf,
    pub(super) host: String,
    pub(super) llvm: PathBuf,
    /// For files of its own.
    pub(super) folder: PathBuf,
}

impl Task {
    pub(super) fn of(toolchain: &Toolchain, folder: PathBuf) -> Task {
        Task {
            rustc: toolchain.rustc.clone(),
            sysroot: toolchain.sysroot.clone(),
            host: toolchain.version.host.clone(),
            llvm: toolchain.llvm.path.clone(),
            folder,
        }
    }
}

/// The crate: an index and a range that may be out of bounds, and a location, in line 5.
pub(super) const CRATE: &str = "\
#[unsafe(no_mangle)]
pub fn element(x: &[u32], i: usize) -> u32 { x[i] }
#[unsafe(no_mangle)]
pub fn range(x: &[u32], from: usize, to: usize) -> &[u32] { &x[from..to] }
#[unsafe(no_mangle)] pub fn place() -> &'static core::panic::Location<'static> { core::panic::Location::caller() }
";

/// The file of the crate, as rustc writes it into locations.
pub(super) const FILE: &str = "probe.rs";

/// What the rows share.
pub(super) struct Probe {
    pub(super) task: Task,
    context: OnceCell<Result<Context, String>>,
    object: OnceCell<Result<Vec<u8>, String>>,
}

impl Probe {
    pub(super) fn new(task: Task) -> Probe {
        Probe {
            task,
            context: OnceCell::new(),
            object: OnceCell::new(),
        }
    }

    pub(super) fn context(&self) -> Result<&Context, String> {
        let context = self
            .context
            .get_or_init(|| Context::new(&self.task.llvm).map_err(|e| e.to_string()));
        context.as_ref().map_err(Clone::clone)
    }

    /// A module of this text, which LLVM has verified.
    pub(super) fn module(&self, text: &str) -> Result<Module<'_>, String> {
        let module = Module::from_text(self.context()?, text).map_err(|e| e.to_string())?;
        module.verify().map_err(|e| e.to_string())?;
        Ok(module)
    }

    /// The object of [`CRATE`], as the device pass compiles it.
    pub(super) fn object(&self) -> Result<&[u8], String> {
        let object = self
            .object
            .get_or_init(|| self.compile(CRATE, DEVICE_FLAGS));
        object.as_deref().map_err(Clone::clone)
    }

    /// The module in that object.
    pub(super) fn compiled(&self) -> Result<Module<'_>, String> {
        let bitcode = embedded_bitcode(self.object()?)
            .ok_or("rustc writes no bitcode with the flags of device compilations")?;
        let module = Module::from_bitcode(self.context()?, bitcode).map_err(|e| e.to_string())?;
        module.verify().map_err(|e| e.to_string())?;
        Ok(module)
    }

    /// The object that rustc makes of a crate.
    pub(super) fn compile(&self, source: &str, flags: &[&str]) -> Result<Vec<u8>, String> {
        let emit = ["--crate-name=probe", "--emit=obj=probe.o"];
        self.rustc(source, &[&emit[..], flags].concat())?;
        std::fs::read(self.task.folder.join("probe.o")).map_err(|e| self.failed(&e))
    }

    /// Runs rustc in the folder of the self-test.
    pub(super) fn rustc(&self, source: &str, args: &[&str]) -> Result<(), String> {
        let folder = &self.task.folder;
        std::fs::write(folder.join(FILE), source).map_err(|e| self.failed(&e))?;
        let mut rustc = Command::new(&self.task.rustc);
        rustc
            .current_dir(folder)
            .env("RUSTC_BOOTSTRAP", "1")
            .args(["--crate-type=lib", "--edition=2024"])
            .args(["--target", &self.task.host, FILE])
            .args(args);
        let output = rustc
            .output()
            .map_err(|e| format!("cannot run rustc: {e}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let errors = said.lines().filter(|line| line.starts_with("error"));
            let first = errors.map(str::to_owned).next();
            return Err(
                first.unwrap_or_else(|| format!("rustc failed ({}): {said}", output.status))
            );
        }
        Ok(())
    }

    fn failed(&self, error: &std::io::Error) -> String {
        format!("in {}: {error}", self.task.folder.display())
    }
}
