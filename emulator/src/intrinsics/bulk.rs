//! Copies of many bytes, and of boxes of tensors, that go on beside the threads.
//!
//! A copy reads its source when it begins. Into shared memory it lands when a thread looks at the barrier at which it ends; into global memory when its thread has waited
//! for its group, or is over.

use super::asynchronous::{land, parity, state};
use super::{fail, inside};
use crate::detector;
use crate::engine::bulk::{Landing, Store};
use crate::engine::fiber::Running;
use crate::tensor::{Fill, MAP_BYTES, Reduction, TensorMap};

/// What addresses of boxes in shared memory are multiples of.
const BOX_ALIGN: usize = 128;
/// What addresses and lengths of copies without a map are multiples of.
const PART: usize = 16;
/// What the address of a map is a multiple of.
const MAP_ALIGN: usize = 64;

/// Begins to copy the box at these coordinates into shared memory: of the own block, or of all blocks of the cluster in `blocks` to the same offset. It ends at the
/// barrier, or at those at the same offset. PTX: `cp.async.bulk.tensor`. Compute capability: 9.0.
///
/// # Panics
/// If `map` is no map of a tensor with so many dimensions, an address is not aligned, or `blocks` names a block that is not there. Outside a kernel.
///
/// # Safety
/// All of the box in shared memory is valid for writes and used by no thread until the phase of the barrier has ended, and so is the tensor for reads. The barrier is one.
#[track_caller]
pub unsafe fn tensor_load(
    to: *mut u8,
    map: *const u8,
    barrier: *mut u64,
    at: &[i32],
    blocks: Option<u16>,
) {
    // SAFETY: the caller's promise.
    let map = unsafe { map_at(map, at.len()) };
    is_aligned(to.addr(), BOX_ALIGN, "a box of a tensor in shared memory");
    let (_, offset) = place(to, map.shared_bytes());
    begins_at_a_part(&map, at);
    let width = map.element.bytes();
    let mut value = Vec::with_capacity(map.box_bytes());
    for row in map.rows(at) {
        detector::bulk_reads(row.address, row.inside);
        for i in 0..row.bytes / width {
            let from = (i * width).wrapping_sub(row.before);
            let bits = match from < row.inside {
                // SAFETY: the caller's promise: the element is in the tensor.
                true => map
                    .element
                    .loaded(unsafe { element(row.address + from, width) }),
                false if map.fill == Fill::Nan => map.element.nan(),
                false => 0,
            };
            value.extend_from_slice(&bits.to_le_bytes()[..width]);
        }
    }
    let target = Target {
        at: to,
        offset,
        parts: parts(&map, offset),
        align: BOX_ALIGN,
    };
    // SAFETY: the caller's promise.
    unsafe { begin_all(&target, barrier, value, blocks) };
}

/// Begins to copy bytes from global into shared memory, as [`tensor_load`]. PTX: `cp.async.bulk.shared::cluster.global`. Compute capability: 9.0.
///
/// # Panics
/// As [`tensor_load`], also if `bytes` is no multiple of 16.
///
/// # Safety
/// As for [`tensor_load`], of so many bytes.
#[track_caller]
pub unsafe fn bulk_load(
    to: *mut u8,
    from: *const u8,
    bytes: u32,
    barrier: *mut u64,
    blocks: Option<u16>,
) {
    let bytes = bytes as usize;
    are_parts(to.addr(), from.addr(), bytes);
    let (_, offset) = place(to, bytes);
    detector::bulk_reads(from.addr(), bytes);
    // SAFETY: the caller's promise.
    let value = unsafe { std::slice::from_raw_parts(from, bytes) }.to_vec();
    let target = Target::whole(to, offset);
    // SAFETY: the caller's promise.
    unsafe { begin_all(&target, barrier, value, blocks) };
}

