//! Hands a checked launch to the driver or to the emulator.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::c_void;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::buffer::{Buffer, no_graphs};
use crate::cuda::DriverError;
use crate::cuda::host::is_inside;
use crate::cuda::module::Function;
use crate::cuda::peers::ways;
use crate::device::order::submissions;
use crate::device::{Backend, Device, Gpu, Submission, lock};
use crate::graph::record::{KeptKernel, KeptLaunch, Operation, Recording};
use crate::launch::blocking::wait_if_asked;
use crate::launch::check::{
    check_arguments, check_peers, check_shape, check_shared, check_threads, refuse_peers,
};
use crate::launch::emulate::emulate;
use crate::launch::together::check_resident;
use crate::launch::{Arg, CheckedShape, Contract, KeptArg, Kernel, Launch, LaunchError, Param};
use crate::stream::Stream;

/// One thread of a kernel on the CPU. Every closure that can be copied and shared is one.
pub trait ThreadBody: Sync {
    /// Runs the thread that the emulator says is running.
    fn run(&self);

    /// A copy that may run after this call's arguments are gone.
    ///
    /// # Safety
    /// The copy runs only while what the closure points to is there.
    unsafe fn keep(&self) -> Box<dyn Fn() + Send + Sync>;
}

impl<F: Fn() + Clone + Send + Sync> ThreadBody for F {
    fn run(&self) {
        self();
    }

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

/// [`submit`], or [`submit_loaded`] if there is a `loaded`.
///
/// # Safety
/// As these.
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
            let _no_graph = match has_peers {
                true => no_graphs(&buffers(args), stream),
                false => vec![emulated.no_graph()],
            };
            // SAFETY: the caller's promise; arguments and shape were checked.
            unsafe { emulate(emulated, stream, shape, kernel, args, &|| cpu.run(), caller)? };
        }
        Backend::Cuda(gpu) => {
            device.flush_prints(); // before the locks: it may wait
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

/// Addresses of parameters that need no allocation.
const PARAMS: usize = 48;

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
#[inline]
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
    let mut few = [const { MaybeUninit::<*mut c_void>::uninit() }; PARAMS];
    let mut many = Vec::new();
    // Three per argument at most.
    let params = if args.len() * 3 <= PARAMS {
        let mut n = 0;
        for arg in args {
            arg.addresses(&grid_barrier, |address| {
                few[n].write(address);
                n += 1;
            });
        }
        // SAFETY: the first `n` were written just now.
        unsafe { few[..n].assume_init_mut() }
    } else {
        for arg in args {
            arg.addresses(&grid_barrier, |address| many.push(address));
        }
        &mut many[..]
    };
    for buffer in args.iter().filter_map(Arg::buffer) {
        buffer.hand_to(stream.queue()).map_err(refused)?;
    }
    // SAFETY: one address per parameter of the device function, in order: `find` compared kinds, sizes and alignments with the
    // device code's. The buffers note this stream, and wait for it before they free or hand over their memory.
    unsafe { found.function.launch(cuda, shape, params) }.map_err(refused)?;
    guard.recent.note(
        stream.queue().id(),
        [kernel.name, kernel.base],
        [shape.grid, shape.block],
        caller,
    );
    Ok(())
}

type Lock<'a> = MutexGuard<'a, Submission>;

#[cold]
fn buffers<'a>(args: &[Arg<'a>]) -> Vec<&'a Buffer> {
    args.iter().filter_map(Arg::buffer).collect()
}

/// The device's code of a kernel (`loaded`, if somebody else loaded it) and the shape of the launch, for which it is prepared; `None` if
/// there is nothing to cover.
#[inline]
fn find<'s>(
    (gpu, device): (&Gpu, &Device),
    submission: &'s mut Submission,
    loaded: &'s mut Option<MutexGuard<'_, Ready>>,
    launch: &Launch,
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<Option<(&'s mut Ready, CheckedShape)>, LaunchError> {
    let Submission { modules, cache, .. } = submission;
    let found = match loaded {
        Some(loaded) => &mut **loaded,
        None => match cache.0.entry(Key::new(kernel.name, caller)) {
            Entry::Occupied(known) if *known.get().params == *kernel.params => known.into_mut(),
            entry => {
                // A shape that is wrong is told before anything is loaded, and nothing is loaded for no threads.
                if check_shape(launch, kernel, device)?.is_none() {
                    return Ok(None);
                }
                let loaded = load(gpu, modules, device, kernel, caller)?;
                entry.insert_entry(loaded).into_mut()
            }
        },
    };
    let shape = found.admit(launch, kernel, device)?;
    Ok(shape.map(|shape| (found, shape)))
}

impl Ready {
    /// The shape of a launch, if device, contract and code allow it; `None` if there is nothing to cover.
    #[inline]
    fn admit(
        &mut self,
        launch: &Launch,
        kernel: &Kernel<'_>,
        device: &Device,
    ) -> Result<Option<CheckedShape>, LaunchError> {
        if let Some(passed) = &self.passed
            && passed.launch == *launch
            && passed.contract == kernel.contract
        {
            return Ok(Some(passed.shape));
        }
        self.admit_another(launch, kernel, device)
    }

