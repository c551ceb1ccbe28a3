//! One type for all atomics: of any width, order and scope.

use super::order::{FenceOrder, LoadOrder, Order, StoreOrder, stronger};
use super::scope::{Device, Scope};
use super::value::{
    AtomicAdd, AtomicBits, AtomicInt, AtomicMinMax, AtomicValue, ExchangeInt, SwapInt,
};
use crate::{Plain, SliceElement, intrinsics as raw};
use core::cell::UnsafeCell;
use core::marker::PhantomData;

/// A value that many threads may read and change at the same time; same layout as `T`. Kernels take it as `&[Atomic<T>]`.
///
/// The operations that a GPU has for `T` are methods; an operation that it lacks does not compile. The order is an argument such as
/// [`Relaxed`](super::Relaxed). The scope `S` says for whom it is atomic; [`at`](Self::at) changes it for one operation. Results
/// that are not used cost nothing (PTX `red`). For memory that all see, global or shared; in a thread's own memory the operation is a
/// load, the computation and a store.
///
/// `core::sync::atomic` works as well, at the scope of the system; [`Scoped`] turns a reference to it into this type.
/// CUDA: `cuda::atomic<T, scope>`, `cuda::atomic_ref`, `__nv_atomic_*`, `atomicAdd` and the like. PTX: `atom`, `red`, `ld`, `st` with
/// `.sem.scope`, 6.0. Compute capability: 7.0; 9.0 for 128 bits and for clusters.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed, scope};
/// let (counter, last) = (Atomic::<u32>::new(0), Atomic::<u64, scope::System>::new(0));
/// # let shape = Shape { grid: [3, 1, 1], block: [50, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| { // 3 blocks of 50 threads
///     let ticket = counter.fetch_add(1, Relaxed);
///     last.fetch_max(u64::from(ticket), AcqRel);
/// })?;
/// assert_eq!((counter.load(Relaxed), last.load(Acquire)), (150, 149));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[repr(transparent)]
pub struct Atomic<T: Plain, S: Scope = Device> {
    value: UnsafeCell<T>,
    scope: PhantomData<fn() -> S>,
}

// SAFETY: every access through a shared reference is atomic. Where two scopes do not include each other, a GPU may lose changes; what is
// read is then one of the values that were written, and each pattern of bits is a `T`.
unsafe impl<T: Plain, S: Scope> Sync for Atomic<T, S> {}

// SAFETY: layout and bit patterns of `T` (transparent); others may write behind a shared reference.
unsafe impl<T: Plain, S: Scope> SliceElement for Atomic<T, S> {
    type Plain = T;
    const READ_ONLY: bool = false;
}

/// 4 × order + scope.
const fn how<O: Order, S: Scope>() -> u32 {
    O::CODE * 4 + S::CODE
}

impl<T: Plain, S: Scope> Atomic<T, S> {
    /// A value in memory of its own.
    #[inline(always)]
    #[must_use]
    pub const fn new(value: T) -> Self {
        Atomic {
            value: UnsafeCell::new(value),
            scope: PhantomData,
        }
    }

    /// The same place at another scope, for one operation: `counter.at::<scope::Block>().fetch_add(1, Relaxed)`.
    #[inline(always)]
    #[must_use]
    pub const fn at<R: Scope>(&self) -> &Atomic<T, R> {
        // SAFETY: the scope is no part of the layout; all accesses stay atomic.
        unsafe { &*core::ptr::from_ref(self).cast() }
    }

