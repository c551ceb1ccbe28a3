//! Hands a checked launch to the driver or to the emulator.

use std::ffi::c_void;
use std::panic::Location;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::buffer::{Buffer, no_graphs};
use crate::cuda::DriverError;
use crate::cuda::host::is_inside;
use crate::cuda::peers::ways;
use crate::device::order::submissions;
use crate::device::{Backend, Device, Gpu, Submission, lock};
use crate::graph::record::{KeptKernel, KeptLaunch, Operation, Recording};
use crate::launch::blocking::wait_if_asked;
use crate::launch::check::{check_arguments, check_peers, check_shape, refuse_peers};
use crate::launch::emulate::emulate;
use crate::launch::ready::{Ready, find};
use crate::launch::repeat::repeat;
use crate::launch::{Arg, KeptArg, Kernel, Launch, LaunchError};
use crate::stream::Stream;

/// One thread of a kernel on the CPU. Every closure that can be copied and shared is one.
///
/// Called, it runs the thread that the emulator says is running.
pub trait ThreadBody: Fn() + Sync {
    /// A copy that may run after this call's arguments are gone.
    ///
    /// # Safety
    /// The copy runs only while what the closure points to is there.
    unsafe fn keep(&self) -> Box<dyn Fn() + Send + Sync>;
}

impl<F: Fn() + Clone + Send + Sync> ThreadBody for F {
    unsafe fn keep(&self) -> Box<dyn Fn() + Send + Sync> {
        let kept: Box<dyn Fn() + Send + Sync + '_> = Box::new(self.clone());
        // SAFETY: only the bound of the captures' life changes, and the caller answers for that.
        unsafe { std::mem::transmute(kept) }
    }
}

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
    // SAFETY: the caller's promise.
    unsafe { submit_any(stream, launch, kernel, args, cpu, caller, None) }
}

/// Starts a kernel that was loaded already, whoever made it. Nothing happens on the emulator, which loads none.
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
    loaded: &Mutex<Ready>,
    caller: &'static Location<'static>,
) -> Result<(), LaunchError> {
    // SAFETY: the caller's promise.
    unsafe { submit_any(stream, launch, kernel, args, &|| {}, caller, Some(loaded)) }
}

/// [`submit`], or [`submit_loaded`] if there is a `loaded`: the short way, if it is one.
///
/// # Safety
/// As these.
#[inline]
unsafe fn submit_any(
    stream: &Stream,
    launch: Launch,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    cpu: &dyn ThreadBody,
    caller: &'static Location<'static>,
    loaded: Option<&Mutex<Ready>>,
) -> Result<(), LaunchError> {
    let device = stream.device();
    if let Backend::Cuda(gpu) = &device.0.backend
        && stream.recording().is_none()
        && !is_inside()
    {
        device.flush_prints(); // before the locks: it may wait
        // SAFETY: the caller's promise; the stream does not record.
        match unsafe { repeat(gpu, stream, &launch, kernel, args, caller, loaded) } {
            Ok(false) => {}
            Ok(true) if !device.is_launch_blocking() => return Ok(()),
            Ok(true) => return wait_if_asked(stream, kernel, caller),
            Err(source) => return Err(refusal(stream, kernel, *source)),
        }
    }
    // SAFETY: the caller's promise.
    unsafe { submit_checked(stream, launch, kernel, args, cpu, caller, loaded) }
}

#[cold]
fn refusal(stream: &Stream, kernel: &Kernel<'_>, source: DriverError) -> LaunchError {
    let kernel = kernel.base;
    blame_earlier_work(stream, LaunchError::Driver { kernel, source })
}

/// The long way: everything is looked at.
///
/// # Safety
/// As [`submit_any`].
#[inline(never)]
unsafe fn submit_checked(
    stream: &Stream,
    launch: Launch,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    cpu: &dyn ThreadBody,
    caller: &'static Location<'static>,
    loaded: Option<&Mutex<Ready>>,
) -> Result<(), LaunchError> {
    let device = stream.device();
    if is_inside() {
        return Err(LaunchError::InsideHostFunction {
            kernel: kernel.base,
        });
    }
    if stream.recording().is_some() {
        refuse_peers(kernel, device, args)?;
    }
    let has_peers = check_arguments(kernel, device, args)?;
    if let Some(recording) = stream.recording() {
        let on = (recording, device);
        // SAFETY: the caller's promise.
        return unsafe { record(on, &launch, kernel, args, cpu, caller, loaded) };
    }
    match &device.0.backend {
        Backend::Emulator(emulated) => {
            let Some(shape) = check_shape(&launch, kernel, device)? else {
                return Ok(());
            };
            device.flush_prints(); // before the locks: handlers may use the device
            let _no_graph = match has_peers {
                true => no_graphs(&buffers(args), stream),
                false => vec![emulated.no_graph()],
            };
            // SAFETY: the caller's promise; arguments and shape were checked.
            unsafe { emulate(emulated, stream, shape, kernel, args, cpu, caller)? };
        }
        Backend::Cuda(gpu) => {
            // SAFETY: the caller's promise; the arguments were checked.
            let queued = unsafe {
                if has_peers {
                    queue_with_peers(gpu, stream, &launch, kernel, args, caller, loaded)
                } else {
                    let on = (&**gpu, gpu.submission());
                    queue(on, stream, &launch, kernel, args, caller, loaded)
                }
            };
            queued.map_err(|error| blame_earlier_work(stream, error))?;
        }
    }
    wait_if_asked(stream, kernel, caller)
}

