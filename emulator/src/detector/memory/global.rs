//! Memory of the emulated device: from the host's allocator, known to the checks, and kept for a while after it was freed.

use std::alloc::{Layout, alloc, dealloc};
use std::backtrace::Backtrace;
use std::collections::VecDeque;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, PoisonError};

use super::allocation::{Allocation, End, Extent};
use super::program::host_memory;
use super::registry;
use crate::memory_kind::{Birth, Kind};
use crate::site::Origin;
use crate::sync::StaticMutex;

/// Every buffer starts at a multiple of this, as the driver's do.
const ALIGN: usize = 256;

/// What memory holds that was never written: no sane value, so that a read before the first write shows.
const POISON: u8 = 0xa5;

/// What freed memory holds as long as it is kept.
const FREED: u8 = 0xf5;

/// Bytes of freed memory that are kept at most.
const KEPT_BYTES: usize = 64 << 20;

/// Freed pieces that are kept at most: each may be a mapping of its own, and a process has some 65000.
const KEPT_PIECES: usize = 4096;

/// A piece of the emulated device's global memory; freed when it is dropped. Its bytes are 0xA5 until they are written.
///
/// In debug builds, where `WARPLOOM_EMULATOR` is `checked`, and after [`keep_freed_memory`] there is unused memory on both sides, so that an
/// address a little outside is known to be meant for this piece, and what was freed stays mapped until 64 MiB were freed after it. Only as
/// long as it is kept do reports call it freed: what has its addresses after that is not known.
///
/// ```
/// use std::alloc::Layout;
/// use warploom_emulator::check::{Birth, GlobalMemory};
///
/// let memory = GlobalMemory::new(100, Layout::new::<f32>(), Birth::Initialised, "DeviceBuffer<f32>").ok_or("no memory")?;
/// assert_eq!(memory.start().as_ptr().addr() % 256, 0);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug)]
pub struct GlobalMemory {
    start: NonNull<u8>,
    bytes: usize,
    /// `None` once it is freed.
    room: Option<HostAllocation>,
}

// SAFETY: owns plain memory; who may read and write it is up to the code that has the address.
unsafe impl Send for GlobalMemory {}
// SAFETY: as above.
unsafe impl Sync for GlobalMemory {}

impl GlobalMemory {
    /// `bytes` bytes, not 0, for elements of this layout. `label`: what reports call it. `None`: the host has no room for it.
    #[must_use]
    #[track_caller]
    pub fn new(bytes: usize, element: Layout, birth: Birth, label: &str) -> Option<Self> {
        let made = Location::caller().into();
        Self::with_zone(
            zone(bytes),
            (bytes, element),
            (Kind::Global, birth),
            label,
            made,
        )
    }

    pub(super) fn with_zone(
        zone: usize,
        (bytes, element): (usize, Layout),
        what: (Kind, Birth),
        label: &str,
        made: Origin,
    ) -> Option<Self> {
        let zone = if is_tracking() { zone } else { 0 };
        let (room, zone) = match HostAllocation::new(bytes, zone) {
            Some(room) => (room, zone),
            None => (HostAllocation::new(bytes, 0)?, 0),
        };
        // SAFETY: the room has the zone, `bytes` bytes, and another zone.
        let start = unsafe { room.base.add(zone) };
        // SAFETY: as above.
        unsafe { start.write_bytes(POISON, bytes) };
        let extent = Extent {
            start: start.addr().get(),
            bytes,
            element: element.size(),
            align: element.align(),
            zone,
        };
        registry::add(extent, what, label, made);
        Some(Self {
            start,
            bytes,
            room: Some(room),
        })
    }

    /// The first byte.
    #[must_use]
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Length in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frees it.
    pub(super) fn free(&mut self, end: End) {
        let Some(room) = self.room.take() else {
            return;
        };
        let start = self.start.addr().get();
        if !is_tracking() {
            registry::give_back(start);
            return;
        }
        let Some(freed) = registry::remove(start, end) else {
            return;
        };
        let room = (self.bytes <= KEPT_BYTES).then_some(room);
        if room.is_some() {
            // SAFETY: the room is still there, and nothing uses it any more.
            unsafe { self.start.write_bytes(FREED, self.bytes) };
        }
        keep(Freed { room, of: freed });
    }
}

