//! Room that a thread keeps for its next buffer.
//!
//! Buffers of pools come and go in less than a microsecond, of which an allocator's two calls would be a good part. Room has no contents:
//! nothing stays alive with it.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::{self, NonNull};

/// How many a thread keeps at most.
const MOST: usize = 8;

/// Room of one layout, the latest on top.
struct Spare {
    layout: Cell<Layout>,
    n: Cell<usize>,
    room: [Cell<*mut u8>; MOST],
}

thread_local! {
    static SPARE: Spare = const {
        Spare {
            layout: Cell::new(Layout::new::<()>()),
            n: Cell::new(0),
            room: [const { Cell::new(ptr::null_mut()) }; MOST],
        }
    };
}

/// Room of this layout, which has bytes, with no particular contents.
#[inline]
pub(super) fn take(layout: Layout) -> NonNull<u8> {
    let top = SPARE.try_with(|spare| {
        let below = spare.n.get().checked_sub(1)?;
        if spare.layout.get() != layout {
            return None;
        }
        spare.n.set(below);
        NonNull::new(spare.room[below].get())
    });
    match top {
        Ok(Some(top)) => top,
        _ => fresh(layout),
    }
}

#[cold]
fn fresh(layout: Layout) -> NonNull<u8> {
    // SAFETY: the layout has bytes, as the callers of `take` see to.
    let room = unsafe { alloc(layout) };
    NonNull::new(room).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Gives room back.
///
/// # Safety
/// It came from [`take`] with this layout, and nobody uses it any more.
#[inline]
pub(super) unsafe fn put(room: NonNull<u8>, layout: Layout) {
    let kept = SPARE.try_with(|spare| {
        let n = spare.n.get();
        if n == 0 {
            spare.layout.set(layout);
        }
        let Some(place) = spare.room.get(n) else {
            return false;
        };
        if spare.layout.get() != layout {
            return false;
        }
        place.set(room.as_ptr());
        spare.n.set(n + 1);
        true
    });
    if kept != Ok(true) {
        // SAFETY: from `alloc` with this layout, as the caller promises.
        unsafe { dealloc(room.as_ptr(), layout) };
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        for room in &self.room[..self.n.get()] {
            // SAFETY: what is kept came from `alloc` with this layout, and nobody has it.
            unsafe { dealloc(room.get(), self.layout.get()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_again_if_it_fits() {
        std::thread::spawn(|| {
            let (small, large) = (Layout::new::<u64>(), Layout::new::<[u64; 5]>());
            let (a, b) = (take(small), take(small));
            assert_ne!(a, b);
            // SAFETY: each was taken with the layout that it is given back with, once.
            unsafe {
                put(a, small);
                let c = take(large);
                assert_ne!(c, a);
                put(c, large);
                assert_eq!(take(small), a);
                put(a, small);
                put(b, small);
            }
            assert_eq!([take(small), take(small)], [b, a]);
            // SAFETY: as above.
            unsafe {
                put(a, small);
                put(b, small);
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn no_more_is_kept_than_there_are_places() {
        std::thread::spawn(|| {
            let layout = Layout::new::<[u64; 3]>();
            let all: Vec<_> = (0..2 * MOST).map(|_| take(layout)).collect();
            // SAFETY: each was taken with this layout, and is given back once.
            all.into_iter()
                .for_each(|room| unsafe { put(room, layout) });
            assert_eq!(SPARE.with(|spare| spare.n.get()), MOST);
        })
        .join()
        .unwrap();
    }
}
