//! Memory for stacks, kept between runs: making one costs 8.5 µs, which is 8.7 ms for a block of 1024 threads.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{MutexGuard, PoisonError};

use corosensei::stack::{DefaultStack, Stack as _, StackPointer};

use crate::engine::reserve::{RESERVE_BYTES, close_reserve};
use crate::sync::StaticMutex;

/// Stacks that are kept between runs: two blocks of 1024 threads, 776 MiB of address space with 256 KiB each.
const DEPOT_LIMIT: usize = 2048;

/// Stacks of one set of blocks. Each takes two of the 65530 mappings that Linux allows a process, and when these are used up, whatever
/// else asks for memory fails.
pub(crate) const SET_LIMIT: usize = 24 * 1024;

/// A multiple of every page size on the hosts that have fibers.
const LARGEST_PAGE: usize = 64 * 1024;

static DEPOT: StaticMutex<Depot> = StaticMutex::new(Depot {
    stacks: Vec::new(),
    stack_bytes: 0,
    n_made: 0,
});

struct Depot {
    stacks: Vec<Stack>,
    /// Those of each of them, as the run asked for them that took a stack last.
    stack_bytes: usize,
    n_made: usize,
}

/// A stack with a reserve and a guard page below it, which starts a little lower than its memory would allow. The reserve is not
/// accessible until the stack overflows (README 22).
///
/// All stacks end on a page, so without this the frames of all lanes would compete for the same few sets of the first-level cache.
/// A switch between 1024 stacks took 14.8 ns with equal tops and 4.9 ns with these (Xeon with 48 KiB L1d).
pub(crate) struct Stack {
    memory: DefaultStack,
    base: StackPointer,
    /// What was asked for.
    bytes: usize,
}

/// The stacks that there are, by their lower ends: what a kernel calls local memory.
static EXTENTS: StaticMutex<BTreeMap<usize, usize>> = StaticMutex::new(BTreeMap::new());

/// Whether an address lies in a stack.
pub(crate) fn holds(address: usize) -> bool {
    top_above(address).is_some()
}

/// The upper end of the stack that an address lies in.
pub(crate) fn top_above(address: usize) -> Option<usize> {
    extent(address).map(|(_, top)| top)
}

/// Both ends of the stack that an address lies in, the lower first.
pub(crate) fn extent(address: usize) -> Option<(usize, usize)> {
    let extents = EXTENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (limit, top) = extents.range(..=address).next_back()?;
    (address < *top).then_some((*limit, *top))
}

/// Whether an access lies in the stack that the caller runs on. Quick: for each access of instrumented code.
#[inline]
pub(crate) fn is_own(address: usize, bytes: usize) -> bool {
    thread_local! {
        /// Of the stack that asked last on this OS thread, and how many stacks had gone by then.
        static LATEST: Cell<(usize, usize, u64)> = const { Cell::new((0, 0, 0)) };
    }
    if is_near(address) && is_near(address.wrapping_add(bytes)) {
        return true;
    }
    let here = (&raw const address).addr();
    let n_gone = N_GONE.load(Ordering::Acquire);
    let (mut limit, mut top, known) = LATEST.get();
    if here < limit || here >= top || n_gone != known {
        (limit, top) = extent(here).unwrap_or_default();
        LATEST.set((limit, top, n_gone));
    }
    limit <= address && address < top && bytes <= top - address
}

/// Bytes at the upper end of each stack that no frame uses.
const UNUSED_BYTES: usize = 4096;

/// Whether an address lies so near the caller's frame that it is in the same stack: above it are the unused bytes, below it the reserve and the
/// guard page. False says nothing.
#[inline(always)]
pub(crate) fn is_near(address: usize) -> bool {
    let here = 0_u8;
    let lowest = (&raw const here).addr().wrapping_sub(UNUSED_BYTES);
    cfg!(not(windows)) && address.wrapping_sub(lowest) < 2 * UNUSED_BYTES
}

/// Stacks that were given back to the operating system, whose addresses another may have.
static N_GONE: AtomicU64 = AtomicU64::new(0);

impl Drop for Stack {
    fn drop(&mut self) {
        let mut extents = EXTENTS.lock().unwrap_or_else(PoisonError::into_inner);
        extents.remove(&self.memory.limit().get());
        N_GONE.fetch_add(1, Ordering::Release);
    }
}

impl Stack {
    fn new(number: usize, bytes: usize) -> io::Result<Self> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let pages = bytes.checked_next_multiple_of(LARGEST_PAGE);
        let with_reserve = pages.and_then(|bytes| bytes.checked_add(RESERVE_BYTES));
        // What corosensei adds must not wrap.
        let total = with_reserve.filter(|total| *total < isize::MAX as usize);
        let memory = DefaultStack::new(total.ok_or_else(too_large)?)?;
        // Windows records the true base of a stack in the thread's control block.
        let lowered = if cfg!(windows) {
            0
        } else {
            UNUSED_BYTES + number % 64 * 320
        };
        let base = StackPointer::new(memory.base().get() - lowered);
        let base = base.unwrap_or(memory.base());
        let mut extents = EXTENTS.lock().unwrap_or_else(PoisonError::into_inner);
        extents.insert(memory.limit().get(), memory.base().get());
        drop(extents);
        let stack = Self {
            memory,
            base,
            bytes,
        };
        close_reserve(&stack.below())?;
        Ok(stack)
    }

    /// What lies below the bytes that were asked for: the guard page, then the reserve.
    pub(crate) fn below(&self) -> Range<usize> {
        let top = self.memory.base().get();
        let bytes = self.bytes.next_multiple_of(LARGEST_PAGE);
        self.memory.limit().get()..top - bytes
    }
}

// SAFETY: the memory is that of a `DefaultStack`, with its guard page. At most 24256 of its bytes at the top, of 65536 at least, are not used, and
// 4096 and 320 are multiples of `STACK_ALIGNMENT` (16) so that the base stays aligned.
unsafe impl corosensei::stack::Stack for Stack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.memory.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.memory.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.memory
            .update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}

/// A stack of so many bytes from the depot, or a new one.
///
/// # Errors
/// The operating system has no memory, or no further mapping, for it.
pub(crate) fn take(bytes: usize) -> io::Result<Stack> {
    let mut depot = depot();
    let of_another_size = if depot.stack_bytes == bytes {
        Vec::new()
    } else {
        std::mem::take(&mut depot.stacks)
    };
    depot.stack_bytes = bytes;
    if let Some(stack) = depot.stacks.pop() {
        return Ok(stack);
    }
    depot.n_made = depot.n_made.wrapping_add(1);
    let number = depot.n_made;
    drop(depot); // before the others are unmapped
    drop(of_another_size);
    Stack::new(number, bytes)
}

/// Keeps stacks for later runs, as many as the depot holds.
pub(crate) fn give_back(stacks: Vec<Stack>) {
    let mut depot = depot();
    let room = DEPOT_LIMIT.saturating_sub(depot.stacks.len());
    let bytes = depot.stack_bytes;
    let (kept, rest): (Vec<_>, Vec<_>) = stacks.into_iter().partition(|one| one.bytes == bytes);
    let mut kept = kept.into_iter();
    depot.stacks.extend(kept.by_ref().take(room));
    drop(depot); // before the rest is unmapped
    drop(rest);
}

fn depot() -> MutexGuard<'static, Depot> {
    DEPOT.lock().unwrap_or_else(PoisonError::into_inner)
}
