//! What is remembered of each piece of memory: the last write and two accesses since, in granules of up to four bytes.
//!
//! Entries are never cleared: those of earlier blocks and runs have times below every bound of the present one (README 3), so they
//! count as ordered. Chunks of entries go from run to run through a pool for the same reason.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ops::{Deref, Range};
use std::ptr;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use super::epochs::NONE;
use super::line::{FRESH, LINE, Line, READ, WRITTEN};
use super::slot::Slot;
use super::touch::{Touch, is_of_run};
use crate::sync::StaticMutex;

/// What is remembered of one granule.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Granule {
    /// The last write; two reads since, or atomics that nothing orders with it.
    pub(super) slots: [Cell<Slot>; 3],
    flags: AtomicU32,
}

const _: () = assert!(size_of::<Granule>() == 40);

/// A granule with what lies apart from it, so that those of neighbours share a cache line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    chunk: &'a Chunk,
    /// The granule's number in the chunk.
    inside: usize,
}

impl<'a> Entry<'a> {
    #[inline(always)]
    pub(super) fn note(self) -> &'a AtomicU32 {
        &self.chunk.epochs[self.inside % CHUNK]
    }

    /// A epoch in which further accesses of a kind change nothing (README 8), or what `lines.rs` says.
    #[inline(always)]
    pub(super) fn epoch(self) -> u32 {
        self.note().load(Ordering::Relaxed)
    }

    /// The epochs from this granule's on.
    pub(super) fn epochs(self) -> *const AtomicU32 {
        let first = (&raw const self.chunk.epochs).cast::<AtomicU32>();
        first.wrapping_add(self.inside % CHUNK)
    }

    /// The granules from this one on.
    pub(super) fn granules(self) -> *const Granule {
        let first = (&raw const self.chunk.granules).cast::<Granule>();
        first.wrapping_add(self.inside % CHUNK)
    }

    #[inline(always)]
    pub(super) fn set_epoch(self, epoch: u32) {
        self.note().store(epoch, Ordering::Relaxed);
    }

    /// Takes it away, and if `locked` whatever other OS threads do; gives what it was.
    pub(super) fn take_epoch(self, locked: bool) -> u32 {
        if locked {
            return self.note().swap(NONE, Ordering::AcqRel);
        }
        let before = self.epoch();
        self.set_epoch(NONE);
        before
    }

    /// What is remembered of it and its neighbours together.
    #[inline(always)]
    pub(super) fn line(self) -> &'a Line {
        &self.chunk.lines[self.inside % CHUNK / LINE]
    }

    /// The granule's number in the chunk.
    #[inline(always)]
    pub(super) fn inside(self) -> usize {
        self.inside
    }

    /// What a run that began at `t0` has left.
    fn touch(self, t0: u32) -> Touch {
        let mut touch = match self.epoch() {
            FRESH => return Touch::default(),
            READ | WRITTEN => Touch::default(),
            _ => Granule::touch(&self, t0),
        };
        match self.epoch() {
            READ => touch.add(self.line().read.what()),
            WRITTEN => touch.add(self.line().write.what()),
            _ => {}
        }
        touch
    }

    /// The same of each of its bytes, if it is split, else of all of it; nothing if the run has not accessed it.
    fn each_touch(self, t0: u32, mut look: impl FnMut(Option<usize>, Touch)) {
        let mut tell = |byte, touch| {
            if touch != Touch::default() {
                look(byte, touch);
            }
        };
        let parts = match self.epoch() {
            FRESH | READ | WRITTEN => None,
            _ => self.parts(),
        };
        match parts {
            Some(parts) => {
                for (byte, part) in parts.iter().enumerate() {
                    tell(Some(byte), part.touch(t0));
                }
            }
            None => tell(None, self.touch(t0)),
        }
    }

    /// A copy to it has begun.
    pub(super) fn set_copying(self) {
        self.leave_line(true);
        self.set_epoch(NONE);
        self.set_flags(self.flags() | flag::COPYING);
    }
}

/// Neighbouring granules of one chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries<'a> {
    chunk: &'a Chunk,
    first: usize,
}

