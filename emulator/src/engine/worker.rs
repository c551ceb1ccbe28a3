//! Runs sets of blocks on one OS thread: of one block in an ordinary launch, of a cluster, or of the whole cooperative grid.

use std::mem;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::block_scheduler::BlockScheduler;
use crate::engine::co_resident::CoResidentBlocks;
use crate::engine::diagnose;
use crate::engine::fiber::{Phase, Running};
use crate::engine::grid::Blocks;
use crate::engine::launch::Launch;
use crate::engine::livelock::Vote;
use crate::engine::order::BlockOrder;
use crate::fault::Fault;
use crate::options::{Mode, Schedule};
use crate::random::Random;
use crate::shape::CheckedShape;

mod controlled; // runs in which atomic accesses are chosen from outside

/// Runs sets, one after the other.
pub(crate) struct Worker<'run> {
    schedulers: Vec<BlockScheduler<'run>>,
    watch: Watch,
    /// The blocks of the set in the order in which they are served.
    turns: Vec<usize>,
    /// Atomic accesses that were chosen, in a run under control.
    n_chosen: u64,
    set: Rc<CoResidentBlocks<'run>>,
}

/// Rounds through all lanes that poll without a change of memory, after which none is expected. A loop that gives up by itself after
/// as many looks is taken for one that does not.
const ROUNDS: u32 = 1024;

/// After a round without a change a worker yields to other OS threads, so many times until it sees the next change. Where those keep the processors busy each
/// yield takes milliseconds.
const YIELDS: u32 = 4;

/// Then it sleeps in one round of so many, ...
const ROUNDS_OF_PAUSE: u32 = 64;

/// ... for so long: an OS thread that slept comes before those that compute.
const PAUSE: Duration = Duration::from_micros(50);

/// Further rounds, in which such lanes come through each place at which they give way: a load does so in each 16th round at the latest.
const SETTLING_ROUNDS: u32 = 256;

/// Both in a run under control, whose rounds are the same each time: a lane gives way after two accesses of a round, and a body runs in many schedules.
const ROUNDS_UNDER_CONTROL: [u32; 2] = [64, 16];

/// The first in a fast run, which sees fewer changes of memory: at least so many, and so many looks of all lanes together. Fewer where each look switches
/// between threads of the operating system.
const ROUNDS_UNSEEN: [u32; 2] = if cfg!(any(test, miri, warploom_threads)) {
    [1 << 12, 1 << 14]
} else {
    [1 << 16, 1 << 22]
};

/// And then so long, in a fast run: a thread of the host may write what the lanes poll, and changes by plain stores and by atomics of `core` are not seen.
const UNSEEN_FOR: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 10 });

/// What a worker saw of lanes that poll.
#[derive(Debug, Default)]
struct Watch {
    rounds: u32,
    /// Yields to other OS threads since the last change.
    yields: u32,
    /// Since when a fast run has had as many rounds as it needs.
    quiet_since: Option<Instant>,
    /// All workers have voted that nothing changes: these are the `SETTLING_ROUNDS`.
    settles: bool,
    progress: u64,
    /// Rounds through lanes that sleep after a thread of the run has panicked, in which no lane has exited.
    rounds_after_panic: u32,
    /// Lanes that had not exited in the last of them.
    live: u32,
    /// Whether its lanes changed memory since it voted last.
    changed: bool,
    vote: Vote,
}

/// What a worker asks of the run when all lanes of its set sleep.
pub(crate) struct OtherSets<'a> {
    /// Whether a set before its own has stopped the run, so that the outcome of its own does not matter.
    pub(crate) have_stopped_run: &'a dyn Fn() -> bool,
    /// Whether a set that has ended had panics.
    pub(crate) have_panicked: &'a dyn Fn() -> bool,
}

/// How a set failed.
#[derive(Debug)]
pub(crate) struct SetFailure {
    pub(crate) fault: Fault,
    pub(crate) n_panicked: u64,
    /// No further block may start.
    pub(crate) stops_run: bool,
}

impl<'run> Worker<'run> {
    pub(crate) fn new(
        shape: CheckedShape,
        launch: &'run Launch,
        program: &'run (dyn Fn() + Sync),
        sets: &'run Blocks<'run>,
    ) -> Self {
        let set = Rc::new(CoResidentBlocks::new(shape, launch, sets));
        let places: Rc<[[u32; 3]]> = (0..shape.n_threads)
            .map(|thread| shape.thread_at(thread))
            .collect();
        let schedulers: Vec<_> = (0..shape.set_blocks)
            .map(|member| Running::new(&set, member, &places, program))
            .map(|running| BlockScheduler::new(Rc::new(running)))
            .collect();
        set.admit(schedulers.iter().map(|scheduler| &scheduler.running));
        let turns = (0..schedulers.len()).collect();
        Self {
            schedulers,
            watch: Watch::default(),
            turns,
            n_chosen: 0,
            set,
        }
    }

