//! Memory of a device without a type, and which stream used it last.
//!
//! Protocol, for GPUs (on the emulator every use is over when the call returns):
//! 1. Code that queues work on a buffer holds the submission locks of the buffer's device and the stream's from [`Buffer::record_use`]
//!    until the work is queued.
//! 2. `last` is the stream with the latest work. [`Buffer::record_use`] makes another stream wait for it, so all earlier work
//!    is done before later work starts, and waiting for `last` means waiting for all. `last`, its address in `noted` and `uses` change
//!    under the submission lock of the buffer's device alone, so that the same stream again needs no other lock. A buffer of a pool begins
//!    with the stream that it was allocated in order with, noted by its address alone: the buffer keeps it anyway ([`Owned::latest`]).
//! 3. The host touches memory that it reaches itself after [`Buffer::wait`], and while the borrow checker keeps others from writing it.
//! 4. The memory is freed after waiting for `last`; that of a pool goes back in order with the work of `last`, without a wait.

mod copy; // to it, from it and within it
mod fill; // with one value
mod objects; // its textures and surfaces
mod pooled; // out of a pool and back
mod region; // rectangles and boxes

use std::alloc::Layout;
use std::any::type_name;
use std::fmt;
use std::mem;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use warploom_device_std::Plain;
use warploom_emulator::check::{Birth, GlobalMemory};

use crate::cuda::DriverError;
use crate::cuda::array::ArrayMemory;
use crate::cuda::callback::{in_host_callback, run_outside_callback};
use crate::cuda::memory::{DeviceMemory, ManagedMemory};
use crate::cuda::pinned::PinnedMemory;
use crate::cuda::pool::PoolMemory;
use crate::cuda::stream::Stream as CudaStream;
use crate::device::order::Submissions;
use crate::device::{Backend, Device, Gpu, Submission};
#[cfg(feature = "dlpack")]
use crate::interop::dlpack::DeviceType;
use crate::interop::foreign::Foreign;
use crate::memory::{MemoryError, Registered, Storage, Used};
use crate::panics::{Done, launches_so_far};
use crate::stream::{Queue, Stream, StreamShared, reject_in_host_callback};
use crate::sync::lock;
use objects::KeptObject;

pub(crate) use copy::{CopyKind, LinearCopy, exclude_graphs, record_uses};
pub(crate) use fill::Fill;
pub(crate) use objects::{Object, ObjectKey};
pub(crate) use region::{ArrayRegion, PitchedRegion, Region, StridedRows};

/// Every buffer starts at a multiple of this, as the driver's do.
pub(crate) const ALIGN: usize = 256;

/// Why elements that ask for more have no buffers: their slices would be misaligned.
pub(crate) const TOO_ALIGNED: &str =
    "elements of buffers are aligned to 256 bytes at most, as memory of a device is";

/// Clones are the same memory: a graph keeps what its nodes use.
#[derive(Clone)]
pub(crate) struct Buffer(Arc<Owned>);

impl Deref for Buffer {
    type Target = Owned;

    #[inline]
    fn deref(&self) -> &Owned {
        &self.0
    }
}

/// The memory itself.
pub(crate) struct Owned {
    memory: Memory,
    /// The stream with the latest work; `None`: the memory is unused, or all work is done, or it is the stream that `home` keeps.
    last: Mutex<Option<Arc<Queue>>>,
    /// The address of the queue with the latest work, so that the same stream again needs no lock. Changed with `last`, never followed.
    noted: AtomicPtr<Queue>,
    /// How often it was handed to a stream: on a GPU changed under the submission lock.
    uses: AtomicU64,
    /// Streams of other devices may use it, too.
    portable: bool,
    kind: Kind,
    bytes: usize,
    /// Textures and surfaces of the memory; they go before it.
    objects: Mutex<Vec<KeptObject>>,
    /// What it has of an emulated pool; goes after the memory.
    used: Option<Used>,
    home: Home,
}