    #[cold]
    fn admit_another(
        &mut self,
        launch: &Launch,
        kernel: &Kernel<'_>,
        device: &Device,
    ) -> Result<Option<CheckedShape>, LaunchError> {
        let Some(shape) = check_shape(launch, kernel, device)? else {
            return Ok(None);
        };
        prepare(self, device, &shape, kernel)?;
        // Whether blocks that wait for each other have room is asked for anew each time.
        if !(shape.cluster.told || shape.cooperative) {
            self.passed = Some(Passed {
                launch: *launch,
                contract: kernel.contract,
                shape,
            });
        }
        Ok(Some(shape))
    }
}

/// Prepares a kernel for a launch of this shape, or refuses it.
fn prepare(
    found: &mut Ready,
    device: &Device,
    shape: &CheckedShape,
    kernel: &Kernel<'_>,
) -> Result<(), LaunchError> {
    check_threads(kernel, shape, found.max_threads)?;
    if shape.dynamic_shared_bytes > found.dynamic_shared_bytes {
        check_shared(kernel, device, shape, found.static_shared_bytes)?;
        let allowed = found
            .function
            .allow_dynamic_shared(shape.dynamic_shared_bytes);
        allowed.map_err(|source| LaunchError::Driver {
            kernel: kernel.base,
            source,
        })?;
        found.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    }
    if shape.cluster.told || shape.cooperative {
        prepare_together(device, kernel, shape, &found.function)?;
    }
    Ok(())
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

/// Asks for what clusters and cooperative grids need.
#[cold]
fn prepare_together(
    device: &Device,
    kernel: &Kernel<'_>,
    shape: &CheckedShape,
    function: &Function,
) -> Result<(), LaunchError> {
    let refused = |source: DriverError| LaunchError::Driver {
        kernel: kernel.base,
        source,
    };
    if shape.cluster.large {
        function.allow_large_clusters().map_err(refused)?;
    }
    // How clusters share the multiprocessors only the driver knows: it refuses what has no place.
    if shape.cooperative && shape.cluster.extents == [1; 3] {
        let (threads, shared) = (shape.threads_per_block(), shape.dynamic_shared_bytes);
        let blocks = function
            .blocks_per_multiprocessor(threads, shared)
            .map_err(refused)?;
        let limit = u64::from(blocks) * u64::from(device.0.limits.multiprocessors);
        check_resident(kernel, device, shape, limit)?;
    }
    Ok(())
}

#[cold]
fn load(
    gpu: &Gpu,
    modules: &mut crate::module::Modules,
    device: &Device,
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<Ready, LaunchError> {
    let function = modules.function(gpu, device, kernel, caller)?;
    Ready::new(function, kernel.params, device).map_err(|source| LaunchError::Driver {
        kernel: kernel.base,
        source,
    })
}

/// Kernels that were launched before: found again without comparing texts.
#[derive(Default)]
pub(crate) struct Cache(HashMap<Key, Ready, BuildHasherDefault<AddressHasher>>);

/// A kernel that can be launched.
#[derive(Debug)]
pub(crate) struct Ready {
    function: Function,
    params: Arc<[Param]>,
    max_threads: u32,
    static_shared_bytes: u32,
    /// Dynamic shared memory that launches may have without asking the driver.
    dynamic_shared_bytes: u32,
    /// The latest launch that was checked and can be repeated.
    passed: Option<Passed>,
}

/// A launch and the contract that it was checked against, with what it comes to on the device of a [`Ready`].
#[derive(Debug)]
struct Passed {
    launch: Launch,
    contract: Contract,
    shape: CheckedShape,
}

impl Ready {
    /// Asks the driver what a launch has to know.
    pub(crate) fn new(
        function: Function,
        params: &[Param],
        device: &Device,
    ) -> Result<Ready, DriverError> {
        let static_shared_bytes = function.static_shared_bytes()?;
        let without_asking = device.0.limits.shared_bytes;
        Ok(Ready {
            max_threads: function.max_threads()?,
            static_shared_bytes,
            dynamic_shared_bytes: without_asking.saturating_sub(static_shared_bytes),
            params: params.into(),
            function,
            passed: None,
        })
    }
}

/// Addresses of the name and of the launching line. Equal texts may have several addresses; that costs an entry each.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    name: usize,
    name_len: usize,
    caller: usize,
}

impl Key {
    fn new(name: &'static str, caller: &'static Location<'static>) -> Key {
        Key {
            name: name.as_ptr().addr(),
            name_len: name.len(),
            caller: ptr::from_ref(caller).addr(),
        }
    }
}

/// Mixes addresses; std's default would cost more than the rest of a launch's checks.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, word: usize) {
        // An odd multiplier close to 2^64 divided by the golden ratio spreads neighbouring addresses.
        self.0 = (self.0.rotate_left(26) ^ word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
