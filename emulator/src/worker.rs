//! Runs sets of blocks on one OS thread: of one block in an ordinary launch, of a cluster, or of the whole cooperative grid.

use std::mem;
use std::rc::Rc;
use std::thread;

use crate::block::Random;
use crate::check::{Mode, Schedule};
use crate::crew::Crew;
use crate::diagnose;
use crate::fault::Fault;
use crate::fiber::{Phase, Running};
use crate::grid::Blocks;
use crate::order::BlockOrder;
use crate::quiet::Ballot;
use crate::run::Launch;
use crate::set::Set;
use crate::shape::CheckedShape;

/// Runs sets, one after the other.
pub(crate) struct Worker<'run> {
    crews: Vec<Crew<'run>>,
    watch: Watch,
    /// The blocks of the set in the order in which they are served.
    turns: Vec<usize>,
    set: Rc<Set<'run>>,
}

/// Rounds through all lanes that poll without a change of memory, after which nobody expects one. A loop that gives up by itself after
/// as many looks is taken for one that does not.
const ROUNDS: u32 = 1024;

/// What a worker saw of lanes that poll.
#[derive(Debug, Default)]
struct Watch {
    rounds: u32,
    progress: u64,
    /// Whether its lanes changed memory since it voted last.
    changed: bool,
    ballot: Ballot,
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
        let set = Rc::new(Set::new(shape, launch, sets));
        let places: Rc<[[u32; 3]]> = (0..shape.n_threads)
            .map(|thread| shape.thread_at(thread))
            .collect();
        let crews: Vec<_> = (0..shape.set_blocks)
            .map(|member| Running::new(&set, member, &places, program))
            .map(|running| Crew::new(Rc::new(running)))
            .collect();
        set.admit(crews.iter().map(|crew| &crew.running));
        let turns = (0..crews.len()).collect();
        Self {
            crews,
            watch: Watch::default(),
            turns,
            set,
        }
    }

    /// Runs one set to its end, and of sets with one block those that come next, as long as nothing is to be said of them. `is_lost`:
    /// whether a block before it has stopped the run, so that nobody asks what becomes of this one.
    pub(crate) fn run_set(
        &mut self,
        number: u64,
        is_lost: &dyn Fn() -> bool,
    ) -> Result<(), SetFailure> {
        for (member, crew) in self.crews.iter().enumerate() {
            let block = self.set.shape.block_of_set(number, member);
            crew.running.restart(block);
        }
        if let Schedule::Reverse | Schedule::Random(_) = self.set.launch.options.schedule {
            self.turns = self.turns_of(number);
        }
        let stuck = self.schedule(is_lost);
        self.report_oddities();
        self.verdict(stuck)
    }

    /// In which order the blocks of set `number` are served.
    fn turns_of(&self, number: u64) -> Vec<usize> {
        let schedule = self.set.launch.options.schedule;
        let order = match schedule {
            // Another stream of numbers for each set, apart from that of its blocks.
            Schedule::Random(seed) => Schedule::Random(Random::new(seed, !number).next()),
            other => other,
        };
        let order = BlockOrder::new(order, self.crews.len() as u64);
        let positions = 0..self.crews.len() as u64;
        positions
            .map(|position| order.set(position) as usize)
            .collect()
    }

    /// Switches to lanes until all have exited. `Some`: they cannot, and all have been unwound.
    fn schedule(&mut self, is_lost: &dyn Fn() -> bool) -> Option<Fault> {
        loop {
            let mut any = false;
            for turn in &self.turns {
                match self.crews[*turn].drain() {
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
            if let [alone] = &self.crews[..]
                && alone.running.core().n_live() == 0
            {
                return None;
            }
            let again = any && self.crews.len() > 1;
            if !again && !self.set.complete() && !self.converge() {
                if !self.wake() || self.only_polls() {
                    break;
                }
                // All that are left sleep, perhaps until a block writes that will never start (README 16).
                if self.set.launch.options.mode == Mode::Fast && is_lost() {
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

    /// Answers waiting `active_mask()` calls (README 6), when no lane of the set can go on.
    fn converge(&self) -> bool {
        let mut any = false;
        for crew in &self.crews {
            any |= crew.running.core_mut().converge();
        }
        any
    }

    /// Lets one sleeper of each block go on (README 14), when nobody else can.
    fn wake(&mut self) -> bool {
        self.crews
            .iter_mut()
            .fold(false, |any, crew| crew.wake() | any)
    }

    /// Whether all lanes of the run that are left poll memory that nobody will change. To be asked after each round through those that do.
    fn only_polls(&mut self) -> bool {
        let launch = self.set.launch;
        if launch.options.mode != Mode::Checked {
            return false; // nobody says what changes
        }
        let (mut changed, mut progress) = (false, 0);
        for crew in &self.crews {
            changed |= crew.running.spin.changed.take();
            progress += crew.running.core().progress();
        }
        let watch = &mut self.watch;
        watch.changed |= changed;
        if changed || progress != watch.progress {
            watch.progress = progress;
            watch.rounds = 0;
            return false;
        }
        watch.rounds += 1;
        if watch.rounds.is_multiple_of(16) {
            thread::yield_now(); // perhaps another worker makes the change
        }
        if watch.rounds < ROUNDS {
            return false;
        }
        watch.rounds = 0;
        launch
            .quiet
            .vote(&mut watch.ballot, mem::take(&mut watch.changed))
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
        let set_phase = |crews: &[Crew<'_>], phase| {
            for crew in crews {
                crew.running.phase.set(phase);
            }
        };
        self.report_oddities(); // before the lanes exit that would have gone on
        set_phase(&self.crews, Phase::Abandoned);
        for crew in &mut self.crews {
            crew.abandon();
            crew.running.core_mut().remarks.take();
        }
        set_phase(&self.crews, Phase::Runs);
    }

    /// Reports what was odd so far, although it completed.
    fn report_oddities(&self) {
        for crew in &self.crews {
            if !crew.running.core().remarks.is_empty() {
                diagnose::oddities(&crew.running);
            }
        }
    }

    /// The fault of the lowest block that has one; panics come before what got stuck.
    fn verdict(&self, stuck: Option<Fault>) -> Result<(), SetFailure> {
        let stops_run = stuck.is_some();
        let unharmed = |crew: &Crew<'_>| crew.running.n_panicked.get() == 0;
        if !stops_run && self.crews.iter().all(unharmed) {
            return Ok(());
        }
        let mut n_panicked = 0;
        let mut first = None;
        for crew in &self.crews {
            n_panicked += crew.running.n_panicked.take();
            let panic = crew.running.first_panic.take();
            if first.is_none()
                && let Some((thread, record)) = panic
            {
                first = Some((&crew.running, thread, record));
            }
        }
        let panicked = first.map(|(running, thread, record)| Fault::Panic {
            message: record.message,
            file: record.file,
            line: record.line,
            column: record.column,
            block: running.block.get(),
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
