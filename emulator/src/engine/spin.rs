//! Lanes that poll memory: they give way to others, and are found out when no lane will ever change what they poll.
//!
//! In checked runs the hooks of instrumented code say here which accesses are atomic, and which change memory; in fast runs only the intrinsics
//! for atomics do. The rules stand in `README.md`, numbered.

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use crate::engine::fiber::{self, Phase, Running, leave};
use crate::engine::overflow;
use crate::engine::pending::{Access, PendingAccesses, Written};
use crate::fault::Fault;
use crate::site::Site;

/// Atomic accesses to the same few addresses that a lane makes in a row, without a change, before it gives way.
const PATIENCE: u32 = 16;

/// The same in a run under control, of accesses from the same places: others have to run before anything can change there.
const PATIENCE_UNDER_CONTROL: u32 = 2;

/// Atomic accesses without a change of memory after which a lane of a fast run gives way. Prime, so that a loop with several of them gives way at each
/// of them in turn.
const NATIVE_PATIENCE: u32 = 1021;

/// Different addresses that a lane may poll in turn.
const ADDRESSES: usize = 4;

/// What is kept of a lane while it does not run, of each. Small: all lanes of a block leave theirs at each barrier.
#[derive(Debug, Clone)]
struct Lane {
    /// Steps that it may still make.
    steps: Cell<u64>,
    /// Where instrumented code called what made it wait.
    site: Cell<u32>,
    /// Whether it has accessed anything atomically: then there is more in `Polling`.
    is_atomic: Cell<bool>,
}

/// What is kept of one that has made atomic accesses.
#[derive(Debug, Clone, Copy, Default)]
struct Polling {
    /// What it accessed atomically last, latest first.
    recent: [usize; ADDRESSES],
    /// How often in a row it accessed only these, and nothing changed.
    polls: u32,
    /// The first place, by `Site::rank`, at which it called for others to go first since the worker began to settle.
    slept: Option<Site>,
    /// The same of loads, with the address.
    polled: Option<(Site, usize)>,
}

/// What is known of the lanes of a block.
pub(crate) struct Spin {
    /// Only in a checked run.
    checked: bool,
    /// Whether lanes are pending at atomic accesses until they are chosen (`control.rs`).
    controlled: bool,
    /// What the latest atomic that may have changed memory has left there.
    pub(crate) written: Cell<Option<Written>>,
    /// The lane that runs.
    recent: Cell<[usize; ADDRESSES]>,
    polls: Cell<u32>,
    steps: Cell<u64>,
    limit: u64,
    /// What memory held before the atomic that the lane made last, if that may have changed it.
    before: Cell<Option<(*const u8, u32, u64)>>,
    /// In a fast run: atomic accesses without a change that the lanes of the block make before one gives way.
    looks: Cell<u32>,
    /// Whether a lane of the block changed memory since the worker looked. In fast runs: by an intrinsic, or it has read a clock.
    pub(crate) changed: Cell<bool>,
    /// Whether places at which lanes give way are kept (README 16).
    pub(crate) settles: Cell<bool>,
    /// Those that do not run. Empty unless the run is checked.
    lanes: Box<[Lane]>,
    /// Empty in a fast run until it settles.
    polling: RefCell<Vec<Polling>>,
}

impl Spin {
    pub(crate) fn new(checked: bool, controlled: bool, limit: u64, n_threads: u32) -> Self {
        let n_lanes = if checked { n_threads as usize } else { 0 };
        let lane = Lane {
            steps: Cell::new(limit),
            site: Cell::new(0),
            is_atomic: Cell::new(false),
        };
        Self {
            checked,
            controlled,
            written: Cell::new(None),
            recent: Cell::new([0; ADDRESSES]),
            polls: Cell::new(0),
            steps: Cell::new(limit),
            limit,
            before: Cell::new(None),
            looks: Cell::new(NATIVE_PATIENCE),
            changed: Cell::new(false),
            settles: Cell::new(false),
            lanes: vec![lane; n_lanes].into(),
            polling: RefCell::new(vec![Polling::default(); n_lanes]),
        }
    }

    /// Whether anything is kept of lanes.
    pub(crate) fn is_checked(&self) -> bool {
        self.checked
    }

    /// The lane starts.
    #[inline]
    pub(crate) fn starts(&self) {
        if self.checked {
            self.starts_checked();
        }
    }

    /// The same, in a checked run.
    #[inline(always)]
    pub(crate) fn starts_checked(&self) {
        // Only atomics leave anything to settle.
        if self.is_atomic() {
            self.settle();
            self.forget();
        }
        self.steps.set(self.limit);
    }

