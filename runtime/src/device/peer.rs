//! Several devices: who reaches whose memory, and copies from one to the other.

use std::sync::{Arc, Weak};

use warploom_device_std::Plain;
use warploom_emulator::check;

use crate::buffer::{CopyKind, LinearCopy, exclude_graphs, record_uses};
use crate::cuda::DriverError;
use crate::cuda::peer_access::PeerAccess;
use crate::device::{Backend, Device, DeviceError, Emulated, Gpu, Shared};
use crate::graph::record::{Operation, RecordedCopy};
use crate::launch::arguments::{BoundSlice, SliceArg};
use crate::memory::{DeviceBuffer, MemoryError};
use crate::stream::{Stream, reject_in_host_callback};
use crate::sync::lock;
use crate::unsupported::Unsupported;
use crate::view::DeviceSliceMut;

/// What is said of the way from one device's work to another's memory. CUDA: `CUdevice_P2PAttribute`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PeerAttribute {
    /// How good the way is beside the others of the machine; 0 is the best.
    PerformanceRank,
    /// 1 if there is a connection.
    Access,
    /// 1 if atomics work on it.
    NativeAtomics,
    /// 1 if arrays can be reached on it.
    Arrays,
    /// 1 if only some atomics work on it.
    OnlySomeAtomics,
}

impl PeerAttribute {
    fn number(self) -> i32 {
        match self {
            PeerAttribute::PerformanceRank => 1,
            PeerAttribute::Access => 2,
            PeerAttribute::NativeAtomics => 3,
            PeerAttribute::Arrays => 4,
            PeerAttribute::OnlySomeAtomics => 5,
        }
    }
}

/// Two devices of one kind.
enum Pair<'d> {
    /// The first of them.
    Emulated(&'d Emulated),
    Gpus(&'d Gpu, &'d Gpu),
}

impl Device {
    fn pair<'d>(&'d self, peer: &'d Device) -> Option<Pair<'d>> {
        match (&self.0.backend, &peer.0.backend) {
            (Backend::Emulator(ours), Backend::Emulator(_)) => Some(Pair::Emulated(ours)),
            (Backend::Cuda(ours), Backend::Cuda(theirs)) => Some(Pair::Gpus(ours, theirs)),
            _ => None,
        }
    }