/// Begins to copy bytes from the own shared memory to that of a block of the cluster. PTX: `cp.async.bulk.shared::cluster.shared::cta`. Compute capability: 9.0.
///
/// # Panics
/// As [`bulk_load`].
///
/// # Safety
/// As for [`tensor_load`]; the barrier is in the block that `to` is in, and that block is there until its phase has ended.
#[track_caller]
pub unsafe fn bulk_to_cluster(to: *mut u8, from: *const u8, bytes: u32, barrier: *mut u64) {
    let bytes = bytes as usize;
    are_parts(to.addr(), from.addr(), bytes);
    let (_, offset) = place(to, bytes);
    place(from, bytes);
    // Nothing but the phase of the barrier says that the source has been read: what is written to it before that is not found here.
    detector::bulk_reads_shared_now(from, bytes, PART);
    // SAFETY: the caller's promise.
    let value = unsafe { std::slice::from_raw_parts(from, bytes) }.to_vec();
    let target = Target::whole(to, offset);
    // SAFETY: the caller's promise.
    unsafe { begin(&target, barrier, value) };
}

/// Begins to copy a box from shared memory to these coordinates of the tensor; elements outside of it are left out. PTX: `cp.async.bulk.tensor`,
/// `cp.reduce.async.bulk.tensor`. Compute capability: 9.0.
///
/// # Panics
/// As [`tensor_load`]; if there is no such reduction of the elements.
///
/// # Safety
/// All of the box in shared memory is valid for reads and written by no thread until the copy has read it, and the tensor is valid for writes until the copy has ended.
#[track_caller]
pub unsafe fn tensor_store(
    map: *const u8,
    from: *const u8,
    at: &[i32],
    reduction: Option<Reduction>,
) {
    // SAFETY: the caller's promise.
    let map = unsafe { map_at(map, at.len()) };
    is_aligned(from.addr(), BOX_ALIGN, "a box of a tensor in shared memory");
    let (_, offset) = place(from, map.shared_bytes());
    begins_at_a_part(&map, at);
    is_not_before(at);
    if let Some(reduction) = reduction
        && map.element.reduce(reduction, 0, 0).is_none()
    {
        fail(&format!(
            "a copy cannot reduce elements of type {:?} by {reduction:?}",
            map.element
        ));
    }
    let (mut value, mut sources) = (Vec::with_capacity(map.box_bytes()), Vec::new());
    let mut read = |from: *const u8, bytes: usize, align: usize| {
        detector::bulk_reads_shared(from, bytes, align);
        sources.push(from.addr()..from.addr() + bytes);
    };
    let parts = parts(&map, offset);
    let is_dense = map.pitch() == map.row_bytes();
    if is_dense {
        read(from, map.shared_bytes(), BOX_ALIGN);
    }
    for part in parts {
        let from = from.wrapping_add(part);
        if !is_dense {
            read(from, PART, PART);
        }
        // SAFETY: the caller's promise.
        value.extend_from_slice(unsafe { std::slice::from_raw_parts(from, PART) });
    }
    let mut rows = Vec::new();
    for (n, row) in map
        .written_rows(at)
        .enumerate()
        .filter(|(_, row)| row.inside > 0)
    {
        let width = reduction.map(|_| map.element.bytes());
        detector::bulk_writes(row.address, row.inside, width);
        let to = std::ptr::with_exposed_provenance_mut(row.address);
        rows.push((n * row.bytes + row.before, to, row.inside));
    }
    begin_store(Store {
        sources,
        value: value.into(),
        rows,
        reduction: reduction.map(|by| (map.element, by)),
    });
}

/// Begins to copy bytes from shared to global memory. PTX: `cp.async.bulk.global.shared::cta`. Compute capability: 9.0.
///
/// # Panics
/// As [`bulk_load`].
///
/// # Safety
/// As for [`tensor_store`], of so many bytes.
#[track_caller]
pub unsafe fn bulk_store(to: *mut u8, from: *const u8, bytes: u32) {
    let bytes = bytes as usize;
    are_parts(to.addr(), from.addr(), bytes);
    place(from, bytes);
    detector::bulk_reads_shared(from, bytes, PART);
    detector::bulk_writes(to.addr(), bytes, None);
    // SAFETY: the caller's promise.
    let value = unsafe { std::slice::from_raw_parts(from, bytes) };
    let source = from.addr()..from.addr() + bytes;
    begin_store(Store {
        sources: std::iter::once(source).collect(),
        value: value.into(),
        rows: vec![(0, to, bytes)],
        reduction: None,
    });
}

