//! What a graph remembers of the work that a recording stream was given.
//!
//! Must not know: the driver's graphs. An operation keeps what it needs alive and in place: buffers, device code, values.

use std::panic::Location;
use std::sync::{Arc, Mutex};

use crate::buffer::{ArrayRegion, Buffer, Fill, PitchedRegion, Region};
use crate::cuda::module::Function;
use crate::kernel::{Kernel, Param};
use crate::launch::arguments::{Arg, RecordedArg};
use crate::launch_shape::CheckedShape;
use crate::stream::StreamError;
use crate::sync::lock;

/// Operations in the order in which a stream was given them; `None` once the graph has taken them.
pub(crate) struct Recording(Mutex<Option<Vec<Operation>>>);

impl Recording {
    pub(super) fn new() -> Recording {
        Recording(Mutex::new(Some(vec![])))
    }

    /// Keeps the operation, while there is a graph to keep it for.
    pub(crate) fn push(&self, operation: Operation) -> Result<(), StreamError> {
        let mut operations = lock(&self.0);
        let operations = operations.as_mut().ok_or(StreamError::Recording {
            what: "take work after its graph has it",
        })?;
        operations.push(operation);
        Ok(())
    }

    /// All operations; there will be no others.
    pub(super) fn take(&self) -> Vec<Operation> {
        lock(&self.0).take().unwrap_or_default()
    }
}

/// One node's work. Clones share what they keep.
#[derive(Clone)]
pub(crate) enum Operation {
    Launch(Arc<RecordedLaunch>),
    Copy(RecordedCopy),
    Box(RecordedBox),
    Fill(RecordedFill),
    /// A launch that covers nothing, or the end of a child: it has its place in the order, and no work.
    Nothing,
}

/// A copy from memory of a device to memory of the same or of another one. Addresses as [`Buffer::start`] has them.
#[derive(Clone)]
pub(crate) struct RecordedCopy {
    pub(crate) to: *mut u8,
    pub(crate) from: *const u8,
    pub(crate) bytes: usize,
    pub(crate) buffers: Vec<Buffer>,
}

// SAFETY: addresses of memory that `buffers` keeps; who runs the copy orders it with all other uses.
unsafe impl Send for RecordedCopy {}
// SAFETY: as above.
unsafe impl Sync for RecordedCopy {}

impl RecordedCopy {
    /// Whether it goes from one device to another.
    pub(super) fn is_between_devices(&self) -> bool {
        let mut devices = self.buffers.iter().map(|buffer| buffer.device());
        let first = devices.next();
        devices.any(|device| !first.is_some_and(|first| first.is_same(device)))
    }
}

/// A copy of rows and planes within the device.
#[derive(Clone)]
pub(crate) struct RecordedBox {
    from: RecordedRegion,
    to: RecordedRegion,
    buffers: Vec<Buffer>,
}

/// One side of it.
#[derive(Clone)]
enum RecordedRegion {
    Memory(PitchedRegion),
    /// The array, the level, the first element's place, the extent and the bytes of an element.
    Array(Buffer, usize, [usize; 3], [usize; 3], usize),
}

// SAFETY: addresses of memory that `buffers` keeps; who runs the copy orders it with all other uses.
unsafe impl Send for RecordedBox {}
// SAFETY: as above.
unsafe impl Sync for RecordedBox {}

impl RecordedBox {
    pub(crate) fn new(from: Region<'_>, to: Region<'_>, buffers: &[&Buffer]) -> RecordedBox {
        RecordedBox {
            from: RecordedRegion::new(from),
            to: RecordedRegion::new(to),
            buffers: buffers.iter().copied().cloned().collect(),
        }
    }

    /// Source and target.
    pub(super) fn sides(&self) -> Option<(Region<'_>, Region<'_>)> {
        Some((self.from.get()?, self.to.get()?))
    }
}

impl RecordedRegion {
    fn new(side: Region<'_>) -> RecordedRegion {
        match side {
            Region::Memory(area) => RecordedRegion::Memory(area),
            Region::Array(part) => RecordedRegion::Array(
                part.buffer.clone(),
                part.level,
                part.at,
                part.extent,
                part.size,
            ),
        }
    }

