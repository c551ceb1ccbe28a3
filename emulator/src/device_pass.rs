//! In place of `check` and `run` in the device pass: what `warploom-runtime` names of the engine, the detector and the reports.
//!
//! The device pass compiles a program for its kernels; nothing of the host's part runs there, and no kernel reaches the emulator. With only these
//! declarations it need not compile the rest. What is missing here, or has another signature than in `check`, is an error of the first device pass.

use std::alloc::Layout;
use std::io;
use std::ops::Range;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

pub use crate::access_costs::{AccessCosts, GlobalCost, SharedCost};
pub use crate::control::{
    Control, ControlledLaunch, Controller, MadeAccess, PendingAccess, ReadableStore, ThreadId,
};
use crate::fault::Fault;
pub use crate::finding::{Code, Note, Place, Report, Severity, Side, Who};
pub use crate::memory_kind::{Birth, Kind};
pub use crate::options::{Mode, Options, OptionsError, Schedule};
pub use crate::random::Random;
use crate::shape::{Shape, Together};
pub use crate::site::{Frame, Origin, SiteInfo, register, site};
pub use crate::source::Sources;

fn nothing_runs() -> ! {
    unreachable!("the device pass runs nothing")
}

#[derive(Debug)]
pub struct GlobalMemory(());

impl GlobalMemory {
    pub fn new(_bytes: usize, _element: Layout, _: Birth, _label: &str) -> Option<Self> {
        nothing_runs()
    }

    pub fn start(&self) -> NonNull<u8> {
        nothing_runs()
    }

    pub fn bytes(&self) -> usize {
        nothing_runs()
    }
}

#[derive(Debug)]
pub struct ForeignMemory(());

impl ForeignMemory {
    pub fn new(_start: NonNull<u8>, _bytes: usize, _element: Layout, _label: &str) -> Self {
        nothing_runs()
    }

    pub fn is_new(&self) -> bool {
        nothing_runs()
    }
}

#[derive(Debug)]
pub struct Hook {
    pub name: &'static str,
    pub address: *const (),
}

// SAFETY: there is none.
unsafe impl Sync for Hook {}

pub static HOOKS: &[Hook] = &[];
pub static HOST: &[Hook] = &[];

pub fn allocate(
    _start: *const u8,
    _bytes: usize,
    _element: usize,
    _align: usize,
    _: Kind,
    _: Birth,
    _label: &str,
) {
}

pub fn allocate_at(
    _start: *const u8,
    _: Layout,
    _element: Layout,
    _: Kind,
    _label: &str,
    _made: Origin,
) {
}

pub fn copied(_to: *const u8, _from: *const u8, _bytes: usize) {}

pub fn forget_values() {}

pub fn free(_start: *const u8) {}

pub fn host_reads(_start: *const u8, _bytes: usize) -> Option<Report> {
    nothing_runs()
}

pub fn initialise(_start: *const u8, _bytes: usize) {}

pub fn keep_freed_memory() {}

pub fn on_lane() -> bool {
    nothing_runs()
}

pub fn limit_heap(_bytes: usize) {}

pub fn name(_start: *const u8, _label: &str) {}

pub fn name_view(_start: *const u8, _bytes: usize, _label: &str) {}

pub fn forget_views() {}

pub fn reads_only(_start: *const u8, _bytes: usize) {}

#[derive(Debug, Default)]
pub struct Launches(());

pub struct InFlight {
    pub kernel: &'static str,
    pub launched_at: &'static Location<'static>,
    pub report: Report,
}

impl Launches {
    pub fn forget(&self) {}

    pub fn host_accesses(
        &self,
        _range: (*const u8, usize),
        _writes: bool,
        _over: &[(u64, u64)],
    ) -> Option<InFlight> {
        nothing_runs()
    }
}

pub struct Turn {
    pub all: Arc<Launches>,
    pub stream: u64,
    pub number: u64,
    pub clock: Vec<(u64, u64)>,
    pub kernel: &'static str,
    pub launched_at: &'static Location<'static>,
}

pub fn takes_turn(_: Turn) {}

pub fn gets_slice(_start: *const u8, _bytes: usize) {}

pub fn may_lead_to(_word: Option<u64>) {}

/// # Safety
/// As in `check`.
pub unsafe fn instrumented_code(_addresses: Range<*const ()>) {}

pub fn colours() -> bool {
    nothing_runs()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance(());

impl Allowance {
    pub fn list(_text: &str) -> Result<Vec<Allowance>, String> {
        nothing_runs()
    }
}

#[derive(Debug, Default)]
pub struct Allowances(());

impl Allowances {
    pub fn add(&mut self, _: impl IntoIterator<Item = Allowance>) {}

    pub fn ran(&mut self, _sites: Range<u32>) {}

    pub fn n_taken(&self) -> u64 {
        nothing_runs()
    }

    pub fn sift(&mut self, _: Vec<Report>, _: &Sources) -> Vec<Report> {
        nothing_runs()
    }

    pub fn unused(&self, _: &Sources) -> Vec<Report> {
        nothing_runs()
    }
}

#[derive(Debug, Clone, Default)]
pub struct Profile(());

impl Profile {
    pub fn requests(&self) -> u64 {
        nothing_runs()
    }

    pub fn access_costs(&self) -> AccessCosts {
        nothing_runs()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub kernel: &'a str,
    pub launch: &'a str,
    pub device: &'a str,
    pub failure: Option<&'a str>,
    pub profile: &'a Profile,
    pub reports: &'a [Report],
}

impl Page<'_> {
    pub fn html(&self, _: &Sources) -> String {
        nothing_runs()
    }

    pub fn write(&self, _folder: &Path, _: &Sources) -> io::Result<PathBuf> {
        nothing_runs()
    }
}

impl Report {
    pub fn render(&self, _: &Sources, _colours: bool) -> String {
        nothing_runs()
    }
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub fault: Option<Fault>,
    pub reports: Vec<Report>,
    pub profile: Option<Profile>,
}

pub fn run(_: Shape, _program: &(dyn Fn() + Sync)) -> Result<(), Fault> {
    nothing_runs()
}

pub fn run_together(_: Shape, _: Together, _: &(dyn Fn() + Sync)) -> Result<(), Fault> {
    nothing_runs()
}

pub fn run_with(_: Shape, _: Together, _: &Options, _program: &(dyn Fn() + Sync)) -> Outcome {
    nothing_runs()
}
