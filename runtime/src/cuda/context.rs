//! A GPU's context: the primary one, shared with every other user of the GPU in this process, or one that somebody made for himself.
//!
//! Every call that needs a current context makes ours current first ([`Context::bind`]) and leaves it so; launches and what pools do, which
//! have to be quick, only where the driver asks for it ([`Context::again`]). The former context is not restored: that would be two calls
//! more for each of ours, and the primary context is the one that CUDA's runtime interface uses anyway. Who shares a thread with users of
//! other contexts holds a [`Pushed`] meanwhile.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, Weak};

use super::found::Found;
use super::health::Health;
use super::host::{forbidden, is_inside, outside};
use super::result::{DriverError, check};
use super::sys::{self, CUcontext, CUdevice, CUresult, Driver};
use crate::device::{Limits, lock};
use crate::error::DeviceError;

/// A context that stays while this lives.
#[derive(Debug)]
pub(crate) struct Context {
    /// For the calls of this context; they are refused once it is lost.
    pub(super) driver: Driver,
    found: Found,
    raw: CUcontext,
    whose: Whose,
}

/// Who ends a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The primary one: the last of its users.
    Primary,
    /// One of our own, made because the primary one is lost and still has users: we do.
    Own,
    /// One that somebody else made: he does, and not before we are done.
    Foreign,
}

/// What a GPU says about itself.
#[derive(Debug)]
pub(crate) struct Properties {
    pub(crate) name: String,
    pub(crate) compute_capability: (u32, u32),
    pub(crate) limits: Limits,
    pub(crate) driver_version: (u32, u32),
}

/// What is known of the primary contexts that somebody here has opened. Locked while one is opened.
static PRIMARY: Mutex<BTreeMap<CUdevice, Weak<Health>>> = Mutex::new(BTreeMap::new());

/// What is known of the contexts of others that somebody here uses, by the driver's handles.
static FOREIGN: Mutex<BTreeMap<usize, Weak<Health>>> = Mutex::new(BTreeMap::new());

impl Context {
    /// Retains the primary context of a GPU. `flags`: what it has to be made with.
    ///
    /// If it is lost and somebody still has things of it, makes a new context instead: resetting the primary one would free host
    /// memory that they can reach, and give their handles to others.
    pub(crate) fn open(found: Found, flags: Option<u32>) -> Result<Arc<Context>, DeviceError> {
        let mut primary = lock(&PRIMARY);
        let health = primary.get(&found.device).and_then(Weak::upgrade);
        let own = health.as_ref().is_some_and(|h| h.cause().is_some());
        let health = health.filter(|_| !own).unwrap_or_default();
        let raw = if own {
            create(found, flags.unwrap_or(0) | MAP_HOST)?
        } else {
            if let Some(flags) = flags {
                set_flags(found, flags)?;
            }
            let mut raw = CUcontext::NULL;
            // SAFETY: writes one handle to where we point.
            unsafe {
                found
                    .driver
                    .cuDevicePrimaryCtxRetain(&raw mut raw, found.device)?;
            }
            primary.insert(found.device, Arc::downgrade(&health));
            raw
        };
        Ok(Arc::new(Context {
            driver: found.driver.for_context(health),
            found,
            raw,
            whose: if own { Whose::Own } else { Whose::Primary },
        }))
    }

    /// A context that somebody else made; the primary one becomes retained.
    ///
    /// # Safety
    /// `raw` is a context of the driver, not null, which stays until the result and all that is made in it are gone.
    pub(crate) unsafe fn adopt(raw: *mut c_void) -> Result<Arc<Context>, DeviceError> {
        let driver = sys::driver()?;
        let raw = CUcontext(raw);
        let (mut device, mut popped): (CUdevice, _) = (0, CUcontext::NULL);
        // SAFETY: the caller promises a live context; the others write a number and a handle to where we point. The thread gets back the
        // context that it had, also where the driver does not tell the GPU.
        unsafe {
            driver.cuCtxPushCurrent_v2(raw)?;
            let told = driver.cuCtxGetDevice(&raw mut device);
            driver.cuCtxPopCurrent_v2(&raw mut popped)?;
            told?;
        }
        let mut all = Found::all()?.into_iter();
        let found = all.find(|found| found.device == device);
        let found = found.ok_or(DeviceError::NoDevice)?;
        if found.primary_state()?.1 {
            let primary = Context::open(found, None)?;
            if primary.raw == raw {
                return Ok(primary);
            }
        }
        let mut foreign = lock(&FOREIGN);
        foreign.retain(|_, health| health.strong_count() > 0);
        let health = foreign.get(&raw.0.addr()).and_then(Weak::upgrade);
        let health = health.unwrap_or_default();
        foreign.insert(raw.0.addr(), Arc::downgrade(&health));
        Ok(Arc::new(Context {
            driver: found.driver.for_context(health),
            found,
            raw,
            whose: Whose::Foreign,
        }))
    }

