//! The other API's side, in host memory: what stands for Vulkan where there is no GPU.
//!
//! Memory and semaphores are files without a name (`memfd_create`), which both sides map. The emulator imports and exports no others.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{ExternalError, HostTimeline};

/// Closed in child programs, and can be kept from becoming shorter.
const FLAGS: libc::c_uint = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;

/// Memory that can be mapped more than once, by its file descriptor.
///
/// ```
/// use warploom_runtime::interop::external::HostMemory;
/// let ours = HostMemory::new(4096)?;
/// let theirs = HostMemory::map(ours.fd()?, 4096)?;
/// // SAFETY: nothing else accesses the memory.
/// unsafe { ours.start().write(7) };
/// // SAFETY: as above.
/// assert_eq!(unsafe { theirs.start().read() }, 7);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct HostMemory {
    start: NonNull<u8>,
    bytes: usize,
    file: File,
}

// SAFETY: an address and its size; who accesses the memory synchronises.
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// New memory of so many bytes, which are zero.
    ///
    /// # Errors
    /// What the system says; `InvalidInput` for zero bytes.
    pub fn new(bytes: usize) -> io::Result<HostMemory> {
        // SAFETY: the name is a string that ends with zero.
        let fd = unsafe { libc::memfd_create(c"warploom".as_ptr(), FLAGS) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: opened just now, and owned by nothing else.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
        file.set_len(bytes as u64)?;
        // SAFETY: changes what can be done with the file, whose descriptor is open.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK) } < 0 {
            return Err(io::Error::last_os_error());
        }
        HostMemory::map(file.into(), bytes)
    }

    /// The first `bytes` bytes of the memory behind a file descriptor.
    ///
    /// # Errors
    /// What the system says; `InvalidInput` for zero bytes, and for more than there are.
    pub fn map(fd: OwnedFd, bytes: usize) -> io::Result<HostMemory> {
        let file = File::from(fd);
        if bytes == 0 || file.metadata()?.len() < bytes as u64 {
            let why = format!(
                "{bytes} bytes of a file of {} bytes",
                file.metadata()?.len()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the system chooses addresses that nothing uses; the file has so many bytes.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                access,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(HostMemory { start, bytes, file })
    }

    /// Where it starts, in this mapping.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// How many bytes are mapped.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A file descriptor of it, for [`HostMemory::map`] and for [`Device::import_buffer`](crate::Device::import_buffer) of the emulator.
    ///
    /// # Errors
    /// If the process has too many files open.
    pub fn fd(&self) -> io::Result<OwnedFd> {
        self.file.as_fd().try_clone_to_owned()
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: mapped with this size, and unmapped once.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

impl fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostMemory")
            .field("start", &self.start)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// A semaphore in memory that both sides map: its value is a counter. That of a binary semaphore is 1 while it is signalled.
///
/// ```
/// use warploom_runtime::interop::external::HostSemaphore;
/// let ours = HostSemaphore::new()?;
/// let theirs = HostSemaphore::open(ours.fd()?)?;
/// theirs.signal(3)?;
/// assert_eq!(ours.value(), 3);
/// assert!(ours.signal(3).unwrap_err().to_string().contains("signal greater values only"));
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct HostSemaphore(HostMemory);

impl HostSemaphore {
    /// A new one, with the value 0.
    ///
    /// # Errors
    /// [`ExternalError::Host`] if the system refuses.
    pub fn new() -> Result<HostSemaphore, ExternalError> {
        let made = HostMemory::new(size_of::<AtomicU64>());
        Ok(HostSemaphore(made.map_err(refused("make a semaphore"))?))
    }

    /// The semaphore behind a file descriptor.
    ///
    /// # Errors
    /// [`ExternalError::Host`] if there is none: the file is not one of [`HostSemaphore::new`], or can become shorter.
    pub fn open(fd: OwnedFd) -> Result<HostSemaphore, ExternalError> {
        // Where a file ends, an access to its mapping ends the process, and the accesses here are safe calls.
        // SAFETY: asks for numbers about a file, whose descriptor is open.
        let seals = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GET_SEALS) };
        if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 {
            return Err(ExternalError::Host {
                what: "open a semaphore",
                reason: "the file is not one of `HostSemaphore`, or can become shorter".into(),
            });
        }
        let made = HostMemory::map(fd, size_of::<AtomicU64>());
        Ok(HostSemaphore(made.map_err(refused("open a semaphore"))?))
    }

    /// A file descriptor of it, for [`HostSemaphore::open`] and [`Device::import_semaphore`](crate::Device::import_semaphore) of the emulator.
    ///
    /// # Errors
    /// [`ExternalError::Host`] if the process has too many files open.
    pub fn fd(&self) -> Result<OwnedFd, ExternalError> {
        self.0.fd().map_err(refused("duplicate a file descriptor"))
    }

    /// Its value.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.counter().load(Ordering::Acquire)
    }

    /// Gives it a greater value.
    ///
    /// # Errors
    /// [`ExternalError::NotGreater`].
    pub fn signal(&self, value: u64) -> Result<(), ExternalError> {
        let (set, read) = (Ordering::AcqRel, Ordering::Acquire);
        let counter = self.counter();
        let changed = counter.fetch_update(set, read, |found| (value > found).then_some(value));
        let refuse = |found| ExternalError::NotGreater {
            given: value,
            found,
        };
        changed.map(drop).map_err(refuse)
    }

    /// Makes a signalled binary semaphore unsignalled, as a wait for it does.
    ///
    /// # Errors
    /// [`ExternalError::NotSignalled`].
    pub fn take(&self) -> Result<(), ExternalError> {
        let (set, read) = (Ordering::AcqRel, Ordering::Acquire);
        let changed = self.counter().compare_exchange(1, 0, set, read);
        let refuse = |found| ExternalError::NotSignalled { found, wanted: 1 };
        changed.map(drop).map_err(refuse)
    }

    fn counter(&self) -> &AtomicU64 {
        // SAFETY: the mapping holds eight bytes at the start of a page, which both sides use as an atomic number alone, while `self` is there.
        unsafe { AtomicU64::from_ptr(self.0.start().cast()) }
    }
}

impl HostTimeline for HostSemaphore {
    fn wait(&self, value: u64) -> Result<(), ExternalError> {
        match self.value() {
            found if found < value => Err(ExternalError::NotSignalled {
                found,
                wanted: value,
            }),
            _ => Ok(()),
        }
    }

    fn signal(&self, value: u64) -> Result<(), ExternalError> {
        HostSemaphore::signal(self, value)
    }
}

/// The system's answer to something.
pub(super) fn refused(what: &'static str) -> impl Fn(io::Error) -> ExternalError {
    move |error| ExternalError::Host {
        what,
        reason: error.to_string(),
    }
}
