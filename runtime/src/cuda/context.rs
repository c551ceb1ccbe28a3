//! A GPU's context: the primary one, shared with every other user of the GPU in this process, or one that other code made for itself.
//!
//! Every call that needs a current context makes ours current first ([`Context::bind`]) and leaves it so; launches and what pools do, which
//! have to be quick, only where the driver asks for it ([`Context::retry_when_current`]). The former context is not restored: that would be two calls
//! more for each of ours, and the primary context is the one that CUDA's runtime interface uses anyway. Who shares a thread with users of
//! other contexts holds a [`Pushed`] meanwhile.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, Weak};

use super::callback::{in_host_callback, not_permitted, run_outside_callback};
use super::driver::{self, Driver, OpenError, Retry, check};
use super::health::Health;
use super::physical_device::PhysicalDevice;
use super::result::DriverError;
use super::sys::{self, CUcontext, CUdevice};
use crate::limits::Limits;
use crate::sync::lock;

/// A context that stays while this value does.
#[derive(Debug)]
pub(crate) struct Context {
    /// For the calls of this context; they are refused once it is lost.
    pub(super) driver: Driver,
    physical: PhysicalDevice,
    raw: CUcontext,
    owner: ContextOwner,
}

/// Who ends a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContextOwner {
    /// The primary one: the last of its users.
    Primary,
    /// One of our own, made because the primary one is lost and still has users: we do.
    Own,
    /// One that other code made, which ends it after our last use.
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

/// What is known of the primary contexts that this process has opened here. Locked while one is opened.
static PRIMARY: Mutex<BTreeMap<CUdevice, Weak<Health>>> = Mutex::new(BTreeMap::new());

/// What is known of the contexts of others that are in use here, by the driver's handles.
static FOREIGN: Mutex<BTreeMap<usize, Weak<Health>>> = Mutex::new(BTreeMap::new());

impl Context {
    /// Retains the primary context of a GPU. `flags`: what it has to be made with.
    ///
    /// If it is lost and objects of it are still in use, makes a new context instead: resetting the primary one would free host
    /// memory that they can reach, and give their handles to others.
    pub(crate) fn open(
        physical: PhysicalDevice,
        flags: Option<u32>,
    ) -> Result<Arc<Context>, OpenError> {
        let mut primary = lock(&PRIMARY);
        let health = primary.get(&physical.device).and_then(Weak::upgrade);
        let own = health.as_ref().is_some_and(|h| h.cause().is_some());
        let health = health.filter(|_| !own).unwrap_or_default();
        let raw = if own {
            create(physical, flags.unwrap_or(0) | MAP_HOST)?
        } else {
            if let Some(flags) = flags {
                set_flags(physical, flags)?;
            }
            let mut raw = CUcontext::NULL;
            // SAFETY: writes one handle to where we point.
            unsafe {
                physical
                    .driver
                    .cuDevicePrimaryCtxRetain(&raw mut raw, physical.device)?;
            }
            primary.insert(physical.device, Arc::downgrade(&health));
            raw
        };
        Ok(Arc::new(Context {
            driver: physical.driver.for_context(health),
            physical,
            raw,
            owner: if own {
                ContextOwner::Own
            } else {
                ContextOwner::Primary
            },
        }))
    }