    /// Makes this the calling thread's context, as the calls that take no context or stream need.
    pub(crate) fn bind(&self) -> Result<(), DriverError> {
        if is_inside() {
            return Err(forbidden());
        }
        // SAFETY: the context is there while `self` lives.
        let bound = unsafe { self.driver.cuCtxSetCurrent(self.raw) };
        match (bound, self.driver.health()) {
            // Somebody else ended it: the handle was good.
            (Err(error), Some(health)) if error.code == sys::CUDA_ERROR_INVALID_CONTEXT => {
                Err(health.lose(error))
            }
            (bound, _) => bound,
        }
    }

    /// What a call for a stream of this context comes to that was made without [`bind`](Context::bind), and answered with `code`.
    ///
    /// Stream handles say which context they are of, so that drivers take such calls whichever is current, or refuse them; most
    /// threads have the right one, and to ask first would be a call more for each of ours. An answer that was given while another
    /// context, or none, was current may be about that one: then ours is made current, and `call` made again. Refused calls have done
    /// nothing.
    #[cold]
    pub(super) fn again(
        &self,
        name: &'static str,
        code: CUresult,
        call: impl FnOnce() -> CUresult,
    ) -> Result<(), Box<DriverError>> {
        let answer = if !self.is_current() {
            self.bind().and_then(|()| check(&self.driver, name, call()))
        } else if code == sys::CUDA_ERROR_INVALID_CONTEXT {
            // The thread's context is ours, and somebody else ended it: to make it current tells that.
            self.bind().and_then(|()| check(&self.driver, name, code))
        } else {
            check(&self.driver, name, code)
        };
        answer.map_err(Box::new)
    }

    /// Whether this is the calling thread's context. The answer is never kept from call to call: others change it.
    fn is_current(&self) -> bool {
        let mut current = CUcontext::NULL;
        // SAFETY: writes one handle to where we point. Through the driver's own table: no answer about another context ends this one.
        let asked = unsafe { self.found.driver.cuCtxGetCurrent(&raw mut current) };
        asked.is_ok() && current == self.raw
    }

    /// Makes this the calling thread's context until the guard is dropped; then the former one is current again.
    pub(crate) fn push(self: &Arc<Context>) -> Result<Pushed, DriverError> {
        if is_inside() {
            return Err(forbidden());
        }
        // SAFETY: the context is there while the guard holds it.
        unsafe { self.driver.cuCtxPushCurrent_v2(self.raw)? };
        Ok(Pushed {
            context: Arc::clone(self),
            thread: PhantomData,
        })
    }

    /// The error that ended this context.
    pub(crate) fn lost(&self) -> Option<&DriverError> {
        self.driver.health().and_then(Health::cause)
    }

    /// The GPU.
    pub(crate) fn found(&self) -> Found {
        self.found
    }

    /// The flags that it was made with.
    pub(crate) fn flags(&self) -> Result<u32, DriverError> {
        self.bind()?;
        let mut flags = 0;
        // SAFETY: writes one number to where we point; the context is current.
        unsafe { self.driver.cuCtxGetFlags(&raw mut flags)? };
        Ok(flags)
    }

