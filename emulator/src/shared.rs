//! The memory that the lanes of one block share: one arena for each worker, handed out anew to each block.
//!
//! ```text
//! base (1024-byte aligned)                                      227 KiB
//! | dynamic_shared_bytes | static 1 | pad | static 2 | ...        |
//! ```

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::ptr::{self, NonNull};

use crate::model::{Model, ModelLimits};
use crate::shape::SHARED_LIMIT_BYTES;

/// What fresh shared memory holds: no sane value, so that a read before the first write shows.
const POISON: u8 = 0xa5;

const BASE_ALIGN: usize = 1024;

/// Names one static shared allocation of a kernel. Two keys are one allocation if their types, sizes and alignments are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedKey {
    /// A type that belongs to the place in the source, and to the type parameters there.
    pub site: TypeId,
    /// The name of the element type, for messages.
    pub type_name: &'static str,
}

impl SharedKey {
    /// A key for the place that `site` belongs to.
    ///
    /// ```
    /// use std::any::TypeId;
    /// use warploom_emulator::SharedKey;
    /// struct Tile;
    /// let key = SharedKey::new(TypeId::of::<Tile>(), "f32");
    /// assert_eq!(key.type_name, "f32");
    /// ```
    pub const fn new(site: TypeId, type_name: &'static str) -> Self {
        Self { site, type_name }
    }
}

/// A static allocation that the block has no room for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SharedError {
    #[error(
        "this block needs {needed} bytes of shared memory (with the array of `{type_name}`, {bytes} bytes): a block has at most {limit}; use a smaller tile"
    )]
    Full {
        needed: usize,
        limit: usize,
        bytes: usize,
        type_name: &'static str,
    },
    #[error(
        "the static shared arrays of this kernel have {needed} bytes (with that of `{type_name}`, {bytes} bytes): a block has at most {}, more only as dynamic shared memory; take a `DynamicShared`, or use a smaller tile",
        ModelLimits::SHARED_BYTES
    )]
    Static {
        needed: usize,
        bytes: usize,
        type_name: &'static str,
    },
    #[error(
        "shared memory cannot be aligned to {align} bytes (array of `{type_name}`): the alignment is a power of two of at most {BASE_ALIGN}"
    )]
    Align {
        align: usize,
        type_name: &'static str,
    },
}

#[derive(Debug)]
pub(crate) struct Arena {
    /// Allocated when a block first asks; `SHARED_LIMIT_BYTES` long.
    base: Option<NonNull<u8>>,
    dynamic_bytes: usize,
    /// What the model allows for both parts.
    limit: usize,
    used: usize,
    statics: Vec<Static>,
}

#[derive(Debug)]
struct Static {
    site: TypeId,
    bytes: usize,
    align: usize,
    start: *mut u8,
}

impl Arena {
    pub(crate) fn new(dynamic_bytes: usize, model: Model) -> Self {
        let limit = model.limits().shared_bytes_opt_in as usize;
        Self {
            base: None,
            dynamic_bytes,
            limit: limit.min(SHARED_LIMIT_BYTES),
            used: dynamic_bytes,
            statics: Vec::new(),
        }
    }

    /// Starts the next block: the dynamic part is poisoned, static parts are once they are asked for.
    pub(crate) fn reset(&mut self) {
        self.used = self.dynamic_bytes;
        self.statics.clear();
        if self.dynamic_bytes != 0 {
            let base = self.base();
            // SAFETY: the arena has `SHARED_LIMIT_BYTES`, and `Shape::check` refused more dynamic bytes than that.
            unsafe { ptr::write_bytes(base, POISON, self.dynamic_bytes) }
        }
    }

    pub(crate) fn dynamic(&mut self) -> *mut u8 {
        self.base()
    }

    /// The allocation of this key in this block, if it was made already.
    pub(crate) fn known(&self, key: &SharedKey, bytes: usize, align: usize) -> Option<*mut u8> {
        self.statics
            .iter()
            .find(|entry| entry.site == key.site && entry.bytes == bytes && entry.align == align)
            .map(|entry| entry.start)
    }

    /// How far from the start of the arena an address lies; `None` if it lies elsewhere.
    pub(crate) fn offset_of(&self, at: *const u8) -> Option<usize> {
        let offset = at.addr().checked_sub(self.base?.addr().get())?;
        (offset < SHARED_LIMIT_BYTES).then_some(offset)
    }

    /// The address this far from the start of the arena; `offset` is below its length.
    pub(crate) fn at(&mut self, offset: usize) -> *mut u8 {
        self.base().wrapping_add(offset)
    }

    /// Makes the allocation of this key in this block.
    #[cold]
    pub(crate) fn allocate(
        &mut self,
        key: &SharedKey,
        bytes: usize,
        align: usize,
    ) -> Result<*mut u8, SharedError> {
        let type_name = key.type_name;
        if !align.is_power_of_two() || align > BASE_ALIGN {
            return Err(SharedError::Align { align, type_name });
        }
        let at = self.used.next_multiple_of(align);
        let needed = at.saturating_add(bytes);
        // As the driver's assembler refuses it, whatever the launch asks for.
        let needed_static = needed - self.dynamic_bytes;
        if needed_static > ModelLimits::SHARED_BYTES as usize {
            return Err(SharedError::Static {
                needed: needed_static,
                bytes,
                type_name,
            });
        }
        if needed > self.limit {
            return Err(SharedError::Full {
                needed,
                limit: self.limit,
                bytes,
                type_name,
            });
        }
        let base = self.base();
        // SAFETY: `at + bytes <= limit <= SHARED_LIMIT_BYTES`, the length of the arena; nobody uses these bytes before they get this pointer.
        let start = unsafe {
            let start = base.add(at);
            ptr::write_bytes(start, POISON, bytes);
            start
        };
        self.used = needed;
        self.statics.push(Static {
            site: key.site,
            bytes,
            align,
            start,
        });
        Ok(start)
    }

    fn base(&mut self) -> *mut u8 {
        self.base
            .get_or_insert_with(|| {
                // SAFETY: the layout is not empty.
                let base = unsafe { alloc(LAYOUT) };
                NonNull::new(base).unwrap_or_else(|| handle_alloc_error(LAYOUT))
            })
            .as_ptr()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(base) = self.base {
            // SAFETY: `base` came from `alloc` with this layout, and is freed only here.
            unsafe { dealloc(base.as_ptr(), LAYOUT) }
        }
    }
}

const LAYOUT: Layout = match Layout::from_size_align(SHARED_LIMIT_BYTES, BASE_ALIGN) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u8>(), // unreachable: the alignment is a power of two and the size is small
};