    /// The lane that runs has to wait.
    #[inline]
    pub(crate) fn waits(&self, thread: u32, site: u32) {
        if self.checked {
            self.settle();
            let lane = &self.lanes[thread as usize];
            lane.steps.set(self.steps.get());
            lane.site.set(site);
            lane.is_atomic.set(self.is_atomic());
            if self.is_atomic() {
                self.leave_polling(thread);
            }
        }
    }

    /// A lane that waited goes on; gives where it was.
    #[inline]
    pub(crate) fn goes_on(&self, thread: u32) -> u32 {
        if !self.checked {
            0
        } else {
            let lane = &self.lanes[thread as usize];
            self.steps.set(lane.steps.get());
            if lane.is_atomic.get() {
                self.take_polling(thread);
            } else if self.is_atomic() {
                self.forget();
            }
            lane.site.get()
        }
    }

    /// Whether the lane that runs has made atomic accesses.
    #[inline(always)]
    fn is_atomic(&self) -> bool {
        self.recent.as_array_of_cells()[0].get() != 0
    }

    /// What was known of the lane that ran before is not true of the one that runs.
    fn forget(&self) {
        self.recent.set([0; ADDRESSES]);
        self.polls.set(0);
    }

    /// The lane that runs has to wait, and has made atomic accesses.
    #[inline(never)]
    fn leave_polling(&self, thread: u32) {
        let polling = &mut self.polling.borrow_mut()[thread as usize];
        polling.recent = self.recent.replace([0; ADDRESSES]);
        polling.polls = self.polls.replace(0);
    }

    /// Such a lane goes on.
    #[inline(never)]
    fn take_polling(&self, thread: u32) {
        let polling = &self.polling.borrow()[thread as usize];
        self.recent.set(polling.recent);
        self.polls.set(polling.polls);
    }

    /// Looks whether the latest atomic has changed memory.
    #[inline(always)]
    pub(crate) fn settle(&self) {
        if self.before.get().is_some() {
            self.compare();
        }
    }

    #[inline(never)]
    fn compare(&self) {
        if let Some((at, bytes, before)) = self.before.take() {
            let value = value(at, bytes);
            let changed = value != Some(before);
            self.written.set(Some(Written { value, changed }));
            if changed {
                self.change();
            }
        }
    }

    /// What tells an access from others of the lane: the address, and under control the place as well.
    fn key(&self, address: usize, place: Site) -> usize {
        match self.controlled {
            true => address ^ place.rank().rotate_left(usize::BITS / 2),
            false => address,
        }
    }

    fn patience(&self) -> u32 {
        match self.controlled {
            true => PATIENCE_UNDER_CONTROL,
            false => PATIENCE,
        }
    }

    fn change(&self) {
        self.changed.set(true);
        self.polls.set(0);
        if self.controlled {
            // Only accesses since the lane's latest change can be those of a loop that polls.
            self.recent.set([0; ADDRESSES]);
        }
    }

    /// The next step of the lane that runs is its last.
    #[cfg_attr(
        not(all(
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64"),
            not(any(miri, warploom_threads))
        )),
        expect(dead_code, reason = "nothing handles signals there")
    )]
    pub(crate) fn ends_next_step(&self) {
        self.steps.set(1);
    }

    /// From now on keeps at which places lanes give way.
    pub(crate) fn begin_settling(&self, n_threads: u32) {
        self.settles.set(true);
        let mut polling = self.polling.borrow_mut();
        polling.resize(n_threads as usize, Polling::default());
        for lane in polling.iter_mut() {
            (lane.slept, lane.polled) = (None, None);
        }
    }

    /// A lane gives way at `place`: by a call, or after a load from `polled`.
    fn gives_way(&self, thread: u32, place: Site, polled: Option<usize>) {
        if !self.settles.get() {
            return;
        }
        let lane = &mut self.polling.borrow_mut()[thread as usize];
        let is_first = |known: Option<Site>| known.is_none_or(|k| place.rank() < k.rank());
        match polled {
            None if is_first(lane.slept) => lane.slept = Some(place),
            Some(address) if is_first(lane.polled.map(|(place, _)| place)) => {
                lane.polled = Some((place, address));
            }
            _ => {}
        }
    }

    /// Where a lane that polls gives way: at the first of its calls that sleep, or the first of its loads.
    pub(crate) fn settled(&self, thread: u32) -> Option<Site> {
        let lane = *self.polling.borrow().get(thread as usize)?;
        lane.slept.or(lane.polled.map(|(place, _)| place))
    }

    /// What such a lane polls; `None`: it only sleeps.
    pub(crate) fn polled(&self, thread: u32) -> Option<usize> {
        let lane = *self.polling.borrow().get(thread as usize)?;
        lane.polled.map(|(_, address)| address)
    }
}