    /// Bytes of memory that nobody has, and of all memory.
    pub(crate) fn memory_info(&self) -> Result<(u64, u64), DriverError> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers to where we point; the context is current.
        unsafe { self.driver.cuMemGetInfo_v2(&raw mut free, &raw mut total)? };
        Ok((free as u64, total as u64))
    }

    /// Makes all lines of the L2 cache ordinary ones.
    pub(crate) fn reset_persisting_l2(&self) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: takes nothing; the context is current.
        unsafe { self.driver.cuCtxResetPersistingL2Cache() }
    }

    /// The driver's number of the GPU.
    pub(super) fn device(&self) -> CUdevice {
        self.found.device
    }

    /// The driver's handle.
    pub(super) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Waits until all work of this context is done.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: takes nothing; the context is current.
        unsafe { self.driver.cuCtxSynchronize() }
    }

    /// A limit of the context, by the driver's number.
    pub(crate) fn limit(&self, limit: c_int) -> Result<usize, DriverError> {
        self.bind()?;
        let mut value = 0;
        // SAFETY: writes one number to where we point; the context is current.
        unsafe { self.driver.cuCtxGetLimit(&raw mut value, limit)? };
        Ok(value)
    }

    /// Sets it.
    pub(crate) fn set_limit(&self, limit: c_int, value: usize) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: takes numbers only; the context is current.
        unsafe { self.driver.cuCtxSetLimit(limit, value) }
    }

    /// Bytes of the heap that kernels allocate from.
    pub(crate) fn heap_limit(&self) -> Result<usize, DriverError> {
        self.limit(sys::CU_LIMIT_MALLOC_HEAP_SIZE)
    }

    /// Sets it, as long as no kernel that allocates was loaded.
    pub(crate) fn set_heap_limit(&self, bytes: usize) -> Result<(), DriverError> {
        self.set_limit(sys::CU_LIMIT_MALLOC_HEAP_SIZE, bytes)
    }

    /// Asks the GPU for its name and limits.
    pub(crate) fn properties(&self) -> Result<Properties, DriverError> {
        let driver_version = self.found.driver_version()?;
        let [major, minor] = self.attributes(sys::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY)?;
        let shared_bytes = self.attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?;
        let limits = Limits {
            threads_per_block: self.attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            block: self.attributes(sys::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM)?,
            grid: self.attributes(sys::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM)?,
            shared_bytes,
            shared_bytes_opt_in: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                .max(shared_bytes),
            // 32,764 bytes since driver 12.1 on compute capability 7.0 and above (CUDA Programming Guide, limits).
            parameter_bytes: if driver_version >= (12, 1) && major >= 7 {
                32_764
            } else {
                4_096
            },
            constant_bytes: self.attribute(sys::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)?,
            warp: self.attribute(sys::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?,
            cluster_blocks: if major >= 9 { 8 } else { 0 },
            multiprocessors: self.attribute(sys::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_multiprocessor: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            blocks_per_multiprocessor: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
            shared_bytes_per_multiprocessor: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
            shared_bytes_reserved: self
                .attribute(sys::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        };
        Ok(Properties {
            name: self.found.name()?,
            compute_capability: (major, minor),
            limits,
            driver_version,
        })
    }

    /// Whether the driver loads functions when they are first needed, rather than with their module.
    pub(crate) fn loads_lazily(&self) -> Result<bool, DriverError> {
        self.bind()?;
        let mut mode: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe { self.driver.cuModuleGetLoadingMode(&raw mut mode)? };
        Ok(mode == sys::modules::CU_MODULE_LAZY_LOADING)
    }

    /// Whether host and kernels may use managed memory at the same time.
    pub(crate) fn has_concurrent_managed_access(&self) -> Result<bool, DriverError> {
        self.can(sys::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
    }

    /// Whether the GPU has an ability, which is an attribute of 0 or 1. What the driver has not heard of, it cannot make use of.
    pub(super) fn can(&self, attribute: c_int) -> Result<bool, DriverError> {
        match self.attribute(attribute) {
            Ok(value) => Ok(value != 0),
            Err(error) if error.code == sys::CUDA_ERROR_INVALID_VALUE => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn attribute(&self, attribute: c_int) -> Result<u32, DriverError> {
        let mut value: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe {
            self.found
                .driver
                .cuDeviceGetAttribute(&raw mut value, attribute, self.found.device)?;
        }
        Ok(value.unsigned_abs())
    }

    fn attributes<const N: usize>(&self, list: [c_int; N]) -> Result<[u32; N], DriverError> {
        let mut values = [0; N];
        for (value, attribute) in values.iter_mut().zip(list) {
            *value = self.attribute(attribute)?;
        }
        Ok(values)
    }
}

/// The flags of a context that was made to be shared.
fn set_flags(found: Found, flags: u32) -> Result<(), DeviceError> {
    let (now, active) = found.primary_state()?;
    if active {
        return if now & ASKED == flags & ASKED {
            Ok(())
        } else {
            Err(DeviceError::ContextActive {
                ordinal: found.ordinal,
                wanted: flags,
                active: now,
            })
        };
    }
    // SAFETY: takes numbers only.
    unsafe {
        found
            .driver
            .cuDevicePrimaryCtxSetFlags_v2(found.device, flags)?;
    }
    Ok(())
}

/// Host memory can be mapped. Primary contexts have it without being told.
const MAP_HOST: u32 = 8;

/// The flags that we set: how the host waits, and what becomes of local memory.
const ASKED: u32 = 0x17;

/// A context beside the primary one.
fn create(found: Found, flags: u32) -> Result<CUcontext, DriverError> {
    let mut raw = CUcontext::NULL;
    let mut popped = CUcontext::NULL;
    // SAFETY: both write one handle to where we point. Creating makes it current; the thread gets back the one it had.
    unsafe {
        found
            .driver
            .cuCtxCreate_v2(&raw mut raw, flags, found.device)?;
        found.driver.cuCtxPopCurrent_v2(&raw mut popped)?;
    }
    Ok(raw)
}

impl Drop for Context {
    fn drop(&mut self) {
        let (found, raw, whose) = (self.found, self.raw, self.whose);
        outside(move || {
            // SAFETY: gives back what `open` took, once; nothing of it is left. Through the driver's own table: this is due for a lost
            // context, too. An error means that the driver is shut down already: nothing is left to release.
            let _ = unsafe {
                match whose {
                    Whose::Primary => found.driver.cuDevicePrimaryCtxRelease_v2(found.device),
                    Whose::Own => found.driver.cuCtxDestroy_v2(raw),
                    Whose::Foreign => Ok(()),
                }
            };
        });
    }
}

/// A context that is current to this thread until this is dropped.
#[derive(Debug)]
pub(crate) struct Pushed {
    context: Arc<Context>,
    /// The stack of contexts belongs to the thread.
    thread: PhantomData<*const ()>,
}

impl Drop for Pushed {
    fn drop(&mut self) {
        let mut popped = CUcontext::NULL;
        // SAFETY: writes one handle to where we point. Pops what `push` pushed, or what replaced it at the top. Through the driver's own
        // table: this is due for a lost context, too. Errors: the driver is shut down already.
        let _ = unsafe {
            self.context
                .found
                .driver
                .cuCtxPopCurrent_v2(&raw mut popped)
        };
    }
}
