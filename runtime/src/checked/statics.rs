//! Statics of device code in instrumented kernels: their copies there are tied to the program's own, which the host reads and writes.
//!
//! | memory | what instrumented code has | what goes there |
//! |---|---|---|
//! | device | a variable with the value's address (its *place*) | the address of the program's value, once: [`connect`] |
//! | managed | a variable that starts with the value's address | likewise |
//! | constant | the value | the program's value, before each run if the host wrote it since: [`start_run`] |

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use warploom_device_std::statics::{RegisteredStatic, Space as Memory, known};
use warploom_emulator::check::{self, Kind, Origin};
use warploom_manifest::instrumented::{Global, Static};
use warploom_manifest::{Location, Space};

use crate::module::embedded::is_at;
use crate::sync::lock;

/// A constant's copy in instrumented code.
struct Copied {
    of: RegisteredStatic,
    copy: *mut u8,
    /// Where the value was when it was copied.
    from: *const u8,
}

// SAFETY: the addresses of statics; a writer of the copy holds `RUNS` exclusively.
unsafe impl Send for Copied {}

/// All constants' copies.
static COPIES: Mutex<Vec<Copied>> = Mutex::new(Vec::new());

/// Locked shared by runs of instrumented code, exclusively by writers of the copies.
static RUNS: RwLock<()> = RwLock::new(());

/// Until it is dropped, instrumented code may run: no copy of a constant changes.
pub(crate) type Run = RwLockReadGuard<'static, ()>;

/// Brings the constants of instrumented code up to date. A run that is under way keeps what it has: this one waits for its end then.
pub(crate) fn start_run() -> Run {
    loop {
        let run = RUNS.read().unwrap_or_else(PoisonError::into_inner);
        if lock(&COPIES).iter().all(Copied::is_current) {
            return run;
        }
        drop(run);
        let _alone = RUNS.write().unwrap_or_else(PoisonError::into_inner);
        lock(&COPIES).iter_mut().for_each(Copied::update);
    }
}

impl Copied {
    fn is_current(&self) -> bool {
        self.of.start() == self.from
    }

    /// Under `RUNS`, alone, or before the code can run.
    fn update(&mut self) {
        self.from = self.of.start();
        announce(self.of);
        // SAFETY: the copy has the size of the value (`connect`); no run reads it now, and a constant's value stays as it was.
        unsafe {
            self.copy
                .copy_from_nonoverlapping(self.from, self.of.layout().size());
        }
    }
}

/// Ties a variable of instrumented code at `at` to the program's static that it stands for; gives what the variable itself is for the
/// checks. Before any of the code runs.
///
/// # Errors
/// The program's static is of another size, or in other memory: the kernels of this code cannot run instrumented.
///
/// # Safety
/// `at` is the address of a writable variable as `global` says.
pub(crate) unsafe fn connect(of: &Static, global: &Global, at: *mut u8) -> Result<Kind, String> {
    let Some(found) = find(&of.name, &of.at) else {
        return Ok(Kind::Static); // only the device pass has it
    };
    announce(found);
    let fits = |bytes: usize| match global.bytes == bytes as u64 {
        true => Ok(()),
        false => Err(format!(
            "static `{}` has {bytes} bytes in the program, but {} in instrumented code",
            of.name, global.bytes
        )),
    };
    let word = size_of::<*const u8>();
    match (of.space, found.space(), of.place) {
        (Space::Device, Memory::Device, true) => {
            fits(word)?;
            // SAFETY: the caller's variable, which has the size of an address.
            unsafe { at.cast::<*const u8>().write_unaligned(found.start()) };
            Ok(Kind::Internal)
        }
        // The value that no code uses, because all goes through the place.
        (Space::Device, Memory::Device, false) => Ok(Kind::Static),
        (Space::Managed, Memory::Managed, _) => {
            // Behind the address, at the next multiple of its alignment, the initial value.
            if global.bytes < (word + found.layout().size()) as u64 {
                fits(word + found.layout().size())?;
            }
            // SAFETY: as above, it is larger than an address.
            unsafe { at.cast::<*const u8>().write_unaligned(found.start()) };
            Ok(Kind::Internal)
        }
        (Space::Constant, Memory::Constant, _) => {
            fits(found.layout().size())?;
            let mut copied = Copied {
                of: found,
                copy: at,
                from: std::ptr::null(),
            };
            copied.update();
            lock(&COPIES).push(copied);
            Ok(Kind::Constant)
        }
        (there, here, _) => Err(format!(
            "static `{}` is in {here:?} memory in the program, but in {there:?} memory in instrumented code",
            of.name
        )),
    }
}

/// The program's static of this module and name, declared there.
pub(crate) fn find(path: &str, at: &Location) -> Option<RegisteredStatic> {
    static ALL: OnceLock<Vec<RegisteredStatic>> = OnceLock::new();
    let all = ALL.get_or_init(|| known().collect());
    let is_it = |one: &&RegisteredStatic| {
        let name = one.name();
        name.path == path && is_at(at, (name.file, name.line, name.column))
    };
    all.iter().find(is_it).copied()
}

/// Tells the checks of a static's memory, once for each place where the value was.
fn announce(of: RegisteredStatic) {
    static TOLD: OnceLock<Mutex<HashSet<usize>>> = OnceLock::new();
    let start = of.start();
    if !lock(TOLD.get_or_init(Mutex::default)).insert(start.addr()) {
        return;
    }
    let kind = match of.space() {
        Memory::Constant => Kind::Constant,
        Memory::Device | Memory::Managed => Kind::Static,
    };
    let name = of.name();
    let made = Origin {
        file: name.file,
        line: name.line,
        column: name.column,
    };
    let short = name.path.rsplit("::").next().unwrap_or(name.path);
    check::allocate_at(start, of.layout(), of.element(), kind, short, made);
}

#[cfg(test)]
#[cfg(all(target_os = "linux", not(miri)))]
#[path = "statics_tests.rs"]
mod tests;
