//! Memory orders as types, so that an order which an operation cannot have does not compile.

use core::sync::atomic::Ordering;

use sealed::Sealed;

mod sealed {
    pub trait Sealed {}
}

/// An order of a read-modify-write: each of [`Relaxed`], [`Acquire`], [`Release`], [`AcqRel`], [`SeqCst`].
///
/// The orders are those of `core::sync::atomic::Ordering`, but each is a type of its own. PTX: `.relaxed`, `.acquire`, `.release`,
/// `.acq_rel`; [`SeqCst`] is `fence.sc` followed by the acquiring form (of a store: the releasing one). The fence orders all that came
/// before, so it also releases; and two such accesses are ordered by their fences, which is what sequential consistency asks for.
///
/// ```
/// use warploom_device_std::atomic::{Atomic, Order, Relaxed, SeqCst};
/// fn increase(x: &Atomic<u32>, order: impl Order) -> u32 {
///     x.fetch_add(1, order)
/// }
/// let x = Atomic::new(7u32);
/// assert_eq!([increase(&x, Relaxed), increase(&x, SeqCst)], [7, 8]);
/// ```
///
/// Atomics of `core`, which [`SharedArray::atomic`](crate::SharedArray::atomic) gives too, take `core::sync::atomic::Ordering`; each of these types converts into it:
/// ```
/// use core::sync::atomic::AtomicU32;
/// use warploom_device_std::atomic::Relaxed;
/// let x = AtomicU32::new(7);
/// x.fetch_add(1, Relaxed.into());
/// assert_eq!(x.into_inner(), 8);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a memory order",
    note = "the orders are types of `warploom::device_std::atomic`: `Relaxed`, `Acquire`, `Release`, `AcqRel`, `SeqCst`",
    note = "`Ordering` of `core::sync::atomic` is for the atomics of `core`, which `SharedArray::atomic` gives too; each of the types converts into it with `into()`"
)]
pub trait Order: Copy + Sealed {
    /// The order's number: relaxed 0, acquire 1, release 2, both 3, sequentially consistent 4.
    #[doc(hidden)]
    const CODE: u32;
}

//@ rows: NA-10
/// An order of a load: [`Relaxed`], [`Acquire`], [`SeqCst`].
///
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{Atomic, Release};
/// Atomic::<u32>::new(0).load(Release);
/// ```
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{AcqRel, Atomic};
/// Atomic::<u32>::new(0).load(AcqRel);
/// ```
#[diagnostic::on_unimplemented(
    message = "a load cannot have the order `{Self}`",
    note = "loads are `Relaxed`, `Acquire` or `SeqCst`"
)]
pub trait LoadOrder: Order {}

//@ rows: NA-11
/// An order of a store: [`Relaxed`], [`Release`], [`SeqCst`].
///
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{Acquire, Atomic};
/// Atomic::<u32>::new(0).store(1, Acquire);
/// ```
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{AcqRel, Atomic};
/// Atomic::<u32>::new(0).store(1, AcqRel);
/// ```
#[diagnostic::on_unimplemented(
    message = "a store cannot have the order `{Self}`",
    note = "stores are `Relaxed`, `Release` or `SeqCst`"
)]
pub trait StoreOrder: Order {}

/// An order of a fence: [`Acquire`], [`Release`], [`AcqRel`], [`SeqCst`].
///
/// ```compile_fail,E0277
/// use warploom_device_std::atomic::{Relaxed, fence, scope};
/// fence(Relaxed, scope::Device);
/// ```
#[diagnostic::on_unimplemented(
    message = "a fence cannot have the order `{Self}`",
    note = "fences are `Acquire`, `Release`, `AcqRel` or `SeqCst`"
)]
pub trait FenceOrder: Order {}

macro_rules! orders {
    ($($(#[$doc:meta])* $name:ident = $code:literal: $($what:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;
        impl Sealed for $name {}
        impl Order for $name {
            const CODE: u32 = $code;
        }
        impl From<$name> for Ordering {
            #[inline(always)]
            fn from(_: $name) -> Self {
                Self::$name
            }
        }
        $(impl $what for $name {})*
    )*};
}

orders! {
    /// No order between this access and others; the access itself is atomic.
    Relaxed = 0: LoadOrder StoreOrder;
    /// What comes after sees what the thread did before whose release is read here.
    Acquire = 1: LoadOrder FenceOrder;
    /// What came before is seen by the thread that reads this by an acquire.
    Release = 2: StoreOrder FenceOrder;
    /// [`Acquire`] of the read and [`Release`] of the write.
    AcqRel = 3: FenceOrder;
    /// [`AcqRel`], and all accesses of this order are in one order that all threads of the scope agree on.
    SeqCst = 4: LoadOrder StoreOrder FenceOrder;
}

/// The weakest order that is at least as strong as both.
pub(super) const fn stronger(a: u32, b: u32) -> u32 {
    if a == SeqCst::CODE || b == SeqCst::CODE {
        SeqCst::CODE
    } else {
        a | b // acquire is bit 0, release bit 1
    }
}