/// What keeps the buffer's device.
enum Home {
    Device(Device),
    /// The stream that memory of a pool was allocated in order with: the allocation, its device and a stream to free it on, in one.
    Stream(Arc<StreamShared>),
}

impl Home {
    #[inline]
    fn device(&self) -> &Device {
        match self {
            Home::Device(device) => device,
            Home::Stream(shared) => &shared.device,
        }
    }
}

/// Where the bytes are.
pub(crate) enum Memory {
    /// No bytes.
    Empty,
    Host(GlobalMemory),
    Cuda(DeviceMemory),
    /// Of another owner, whose release function is called when it is dropped.
    Foreign(Foreign),
    Pinned(PinnedMemory),
    Managed(ManagedMemory),
    Pooled(PoolMemory),
    /// A vector of the user, on either back end.
    Registered(Registered),
    /// Of a GPU: there are no addresses, neither for kernels nor for the host.
    Array(ArrayMemory),
}

/// What a buffer is to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Device,
    Pinned,
    Managed,
    Pitched,
    Pooled,
    Array,
    Foreign,
}

impl Kind {
    pub(crate) const COUNT: usize = Kind::Foreign as usize + 1;

    fn label(self) -> &'static str {
        match self {
            Kind::Device | Kind::Pooled | Kind::Foreign => "DeviceBuffer",
            Kind::Pinned => "PinnedBuffer",
            Kind::Managed => "ManagedBuffer",
            Kind::Pitched => "PitchedBuffer",
            Kind::Array => "ArrayBuffer",
        }
    }
}

impl Buffer {
    /// Memory for `len` elements, which the caller fills before he hands it on, unless it is born uninitialised: 0xA5 in each byte on the
    /// emulator, which tells its checks what is written.
    #[track_caller]
    pub(crate) fn new<T>(device: &Device, len: usize, birth: Birth) -> Result<Buffer, MemoryError> {
        Buffer::of_kind::<T>(device, len, birth, Kind::Device, |gpu, bytes| {
            let memory = DeviceMemory::new(Arc::clone(&gpu.context), bytes)?;
            Ok(memory.map(Memory::Cuda))
        })
    }

    /// The same for any kind of memory: `on_gpu` allocates a number of bytes that is not zero, where there is room.
    #[track_caller]
    pub(crate) fn of_kind<T>(
        device: &Device,
        len: usize,
        birth: Birth,
        kind: Kind,
        on_gpu: impl FnOnce(&Gpu, usize) -> Result<Option<Memory>, MemoryError>,
    ) -> Result<Buffer, MemoryError> {
        const { assert!(align_of::<T>() <= ALIGN, "{}", TOO_ALIGNED) };
        reject_in_host_callback()?;
        let size = size_of::<T>();
        let out_of_memory = || MemoryError::OutOfMemory {
            elements: len,
            size,
            device: device.name().to_owned(),
        };
        // No address space has more than `isize::MAX` bytes; drivers need not be asked.
        let bytes = len
            .checked_mul(size)
            .filter(|bytes| isize::try_from(*bytes).is_ok());
        let memory = match (bytes, &device.0.backend) {
            (None, _) => return Err(out_of_memory()),
            (Some(0), _) => Memory::Empty,
            (Some(bytes), Backend::Emulator(_)) => {
                let label = format!("{}<{}>", kind.label(), type_name::<T>());
                let memory = GlobalMemory::new(bytes, Layout::new::<T>(), birth, &label);
                Memory::Host(memory.ok_or_else(out_of_memory)?)
            }
            (Some(bytes), Backend::Cuda(gpu)) => on_gpu(gpu, bytes)?.ok_or_else(out_of_memory)?,
        };
        Ok(Buffer::of_memory(device, memory, kind, len * size))
    }

