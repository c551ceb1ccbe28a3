//! Work in a copy of this process. LLVM's modules belong to one thread, and its options to the process: a copy has all of them as they are, at no cost, and
//! compiles what this process would have compiled, to the last byte.
//!
//! If a copy crashes, its work is done again here, and the process that supervises this one reports the crash.

use crate::jobs::Slot;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use system::{Copied, Process};

/// What a copy makes.
pub(crate) type Pieces = Vec<Vec<u8>>;

static IS_COPY: AtomicBool = AtomicBool::new(false);

/// Whether this process is a copy.
pub(crate) fn is_copy() -> bool {
    IS_COPY.load(Ordering::Relaxed)
}

/// Work that a copy does. Dropped before it is done, it ends.
#[derive(Debug)]
pub(crate) struct Forked {
    made: PipeReader,
    process: Option<Process>,
    slot: Option<Slot>,
}

/// What a copy writes before it gives its slot back, which it does as soon as the work is done: what it has made may be waited for much later.
const DONE: u8 = 1;

impl Forked {
    /// Begins work in a copy; `None` where there is no slot for it, or the process cannot be copied. `None` of the work says that it failed.
    pub(crate) fn begin(
        slot: Option<Slot>,
        work: impl FnOnce() -> Option<Pieces>,
    ) -> Option<Forked> {
        let slot = slot?;
        let (made, output) = io::pipe().ok()?;
        match system::copy()? {
            Copied::Here(process) => Some(Forked {
                made,
                process: Some(process),
                slot: Some(slot),
            }),
            Copied::There => {
                drop(made);
                run(output, slot, work)
            }
        }
    }

    /// Waits for what the copy makes; `None` if it has not made all of it: then the work is to be done here.
    pub(crate) fn wait(mut self) -> Option<Pieces> {
        let made = self.read();
        split(made.strip_prefix(&[DONE])?)
    }

    /// What the copy writes until it ends.
    fn read(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        // What was read before an error is too short to be all.
        drop(self.made.read_to_end(&mut all));
        if let Some(slot) = self.slot.take_if(|_| all.first() == Some(&DONE)) {
            slot.was_given_back();
        }
        all
    }
}

impl Drop for Forked {
    fn drop(&mut self) {
        self.process = None; // ends it
        if self.slot.is_some() {
            self.read();
        }
    }
}

/// The work of a copy, which ends it.
fn run(mut output: PipeWriter, slot: Slot, work: impl FnOnce() -> Option<Pieces>) -> ! {
    IS_COPY.store(true, Ordering::Relaxed);
    let made = catch_unwind(AssertUnwindSafe(work)).ok().flatten();
    // Ended between the two, it would keep its slot for ever.
    system::without_interruption(|| {
        let noted = output.write_all(&[DONE]).is_ok();
        if noted {
            drop(slot);
        }
    });
    let written = made.is_some_and(|pieces| output.write_all(&joined(&pieces)).is_ok());
    system::end(i32::from(!written))
}

#[cfg(target_os = "linux")]
mod system {
    /// Which of two processes this is.
    pub(super) enum Copied {
        /// The one that was copied.
        Here(Process),
        There,
    }

    /// A copy, which ends at the latest when this is dropped.
    #[derive(Debug)]
    pub(super) struct Process(libc::pid_t);

    impl Drop for Process {
        fn drop(&mut self) {
            // SAFETY: a child of this process that was not waited for, so that its number is no other's; one that has ended gets the signal without effect.
            unsafe { libc::kill(self.0, libc::SIGTERM) };
            let mut status = 0;
            // SAFETY: the same child, and a place for its status.
            unsafe { libc::waitpid(self.0, &raw mut status, 0) };
        }
    }

    /// Copies this process, if it has one thread.
    pub(super) fn copy() -> Option<Copied> {
        let threads = std::fs::read_dir("/proc/self/task").ok()?;
        if threads.count() != 1 {
            return None;
        }
        // SAFETY: there is no other thread, which could hold a lock that nothing in the copy would release.
        match unsafe { libc::fork() } {
            ..0 => None,
            0 => {
                // SAFETY: asks for a signal when the process ends that was copied.
                unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
                // SAFETY: this signal ends the copy, whatever the process that was copied does with it.
                unsafe { libc::signal(libc::SIGTERM, libc::SIG_DFL) };
                mask(libc::SIG_UNBLOCK);
                Some(Copied::There)
            }
            process => Some(Copied::Here(Process(process))),
        }
    }

    /// In a copy: work after which, but not during which, it may be ended by the process that was copied.
    pub(super) fn without_interruption(work: impl FnOnce()) {
        mask(libc::SIG_BLOCK);
        work();
        mask(libc::SIG_UNBLOCK);
    }

    /// Blocks the signal that ends a copy, or no longer does.
    fn mask(how: libc::c_int) {
        let mut signals = std::mem::MaybeUninit::uninit();
        // SAFETY: a place for a set of signals.
        unsafe { libc::sigemptyset(signals.as_mut_ptr()) };
        // SAFETY: the set, which is initialised.
        unsafe { libc::sigaddset(signals.as_mut_ptr(), libc::SIGTERM) };
        // SAFETY: the set; what was blocked before is not asked for.
        unsafe { libc::pthread_sigmask(how, signals.as_ptr(), std::ptr::null_mut()) };
    }

