//! Atomics with an order; scopes need no difference here, because the host's atomics are seen by all of its threads.
//!
//! 128 bits have no atomic in std: all accesses of that width take one of 64 locks, chosen by the address. So they are atomic among
//! themselves, and not with narrower accesses to the same bytes.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence,
};
use std::sync::{MutexGuard, PoisonError};

use super::fail;
use crate::detector;
use crate::detector::{Does, around, around_packed};
use crate::sync::StaticMutex;

/// The order in `how`, which is 4 × order + scope.
#[inline(always)]
fn order(how: u32) -> Ordering {
    match how >> 2 {
        0 => Relaxed,
        1 => Acquire,
        2 => Release,
        3 => AcqRel,
        _ => SeqCst,
    }
}

/// The order of the load in an operation of order `order`.
#[inline(always)]
fn load_order(order: Ordering) -> Ordering {
    match order {
        Release => Relaxed,
        AcqRel => Acquire,
        other => other,
    }
}

/// Orders this thread's accesses before the fence and those after it. `how` is 4 × order + scope; relaxed is refused.
///
/// # Panics
/// If `how` says relaxed.
#[track_caller]
pub fn atomic_fence(how: u32) {
    match order(how) {
        Relaxed => fail("atomic_fence: a relaxed fence orders nothing"),
        order => {
            detector::fence(how);
            fence(order);
        }
    }
}

macro_rules! accesses {
    ($($int:ty, $atomic:ty, $load:ident, $store:ident;)*) => {$(
        /// The value of `*p` now.
        ///
        /// # Safety
        /// `p` is valid for reads and aligned, no thread accesses it at the same time other than atomically, and `how` does not release.
        #[inline]
        #[track_caller]
        pub unsafe fn $load(p: *mut $int, how: u32) -> $int {
            around(p.cast(), size_of::<$int>(), Does::Loads, how, || {
                // SAFETY: the caller promises the same.
                (unsafe { <$atomic>::from_ptr(p) }.load(order(how)), false)
            })
        }

        /// Replaces `*p`.
        ///
        /// # Safety
        /// `p` is valid for writes and aligned, no thread accesses it at the same time other than atomically, and `how` does not acquire.
        #[inline]
        #[track_caller]
        pub unsafe fn $store(p: *mut $int, v: $int, how: u32) {
            around(p.cast(), size_of::<$int>(), Does::Stores, how, || {
                // SAFETY: the caller promises the same.
                (unsafe { <$atomic>::from_ptr(p) }.store(v, order(how)), true)
            });
        }
    )*};
}

accesses! {
    u8, AtomicU8, atomic_load_u8, atomic_store_u8;
    u16, AtomicU16, atomic_load_u16, atomic_store_u16;
    u32, AtomicU32, atomic_load_u32, atomic_store_u32;
    u64, AtomicU64, atomic_load_u64, atomic_store_u64;
}

macro_rules! changes {
    ($($name:ident $int:ty, $atomic:ty, $method:ident;)*) => {$(
        /// What its name says, as one step; gives the value of before.
        ///
        /// # Safety
        /// `p` is valid for reads and writes and aligned, and no thread accesses it at the same time other than atomically.
        #[inline]
        #[track_caller]
        pub unsafe fn $name(p: *mut $int, v: $int, how: u32) -> $int {
            around(p.cast(), size_of::<$int>(), Does::Changes, how, || {
                // SAFETY: the caller promises the same.
                (unsafe { <$atomic>::from_ptr(p) }.$method(v, order(how)), true)
            })
        }
    )*};
}

