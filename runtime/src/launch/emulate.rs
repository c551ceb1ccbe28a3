//! Launches on the emulator.

use std::ffi::c_void;
use std::ops::Range;
use std::panic::Location;
use std::sync::atomic::Ordering;

use warploom_emulator::check::{self, Mode, Options};
use warploom_emulator::{Shape, Together};

use crate::checked::{self, Body, Launched, conclude};
use crate::device::{Device, Emulated, lock};
use crate::graph::record::KeptLaunch;
use crate::launch::{Arg, CheckedShape, Kernel, LaunchError};
use crate::stream::Stream;

/// [`submit`](super::submit) on the emulator, of what was checked. No graph runs meanwhile, but the caller's. Nothing of the user's but the kernel runs
/// here: he might wait for what the caller holds.
///
/// # Safety
/// As [`submit`](super::submit).
pub(super) unsafe fn emulate(
    emulated: &Emulated,
    stream: &Stream,
    shape: CheckedShape,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    cpu: &(dyn Fn() + Sync),
    caller: &'static Location<'static>,
) -> Result<(), LaunchError> {
    let device = stream.device();
    for buffer in args.iter().filter_map(Arg::buffer) {
        let handed = buffer.hand_to(stream.queue());
        handed.map_err(|source| LaunchError::Driver {
            kernel: kernel.base,
            source,
        })?;
    }
    if emulated.model.is_some() {
        crate::module::check_capability(kernel, device, caller)?;
    }
    let prints = device.0.prints.host_ring();
    let grid_barrier = 0; // the emulator has one of its own
    let (mut options, body) = checks(emulated, kernel, caller)?;
    options.prints = prints.control();
    let mut addresses = Addresses(Vec::new());
    if body.is_some() {
        for arg in args {
            arg.addresses(&grid_barrier, |address| addresses.0.push(address));
        }
    }
    let _constants = body.map(|_| checked::start_run());
    let _parameters = body.map(|_| checked::Parameters::announce(args));
    // SAFETY: the addresses of the values of all parameters, in order: their layouts were compared.
    let checked = body.map(|body| move || unsafe { (body.entry)(addresses.first()) });
    // Without another call in between: each thread pays for it.
    let cpu: &(dyn Fn() + Sync) = match &checked {
        Some(checked) => checked,
        None => cpu,
    };
    let sites = body.map_or(0..0, |body| body.sites.0..body.sites.1);
    let on = (device, emulated);
    run(on, shape, kernel, &options, sites, cpu, caller)
}

/// Runs a launch that a graph kept, on the emulator.
pub(crate) fn run_kept(
    emulated: &Emulated,
    stream: &Stream,
    launch: &KeptLaunch,
) -> Result<(), LaunchError> {
    let (shape, kernel, args) = (launch.shape, launch.kernel.get(), launch.args());
    let (cpu, caller) = (&*launch.cpu, launch.caller);
    // SAFETY: the launch was checked when it was recorded, for this device, and keeps its values and the memory that it uses.
    unsafe { emulate(emulated, stream, shape, &kernel, &args, cpu, caller) }
}

/// The addresses of parameters' values, which all threads of a launch read.
struct Addresses(Vec<*mut c_void>);

impl Addresses {
    fn first(&self) -> *const *const u8 {
        self.0.as_ptr().cast()
    }
}

// SAFETY: the values are borrowed for the launch, and nobody writes through these addresses.
unsafe impl Sync for Addresses {}

/// How the launch is to run, and the instrumented body if it is to be checked.
fn checks(
    emulated: &Emulated,
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<(Options, Option<Body>), LaunchError> {
    let bad = |reason| LaunchError::Emulator {
        kernel: kernel.base,
        reason,
    };
    let mut options = checked::options().map_err(bad)?;
    options.model = emulated.model.unwrap_or_default();
    options.mode = emulated.mode.unwrap_or(options.mode);
    options.schedule = emulated.schedule.unwrap_or(options.schedule);
    options.lints = emulated.lints.unwrap_or(options.lints);
    options.step_limit = emulated.step_limit.unwrap_or(options.step_limit);
    if options.mode == Mode::Fast {
        return Ok((options, None));
    }
    match checked::body(kernel, caller)? {
        Ok(body) => Ok((options, Some(body))),
        Err(missing) => {
            checked::note_unchecked(kernel, &missing, emulated.mode.is_some());
            options.mode = Mode::Fast;
            Ok((options, None))
        }
    }
}

/// Runs all threads on the emulator; a panic or a deadlock is kept for whoever waits next.
fn run(
    (device, emulated): (&Device, &Emulated),
    shape: CheckedShape,
    kernel: &Kernel<'_>,
    options: &Options,
    sites: Range<u32>,
    cpu: &(dyn Fn() + Sync),
    caller: &'static Location<'static>,
) -> Result<(), LaunchError> {
    let together = Together {
        cluster: shape.cluster.extents,
        cooperative: shape.cooperative,
    };
    let shape = Shape {
        grid: shape.grid,
        block: shape.block,
        dynamic_shared_bytes: shape.dynamic_shared_bytes,
        workers: None,
    };
    let outcome = warploom_emulator::run_with(shape, together, options, cpu);
    if options.mode == Mode::Fast {
        check::forget_values();
    }
    let launched = Launched {
        name: kernel.name,
        base: kernel.base,
        device: device.name(),
        grid: shape.grid,
        block: shape.block,
        at: caller,
        number: emulated.launches.fetch_add(1, Ordering::Relaxed) + 1,
        replay: options.replay(),
        sites,
    };
    checked::write_page(&launched, options, &outcome);
    let Some(error) = conclude(&launched, outcome, &emulated.warnings)? else {
        return Ok(());
    };
    // Like the record of a GPU: the first stays until it is taken.
    lock(&emulated.fault).get_or_insert(error);
    Ok(())
}
