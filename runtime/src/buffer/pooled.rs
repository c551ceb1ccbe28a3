//! Memory that comes out of a GPU's pool and goes back, in order with the work of streams.
//!
//! Both ways are short: the driver needs less than a microsecond for the two together. A buffer keeps the stream that it was allocated in
//! order with, and thereby its device: one count for all, changed once each way.

use std::sync::atomic::{AtomicPtr, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Buffer, Home, Kind, Memory, Owned};
use crate::cuda::pool::Pool;
use crate::memory::MemoryError;
use crate::stream::{Stream, reject_in_host_callback};

impl Buffer {
    /// So many bytes of a pool of the stream's device; `None` if there is no room for them.
    pub(crate) fn pooled(
        pool: &Arc<Pool>,
        bytes: usize,
        stream: &Stream,
    ) -> Result<Option<Buffer>, MemoryError> {
        reject_in_host_callback()?;
        let shared = stream.shared();
        let memory = match shared.queue.cuda() {
            Some(cuda) if bytes > 0 => match pool.allocate(bytes, cuda) {
                Ok(None) => return Ok(None),
                Ok(some) => some,
                Err(error) => return Err((*error).into()),
            },
            _ => None,
        };
        let kind = Kind::Pooled;
        shared.device.0.usage.add(kind, bytes);
        Ok(Some(Buffer(Arc::new(Owned {
            memory: memory.map_or(Memory::Empty, Memory::Pooled),
            last: Mutex::new(None),
            // Other streams wait for the allocation. it is queued, and no other code has the memory yet: no lock is needed.
            noted: AtomicPtr::new(Arc::as_ptr(&shared.queue).cast_mut()),
            uses: AtomicU64::new(0),
            portable: false,
            kind,
            bytes,
            objects: Mutex::default(),
            used: None,
            home: Home::Stream(Arc::clone(shared)),
        }))))
    }
}

impl Owned {
    /// Gives memory of a pool back behind all work that has it. `false`: it is no such memory.
    #[inline]
    pub(super) fn give_back(&mut self) -> bool {
        let Memory::Pooled(memory) = &self.memory else {
            return false;
        };
        let last = self.last.get_mut().unwrap_or_else(PoisonError::into_inner);
        let queue = match (last, &self.home) {
            (Some(last), _) => last,
            (None, Home::Stream(shared)) => &shared.queue,
            (None, Home::Device(_)) => return false, // which no memory of a pool has
        };
        if let Some(stream) = queue.cuda() {
            memory.free(stream);
        }
        true
    }
}