    /// A buffer of memory that is there.
    pub(crate) fn of_memory(device: &Device, memory: Memory, kind: Kind, bytes: usize) -> Buffer {
        device.0.usage.add(kind, bytes);
        Buffer(Arc::new(Owned {
            memory,
            last: Mutex::default(),
            noted: AtomicPtr::default(),
            uses: AtomicU64::new(0),
            portable: false,
            kind,
            bytes,
            objects: Mutex::default(),
            used: None,
            home: Home::Device(device.clone()),
        }))
    }

    /// Memory of another owner, on this device.
    pub(crate) fn foreign(device: &Device, memory: Foreign) -> Buffer {
        let bytes = memory.bytes();
        Buffer::of_memory(device, Memory::Foreign(memory), Kind::Foreign, bytes)
    }

    /// Whether a graph has this memory, too.
    pub(crate) fn is_in_graph(&self) -> bool {
        let is_shared = Arc::strong_count(&self.0) != 1;
        fence(Ordering::Acquire); // what a graph did with the memory before it was dropped is visible
        is_shared
    }

    /// The same, which has so much of an emulated pool.
    pub(crate) fn of_pool(mut self, used: Used) -> Buffer {
        if let Some(owned) = Arc::get_mut(&mut self.0) {
            owned.used = Some(used); // new memory, which is not shared yet
        }
        self
    }

    /// The same for streams of other devices, too.
    pub(crate) fn portable(mut self, portable: bool) -> Buffer {
        if let Some(owned) = Arc::get_mut(&mut self.0) {
            owned.portable = portable; // as above
        }
        self
    }

    /// Whether both are the same memory.
    pub(crate) fn is_same(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits until all work that has this memory is done, so that the host may touch it. Says what kernels left behind, once.
    ///
    /// # Errors
    /// [`MemoryError::InGraph`] while a graph has the memory: its runs borrow nothing, and might write while the host looks.
    pub(crate) fn wait(&self) -> Result<(), MemoryError> {
        if self.is_in_graph() {
            return Err(MemoryError::InGraph);
        }
        self.0.wait()
    }

    /// The vector of the user, no longer page-locked. Nothing uses it any more: [`Buffer::wait`] said so.
    pub(crate) fn take_storage(mut self) -> Option<Storage> {
        let owned = Arc::get_mut(&mut self.0)?;
        match mem::replace(&mut owned.memory, Memory::Empty) {
            Memory::Registered(Registered { pin, storage }) => {
                drop(pin);
                Some(storage)
            }
            _ => None,
        }
    }

    /// Records a use of this memory on `stream`. The work must be queued before the locks are released: no other use is recorded until then.
    pub(crate) fn record_use_on<'a>(
        &'a self,
        stream: &'a Stream,
    ) -> Result<Submissions<'a>, MemoryError> {
        record_uses(&[self], stream)
    }
}

impl Owned {
    /// What kind of memory it is to DLPack.
    #[cfg(feature = "dlpack")]
    pub(crate) fn device_type(&self) -> DeviceType {
        match &self.memory {
            Memory::Foreign(memory) => memory.device_type(),
            _ => DeviceType::of(self.device()),
        }
    }

    #[inline]
    pub(crate) fn device(&self) -> &Device {
        self.home.device()
    }

    /// Whether kernels of other devices can use it where they were let: memory of the device itself. That of pools has rights of its own.
    pub(crate) fn is_for_peers(&self) -> bool {
        matches!(self.kind, Kind::Device | Kind::Pitched)
    }

    /// Where the memory starts for kernels: a host address on the emulator, the device's address as a bare number on a GPU. Never null.
    pub(crate) fn start(&self) -> *mut u8 {
        let address = match &self.memory {
            Memory::Empty | Memory::Array(_) => return ptr::without_provenance_mut(ALIGN),
            Memory::Host(memory) => return memory.start().as_ptr(),
            Memory::Foreign(memory) => return memory.start(),
            Memory::Cuda(memory) => memory.address(),
            Memory::Pinned(memory) => memory.address().unwrap_or(ALIGN as u64),
            Memory::Managed(memory) => memory.start().addr() as u64,
            Memory::Pooled(memory) => memory.address(),
            Memory::Registered(memory) => {
                let start = memory.device_start();
                return start.unwrap_or(ptr::without_provenance_mut(ALIGN));
            }
        };
        ptr::without_provenance_mut(usize::try_from(address).unwrap_or(ALIGN))
    }