/// Makes a group of the copies to global memory that this thread has begun since the last group. PTX: `cp.async.bulk.commit_group`. Compute capability: 9.0.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// None here; `unsafe` because it moves the groups that [`bulk_wait_0`] and the others count.
#[track_caller]
pub unsafe fn bulk_commit() {
    inside("bulk_commit", |running| {
        running.note(|block, thread| block.stores(thread).commit());
    });
}

macro_rules! waits {
    ($($name:ident $read:ident $pending:literal;)*) => {$(
        #[doc = concat!("Waits until at most ", $pending, " of the thread's groups of copies to global memory are under way, the latest.")]
        /// PTX: `cp.async.bulk.wait_group`. Compute capability: 9.0.
        ///
        /// # Panics
        /// Outside a kernel.
        ///
        /// # Safety
        /// As promised for each copy.
        #[track_caller]
        pub unsafe fn $name() {
            // SAFETY: the caller's promise.
            unsafe { wait($pending) }
        }

        #[doc = concat!("Waits until at most ", $pending, " of these groups may still read their sources, the latest.")]
        /// PTX: `cp.async.bulk.wait_group.read`. Compute capability: 9.0.
        ///
        /// # Panics
        /// Outside a kernel.
        ///
        /// # Safety
        /// As promised for each copy.
        #[track_caller]
        pub unsafe fn $read() {
            read_groups($pending);
        }
    )*};
}

waits! {
    bulk_wait_0 bulk_wait_read_0 0;
    bulk_wait_1 bulk_wait_read_1 1;
    bulk_wait_2 bulk_wait_read_2 2;
    bulk_wait_3 bulk_wait_read_3 3;
    bulk_wait_4 bulk_wait_read_4 4;
    bulk_wait_5 bulk_wait_read_5 5;
    bulk_wait_6 bulk_wait_read_6 6;
    bulk_wait_7 bulk_wait_read_7 7;
}

/// Orders the thread's own accesses before the fence and what bulk copies do that begin after it. PTX: `fence.proxy.async`. Compute capability: 9.0.
///
/// # Panics
/// Outside a kernel.
#[track_caller]
pub fn fence_proxy_async() {
    inside("fence_proxy_async", |_| ());
    detector::proxy_fence();
}

/// Lets the other blocks of the cluster, and copies, see the barriers in memory that the thread has initialised. Here they do at once. PTX: `fence.mbarrier_init`.
/// Compute capability: 9.0.
///
/// # Panics
/// Outside a kernel.
#[track_caller]
pub fn fence_mbarrier_init() {
    inside("fence_mbarrier_init", |_| ());
}

/// Asks for bytes to be brought to a cache: nothing here, but for the check of what is given. PTX: `cp.async.bulk.prefetch`. Compute capability: 9.0.
///
/// # Panics
/// If an address or `bytes` is no multiple of 16.
///
/// # Safety
/// None here; on a GPU the bytes must be there.
#[track_caller]
pub unsafe fn bulk_prefetch(from: *const u8, bytes: u32) {
    are_parts(0, from.addr(), bytes as usize);
}

/// Asks for a box to be brought to a cache: nothing here, but for the check of the map. PTX: `cp.async.bulk.prefetch.tensor`. Compute capability: 9.0.
///
/// # Panics
/// If `map` is no map of a tensor with so many dimensions.
///
/// # Safety
/// `map` is valid for reads of a map.
#[track_caller]
pub unsafe fn tensor_prefetch(map: *const u8, at: &[i32]) {
    // SAFETY: the caller's promise.
    let map = unsafe { map_at(map, at.len()) };
    begins_at_a_part(&map, at);
}

/// Asks for a map to be brought to a cache: nothing here. PTX: `prefetch.tensormap`. Compute capability: 9.0.
///
/// # Safety
/// None here; on a GPU `map` is one.
pub unsafe fn tensor_map_prefetch(_map: *const u8) {}

