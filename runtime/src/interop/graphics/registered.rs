//! An object of OpenGL, and who uses it.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

use warploom_device_std::Plain;

use super::{Access, GraphicsError, HostSide, Object, ReadWrite, Writable};
use crate::cuda::graphics::GraphicsResource;
use crate::device::Device;
use crate::memory::{ArrayBuffer, ArrayElement, ArrayLevelMut, DeviceBuffer};
use crate::stream::{Queue, Stream, reject_in_host_callback};
use crate::view::DeviceSliceMut;

/// An object that OpenGL uses. Nothing of it can be used here.
///
/// When it is dropped, it is unregistered; OpenGL keeps it.
#[must_use = "what is dropped is unregistered"]
pub struct Registered<R: Object, A: Access = ReadWrite> {
    device: Device,
    side: Side<R>,
    described: R::Described,
    access: PhantomData<A>,
    /// Not for other threads: the context of OpenGL is current on this one.
    here: PhantomData<*mut ()>,
}

/// An object that kernels use: a buffer or an array like any other, until it is [unmapped](Mapped::unmap).
///
/// When it is dropped, all work on it is waited for, and it is unmapped and unregistered; what was copied is not copied back. While a graph has its
/// memory it stays mapped for ever instead.
#[must_use = "OpenGL can use it again when it is unmapped"]
pub struct Mapped<R: Object, A: Access = ReadWrite> {
    /// Dropped by hand, as the link: in this order, and the link not at all while a graph has the memory.
    resource: ManuallyDrop<R>,
    link: ManuallyDrop<Link>,
    device: Device,
    described: R::Described,
    access: PhantomData<A>,
    /// As above.
    here: PhantomData<*mut ()>,
}

/// How the memory is OpenGL's, too.
enum Link {
    /// The driver maps it; with the stream on which it did.
    Driver(GraphicsResource, Arc<Queue>),
    /// It is copied.
    Copied(Box<dyn HostSide>),
}

pub(super) enum Side<R> {
    Driver {
        /// What it was when it was mapped the last time; goes before the registration.
        before: Option<R>,
        resource: GraphicsResource,
    },
    Copied {
        resource: R,
        side: Box<dyn HostSide>,
    },
}

/// A call that failed, with the object as it was before.
#[derive(thiserror::Error)]
#[error("{error}")]
pub struct Refused<S> {
    /// Why.
    #[source]
    pub error: GraphicsError,
    /// What was to be mapped or unmapped.
    pub resource: S,
}

impl<R: Object, A: Access> Registered<R, A> {
    pub(super) fn new(device: &Device, side: Side<R>, described: R::Described) -> Self {
        Registered {
            device: device.clone(),
            side,
            described,
            access: PhantomData,
            here: PhantomData,
        }
    }

    /// Whether contents are copied when it is mapped and unmapped: OpenGL does not render on the device.
    #[must_use]
    pub fn is_copied(&self) -> bool {
        matches!(self.side, Side::Copied { .. })
    }

    /// Lets kernels use the object: work on it, on any stream, starts when the calls of OpenGL so far are done. Does not wait on the host, unless it is
    /// [copied](Registered::is_copied), or an image whose earlier textures and surfaces are in use. CUDA: `cuGraphicsMapResources`.
    ///
    /// # Errors
    /// Before the driver is asked: [`GraphicsError::WrongDevice`]; [`GraphicsError::Stream`] for a stream that records a graph.
    /// [`GraphicsError::TooShort`]; [`GraphicsError::Driver`]; [`GraphicsError::Host`] and [`GraphicsError::Memory`] for a copy. With each comes the object.
    #[expect(
        clippy::result_large_err,
        reason = "it has the object, as the success does"
    )]
    pub fn map(self, stream: &Stream) -> Result<Mapped<R, A>, Refused<Registered<R, A>>> {
        if let Err(error) = check(&self.device, stream, "map an object of OpenGL") {
            return Err(Refused {
                error,
                resource: self,
            });
        }
        let (device, described) = (self.device, self.described);
        let done = match self.side {
            Side::Driver { before, resource } => {
                map_in_place(&device, resource, described, before, stream)
            }
            Side::Copied { resource, side } => copy_in::<R, A>(resource, side, stream),
        };
        match done {
            Ok((resource, link)) => Ok(Mapped {
                resource: ManuallyDrop::new(resource),
                link: ManuallyDrop::new(link),
                device,
                described,
                access: PhantomData,
                here: PhantomData,
            }),
            Err((error, side)) => Err(Refused {
                error,
                resource: Registered::new(&device, side, described),
            }),
        }
    }
}

/// Refuses streams that cannot be used.
fn check(device: &Device, stream: &Stream, what: &'static str) -> Result<(), GraphicsError> {
    reject_in_host_callback()?;
    stream.refuse_recording(what)?;
    if device.is_same(stream.device()) {
        return Ok(());
    }
    Err(GraphicsError::WrongDevice {
        found: stream.device().name().to_owned(),
        wanted: device.name().to_owned(),
    })
}

type Done<R> = Result<(R, Link), (GraphicsError, Side<R>)>;