    /// Whether work of this device could reach the memory of `peer` once [`enable_peer_access`](Device::enable_peer_access) allows it.
    /// No device is its own peer, and a GPU and the emulator never are. CUDA: `cuDeviceCanAccessPeer`.
    ///
    /// # Errors
    /// [`DeviceError::Query`] if the driver refuses. None on the emulator.
    ///
    /// ```
    /// use warploom_runtime::model::Emulator;
    /// let [a, b] = &Emulator::new().devices(2)[..] else { unreachable!() };
    /// assert!(a.can_access_peer(b)? && !a.can_access_peer(a)?);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn can_access_peer(&self, peer: &Device) -> Result<bool, DeviceError> {
        match self.pair(peer) {
            None => Ok(false),
            Some(Pair::Emulated(_)) => Ok(!self.is_same(peer)),
            Some(Pair::Gpus(ours, theirs)) => ours
                .context
                .physical_device()
                .can_access(theirs.context.physical_device())
                .map_err(|source| {
                    self.refused(format!("ask for the way to {}", peer.name()), source)
                }),
        }
    }

    /// What is said of the way to `peer`'s memory. CUDA: `cuDeviceGetP2PAttribute`.
    ///
    /// # Errors
    /// [`DeviceError::Peer`] if there can be no way: the same device twice, or a GPU and the emulator. [`DeviceError::Query`] if the
    /// driver refuses.
    pub fn peer_attribute(
        &self,
        attribute: PeerAttribute,
        peer: &Device,
    ) -> Result<i32, DeviceError> {
        match self.two(peer)? {
            Pair::Emulated(_) => Ok(match attribute {
                PeerAttribute::Access | PeerAttribute::NativeAtomics => 1,
                PeerAttribute::PerformanceRank
                | PeerAttribute::Arrays
                | PeerAttribute::OnlySomeAtomics => 0,
            }),
            Pair::Gpus(ours, theirs) => {
                let found = ours.context.physical_device();
                found
                    .peer_attribute(attribute.number(), theirs.context.physical_device())
                    .map_err(|source| {
                        self.refused(format!("ask for the way to {}", peer.name()), source)
                    })
            }
        }
    }

    /// Lets work of this device reach the memory of `peer`; the other direction is asked for apart. Doing it again changes nothing.
    /// It stays for as long as the devices do, for all users of their contexts, or until
    /// [`disable_peer_access`](Device::disable_peer_access).
    ///
    /// Kernels of this device can take buffers of the peer's own memory from then on, linear and pitched ones, as they take those of this
    /// device, in order with all other work on them; memory of pools stays with its device. [Copies](DeviceBuffer::copy_from_peer) work
    /// without it, but go through host memory then. CUDA: `cuCtxEnablePeerAccess`.
    ///
    /// # Errors
    /// [`DeviceError::Peer`] if there can be no link, or the driver refuses: the boards are not joined, or a device has too many peers.
    ///
    /// ```
    /// use warploom_runtime::model::Emulator;
    /// let [a, b] = &Emulator::new().devices(2)[..] else { unreachable!() };
    /// a.enable_peer_access(b)?;
    /// a.enable_peer_access(b)?;
    /// assert!(a.enable_peer_access(a).is_err());
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn enable_peer_access(&self, peer: &Device) -> Result<(), DeviceError> {
        match self.two(peer)? {
            Pair::Emulated(ours) => {
                let mut peers = lock(&ours.peers);
                if !is_among(&peers, peer) {
                    peers.push(Arc::downgrade(&peer.0));
                }
                Ok(())
            }
            Pair::Gpus(ours, theirs) => ours
                .context
                .enable_peer(&theirs.context)
                .map_err(|source| self.driver_refuses(peer, &source)),
        }
    }

    /// Ends what [`enable_peer_access`](Device::enable_peer_access) allowed, for all users of the two contexts, after all work of both
    /// devices is done: launches that need it are refused from the call on, those that were queued before it still run. If it was not
    /// allowed, this changes nothing. CUDA: `cuCtxDisablePeerAccess`.
    ///
    /// # Errors
    /// As [`enable_peer_access`](Device::enable_peer_access); launches that need the access are refused then, too.
    pub fn disable_peer_access(&self, peer: &Device) -> Result<(), DeviceError> {
        match self.two(peer)? {
            Pair::Emulated(ours) => {
                lock(&ours.peers).retain(|one| !std::ptr::eq(one.as_ptr(), Arc::as_ptr(&peer.0)));
                Ok(())
            }
            Pair::Gpus(ours, theirs) => ours
                .context
                .disable_peer(&theirs.context)
                .map_err(|source| self.driver_refuses(peer, &source)),
        }
    }

    fn two<'d>(&'d self, peer: &'d Device) -> Result<Pair<'d>, DeviceError> {
        let pair = self
            .pair(peer)
            .ok_or_else(|| self.no_way(peer, "one is a GPU, the other is emulated; copy through the host, with `to_vec` and `copy_from`".to_owned()))?;
        let one = match &pair {
            Pair::Emulated(_) => self.is_same(peer),
            Pair::Gpus(ours, theirs) => {
                ours.context.physical_device().ordinal == theirs.context.physical_device().ordinal
            }
        };
        if one {
            return Err(self.no_way(
                peer,
                "they are one device, which reaches its own memory anyway".to_owned(),
            ));
        }
        Ok(pair)
    }

    /// Whether kernels of this device may use the memory of `peer`, by the `links` of GPUs that there are.
    pub(crate) fn reaches(&self, peer: &Device, access: &PeerAccess) -> bool {
        match self.pair(peer) {
            Some(Pair::Emulated(ours)) => is_among(&lock(&ours.peers), peer),
            Some(Pair::Gpus(ours, theirs)) => access.reach(&ours.context, &theirs.context),
            None => false,
        }
    }

    fn driver_refuses(&self, peer: &Device, source: &DriverError) -> DeviceError {
        let reason = format!("{source}; copies between GPUs work all the same, through the host");
        self.no_way(peer, reason)
    }

    fn no_way(&self, peer: &Device, reason: String) -> DeviceError {
        DeviceError::Peer {
            device: self.name().to_owned(),
            peer: peer.name().to_owned(),
            reason,
        }
    }
}

/// A weak reference keeps the address from being used again.
fn is_among(peers: &[Weak<Shared>], peer: &Device) -> bool {
    peers
        .iter()
        .any(|one| std::ptr::eq(one.as_ptr(), Arc::as_ptr(&peer.0)))
}