    /// Ends a copy at once: what is to happen at the end of the process would happen twice.
    pub(super) fn end(code: i32) -> ! {
        // SAFETY: does not return, and runs nothing of this process.
        unsafe { libc::_exit(code) }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) enum Copied {
        #[expect(dead_code, reason = "no process is copied here")]
        Here(Process),
        #[expect(dead_code, reason = "no process is copied here")]
        There,
    }

    #[derive(Debug)]
    pub(super) struct Process;

    pub(super) fn copy() -> Option<Copied> {
        None
    }

    pub(super) fn without_interruption(work: impl FnOnce()) {
        work();
    }

    pub(super) fn end(_: i32) -> ! {
        std::process::abort()
    }
}

/// The number of pieces, the length of each, and the pieces.
fn joined(pieces: &[Vec<u8>]) -> Vec<u8> {
    let lengths = pieces.iter().map(Vec::len);
    let mut all: Vec<u8> = [pieces.len()]
        .into_iter()
        .chain(lengths)
        .flat_map(number)
        .collect();
    pieces.iter().for_each(|piece| all.extend_from_slice(piece));
    all
}

fn number(number: usize) -> [u8; 8] {
    (number as u64).to_le_bytes()
}

/// `None` if something is missing.
fn split(all: &[u8]) -> Option<Pieces> {
    let (mut rest, mut lengths) = (all, Vec::new());
    for _ in 0..next(&mut rest)? {
        lengths.push(next(&mut rest)?);
    }
    let mut piece = |length| {
        let (piece, more) = rest.split_at_checked(length)?;
        rest = more;
        Some(piece.to_vec())
    };
    lengths.into_iter().map(&mut piece).collect()
}

fn next(rest: &mut &[u8]) -> Option<usize> {
    let (number, more) = rest.split_first_chunk::<8>()?;
    *rest = more;
    usize::try_from(u64::from_le_bytes(*number)).ok()
}

#[cfg(test)]
mod tests {
    use super::{Forked, joined, split};
    use crate::jobs::Slot;
    use jobserver::Client;
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    use std::io::{Read as _, Write as _};

    #[test]
    fn pieces_are_those_that_were_joined() {
        for pieces in [
            vec![],
            vec![vec![]],
            vec![vec![1, 2, 3], vec![], vec![0; 100]],
        ] {
            let all = joined(&pieces);
            assert_eq!(split(&all), Some(pieces));
            assert_eq!(split(&all[..all.len() - 1]), None);
        }
        assert_eq!(split(&[]), None);
    }

    #[test]
    fn a_process_with_several_threads_is_not_copied() {
        let server = Client::new(1).unwrap();
        let slot = Some(Slot::of(&server));
        std::thread::scope(|scope| {
            let (go, wait) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || wait.recv());
            assert!(Forked::begin(slot, || Some(vec![])).is_none());
            drop(go);
        });
        assert_eq!(server.available().unwrap(), 1);
    }

    /// Set in the process in which copies are made: there no test runs, as each would have a thread of its own.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    const ALONE: &str = "WARPLOOM_TEST_ALONE";

    /// As [`crate::roles`] begins.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[used]
    // SAFETY: the section holds pointers to functions of this type; that of `std`, which must run before, has a priority.
    #[unsafe(link_section = ".init_array")]
    static BEFORE_MAIN: extern "C" fn() = {
        extern "C" fn before_main() {
            if std::env::var_os(ALONE).is_some() {
                copies();
                #[expect(clippy::exit, reason = "no test is to run in this process")]
                std::process::exit(0);
            }
        }
        before_main
    };

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn a_copy_makes_what_would_be_made_here() {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output = command.env(ALONE, "1").output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn copies() {
        let server = Client::new(1).unwrap();
        let slot = || Some(Slot::of(&server));
        let free = || server.available().unwrap();
        let this = || std::process::id().to_string().into_bytes();
        // More than a pipe holds.
        let large = || vec![this(), vec![7; 1 << 20]];
        let (go_on, mut gone_on) = std::io::pipe().unwrap();
        let waits = || {
            (&go_on).read_exact(&mut [0]).ok()?;
            Some(large())
        };
        let begun = Forked::begin(slot(), waits).unwrap();
        assert_eq!(free(), 0);
        gone_on.write_all(&[0]).unwrap();
        // Before what it has made is read.
        let begun_at = std::time::Instant::now();
        while free() == 0 {
            assert!(begun_at.elapsed().as_secs() < 60, "no slot came back");
            std::thread::yield_now();
        }
        let pieces = begun.wait().unwrap();
        assert_eq!(pieces[1], large()[1]);
        assert_ne!(pieces[0], this());
        assert_eq!(free(), 1);
        let panics = Forked::begin(slot(), || panic!("in a copy")).unwrap();
        assert_eq!(panics.wait(), None);
        let crashes = Forked::begin(slot(), || std::process::abort()).unwrap();
        assert_eq!(crashes.wait(), None);
        assert_eq!(free(), 1);
        let fails = Forked::begin(slot(), || None).unwrap();
        assert_eq!(fails.wait(), None);
        // One that is not waited for ends with the work that asked for it.
        let endless = || loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        };
        drop(Forked::begin(slot(), endless).unwrap());
        assert_eq!(free(), 1);
        // Wherever it is.
        for microseconds in 0..500 {
            let ends = Forked::begin(slot(), || None).unwrap();
            std::thread::sleep(std::time::Duration::from_micros(microseconds));
            drop(ends);
            assert_eq!(free(), 1, "{microseconds} µs");
        }
    }
}
