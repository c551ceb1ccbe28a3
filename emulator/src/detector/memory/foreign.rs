//! Memory of others, which kernels of the emulated device get for a while.

use std::alloc::Layout;
use std::panic::Location;
use std::ptr::NonNull;

use super::allocation::Extent;
use super::registry;
use crate::memory_kind::{Birth, Kind};

/// Host memory that other code owns and that the checks know as global memory until this is dropped.
///
/// Memory that they know already, in whole or in part, stays what it is.
///
/// ```
/// use std::alloc::Layout;
/// use std::ptr::NonNull;
/// use warploom_emulator::check::ForeignMemory;
///
/// let array = [1_u32, 2, 3];
/// let memory = ForeignMemory::new(NonNull::from(&array).cast(), 12, Layout::new::<u32>(), "tensor");
/// assert!(memory.is_new());
/// ```
#[derive(Debug)]
pub struct ForeignMemory {
    /// `None`: it was known.
    start: Option<usize>,
}

impl ForeignMemory {
    /// `bytes` bytes with values, for elements of this layout. `label`: what reports call it. Nothing is read or written.
    #[must_use]
    #[track_caller]
    pub fn new(start: NonNull<u8>, bytes: usize, element: Layout, label: &str) -> Self {
        let start = start.addr().get();
        let extent = Extent {
            start,
            bytes,
            element: element.size(),
            align: element.align(),
            zone: 0,
        };
        let what = (Kind::Global, Birth::Initialised);
        let added = registry::add_unknown(extent, what, label, Location::caller().into());
        Self {
            start: added.then_some(start),
        }
    }

    /// Whether the checks did not know this memory before.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.start.is_some()
    }
}

impl Drop for ForeignMemory {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            registry::give_back(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(array: &[u32]) -> ForeignMemory {
        let start = NonNull::from(array).cast();
        ForeignMemory::new(start, size_of_val(array), Layout::new::<u32>(), "tensor")
    }

    #[test]
    fn it_is_known_while_it_lives_and_not_mourned() {
        let array = vec![0; 100];
        let at = array.as_ptr().addr() + 399;
        let memory = of(&array);
        assert!(registry::find(at).is_some());
        drop(memory);
        assert!(registry::find(at).is_none());
        assert!(
            registry::find_freed(at).is_none(),
            "the owner may use it on"
        );
    }

    #[test]
    fn what_is_known_already_stays() {
        let array = vec![0; 100];
        let whole = of(&array);
        let part = of(&array[10..20]);
        assert!(whole.is_new() && !part.is_new());
        drop(part);
        assert!(registry::find(array.as_ptr().addr() + 45).is_some());
    }

    #[test]
    fn no_bytes_are_nothing_to_know() {
        assert!(!of(&[]).is_new());
    }
}