impl Drop for GlobalMemory {
    fn drop(&mut self) {
        if self.room.is_some() {
            let trace = is_tracking().then(Backtrace::force_capture);
            self.free(End { trace, by: None });
        }
    }
}

/// What the host's allocator gave; given back when it is dropped.
#[derive(Debug)]
struct HostAllocation {
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: owns memory, and only gives it back.
unsafe impl Send for HostAllocation {}

impl HostAllocation {
    fn new(bytes: usize, zone: usize) -> Option<Self> {
        let all = zone.checked_mul(2)?.checked_add(bytes)?;
        let layout = Layout::from_size_align(all, ALIGN).ok()?;
        if all == 0 {
            return None;
        }
        // SAFETY: the layout is not empty.
        let base = NonNull::new(unsafe { alloc(layout) })?;
        Some(Self { base, layout })
    }
}

impl Drop for HostAllocation {
    fn drop(&mut self) {
        // SAFETY: came from `alloc` with this layout, and is given back once.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}

/// Unused memory on each side of a piece of this many bytes: a multiple of the alignment. It costs addresses, as nothing touches it.
fn zone(bytes: usize) -> usize {
    let least = if cfg!(miri) { 1 << 10 } else { 64 << 10 };
    (least + bytes / 2).min(16 << 20).next_multiple_of(ALIGN)
}

static KEPT: StaticMutex<Quarantine> = StaticMutex::new(Quarantine::new());

/// Memory that was freed and that reports still know.
struct Freed {
    /// `None`: too large to be kept. It was a mapping of its own then, and its addresses are unmapped until the host maps others there.
    room: Option<HostAllocation>,
    of: Arc<Allocation>,
}

impl Freed {
    fn kept_bytes(&self) -> usize {
        self.room.as_ref().map_or(0, |_| self.of.bytes)
    }
}

/// Freed memory, the oldest first.
struct Quarantine {
    freed: VecDeque<Freed>,
    bytes: usize,
}

impl Quarantine {
    const fn new() -> Self {
        Self {
            freed: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Adds freed memory; gives what has to leave.
    fn add(&mut self, freed: Freed) -> Vec<Freed> {
        self.bytes += freed.kept_bytes();
        self.freed.push_back(freed);
        let mut gone = Vec::new();
        while self.bytes > KEPT_BYTES || self.freed.len() > KEPT_PIECES {
            let Some(oldest) = self.freed.pop_front() else {
                break;
            };
            self.bytes -= oldest.kept_bytes();
            gone.push(oldest);
        }
        gone
    }
}

fn keep(freed: Freed) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let gone = kept.add(freed);
    drop(kept); // before the operating system is asked
    gone.into_iter().for_each(give_back);
}

/// The host's allocator may use these addresses again: from now on an access to them is no use of freed memory.
fn give_back(Freed { room, of }: Freed) {
    registry::forget_freed(of.start, of.serial);
    drop(room);
}

/// Whether the addresses of freed memory are still in no other use: it is kept, or its mapping is gone and there is no other.
pub(super) fn is_unused(freed: &Allocation, address: usize) -> bool {
    freed.bytes <= KEPT_BYTES || host_memory(address).is_none()
}

/// Whether memory is laid out and kept so that checks can say more: costs memory and time at each allocation.
fn is_tracking() -> bool {
    match TRACKING.load(Ordering::Relaxed) {
        UNKNOWN => {
            let asked = std::env::var_os("WARPLOOM_EMULATOR");
            let tracking = match asked.as_ref().and_then(|value| value.to_str()) {
                Some("checked") => true,
                Some("fast") => false,
                // This crate's own tests are about the checks, in whatever profile.
                _ => cfg!(any(debug_assertions, test)),
            };
            let (set, seen) = (Ordering::Relaxed, Ordering::Relaxed);
            let known = TRACKING.compare_exchange(UNKNOWN, tracking.into(), set, seen);
            known.map_or_else(|known| known == 1, |_| tracking)
        }
        known => known == 1,
    }
}

/// 1: memory is laid out and kept for the checks.
static TRACKING: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 2;

/// From now on memory is laid out for the checks and kept after it was freed, whatever the environment says: to be called when a device is
/// opened whose kernels are checked.
pub fn keep_freed_memory() {
    TRACKING.store(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: usize) -> GlobalMemory {
        GlobalMemory::new(bytes, Layout::new::<u8>(), Birth::Uninitialised, "").unwrap()
    }

    #[test]
    fn it_holds_poison_and_is_aligned() {
        for bytes in [1, 3, 255, 256, 4097] {
            let memory = memory(bytes);
            // SAFETY: the memory has `bytes` bytes, which were written.
            let content = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), bytes) };
            assert!(content.iter().all(|byte| *byte == POISON));
            assert_eq!(memory.start().addr().get() % ALIGN, 0);
        }
    }