    /// A value that others may change while it is borrowed here. CUDA: `cuda::atomic_ref`.
    ///
    /// ```
    /// use warploom_device_std::atomic::{Atomic, Relaxed};
    /// let mut total = 5_i64;
    /// Atomic::<i64>::from_mut(&mut total).fetch_sub(7, Relaxed);
    /// assert_eq!(total, -2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn from_mut(value: &mut T) -> &Self {
        // SAFETY: same layout; the unique borrow excludes other accesses to the value.
        unsafe { Self::from_ptr(value) }
    }

    /// Values that others may change while they are borrowed here.
    #[inline(always)]
    #[must_use]
    pub fn from_mut_slice(values: &mut [T]) -> &[Self] {
        let (start, len) = (values.as_mut_ptr(), values.len());
        // SAFETY: same layout; the unique borrow excludes other accesses to the values.
        unsafe { core::slice::from_raw_parts(start.cast(), len) }
    }

    /// The value at `p`. CUDA: `cuda::atomic_ref`.
    ///
    /// # Safety
    /// `p` is aligned and valid for reads and writes for `'a`, and no thread accesses the value non-atomically at the same time.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn from_ptr<'a>(p: *mut T) -> &'a Self {
        // SAFETY: same layout; the rest is the caller's.
        unsafe { &*p.cast() }
    }

    /// The address of the value.
    #[inline(always)]
    #[must_use]
    pub const fn as_ptr(&self) -> *mut T {
        self.value.get()
    }

    /// The value, which no other thread can access.
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value.
    #[inline(always)]
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: AtomicValue, S: Scope> Atomic<T, S> {
    /// Size and alignment are those of the integer; asked for by all operations below.
    const FITS: () = assert!(
        size_of::<T>() == size_of::<T::Bits>() && align_of::<T>() >= align_of::<T::Bits>(),
        "an atomic value has size and alignment of the integer that it is exchanged as"
    );

    #[inline(always)]
    fn bits(&self) -> *mut T::Bits {
        const { Self::FITS };
        self.value.get().cast()
    }

    /// The value now. CUDA: `__nv_atomic_load_n`. PTX: `ld.relaxed`, `ld.acquire`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn load<O: LoadOrder>(&self, _order: O) -> T {
        // SAFETY: aligned (checked), valid as long as `self`, whose every access is atomic; a load's order.
        value(unsafe { T::Bits::load(self.bits(), how::<O, S>()) })
    }

    /// Replaces the value. CUDA: `__nv_atomic_store_n`. PTX: `st.relaxed`, `st.release`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn store<O: StoreOrder>(&self, value: T, _order: O) {
        // SAFETY: aligned (checked), valid as long as `self`, whose every access is atomic; a store's order.
        unsafe { T::Bits::store(self.bits(), bits(value), how::<O, S>()) }
    }

    /// Replaces the value and returns the one before. 32, 64 and 128 bits. CUDA: `atomicExch`, `__nv_atomic_exchange_n`. PTX: `atom.exch`.
    ///
    /// ```compile_fail,E0277
    /// use warploom_device_std::atomic::{Atomic, Relaxed};
    /// Atomic::<u16>::new(0).swap(1, Relaxed);
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn swap<O: Order>(&self, new: T, _order: O) -> T
    where
        T::Bits: SwapInt,
    {
        // SAFETY: aligned (checked), valid as long as `self`, whose every access is atomic.
        value(unsafe { T::Bits::swap(self.bits(), bits(new), how::<O, S>()) })
    }

    //@ rows: NA-9
    /// Replaces the value by `new` if its bits are those of `current`; the value before is in `Ok` if it was replaced, else in `Err`.
    ///
    /// 16, 32, 64 and 128 bits. Floats are compared by their bits, so that a NaN equals itself. Never fails without reason. The whole has
    /// the stronger of both orders. CUDA: `atomicCAS`, `__nv_atomic_compare_exchange_n`. PTX: `atom.cas`.
    ///
    /// # Errors
    /// The value, if it was another; nothing has changed then.
    ///
    /// ```
    /// use warploom_device_std::atomic::{AcqRel, Acquire, Atomic, Relaxed};
    /// let owner = Atomic::<u16>::new(0);
    /// assert_eq!(owner.compare_exchange(0, 7, AcqRel, Acquire), Ok(0));
    /// assert_eq!(owner.compare_exchange(0, 9, Relaxed, Relaxed), Err(7));
    /// ```
    /// ```compile_fail,E0277
    /// use warploom_device_std::atomic::{AcqRel, Atomic, Release};
    /// let _ = Atomic::<u32>::new(0).compare_exchange(0, 1, AcqRel, Release); // a failure writes nothing
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn compare_exchange<O: Order, F: LoadOrder>(
        &self,
        current: T,
        new: T,
        _success: O,
        _failure: F,
    ) -> Result<T, T>
    where
        T::Bits: ExchangeInt,
    {
        let how = const { stronger(O::CODE, F::CODE) * 4 + S::CODE };
        let current = bits(current);
        // SAFETY: aligned (checked), valid as long as `self`, whose every access is atomic.
        let before = unsafe { T::Bits::exchange(self.bits(), current, bits(new), how) };
        if before == current {
            Ok(value(before))
        } else {
            Err(value(before))
        }
    }

    /// Replaces the value by what `change` makes of it, unless that is `None`; gives the value of before.
    ///
    /// A loop around [`compare_exchange`](Self::compare_exchange): `change` may run several times. So any operation can be made atomic.
    ///
    /// # Errors
    /// The value for which `change` gave `None`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn fetch_update<O: Order, F: LoadOrder>(
        &self,
        success: O,
        failure: F,
        mut change: impl FnMut(T) -> Option<T>,
    ) -> Result<T, T>
    where
        T::Bits: ExchangeInt,
    {
        let mut now = self.load(failure);
        while let Some(new) = change(now) {
            match self.compare_exchange(now, new, success, failure) {
                Ok(before) => return Ok(before),
                Err(other) => now = other,
            }
        }
        Err(now)
    }
}

