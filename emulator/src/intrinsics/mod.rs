//! What a kernel may call: the CPU side of the table that the device library declares, names and types alike.
//!
//! Each of these panics with a clear message when no kernel runs on the calling OS thread. Operations that wait (`barrier`,
//! `warp_sync`, votes, shuffles, `active_mask`) return at once, and without meaning, while the calling thread is being unwound by a
//! panic: on a GPU it would be gone.

mod asynchronous; // barriers in memory, copies under way
mod atomics; // with an order, of every width
mod barriers; // barriers that combine something, or count
mod bulk; // copies of many bytes, and of boxes of tensors
mod debug; // break points and counters
mod double; // arithmetic of f64, and seeds of reciprocals
mod float; // arithmetic of f32, and what the hardware approximates
mod half; // 16-bit floating point
mod integer; // what Rust has no operator for
mod lanes; // matches, reductions, masks of lanes
mod launch; // what concerns other launches
mod matrix; // products of matrices in registers
mod memory; // address spaces, caches, giving way
mod print; // where printed records go
mod rounding; // arithmetic and conversions in four roundings
mod tensor_memory; // refused: the emulator has none
mod texture; // fetches of texture units, accesses of surfaces
mod time; // clocks, and sleep
mod warp_group; // products that four warps begin together
mod wmma; // loads and stores of the matrices of a warp

pub use asynchronous::*;
pub use atomics::*;
pub use barriers::*;
pub use bulk::*;
pub use debug::*;
pub use double::*;
pub use float::*;
pub use half::*;
pub use integer::*;
pub use lanes::*;
pub use launch::*;
pub use matrix::{ldmatrix, movmatrix, multiply_add, multiply_add_sparse, stmatrix};
pub use memory::*;
pub use print::print_ring;
pub use rounding::*;
pub use tensor_memory::*;
pub use texture::*;
pub use time::{clock, clock64, global_timer, nanosleep};
pub use warp_group::*;
pub use wmma::{WmmaTile, f32_to_tf32_rna, wmma_load, wmma_store};

use crate::detector;
use crate::detector::{Does, around};
use crate::engine::block::BARRIERS;
use crate::engine::diagnose;
use crate::engine::fiber::{Running, with_running};
use crate::engine::shared::SharedKey;
use crate::engine::stack;
use crate::engine::warp::{LANES, Mode, Operands, WarpOp};
use std::alloc::{Layout, alloc, handle_alloc_error};
use std::cell::Cell;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{self, AtomicI32, AtomicU32, AtomicU64, Ordering};

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident = $read:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// Outside a kernel.
        #[inline]
        #[track_caller]
        pub fn $name() -> u32 {
            inside(stringify!($name), $read)
        }
    )*};
}

mod cluster; // blocks that are there together; uses the macro above
pub use cluster::*;

indices! {
    /// Place of the thread in its block, x. CUDA: `threadIdx.x`.
    thread_idx_x = |running| running.registers.place.get()[0];
    /// Place of the thread in its block, y. CUDA: `threadIdx.y`.
    thread_idx_y = |running| running.registers.place.get()[1];
    /// Place of the thread in its block, z. CUDA: `threadIdx.z`.
    thread_idx_z = |running| running.registers.place.get()[2];
    /// Place of the block in the grid, x. CUDA: `blockIdx.x`.
    block_idx_x = |running| running.registers.block.get()[0];
    /// Place of the block in the grid, y. CUDA: `blockIdx.y`.
    block_idx_y = |running| running.registers.block.get()[1];
    /// Place of the block in the grid, z. CUDA: `blockIdx.z`.
    block_idx_z = |running| running.registers.block.get()[2];
    /// Threads of a block, x. CUDA: `blockDim.x`.
    block_dim_x = |running| running.shape.shape.block[0];
    /// Threads of a block, y. CUDA: `blockDim.y`.
    block_dim_y = |running| running.shape.shape.block[1];
    /// Threads of a block, z. CUDA: `blockDim.z`.
    block_dim_z = |running| running.shape.shape.block[2];
    /// Blocks of the grid, x. CUDA: `gridDim.x`.
    grid_dim_x = |running| running.shape.shape.grid[0];
    /// Blocks of the grid, y. CUDA: `gridDim.y`.
    grid_dim_y = |running| running.shape.shape.grid[1];
    /// Blocks of the grid, z. CUDA: `gridDim.z`.
    grid_dim_z = |running| running.shape.shape.grid[2];
    /// Place of the thread in its warp, 0..32. PTX: `%laneid`.
    lane_id = |running| running.thread.get() % LANES;
    /// Dynamic shared memory of the block, in bytes. PTX: `%dynamic_smem_size`.
    dynamic_shared_bytes = |running| running.shape.shape.dynamic_shared_bytes;
}

