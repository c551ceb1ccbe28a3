//! The memory that the lanes of one block share: one arena for each worker, handed out anew to each block.
//!
//! ```text
//!         base (1024-byte aligned)                                                        307 KiB
//! | guard | dynamic_shared_bytes | pad, gap | static 1 | pad, gap | static 2 | ... | guard |
//! ```
//! The gaps count for nothing: a block has 227 KiB without them. They are there so that an access that leaves its array meets no other.

use crate::engine::shared_array::{Array, type_of};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::fmt;
use std::ptr::{self, NonNull};

use crate::model::{Model, ModelLimits};
use crate::shape::SHARED_LIMIT_BYTES;

/// What fresh shared memory holds: no sane value, so that a read before the first write shows.
const POISON: u8 = 0xa5;

const BASE_ALIGN: usize = 1024;

/// What lies between two arrays that would touch on a GPU. A multiple of every alignment, so that offsets keep theirs.
const GAP: usize = BASE_ALIGN;

/// Gaps that there are at most; further arrays touch.
const GAPS: usize = 64;

/// What lies before the arena: memory that is used for nothing else, so that an address there is known to be meant for the arena.
const GUARD: usize = 16 * 1024;

/// How far offsets in the arena reach: memory, gaps, and a guard behind all of it.
pub(crate) const ARENA_BYTES: usize = SHARED_LIMIT_BYTES + GAPS * GAP + GUARD;

/// Names one static shared allocation of a kernel. Two keys are one allocation if their types, sizes and alignments are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedKey {
    /// A type that belongs to the place in the source, and to the type parameters there.
    pub site: TypeId,
    /// The name of the element type, for messages.
    pub type_name: &'static str,
    /// In instrumented code, which knows no types: the address of a text that belongs to the place. Otherwise 0.
    pub(crate) address: usize,
    /// Where the array is declared, as a number of a place in instrumented code. Otherwise 0.
    pub(crate) declared: u32,
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
        Self {
            site,
            type_name,
            address: 0,
            declared: 0,
        }
    }
}

/// A static allocation that the block cannot have.
#[derive(Debug)]
pub(crate) enum SharedError {
    /// There is no room for it.
    Full {
        /// Bytes of all static arrays, with this one.
        fixed: usize,
        dynamic: usize,
        /// Of the static arrays alone, if these are too many; otherwise of both.
        limit: usize,
        type_name: &'static str,
    },
    Align {
        align: usize,
        type_name: &'static str,
    },
}

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full {
                fixed,
                dynamic,
                limit,
                type_name,
            } => write!(
                f,
                "a block has no room for {fixed} bytes of static shared arrays (the last of `{type_name}`) beside {dynamic} bytes of dynamic shared memory: it has at most {limit}"
            ),
            Self::Align { align, type_name } => write!(
                f,
                "shared memory cannot be aligned to {align} bytes (array of `{type_name}`): the alignment is a power of two of at most {BASE_ALIGN}"
            ),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Arena {
    /// Allocated when a block first asks; `ARENA_BYTES` long, and `GUARD` before it.
    base: Option<NonNull<u8>>,
    dynamic_bytes: usize,
    /// What the model allows for both parts.
    limit: usize,
    used: usize,
    statics: Vec<Static>,
}

#[derive(Debug)]
struct Static {
    site: (TypeId, usize),
    bytes: usize,
    align: usize,
    start: *mut u8,
    type_name: &'static str,
    declared: u32,
}

impl Array {
    /// Whether an access of `bytes` bytes at `offset` lies in it.
    #[inline(always)]
    pub(crate) fn holds(&self, offset: usize, bytes: usize) -> bool {
        let inside = offset.wrapping_sub(self.start);
        inside < self.bytes && bytes <= self.bytes - inside
    }

