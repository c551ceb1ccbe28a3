//! Stacks that belong to threads of the operating system: the counterpart of `stack.rs` for `context/threads.rs`.
//!
//! Miri gives each local variable an address of its own, far from the others, so that an address does not say there whether an address lies in a
//! stack; elsewhere it is known well enough for tests.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::PoisonError;

use crate::sync::StaticMutex;

/// What a lane may use, as with other stacks. A thread has twice as much.
pub(crate) const STACK_BYTES: usize = 256 * 1024;

/// Threads of one set of blocks.
pub(crate) const SET_LIMIT: usize = 4096;

/// A stack that there will be when a thread starts.
pub(crate) struct Stack;

/// The part of a thread's stack that lanes use, until it ends.
pub(crate) struct Extent {
    limit: usize,
}

/// The stacks that there are, by their lower ends: what a kernel calls local memory.
static EXTENTS: StaticMutex<BTreeMap<usize, usize>> = StaticMutex::new(BTreeMap::new());

thread_local! {
    /// That of the thread.
    static OWN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

impl Stack {
    /// Nothing is known to lie below it.
    pub(crate) fn below(&self) -> Range<usize> {
        0..0
    }

    /// Notes the stack of the thread that starts.
    #[inline(never)]
    pub(crate) fn enter(&self) -> Extent {
        let here = 0u8;
        let top = (&raw const here).addr();
        let limit = top.saturating_sub(STACK_BYTES);
        OWN.set((limit, top));
        let mut extents = EXTENTS.lock().unwrap_or_else(PoisonError::into_inner);
        extents.insert(limit, top);
        Extent { limit }
    }
}

impl Drop for Extent {
    fn drop(&mut self) {
        let mut extents = EXTENTS.lock().unwrap_or_else(PoisonError::into_inner);
        extents.remove(&self.limit);
    }
}

/// Whether an address lies in a stack.
pub(crate) fn holds(address: usize) -> bool {
    top_above(address).is_some()
}

/// The upper end of the stack that an address lies in.
pub(crate) fn top_above(address: usize) -> Option<usize> {
    let extents = EXTENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, top) = extents.range(..=address).next_back()?;
    (address < *top).then_some(*top)
}

/// Whether an address lies near the caller's frame, and so in the same stack. False says nothing.
pub(crate) fn is_near(_address: usize) -> bool {
    false
}

/// Whether an access lies in the stack that the caller runs on.
pub(crate) fn is_own(address: usize, bytes: usize) -> bool {
    let (limit, top) = OWN.get();
    limit <= address && address < top && bytes <= top - address
}

/// A stack; its memory comes with a thread, and has the size that those have.
pub(crate) fn take(_bytes: usize) -> io::Result<Stack> {
    Ok(Stack)
}

/// Nothing is kept.
pub(crate) fn give_back(stacks: Vec<Stack>) {
    drop(stacks);
}
