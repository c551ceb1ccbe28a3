//! What a device has given out and not got back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::buffer::Kind;
use crate::device::Device;

/// Buffers of one kind that are alive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// How many buffers.
    pub buffers: usize,
    /// Their bytes, as their elements and pitches ask for them; the driver may have rounded up.
    pub bytes: usize,
}

/// Memory of a device, and of the host for it, that buffers hold: see [`Device::memory_in_use`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInUse {
    /// Linear and pitched buffers and arrays in the device's memory.
    pub device: Held,
    /// Page-locked host memory, registered memory included.
    pub pinned: Held,
    /// Managed memory.
    pub managed: Held,
    /// Buffers from pools.
    pub pooled: Held,
}

/// Objects of a device that are alive: see [`Device::objects_in_use`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectsInUse {
    /// Streams: each once, however many clones there are. One that was dropped stays while a buffer, an awaited end of work or a graph knows it.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Graphs that can run.
    pub executable_graphs: usize,
}

impl MemoryInUse {
    /// All kinds together.
    #[must_use]
    pub fn total(&self) -> Held {
        let kinds = [self.device, self.pinned, self.managed, self.pooled];
        Held {
            buffers: kinds.iter().map(|held| held.buffers).sum(),
            bytes: kinds.iter().map(|held| held.bytes).sum(),
        }
    }
}

impl Device {
    /// How many buffers of this device and its clones are alive, and their bytes: for tests that nothing leaks.
    ///
    /// Counts what this library gave out, exactly and at once, also on the emulator; buffers without bytes count as buffers, forgotten ones
    /// stay. What other libraries allocate on the same GPU is not in it.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let before = device.memory_in_use();
    /// let x = device.zeroed::<f32>(1000)?;
    /// let host = device.pinned::<f32>(10)?;
    /// let now = device.memory_in_use();
    /// assert_eq!((now.device.bytes, now.pinned.bytes, now.total().buffers), (4000, 40, 2));
    /// drop((x, host));
    /// assert_eq!(device.memory_in_use(), before);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn memory_in_use(&self) -> MemoryInUse {
        let alive = &self.0.alive;
        let mut device = alive.of(Kind::Device);
        for other in [Kind::Pitched, Kind::Array] {
            let held = alive.of(other);
            device.buffers += held.buffers;
            device.bytes += held.bytes;
        }
        MemoryInUse {
            device,
            pinned: alive.of(Kind::Pinned),
            managed: alive.of(Kind::Managed),
            pooled: alive.of(Kind::Pooled),
        }
    }
}

impl Device {
    /// How many streams, events and graphs of this device and its clones are alive: for tests that nothing leaks. A recorded [`Graph`](crate::Graph)
    /// has a stream of its own. On a GPU each has an object of the driver; what other libraries make is not in it.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// let before = device.objects_in_use();
    /// let (stream, event) = (device.stream()?, device.event()?);
    /// let mut x = device.zeroed::<u8>(10)?;
    /// x.fill(1, &stream)?;
    /// let now = device.objects_in_use();
    /// assert_eq!((now.streams, now.events, now.executable_graphs), (before.streams + 1, before.events + 1, 0));
    /// drop((stream, event)); // `x` still knows the stream
    /// assert_eq!(device.objects_in_use().streams, before.streams + 1);
    /// drop(x);
    /// assert_eq!(device.objects_in_use(), before);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn objects_in_use(&self) -> ObjectsInUse {
        let count = |object: Object| self.0.alive.objects[object as usize].load(Ordering::Relaxed);
        ObjectsInUse {
            streams: count(Object::Stream),
            events: count(Object::Event),
            executable_graphs: count(Object::ExecutableGraph),
        }
    }
}

/// What is counted beside memory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Object {
    Stream,
    Event,
    ExecutableGraph,
}

/// Counts one object while it lives.
#[derive(Debug)]
pub(crate) struct Counted {
    alive: Arc<Alive>,
    object: Object,
}

impl Counted {
    pub(crate) fn new(device: &Device, object: Object) -> Counted {
        let alive = Arc::clone(&device.0.alive);
        alive.objects[object as usize].fetch_add(1, Ordering::Relaxed);
        Counted { alive, object }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.objects[self.object as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

/// The counters of a device: one pair for each kind of memory, and one for each other object.
#[derive(Debug, Default)]
pub(crate) struct Alive {
    memory: [(AtomicUsize, AtomicUsize); Kind::COUNT],
    objects: [AtomicUsize; Object::ExecutableGraph as usize + 1],
}

impl Alive {
    pub(crate) fn add(&self, kind: Kind, bytes: usize) {
        let (buffers, all) = &self.memory[kind as usize];
        buffers.fetch_add(1, Ordering::Relaxed);
        all.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, kind: Kind, bytes: usize) {
        let (buffers, all) = &self.memory[kind as usize];
        buffers.fetch_sub(1, Ordering::Relaxed);
        all.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn of(&self, kind: Kind) -> Held {
        let (buffers, bytes) = &self.memory[kind as usize];
        Held {
            buffers: buffers.load(Ordering::Relaxed),
            bytes: bytes.load(Ordering::Relaxed),
        }
    }
}
