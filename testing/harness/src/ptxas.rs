//! NVIDIA's assembler, where there is one: does it accept our PTX, and what do kernels cost?
//!
//! Takes PTX, gives its complaints or its figures. Must not know: kernels, devices.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::ptx::Image;

#[path = "../../../cargo-warploom/src/ptxas_costs.rs"]
mod ptxas_costs; // a file of cargo-warploom, which is a program without a library

/// Names the assembler; without it `ptxas` of the `PATH` is taken.
const PTXAS: &str = "WARPLOOM_PTXAS";
/// Set to 1 where a missing assembler must not go unnoticed.
const REQUIRE: &str = "WARPLOOM_REQUIRE_PTXAS";

/// The architectures that images are assembled for.
pub const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];
/// Architectures of which images may use what no other has: those are assembled for them alone.
const EXACT: [&str; 2] = ["sm_90a", "sm_100a"];
const OPTIONS: [&str; 2] = ["-v", "-O1"];

/// An image that was given to the assembler.
#[derive(Debug)]
pub struct Assembled<'a> {
    /// What was assembled.
    pub image: &'a Image,
    /// For which architecture.
    pub arch: &'static str,
    /// What its kernels cost, or the assembler's own text with the lines of PTX that it names.
    pub costs: Result<Vec<Cost>, String>,
}

/// What the assembler says of one kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cost {
    /// The entry's name.
    pub entry: String,
    /// Bytes of local memory for what does not fit into registers, and for arrays.
    pub stack: u32,
    /// Bytes moved out of registers, and back.
    pub spilled: u32,
    /// Registers per thread.
    pub registers: u32,
}

/// The assembler that was found.
#[derive(Debug)]
pub struct Ptxas {
    /// Its path, or its name in the `PATH`.
    pub program: OsString,
    /// What it says of its version.
    version: Vec<u8>,
}

impl Ptxas {
    /// The assembler; `None`, and a remark past the test runner's capture, if there is none.
    ///
    /// # Panics
    /// If there is none and `WARPLOOM_REQUIRE_PTXAS` is 1.
    #[must_use]
    pub fn find() -> Option<Ptxas> {
        static SAID: Once = Once::new();
        let program = std::env::var_os(PTXAS).unwrap_or_else(|| "ptxas".into());
        let version = Command::new(&program).arg("--version").output();
        if let Ok(said) = version
            && said.status.success()
        {
            let version = said.stdout;
            return Some(Ptxas { program, version });
        }
        let text = format!("skipped, no ptxas: set {PTXAS}, or put it into PATH\n");
        assert!(!std::env::var(REQUIRE).is_ok_and(|v| v == "1"), "{text}");
        // Nothing is lost but the remark.
        SAID.call_once(|| drop(std::io::stderr().write_all(text.as_bytes())));
        None
    }

    /// Assembles each image for its architecture and for all newer ones of [`ARCHS`], on all processors; an image for one architecture exactly for that one.
    ///
    /// # Panics
    /// If that leaves nothing.
    #[must_use]
    pub fn assemble_all<'a>(&self, images: &'a [Image]) -> Vec<Assembled<'a>> {
        let jobs: Vec<(&Image, &'static str)> = images
            .iter()
            .flat_map(|image| {
                let own = |arch: &&str| match image.arch.ends_with('a') {
                    true => *arch == image.arch,
                    false => !arch.ends_with('a') && number(arch) >= number(&image.arch),
                };
                let archs = ARCHS.into_iter().chain(EXACT);
                archs.filter(own).map(move |arch| (image, arch))
            })
            .collect();
        assert!(!jobs.is_empty(), "no image to assemble");
        let (queue, done) = (Mutex::new(jobs.into_iter()), Mutex::new(Vec::new()));
        let work = || {
            while let Some((image, arch)) = locked(&queue).next() {
                let costs = self.assemble(image, arch);
                locked(&done).push(Assembled { image, arch, costs });
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Assembles for an architecture such as `sm_90`. What this assembler has accepted is kept beside the test programs, and not assembled again.
    fn assemble(&self, image: &Image, arch: &str) -> Result<Vec<Cost>, String> {
        let failed = |what: String| format!("{} for {arch}: {what}", image.target);
        let accepted = self.accepted(&image.ptx, arch);
        if let Some(said) = accepted
            .as_ref()
            .and_then(|p| std::fs::read_to_string(p).ok())
        {
            return Ok(costs(&said));
        }
        let input = temporary();
        std::fs::write(&input, &image.ptx).map_err(|e| failed(e.to_string()))?;
        let output = Command::new(&self.program)
            .args(OPTIONS)
            .args(["-arch", arch, "-o", "/dev/null"])
            .arg(&input)
            .stdin(Stdio::null())
            .output();
        drop(std::fs::remove_file(&input));
        let output = output.map_err(|e| failed(e.to_string()))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            return Err(failed(with_lines(&said, &image.ptx)));
        }
        if let Some(line) = serialised(&said) {
            return Err(failed(line.to_owned()));
        }
        if let Some(path) = accepted {
            keep(&path, &said);
        }
        Ok(costs(&said))
    }

    /// Where the figures are once this text has been accepted.
    fn accepted(&self, ptx: &str, arch: &str) -> Option<PathBuf> {
        let hash = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            (seed, &self.version, OPTIONS, arch, ptx).hash(&mut hasher);
            hasher.finish()
        };
        let program = std::env::current_exe().ok()?;
        let name = format!("{:016x}{:016x}", hash(0), hash(1));
        Some(program.parent()?.join("ptxas-accepted").join(name))
    }
}

