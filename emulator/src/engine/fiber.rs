//! A stack for a lane that has to wait.
//!
//! A fiber runs fresh lanes, one after the other, on its stack. When one of them has to wait, the stack is this lane's until the lane
//! returns, and another fiber goes on with the fresh lanes. So a kernel without barriers needs one stack, and a kernel whose lanes all
//! wait needs one for each lane. Fibers that have no work wait for the next block; their stacks outlive the run in a depot.
//!
//! Whatever a fiber and the scheduler share lies in [`Running`]. Only one of them runs at a time, all on one OS thread, so its cells
//! need no lock; no borrow of a `RefCell` is alive across a switch. This file is the lanes' side; `block_scheduler.rs` owns the fibers of a block.
//! The rules stand in `README.md`, numbered.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr;
use std::rc::Rc;
use std::thread;

use crate::engine::block::{Arrival, Block, Pick, PickBy};
use crate::engine::checker::BlockChecker;
use crate::engine::co_resident::{BarrierArrivals, CoResidentBlocks};
use crate::engine::context::{Context, Link};
use crate::engine::overflow::{Guards, StackOverflow};
use crate::engine::panic_record::PanicRecord;
use crate::engine::pending::PendingAccesses;
use crate::engine::shared::Arena;
use crate::engine::spin::Spin;
use crate::engine::tls::{self, CHECKER, RUNNING};
use crate::engine::warp::LANES;
use crate::options::Mode;
use crate::shape::CheckedShape;
use crate::site::Site;

/// What a lane that wants to wait finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The block runs.
    Runs,
    /// The lane has panicked, and the payload of its panic is being dropped: it cannot wait any more.
    Leaving,
    /// The block is stuck, and its lanes are being unwound.
    Abandoned,
}

/// The panic payload that unwinds a lane of a stuck block.
struct Abandoned;

/// What a lane reads of the launch and of its place in it: instrumented code does so by the offsets of these fields, which
/// `kernel-build/src/instrument/table.rs` has.
#[repr(C)]
pub(crate) struct Registers {
    /// The lane's place in its block.
    pub(crate) place: Cell<[u32; 3]>,
    /// The block's place in the grid.
    pub(crate) block: Cell<[u32; 3]>,
    block_extents: [u32; 3],
    grid_extents: [u32; 3],
}

const _: () = {
    assert!(offset_of!(Registers, place) == 0);
    assert!(offset_of!(Registers, block) == 12);
    assert!(offset_of!(Registers, block_extents) == 24);
    assert!(offset_of!(Registers, grid_extents) == 36);
};

/// Those of host code.
struct NoRegisters(Registers);

// SAFETY: nothing writes them.
unsafe impl Sync for NoRegisters {}

static NO_REGISTERS: NoRegisters = NoRegisters(Registers {
    place: Cell::new([0; 3]),
    block: Cell::new([0; 3]),
    block_extents: [0; 3],
    grid_extents: [0; 3],
});

/// The registers of the lane that runs: at the same address as long as it does.
#[inline(always)]
pub(crate) fn registers() -> *const Registers {
    let registers = with_running(|running| &raw const running.registers);
    registers.unwrap_or(&raw const NO_REGISTERS.0)
}