    /// Runs one set to its end, and of sets with one block those that come next, as long as nothing is to be said of them.
    pub(crate) fn run_set(
        &mut self,
        number: u64,
        others: &OtherSets<'_>,
    ) -> Result<(), SetFailure> {
        for (member, scheduler) in self.schedulers.iter().enumerate() {
            let block = self.set.shape.block_of_set(number, member);
            scheduler.running.restart(block);
        }
        if let Schedule::Reverse | Schedule::Random(_) = self.set.launch.options.schedule {
            self.turns = self.turns_of(number);
        }
        self.watch.rounds = 0;
        self.watch.yields = 0;
        self.watch.rounds_after_panic = 0;
        let control = self.set.launch.options.control.clone();
        let stuck = match control {
            Some(control) => self.schedule_under(&control),
            None => self.schedule(others),
        };
        if stuck.is_none() {
            self.set.tell_end();
        }
        self.report_warnings();
        self.verdict(stuck)
    }

    /// In which order the blocks of set `number` are served.
    fn turns_of(&self, number: u64) -> Vec<usize> {
        let schedule = self.set.launch.options.schedule;
        let order = match schedule {
            // Another stream of numbers for each set, apart from that of its blocks.
            Schedule::Random(seed) => Schedule::Random(Random::new(seed, !number).number()),
            other => other,
        };
        let order = BlockOrder::new(order, self.schedulers.len() as u64);
        let positions = 0..self.schedulers.len() as u64;
        positions
            .map(|position| order.set(position) as usize)
            .collect()
    }

    /// Switches to lanes until all have exited. `Some`: they cannot, and all have been unwound.
    fn schedule(&mut self, others: &OtherSets<'_>) -> Option<Fault> {
        loop {
            let mut any = false;
            for turn in &self.turns {
                match self.schedulers[*turn].drain() {
                    Ok(ran) => any |= ran,
                    Err(fault) => {
                        self.abandon(&fault);
                        return Some(fault);
                    }
                }
            }
            if let Some(fault) = self.set.ended() {
                self.abandon(&fault);
                return Some(fault);
            }
            // A block that is alone has just been seen to the end of what it can do; in most launches that is its end.
            if let [alone] = &self.schedulers[..]
                && alone.running.core().n_live() == 0
            {
                return None;
            }
            let again = any && self.schedulers.len() > 1;
            if !again && !self.set.complete() && !self.converge() {
                if !self.wake() || self.only_polls() {
                    break;
                }
                if self.is_lost(others) {
                    self.unwind();
                    return None;
                }
            }
        }
        let fault = self.set.stuck()?;
        diagnose::stuck(&self.set);
        self.abandon(&fault);
        Some(fault)
    }

    /// Whether the run has failed in any case, and what the lanes of this set sleep for may never come (README 16): a block would write it that will not start, or a
    /// thread that has panicked. To be asked after each round through lanes that sleep.
    fn is_lost(&mut self, others: &OtherSets<'_>) -> bool {
        if self.set.launch.options.mode == Mode::Fast && (others.have_stopped_run)() {
            return true;
        }
        let (mut panicked, mut live) = ((others.have_panicked)(), 0);
        for scheduler in &self.schedulers {
            panicked |= scheduler.running.n_panicked.get() > 0;
            live += scheduler.running.core().n_live();
        }
        let watch = &mut self.watch;
        watch.rounds_after_panic = match panicked && live == watch.live {
            true => watch.rounds_after_panic + 1,
            false => 0,
        };
        watch.live = live;
        watch.rounds_after_panic > ROUNDS
    }

    /// Answers waiting `active_mask()` calls (README 6), when no lane of the set can go on.
    fn converge(&self) -> bool {
        let mut any = false;
        for scheduler in &self.schedulers {
            any |= scheduler.running.core_mut().converge();
        }
        any
    }

    /// Lets the sleepers of each block go on (README 14), when no other lane can; then other OS threads, once for all sleepers: perhaps another worker writes what
    /// they wait for.
    fn wake(&mut self) -> bool {
        let any = self
            .schedulers
            .iter_mut()
            .fold(false, |any, scheduler| scheduler.wake() | any);
        let watch = &mut self.watch;
        if !any || watch.rounds == 0 {
            // Lanes of its own have gone on.
        } else if watch.yields < YIELDS {
            watch.yields += 1;
            thread::yield_now();
        } else if watch.rounds.is_multiple_of(ROUNDS_OF_PAUSE) {
            thread::sleep(PAUSE);
        }
        any
    }