    /// Where the memory starts for the host. Never null, and aligned for any element; of use only for memory of the host.
    pub(crate) fn host_start(&self) -> *mut u8 {
        match &self.memory {
            Memory::Empty
            | Memory::Cuda(_)
            | Memory::Pooled(_)
            | Memory::Foreign(_)
            | Memory::Array(_) => ptr::without_provenance_mut(1 << 29),
            Memory::Host(memory) => memory.start().as_ptr(),
            Memory::Pinned(memory) => memory.host(),
            Memory::Managed(memory) => memory.start(),
            Memory::Registered(memory) => memory.storage.start(),
        }
    }

    /// The memory, if it is a GPU's managed memory.
    pub(crate) fn managed(&self) -> Option<&ManagedMemory> {
        match &self.memory {
            Memory::Managed(memory) => Some(memory),
            _ => None,
        }
    }

    /// The memory, if it is an array of a GPU.
    pub(crate) fn array(&self) -> Option<&ArrayMemory> {
        match &self.memory {
            Memory::Array(memory) => Some(memory),
            _ => None,
        }
    }

    /// Whether it is a vector of the user.
    pub(crate) fn is_registered(&self) -> bool {
        matches!(self.memory, Memory::Registered(_))
    }

    /// Refuses a stream of another device, and one that records a graph, which has no node for this.
    pub(crate) fn check_device(&self, stream: &Stream) -> Result<(), MemoryError> {
        self.check_home(stream)?;
        Ok(stream.refuse_recording("copy to or from the host's memory")?)
    }

    /// Refuses a stream of another device.
    #[inline]
    pub(crate) fn check_home(&self, stream: &Stream) -> Result<(), MemoryError> {
        reject_in_host_callback()?;
        if self.portable && self.device().is_gpu() == stream.device().is_gpu() {
            note_work(stream);
            return Ok(());
        }
        self.check_own(stream)
    }

    /// Refuses a stream of another device, also for memory that others may use.
    #[inline]
    pub(crate) fn check_own(&self, stream: &Stream) -> Result<(), MemoryError> {
        note_work(stream);
        match self.device().is_same(stream.device()) {
            true => Ok(()),
            false => Err(self.wrong_device(stream)),
        }
    }

    #[cold]
    fn wrong_device(&self, stream: &Stream) -> MemoryError {
        MemoryError::WrongDevice {
            buffer: self.device().name().to_owned(),
            stream: stream.device().name().to_owned(),
        }
    }

    /// Notes that `queue` uses this memory next, and makes it wait for the stream that used it before. Under the submission lock, so that
    /// no other thread changes these fields on a GPU meanwhile; on the emulator, where all work is done, they do not matter.
    #[inline]
    pub(crate) fn record_use(&self, queue: &Arc<Queue>) -> Result<(), DriverError> {
        if self.record_use_if_same(queue) {
            return Ok(());
        }
        self.record_use_on_another(queue)
    }

    /// Counts one more use, and returns whether `queue` had the latest one: then no stream has to be waited for. As [`record_use`](Owned::record_use).
    #[inline]
    pub(crate) fn record_use_if_same(&self, queue: &Arc<Queue>) -> bool {
        let uses = self.uses.load(Ordering::Relaxed);
        self.uses.store(uses.wrapping_add(1), Ordering::Relaxed);
        // No other queue is at this address while it is noted: `last` has it, or `home`.
        ptr::eq(self.noted.load(Ordering::Relaxed), Arc::as_ptr(queue))
    }