/// The block that runs, as its lanes see it.
pub(crate) struct Running<'run> {
    pub(crate) shape: CheckedShape,
    /// Where the lane that runs is.
    pub(crate) registers: Registers,
    /// The lane that runs: its number in the block.
    pub(crate) thread: Cell<u32>,
    /// Where instrumented code calls the intrinsic that runs, as `check::hooks` was told: the number of a site. 0 in native code.
    pub(crate) site: Cell<u32>,
    /// The panic that comes is about that call, and not about a line of the emulator.
    blamed: Cell<bool>,
    /// What is kept to check it.
    pub(crate) checks: Option<Rc<dyn BlockChecker>>,
    pub(crate) arena: RefCell<Arena>,
    /// Through [`Running::core`] and [`Running::core_mut`].
    core: RefCell<Block>,
    /// All lanes before the one that runs have exited and met no other, and the core has not been told yet.
    plain: Cell<bool>,
    /// Lanes go on in the order of the schedule that has no chance in it: as `Block::fresh_go_first`.
    pub(crate) in_order: bool,
    /// The blocks that are there together with this one.
    pub(crate) set: Rc<CoResidentBlocks<'run>>,
    /// Its place among them.
    pub(crate) member: usize,
    /// Who is at the barrier of the cluster.
    pub(crate) at_cluster: RefCell<BarrierArrivals>,
    /// Who is at the barrier of the grid.
    pub(crate) at_grid: RefCell<BarrierArrivals>,
    program: &'run (dyn Fn() + Sync),
    /// The place of each lane in the block.
    places: Rc<[[u32; 3]]>,
    pub(crate) link: Link,
    /// Where each lane that waits goes on.
    contexts: Box<[Cell<Context>]>,
    /// Fibers that have no lane.
    idle: RefCell<Vec<Context>>,
    /// What lies below the stacks of its fibers.
    pub(crate) guards: Guards,
    /// A fresh lane was picked, and there was no fiber for it.
    pub(crate) wants_fiber: Cell<bool>,
    /// What the operation that the lane waited for gave it.
    given: Cell<u32>,
    pub(crate) phase: Cell<Phase>,
    pub(crate) spin: Spin,
    /// The atomic accesses at which lanes are pending; `Some` in a run under control.
    pub(crate) pending: Option<PendingAccesses>,
    /// The latest panic on a lane, and which lane that was.
    record: RefCell<Option<(u32, PanicRecord)>>,
    /// The lowest lane of this block that panicked.
    pub(crate) first_panic: RefCell<Option<(u32, PanicRecord)>>,
    pub(crate) n_panicked: Cell<u64>,
    /// A check has ended a lane of this block.
    pub(crate) any_ended: Cell<bool>,
}

/// Whether a lane runs on this OS thread.
#[must_use]
pub fn on_lane() -> bool {
    !tls::get::<RUNNING>().is_null()
}