    /// Whether all lanes of the run that are left poll memory that no lane will change. To be asked after each round through those that do.
    fn only_polls(&mut self) -> bool {
        let launch = self.set.launch;
        let [quiet_rounds, settling_rounds] = match launch.options.control {
            Some(_) => ROUNDS_UNDER_CONTROL,
            None if launch.options.mode == Mode::Fast => [self.rounds_unseen(), SETTLING_ROUNDS],
            None => [ROUNDS, SETTLING_ROUNDS],
        };
        let (mut changed, mut progress) = (false, 0);
        for scheduler in &self.schedulers {
            changed |= scheduler.running.spin.changed.take();
            progress += scheduler.running.core().progress();
        }
        let watch = &mut self.watch;
        watch.changed |= changed;
        if changed || progress != watch.progress {
            watch.progress = progress;
            watch.rounds = 0;
            watch.yields = 0;
            watch.quiet_since = None;
            if watch.settles {
                self.end_settling(); // a loop gave up by itself
            }
            return false;
        }
        watch.rounds += 1;
        if watch.settles {
            let is_settled = watch.rounds == settling_rounds;
            if is_settled {
                self.end_settling();
            }
            return is_settled;
        }
        if watch.rounds < quiet_rounds {
            return false;
        }
        if launch.options.mode == Mode::Fast && launch.options.control.is_none() {
            let since = watch.quiet_since.get_or_insert_with(Instant::now);
            if since.elapsed() < UNSEEN_FOR {
                watch.rounds -= ROUNDS_OF_PAUSE;
                return false;
            }
        }
        watch.rounds = 0;
        let changed = mem::take(&mut watch.changed);
        if launch.quiet.vote(&mut watch.vote, changed) {
            self.begin_settling();
        }
        false
    }

    /// Rounds without a change that a fast run sees, after which none is expected.
    fn rounds_unseen(&self) -> u32 {
        let live = |scheduler: &BlockScheduler<'_>| scheduler.running.core().n_live();
        let live: u32 = self.schedulers.iter().map(live).sum();
        let [rounds, looks] = ROUNDS_UNSEEN;
        rounds.max(looks / live.max(1))
    }

    /// Begins to keep at which places lanes give way.
    fn begin_settling(&mut self) {
        self.watch.settles = true;
        for scheduler in &self.schedulers {
            let running = &scheduler.running;
            running.spin.begin_settling(running.shape.n_threads);
        }
    }

    /// Takes these places for where the lanes are. How many rounds there were before all workers had voted depends on the operating
    /// system; what is reported must not.
    fn end_settling(&mut self) {
        self.watch.settles = false;
        for scheduler in &self.schedulers {
            let running = &scheduler.running;
            running.spin.settles.set(false);
            let mut core = running.core_mut();
            core.settle_sleepers(|thread| running.spin.settled(thread));
        }
    }

    /// Unwinds all lanes that wait, in all blocks.
    #[cold]
    fn abandon(&mut self, fault: &Fault) {
        if cfg!(panic = "abort") {
            // Without unwinding their destructors would never run, which frames such as `thread::scope` rely on.
            eprintln!("warploom: {fault}");
            std::process::abort();
        }
        self.unwind();
    }

    /// Ends all lanes that are left, wherever they wait.
    fn unwind(&mut self) {
        let set_phase = |schedulers: &[BlockScheduler<'_>], phase| {
            for scheduler in schedulers {
                scheduler.running.phase.set(phase);
            }
        };
        self.report_warnings(); // before the lanes exit that would have gone on
        set_phase(&self.schedulers, Phase::Abandoned);
        for scheduler in &mut self.schedulers {
            scheduler.abandon();
            scheduler.running.core_mut().remarks.take();
        }
        set_phase(&self.schedulers, Phase::Runs);
    }

    /// Reports what was odd so far, although it completed.
    fn report_warnings(&self) {
        for scheduler in &self.schedulers {
            if !scheduler.running.core().remarks.is_empty() {
                diagnose::warnings(&scheduler.running);
            }
        }
    }

    /// The fault of the lowest block that has one; panics come before what got stuck.
    fn verdict(&self, stuck: Option<Fault>) -> Result<(), SetFailure> {
        let stops_run = stuck.is_some();
        let unharmed = |scheduler: &BlockScheduler<'_>| scheduler.running.n_panicked.get() == 0;
        if !stops_run && self.schedulers.iter().all(unharmed) {
            return Ok(());
        }
        let mut n_panicked = 0;
        let mut first = None;
        for scheduler in &self.schedulers {
            n_panicked += scheduler.running.n_panicked.take();
            let panic = scheduler.running.first_panic.take();
            if first.is_none()
                && let Some((thread, record)) = panic
            {
                first = Some((&scheduler.running, thread, record));
            }
        }
        let panicked = first.map(|(running, thread, record)| Fault::Panic {
            message: record.message,
            file: record.file,
            line: record.line,
            column: record.column,
            block: running.registers.block.get(),
            thread: running.shape.thread_at(thread),
            count: n_panicked,
        });
        match panicked.or(stuck) {
            None => Ok(()),
            Some(fault) => Err(SetFailure {
                fault,
                n_panicked,
                stops_run,
            }),
        }
    }
}