    /// A context that other code made; the primary one becomes retained.
    ///
    /// # Safety
    /// `raw` is a context of the driver, not null, which stays until the result and all that is made in it are gone.
    pub(crate) unsafe fn adopt(raw: *mut c_void) -> Result<Arc<Context>, OpenError> {
        let driver = driver::driver()?;
        let raw = CUcontext(raw);
        let (mut device, mut popped): (CUdevice, _) = (0, CUcontext::NULL);
        // SAFETY: the caller promises a live context.
        unsafe { driver.cuCtxPushCurrent_v2(raw)? };
        // SAFETY: writes a number to where we point.
        let asked = unsafe { driver.cuCtxGetDevice(&raw mut device) };
        // SAFETY: writes a handle to where we point. The thread gets back the context that it had, also where `asked` is an error.
        unsafe { driver.cuCtxPopCurrent_v2(&raw mut popped)? };
        asked?;
        let mut all = PhysicalDevice::all()?.into_iter();
        let physical = all.find(|physical| physical.device == device);
        let physical = physical.ok_or(OpenError::NoDevice)?;
        if physical.primary_state()?.1 {
            let primary = Context::open(physical, None)?;
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
            driver: physical.driver.for_context(health),
            physical,
            raw,
            owner: ContextOwner::Foreign,
        }))
    }

    /// Makes this the calling thread's context, as the calls that take no context or stream need.
    pub(crate) fn bind(&self) -> Result<(), DriverError> {
        if in_host_callback() {
            return Err(not_permitted());
        }
        // SAFETY: the context is there while `self` lives.
        let bound = unsafe { self.driver.cuCtxSetCurrent(self.raw) };
        match (bound, self.driver.health()) {
            // Another user of the GPU ended it: the handle was good.
            (Err(error), Some(health)) if error.code == sys::CUDA_ERROR_INVALID_CONTEXT => {
                Err(health.poison(error))
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
    fn retry_when_current(
        &self,
        Retry { name, code, call }: Retry<'_>,
    ) -> Result<(), Box<DriverError>> {
        let answer = if !self.is_current() {
            self.bind().and_then(|()| check(&self.driver, name, call()))
        } else if code == sys::CUDA_ERROR_INVALID_CONTEXT {
            // The thread's context is ours, and another user of the GPU ended it: to make it current tells that.
            self.bind().and_then(|()| check(&self.driver, name, code))
        } else {
            check(&self.driver, name, code)
        };
        answer.map_err(Box::new)
    }

    /// For the driver's functions that are called without making the context current: [`retry_when_current`](Context::retry_when_current).
    #[inline]
    pub(super) fn retry(&self) -> impl FnOnce(Retry<'_>) -> Result<(), Box<DriverError>> + '_ {
        |call| self.retry_when_current(call)
    }

    /// Whether this is the calling thread's context. The answer is never kept from call to call: others change it.
    fn is_current(&self) -> bool {
        let mut current = CUcontext::NULL;
        // SAFETY: writes one handle to where we point. Through the driver's own table: no answer about another context ends this one.
        let asked = unsafe { self.physical.driver.cuCtxGetCurrent(&raw mut current) };
        asked.is_ok() && current == self.raw
    }

    /// Makes this the calling thread's context until the guard is dropped; then the former one is current again.
    pub(crate) fn push(self: &Arc<Context>) -> Result<Pushed, DriverError> {
        if in_host_callback() {
            return Err(not_permitted());
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
    pub(crate) fn physical_device(&self) -> PhysicalDevice {
        self.physical
    }

    /// The flags that it was made with.
    pub(crate) fn flags(&self) -> Result<u32, DriverError> {
        self.bind()?;
        let mut flags = 0;
        // SAFETY: writes one number to where we point; the context is current.
        unsafe { self.driver.cuCtxGetFlags(&raw mut flags)? };
        Ok(flags)
    }

    /// Bytes of free memory, and of all memory.
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
        self.physical.device
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
        let driver_version = self.physical.driver_version()?;
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
            name: self.physical.name()?,
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

    /// Whether the GPU has an ability, which is an attribute of 0 or 1. An attribute unknown to the driver counts as missing.
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
            self.physical.driver.cuDeviceGetAttribute(
                &raw mut value,
                attribute,
                self.physical.device,
            )?;
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
fn set_flags(physical: PhysicalDevice, flags: u32) -> Result<(), OpenError> {
    let (now, active) = physical.primary_state()?;
    if active {
        return if now & ASKED == flags & ASKED {
            Ok(())
        } else {
            Err(OpenError::ContextActive {
                ordinal: physical.ordinal,
                wanted: flags,
                active: now,
            })
        };
    }
    // SAFETY: takes numbers only.
    unsafe {
        physical
            .driver
            .cuDevicePrimaryCtxSetFlags_v2(physical.device, flags)?;
    }
    Ok(())
}

/// Host memory can be mapped. Primary contexts have it without being told.
const MAP_HOST: u32 = 8;

/// The flags that we set: how the host waits, and what becomes of local memory.
const ASKED: u32 = 0x17;

/// A context beside the primary one.
fn create(physical: PhysicalDevice, flags: u32) -> Result<CUcontext, DriverError> {
    let mut raw = CUcontext::NULL;
    let mut popped = CUcontext::NULL;
    // SAFETY: writes one handle to where we point.
    unsafe {
        physical
            .driver
            .cuCtxCreate_v2(&raw mut raw, flags, physical.device)?;
    }
    // SAFETY: as above. Creating made it current; the thread gets back the one it had.
    unsafe { physical.driver.cuCtxPopCurrent_v2(&raw mut popped)? };
    Ok(raw)
}

impl Drop for Context {
    fn drop(&mut self) {
        let (physical, raw, owner) = (self.physical, self.raw, self.owner);
        run_outside_callback(move || {
            // Through the driver's own table: this is due for a lost context, too. An error means that the driver is shut down already:
            // nothing is left to release.
            let _ = match owner {
                ContextOwner::Primary => {
                    // SAFETY: gives back what `open` retained, once; nothing of it is left.
                    unsafe {
                        physical
                            .driver
                            .cuDevicePrimaryCtxRelease_v2(physical.device)
                    }
                }
                // SAFETY: destroys what `open` created, once; nothing of it is left.
                ContextOwner::Own => unsafe { physical.driver.cuCtxDestroy_v2(raw) },
                ContextOwner::Foreign => Ok(()),
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
                .physical
                .driver
                .cuCtxPopCurrent_v2(&raw mut popped)
        };
    }
}