/// What `read` finds in the block that runs on this OS thread; `None` in host code.
#[inline(always)]
pub(crate) fn with_running<R>(read: impl FnOnce(&Running<'_>) -> R) -> Option<R> {
    let running = tls::get::<RUNNING>().cast::<Running<'static>>();
    // SAFETY: the pointer is null, or was set by an `Entered`, which resets it before its `Running` can end.
    unsafe { running.as_ref() }.map(read)
}

/// Takes the record of a panic, if a lane runs on this OS thread.
pub(crate) fn record_panic(record: impl FnOnce() -> PanicRecord) -> bool {
    with_running(|running| {
        let mut record = record();
        if running.blamed.take() && running.site.get() != 0 {
            record.place(Site::of_site(running.site.get()));
        }
        *running.record.borrow_mut() = Some((running.thread.get(), record));
    })
    .is_some()
}

impl<'run> Running<'run> {
    /// Block number `member` of `set`.
    pub(crate) fn new(
        set: &Rc<CoResidentBlocks<'run>>,
        member: usize,
        places: &Rc<[[u32; 3]]>,
        program: &'run (dyn Fn() + Sync),
    ) -> Self {
        let shape = set.shape;
        // SAFETY: the run outlives its workers, and those their blocks.
        let checks = set
            .launch
            .checks
            .as_ref()
            .map(|run| unsafe { run.block_checker() });
        let options = &set.launch.options;
        let is_controlled = options.control.is_some();
        let pick = match is_controlled {
            true => PickBy::Control,
            false => PickBy::Schedule(options.schedule),
        };
        let core = Block::new(shape.n_threads, pick, checks.clone());
        Self {
            shape,
            registers: Registers {
                place: Cell::new([0; 3]),
                block: Cell::new([0; 3]),
                block_extents: shape.shape.block,
                grid_extents: shape.shape.grid,
            },
            thread: Cell::new(0),
            site: Cell::new(0),
            blamed: Cell::new(false),
            arena: RefCell::new(Arena::new(
                shape.shape.dynamic_shared_bytes as usize,
                shape.model,
            )),
            in_order: core.fresh_go_first(),
            core: RefCell::new(core),
            plain: Cell::new(false),
            checks,
            set: Rc::clone(set),
            member,
            at_cluster: RefCell::default(),
            at_grid: RefCell::default(),
            program,
            places: Rc::clone(places),
            link: Link::new(),
            contexts: vec![Cell::new(Context::NONE); shape.n_threads as usize].into(),
            idle: RefCell::default(),
            guards: Guards::default(),
            wants_fiber: Cell::new(false),
            given: Cell::new(0),
            phase: Cell::new(Phase::Runs),
            spin: Spin::new(
                options.mode == Mode::Checked,
                is_controlled,
                options.step_limit,
                shape.n_threads,
            ),
            pending: is_controlled.then(|| PendingAccesses::new(shape.n_threads)),
            record: RefCell::new(None),
            first_panic: RefCell::new(None),
            n_panicked: Cell::new(0),
            any_ended: Cell::new(false),
        }
    }

    /// Makes it the block at this place of the grid, with all lanes fresh.
    pub(crate) fn restart(&self, block: [u32; 3]) {
        self.restart_checks(block);
        if self.member == 0 {
            self.set.transactions.clear();
        }
        self.registers.block.set(block);
        self.site.set(0);
        self.wants_fiber.set(false);
        self.any_ended.set(false);
        if let Some(pending) = &self.pending {
            pending.clear();
        }
        self.core_mut().reset(self.shape.linear(block));
        self.at_cluster.borrow_mut().reset();
        self.at_grid.borrow_mut().reset();
        self.arena.borrow_mut().reset();
    }

    /// What the run's options say of printing.
    pub(crate) fn prints(&self) -> usize {
        self.set.launch.options.prints
    }

    /// Where the kernel calls the intrinsic that runs: `caller` in native code.
    #[inline(always)]
    pub(crate) fn place(&self, caller: &'static Location<'static>) -> Site {
        match self.site.get() {
            0 => Site::of_call(caller),
            site => Site::of_site(site),
        }
    }

    /// The panic that comes next on this lane is about the call of the intrinsic that runs.
    pub(crate) fn blame_site(&self) {
        self.blamed.set(true);
    }

    /// Whether the lane that runs is in a mask.
    #[inline(always)]
    pub(crate) fn is_in(&self, mask: u32) -> bool {
        mask >> (self.thread.get() % LANES) & 1 == 1
    }

    /// Brings the lane that runs to a rendezvous, and waits there if it has to; gives what the rendezvous gives it. `instead`: what a lane
    /// gets that is being unwound by a panic; it counts as gone, and a destructor that wants to wait does not.
    // Inlined up to the kernel, but for what is common to all lanes: see `wait`.
    #[inline(always)]
    pub(crate) fn meet(
        &self,
        instead: u32,
        arrive: impl FnOnce(&mut Block, u32) -> Arrival,
    ) -> u32 {
        let (save, to) = self.arrive_and_pick(instead, arrive);
        // SAFETY: `arrive_and_pick` gives a place for the context of this lane, and whom to switch to.
        unsafe { self.switch(save, to) };
        self.given.get()
    }

    #[inline(never)]
    fn arrive_and_pick(
        &self,
        instead: u32,
        arrive: impl FnOnce(&mut Block, u32) -> Arrival,
    ) -> (*mut Context, Context) {
        if !self.may_wait() {
            self.given.set(instead);
            return (ptr::null_mut(), Context::NONE);
        }
        let mut core = self.core_mut();
        match arrive(&mut core, self.thread.get()) {
            Arrival::GoesOn(result) => {
                self.given.set(result);
                if core.fresh_go_first() || !core.gives_way() {
                    return (ptr::null_mut(), Context::NONE);
                }
                core.make_ready(self.thread.get(), result);
            }
            Arrival::Waits => {}
            Arrival::NotInMask => return (ptr::null_mut(), Context::NONE),
        }
        self.pick(&mut core)
    }

    /// Brings the lane that runs to a rendezvous. `Waits`: it has to call [`Running::wait`]. `None`: the lane is being unwound by a
    /// panic; it counts as gone, and a destructor that wants to wait does not.
    #[inline(never)]
    pub(crate) fn arrive(
        &self,
        arrive: impl FnOnce(&mut Block, u32) -> Arrival,
    ) -> Option<Arrival> {
        self.may_wait()
            .then(|| arrive(&mut self.core_mut(), self.thread.get()))
    }

    /// Tells the block something of the lane that runs, which goes on. Nothing while it is being unwound by a panic.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Block, u32)) {
        if self.may_wait() {
            note(&mut self.core_mut(), self.thread.get());
        }
    }

    /// Whether the lane that runs can take part in a rendezvous: false while it is being unwound by a panic.
    #[inline(always)]
    pub(crate) fn may_wait(&self) -> bool {
        // README 9: the other lanes would run with this lane's panic count.
        if thread::panicking() {
            return false;
        }
        match self.phase.get() {
            Phase::Runs => true,
            Phase::Leaving => false,
            Phase::Abandoned => leave(),
        }
    }

    /// Switches to other lanes until the lane that runs may go on.
    // Inlined up to the kernel: processors predict a return by the calls before it, which were those of another lane.
    #[inline(always)]
    pub(crate) fn wait(&self) {
        let (save, to) = self.next();
        // SAFETY: `next` gives a place for the context of this lane, and whom to switch to.
        unsafe { self.switch(save, to) };
    }

    /// Switches to `to`, unless that is [`Context::NONE`].
    ///
    /// # Safety
    /// `save` is the place for the context of the lane that runs, and `to` a fiber that is suspended, or the scheduler.
    #[inline(always)]
    unsafe fn switch(&self, save: *mut Context, to: Context) {
        if to != Context::NONE {
            // SAFETY: the caller's promise.
            unsafe { self.link.switch(save, to) };
            if self.phase.get() != Phase::Runs {
                leave();
            }
        }
    }

    /// Who runs now that the lane that runs has to wait, and where to leave its context; [`Context::NONE`]: it runs itself.
    #[inline(never)]
    fn next(&self) -> (*mut Context, Context) {
        self.pick(&mut self.core_mut())
    }

    #[inline(always)]
    fn pick(&self, core: &mut Block) -> (*mut Context, Context) {
        let own = self.thread.get();
        let save = self.contexts[own as usize].as_ptr();
        self.spin.waits(own, self.site.get());
        if self.pending.is_some() {
            return (save, self.link.scheduler());
        }
        let to = match core.pick() {
            Pick::Ready(thread) => {
                let to = self.turn(core, thread);
                if let Some(then) = core.likely_next() {
                    self.contexts[then as usize].get().prefetch();
                }
                if thread == own { Context::NONE } else { to }
            }
            Pick::Fresh => self.idle_fiber().unwrap_or_else(|| {
                self.wants_fiber.set(true);
                self.link.scheduler()
            }),
            Pick::None => self.link.scheduler(),
        };
        (save, to)
    }

    /// It is the turn of this lane, which waits: where it goes on.
    pub(crate) fn turn_of(&self, thread: u32) -> Context {
        self.turn(&self.core(), thread)
    }

    #[inline(always)]
    fn turn(&self, core: &Block, thread: u32) -> Context {
        self.thread.set(thread);
        self.site.set(self.spin.goes_on(thread));
        self.registers.place.set(self.places[thread as usize]);
        self.given.set(core.result(thread));
        self.contexts[thread as usize].get()
    }

    /// A fiber that has no lane.
    #[inline]
    pub(crate) fn idle_fiber(&self) -> Option<Context> {
        self.idle.borrow_mut().pop()
    }

    /// Makes it the block whose lanes run on this OS thread.
    #[inline]
    fn runs_here(&self) {
        tls::set::<RUNNING>(ptr::from_ref(self).cast());
        match &self.checks {
            Some(checks) => checks.runs_here(ptr::from_ref(self).cast()),
            None => tls::set::<CHECKER>(ptr::null()),
        }
    }

    /// Runs fresh lanes until another lane is to run, or none is left.
    fn run_fresh_lanes(&self) {
        loop {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                self.run_plain_lanes();
                let mut next = self.core_mut().start_fresh();
                while let Some(thread) = next {
                    self.thread.set(thread);
                    self.registers.place.set(self.places[thread as usize]);
                    self.spin.starts();
                    (self.program)();
                    let mut core = self.core_mut();
                    core.exit(self.thread.get());
                    if !core.fresh_go_first() {
                        return;
                    }
                    next = core.start_fresh();
                }
            }));
            match outcome {
                Ok(()) => return,
                Err(payload) => self.lane_unwound(payload),
            }
            // Others go first, or no lane goes on.
            if !self.core().fresh_go_first() || self.phase.get() != Phase::Runs {
                return;
            }
        }
    }

    #[cold]
    fn lane_unwound(&self, payload: Box<dyn Any + Send>) {
        let thread = self.thread.get();
        let phase = self.phase.get();
        let was_ended = payload.is::<Ended>();
        self.any_ended.set(self.any_ended.get() | was_ended);
        if phase == Phase::Runs && !was_ended {
            let record = match self.record.take() {
                _ if payload.is::<StackOverflow>() => self.overflow_record(),
                Some((lane, record)) if lane == thread => record,
                _ => PanicRecord::of_payload(&*payload),
            };
            let mut first = self.first_panic.borrow_mut();
            if first.as_ref().is_none_or(|(lowest, _)| thread < *lowest) {
                *first = Some((thread, record));
            }
            self.n_panicked.set(self.n_panicked.get() + 1);
        }
        // A payload of the user's own type may want to wait when it is dropped, or panic; the payload of that panic is left alone.
        if phase == Phase::Runs {
            self.phase.set(Phase::Leaving);
        }
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(payload);
        }
        self.phase.set(phase);
        self.core_mut().exit(thread);
    }
}