/// Whether a kernel runs on the calling OS thread.
#[inline]
pub fn is_running() -> bool {
    with_running(|_| ()).is_some()
}

/// Waits until all threads of the block that have not exited are at barrier `id`.
///
/// Orders all memory accesses of the block before and after it. Threads may arrive from different places of the program. If the
/// others wait elsewhere for ever, the run ends with [`crate::Fault::Deadlock`]; a GPU hangs.
/// PTX: `barrier.cta.sync`. Compute capability: 2.0.
///
/// # Panics
/// If `id` is not below 16. Outside a kernel.
///
/// # Safety
/// `id` is 0, or no tile of the kernel uses it: a tile changes hands at its own barriers.
#[inline(always)]
#[track_caller]
pub unsafe fn barrier(id: u32) {
    meet_at_barrier(id);
}

/// Waits until all threads of the block that have not exited are here, as [`barrier`] number 0, which no tile has. CUDA: `__syncthreads`.
///
/// ```
/// use warploom_emulator::{Shape, intrinsics, run};
/// run(Shape::new([1, 1, 1], [64, 1, 1]), &|| intrinsics::block_barrier())?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// Other barriers take `unsafe`:
/// ```compile_fail,E0133
/// use warploom_emulator::{Shape, intrinsics, run};
/// run(Shape::new([1, 1, 1], [64, 1, 1]), &|| intrinsics::barrier(1))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
///
/// # Panics
/// Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn block_barrier() {
    meet_at_barrier(0);
}

#[inline(always)]
#[track_caller]
fn meet_at_barrier(id: u32) {
    if id >= BARRIERS {
        fail(&format!("barrier({id}): a block has the barriers 0 to 15"));
    }
    let caller = Location::caller();
    inside("barrier", |running| {
        let place = running.place(caller);
        running.meet(0, move |block, thread| {
            block.arrive_at_barrier(thread, id, place)
        });
    });
}

/// Waits until all lanes of `mask` that have not exited are here with this mask.
///
/// Orders the memory accesses of these lanes. CUDA: `__syncwarp`. Compute capability: 7.0.
///
/// # Panics
/// If the calling lane is not in `mask`. Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn warp_sync(mask: u32) {
    meet(WarpOp::Sync, mask, Operands::default());
}

/// The lanes of `mask` that have not exited and for which `p` holds; the same in each.
///
/// Waits for all lanes of `mask` that have not exited. CUDA: `__ballot_sync`. Compute capability: 3.0.
///
/// # Panics
/// If the calling lane is not in `mask`. Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn vote_ballot(mask: u32, p: bool) -> u32 {
    vote(WarpOp::Ballot, mask, p)
}

/// Whether `p` holds in at least one lane of `mask` that has not exited; the same in each.
///
/// Waits for all lanes of `mask` that have not exited. CUDA: `__any_sync`. Compute capability: 3.0.
///
/// # Panics
/// If the calling lane is not in `mask`. Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn vote_any(mask: u32, p: bool) -> bool {
    vote(WarpOp::Any, mask, p) != 0
}