/// What hooks of instrumented code call, in a lane of a checked run.
impl Running<'_> {
    /// The lane makes an atomic or volatile access of so many bytes next; `writes`: it may change memory. A lane that only polls gives
    /// way to others here, and in random orders any lane may.
    ///
    /// `seq_cst`: its order among all others of the kind matters. True: the lane was taken for one that polls, and has given way.
    ///
    /// The memory is there: the caller has checked the address, from a pointer.
    pub(crate) fn atomic_access(
        &self,
        at: *const u8,
        bytes: u32,
        (writes, seq_cst): (bool, bool),
        place: Site,
    ) -> bool {
        let spin = &self.spin;
        spin.settle();
        let mut recent = spin.recent.get();
        let key = spin.key(at.addr(), place);
        let known = recent.iter().position(|recent| *recent == key);
        // To the front, instead of what was there or of the oldest.
        let index = known.unwrap_or(ADDRESSES - 1);
        recent[..=index].rotate_right(1);
        recent[0] = key;
        spin.recent.set(recent);
        let polls = if known.is_some() {
            spin.polls.get() + 1
        } else {
            0
        };
        spin.polls.set(polls);
        let is_impatient = polls >= spin.patience();
        if is_impatient {
            self.give_way(place, at.addr());
        } else {
            self.maybe_yield();
        }
        if let Some(pending) = &self.pending {
            let access = Access {
                address: at.addr(),
                bytes,
                writes,
                seq_cst,
                place,
            };
            self.wait_to_be_chosen(pending, access);
            pending.makes(value(at, bytes));
        }
        if writes {
            let before = value(at, bytes);
            match before {
                Some(before) => spin.before.set(Some((at, bytes, before))),
                None => {
                    let changed = true;
                    let value = None;
                    spin.written.set(Some(Written { value, changed }));
                    spin.change();
                }
            }
        }
        is_impatient
    }

    /// The lane makes a sequentially consistent fence next, whose order among all others of the kind matters.
    pub(crate) fn fence_access(&self, place: Site) {
        self.access_of_no_bytes(place, true);
    }

    /// In a run under control: the lane goes on when it is chosen, and then it is asked which of two ways it takes.
    pub(crate) fn choice_access(&self, place: Site) {
        self.access_of_no_bytes(place, false);
    }

    fn access_of_no_bytes(&self, place: Site, seq_cst: bool) {
        self.spin.settle();
        if let Some(pending) = &self.pending {
            let access = Access {
                address: 0,
                bytes: 0,
                writes: false,
                seq_cst,
                place,
            };
            self.wait_to_be_chosen(pending, access);
            pending.makes(None);
        }
    }

    /// In a run under control: the lane goes on when its access is chosen.
    fn wait_to_be_chosen(&self, pending: &PendingAccesses, access: Access) {
        if self.may_wait() {
            pending.add(self.thread.get(), access);
            self.wait();
        }
    }

    /// The lane makes an atomic access next, as in `atomic_access`, of an address that is not among its latest: so it does not poll there.
    /// A change counts as one, whatever it writes. False: this says nothing, and `atomic_access` has to be asked.
    #[inline(always)]
    pub(crate) fn goes_elsewhere(&self, address: usize, writes: bool) -> bool {
        let spin = &self.spin;
        let [a, b, c, d] = spin.recent.get();
        if [a, b, c, d].contains(&address) || !self.in_order {
            return false;
        }
        spin.recent.set([address, a, b, c]);
        spin.polls.set(0);
        if writes {
            spin.changed.set(true);
        }
        true
    }

    /// Memory gets another value than it had.
    #[inline]
    pub(crate) fn memory_changed(&self) {
        self.spin.change();
    }

    /// In random orders: perhaps another lane runs next.
    #[inline]
    pub(crate) fn maybe_yield(&self) {
        if !self.core().fresh_go_first() {
            self.perhaps_yield();
        }
    }

    #[cold]
    fn perhaps_yield(&self) {
        if !self.may_wait() {
            return;
        }
        let yields = {
            let mut core = self.core_mut();
            let yields = core.gives_way();
            if yields {
                core.make_ready(self.thread.get(), 0);
            }
            yields
        };
        if yields {
            self.wait();
        }
    }

    /// The lane makes a step: an access to memory, or a call. It ends here if it has made more than any lane that ends.
    #[inline(always)]
    pub(crate) fn step(&self, site: u32) {
        if self.was_last_step() {
            self.endless(site);
        }
    }

    /// The lane makes a step; whether `endless` is to be called.
    #[inline(always)]
    pub(crate) fn was_last_step(&self) -> bool {
        let left = self.spin.steps.get().wrapping_sub(1);
        self.spin.steps.set(left);
        left == 0
    }

    /// Whether the lane may make so many steps before its last.
    #[inline(always)]
    pub(crate) fn has_steps(&self, n: u32) -> bool {
        self.spin.steps.get() > u64::from(n)
    }

    /// The lane makes so many steps, none of which is its last; false: it makes none.
    #[inline(always)]
    pub(crate) fn makes_steps(&self, n: u32) -> bool {
        let left = self.spin.steps.get();
        if left <= u64::from(n) {
            return false;
        }
        self.spin.steps.set(left - u64::from(n));
        true
    }

    /// Takes so many steps from those of the lane; whether there were more. If not, [`gives_back`](Self::gives_back) comes next.
    // One instruction, whose flags are the answer: hooks on the fast path give steps back elsewhere.
    #[inline(always)]
    pub(crate) fn takes_steps(&self, n: u32) -> bool {
        let before = self.spin.steps.get();
        self.spin.steps.set(before.wrapping_sub(u64::from(n)));
        before > u64::from(n)
    }

    /// Undoes what [`takes_steps`](Self::takes_steps) did.
    pub(crate) fn gives_back(&self, n: u32) {
        let left = self.spin.steps.get();
        self.spin.steps.set(left.wrapping_add(u64::from(n)));
    }

    /// Ends the lane if it has made its last step.
    #[inline(always)]
    pub(crate) fn end_after_last_step(&self, site: u32) {
        if self.spin.steps.get() == 0 {
            self.endless(site);
        }
    }

    /// A lane of a fast run has made an atomic access that changed nothing.
    #[inline(always)]
    fn looks(&self, at: *const u8, caller: &'static Location<'static>) {
        let left = self.spin.looks.get() - 1;
        self.spin.looks.set(left);
        if left == 0 {
            self.spin.looks.set(NATIVE_PATIENCE);
            self.give_way(self.place(caller), at.addr());
        }
    }

    /// Lets the others run that can, before the lane looks again at what it polls.
    #[cold]
    pub(crate) fn give_way(&self, place: Site, address: usize) {
        self.spin.polls.set(0);
        if !self.may_wait() {
            return;
        }
        let thread = self.thread.get();
        self.spin.gives_way(thread, place, Some(address));
        self.core_mut().sleep(thread, place);
        self.wait();
    }

    /// Lets all other lanes that can run do so before the lane that runs goes on.
    #[inline(never)]
    pub(crate) fn sleep(&self, place: Site) {
        if self.may_wait() {
            let thread = self.thread.get();
            self.spin.gives_way(thread, place, None);
            self.core_mut().sleep(thread, place);
            self.wait();
        }
    }

    #[cold]
    fn endless(&self, site: u32) {
        self.spin.steps.set(1); // again at the next step, should the lane catch this
        if std::thread::panicking() {
            return;
        }
        if self.guards.is_on_reserve(self.thread.get()) {
            overflow::end_lane();
        }
        if self.phase.get() == Phase::Runs {
            let fault = Fault::Endless {
                block: self.registers.block.get(),
                thread: self.shape.thread_at(self.thread.get()),
                steps: self.spin.limit,
            };
            crate::engine::diagnose::endless(self, self.spin.limit, site);
            self.set.end(fault);
        }
        leave();
    }
}

