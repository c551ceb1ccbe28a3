//! Textures and surfaces that were made of a buffer.
//!
//! They stay with the buffer, like its memory: launches in flight and graphs keep the buffer, and thereby what they use of it. What is made again in the same way is what was made before.

use std::sync::{Arc, Weak};

use warploom_emulator::texture::{SurfaceObject, TextureObject};

use super::Buffer;
use crate::cuda::stream::Stream as CudaStream;
use crate::cuda::texture::Object as CudaObject;
use crate::sync::lock;

/// A texture or surface, as kernels know it.
#[derive(Debug)]
pub(crate) enum Object {
    Cuda(CudaObject),
    EmulatedTexture(Box<TextureObject>),
    EmulatedSurface(Box<SurfaceObject>),
}

impl Object {
    /// What kernels are given: the driver's number, or an address on the emulator.
    pub(crate) fn handle(&self) -> u64 {
        match self {
            Object::Cuda(object) => object.handle(),
            Object::EmulatedTexture(object) => (&raw const **object).expose_provenance() as u64,
            Object::EmulatedSurface(object) => (&raw const **object).expose_provenance() as u64,
        }
    }
}

/// All that an object was made of, as numbers.
pub(crate) type ObjectKey = Vec<u64>;

/// An object, and what it was made of.
#[derive(Debug)]
pub(super) struct KeptObject {
    key: ObjectKey,
    /// Each user of it has a `Weak`.
    object: Arc<Object>,
}

impl KeptObject {
    fn result(&self) -> (u64, Weak<Object>) {
        (self.object.handle(), Arc::downgrade(&self.object))
    }
}

/// From so many objects on that only the buffer has, they are given up.
const MOST_UNUSED: usize = 32;

impl Buffer {
    /// The object of this key; `make` makes it if there is none. It goes with the buffer, or once neither a result of this is there, nor work or a graph that used the buffer meanwhile.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn object<E>(
        &self,
        key: ObjectKey,
        make: impl FnOnce() -> Result<Object, E>,
    ) -> Result<(u64, Weak<Object>), E> {
        let mut kept = lock(&self.objects);
        if let Some(found) = kept.iter().find(|kept| kept.key == key) {
            return Ok(found.result());
        }
        let unused = |kept: &KeptObject| Arc::weak_count(&kept.object) == 0;
        // Launches with one that has no user any more were noted with the buffer before, or a graph has the buffer. The fence that makes it visible is in `is_in_graph`.
        if kept.iter().filter(|kept| unused(kept)).count() >= MOST_UNUSED
            && !self.is_in_graph()
            && self.settle()
        {
            kept.retain(|kept| !unused(kept));
        }
        let made = KeptObject {
            key,
            object: Arc::new(make()?),
        };
        let result = made.result();
        kept.push(made);
        Ok(result)
    }

    /// Waits for all work that was noted so far, without a word about what became of it; `false` if that is not possible.
    fn settle(&self) -> bool {
        let queue = {
            let _order = self.submission(); // what is noted is queued as well
            let last = lock(&self.last);
            self.latest(&last).map(Arc::clone)
        };
        let stream = queue.as_ref().and_then(|queue| queue.cuda());
        stream.is_none_or(|stream| CudaStream::synchronize(stream).is_ok())
    }
}