    fn get(&self) -> Option<Region<'_>> {
        Some(match self {
            RecordedRegion::Memory(area) => Region::Memory(*area),
            RecordedRegion::Array(buffer, level, at, extent, size) => Region::Array(ArrayRegion {
                buffer,
                array: buffer.array()?.level(*level)?,
                level: *level,
                at: *at,
                extent: *extent,
                size: *size,
            }),
        })
    }
}

/// One value for all elements of some rows. Addresses as [`Buffer::start`] has them.
#[derive(Clone)]
pub(crate) struct RecordedFill {
    to: *mut u8,
    pitch: usize,
    value: Box<[u8]>,
    width: usize,
    height: usize,
    buffer: Buffer,
}

// SAFETY: an address of memory that `buffer` keeps; who runs the fill orders it with all other uses.
unsafe impl Send for RecordedFill {}
// SAFETY: as above.
unsafe impl Sync for RecordedFill {}

impl RecordedFill {
    pub(crate) fn new(fill: Fill<'_>, buffer: &Buffer) -> RecordedFill {
        RecordedFill {
            to: fill.to,
            pitch: fill.pitch,
            value: fill.value.into(),
            width: fill.width,
            height: fill.height,
            buffer: buffer.clone(),
        }
    }

    pub(super) fn get(&self) -> Fill<'_> {
        Fill {
            to: self.to,
            pitch: self.pitch,
            value: &self.value,
            width: self.width,
            height: self.height,
        }
    }
}

/// A checked launch.
pub(crate) struct RecordedLaunch {
    pub(crate) name: &'static str,
    pub(crate) kernel: RecordedKernel,
    pub(crate) shape: CheckedShape,
    pub(crate) args: Vec<RecordedArg>,
    pub(crate) caller: &'static Location<'static>,
    /// The body of one thread, for the emulator; its captures are those of `args`.
    pub(crate) cpu: Box<dyn Fn() + Send + Sync>,
    /// The device's code, on a GPU.
    pub(crate) function: Option<Function>,
}

/// A kernel's description that borrows nothing.
pub(crate) struct RecordedKernel {
    described: Kernel<'static>,
    params: Arc<[Param]>,
}

impl RecordedKernel {
    pub(crate) fn new(kernel: &Kernel<'_>) -> RecordedKernel {
        RecordedKernel {
            described: Kernel {
                params: &[],
                ..*kernel
            },
            params: kernel.params.into(),
        }
    }

    pub(crate) fn get(&self) -> Kernel<'_> {
        Kernel {
            params: &self.params,
            ..self.described
        }
    }
}

impl RecordedLaunch {
    /// Whether a node of `old` can be given this: the same code, which meets in the same way.
    pub(super) fn can_replace(&self, old: &RecordedLaunch) -> bool {
        let same_module = match (&self.function, &old.function) {
            (Some(new), Some(old)) => new.is_of_same_module(old),
            _ => true,
        };
        // Modules that others made may have kernels of one name.
        same_module
            && self.kernel.described.name == old.kernel.described.name
            && self.shape.cooperative == old.shape.cooperative
            && self.shape.cluster == old.shape.cluster
    }

    pub(crate) fn args(&self) -> Vec<Arg<'_>> {
        self.args.iter().map(RecordedArg::get).collect()
    }
}

impl Operation {
    /// The memory that it uses.
    pub(super) fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        let (of_launch, of_copy): (&[RecordedArg], &[Buffer]) = match self {
            Operation::Launch(launch) => (&launch.args, &[]),
            Operation::Copy(copy) => (&[], &copy.buffers),
            Operation::Box(copy) => (&[], &copy.buffers),
            Operation::Fill(fill) => (&[], std::slice::from_ref(&fill.buffer)),
            Operation::Nothing => (&[], &[]),
        };
        of_launch
            .iter()
            .filter_map(RecordedArg::buffer)
            .chain(of_copy)
    }

    /// Whether all blocks of its grid meet at the graph's one word for that.
    pub(super) fn is_cooperative(&self) -> bool {
        matches!(self, Operation::Launch(launch) if launch.shape.cooperative)
    }

    /// What a person calls it: the kernel's name, or what it does.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Operation::Launch(launch) => launch.name,
            Operation::Copy(_) | Operation::Box(_) => "copy",
            Operation::Fill(_) => "fill",
            Operation::Nothing => "nothing",
        }
    }
}