/// In one step, so that no other test reads a part of it. Without it the next run takes longer.
fn keep(path: &Path, said: &str) {
    let written = temporary_beside(path);
    let made = path.parent().map(std::fs::create_dir_all);
    if made.is_some_and(|m| m.is_ok()) && std::fs::write(&written, said).is_ok() {
        drop(std::fs::rename(&written, path));
    }
}

/// 75 of `sm_75`.
fn number(arch: &str) -> u32 {
    arch.trim_start_matches("sm_").parse().unwrap_or(0)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file of its own for every call.
fn temporary() -> PathBuf {
    temporary_beside(&std::env::temp_dir().join("warploom"))
}

fn temporary_beside(path: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("{}-{number}.ptx", std::process::id()))
}

/// What the assembler says, as a remark, where it lets products of warp groups wait for each other: C7509 to C7520.
fn serialised(said: &str) -> Option<&str> {
    let is_one = |line: &&str| {
        let number = line.split_once("(C").and_then(|(_, rest)| rest.get(..4));
        let number = number.and_then(|n| n.parse().ok());
        number.is_some_and(|n: u32| (7509..=7520).contains(&n))
    };
    said.lines().find(is_one)
}

/// The assembler names lines: shows them.
fn with_lines(said: &str, ptx: &str) -> String {
    let mut text = String::new();
    for line in said.lines().filter(|l| !l.contains("info")).take(20) {
        text.push_str(line);
        text.push('\n');
        let number = line
            .split_once("line ")
            .and_then(|(_, r)| r.split([';', ',', ' ']).next()?.parse::<usize>().ok());
        if let Some(shown) = number.and_then(|n| ptx.lines().nth(n.checked_sub(1)?)) {
            text.push_str(&format!("    {}\n", shown.trim()));
        }
    }
    text
}

pub(crate) fn costs(said: &str) -> Vec<Cost> {
    let costs = ptxas_costs::costs(said).into_iter();
    costs
        .map(|(entry, cost)| Cost {
            entry,
            stack: cost.stack_bytes,
            spilled: cost.spill_stores,
            registers: cost.registers,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let said = "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'saxpy' for 'sm_90'\nptxas info    : Function properties for saxpy\n    8 bytes stack frame, 4 bytes spill stores, 16 bytes spill loads\nptxas info    : Used 12 registers, used 0 barriers, 400 bytes cmem[0]\n";
        let cost = Cost {
            entry: "saxpy".into(),
            stack: 8,
            spilled: 4,
            registers: 12,
        };
        assert_eq!(costs(said), [cost]);
    }

    #[test]
    fn products_that_wait_for_each_other_are_a_complaint() {
        let said = "ptxas info    : 0 bytes gmem\nptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to the presence of a call\n";
        assert!(serialised(said).is_some_and(|line| line.contains("C7510")));
        assert_eq!(
            serialised("ptxas info    : (C7600) other\nptxas info    : Used 168 registers\n"),
            None
        );
    }

    #[test]
    fn a_complaint_shows_the_line() {
        let shown = with_lines("ptxas x.ptx, line 2; error : unknown\n", "one\n  two;\n");
        assert_eq!(shown, "ptxas x.ptx, line 2; error : unknown\n    two;\n");
    }
}