/// Keeps a launch for a graph, with everything that can be refused before the graph runs.
///
/// # Safety
/// As [`submit`].
#[cold]
unsafe fn record(
    (recording, device): (&Recording, &Device),
    launch: &Launch,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    cpu: &dyn ThreadBody,
    caller: &'static Location<'static>,
    loaded: Option<&Mutex<Ready>>,
) -> Result<(), LaunchError> {
    let over = |_| LaunchError::Recorded {
        kernel: kernel.base,
    };
    let prepared = match &device.0.backend {
        Backend::Emulator(emulated) => {
            let shape = check_shape(launch, kernel, device)?;
            if shape.is_some() && emulated.model.is_some() {
                crate::module::check_capability(kernel, device, caller)?;
            }
            shape.map(|shape| (shape, None))
        }
        Backend::Cuda(gpu) => {
            let mut guard = gpu.submission();
            let mut loaded = loaded.map(lock);
            let found = find(
                (gpu, device),
                &mut guard,
                &mut loaded,
                launch,
                kernel,
                caller,
            )?;
            found.map(|(found, shape)| (shape, Some(found.function.clone())))
        }
    };
    let Some((shape, function)) = prepared else {
        return recording.push(Operation::Nothing).map_err(over);
    };
    // SAFETY: the arguments borrow their values still.
    let kept = args.iter().map(|arg| unsafe { KeptArg::new(arg) });
    let launch = Operation::Launch(Arc::new(KeptLaunch {
        name: kernel.base,
        kernel: KeptKernel::new(kernel),
        shape,
        args: kept.collect(),
        caller,
        // SAFETY: what it points to is in the buffers of `args`, which the operation keeps.
        cpu: unsafe { cpu.keep() },
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
    stream: &Stream,
    launch: &Launch,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    caller: &'static Location<'static>,
    loaded: Option<&Mutex<Ready>>,
) -> Result<(), LaunchError> {
    let devices = buffers(args).into_iter().map(|buffer| buffer.device());
    let mut others = submissions(devices.chain([stream.device()]));
    let Some(at) = others.iter().position(|(of, _)| ptr::eq(*of, gpu)) else {
        return Ok(()); // the stream's GPU is among them
    };
    let (_, own) = others.swap_remove(at);
    let ways = ways();
    check_peers(kernel, stream.device(), args, &ways)?; // and no way ends before the launch is queued
    // SAFETY: the caller's promise.
    unsafe { queue((gpu, own), stream, launch, kernel, args, caller, loaded) }
}

/// Gives the stream the launch, under the submission lock.
///
/// # Safety
/// As [`submit_any`]; the arguments were checked against `kernel.params` and the device.
unsafe fn queue(
    (gpu, mut guard): (&Gpu, Lock<'_>),
    stream: &Stream,
    launch: &Launch,
    kernel: &Kernel<'_>,
    args: &[Arg<'_>],
    caller: &'static Location<'static>,
    loaded: Option<&Mutex<Ready>>,
) -> Result<(), LaunchError> {
    let refused = |source: DriverError| LaunchError::Driver {
        kernel: kernel.base,
        source,
    };
    let device = stream.device();
    let Some(cuda) = stream.queue().cuda() else {
        return Ok(());
    };
    // After the submission's lock, always.
    let mut loaded: Option<MutexGuard<'_, Ready>> = loaded.map(lock);
    let found = find(
        (gpu, device),
        &mut guard,
        &mut loaded,
        launch,
        kernel,
        caller,
    )?;
    let Some((found, shape)) = found else {
        return Ok(());
    };
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
    for buffer in args.iter().filter_map(Arg::buffer) {
        buffer.hand_to(stream.queue()).map_err(refused)?;
    }
    // SAFETY: one address per parameter of the device function, in order: `find` compared kinds, sizes and alignments with the
    // device code's. The buffers note this stream, and wait for it before they free or hand over their memory.
    unsafe { found.function.launch(cuda, &shape, params.as_mut_ptr()) }
        .map_err(|error| refused(*error))?;
    let names = [kernel.name, kernel.base];
    let shape = [shape.grid, shape.block];
    guard.recent.note(stream.queue().id(), names, shape, caller);
    Ok(())
}

type Lock<'a> = MutexGuard<'a, Submission>;

#[cold]
fn buffers<'a>(args: &[Arg<'a>]) -> Vec<&'a Buffer> {
    args.iter().filter_map(Arg::buffer).collect()
}

/// A launch may be the first to hear that a kernel before it failed: names those that may have been the cause.
#[cold]
fn blame_earlier_work(stream: &Stream, mut error: LaunchError) -> LaunchError {
    let source = match &mut error {
        LaunchError::Driver { source, .. } => source,
        LaunchError::Refused { source, .. } => &mut **source,
        _ => return error,
    };
    stream.device().name_suspects(Some(stream.number()), source);
    error
}