    /// How far it is to an offset outside.
    pub(crate) fn distance(&self, offset: isize) -> usize {
        let (start, end) = (self.start as isize, (self.start + self.bytes) as isize);
        (start - offset).max(offset - end).max(0) as usize
    }
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
            .find(|entry| {
                entry.site == (key.site, key.address)
                    && entry.bytes == bytes
                    && entry.align == align
            })
            .map(|entry| entry.start)
    }

    /// How far from the start of the arena an address lies; `None` if it lies elsewhere.
    pub(crate) fn offset_of(&self, at: *const u8) -> Option<usize> {
        let offset = at.addr().checked_sub(self.base?.addr().get())?;
        (offset < ARENA_BYTES).then_some(offset)
    }

    /// As [`Arena::offset_of`], below 0 in the guard before the arena.
    pub(crate) fn guarded_offset_of(&self, address: usize) -> Option<isize> {
        let offset = address.wrapping_sub(self.base?.addr().get()).cast_signed();
        let guarded = -(GUARD as isize)..ARENA_BYTES as isize;
        guarded.contains(&offset).then_some(offset)
    }

    /// `Ok`: an access lies in one array. `Err`: it lies in the arena or its guards, but in no array: the nearest, and the offset.
    /// `None`: it lies elsewhere.
    pub(crate) fn place_of(
        &self,
        address: usize,
        bytes: usize,
    ) -> Option<Result<(), (Option<Array>, isize)>> {
        let offset = self.guarded_offset_of(address)?;
        let array = usize::try_from(offset)
            .ok()
            .and_then(|at| self.array_at(at));
        Some(match array {
            Some(array) if array.holds(offset.cast_unsigned(), bytes) => Ok(()),
            Some(array) => Err((Some(array), offset)),
            None => Err((self.nearest(offset), offset)),
        })
    }

    /// The array that an offset lies in.
    #[inline]
    pub(crate) fn array_at(&self, offset: usize) -> Option<Array> {
        self.arrays().find(|array| array.holds(offset, 1))
    }

    /// The array that is nearest to an offset, of those that the block has by now.
    pub(crate) fn nearest(&self, offset: isize) -> Option<Array> {
        self.arrays().min_by_key(|array| array.distance(offset))
    }

    fn arrays(&self) -> impl Iterator<Item = Array> {
        let base = self.base.map_or(0, |base| base.addr().get());
        let dynamic = Array {
            start: 0,
            bytes: self.dynamic_bytes,
            type_name: None,
            site: 0,
        };
        let statics = self.statics.iter().map(move |one| Array {
            start: one.start.addr() - base,
            bytes: one.bytes,
            type_name: Some(one.type_name),
            site: one.declared,
        });
        (self.dynamic_bytes != 0)
            .then_some(dynamic)
            .into_iter()
            .chain(statics)
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
        let type_name = match key.address {
            0 => key.type_name,
            symbol => type_of(symbol),
        };
        if !align.is_power_of_two() || align > BASE_ALIGN {
            return Err(SharedError::Align { align, type_name });
        }
        let at = self.used.next_multiple_of(align);
        let needed = at.saturating_add(bytes);
        let (fixed, dynamic) = (needed - self.dynamic_bytes, self.dynamic_bytes);
        let limit = match ModelLimits::SHARED_BYTES as usize {
            // As the driver's assembler refuses it, whatever the launch asks for.
            of_statics if fixed > of_statics => of_statics,
            _ => self.limit,
        };
        if fixed > limit || needed > self.limit {
            return Err(SharedError::Full {
                fixed,
                dynamic,
                limit,
                type_name,
            });
        }
        let base = self.base();
        let gaps = GAP * (self.statics.len() + 1).min(GAPS);
        let start = base.wrapping_add(at + gaps);
        // SAFETY: `at + bytes <= limit <= SHARED_LIMIT_BYTES`, and the arena is longer by all gaps; no lane uses these bytes before it gets
        // this pointer: later arrays have larger `at`, and no fewer gaps before them.
        unsafe { ptr::write_bytes(start, POISON, bytes) };
        self.used = needed;
        self.statics.push(Static {
            site: (key.site, key.address),
            bytes,
            align,
            start,
            type_name,
            declared: key.declared,
        });
        Ok(start)
    }

    fn base(&mut self) -> *mut u8 {
        self.base
            .get_or_insert_with(|| {
                // SAFETY: the layout is not empty.
                let start = unsafe { alloc(LAYOUT) };
                let start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(LAYOUT));
                // SAFETY: the layout has the guard's bytes and more.
                unsafe { start.add(GUARD) }
            })
            .as_ptr()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(base) = self.base {
            let start = base.as_ptr().wrapping_sub(GUARD);
            // SAFETY: `base` lies the guard's bytes behind what came from `alloc` with this layout, and is freed only here.
            unsafe { dealloc(start, LAYOUT) }
        }
    }
}

