//! The way in: checks the shape, spreads the blocks over OS threads, gives the verdict.

use std::thread;

use crate::control::{Control, ControlledLaunch};
use crate::detector;
use crate::detector::RunChecks;
use crate::engine::checker::RunChecker;
use crate::engine::fiber;
use crate::engine::grid::{BlockQueue, FaultLog};
use crate::engine::launch::Launch;
use crate::engine::livelock::LivelockDetector;
use crate::engine::order::BlockOrder;
use crate::engine::overflow;
use crate::engine::panics;
use crate::engine::stack;
use crate::engine::thread_pool::{self, HELPERS};
use crate::engine::worker::{OtherSets, Worker};
use crate::fault::Fault;
use crate::finding::{Report, Severity, Sink};
use crate::options::{Mode, Options};
use crate::report::lints::{Profile, Watchers};
use crate::shape::{CheckedShape, Shape, Together};
use std::sync::Arc;

/// Runs `program` once for each thread of each block of `shape`, and waits until all have returned.
///
/// `program` is the body of one thread; it learns from [`crate::intrinsics`] which thread it is. All threads of a block run on one OS
/// thread, one at a time: a thread runs until it returns or has to wait. As many blocks run at a time as there are workers, which take
/// them in linear order (x fastest); from 128 blocks per worker on they take two at a time, with more blocks more, at most sixteen, and run
/// these one after the other; fewer towards the end. The workers are the caller's OS thread and others that sleep between runs. So a block
/// may wait for the one before it, as long as none gets stuck: behind a stuck block no other starts, and one that runs already and waits
/// for one of these would wait for ever. With checks ([`run_with`]) no other block starts before the first is over. A thread gets a stack of its own only when it has to wait; its size is
/// [`Options::stack_bytes`](crate::check::Options::stack_bytes). On Linux a stack overflow in instrumented code is a panic of its thread; in
/// native code it ends the process, after a message that names block and thread.
///
/// A thread that spins until another thread of its block writes something spins for ever: only barriers, warp operations and `nanosleep`
/// let others run. A panic in a thread ends this thread alone, and what other threads wait for no longer counts it.
///
/// # Errors
/// - [`Fault::Shape`], [`Fault::SharedTooLarge`], [`Fault::Nested`]: nothing has run.
/// - [`Fault::Panic`]: threads panicked; all others ran to their end.
/// - [`Fault::Deadlock`]: the threads of a block wait for different things. They were unwound, and no further block was started.
///   A block in which threads panicked and the others got stuck is reported as a panic, which came first.
/// - [`Fault::SharedFull`]: a block has no room for its shared arrays. As for a deadlock.
/// - [`Fault::OutOfStacks`]: the operating system refused memory.
///
/// When the program is built with `panic = "abort"`, a panic of a thread or a deadlock ends the process, after its message.
///
/// If several blocks failed, the lowest one is reported, and of this the lowest thread.
///
/// ```
/// use warploom_emulator::{Fault, Shape, intrinsics, run};
///
/// let fault = run(Shape::new([2, 1, 1], [64, 1, 1]), &|| {
///     let scores = [1, 2, 3];
///     let index = intrinsics::thread_idx_x() as usize;
///     assert!(intrinsics::block_idx_x() == 0 || scores[index % 4] > 0);
/// });
/// let Err(Fault::Panic { message, block, thread, count, .. }) = fault else { unreachable!() };
/// assert_eq!(message, "index out of bounds: the len is 3 but the index is 3");
/// assert_eq!((block, thread, count), ([1, 0, 0], [3, 0, 0], 16));
/// ```
pub fn run(shape: Shape, program: &(dyn Fn() + Sync)) -> Result<(), Fault> {
    run_together(shape, Together::default(), program)
}

