//! Where an address lies, accesses whose caching means nothing here, and giving way.

use std::panic::Location;

use super::is_running;
use crate::detector;
use crate::engine::fiber::with_running;
use crate::engine::shared::ARENA_BYTES;
use crate::engine::stack;

/// The place of `p` in the shared memory of the block that runs, if it lies there.
fn in_shared(p: *const u8) -> Option<u32> {
    let start = with_running(|running| running.arena.borrow_mut().dynamic())?;
    let at = p.addr().wrapping_sub(start.addr());
    (at < ARENA_BYTES).then_some(at as u32)
}

/// Whether `p` points into neither the block's shared memory nor the stack of a thread.
pub fn is_global(p: *const u8) -> bool {
    !is_shared(p) && !is_local(p)
}

/// Whether `p` points into the shared memory of the block.
pub fn is_shared(p: *const u8) -> bool {
    in_shared(p).is_some()
}

/// Whether `p` points into constant memory: never, the emulator has none.
pub fn is_constant(_p: *const u8) -> bool {
    false
}

/// Whether `p` points into the stack of a thread of a kernel.
pub fn is_local(p: *const u8) -> bool {
    is_running() && stack::holds(p.addr())
}

/// Whether `p` points into a parameter of the kernel: never, the emulator keeps these in the host's memory.
pub fn is_grid_constant(_p: *const u8) -> bool {
    false
}

/// The address itself: the emulator's global memory is the host's.
pub fn address_to_global(p: *const u8) -> u64 {
    p.expose_provenance() as u64
}

/// The generic address of one in global memory.
pub fn address_from_global(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// The offset in the block's shared memory; 0 for an address elsewhere.
pub fn address_to_shared(p: *const u8) -> u32 {
    in_shared(p).unwrap_or(0)
}

/// The address of an offset in the block's shared memory; null outside a kernel.
pub fn address_from_shared(address: u32) -> *mut u8 {
    let start = with_running(|running| running.arena.borrow_mut().dynamic());
    start.map_or(std::ptr::null_mut(), |start| {
        start.wrapping_add(address as usize)
    })
}

/// 0: the emulator has no constant memory.
pub fn address_to_constant(_p: *const u8) -> u32 {
    0
}

/// Null: the emulator has no constant memory.
pub fn address_from_constant(_address: u32) -> *mut u8 {
    std::ptr::null_mut()
}

/// The distance below the top of the stack that `p` lies in; 0 for an address elsewhere.
pub fn address_to_local(p: *const u8) -> u32 {
    p.expose_provenance();
    stack::top_above(p.addr()).map_or(0, |top| (top - p.addr()) as u32)
}

/// The address at a distance below the top of the stack of the thread that asks; null outside a kernel.
pub fn address_from_local(address: u32) -> *mut u8 {
    let here = 0_u8;
    let top = stack::top_above((&raw const here).addr());
    top.map_or(std::ptr::null_mut(), |top| {
        std::ptr::with_exposed_provenance_mut(top - address as usize)
    })
}

/// Gives way: the other threads of the block run until each waits for something, then also the other OS threads. Nothing outside of a kernel.
///
/// Loops that wait for a value which another thread of the block is to write must call it: threads of a block run one at a time, until
/// they wait.
#[track_caller]
pub fn spin_wait(_nanoseconds: u32) {
    let caller = Location::caller();
    with_running(|running| running.sleep(running.place(caller)));
}

macro_rules! hinted {
    ($($ty:ty, $load:ident, $store:ident;)*) => {$(
        /// The value of `*p`; caching means nothing here.
        ///
        /// # Safety
        /// `p` is aligned and valid for reads, and no thread writes it at the same time.
        #[inline]
        pub unsafe fn $load(p: *const $ty, _hint: u32) -> $ty {
            detector::reads::<{ size_of::<$ty>() }>(p.cast());
            // SAFETY: the caller promises the same.
            unsafe { p.read() }
        }

        /// Replaces `*p`; caching means nothing here.
        ///
        /// # Safety
        /// `p` is aligned and valid for writes, and no other thread accesses it at the same time.
        #[inline]
        pub unsafe fn $store(p: *mut $ty, v: $ty, _hint: u32) {
            detector::writes::<{ size_of::<$ty>() }>(p.cast(), Some(v.into()));
            // SAFETY: the caller promises the same.
            unsafe { p.write(v) }
        }
    )*};
}

hinted! {
    u8, load_hinted_u8, store_hinted_u8;
    u16, load_hinted_u16, store_hinted_u16;
    u32, load_hinted_u32, store_hinted_u32;
    u64, load_hinted_u64, store_hinted_u64;
}

/// Copies 16 bytes from `p` to `out`; caching means nothing here.
///
/// # Safety
/// `p` is aligned to 16 bytes and valid for reads of 16, `out` is aligned to 8 and valid for as many writes, and no thread writes the former
/// at the same time.
#[inline]
pub unsafe fn load_hinted_u128(p: *const u64, out: *mut u64, _hint: u32) {
    debug_assert!(p.addr().is_multiple_of(16), "a GPU would fault");
    detector::reads::<16>(p.cast());
    // SAFETY: the caller promises the same.
    unsafe { out.copy_from(p, 2) }
}

/// Copies 16 bytes from `v` to `p`; caching means nothing here.
///
/// # Safety
/// `p` is aligned to 16 bytes and valid for writes of 16, `v` is aligned to 8 and valid for as many reads, and no other thread accesses the
/// former at the same time.
#[inline]
pub unsafe fn store_hinted_u128(p: *mut u64, v: *const u64, _hint: u32) {
    debug_assert!(p.addr().is_multiple_of(16), "a GPU would fault");
    detector::writes::<16>(p.cast(), None);
    // SAFETY: the caller promises the same.
    unsafe { p.copy_from(v, 2) }
}

/// Nothing: caches are the processor's affair.
///
/// # Safety
/// None here; a GPU wants an address of the kernel's memory.
#[inline]
pub unsafe fn prefetch_l1(_p: *const u8) {}

/// Nothing: caches are the processor's affair.
///
/// # Safety
/// None here; a GPU wants an address of the kernel's memory.
#[inline]
pub unsafe fn prefetch_l2(_p: *const u8) {}