changes! {
    atomic_swap_u32 u32, AtomicU32, swap;
    atomic_swap_u64 u64, AtomicU64, swap;
    atomic_fetch_add_u32 u32, AtomicU32, fetch_add;
    atomic_fetch_add_u64 u64, AtomicU64, fetch_add;
    atomic_fetch_sub_u32 u32, AtomicU32, fetch_sub;
    atomic_fetch_sub_u64 u64, AtomicU64, fetch_sub;
    atomic_fetch_and_u32 u32, AtomicU32, fetch_and;
    atomic_fetch_and_u64 u64, AtomicU64, fetch_and;
    atomic_fetch_or_u32 u32, AtomicU32, fetch_or;
    atomic_fetch_or_u64 u64, AtomicU64, fetch_or;
    atomic_fetch_xor_u32 u32, AtomicU32, fetch_xor;
    atomic_fetch_xor_u64 u64, AtomicU64, fetch_xor;
    atomic_fetch_min_u32 u32, AtomicU32, fetch_min;
    atomic_fetch_min_i32 i32, AtomicI32, fetch_min;
    atomic_fetch_min_u64 u64, AtomicU64, fetch_min;
    atomic_fetch_min_i64 i64, AtomicI64, fetch_min;
    atomic_fetch_max_u32 u32, AtomicU32, fetch_max;
    atomic_fetch_max_i32 i32, AtomicI32, fetch_max;
    atomic_fetch_max_u64 u64, AtomicU64, fetch_max;
    atomic_fetch_max_i64 i64, AtomicI64, fetch_max;
}

macro_rules! exchanges {
    ($($name:ident $int:ty, $atomic:ty;)*) => {$(
        /// Replaces `*p` by `v` if it is `c`; gives the value of before.
        ///
        /// # Safety
        /// `p` is valid for reads and writes and aligned, and no thread accesses it at the same time other than atomically.
        #[inline]
        #[track_caller]
        pub unsafe fn $name(p: *mut $int, c: $int, v: $int, how: u32) -> $int {
            let order = order(how);
            around(p.cast(), size_of::<$int>(), Does::Changes, how, || {
                // SAFETY: the caller promises the same.
                let cell = unsafe { <$atomic>::from_ptr(p) };
                match cell.compare_exchange(c, v, order, load_order(order)) {
                    Ok(before) => (before, true),
                    Err(before) => (before, false),
                }
            })
        }
    )*};
}

exchanges! {
    atomic_cas_u16 u16, AtomicU16;
    atomic_cas_u32 u32, AtomicU32;
    atomic_cas_u64 u64, AtomicU64;
}