/// [`run`] in clusters, or as a cooperative grid: all threads of a cluster, or of the grid, are there together and can wait for each other.
///
/// They share one OS thread, so a cooperative grid runs on one processor. Clusters start in linear order. A GPU has a place on a
/// multiprocessor for every block of a cooperative grid; the emulator models one of the default [`Model`](crate::Model). [`run_with`] takes another.
///
/// # Errors
/// As [`run`]; [`Fault::PartialCluster`] if the grid is no whole number of clusters, [`Fault::GridTooLarge`] if a cooperative grid has
/// more blocks than there are places. A [`Fault::Deadlock`] says where the threads of each block wait.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use warploom_emulator::{Shape, Together, intrinsics, run_together};
///
/// let arrived = AtomicU32::new(0);
/// let clusters = Together { cluster: [2, 1, 1], cooperative: false };
/// run_together(Shape::new([6, 1, 1], [48, 1, 1]), clusters, &|| {
///     arrived.fetch_add(1, Ordering::Relaxed);
///     // SAFETY: one after the other.
///     unsafe {
///         intrinsics::cluster_arrive();
///         intrinsics::cluster_wait();
///     }
///     assert!(arrived.load(Ordering::Relaxed) >= 96, "both blocks were there");
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub fn run_together(
    shape: Shape,
    together: Together,
    program: &(dyn Fn() + Sync),
) -> Result<(), Fault> {
    let outcome = run_with(shape, together, &Options::default(), program);
    outcome.fault.map_or(Ok(()), Err)
}

/// Runs a shape that was checked.
fn run_launch(
    shape: &CheckedShape,
    n_workers: usize,
    launch: &Launch,
    program: &(dyn Fn() + Sync),
) -> Result<(), Fault> {
    panics::install_hook();
    let run = BlocksOfRun {
        shape,
        launch,
        program,
        queue: BlockQueue::new(shape.n_sets(), n_workers),
        log: FaultLog::new(),
    };
    // While a panic is under way here, lanes would take it for theirs (`thread::panicking`): they run elsewhere then.
    let n_helpers = n_workers - usize::from(!thread::panicking());
    let works_here = n_helpers < n_workers;
    let share = |own: &mut dyn FnMut()| {
        let work = || {
            run.work(|rest| rest());
            launch.quiet.leave();
        };
        launch.quiet.begin(n_workers);
        // Too few OS threads only cost time.
        let cancel = || launch.quiet.leave();
        HELPERS.run_with(n_helpers, &work, &cancel, |n_helping| {
            if n_helping == 0 {
                launch.quiet.begin(1);
            }
            let works_here = works_here || n_helping == 0;
            if works_here {
                own();
                launch.quiet.leave();
            }
            works_here
        });
    };
    // What the first set waits for must not depend on the number of workers (README 16 of the engine).
    if launch.options.mode == Mode::Checked && works_here && n_helpers > 0 {
        launch.quiet.begin(1);
        run.work(share);
    } else {
        share(&mut || run.work(|rest| rest()));
    }
    run.log.verdict()
}

fn workers(shape: &CheckedShape, asked: Option<usize>) -> usize {
    let n_sets = usize::try_from(shape.n_sets()).unwrap_or(usize::MAX);
    if n_sets == 1 {
        return 1;
    }
    // Each thread may need a stack.
    let set_threads = shape.n_threads as usize * shape.set_blocks;
    let most = stack::SET_LIMIT / set_threads.clamp(1, stack::SET_LIMIT);
    let wanted = shape.shape.workers.or(asked);
    let wanted = wanted.unwrap_or_else(|| thread_pool::processors().min(most));
    wanted.clamp(1, n_sets)
}

/// The blocks of one run, for all of its workers.
struct BlocksOfRun<'a> {
    shape: &'a CheckedShape,
    launch: &'a Launch,
    program: &'a (dyn Fn() + Sync),
    queue: BlockQueue,
    log: FaultLog,
}