mod plain; // lanes that meet no other

/// What runs on each fiber of a block: lanes that are fresh, one after the other.
pub(crate) extern "C-unwind" fn run_lanes(running: *const ()) -> ! {
    // SAFETY: `BlockScheduler` hands in its `Running`, owns the fibers as well, and ends them before it lets go of it; an `Rc` never moves it. Its
    // lifetime is longer than the fiber runs.
    let running = unsafe { &*running.cast::<Running<'_>>() };
    // Where stacks are threads, this is another one than that of the scheduler.
    running.runs_here();
    loop {
        running.run_fresh_lanes();
        if running.goes_on() {
            continue;
        }
        let pick = match running.phase.get() {
            Phase::Abandoned => Pick::None, // the scheduler goes through the lanes that are left
            _ if running.pending.is_some() => Pick::None,
            _ => running.core_mut().pick(),
        };
        let to = match pick {
            Pick::Fresh => continue,
            Pick::Ready(thread) => running.turn_of(thread),
            Pick::None => running.link.scheduler(),
        };
        let save = {
            let mut idle = running.idle.borrow_mut();
            idle.push(Context::NONE);
            idle.as_mut_ptr().wrapping_add(idle.len() - 1)
        };
        // SAFETY: nothing reads `idle` before the context of this fiber is there; a lane whose turn it is is suspended.
        unsafe { running.link.switch(save, to) };
    }
}

/// Ends the lane that runs, after its access was reported: it unwinds as after a panic, but counts as no panic of its own.
#[cold]
pub(crate) fn end_lane() -> ! {
    resume_unwind(Box::new(Ended))
}

/// The payload that unwinds a lane whose access must not happen.
struct Ended;

/// Unwinds the lane that runs.
#[cold]
pub(crate) fn leave() -> ! {
    resume_unwind(Box::new(Abandoned))
}

/// Until it is dropped, the block is the one that runs on this OS thread.
pub(crate) struct Entered;

impl Entered {
    pub(crate) fn new(running: &Running<'_>) -> Self {
        running.runs_here();
        Self
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        tls::set::<CHECKER>(ptr::null());
        tls::set::<RUNNING>(ptr::null());
    }
}