/// Makes an atomic access in native code: `operate` gives its result. `writes`: it may change memory.
///
/// Of two OS threads that change the same word at a time one may be taken for one that changes nothing. That costs a switch, or a round more.
#[inline(always)]
pub(crate) fn natively<R>(
    (at, bytes): (*const u8, usize),
    writes: bool,
    caller: &'static Location<'static>,
    operate: impl FnOnce() -> R,
) -> R {
    let look = || {
        if writes {
            value(at, bytes as u32)
        } else {
            None
        }
    };
    let before = look();
    let result = operate();
    let changed = writes && (before.is_none() || look() != before);
    fiber::with_running(|running| match changed {
        true => running.spin.changed.set(true),
        false => running.looks(at, caller),
    });
    result
}

/// What memory holds; `None` if there is no atomic of this size.
#[inline(always)]
pub(crate) fn value(at: *const u8, bytes: u32) -> Option<u64> {
    let at = at.cast_mut();
    if !at.addr().is_multiple_of(bytes.max(1) as usize) {
        return None;
    }
    macro_rules! load {
        ($atomic:ty) => {{
            // SAFETY: an atomic access of this size is made there, so the memory is valid and aligned.
            let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
            Some(cell.load(Ordering::Relaxed).into())
        }};
    }
    match bytes {
        1 => load!(AtomicU8),
        2 => load!(AtomicU16),
        4 => load!(AtomicU32),
        8 => load!(AtomicU64),
        _ => None,
    }
}

#[cfg(all(test, not(loom)))]
#[path = "native_poll_tests.rs"]
mod native_poll_tests;
#[cfg(all(test, not(loom)))]
#[path = "spin_tests.rs"]
mod tests;
