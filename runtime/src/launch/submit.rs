//! Hands a launch to the driver or to the emulator: by the fast path if it repeats the latest one of its line, else by the slow path,
//! which checks everything.

use std::ffi::c_void;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::buffer::exclude_graphs;
use crate::cuda::DriverError;
use crate::cuda::callback::in_host_callback;
use crate::cuda::peer_access::peer_access;
use crate::device::order::submissions;
use crate::device::{Backend, Gpu, Submission};
use crate::graph::record::{Operation, RecordedKernel, RecordedLaunch, Recording};
use crate::kernel::Kernel;
use crate::launch::arguments::{Arg, RecordedArg};
use crate::launch::cache::LoadedKernel;
use crate::launch::check::{Checked, check};
use crate::launch::emulate::emulate;
use crate::launch::error::LaunchError;
use crate::launch::load::find;
use crate::launch::peers::check_peers;
use crate::launch::relaunch::relaunch;
use crate::launch::request::{LaunchRequest, ThreadBody};
use crate::launch_config::Launch;
use crate::launch_shape::CheckedShape;
use crate::stream::Stream;
use crate::sync::lock;

/// Starts a kernel on a stream's device. Called by the expansion of `kernel`; users call the kernel's typed `launch`.
///
/// On a GPU the work is queued, and the device code is found by `kernel.name` (and `caller`, where names are not enough).
/// On the emulator `cpu`, the body of one thread, runs once per thread before this returns. A kernel's panic is reported
/// where the stream is next waited for. A launch that covers nothing is `Ok`. A stream that records a graph keeps the launch for it.
///
/// # Errors
/// [`LaunchError`]; nothing ran then, unless it is [`LaunchError::Failed`], or on the emulator threads that came to a shared array for
/// which there is no room.
///
/// # Safety
/// `name`, `contract` and `params` are those of the device code's kernel, and `args` are its arguments in order, of the element
/// types that the kernel has, alive with their borrows until this returns. No argument that is written shares elements with
/// another. `cpu` may run once per thread of the launch, side by side; what it points to is in the buffers of `args` or its own.
pub unsafe fn submit(
    stream: &Stream,
    launch: Launch,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    cpu: &dyn ThreadBody,
    caller: &'static Location<'static>,
) -> Result<(), LaunchError> {
    let request = LaunchRequest {
        stream,
        launch,
        kernel,
        args,
        cpu,
        caller,
        loaded: None,
    };
    // SAFETY: the caller's promise.
    unsafe { submit_request(&request) }
}

/// Starts a kernel of a module that the user loaded. Nothing happens on the emulator, which loads none.
///
/// # Errors
/// As [`submit`].
///
/// # Safety
/// As [`submit`], for the function of `loaded`, which belongs to the stream's device.
pub(crate) unsafe fn submit_loaded(
    stream: &Stream,
    launch: Launch,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    loaded: &Mutex<LoadedKernel>,
    caller: &'static Location<'static>,
) -> Result<(), LaunchError> {
    let request = LaunchRequest {
        stream,
        launch,
        kernel,
        args,
        cpu: &|| {},
        caller,
        loaded: Some(loaded),
    };
    // SAFETY: the caller's promise.
    unsafe { submit_request(&request) }
}

/// The fast path if it applies, else the slow path.
///
/// # Safety
/// As [`submit`], or [`submit_loaded`] if the request has a loaded kernel.
#[inline]
unsafe fn submit_request(request: &LaunchRequest<'_>) -> Result<(), LaunchError> {
    let device = request.device();
    if let Backend::Cuda(gpu) = &device.0.backend
        && request.stream.recording().is_none()
        && !in_host_callback()
    {
        device.flush_prints(); // before the locks: it may wait
        // SAFETY: the caller's promise; the stream does not record.
        match unsafe { relaunch(gpu, request) } {
            Ok(false) => {}
            Ok(true) if !device.is_launch_blocking() => return Ok(()),
            Ok(true) => return wait_if_asked(request),
            Err(error) => return Err(refusal(request, *error)),
        }
    }
    // SAFETY: the caller's promise.
    unsafe { submit_checked(request) }
}

#[cold]
fn refusal(request: &LaunchRequest<'_>, error: DriverError) -> LaunchError {
    attribute_earlier_error(request.stream, request.driver_error(error))
}

/// The slow path: everything is checked.
///
/// # Safety
/// As [`submit_request`].
#[inline(never)]
unsafe fn submit_checked(request: &LaunchRequest<'_>) -> Result<(), LaunchError> {
    if in_host_callback() {
        return Err(LaunchError::InsideHostFunction {
            kernel: request.kernel.base,
        });
    }
    let Checked { shape, has_peers } = check(request)?;
    if let Some(recording) = request.stream.recording() {
        // SAFETY: the caller's promise; arguments and shape were checked.
        return unsafe { record(recording, request, shape) };
    }
    let Some(shape) = shape else {
        return Ok(());
    };
    let device = request.device();
    match &device.0.backend {
        Backend::Emulator(emulated) => {
            device.flush_prints(); // before the locks: handlers may use the device
            let _no_graph = match has_peers {
                true => exclude_graphs(&request.buffers().collect::<Vec<_>>(), request.stream),
                false => vec![emulated.shared_memory_access()],
            };
            // SAFETY: the caller's promise; arguments and shape were checked.
            unsafe { emulate(emulated, request, shape, request.cpu)? };
        }
        Backend::Cuda(gpu) => {
            let queued = if has_peers {
                // SAFETY: the caller's promise; arguments and shape were checked.
                unsafe { queue_with_peers(gpu, request, &shape) }
            } else {
                // SAFETY: as above.
                unsafe { queue(gpu, gpu.submission(), request, &shape) }
            };
            queued.map_err(|error| attribute_earlier_error(request.stream, error))?;
        }
    }
    wait_if_asked(request)
}