fn map_in_place<R: Object>(
    device: &Device,
    resource: GraphicsResource,
    described: R::Described,
    before: Option<R>,
    stream: &Stream,
) -> Done<R> {
    let queue = stream.queue();
    let Some(cuda) = queue.cuda() else {
        let error = GraphicsError::WrongDevice {
            found: stream.device().name().to_owned(),
            wanted: device.name().to_owned(),
        };
        return Err((error, Side::Driver { before, resource }));
    };
    if let Err(error) = resource.map(cuda) {
        return Err((error.into(), Side::Driver { before, resource }));
    }
    let found = R::of_mapping(device, &resource, described, before).and_then(|found| {
        // Other streams' work on it waits for this stream, which has the mapping.
        drop(found.memory().record_use_on(stream)?);
        Ok(found)
    });
    match found {
        Ok(found) => Ok((found, Link::Driver(resource, Arc::clone(queue)))),
        Err(error) => {
            resource.unmap_at_last(cuda); // the first error says what happened
            let before = None;
            Err((error, Side::Driver { before, resource }))
        }
    }
}

fn copy_in<R: Object, A: Access>(
    mut resource: R,
    mut side: Box<dyn HostSide>,
    stream: &Stream,
) -> Done<R> {
    if A::READS {
        let read = resource.upload(&mut |to| side.read(to), stream);
        if let Err(error) = read {
            return Err((error, Side::Copied { resource, side }));
        }
    }
    Ok((resource, Link::Copied(side)))
}

impl<R: Object, A: Access> Mapped<R, A> {
    /// Lets OpenGL use the object: its calls from now on start when all work on it, on any stream, is done. Does not wait on the host, unless it is
    /// [copied](Registered::is_copied). CUDA: `cuGraphicsUnmapResources`.
    ///
    /// # Errors
    /// [`GraphicsError::InGraph`] while a graph has the memory; [`GraphicsError::WrongDevice`]; [`GraphicsError::Stream`] for a stream that records a graph, and for a copy, which
    /// waits, what kernels left behind; [`GraphicsError::Driver`]; [`GraphicsError::Host`] and [`GraphicsError::Memory`] for a copy. With each comes the object.
    #[expect(
        clippy::result_large_err,
        reason = "it has the object, as the success does"
    )]
    pub fn unmap(mut self, stream: &Stream) -> Result<Registered<R, A>, Refused<Mapped<R, A>>> {
        if let Err(error) = self.hand_back(stream) {
            return Err(Refused {
                error,
                resource: self,
            });
        }
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither dropped nor used again, so that each field is moved out once.
        let resource = unsafe { ManuallyDrop::take(&mut this.resource) };
        // SAFETY: as above.
        let link = unsafe { ManuallyDrop::take(&mut this.link) };
        // SAFETY: as above.
        let device = unsafe { ptr::read(&raw const this.device) };
        let side = match link {
            Link::Driver(registered, _) => Side::Driver {
                before: Some(resource),
                resource: registered,
            },
            Link::Copied(side) => Side::Copied { resource, side },
        };
        Ok(Registered::new(&device, side, this.described))
    }

    /// Whether a graph has the memory, so that it cannot be unmapped.
    #[must_use]
    pub fn is_in_graph(&self) -> bool {
        self.resource.memory().is_in_graph()
    }

    fn hand_back(&mut self, stream: &Stream) -> Result<(), GraphicsError> {
        check(&self.device, stream, "unmap an object of OpenGL")?;
        if self.is_in_graph() {
            return Err(GraphicsError::InGraph);
        }
        match &mut *self.link {
            Link::Driver(registered, _) => {
                // Until the locks are released no other work on the object is queued.
                let _locks = self.resource.memory().record_use_on(stream)?;
                if let Some(cuda) = stream.queue().cuda() {
                    registered.unmap(cuda)?;
                }
                Ok(())
            }
            Link::Copied(side) if A::WRITES => {
                let mut bytes = vec![];
                self.resource.download(&mut bytes, stream)?;
                side.write(&bytes)
            }
            Link::Copied(_) => Ok(()),
        }
    }
}

impl<R: Object, A: Access> Drop for Mapped<R, A> {
    fn drop(&mut self) {
        let is_in_graph = self.is_in_graph();
        // SAFETY: nothing uses the field after this; `unmap`, which takes it, does not drop `self`. Waits for all work on the memory.
        unsafe { ManuallyDrop::drop(&mut self.resource) };
        if is_in_graph && matches!(*self.link, Link::Driver(..)) {
            return; // runs of the graph use the memory
        }
        // SAFETY: as above.
        if let Link::Driver(registered, queue) = unsafe { ManuallyDrop::take(&mut self.link) }
            && let Some(cuda) = queue.cuda()
        {
            registered.unmap_at_last(cuda);
        }
    }
}

impl<R: Object, A: Access> Deref for Mapped<R, A> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.resource
    }
}

// The object itself is never given to be written: another one could be put in its place, and it would stay usable when it is unmapped.

impl<T: Plain, A: Writable> Mapped<DeviceBuffer<T>, A> {
    /// All elements, to write.
    #[must_use]
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.resource.as_slice_mut()
    }
}

impl<T: ArrayElement, A: Writable> Mapped<ArrayBuffer<T>, A> {
    /// The image, to write: by copies, and through a surface.
    #[must_use]
    pub fn as_level_mut(&mut self) -> ArrayLevelMut<'_, T> {
        self.resource.as_level_mut()
    }
}

impl<S> From<Refused<S>> for GraphicsError {
    fn from(refused: Refused<S>) -> GraphicsError {
        refused.error
    }
}

impl<S> fmt::Debug for Refused<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<R: Object, A: Access> fmt::Debug for Registered<R, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registered")
            .field("device", &self.device)
            .field("is_copied", &self.is_copied())
            .finish_non_exhaustive()
    }
}

impl<R: Object, A: Access> fmt::Debug for Mapped<R, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped")
            .field("memory", self.resource.memory())
            .finish_non_exhaustive()
    }
}