impl<'a> Entries<'a> {
    /// Number `n` of them, which is in the chunk.
    #[inline(always)]
    pub(super) fn get(self, n: usize) -> Entry<'a> {
        Entry {
            chunk: self.chunk,
            inside: self.first + n,
        }
    }

    /// Whether `parts` of them from each of `count` on, `step` apart, all have this epoch. All are in the chunk.
    #[inline(always)]
    pub(super) fn all_are(self, (step, count, parts): (usize, usize, usize), epoch: u32) -> bool {
        let mut at = self.first;
        for _ in 0..count {
            let is = |part: usize| {
                self.chunk.epochs[(at + part) % CHUNK].load(Ordering::Relaxed) == epoch
            };
            if !(0..parts).all(is) {
                return false;
            }
            at += step;
        }
        true
    }
}

impl Deref for Entry<'_> {
    type Target = Granule;

    #[inline(always)]
    fn deref(&self) -> &Granule {
        &self.chunk.granules[self.inside % CHUNK]
    }
}

/// The bits of [`Granule::flags`]. The lowest four: bytes of shared memory that have a value, where the last write is of this block.
pub(super) mod flag {
    pub(crate) const INIT: u32 = 15;
    /// Its bytes are remembered one by one; `slots` holds a pointer.
    pub(crate) const SPLIT: u32 = 1 << 8;
    /// Releases have written here: the graph of order has a message for this address.
    pub(crate) const MESSAGE: u32 = 1 << 9;
    /// The target of a copy under way.
    pub(crate) const COPYING: u32 = 1 << 10;
    pub(crate) const LOCKED: u32 = 1 << 31;
}

impl Granule {
    /// When what it remembers was.
    #[inline(always)]
    pub(super) fn times(&self) -> [u32; 3] {
        let [written, a, b] = &self.slots;
        [written.get().t, a.get().t, b.get().t]
    }

    /// A plain write is all that it remembers now; the caller gives it another epoch.
    #[inline(always)]
    pub(super) fn overwrite(&self, now: Slot) {
        self.slots[0].set(now);
        self.slots[1].set(Slot::default());
        self.slots[2].set(Slot::default());
    }

    #[inline(always)]
    pub(super) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Ordering::Relaxed);
    }

    /// Keeps other OS threads away.
    #[inline(always)]
    pub(super) fn lock(&self) {
        while self.flags.fetch_or(flag::LOCKED, Ordering::Acquire) & flag::LOCKED != 0 {
            std::hint::spin_loop();
        }
    }

    #[inline(always)]
    pub(super) fn unlock(&self) {
        let flags = self.flags.load(Ordering::Relaxed);
        self.flags.store(flags & !flag::LOCKED, Ordering::Release);
    }

    /// What a run that began at `t0` has left in the slots.
    fn touch(&self, t0: u32) -> Touch {
        let mut touch = Touch::default();
        for slot in self.slots.iter().map(Cell::get) {
            if is_of_run(slot.t, t0) {
                touch.add(slot.what);
            }
        }
        touch
    }

    /// The entries of its bytes, if it is split.
    fn parts(&self) -> Option<&[Granule; 4]> {
        let first = self.slots[0].get();
        let is_split = self.flags() & flag::SPLIT != 0;
        let address = u64::from(first.t) << 32 | u64::from(first.who);
        let parts = ptr::with_exposed_provenance::<[Granule; 4]>(address as usize);
        // SAFETY: of a granule that is split the slot holds the address of its parts, which are there as long as the run.
        is_split.then(|| unsafe { &*parts })
    }

    /// The entries of its bytes, which take its place from now on.
    pub(super) fn split(&self, pool: &Splits) -> *const [Granule; 4] {
        let first = self.slots[0].get();
        if self.flags() & flag::SPLIT != 0 {
            let address = u64::from(first.t) << 32 | u64::from(first.who);
            return ptr::with_exposed_provenance(address as usize);
        }
        let flags = self.flags();
        let copied = std::array::from_fn(|byte| Granule {
            slots: self.slots.clone(),
            flags: AtomicU32::new(flags & flag::MESSAGE | ((flags >> byte & 1) * flag::INIT)),
        });
        let parts = pool.keep(copied);
        let address = parts.expose_provenance() as u64;
        self.slots[0].set(Slot {
            who: address as u32,
            t: (address >> 32) as u32,
            ..first
        });
        self.set_flags(flags & (flag::LOCKED | flag::COPYING) | flag::SPLIT);
        parts
    }
}

/// Owns what split granules point to, until the run ends.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "granules point to them")]
pub(super) struct Splits(StaticMutex<Vec<Box<[Granule; 4]>>>);