impl<T: Plain> DeviceBuffer<T> {
    /// Copies `source`, which may lie on another device of the same kind, into elements `at..at + source.len()` of this buffer.
    ///
    /// Queued on `stream`, which is of one of the two devices; does not wait. Both buffers may be used at once, on any stream of their
    /// devices: what comes later waits, on the device. The way is direct if [`Device::enable_peer_access`] allowed it, else through the
    /// host's memory. A stream that records makes it a node of its [graph](crate::Graph), whose device is one of the two; each run is then
    /// in order with the work of both devices on the two buffers. CUDA: `cuMemcpyPeerAsync`, `cuGraphAddMemcpyNode`.
    ///
    /// # Errors
    /// [`MemoryError::CopyOutOfRange`] names both lengths if `source` does not fit; nothing is copied then. [`MemoryError::WrongDevice`] if
    /// the stream is of a third device, [`MemoryError::Unsupported`] between a GPU and the emulator; [`MemoryError::Driver`].
    ///
    /// ```
    /// use warploom_runtime::model::Emulator;
    /// let [a, b] = &Emulator::new().devices(2)[..] else { unreachable!() };
    /// let (x, stream) = (a.upload(&[1, 2, 3])?, b.stream()?);
    /// let mut y = b.zeroed::<i32>(4)?;
    /// y.copy_from_peer(1, &x, &stream)?;
    /// assert_eq!(y.to_vec(&stream)?, [0, 1, 2, 3]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// The source cannot be the target:
    /// ```compile_fail,E0502
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream().unwrap();
    /// let mut x = device.zeroed::<i32>(4).unwrap();
    /// x.copy_from_peer(0, &x, &stream).unwrap();
    /// ```
    pub fn copy_from_peer<'a>(
        &mut self,
        at: usize,
        source: impl SliceArg<'a, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        self.as_slice_mut().copy_from_peer(at, source, stream)
    }
}

impl<T: Plain> DeviceSliceMut<'_, T> {
    /// Copies `source`, which may lie on another device; see [`DeviceBuffer::copy_from_peer`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_peer`].
    pub fn copy_from_peer<'a>(
        &mut self,
        at: usize,
        source: impl SliceArg<'a, T>,
        stream: &Stream,
    ) -> Result<(), MemoryError>
    where
        T: 'a,
    {
        let source = source.bind();
        let (to, from) = (self.buffer().device(), source.buffer().device());
        if !stream.device().is_same(to) && !stream.device().is_same(from) {
            return Err(MemoryError::WrongDevice {
                buffer: to.name().to_owned(),
                stream: stream.device().name().to_owned(),
            });
        }
        reject_in_host_callback()?;
        let given = source.len();
        let target = self.span().window(at, given)?;
        if to.is_same(from) {
            let copy = LinearCopy {
                kind: CopyKind::DeviceToDevice,
                from: source.parts().as_ptr().cast(),
                to: target.cast(),
                bytes: given * size_of::<T>(),
            };
            // SAFETY: the range was checked; `source` is a view of its length, and cannot overlap this exclusive one; all belong to one
            // device.
            return unsafe { copy.run(&[self.buffer(), source.buffer()], stream) };
        }
        let pair = to.pair(from);
        if let (Some(recording), Some(_)) = (stream.recording(), &pair) {
            let copy = Operation::Copy(RecordedCopy {
                to: target.cast(),
                from: source.parts().as_ptr().cast(),
                bytes: given * size_of::<T>(),
                buffers: vec![self.buffer().clone(), source.buffer().clone()],
            });
            return Ok(recording.push(copy)?);
        }
        match pair {
            None => Err(MemoryError::Unsupported(Unsupported {
                what: "copies between a GPU and the emulator",
                device: to.name().to_owned(),
                reason: "they have nothing in common; copy through the host, with `to_vec` and `copy_from`"
                    .into(),
            })),
            Some(Pair::Emulated(_)) => {
                let _no_graphs = exclude_graphs(&[self.buffer(), source.buffer()], stream);
                for buffer in [self.buffer(), source.buffer()] {
                    buffer.record_use(stream.queue())?;
                }
                let (to, from) = (self.ptr().wrapping_add(at), source.parts().as_ptr());
                // SAFETY: the range was checked; `source` is another device's memory, and borrowed; this view is borrowed exclusively. All
                // addresses are the host's.
                unsafe { to.copy_from_nonoverlapping(from, given) };
                check::copied(to.cast(), from.cast(), given * size_of::<T>());
                Ok(())
            }
            // SAFETY: the range was checked, and both GPUs are those of the views.
            Some(Pair::Gpus(theirs, ours)) => unsafe {
                self.queue_from(at, &source, (theirs, ours), stream)
            },
        }
    }

    /// # Safety
    /// The elements of `source` fit in at `at`; the GPUs are those of this view and of `source`, and the stream is of one of them.
    unsafe fn queue_from(
        &self,
        at: usize,
        source: &BoundSlice<'_, T>,
        (to, from): (&Gpu, &Gpu),
        stream: &Stream,
    ) -> Result<(), MemoryError> {
        let Some(cuda) = stream.queue().cuda() else {
            return Ok(());
        };
        // Until the copy is queued, no other stream gets the buffers.
        let locked = record_uses(&[self.buffer(), source.buffer()], stream)?;
        if !source.is_empty() {
            let target = self.ptr().wrapping_add(at).addr() as u64;
            // SAFETY: both ranges lie in their buffers, of these contexts; the buffers note this stream, and wait for it before they free
            // or hand over their memory.
            unsafe {
                cuda.copy_peer(
                    (target, &to.context),
                    (source.parts().as_ptr().addr() as u64, &from.context),
                    source.len() * size_of::<T>(),
                )?;
            }
        }
        drop(locked);
        Ok(())
    }
}
