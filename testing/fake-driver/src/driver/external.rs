//! Memory and semaphores of other APIs: files without a name, which both sides map. A semaphore is a counter in one.

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use super::arrays::{Described, add_levels, levels};
use crate::code::Code;
use crate::memory::Kind;
use crate::state::{Held, State, driver, not_null, put};
use crate::work::{Work, submit};

/// `CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`, and the same of semaphores.
const OPAQUE_FD: u32 = 1;
/// `CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`.
const TIMELINE_FD: u32 = 9;
/// `CUDA_EXTERNAL_MEMORY_DEDICATED`.
const DEDICATED: u32 = 1;
/// `PROT_READ | PROT_WRITE`, and `MAP_SHARED`.
const ACCESS: i32 = 3;
const SHARED: i32 = 1;

unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        bytes: usize,
        access: i32,
        flags: i32,
        fd: i32,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(at: *mut c_void, bytes: usize) -> i32;
}

/// A file in memory.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: an address of memory that the mapping owns; who accesses it synchronises.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps so many bytes of a file, which has them.
    pub(crate) fn new(file: &File, bytes: usize) -> Result<Mapping, Code> {
        let found = file.metadata().map_err(|_| Code::INVALID_VALUE)?.len();
        if bytes == 0 || found < bytes as u64 {
            return Err(Code::INVALID_VALUE);
        }
        let (at, fd) = (std::ptr::null_mut(), file.as_raw_fd());
        // SAFETY: the system chooses addresses that nothing uses; the file has so many bytes.
        let start = unsafe { mmap(at, bytes, ACCESS, SHARED, fd, 0) };
        if start.addr() == usize::MAX {
            return Err(Code::OPERATING_SYSTEM);
        }
        let start = start.cast();
        Ok(Mapping { start, bytes })
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped with this size, and unmapped once.
        unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// Imported memory.
#[derive(Debug)]
pub(crate) struct External {
    pub(crate) context: u64,
    memory: Mapping,
    bytes: u64,
    /// Where buffers and arrays of it start.
    pub(crate) mapped: Vec<u64>,
}

/// An imported semaphore.
#[derive(Debug)]
pub(crate) struct Semaphore {
    pub(crate) context: u64,
    memory: Mapping,
    is_timeline: bool,
}

impl Semaphore {
    fn counter(&self) -> &AtomicU64 {
        // SAFETY: eight bytes at the start of a page, which all sides use as an atomic number alone.
        unsafe { AtomicU64::from_ptr(self.memory.start().cast()) }
    }
}

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`, and without `bytes` `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct MemoryHandle {
    kind: u32,
    fd: u64,
    second: u64,
    bytes: u64,
    flags: u32,
    reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct SemaphoreHandle {
    kind: u32,
    fd: u64,
    second: u64,
    flags: u32,
    reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct BufferPlace {
    offset: u64,
    bytes: u64,
    flags: u32,
    reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ArrayPlace {
    offset: u64,
    described: Described,
    n_levels: u32,
    reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS`, `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct SemaphoreParams {
    value: u64,
    others: [u64; 8],
    flags: u32,
    reserved: [u32; 16],
}

const _: () = assert!(
    size_of::<MemoryHandle>() == 104
        && size_of::<SemaphoreHandle>() == 96
        && size_of::<BufferPlace>() == 88
        && size_of::<ArrayPlace>() == 120
        && size_of::<SemaphoreParams>() == 144
);

/// The file behind a descriptor that the caller keeps until the call succeeds.
fn borrow(fd: u64) -> Result<std::mem::ManuallyDrop<File>, Code> {
    let fd = i32::try_from(fd as u32).map_err(|_| Code::INVALID_VALUE)?;
    // SAFETY: the caller of the driver promised an open file; it is not closed here.
    let file = unsafe { File::from_raw_fd(fd) };
    Ok(std::mem::ManuallyDrop::new(file))
}

/// Closes a descriptor that is the driver's now.
fn close(fd: u64) {
    if let Ok(fd) = i32::try_from(fd as u32) {
        // SAFETY: the caller of the driver gave it away, and the import succeeded.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }
}

/// Takes a mapped buffer away; `false` if there is none at this address.
pub(super) fn unmap(state: &mut Held, address: u64) -> bool {
    let all: Vec<u64> = state.external.iter().map(|(memory, _)| memory).collect();
    let owner = all.into_iter().find(|memory| {
        let found = state.external.get(*memory);
        found.is_ok_and(|memory| memory.mapped.contains(&address))
    });
    let Some(owner) = owner else {
        return false;
    };
    if let Ok(memory) = state.external.get_mut(owner) {
        memory.mapped.retain(|mapped| *mapped != address);
    }
    state.free(address, &[Kind::External]).is_ok()
}

/// Where a resource of so many bytes is in imported memory.
fn place(state: &Held, memory: u64, offset: u64, bytes: u64) -> Result<*mut u8, Code> {
    let found = state.external.get(memory)?;
    let end = offset.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
    if bytes == 0 || end > found.bytes {
        return Err(Code::INVALID_VALUE);
    }
    let offset = usize::try_from(offset).map_err(|_| Code::INVALID_VALUE)?;
    Ok(found.memory.start().wrapping_add(offset))
}

/// Queues signals or waits.
unsafe fn queue(
    state: &mut Held,
    (semaphores, params, count): (*const u64, *const SemaphoreParams, u32),
    stream: u64,
    work: fn(u64, u64) -> Work,
) -> Result<(), Code> {
    for at in 0..count as usize {
        let (semaphore, params) = (
            not_null(semaphores)?.wrapping_add(at),
            not_null(params)?.wrapping_add(at),
        );
        // SAFETY: the caller promises so many handles.
        let semaphore = unsafe { *semaphore };
        // SAFETY: and so many descriptions.
        let params = unsafe { *params };
        if params.flags != 0 || params.others != [0; 8] {
            return Err(Code::INVALID_VALUE);
        }
        state.semaphores.get(semaphore)?;
        submit(state, stream, work(semaphore, params.value))?;
    }
    Ok(())
}

impl State {
    /// Signals a semaphore.
    pub(crate) fn signal(&mut self, semaphore: u64, value: u64) -> Result<(), Code> {
        let found = self.semaphores.get(semaphore)?;
        let value = if found.is_timeline { value } else { 1 };
        let before = found.counter().fetch_max(value, Ordering::AcqRel);
        if before >= value {
            self.complain(format!(
                "a signal of {value} for a semaphore that is at {before}"
            ));
        }
        Ok(())
    }

    /// Waits for a semaphore. A real driver would wait for ever where this one complains.
    pub(crate) fn wait_for(&mut self, semaphore: u64, value: u64) -> Result<(), Code> {
        let found = self.semaphores.get(semaphore)?;
        let (wanted, is_timeline) = if found.is_timeline {
            (value, true)
        } else {
            (1, false)
        };
        let value = found.counter().load(Ordering::Acquire);
        if !is_timeline {
            found.counter().store(0, Ordering::Release);
        }
        if value < wanted {
            self.complain(format!(
                "a wait for {wanted} of a semaphore that stays at {value}"
            ));
        }
        Ok(())
    }
}

driver! {
    /// Imports memory, and takes the file descriptor.
    fn cuImportExternalMemory(state; memory: *mut u64, described: *const MemoryHandle) needs Context {
        not_null(memory)?;
        let told = *not_null(described)?;
        if told.kind != OPAQUE_FD || told.flags & !DEDICATED != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = usize::try_from(told.bytes).map_err(|_| Code::INVALID_VALUE)?;
        let mapping = Mapping::new(&*borrow(told.fd)?, bytes)?;
        close(told.fd);
        let context = state.current()?;
        let made = External { context, memory: mapping, bytes: told.bytes, mapped: vec![] };
        let made = state.external.add(made);
        put(memory, made)
    }

    /// Maps a part of imported memory.
    fn cuExternalMemoryGetMappedBuffer(state; address: *mut u64, memory: u64, described: *const BufferPlace) needs Context {
        not_null(address)?;
        let told = *not_null(described)?;
        if told.flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let host = place(state, memory, told.offset, told.bytes)?;
        let bytes = usize::try_from(told.bytes).map_err(|_| Code::INVALID_VALUE)?;
        let start = state.map(Kind::External, host, bytes)?;
        state.external.get_mut(memory)?.mapped.push(start);
        put(address, start)
    }

    /// Maps a part of imported memory as an array with levels of detail.
    fn cuExternalMemoryGetMappedMipmappedArray(state; array: *mut u64, memory: u64, described: *const ArrayPlace) needs Context {
        not_null(array)?;
        let told = *not_null(described)?;
        let (levels, bytes) = levels(told.described, told.n_levels)?;
        let host = place(state, memory, told.offset, bytes as u64)?;
        let start = state.map(Kind::Array, host, bytes)?;
        state.external.get_mut(memory)?.mapped.push(start);
        let made = add_levels(state, start, memory, levels)?;
        put(array, made)
    }

    /// Lets go of imported memory.
    fn cuDestroyExternalMemory(state; memory: u64) needs Context {
        if !state.external.get(memory)?.mapped.is_empty() {
            state.complain("cuDestroyExternalMemory of memory that is mapped".to_owned());
        }
        state.external.remove(memory).map(drop)
    }

    /// Imports a semaphore, and takes the file descriptor.
    fn cuImportExternalSemaphore(state; semaphore: *mut u64, described: *const SemaphoreHandle) needs Context {
        not_null(semaphore)?;
        let told = *not_null(described)?;
        if !matches!(told.kind, OPAQUE_FD | TIMELINE_FD) || told.flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let mapping = Mapping::new(&*borrow(told.fd)?, 8)?;
        close(told.fd);
        let context = state.current()?;
        let is_timeline = told.kind == TIMELINE_FD;
        let made = state.semaphores.add(Semaphore { context, memory: mapping, is_timeline });
        put(semaphore, made)
    }

    /// Lets go of a semaphore.
    fn cuDestroyExternalSemaphore(state; semaphore: u64) needs Context {
        state.check_semaphore_unused(semaphore);
        state.semaphores.remove(semaphore).map(drop)
    }

    /// Signals semaphores when a stream is so far.
    fn cuSignalExternalSemaphoresAsync(state; semaphores: *const u64, params: *const SemaphoreParams, count: u32, stream: u64) needs Context {
        queue(state, (semaphores, params, count), stream, |semaphore, value| Work::Signal { semaphore, value })
    }

    /// Lets a stream wait for semaphores.
    fn cuWaitExternalSemaphoresAsync(state; semaphores: *const u64, params: *const SemaphoreParams, count: u32, stream: u64) needs Context {
        queue(state, (semaphores, params, count), stream, |semaphore, value| Work::WaitFor { semaphore, value })
    }
}