// SAFETY: code that accesses granules of global memory holds the lock of the granule that they are parts of.
unsafe impl Sync for Splits {}
// SAFETY: as above.
unsafe impl Send for Splits {}

impl Splits {
    fn keep(&self, parts: [Granule; 4]) -> *const [Granule; 4] {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Box::new(parts));
        all.last().map_or(ptr::null(), |last| &raw const **last)
    }

    fn is_empty(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.is_empty()
    }
}

/// Granules that lie side by side.
pub(super) const CHUNK: usize = 1 << CHUNK_SHIFT;
const CHUNK_SHIFT: u32 = 12;

#[repr(C)]
#[derive(Debug)]
pub(super) struct Chunk {
    epochs: [AtomicU32; CHUNK],
    lines: [Line; CHUNK / LINE],
    granules: [Granule; CHUNK],
    /// No entry has this time or a later one.
    stamp: u32,
}

/// The granules of one piece of memory, made when they are first asked for.
#[derive(Debug)]
pub(super) struct Table {
    chunks: Box<[AtomicPtr<Chunk>]>,
    any: AtomicBool,
}

/// The chunks of a table that is stored elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunks(*const AtomicPtr<Chunk>);

impl Chunks {
    pub(super) const NONE: Self = Self(ptr::null());

    /// Granule number `index`, if it was made.
    ///
    /// # Safety
    /// The table is there, and longer than `index`.
    #[inline(always)]
    pub(super) unsafe fn entry<'a>(self, index: usize) -> Option<Entry<'a>> {
        // SAFETY: the caller's promise.
        Some(unsafe { self.chunk(index) }?.entry(index))
    }

    /// That granule and those behind it in its chunk, if they were made.
    ///
    /// # Safety
    /// As for `entry`.
    #[inline(always)]
    pub(super) unsafe fn entries<'a>(self, index: usize) -> Option<Entries<'a>> {
        // SAFETY: the caller's promise.
        Some(unsafe { self.chunk(index) }?.entries(index))
    }

    /// # Safety
    /// As for `entry`.
    #[inline(always)]
    unsafe fn chunk<'a>(self, index: usize) -> Option<&'a Chunk> {
        // SAFETY: the caller's promise: the table has so many.
        let chunk = unsafe { &*self.0.wrapping_add(index >> CHUNK_SHIFT) };
        // SAFETY: the chunk is alive as long as the table.
        unsafe { chunk.load(Ordering::Acquire).as_ref() }
    }
}

impl Chunk {
    /// The granule of this number, of those of the table that are in this chunk.
    #[inline(always)]
    fn entry(&self, index: usize) -> Entry<'_> {
        Entry {
            chunk: self,
            inside: index & (CHUNK - 1),
        }
    }

    /// The epoch that all granules of a line have, from the line's first on; `None`: they have different ones.
    ///
    /// # Safety
    /// No other OS thread writes them meanwhile.
    #[inline(always)]
    unsafe fn epoch_of_line(&self, first: usize) -> Option<u32> {
        let epochs = self.epochs[first..first + LINE].as_ptr();
        // Not one by one, as atomics would be.
        // SAFETY: the slice has so many, whose layout is that of numbers; the caller's promise.
        let epochs = unsafe { epochs.cast::<[u32; LINE]>().read() };
        let differing = epochs.iter().fold(0, |all, one| all | (one ^ epochs[0]));
        (differing == 0).then_some(epochs[0])
    }

    /// It and those behind it.
    #[inline(always)]
    fn entries(&self, index: usize) -> Entries<'_> {
        Entries {
            chunk: self,
            first: index & (CHUNK - 1),
        }
    }
}

impl Table {
    pub(super) fn new(granules: usize) -> Self {
        let chunks = granules.div_ceil(CHUNK);
        Self {
            chunks: std::iter::repeat_with(AtomicPtr::default)
                .take(chunks)
                .collect(),
            any: AtomicBool::new(false),
        }
    }