/// Keeps a launch for a graph, with everything that can be refused before the graph runs.
///
/// # Safety
/// As [`submit`]; arguments and shape were checked.
#[cold]
unsafe fn record(
    recording: &Recording,
    request: &LaunchRequest<'_>,
    shape: Option<CheckedShape>,
) -> Result<(), LaunchError> {
    let &LaunchRequest { kernel, caller, .. } = request;
    let over = |_| LaunchError::Recorded {
        kernel: kernel.base,
    };
    let Some(shape) = shape else {
        return recording.push(Operation::Nothing).map_err(over);
    };
    let device = request.device();
    let function = match &device.0.backend {
        Backend::Emulator(emulated) => {
            if emulated.model.is_some() {
                crate::module::embedded::check_capability(kernel, device, caller)?;
            }
            None
        }
        Backend::Cuda(gpu) => {
            let mut guard = gpu.submission();
            let mut loaded = request.loaded.map(lock);
            let found = find(gpu, &mut guard, &mut loaded, request, &shape)?;
            Some(found.function.clone())
        }
    };
    // SAFETY: the arguments borrow their values still.
    let kept = request
        .args
        .iter()
        .map(|arg| unsafe { RecordedArg::new(arg) });
    let launch = Operation::Launch(Arc::new(RecordedLaunch {
        name: kernel.base,
        kernel: RecordedKernel::new(kernel),
        shape,
        args: kept.collect(),
        caller,
        // SAFETY: what it points to is in the buffers of the arguments, which the operation keeps.
        cpu: unsafe { request.cpu.keep() },
        function,
    }));
    recording.push(launch).map_err(over)
}

/// [`queue`], of a launch that uses memory of other GPUs.
///
/// # Safety
/// As [`queue`].
#[cold]
unsafe fn queue_with_peers(
    gpu: &Gpu,
    request: &LaunchRequest<'_>,
    shape: &CheckedShape,
) -> Result<(), LaunchError> {
    let devices = request.buffers().map(|buffer| buffer.device());
    let mut others = submissions(devices.chain([request.device()]));
    let Some(own) = others.take(gpu) else {
        return Ok(()); // the stream's GPU is among them
    };
    let access = peer_access();
    check_peers(request, &access)?; // and no access ends before the launch is queued
    // SAFETY: the caller's promise.
    unsafe { queue(gpu, own, request, shape) }
}

/// Gives the stream the launch, under the submission lock.
///
/// # Safety
/// As [`submit_request`]; arguments and shape were checked for the device.
unsafe fn queue(
    gpu: &Gpu,
    mut guard: MutexGuard<'_, Submission>,
    request: &LaunchRequest<'_>,
    shape: &CheckedShape,
) -> Result<(), LaunchError> {
    let refused = |error: DriverError| request.driver_error(error);
    let &LaunchRequest {
        stream,
        kernel,
        args,
        caller,
        ..
    } = request;
    let Some(cuda) = stream.queue().cuda() else {
        return Ok(());
    };
    // After the submission's lock, always.
    let mut loaded = request.loaded.map(lock);
    let found = find(gpu, &mut guard, &mut loaded, request, shape)?;
    let mut grid_barrier = 0;
    if shape.cooperative {
        grid_barrier = cuda.grid_barrier().map_err(refused)?;
        // SAFETY: the word is the stream's; the launches of one stream come one after the other, each after its own zeroing.
        unsafe { cuda.zero(grid_barrier, size_of::<u32>()) }.map_err(refused)?;
    }
    let mut params: Vec<*mut c_void> = Vec::with_capacity(3 * args.len()); // at most
    for arg in args {
        arg.addresses(&grid_barrier, |address| params.push(address));
    }
    for buffer in request.buffers() {
        buffer.record_use(stream.queue()).map_err(refused)?;
    }
    // SAFETY: one address per parameter of the device function, in order: `find` compared kinds, sizes and alignments with the
    // device code's. The buffers note this stream, and wait for it before they free or hand over their memory.
    unsafe { found.function.launch(cuda, shape, params.as_mut_ptr()) }
        .map_err(|error| refused(*error))?;
    let names = [kernel.name, kernel.base];
    let shape = [shape.grid, shape.block];
    guard.recent.note(stream.queue().id(), names, shape, caller);
    Ok(())
}

/// A launch may be the first call that reports the failure of an earlier kernel: names the launches that may have been the cause.
#[cold]
fn attribute_earlier_error(stream: &Stream, mut error: LaunchError) -> LaunchError {
    let source = match &mut error {
        LaunchError::Driver { source, .. } => source,
        LaunchError::Refused { source, .. } => &mut **source,
        _ => return error,
    };
    stream
        .device()
        .add_candidate_launches(Some(stream.number()), source);
    error
}

/// After a launch: waits, if launches do.
fn wait_if_asked(request: &LaunchRequest<'_>) -> Result<(), LaunchError> {
    let &LaunchRequest {
        stream,
        kernel,
        caller,
        ..
    } = request;
    if !stream.device().is_launch_blocking() {
        return Ok(());
    }
    stream.synchronize().map_err(|source| LaunchError::Failed {
        kernel: kernel.base,
        at: caller,
        source: Box::new(source),
    })
}