    #[cold]
    fn record_use_on_another(&self, queue: &Arc<Queue>) -> Result<(), DriverError> {
        let mut last = lock(&self.last);
        if let Some(latest) = self.latest(&last)
            && !Arc::ptr_eq(latest, queue)
        {
            match (queue.cuda(), self.device().turns()) {
                (Some(stream), _) => latest.hand_over_to(stream)?,
                (None, Some(turns)) => turns.join(queue.id(), &turns.clock_of(latest.id())),
                (None, None) => {}
            }
        }
        *last = Some(Arc::clone(queue));
        self.noted
            .store(Arc::as_ptr(queue).cast_mut(), Ordering::Relaxed);
        Ok(())
    }

    /// The queue with the latest work, which `last` has, or `home` if it is noted alone.
    fn latest<'a>(&'a self, last: &'a Option<Arc<Queue>>) -> Option<&'a Arc<Queue>> {
        match (last, &self.home) {
            (Some(last), _) => Some(last),
            (None, Home::Stream(shared)) => {
                let noted = self.noted.load(Ordering::Relaxed);
                ptr::eq(noted, Arc::as_ptr(&shared.queue)).then_some(&shared.queue)
            }
            (None, Home::Device(_)) => None,
        }
    }

    /// The error if the host is about to read this memory, or to write it, and the wait for the work that is recorded with the memory would not be for a launch that has
    /// its address. Names the caller's place.
    #[track_caller]
    pub(crate) fn host_accesses(&self, writes: bool) -> Result<(), MemoryError> {
        let device = self.device();
        if device.is_gpu() {
            return Ok(()); // nothing is known there
        }
        let after = self.latest(&lock(&self.last)).map(|queue| queue.id());
        let start: *const u8 = self.start();
        match device.host_accesses((start, self.bytes), writes, after) {
            true => Ok(device.check_kernels(None)?),
            false => Ok(()),
        }
    }

    fn wait(&self) -> Result<(), MemoryError> {
        reject_in_host_callback()?;
        let (queue, uses) = {
            let _order = self.submission(); // what is noted is queued as well
            let last = lock(&self.last);
            let Some(queue) = self.latest(&last) else {
                return Ok(());
            };
            (Arc::clone(queue), self.uses.load(Ordering::Relaxed))
        };
        let (stream, launches) = (queue.id(), launches_so_far());
        let device = self.device();
        if let Err(error) = queue.cuda().map_or(Ok(()), CudaStream::synchronize) {
            device.flush_prints(); // what was printed before the GPU failed
            return Err(device.explain(Some(stream), error).into());
        }
        {
            let _order = self.submission(); // no other use is recorded between the check and the store
            let mut last = lock(&self.last);
            if self.uses.load(Ordering::Relaxed) == uses {
                *last = None; // or the next access would wait for work that has nothing to do with this memory
                self.noted.store(ptr::null_mut(), Ordering::Relaxed);
            }
        }
        Ok(device.check_kernels(Some(Done {
            stream: Some(stream),
            launches,
        }))?)
    }