    /// Granule number `index`. `t0`: when this run began.
    ///
    /// # Panics
    /// If the table is shorter.
    #[inline(always)]
    pub(super) fn entry(&self, index: usize, t0: u32) -> Entry<'_> {
        let start = self.chunk(index, t0);
        // SAFETY: the chunk is alive as long as the table.
        unsafe { &*start }.entry(index)
    }

    /// What finds its granules as long as the table is there.
    pub(super) fn chunks(&self) -> Chunks {
        Chunks(self.chunks.as_ptr())
    }

    #[inline(always)]
    fn chunk(&self, index: usize, t0: u32) -> *const Chunk {
        let chunk = &self.chunks[index >> CHUNK_SHIFT];
        let start = chunk.load(Ordering::Acquire);
        if start.is_null() {
            return self.make(chunk, t0);
        }
        start
    }

    #[cold]
    #[inline(never)]
    fn make(&self, chunk: &AtomicPtr<Chunk>, t0: u32) -> *mut Chunk {
        let new = take_chunk(t0);
        self.any.store(true, Ordering::Relaxed);
        match chunk.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => new,
            Err(other) => {
                give_chunk(new, true);
                other
            }
        }
    }

    /// What this run, which began at `t0`, has left in the granules that it has accessed, in order: of neighbours with the same in one call, of one that is split
    /// byte by byte.
    ///
    /// # Safety
    /// No other OS thread accesses the table meanwhile: the run is over.
    pub(super) unsafe fn each_touch(
        &self,
        t0: u32,
        mut look: impl FnMut(Range<usize>, Option<usize>, Touch),
    ) {
        for (number, chunk) in self.chunks.iter().enumerate() {
            // SAFETY: the chunk is alive as long as the table.
            let Some(chunk) = (unsafe { chunk.load(Ordering::Acquire).as_ref() }) else {
                continue;
            };
            for inside in (0..CHUNK).step_by(LINE) {
                let first = number * CHUNK + inside;
                // Most granules are remembered in lines: their own entries, ten times as large, are left alone.
                // SAFETY: the caller's promise.
                match unsafe { chunk.epoch_of_line(inside) } {
                    Some(FRESH) => {}
                    Some(READ | WRITTEN) => {
                        look(first..first + LINE, None, chunk.entry(inside).touch(t0));
                    }
                    _ => (0..LINE).for_each(|n| {
                        chunk.entry(inside + n).each_touch(t0, |byte, touch| {
                            look(first + n..first + n + 1, byte, touch);
                        });
                    }),
                }
            }
        }
    }

    /// How many chunks were made.
    pub(super) fn n_chunks(&self) -> usize {
        let is_there = |chunk: &&AtomicPtr<Chunk>| !chunk.load(Ordering::Relaxed).is_null();
        self.chunks.iter().filter(is_there).count()
    }

    /// Hands the entries to later runs. `high` is a time above all in them.
    pub(super) fn retire(&mut self, high: u32, splits: &Splits) {
        if !*self.any.get_mut() {
            return;
        }
        let clean = splits.is_empty();
        for chunk in &mut self.chunks {
            let start = std::mem::take(chunk.get_mut());
            if !start.is_null() {
                // SAFETY: the table owns it.
                unsafe { (*start).stamp = high };
                give_chunk(start, clean);
            }
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for chunk in &mut self.chunks {
            let start = *chunk.get_mut();
            if !start.is_null() {
                // SAFETY: the table owns it.
                unsafe { free_chunk(start) };
            }
        }
    }
}

struct Pool(Vec<*mut Chunk>);

// SAFETY: the pool owns its chunks.
unsafe impl Send for Pool {}

static POOL: StaticMutex<Pool> = StaticMutex::new(Pool(Vec::new()));

/// Chunks that are kept between runs: 370 MB.
pub(super) const POOL_LIMIT: usize = 2048;

const LAYOUT: Layout = Layout::new::<Chunk>();

fn take_chunk(t0: u32) -> *mut Chunk {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = pool.0.pop();
    drop(pool);
    if let Some(chunk) = kept {
        // SAFETY: the pool gave it away.
        let known = unsafe { &mut *chunk };
        if known.stamp <= t0 {
            // What is remembered is past: all granules are fresh again.
            let (epochs, lines) = (&raw mut known.epochs, &raw mut known.lines);
            // SAFETY: zero is a valid epoch.
            unsafe { epochs.write_bytes(0, 1) };
            // SAFETY: zero is a valid line.
            unsafe { lines.write_bytes(0, 1) };
        } else {
            // A run that went on beside this one has left times that this one does not know.
            // SAFETY: zero is a valid chunk.
            unsafe { chunk.write_bytes(0, 1) };
        }
        return chunk;
    }
    // SAFETY: the layout is not empty.
    let chunk = unsafe { alloc_zeroed(LAYOUT) }.cast::<Chunk>();
    if chunk.is_null() {
        handle_alloc_error(LAYOUT);
    }
    chunk
}