/// Whether `p` holds in all lanes of `mask` that have not exited; the same in each.
///
/// Waits for all lanes of `mask` that have not exited. CUDA: `__all_sync`. Compute capability: 3.0.
///
/// # Panics
/// If the calling lane is not in `mask`. Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn vote_all(mask: u32, p: bool) -> bool {
    vote(WarpOp::All, mask, p) != 0
}

/// The lanes of the warp that execute this call together.
///
/// The own lane is always in it. A GPU promises nothing about the others. Here they are those that come to this place of the source
/// before they return or wait for something else: the most that can converge. So all lanes in straight code, and in a branch those
/// that took it. CUDA: `__activemask`. Compute capability: 3.0.
///
/// # Panics
/// Outside a kernel.
#[inline(always)]
#[track_caller]
pub fn active_mask() -> u32 {
    meet(WarpOp::ActiveMask, 0, Operands::default())
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident $operand:ident = $mode:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// `clamp` is operand c of PTX `shfl.sync`: bits 0..5 hold the highest (up: lowest) lane in a segment, bits 8..13 the bits of
        /// the lane number that tell the segment. The caller keeps its own `value` if the lane to read is outside its segment. A
        /// lane that is not in `mask` or has exited has no value: a GPU then gives any value, the emulator the caller's own.
        /// Waits for all lanes of `mask` that have not exited. Compute capability: 3.0.
        ///
        /// # Panics
        /// If the calling lane is not in `mask`. Outside a kernel.
        #[inline(always)]
        #[track_caller]
        pub fn $name(mask: u32, value: u32, $operand: u32, clamp: u32) -> u32 {
            let operands = Operands { value, b: $operand, c: clamp };
            meet(WarpOp::Shuffle(Mode::$mode), mask, operands)
        }
    )*};
}

shuffles! {
    /// The `value` of lane `lane` (bits 0..5) of the caller's segment. CUDA: `__shfl_sync`.
    shuffle_idx lane = Idx;
    /// The `value` of the lane that is `delta` (bits 0..5) below. CUDA: `__shfl_up_sync`.
    shuffle_up delta = Up;
    /// The `value` of the lane that is `delta` (bits 0..5) above. CUDA: `__shfl_down_sync`.
    shuffle_down delta = Down;
    /// The `value` of the lane whose number differs in the bits of `lane_mask` (bits 0..5). CUDA: `__shfl_xor_sync`.
    shuffle_bfly lane_mask = Bfly;
}

/// As the checks are told: an order (4 times its number) and a scope.
const SEQ_CST: u32 = 4 << 2;
const BLOCK: u32 = 0;
const DEVICE: u32 = 2;
const SYSTEM: u32 = 3;

/// Orders the memory accesses of the calling thread for the threads of its block. CUDA: `__threadfence_block`.
pub fn fence_block() {
    detector::fence(SEQ_CST | BLOCK);
    // All threads of a block share an OS thread: only the compiler could reorder.
    atomic::compiler_fence(Ordering::SeqCst);
}

/// Orders the memory accesses of the calling thread for all threads of the device. CUDA: `__threadfence`.
pub fn fence_device() {
    detector::fence(SEQ_CST | DEVICE);
    atomic::fence(Ordering::SeqCst);
}

/// Orders the memory accesses of the calling thread for the device and the host. CUDA: `__threadfence_system`.
pub fn fence_system() {
    detector::fence(SEQ_CST | SYSTEM);
    atomic::fence(Ordering::SeqCst);
}

/// Memory of the caller's own, filled with 0xA5 and never freed, if the thread that calls is unwinding after a panic; null if it is not.
///
/// Such a thread does not wait at barriers, so what it may access only behind a barrier has to be something else. Null outside a kernel.
///
/// # Panics
/// If no memory has such a size and alignment.
#[must_use]
pub fn memory_while_unwinding(bytes: usize, align: usize) -> *mut u8 {
    let unwinds = with_running(|running| !running.may_wait()).unwrap_or(false);
    if unwinds {
        own_memory(bytes, align)
    } else {
        ptr::null_mut()
    }
}