const LAYOUT: Layout = match Layout::from_size_align(GUARD + ARENA_BYTES, BASE_ALIGN) {
    Ok(layout) => layout,
    Err(_) => Layout::new::<u8>(), // unreachable: the alignment is a power of two and the size is small
};

#[cfg(test)]
mod tests {
    use super::*;

    fn arena(dynamic: usize, statics: &[usize]) -> (Arena, Vec<usize>) {
        struct Site<const N: usize>;
        let sites = [
            TypeId::of::<Site<0>>(),
            TypeId::of::<Site<1>>(),
            TypeId::of::<Site<2>>(),
        ];
        let mut arena = Arena::new(dynamic, Model::default());
        arena.reset();
        let starts = sites.iter().zip(statics).map(|(site, bytes)| {
            let start = arena.allocate(&SharedKey::new(*site, "tile"), *bytes, 16);
            arena.offset_of(start.unwrap()).unwrap()
        });
        let starts = starts.collect();
        (arena, starts)
    }

    #[test]
    fn arrays_do_not_touch() {
        let (arena, starts) = arena(100, &[33, 128, 7]);
        let ends = [100, starts[0] + 33, starts[1] + 128, starts[2] + 7];
        for (end, start) in ends.iter().zip(&starts) {
            assert!(end + GAP <= *start);
            assert_eq!(arena.array_at(*end), None);
            assert_eq!(arena.array_at(start - 1), None);
        }
    }

    #[test]
    fn each_offset_has_its_array() {
        let (arena, starts) = arena(4, &[33, 128]);
        assert_eq!(arena.array_at(3).unwrap().type_name, None);
        for (start, bytes) in [(starts[0], 33), (starts[1], 128)] {
            let array = Array {
                start,
                bytes,
                type_name: Some("tile"),
                site: 0,
            };
            assert_eq!(arena.array_at(start), Some(array));
            assert_eq!(arena.array_at(start + bytes - 1), Some(array));
        }
    }

    #[test]
    fn an_access_that_leaves_its_array_is_not_held_by_it() {
        let (arena, starts) = arena(0, &[33]);
        let array = arena.array_at(starts[0]).unwrap();
        assert!(array.holds(starts[0] + 29, 4));
        assert!(!array.holds(starts[0] + 30, 4));
    }

    #[test]
    fn what_lies_outside_is_nearest_to_the_array_it_was_meant_for() {
        let (arena, starts) = arena(100, &[32, 64]);
        let nearest = |offset: usize| arena.nearest(offset.cast_signed()).unwrap().start;
        assert_eq!(nearest(104), 0);
        assert_eq!(nearest(starts[0] + 32), starts[0]);
        assert_eq!(nearest(starts[1] - 4), starts[1]);
        assert_eq!(arena.nearest(-4).unwrap().start, 0);
        assert_eq!(arena.nearest(-4).unwrap().distance(-4), 4);
    }

    #[test]
    fn many_arrays_fit_as_if_there_were_no_gaps() {
        let mut arena = Arena::new(0, Model::default());
        arena.reset();
        let key = SharedKey::new(TypeId::of::<Arena>(), "tile");
        let n = ModelLimits::SHARED_BYTES / 16;
        assert!((0..n).all(|_| arena.allocate(&key, 16, 16).is_ok()));
        assert!(arena.allocate(&key, 1, 1).is_err());
    }

    #[test]
    fn the_guard_before_the_arena_belongs_to_it() {
        let (mut arena, _) = arena(8, &[]);
        let base = arena.dynamic().addr();
        assert_eq!(arena.guarded_offset_of(base - 4), Some(-4));
        assert_eq!(arena.guarded_offset_of(base - GUARD - 1), None);
        assert_eq!(arena.offset_of(ptr::without_provenance(base - 4)), None);
    }
}