/// `clean`: no entry is split.
fn give_chunk(chunk: *mut Chunk, clean: bool) {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if clean && pool.0.len() < POOL_LIMIT {
        pool.0.push(chunk);
        return;
    }
    drop(pool);
    // SAFETY: the caller gave it away.
    unsafe { free_chunk(chunk) }
}

/// # Safety
/// The chunk came from `take_chunk`, and nothing uses it any more.
unsafe fn free_chunk(chunk: *mut Chunk) {
    // SAFETY: it came from the allocator with this layout.
    unsafe { dealloc(chunk.cast(), LAYOUT) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::slot::AccessKind;
    use super::*;

    #[test]
    fn epochs_are_not_handed_to_later_runs() {
        let splits = Splits::default();
        for t0 in 1..20 {
            let mut table = Table::new(CHUNK);
            for index in 0..CHUNK {
                let entry = table.entry(index, t0);
                assert_eq!(entry.epoch(), 0);
                entry.set_epoch(7);
            }
            // As of a run whose times were all below those of the next.
            table.retire(t0, &splits);
        }
    }

    /// What is told of a table: granules, byte, and whether they were read and written.
    fn told(table: &Table) -> Vec<(Range<usize>, Option<usize>, Touch)> {
        let mut all = Vec::new();
        // SAFETY: the table is this OS thread's alone.
        unsafe { table.each_touch(1, |granules, byte, touch| all.push((granules, byte, touch))) };
        all
    }

    fn access(who: u32, kind: u32) -> Slot {
        Slot {
            who,
            t: 1,
            what: AccessKind::new(kind, 3),
        }
    }

    fn touch(kind: u32) -> Touch {
        let mut touch = Touch::default();
        touch.add(AccessKind::new(kind, 3));
        touch
    }

    #[test]
    fn a_line_is_told_at_once_and_part_of_one_by_granules() {
        let (read, write) = (AccessKind::READ, AccessKind::WRITE);
        let table = Table::new(2 * CHUNK);
        // The second line of the second chunk; then three granules of the next but one.
        let line = CHUNK + LINE;
        for n in 0..LINE {
            let entry = table.entry(line + n, 1);
            assert!(entry.is_in_line_now::<4, false>(access(n as u32, read), false));
        }
        let part = line + 2 * LINE + 5;
        for n in 0..3 {
            let entry = table.entry(part + n, 1);
            assert!(entry.is_in_line_now::<4, true>(access(n as u32, write), false));
        }
        let expected = [
            line..line + LINE,
            part..part + 1,
            part + 1..part + 2,
            part + 2..part + 3,
        ];
        let touches = [read, write, write, write].map(touch);
        let expected = expected.into_iter().zip(touches);
        let expected: Vec<_> = expected
            .map(|(range, touch)| (range, None, touch))
            .collect();
        assert_eq!(told(&table), expected);
    }

    #[test]
    fn a_granule_that_left_its_line_or_was_split_is_told_by_itself() {
        let (read, write) = (AccessKind::READ, AccessKind::WRITE);
        let (table, splits) = (Table::new(CHUNK), Splits::default());
        for n in 0..LINE {
            let entry = table.entry(n, 1);
            assert!(entry.is_in_line_now::<4, true>(access(n as u32, write), false));
        }
        let split = table.entry(1, 1);
        split.leave_line(false);
        // SAFETY: the parts stay as long as `splits`.
        let parts = unsafe { &*split.split(&splits) };
        parts[2].slots[1].set(access(9, read));
        let told = told(&table);
        assert_eq!(told[0], (0..1, None, touch(write)));
        let bytes: Vec<_> = told[1..5]
            .iter()
            .map(|(granules, byte, _)| (granules.start, *byte))
            .collect();
        assert_eq!(bytes, [0, 1, 2, 3].map(|byte| (1, Some(byte))));
        let mut both = touch(write);
        both.add(AccessKind::new(read, 3));
        assert_eq!(told[3].2, both);
        assert_eq!(told.len(), 1 + 4 + LINE - 2);
    }
}