macro_rules! loops {
    ($around:ident: $($(#[$doc:meta])* $name:ident $value:ty as $bits:ty, $atomic:ty, |$before:ident, $v:ident| $after:expr;)*) => {$(
        $(#[$doc])*
        /// One step, which gives the value of before.
        ///
        /// # Safety
        /// `p` is valid for reads and writes and aligned, and no thread accesses it at the same time other than atomically.
        #[track_caller]
        pub unsafe fn $name(p: *mut $value, $v: $value, how: u32) -> $value {
            let order = order(how);
            // SAFETY: the caller promises the same; the integer has the value's size and alignment.
            let cell = unsafe { <$atomic>::from_ptr(p.cast()) };
            let change = |bits: $bits| {
                let $before = <$value>::from_ne_bytes(bits.to_ne_bytes());
                Some(<$bits>::from_ne_bytes($after.to_ne_bytes()))
            };
            let before = $around(p.cast(), size_of::<$bits>(), how, || {
                // `change` never declines, so both hold the value of before.
                let (Ok(before) | Err(before)) = cell.try_update(order, load_order(order), change);
                before
            });
            <$value>::from_ne_bytes(before.to_ne_bytes())
        }
    )*};
}

/// A change in one step.
#[track_caller]
fn whole<R>(p: *const u8, bytes: usize, how: u32, change: impl FnOnce() -> R) -> R {
    around(p, bytes, Does::Changes, how, || (change(), true))
}

loops! { whole:
    /// One more, or 0 where `*p` is at least `v`.
    atomic_inc_u32 u32 as u32, AtomicU32, |before, v| if before >= v { 0 } else { before + 1 };
    /// One less, or `v` where `*p` is 0 or above `v`.
    atomic_dec_u32 u32 as u32, AtomicU32, |before, v| if before == 0 || before > v { v } else { before - 1 };
    /// Adds `v`, rounded to nearest.
    atomic_fetch_add_f32 f32 as u32, AtomicU32, |before, v| before + v;
    /// Adds `v`, rounded to nearest.
    atomic_fetch_add_f64 f64 as u64, AtomicU64, |before, v| before + v;
    /// Adds the half float whose bits are `v`, rounded to nearest.
    atomic_fetch_add_f16 u16 as u16, AtomicU16, |before, v| add_halves(before, v);
    /// Adds the `bfloat16` whose bits are `v`, rounded to nearest.
    atomic_fetch_add_bf16 u16 as u16, AtomicU16, |before, v| add_bfloats(before, v);
}

loops! { around_packed:
    /// Adds two half floats, each for itself.
    atomic_fetch_add_f16x2 u32 as u32, AtomicU32, |before, v| pairwise(before, v, add_halves);
    /// Adds two `bfloat16`, each for itself.
    atomic_fetch_add_bf16x2 u32 as u32, AtomicU32, |before, v| pairwise(before, v, add_bfloats);
}

fn pairwise(a: u32, b: u32, add: fn(u16, u16) -> u16) -> u32 {
    u32::from(add((a >> 16) as u16, (b >> 16) as u16)) << 16 | u32::from(add(a as u16, b as u16))
}

/// Sums of two 11-bit significands, rounded to 24 bits and then to 11, are those rounded once: 24 is at least 2 × 11 + 2.
fn add_halves(a: u16, b: u16) -> u16 {
    to_half(from_half(a) + from_half(b))
}

fn from_half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match exponent {
        0 => {
            let magnitude = fraction as f32 * (0.5_f32).powi(24);
            f32::from_bits(sign | magnitude.to_bits())
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Rounds to nearest, ties to even. Every NaN becomes 0x7fff, as on a GPU.
fn to_half(x: f32) -> u16 {
    if x.is_nan() {
        return 0x7fff;
    }
    let sign = (x.to_bits() >> 16) as u16 & 0x8000;
    let magnitude = x.abs();
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    if magnitude < (0.5_f32).powi(14) {
        // Adding moves the last place of a half's subnormals to that of the sum, which rounds there.
        let rounded = magnitude + 0.5;
        return sign | (rounded.to_bits() - 0.5_f32.to_bits()) as u16;
    }
    let bits = magnitude.to_bits() - (112 << 23);
    let rounded = bits + 0xfff + (bits >> 13 & 1);
    sign | (rounded >> 13) as u16
}

fn add_bfloats(a: u16, b: u16) -> u16 {
    let sum = f32::from_bits(u32::from(a) << 16) + f32::from_bits(u32::from(b) << 16);
    if sum.is_nan() {
        return 0x7fff;
    }
    let bits = sum.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

macro_rules! vectors {
    ($($name:ident $n:literal ($($v:ident)*);)*) => {$(
        /// Adds to several floats, each for itself; the values of before go to `out`.
        ///
        /// # Safety
        /// `p` is valid for reads and writes of as many `f32` and aligned to their size, no thread accesses them at the same time other
        /// than atomically, and `out` is valid for as many writes.
        #[track_caller]
        pub unsafe fn $name(p: *mut f32, $($v: f32,)* out: *mut f32, how: u32) {
            for (i, v) in [$($v),*].into_iter().enumerate() {
                // SAFETY: within the floats that the caller promises.
                unsafe { out.add(i).write(atomic_fetch_add_f32(p.add(i), v, how)) };
            }
        }
    )*};
}

vectors! {
    atomic_fetch_add_f32x2 2 (a b);
    atomic_fetch_add_f32x4 4 (a b c d);
}

const LOCKS: usize = 64;
static WIDE: [StaticMutex<()>; LOCKS] = [const { StaticMutex::new(()) }; LOCKS];

/// Holds the lock of the 16 bytes at `p`. No lane waits while it has one, so that the lanes of a block cannot stop each other.
fn locked(p: *mut u128) -> MutexGuard<'static, ()> {
    let lock = &WIDE[p.addr() / size_of::<u128>() % LOCKS];
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value of `*p` now. The order is that of a lock: sequentially consistent with all other accesses of 128 bits.
///
/// # Safety
/// `p` is valid for reads and aligned, and no thread accesses it at the same time but by the functions of this width.
#[track_caller]
pub unsafe fn atomic_load_u128(p: *mut u128, how: u32) -> u128 {
    around(p.cast(), size_of::<u128>(), Does::Loads, how, || {
        let _lock = locked(p);
        fence_unless_relaxed(how);
        // SAFETY: valid, and the lock keeps others away.
        (unsafe { p.read() }, false)
    })
}

/// Replaces `*p`.
///
/// # Safety
/// `p` is valid for writes and aligned, and no thread accesses it at the same time but by the functions of this width.
#[track_caller]
pub unsafe fn atomic_store_u128(p: *mut u128, v: u128, how: u32) {
    around(p.cast(), size_of::<u128>(), Does::Stores, how, || {
        let _lock = locked(p);
        fence_unless_relaxed(how);
        // SAFETY: valid, and the lock keeps others away.
        (unsafe { p.write(v) }, true)
    });
}

/// Replaces `*p`; gives the value of before.
///
/// # Safety
/// `p` is valid for reads and writes and aligned, and no thread accesses it at the same time but by the functions of this width.
#[track_caller]
pub unsafe fn atomic_swap_u128(p: *mut u128, v: u128, how: u32) -> u128 {
    around(p.cast(), size_of::<u128>(), Does::Changes, how, || {
        let _lock = locked(p);
        fence_unless_relaxed(how);
        // SAFETY: valid, and the lock keeps others away.
        (unsafe { p.replace(v) }, true)
    })
}

/// Replaces `*p` by `v` if it is `c`; gives the value of before.
///
/// # Safety
/// `p` is valid for reads and writes and aligned, and no thread accesses it at the same time but by the functions of this width.
#[track_caller]
pub unsafe fn atomic_cas_u128(p: *mut u128, c: u128, v: u128, how: u32) -> u128 {
    around(p.cast(), size_of::<u128>(), Does::Changes, how, || {
        let _lock = locked(p);
        fence_unless_relaxed(how);
        // SAFETY: valid, and the lock keeps others away.
        let before = unsafe { p.read() };
        if before == c {
            // SAFETY: as above.
            unsafe { p.write(v) };
        }
        (before, before == c)
    })
}

/// The lock alone orders what its holders do; a fence orders that with the accesses of other widths, too.
fn fence_unless_relaxed(how: u32) {
    if order(how) != Relaxed {
        fence(SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_survive_the_way_through_a_float() {
        for bits in 0..=u16::MAX {
            let x = from_half(bits);
            let expected = if x.is_nan() { 0x7fff } else { bits };
            assert_eq!(to_half(x), expected, "{bits:#06x}");
        }
    }

    #[test]
    fn halves_round_to_the_nearest_even() {
        let near = |x: f64| (x as f32, to_half(x as f32));
        assert_eq!(near(2049.0).1, to_half(2048.0));
        assert_eq!(near(2051.0).1, to_half(2052.0));
        assert_eq!(near(65519.0).1, 0x7bff);
        assert_eq!(near(65520.0).1, 0x7c00);
        assert_eq!(near(2.0_f64.powi(-25)).1, 0);
        assert_eq!(near(1.5 * 2.0_f64.powi(-24)).1, 2);
        assert_eq!(add_halves(0x8000, 0x8000), 0x8000, "-0 and -0");
        assert_eq!(add_halves(0x7c00, 0xfc00), 0x7fff, "infinities");
    }

    #[test]
    fn bfloats_round_to_the_nearest_even() {
        let bits = |x: f32| (x.to_bits() >> 16) as u16;
        assert_eq!(add_bfloats(bits(256.0), bits(1.0)), bits(256.0));
        assert_eq!(add_bfloats(bits(258.0), bits(1.0)), bits(260.0));
        assert_eq!(add_bfloats(0x7f7f, 0x7f7f), 0x7f80);
        assert_eq!(add_bfloats(0x7f80, 0xff80), 0x7fff);
    }

    #[test]
    fn wide_exchanges_are_atomic_among_os_threads() {
        struct Shared(*mut u128);
        // SAFETY: all accesses go through the lock.
        unsafe impl Sync for Shared {}
        let mut cell = 0_u128;
        let shared = Shared(&raw mut cell);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let Shared(p) = &shared;
                    for _ in 0..1000 {
                        // SAFETY: valid for the scope, accessed by these functions alone.
                        let mut now = unsafe { atomic_load_u128(*p, 0) };
                        loop {
                            let next = now + (1 << 64) + 1;
                            // SAFETY: as above.
                            let before = unsafe { atomic_cas_u128(*p, now, next, 12) };
                            if before == now {
                                break;
                            }
                            now = before;
                        }
                    }
                });
            }
        });
        assert_eq!(cell, 4000 << 64 | 4000);
    }
}
