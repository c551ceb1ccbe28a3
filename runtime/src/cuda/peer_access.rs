//! GPUs that reach each other's memory.

use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};

use super::context::Context;
use super::physical_device::PhysicalDevice;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::{self, CUcontext};
use crate::sync::lock;

impl PhysicalDevice {
    /// Whether this GPU could reach the other's memory.
    pub(crate) fn can_access(&self, peer: PhysicalDevice) -> Result<bool, DriverError> {
        let mut can: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe {
            self.driver
                .cuDeviceCanAccessPeer(&raw mut can, self.device, peer.device)?;
        }
        Ok(can != 0)
    }

    /// What is said of the way from this GPU to the other, by the driver's number.
    pub(crate) fn peer_attribute(
        &self,
        attribute: c_int,
        peer: PhysicalDevice,
    ) -> Result<i32, DriverError> {
        let mut value: c_int = 0;
        // SAFETY: writes one integer to where we point.
        unsafe {
            self.driver.cuDeviceGetP2PAttribute(
                &raw mut value,
                attribute,
                self.device,
                peer.device,
            )?;
        }
        Ok(value)
    }
}

/// That work of one context reaches the memory of another, and which contexts they were when access was enabled: while these exist, the
/// driver's handles name the same contexts.
struct PeerLink {
    contexts: [Weak<Context>; 2],
    raw: [CUcontext; 2],
}

/// Of all GPUs, since several users of a GPU have one context. Read from the check of a launch until it is queued: a way that was taken off
/// the list has no launch any more that passed and is not queued.
static PEER_LINKS: RwLock<Vec<PeerLink>> = RwLock::new(Vec::new());

/// Held while the driver is asked to allow or to end access, so that the list says what the driver says. Before the list's lock, always.
static CHANGES: Mutex<()> = Mutex::new(());

/// The links as they are; none of them ends while this value exists.
pub(crate) struct PeerAccess(RwLockReadGuard<'static, Vec<PeerLink>>);

/// All links that there are. One thread takes them once at a time: a second lock would wait for a thread that ends one.
pub(crate) fn peer_access() -> PeerAccess {
    PeerAccess(PEER_LINKS.read().unwrap_or_else(PoisonError::into_inner))
}

impl PeerAccess {
    /// Whether [`enable_peer`](Context::enable_peer) let work of one context reach the other's memory, and no call ended it.
    pub(crate) fn reach(&self, from: &Context, peer: &Context) -> bool {
        let raw = [from.raw(), peer.raw()];
        let mut links = self.0.iter();
        links.any(|link| link.raw == raw && link.is_there())
    }
}

fn change(with: impl FnOnce(&mut Vec<PeerLink>)) {
    with(&mut PEER_LINKS.write().unwrap_or_else(PoisonError::into_inner));
}

impl PeerLink {
    fn is_there(&self) -> bool {
        self.contexts.iter().all(|one| one.strong_count() > 0)
    }

    fn is_of_same(&self, other: &PeerLink) -> bool {
        let mut pairs = self.contexts.iter().zip(&other.contexts);
        pairs.all(|(a, b)| a.ptr_eq(b))
    }
}

impl Context {
    /// Lets work of this context reach the other's memory. Once it does, this changes nothing.
    pub(crate) fn enable_peer(self: &Arc<Context>, peer: &Arc<Context>) -> Result<(), DriverError> {
        let _alone = lock(&CHANGES);
        self.bind()?;
        // SAFETY: both contexts are there; this one is current.
        match unsafe { self.driver.cuCtxEnablePeerAccess(peer.raw(), 0) } {
            Err(error) if error.code == sys::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {}
            enabled => enabled?,
        }
        let link = PeerLink {
            contexts: [self, peer].map(Arc::downgrade),
            raw: [self.raw(), peer.raw()],
        };
        change(|links| {
            // Each user of a context enables it separately: the others may be dropped first.
            links.retain(|known| known.is_there() && !known.is_of_same(&link));
            links.push(link);
        });
        Ok(())
    }

    /// Ends it, for all users of the two contexts, after all work that needs it. If it was not so, this changes nothing.
    pub(crate) fn disable_peer(&self, peer: &Context) -> Result<(), DriverError> {
        let _alone = lock(&CHANGES);
        let raw = [self.raw(), peer.raw()];
        // Every launch that passed is queued then, and no other passes: waiting for what is queued is enough, and needs no lock.
        change(|links| links.retain(|link| link.raw != raw));
        self.synchronize()?;
        peer.synchronize()?;
        self.bind()?;
        // SAFETY: both contexts are there; this one is current.
        match unsafe { self.driver.cuCtxDisablePeerAccess(peer.raw()) } {
            Err(error) if error.code == sys::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED => Ok(()),
            disabled => disabled,
        }
    }
}

impl Stream {
    /// Queues a copy from one context's device memory to another's. This stream belongs to one of them.
    ///
    /// # Safety
    /// `bytes` bytes can be read at `from`, memory of `from_context`, and written at `to`, memory of `to_context`, and stay so until the
    /// stream got there; they do not overlap.
    pub(crate) unsafe fn copy_peer(
        &self,
        (to, to_context): (u64, &Context),
        (from, from_context): (u64, &Context),
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.context.bind()?;
        // SAFETY: the caller promises both ranges and whose they are.
        unsafe {
            self.context.driver.cuMemcpyPeerAsync(
                to,
                to_context.raw(),
                from,
                from_context.raw(),
                bytes,
                self.raw,
            )
        }
    }
}