    #[test]
    fn it_is_known_until_it_is_dropped() {
        let memory = memory(100);
        let at = memory.start().addr().get() + 99;
        assert!(registry::find(at).is_some());
        assert!(registry::find(at + 1).is_none());
        drop(memory);
        assert!(registry::find(at).is_none());
    }

    #[test]
    fn what_was_freed_stays_mapped_and_is_remembered() {
        let memory = memory(100);
        let start = memory.start();
        drop(memory);
        // SAFETY: freed memory is kept until 64 MiB were freed after it; other tests free far less.
        assert_eq!(unsafe { start.read_volatile() }, FREED);
        assert!(registry::find_freed(start.addr().get()).is_some());
    }

    #[test]
    fn what_was_given_back_to_the_hosts_allocator_is_not_freed_memory_any_more() {
        let mut memory = memory(100);
        let (start, room) = (memory.start().addr().get(), memory.room.take());
        let of = registry::remove(start, End::default()).unwrap();
        assert!(registry::find_freed(start).is_some());
        give_back(Freed { room, of });
        assert!(registry::find_freed(start).is_none());
    }

    /// Freed memory that the registry does not know.
    fn freed(bytes: usize) -> Freed {
        let room = HostAllocation::new(bytes, 0).unwrap();
        let extent = Extent {
            start: room.base.addr().get(),
            bytes,
            element: 1,
            align: 1,
            zone: 0,
        };
        let what = (Kind::Global, Birth::Initialised);
        let of = Arc::new(Allocation::new(extent, what, "", (0, Origin::default())));
        Freed {
            room: Some(room),
            of,
        }
    }

    #[test]
    fn the_oldest_leaves_when_too_much_is_kept() {
        let mut kept = Quarantine::new();
        let all: Vec<_> = (0..5).map(|_| freed(KEPT_BYTES / 4)).collect();
        let first = all[0].of.start;
        let gone: Vec<_> = all.into_iter().map(|freed| kept.add(freed)).collect();
        assert!(gone[..4].iter().all(Vec::is_empty));
        assert_eq!(gone[4].len(), 1);
        assert_eq!(gone[4][0].of.start, first);
        assert_eq!(kept.bytes, KEPT_BYTES);
    }

    #[test]
    fn no_more_pieces_are_kept_than_the_limit() {
        let mut kept = Quarantine::new();
        for _ in 0..KEPT_PIECES + 10 {
            kept.add(freed(1));
        }
        assert_eq!((kept.freed.len(), kept.bytes), (KEPT_PIECES, KEPT_PIECES));
    }

    #[test]
    fn there_is_room_for_nothing_too_large() {
        let layout = Layout::new::<u8>();
        for bytes in [usize::MAX, usize::MAX / 2, isize::MAX as usize - 1000] {
            assert!(GlobalMemory::new(bytes, layout, Birth::Initialised, "").is_none());
        }
    }
}