macro_rules! changes {
    ($($bound:ident { $($(#[$doc:meta])* $name:ident = $method:ident;)* })*) => {$(
        impl<T: $bound, S: Scope> Atomic<T, S> {$(
            $(#[$doc])*
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            pub fn $name<O: Order>(&self, value: T, _order: O) -> T {
                // SAFETY: aligned and valid as long as `self`, whose every access is atomic.
                unsafe { T::$method(self.value.get(), value, how::<O, S>()) }
            }
        )*}
    )*};
}

changes! {
    AtomicAdd {
    /// Adds, and returns the value before. Integers wrap; floats round to nearest, and the order in which threads add is not fixed.
    ///
    /// A GPU may take subnormal `f32` in global memory for zero. Of arrays each lane is added for itself, not the whole as one.
    /// CUDA: `atomicAdd`, `__nv_atomic_fetch_add`. PTX: `atom.add`, `red.add`.
    fetch_add = add;
    /// Subtracts, and returns the value before. Integers wrap. CUDA: `atomicSub`, `__nv_atomic_fetch_sub`. PTX: `atom.add`.
    fetch_sub = sub;
    }
    AtomicBits {
    /// Keeps the bits that are in both, and returns the value before. CUDA: `atomicAnd`. PTX: `atom.and`.
    fetch_and = and;
    /// Keeps the bits that are in either, and returns the value before. CUDA: `atomicOr`. PTX: `atom.or`.
    fetch_or = or;
    /// Keeps the bits that are in one of both, and returns the value before. CUDA: `atomicXor`. PTX: `atom.xor`.
    fetch_xor = xor;
    }
    AtomicMinMax {
    /// Keeps the smaller one, and returns the value before. CUDA: `atomicMin`. PTX: `atom.min`.
    fetch_min = min;
    /// Keeps the larger one, and returns the value before. CUDA: `atomicMax`. PTX: `atom.max`.
    fetch_max = max;
    }
}

impl<S: Scope> Atomic<u32, S> {
    /// Counts up to `limit` and then from 0: one more, or 0 where the value is at least `limit`. Returns the value before.
    ///
    /// CUDA: `atomicInc`. PTX: `atom.inc.u32`.
    ///
    /// ```
    /// use warploom_device_std::atomic::{Atomic, Relaxed};
    /// let turn = Atomic::<u32>::new(1);
    /// assert_eq!([0; 4].map(|_| turn.fetch_inc_wrapping(2, Relaxed)), [1, 2, 0, 1]);
    /// ```
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn fetch_inc_wrapping<O: Order>(&self, limit: u32, _order: O) -> u32 {
        // SAFETY: aligned and valid as long as `self`, whose every access is atomic.
        unsafe { raw::atomic_inc_u32(self.value.get(), limit, how::<O, S>()) }
    }

    /// Counts down to 0 and then from `limit`: one less, or `limit` where the value is 0 or above it. Returns the value before.
    ///
    /// CUDA: `atomicDec`. PTX: `atom.dec.u32`.
    #[inline(always)]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn fetch_dec_wrapping<O: Order>(&self, limit: u32, _order: O) -> u32 {
        // SAFETY: aligned and valid as long as `self`, whose every access is atomic.
        unsafe { raw::atomic_dec_u32(self.value.get(), limit, how::<O, S>()) }
    }
}

/// Orders this thread's accesses before the fence and those after it, as seen by the threads of `scope`.
///
/// Together with relaxed atomics: what a thread did before a release fence is visible to a thread that reads, before an acquire fence, what the
/// thread stored after its own. CUDA: `__nv_atomic_thread_fence`, `cuda::atomic_thread_fence`. PTX: `fence.acq_rel`, `fence.sc`, 6.0.
/// Compute capability: 7.0; 9.0 for clusters.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::atomic::{Acquire, Atomic, Relaxed, Release, fence, scope};
/// let (data, ready) = (Atomic::<u32>::new(0), Atomic::<u32>::new(0));
/// # let shape = Shape { grid: [2, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| {
///     if warploom_device_std::block_idx().x == 0 {
///         data.store(42, Relaxed);
///         fence(Release, scope::Device);
///         ready.store(1, Relaxed);
///     } else if ready.load(Relaxed) == 1 {
///         fence(Acquire, scope::Device);
///         assert_eq!(data.load(Relaxed), 42);
///     }
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub fn fence<O: FenceOrder, S: Scope>(_order: O, _scope: S) {
    raw::atomic_fence(how::<O, S>());
}

/// Atomics of another kind that can be used at a scope: those of `core`, and warploom's floats.
///
/// ```
/// use core::sync::atomic::AtomicU32;
/// use warploom_device_std::atomic::{Relaxed, Scoped, scope};
/// let bin = AtomicU32::new(3);
/// bin.scoped::<scope::Block>().fetch_add(4, Relaxed);
/// assert_eq!(bin.into_inner(), 7);
/// ```
pub trait Scoped {
    /// The value inside.
    type Value: Plain;
    /// The same place.
    fn scoped<S: Scope>(&self) -> &Atomic<Self::Value, S>;
}

macro_rules! scoped {
    ($($atomic:ty = $value:ty),* $(,)?) => {$(
        impl Scoped for $atomic {
            type Value = $value;
            #[inline(always)]
            fn scoped<S: Scope>(&self) -> &Atomic<$value, S> {
                // SAFETY: same layout (checked where it is loaded); every access through either is atomic.
                unsafe { Atomic::from_ptr(self.as_ptr()) }
            }
        }
    )*};
}
scoped! {
    core::sync::atomic::AtomicU8 = u8, core::sync::atomic::AtomicI8 = i8,
    core::sync::atomic::AtomicU16 = u16, core::sync::atomic::AtomicI16 = i16,
    core::sync::atomic::AtomicU32 = u32, core::sync::atomic::AtomicI32 = i32,
    core::sync::atomic::AtomicU64 = u64, core::sync::atomic::AtomicI64 = i64,
    super::AtomicF32 = f32, super::AtomicF64 = f64,
}

#[inline(always)]
fn bits<T: AtomicValue>(value: T) -> T::Bits {
    // SAFETY: `Atomic::FITS` has checked that the sizes are equal; each pattern of bits is an integer.
    unsafe { core::mem::transmute_copy(&value) }
}

#[inline(always)]
fn value<T: AtomicValue>(bits: T::Bits) -> T {
    // SAFETY: `Atomic::FITS` has checked that the sizes are equal; each pattern of bits is a `T`, which is plain.
    unsafe { core::mem::transmute_copy(&bits) }
}