    /// The lock under which this memory is handed on; `None` on the emulator.
    fn submission(&self) -> Option<MutexGuard<'_, Submission>> {
        match &self.device().0.backend {
            Backend::Cuda(gpu) => Some(gpu.submission()),
            Backend::Emulator(_) => None,
        }
    }

    /// Copies `source` to the start of this memory, which no stream has used yet.
    pub(crate) fn fill_from<T: Plain>(&self, source: &[T]) -> Result<(), MemoryError> {
        let bytes = size_of_val(source);
        match &self.memory {
            // Foreign memory is never new; arrays are filled by copies of rows.
            Memory::Empty | Memory::Foreign(_) | Memory::Array(_) => {}
            // SAFETY: the memory was made for the bytes of `source`, and no one else has it yet.
            Memory::Host(memory) => unsafe {
                memory
                    .start()
                    .as_ptr()
                    .copy_from_nonoverlapping(source.as_ptr().cast(), bytes);
            },
            // SAFETY: the host reaches the memory, which was made for the bytes of `source`; no one else has it yet.
            Memory::Pinned(_) | Memory::Managed(_) | Memory::Registered(_) => unsafe {
                let start = self.host_start();
                start.copy_from_nonoverlapping(source.as_ptr().cast(), bytes);
            },
            Memory::Cuda(_) | Memory::Pooled(_) => {
                let Some(stream) = self.own_stream() else {
                    return Ok(());
                };
                // The wait is needed: a copy from pageable memory may be still on its way when the call returns.
                // SAFETY: the memory was allocated for the bytes of `source`; both stay until the wait is over.
                unsafe {
                    stream.upload(self.start().addr() as u64, source.as_ptr().cast(), bytes)?
                };
                stream.synchronize()?;
            }
        }
        Ok(())
    }

    /// Writes zero to every byte of this memory, which no stream has used yet.
    pub(crate) fn fill_zero(&self, bytes: usize) -> Result<(), MemoryError> {
        match &self.memory {
            Memory::Empty | Memory::Foreign(_) | Memory::Array(_) => {}
            // SAFETY: the memory has `bytes` bytes (the caller made it so), and no one else has it yet.
            Memory::Host(memory) => unsafe { memory.start().as_ptr().write_bytes(0, bytes) },
            // SAFETY: as above.
            Memory::Pinned(_) | Memory::Registered(_) => unsafe {
                self.host_start().write_bytes(0, bytes);
            },
            Memory::Cuda(_) | Memory::Managed(_) | Memory::Pooled(_) => {
                let Some(stream) = self.own_stream() else {
                    return Ok(());
                };
                // SAFETY: as above; the memory stays until the wait is over.
                unsafe { stream.zero(self.start().addr() as u64, bytes)? };
                stream.synchronize()?;
            }
        }
        Ok(())
    }

    /// What work goes to that belongs to no stream of the user; `None` on the emulator.
    pub(crate) fn own_stream(&self) -> Option<&CudaStream> {
        match &self.device().0.backend {
            Backend::Cuda(gpu) => Some(&gpu.own_stream),
            Backend::Emulator(_) => None,
        }
    }
}

/// On the emulator, what the default stream gets orders blocking streams, whatever it is.
#[inline]
fn note_work(stream: &Stream) {
    if let (true, Some(turns)) = (stream.is_blocking(), stream.device().turns()) {
        turns.works(stream.number());
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.device().0.usage.remove(self.kind, self.bytes);
        if let Some(turns) = self.device().turns() {
            turns.host_waits(); // as the driver does when it frees memory
        }
        if !self.device().is_gpu() {
            return;
        }
        let objects = self.objects.get_mut();
        let objects = mem::take(objects.unwrap_or_else(PoisonError::into_inner));
        if objects.is_empty() && !in_host_callback() && self.give_back() {
            return;
        }
        let memory = mem::replace(&mut self.memory, Memory::Empty);
        if matches!(memory, Memory::Empty) {
            return;
        }
        let last = lock(&self.last).take().or_else(|| match &self.home {
            Home::Stream(shared) => Some(Arc::clone(&shared.queue)),
            Home::Device(_) => None,
        });
        run_outside_callback(move || {
            let stream = last.as_ref().and_then(|queue| queue.cuda());
            match (memory, stream) {
                // In order after all work that has it.
                (Memory::Pooled(memory), Some(stream)) => {
                    if !objects.is_empty() {
                        let _ = stream.synchronize(); // as below
                        drop(objects);
                    }
                    memory.free(stream);
                }
                (memory, stream) => {
                    // Errors: the context is broken, and nothing runs any more. The next wait reports it.
                    let _ = stream.map_or(Ok(()), CudaStream::synchronize);
                    drop(objects);
                    drop(memory);
                }
            }
        });
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("kind", &self.kind)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