/// # Safety
/// As promised for each copy.
#[track_caller]
unsafe fn wait(pending: usize) {
    read_groups(pending);
    inside("bulk_wait", |running| {
        let mut ended = Vec::new();
        running.note(|block, thread| ended = block.stores(thread).finish(pending));
        for store in ended {
            // SAFETY: the caller's promise.
            unsafe { store.perform() }
        }
    });
}

#[track_caller]
fn read_groups(pending: usize) {
    inside("bulk_wait", |running| {
        let mut sources = Vec::new();
        running.note(|block, thread| sources = block.stores(thread).read(pending));
        for source in sources {
            detector::bulk_source_read(source.start, source.len());
        }
    });
}

#[track_caller]
fn begin_store(store: Store) {
    inside("bulk_store", |running| {
        running.note(|block, thread| block.stores(thread).begin(store));
    });
}

/// Where a copy into shared memory goes to.
struct Target {
    at: *mut u8,
    /// In the block's shared memory.
    offset: usize,
    /// Where its parts lie, from there on; none: it is one.
    parts: Vec<usize>,
    align: usize,
}

impl Target {
    fn whole(at: *mut u8, offset: usize) -> Self {
        Self {
            at,
            offset,
            parts: Vec::new(),
            align: PART,
        }
    }
}

/// Where the 16-byte parts of a box at this offset lie in shared memory, from there on, row by row.
fn parts(map: &TensorMap, offset: usize) -> Vec<usize> {
    let in_row = map.row_bytes() / PART;
    (0..map.row_count() * in_row)
        .map(|n| {
            let linear = offset + n / in_row * map.pitch() + n % in_row * PART;
            map.swizzle.apply(linear) - offset
        })
        .collect()
}

/// The first coordinate of a box is that of a 16-byte part of a row: else a GPU ends the kernel with an illegal instruction. Measured on an H200.
#[track_caller]
fn begins_at_a_part(map: &TensorMap, at: &[i32]) {
    let (first, width) = (at.first().copied().unwrap_or(0), map.element.bytes());
    if !i64::from(first)
        .unsigned_abs()
        .is_multiple_of((PART / width) as u64)
    {
        fail(&format!(
            "a box that begins at coordinate {first} along its first dimension, of elements of {width} bytes: the coordinate is a multiple of {}, for a row is copied in parts of {PART} bytes",
            PART / width
        ));
    }
}

/// A box that is written begins in the tensor or behind it: in front of it a GPU ends the kernel with an illegal instruction. Measured on an H100.
#[track_caller]
fn is_not_before(at: &[i32]) {
    if let Some(negative) = at.iter().find(|at| **at < 0) {
        fail(&format!(
            "a copy of a box to coordinate {negative} of a tensor: boxes that are written begin at coordinates from 0 on; only boxes that are read may begin in front of the tensor"
        ));
    }
}

/// Begins a copy of `value` into shared memory, of the own block or of all of `blocks`.
///
/// # Safety
/// As for [`tensor_load`].
#[track_caller]
unsafe fn begin_all(target: &Target, barrier: *mut u64, value: Vec<u8>, blocks: Option<u16>) {
    let Some(blocks) = blocks else {
        // SAFETY: the caller's promise.
        return unsafe { begin(target, barrier, value) };
    };
    let (_, barrier_offset) = place(barrier.cast(), 8);
    for rank in (0..16).filter(|rank| blocks >> rank & 1 == 1) {
        let mapped = inside("tensor_load", |running| {
            let at = running.shared_of(rank, target.offset)?;
            Some((at, running.shared_of(rank, barrier_offset)?))
        });
        let Some((at, barrier)) = mapped else {
            fail(&format!(
                "a copy to the blocks {blocks:#06x} of a cluster, which has no block {rank}"
            ));
        };
        let there = Target {
            at,
            parts: target.parts.clone(),
            ..*target
        };
        // SAFETY: the caller's promise.
        unsafe { begin(&there, barrier.cast(), value.clone()) };
    }
}

