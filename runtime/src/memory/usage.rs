//! What a device has given out and not got back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::buffer::Kind;
use crate::device::Device;

/// Buffers of one kind that are alive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
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
    pub device: MemoryUsage,
    /// Page-locked host memory, registered memory included.
    pub pinned: MemoryUsage,
    /// Managed memory.
    pub managed: MemoryUsage,
    /// Buffers from pools.
    pub pooled: MemoryUsage,
}

/// Objects of a device that are alive: see [`Device::objects_in_use`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectsInUse {
    /// Streams: each once, however many clones there are. One that was dropped stays while a buffer, an awaited end of work or a graph
    /// knows it.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Graphs that can run.
    pub executable_graphs: usize,
}

impl MemoryInUse {
    /// All kinds together.
    #[must_use]
    pub fn total(&self) -> MemoryUsage {
        let kinds = [self.device, self.pinned, self.managed, self.pooled];
        MemoryUsage {
            buffers: kinds.iter().map(|usage| usage.buffers).sum(),
            bytes: kinds.iter().map(|usage| usage.bytes).sum(),
        }
    }
}

impl Device {
    /// How many buffers of this device and its clones are alive, and their bytes: for tests that nothing leaks.
    ///
    /// Counts what this library gave out, exactly and at once, also on the emulator (what other threads do meanwhile may be counted or
    /// not); buffers without bytes count as buffers, forgotten ones stay. What other libraries allocate on the same GPU is not in it.
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
        let counters = &self.0.usage;
        let mut device = counters.of(Kind::Device);
        for other in [Kind::Pitched, Kind::Array] {
            let usage = counters.of(other);
            device.buffers += usage.buffers;
            device.bytes += usage.bytes;
        }
        MemoryInUse {
            device,
            pinned: counters.of(Kind::Pinned),
            managed: counters.of(Kind::Managed),
            pooled: counters.of(Kind::Pooled),
        }
    }
}