#[cold]
#[inline(never)]
fn own_memory(bytes: usize, align: usize) -> *mut u8 {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), align) else {
        fail(&format!(
            "no memory has {bytes} bytes with alignment {align}"
        ));
    };
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc(layout) };
    if start.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: so many bytes are there.
    unsafe { start.write_bytes(0xA5, bytes) };
    start
}

thread_local! {
    /// The number of the latest frame that was numbered here.
    static FRAME: Cell<u64> = const { Cell::new(FRAMES_AT_A_TIME - 1) };
}

/// Each OS thread takes so many numbers at a time, so that none comes twice.
const FRAMES_AT_A_TIME: u64 = 1 << 20;

/// A number that no other frame of the process has.
#[doc(hidden)]
#[must_use]
pub fn next_frame() -> u64 {
    static TAKEN: AtomicU64 = AtomicU64::new(1);
    let mut number = FRAME.get() + 1;
    if number.is_multiple_of(FRAMES_AT_A_TIME) {
        number = TAKEN.fetch_add(1, Ordering::Relaxed) * FRAMES_AT_A_TIME + 1;
    }
    FRAME.set(number);
    number
}

/// The number that [`next_frame`] gave on this OS thread last.
#[doc(hidden)]
#[must_use]
pub fn latest_frame() -> u64 {
    FRAME.get()
}

/// Whether a byte lies in the stack of the calling thread; false outside a kernel.
#[inline(always)]
#[must_use]
pub fn is_on_own_stack(p: *const u8) -> bool {
    is_running() && (stack::is_near(p.addr()) || stack::is_own(p.addr(), 1))
}

/// The start of a static shared array: the same in all threads of a block for the same `key` (type, size and alignment).
///
/// Each block gets its own, filled with 0xA5. CUDA: a `__shared__` array.
///
/// If the block has no room for it beside its other static arrays and its dynamic shared memory, the run ends with
/// [`Fault::SharedFull`](crate::Fault::SharedFull): all threads of the block are unwound, and no further block starts.
///
/// # Panics
/// If `align` is not a power of two of at most 1024. Outside a kernel.
///
/// # Safety
/// The memory is valid until the block ends. The caller must not use it longer, and must order accesses of different threads by
/// barriers (or make them atomic).
#[track_caller]
pub unsafe fn shared_static(key: &'static SharedKey, bytes: usize, align: usize) -> *mut u8 {
    shared_of(key, bytes, align)
}

/// [`shared_static`], for any key.
#[track_caller]
pub(crate) fn shared_of(key: &SharedKey, bytes: usize, align: usize) -> *mut u8 {
    let caller = Location::caller();
    let start = inside("shared_static", |running| {
        let start = running.shared_static(key, bytes, align);
        if let Err(error) = &start {
            running.end_without_room(error, caller);
        }
        start
    });
    match start {
        Ok(start) => start,
        Err(error) => fail(&error.to_string()),
    }
}

/// The start of the block's dynamic shared memory, 128-byte aligned, [`dynamic_shared_bytes`] long, filled with 0xA5 at first.
///
/// CUDA: `extern __shared__`.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// As for [`shared_static`].
#[track_caller]
pub unsafe fn dynamic_shared() -> *mut u8 {
    inside("dynamic_shared", |running| {
        running.arena.borrow_mut().dynamic()
    })
}

/// As [`dynamic_shared`], which begins at a multiple of 1024 bytes.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// As for [`shared_static`].
#[track_caller]
pub unsafe fn dynamic_shared_1024() -> *mut u8 {
    // SAFETY: the caller promises the same.
    unsafe { dynamic_shared() }
}

