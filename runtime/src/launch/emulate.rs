//! Launches on the emulator.

use std::ffi::c_void;
use std::panic::Location;
use std::sync::atomic::Ordering;

use warploom_emulator::check::{self, Mode, Options};
use warploom_emulator::{Shape, Together};

use crate::checked::{self, Body, Launched, conclude};
use crate::device::Emulated;
use crate::graph::record::RecordedLaunch;
use crate::kernel::Kernel;
use crate::launch::error::LaunchError;
use crate::launch::request::LaunchRequest;
use crate::launch_config::Launch;
use crate::launch_shape::CheckedShape;
use crate::stream::Stream;
use crate::sync::lock;

/// [`submit`](super::submit) on the emulator, of what was checked. No graph runs meanwhile, but the caller's. Nothing of the user's but the kernel runs
/// here: user code might wait for what the caller holds.
///
/// # Safety
/// As [`submit`](super::submit).
pub(super) unsafe fn emulate(
    emulated: &Emulated,
    request: &LaunchRequest<'_>,
    shape: CheckedShape,
    cpu: &(dyn Fn() + Sync),
) -> Result<(), LaunchError> {
    let &LaunchRequest {
        stream,
        kernel,
        args,
        caller,
        ..
    } = request;
    let device = stream.device();
    for buffer in request.buffers() {
        let handed = buffer.record_use(stream.queue());
        handed.map_err(|error| request.driver_error(error))?;
    }
    if emulated.model.is_some() {
        crate::module::embedded::check_capability(kernel, device, caller)?;
    }
    let prints = device.0.prints.host_ring();
    let grid_barrier = 0; // the emulator has one of its own
    let number = emulated.launches.fetch_add(1, Ordering::Relaxed) + 1;
    let (mut options, body) = checks(emulated, kernel, number, caller)?;
    options.prints = prints.control();
    options.kernel = kernel.base;
    let mut addresses = Addresses(Vec::new());
    if body.is_some() {
        for arg in args {
            arg.addresses(&grid_barrier, |address| addresses.0.push(address));
        }
    }
    // An exploration runs one launch many times.
    if body.is_some() && options.control.is_none() {
        let has_addresses = checked::may_have_addresses(kernel, args);
        emulated
            .turns
            .announce(stream, (kernel.base, has_addresses), caller);
    }
    let _constants = body.map(|_| checked::start_run());
    let _parameters = body.map(|_| checked::Parameters::announce(kernel, args));
    // SAFETY: the addresses of the values of all parameters, in order: their layouts were compared.
    let checked = body.map(|body| move || unsafe { (body.entry)(addresses.first()) });
    // Without another call in between: each thread pays for it.
    let cpu: &(dyn Fn() + Sync) = match &checked {
        Some(checked) => checked,
        None => cpu,
    };
    let launched = Launched {
        name: kernel.name,
        base: kernel.base,
        device: device.name(),
        grid: shape.grid,
        block: shape.block,
        at: caller,
        number,
        replay: options.replay(),
        sites: body.map_or(0..0, |body| body.sites.0..body.sites.1),
    };
    run(emulated, shape, &launched, &options, cpu)
}

/// Runs a launch that a graph kept, on the emulator.
pub(crate) fn run_recorded(
    emulated: &Emulated,
    stream: &Stream,
    launch: &RecordedLaunch,
) -> Result<(), LaunchError> {
    let request = LaunchRequest {
        stream,
        launch: Launch::new(launch.shape.grid, launch.shape.block),
        kernel: &launch.kernel.get(),
        args: &launch.args(),
        cpu: &|| {}, // `launch.cpu` is given below
        caller: launch.caller,
        loaded: None,
    };
    // SAFETY: the launch was checked when it was recorded, for this device, and keeps its values and the memory that it uses.
    unsafe { emulate(emulated, &request, launch.shape, &*launch.cpu) }
}

/// The addresses of parameters' values, which all threads of a launch read.
struct Addresses(Vec<*mut c_void>);

impl Addresses {
    fn first(&self) -> *const *const u8 {
        self.0.as_ptr().cast()
    }
}

// SAFETY: the values are borrowed for the launch, and no code writes through these addresses.
unsafe impl Sync for Addresses {}

/// How launch number `number` of the device is to run, and the instrumented body if it is to be checked.
fn checks(
    emulated: &Emulated,
    kernel: &Kernel<'_>,
    number: u64,
    caller: &'static Location<'static>,
) -> Result<(Options, Option<Body>), LaunchError> {
    let bad = |reason| LaunchError::Emulator {
        kernel: kernel.base,
        reason,
    };
    let mut options = checked::options().map_err(bad)?;
    let filter = checked::filter().map_err(bad)?;
    options.model = emulated.model.unwrap_or_default();
    options.mode = emulated.mode.unwrap_or(options.mode);
    options.schedule = emulated.schedule.unwrap_or(options.schedule);
    options.lints = emulated.lints.unwrap_or(options.lints);
    options.step_limit = emulated.step_limit.unwrap_or(options.step_limit);
    options.stack_bytes = emulated.stack_bytes.unwrap_or(options.stack_bytes);
    options.control.clone_from(&emulated.control);
    // An exploration needs every launch: what is left out would run in one order.
    if emulated.control.is_none() && !filter.has_launch(kernel.name, number) {
        options.mode = Mode::Fast;
    }
    if options.mode == Mode::Fast {
        return Ok((options, None));
    }
    match checked::body(kernel, caller)? {
        Ok(body) => Ok((options, Some(body))),
        Err(missing) if options.control.is_some() => Err(bad(format!(
            "its schedules cannot be explored: {}",
            missing.reason()
        ))),
        Err(missing) => {
            checked::note_unchecked(kernel, &missing, emulated.mode.is_some());
            options.mode = Mode::Fast;
            Ok((options, None))
        }
    }
}

/// Runs all threads on the emulator; a panic or a deadlock is kept for the next wait.
fn run(
    emulated: &Emulated,
    shape: CheckedShape,
    launched: &Launched<'_>,
    options: &Options,
    cpu: &(dyn Fn() + Sync),
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
    checked::write_page(launched, options, &outcome);
    emulated.costs.add(launched, &outcome);
    let Some(error) = conclude(launched, outcome, &emulated.warnings)? else {
        return Ok(());
    };
    // Like the record of a GPU: the first stays until it is taken.
    lock(&emulated.fault).get_or_insert(error);
    Ok(())
}