impl BlocksOfRun<'_> {
    /// Works as one of the workers: runs one set, and hands what runs the others to `go_on`.
    fn work(&self, go_on: impl FnOnce(&mut dyn FnMut())) {
        let order = BlockOrder::new(self.launch.options.schedule, self.shape.n_sets());
        let sets = self.queue.blocks(order);
        let Some(first) = sets.next() else {
            return; // without the cost of a worker
        };
        overflow::prepare();
        let mut worker = Worker::new(*self.shape, self.launch, self.program, &sets);
        let mut run_set = |number| {
            let others = OtherSets {
                have_stopped_run: &|| self.queue.has_stopped_before(sets.position()),
                have_panicked: &|| self.log.has_panics(),
            };
            if let Err(failure) = worker.run_set(number, &others) {
                let position = sets.position();
                if failure.stops_run {
                    self.queue.stop(position);
                }
                self.log.report(position, failure.fault, failure.n_panicked);
            }
        };
        run_set(first);
        go_on(&mut || {
            while let Some(number) = sets.next() {
                run_set(number);
            }
        });
    }
}

/// What a run with [`Options`] found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// Why the run did not end as a kernel should; `None`: it did.
    pub fault: Option<Fault>,
    /// What the checks found, the worst first.
    pub reports: Vec<Report>,
    /// What it showed of performance; `Some` if that was asked for.
    pub profile: Option<Profile>,
}

/// The shape of a run under `control`, which is told that it begins.
fn under(control: &Control, shape: CheckedShape, kernel: &'static str) -> CheckedShape {
    let in_one_set = shape.in_one_set();
    control.0.begin(ControlledLaunch {
        kernel,
        grid: shape.shape.grid,
        block: shape.shape.block,
        is_together: in_one_set.is_some(),
    });
    in_one_set.unwrap_or(shape)
}

/// [`run_together`], in a chosen order and with checks. Of several blocks that fail the fault is that of the first to start.
///
/// In [`crate::check::Mode::Checked`] `program` runs instrumented code.
pub fn run_with(
    shape: Shape,
    together: Together,
    options: &Options,
    program: &(dyn Fn() + Sync),
) -> Outcome {
    let options = &match options.mode {
        Mode::Fast => Options {
            control: None, // native code does not say where its atomics are
            ..options.clone()
        },
        Mode::Checked => options.clone(),
    };
    let checked = if fiber::on_lane() {
        Err(Fault::Nested)
    } else {
        shape.check_on(options.model, together)
    };
    let shape = match checked {
        Ok(shape) => shape,
        Err(fault) => {
            return Outcome {
                fault: Some(fault),
                ..Outcome::default()
            };
        }
    };
    let (shape, n_workers) = match &options.control {
        Some(control) => (under(control, shape, options.kernel), 1),
        None => (shape, workers(&shape, options.workers)),
    };
    let sink = Arc::new(Sink::default());
    let is_checked = options.mode == Mode::Checked;
    let has_lints = is_checked && options.lints;
    let watchers = has_lints.then(|| Arc::new(Watchers::default()));
    let checks = is_checked.then(|| {
        let observe = watchers.clone().map(|watchers| watchers.observe(shape));
        let control = options.control.as_ref();
        let is_weak = control.is_some_and(|control| control.0.has_weak_memory());
        let sink = Arc::clone(&sink);
        Arc::new(RunChecks::new(shape, n_workers, sink, observe, is_weak))
    });
    let launch = Launch {
        options: Options {
            stack_bytes: options.stack_bytes.max(Options::LEAST_STACK_BYTES),
            ..options.clone()
        },
        checks: checks.clone().map(|checks| checks as Arc<dyn RunChecker>),
        sink,
        quiet: LivelockDetector::default(),
    };
    let watched = || {
        let _exit = detector::Exit;
        program();
    };
    let program = if has_lints { &watched } else { program };
    let fault = run_launch(&shape, n_workers, &launch, program).err();
    if let Some(checks) = &checks {
        checks.finish();
    }
    let mut reports = launch.sink.finish();
    let left = detector::leaks(&launch);
    // Lanes that were ended or got stuck could free nothing.
    let is_good = fault.is_none() && reports.iter().all(|one| one.severity < Severity::Error);
    if is_good && is_checked {
        reports.extend(left);
    }
    let profile = watchers.and_then(|watchers| watchers.finish());
    reports.extend(profile.iter().flat_map(Profile::reports));
    Outcome {
        fault,
        reports,
        profile,
    }
}