/// # Safety
/// As for [`tensor_load`].
#[track_caller]
unsafe fn begin(target: &Target, barrier: *mut u64, value: Vec<u8>) {
    // SAFETY: the caller's promise.
    let state = unsafe { state(barrier) };
    let part = |at: &usize| target.at.wrapping_add(*at);
    let parts: Box<[*mut u8]> = match &target.parts[..] {
        [] => [target.at].into(),
        parts => parts.iter().map(part).collect(),
    };
    // Where nothing lies between the parts they are one: the checks look up memory once.
    let extent = target.parts.iter().max().map_or(0, |last| last + PART);
    let is_whole = extent <= value.len();
    let bytes = value.len();
    if is_whole {
        detector::bulk_begins(target.at, bytes, target.align);
    } else {
        let each = |part: &*mut u8| detector::bulk_begins(*part, PART, PART);
        parts.iter().for_each(each);
    }
    detector::bulk_will_end(barrier.cast(), parity(state));
    let is_waited_for = inside("bulk_load", |running| {
        let landing = Landing {
            value: value.into(),
            parts,
            whole: is_whole.then_some((target.at, bytes)),
        };
        running.set.transactions.begin(barrier.addr(), landing);
        is_waited_for(running, barrier)
    });
    if is_waited_for {
        // SAFETY: the caller's promise.
        unsafe { land(barrier) };
    }
}

fn is_waited_for(running: &Running<'_>, barrier: *mut u64) -> bool {
    let mut any = false;
    running
        .set
        .each(|block| any |= block.core().is_waited_for(barrier));
    any
}

/// The map at an address, of a tensor with so many dimensions.
///
/// # Safety
/// `map` is valid for reads of a map.
#[track_caller]
unsafe fn map_at(map: *const u8, rank: usize) -> TensorMap {
    is_aligned(map.addr(), MAP_ALIGN, "the map of a tensor");
    // SAFETY: the caller's promise, and aligned, as was checked.
    let words = unsafe { map.cast::<[u64; MAP_BYTES / 8]>().read() };
    match TensorMap::from_words(&words) {
        Some(map) if map.rank == rank => map,
        Some(map) => fail(&format!(
            "a copy of a box of {rank} dimensions with the map of a tensor of {}",
            map.rank
        )),
        None => fail("a copy with the map of a tensor that was not made by `TensorMap`"),
    }
}

/// The rank of the block of the cluster in whose shared memory these bytes lie, and the offset in it.
#[track_caller]
fn place(at: *const u8, bytes: usize) -> (u32, usize) {
    let found = inside("bulk_load", |running| {
        let first = running.locate_shared(at)?;
        let last = running.locate_shared(at.wrapping_add(bytes.max(1) - 1))?;
        (first.0 == last.0).then_some(first)
    });
    match found {
        Some(found) => found,
        None => fail(&format!(
            "a bulk copy of {bytes} bytes at {at:p}, which is not in shared memory"
        )),
    }
}

#[track_caller]
fn are_parts(to: usize, from: usize, bytes: usize) {
    is_aligned(to, PART, "the target of a bulk copy");
    is_aligned(from, PART, "the source of a bulk copy");
    if !bytes.is_multiple_of(PART) || bytes == 0 {
        fail(&format!(
            "a bulk copy of {bytes} bytes: they are a multiple of {PART}, and not 0"
        ));
    }
}

#[track_caller]
fn is_aligned(address: usize, to: usize, what: &str) {
    if !address.is_multiple_of(to) {
        detector::misaligned(address, to);
        fail(&format!(
            "{what} lies at {address:#x}, which is no multiple of {to}"
        ));
    }
}

/// # Safety
/// So many bytes, at most 8, can be read there.
unsafe fn element(at: usize, width: usize) -> u64 {
    let from = std::ptr::with_exposed_provenance::<u8>(at);
    let mut bytes = [0; 8];
    // SAFETY: the caller's promise.
    unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), width) };
    u64::from_le_bytes(bytes)
}