impl Device {
    /// How many streams, events and graphs of this device and its clones are alive: for tests that nothing leaks. A recorded
    /// [`Graph`](crate::Graph) has a stream of its own. On a GPU each has an object of the driver; what other libraries make is not in it.
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
        let count = |object: Object| self.0.usage.objects[object as usize].load(Ordering::Relaxed);
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

/// Counts one object until it is dropped.
#[derive(Debug)]
pub(crate) struct LiveObject {
    counters: Arc<UsageCounters>,
    object: Object,
}

impl LiveObject {
    pub(crate) fn new(device: &Device, object: Object) -> LiveObject {
        let counters = Arc::clone(&device.0.usage);
        counters.objects[object as usize].fetch_add(1, Ordering::Relaxed);
        LiveObject { counters, object }
    }
}

impl Drop for LiveObject {
    fn drop(&mut self) {
        self.counters.objects[self.object as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counters of a device: a pair for each kind of memory, and one for each kind of object.
#[derive(Debug, Default)]
pub(crate) struct UsageCounters {
    /// Of memory: each thread adds to its own, which costs a tenth of an addition that threads share.
    own: [Counters; SLOTS],
    /// Of memory, for threads that have no slot.
    shared: Counters,
    objects: [AtomicUsize; Object::ExecutableGraph as usize + 1],
}

/// Buffers and bytes of each kind. Threads that take each other's buffers make single counters negative, or too large: only sums mean
/// anything.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counters([(AtomicUsize, AtomicUsize); Kind::COUNT]);

impl UsageCounters {
    pub(crate) fn add(&self, kind: Kind, bytes: usize) {
        self.change(kind, 1, bytes);
    }

    pub(crate) fn remove(&self, kind: Kind, bytes: usize) {
        self.change(kind, usize::MAX, bytes.wrapping_neg());
    }

    /// Adds, modulo 2^64.
    #[inline]
    fn change(&self, kind: Kind, by: usize, bytes: usize) {
        if let Some(own) = self.own.get(slot()) {
            let (buffers, all) = &own.0[kind as usize];
            // No other thread writes these.
            buffers.store(
                buffers.load(Ordering::Relaxed).wrapping_add(by),
                Ordering::Relaxed,
            );
            all.store(
                all.load(Ordering::Relaxed).wrapping_add(bytes),
                Ordering::Relaxed,
            );
        } else {
            let (buffers, all) = &self.shared.0[kind as usize];
            buffers.fetch_add(by, Ordering::Relaxed);
            all.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    fn of(&self, kind: Kind) -> MemoryUsage {
        let counters = self.own.iter().chain([&self.shared]);
        let mut sums = [0usize; 2];
        for Counters(kinds) in counters {
            let (buffers, bytes) = &kinds[kind as usize];
            for (sum, counter) in sums.iter_mut().zip([buffers, bytes]) {
                *sum = sum.wrapping_add(counter.load(Ordering::Relaxed));
            }
        }
        // While one thread makes a buffer and another drops it, the drop may be seen alone.
        let [buffers, bytes] = sums.map(|sum| usize::try_from(sum.cast_signed()).unwrap_or(0));
        MemoryUsage { buffers, bytes }
    }
}

/// How many threads have counters of their own at a time.
const SLOTS: usize = 32;

/// Bit `i` is set while a thread has slot `i`.
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// A thread's index into the counters of all devices, until the thread ends. The next thread with this index continues its counters.
struct CounterSlot(usize);

impl CounterSlot {
    /// The lowest that is free; `SLOTS` if none is.
    fn take() -> CounterSlot {
        let lowest = |taken: u32| Some(taken | taken.checked_add(1)?);
        // Acquire: what the one before counted is seen.
        match TAKEN.try_update(Ordering::Acquire, Ordering::Relaxed, lowest) {
            Ok(before) => CounterSlot(before.trailing_ones() as usize),
            Err(_) => CounterSlot(SLOTS),
        }
    }
}

impl Drop for CounterSlot {
    fn drop(&mut self) {
        if self.0 < SLOTS {
            TAKEN.fetch_and(!(1 << self.0), Ordering::Release);
        }
    }
}

thread_local! {
    static SLOT: CounterSlot = CounterSlot::take();
}

/// The calling thread's slot; `SLOTS` if it has none, or is about to end.
#[inline]
fn slot() -> usize {
    SLOT.try_with(|slot| slot.0).unwrap_or(SLOTS)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn what_one_thread_makes_and_another_drops_is_counted_right() {
        let counters = UsageCounters::default();
        // More threads than slots at the same time; then other threads take over the slots.
        for _ in 0..3 {
            let all_there = Barrier::new(SLOTS + 8);
            thread::scope(|scope| {
                for i in 0..SLOTS + 8 {
                    let (counters, all_there) = (&counters, &all_there);
                    scope.spawn(move || {
                        all_there.wait();
                        for _ in 0..100 {
                            counters.add(Kind::Pooled, i);
                            counters.add(Kind::Device, 3);
                            counters.remove(Kind::Device, 3);
                        }
                        all_there.wait();
                    });
                }
            });
        }
        let each = |i: usize| 300 * i;
        let bytes = (0..SLOTS + 8).map(each).sum();
        let buffers = 300 * (SLOTS + 8);
        assert_eq!(counters.of(Kind::Pooled), MemoryUsage { buffers, bytes });
        assert_eq!(counters.of(Kind::Device), MemoryUsage::default());
        for i in 0..SLOTS + 8 {
            (0..300).for_each(|_| counters.remove(Kind::Pooled, i));
        }
        assert_eq!(counters.of(Kind::Pooled), MemoryUsage::default());
    }

    #[test]
    fn a_drop_that_is_seen_before_its_making_counts_nothing() {
        let counters = UsageCounters::default();
        counters.remove(Kind::Device, 5);
        assert_eq!(counters.of(Kind::Device), MemoryUsage::default());
        counters.add(Kind::Device, 5);
        counters.add(Kind::Device, 7);
        let (buffers, bytes) = (1, 7);
        assert_eq!(counters.of(Kind::Device), MemoryUsage { buffers, bytes });
    }
}