macro_rules! atomic_adds {
    ($($name:ident $int:ty, $atomic:ty;)*) => {$(
        /// Adds `v` to `*p`, wrapping; gives the value of before. Relaxed. CUDA: `atomicAdd`.
        ///
        /// # Safety
        /// `p` is valid for reads and writes and aligned, and no one accesses it at the same time other than atomically.
        #[inline]
        #[track_caller]
        pub unsafe fn $name(p: *mut $int, v: $int) -> $int {
            around(p.cast(), size_of::<$int>(), Does::Changes, DEVICE, || {
                // SAFETY: the caller promises the same.
                let cell = unsafe { <$atomic>::from_ptr(p) };
                (cell.fetch_add(v, Ordering::Relaxed), true)
            })
        }
    )*};
}

atomic_adds! {
    atomic_add_u32 u32, AtomicU32;
    atomic_add_i32 i32, AtomicI32;
    atomic_add_u64 u64, AtomicU64;
}

macro_rules! atomic_float_adds {
    ($($name:ident $float:ty, $atomic:ty;)*) => {$(
        /// Adds `v` to `*p`, rounded to nearest; gives the value of before. Relaxed. CUDA: `atomicAdd`.
        ///
        /// # Safety
        /// `p` is valid for reads and writes and aligned, and no one accesses it at the same time other than atomically.
        #[track_caller]
        pub unsafe fn $name(p: *mut $float, v: $float) -> $float {
            // SAFETY: the caller promises the same; the integer has the float's size and alignment.
            let bits = unsafe { <$atomic>::from_ptr(p.cast()) };
            let sum = |before| Some((<$float>::from_bits(before) + v).to_bits());
            around(p.cast(), size_of::<$float>(), Does::Changes, DEVICE, || {
                // `sum` never declines, so both hold the value of before.
                let (Ok(before) | Err(before)) =
                    bits.try_update(Ordering::Relaxed, Ordering::Relaxed, sum);
                (<$float>::from_bits(before), true)
            })
        }
    )*};
}

atomic_float_adds! {
    atomic_add_f32 f32, AtomicU32;
    atomic_add_f64 f64, AtomicU64;
}

/// Ends the calling thread with the message "trap". A GPU stops the whole kernel and the context is lost. CUDA: `__trap`.
///
/// # Panics
/// Always.
#[track_caller]
pub fn trap() -> ! {
    fail("trap")
}

#[inline(always)]
#[track_caller]
fn vote(op: WarpOp, mask: u32, p: bool) -> u32 {
    let value = u32::from(p);
    let operands = Operands {
        value,
        ..Operands::default()
    };
    meet(op, mask, operands)
}

// Inlined up to the kernel for the reason that stands at `Running::wait`.
#[inline(always)]
#[track_caller]
fn meet(op: WarpOp, mask: u32, operands: Operands) -> u32 {
    let caller = Location::caller();
    let result = inside(op.name(), |running| {
        let place = running.place(caller);
        if op != WarpOp::ActiveMask && !running.is_in(mask) && running.may_wait() {
            diagnose::not_in_mask(running, op, mask, place);
            return None;
        }
        Some(running.meet(operands.value, move |block, thread| {
            block.arrive_at_warp_op(thread, op, mask, operands, place)
        }))
    });
    match result {
        Some(result) => result,
        None => not_in_mask(op, mask),
    }
}

#[inline(always)]
#[track_caller]
fn inside<R>(name: &str, read: impl FnOnce(&Running<'_>) -> R) -> R {
    match with_running(read) {
        Some(result) => result,
        None => outside(name),
    }
}

#[cold]
#[track_caller]
fn not_in_mask(op: WarpOp, mask: u32) -> ! {
    let (name, lane) = (op.name(), lane_id());
    fail(&format!(
        "`{name}` was called by lane {lane} with mask {mask:#010x}, in which it is not; a lane must be in its own mask"
    ))
}

#[cold]
#[track_caller]
fn outside(name: &str) -> ! {
    fail(&format!("`{name}()` was called outside a kernel"))
}

#[cold]
#[track_caller]
#[expect(
    clippy::panic,
    reason = "a thread of a kernel has no other way to report a misuse; the run returns it as a fault"
)]
fn fail(message: &str) -> ! {
    with_running(|running| running.blame_site());
    panic!("{message}")
}
