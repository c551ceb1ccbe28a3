//! Where an address lies: global, shared, constant or the thread's own memory.
//!
//! Pointers and references are generic: they work wherever they point. These functions ask where that is, and [`SharedPtr`] is the short
//! form of an address in shared memory. On the emulator shared memory is that of the block that runs, local memory the stacks of threads,
//! and all else is global, constants and parameters included.

use crate::intrinsics as raw;
use core::marker::PhantomData;

macro_rules! predicates {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name<T: ?Sized>(p: *const T) -> bool {
            raw::$name(p.cast())
        }
    )*};
}

predicates! {
    /// Whether `p` points into global memory. Of null nothing is promised. CUDA: `__isGlobal`. PTX: `isspacep.global`, 2.0.
    ///
    /// ```
    /// # use warploom_emulator::{run, Shape};
    /// use warploom_device_std::{address, shared_array};
    /// # let shape = Shape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, workers: None };
    /// let x = vec![1, 2, 3];
    /// run(shape, &|| {
    ///     let tile = shared_array!(f32, 32);
    ///     let own = 5;
    ///     assert!(address::is_global(&x[0]) && address::is_shared(tile.as_ptr()) && address::is_local(&own));
    /// })?;
    /// # Ok::<(), warploom_emulator::Fault>(())
    /// ```
    is_global;
    /// Whether `p` points into the block's shared memory. Of null nothing is promised. CUDA: `__isShared`. PTX: `isspacep.shared`, 2.0.
    is_shared;
    /// Whether `p` points into constant memory; never on the emulator. CUDA: `__isConstant`. PTX: `isspacep.const`, 3.1.
    is_constant;
    /// Whether `p` points into the thread's own memory. CUDA: `__isLocal`. PTX: `isspacep.local`, 2.0.
    is_local;
    /// Whether `p` points into a parameter of the kernel; never on the emulator. Of other spaces' predicates nothing is promised then.
    /// CUDA: `__isGridConstant`. PTX: `isspacep.param`, 7.7.
    is_grid_constant;
}

/// An address in the block's shared memory, in 32 bits: for instructions that want such, and to keep it short.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{address::SharedPtr, shared_array};
/// # let shape = Shape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, workers: None };
/// run(shape, &|| {
///     let tile = shared_array!(f32, 32);
///     let short = SharedPtr::new(tile.as_ptr()).unwrap();
///     let again = SharedPtr::<f32>::from_u32(short.as_u32());
///     assert_eq!(again.as_ptr(), tile.as_ptr());
///     let own = 1.0_f32;
///     assert!(SharedPtr::new((&raw const own).cast_mut()).is_none());
/// })?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Debug)]
pub struct SharedPtr<T> {
    address: u32,
    _target: PhantomData<*mut T>,
}

impl<T> Clone for SharedPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedPtr<T> {}

impl<T> SharedPtr<T> {
    /// The short form of `p`, if it points into shared memory.
    #[inline(always)]
    #[must_use]
    pub fn new(p: *mut T) -> Option<Self> {
        is_shared(p).then(|| Self::from_generic(p))
    }

    /// The short form of `p`, which points into shared memory: without meaning otherwise. CUDA: `__cvta_generic_to_shared`. PTX:
    /// `cvta.to.shared`.
    #[inline(always)]
    #[must_use]
    pub fn from_generic(p: *mut T) -> Self {
        Self::from_u32(raw::address_to_shared(p.cast()))
    }

    /// The pointer of this number.
    #[inline(always)]
    #[must_use]
    pub const fn from_u32(address: u32) -> Self {
        SharedPtr {
            address,
            _target: PhantomData,
        }
    }

    /// The address as a number: what PTX calls an address in `.shared`.
    #[inline(always)]
    #[must_use]
    pub const fn as_u32(self) -> u32 {
        self.address
    }

    /// The generic pointer. CUDA: `__cvta_shared_to_generic`. PTX: `cvta.shared`.
    #[inline(always)]
    #[must_use]
    pub fn as_ptr(self) -> *mut T {
        raw::address_from_shared(self.address).cast()
    }
}

macro_rules! conversions {
    ($($to:ident $from:ident $number:ty, $space:literal, $ptx:literal, $cuda:literal;)*) => {$(
        #[doc = concat!("The address of `p` in ", $space, " memory, where it points. CUDA: `__cvta_generic_to_", $cuda, "`. PTX: `cvta.to.", $ptx, "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $to<T>(p: *const T) -> $number {
            raw::$to(p.cast())
        }

        #[doc = concat!("The pointer to this address in ", $space, " memory. CUDA: `__cvta_", $cuda, "_to_generic`. PTX: `cvta.", $ptx, "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $from<T>(address: $number) -> *mut T {
            raw::$from(address).cast()
        }
    )*};
}
conversions! {
    address_to_global address_from_global u64, "global", "global", "global";
    address_to_constant address_from_constant u32, "constant", "const", "constant";
    address_to_local address_from_local u32, "the thread's own", "local", "local";
}
