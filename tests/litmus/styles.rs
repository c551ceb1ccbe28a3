//! How a program's accesses are ordered, by which atomics, and in which scope.

use std::marker::PhantomData;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering as Core;

use warploom::device_std::atomic::{
    AcqRel, Acquire, Relaxed, Release, Scope, Scoped, SeqCst, fence, scope,
};

/// A scope whose value is known.
pub(crate) trait Here: Scope {
    const VALUE: Self;
}
impl Here for scope::Block {
    const VALUE: Self = scope::Block;
}
impl Here for scope::Device {
    const VALUE: Self = scope::Device;
}

/// Accesses of a program.
pub(crate) trait Style: 'static {
    fn store(x: &AtomicU32, value: u32);
    fn load(x: &AtomicU32) -> u32;
    /// Adds 1, in one step.
    fn add(x: &AtomicU32) -> u32;
    /// What stands between two accesses of a thread.
    #[inline(always)]
    fn between() {}
}

/// Names of the orders, in the order of `Allowed`.
pub(crate) const ORDERS: [&str; 5] = [
    "relaxed",
    "release, acquire",
    "seq_cst",
    "fences",
    "seq_cst fences",
];

macro_rules! styles {
    ($($(#[$doc:meta])* $name:ident $core:ident: $store:ident $load:ident $add:ident $(, $fence:ident)?;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<S>(PhantomData<S>);
        impl<S: Here> Style for $name<S> {
            #[inline(always)]
            fn store(x: &AtomicU32, value: u32) {
                x.scoped::<S>().store(value, $store);
            }
            #[inline(always)]
            fn load(x: &AtomicU32) -> u32 {
                x.scoped::<S>().load($load)
            }
            #[inline(always)]
            fn add(x: &AtomicU32) -> u32 {
                x.scoped::<S>().fetch_add(1, $add)
            }
            $(#[inline(always)]
            fn between() {
                fence($fence, S::VALUE);
            })?
        }
        /// The same by Rust's own atomics.
        pub(crate) struct $core;
        impl Style for $core {
            #[inline(always)]
            fn store(x: &AtomicU32, value: u32) {
                x.store(value, Core::$store);
            }
            #[inline(always)]
            fn load(x: &AtomicU32) -> u32 {
                x.load(Core::$load)
            }
            #[inline(always)]
            fn add(x: &AtomicU32) -> u32 {
                x.fetch_add(1, Core::$add)
            }
            $(#[inline(always)]
            fn between() {
                std::sync::atomic::fence(Core::$fence);
            })?
        }
    )*};
}

styles! {
    RelaxedOnly CoreRelaxed: Relaxed Relaxed Relaxed;
    ReleaseAcquire CoreReleaseAcquire: Release Acquire AcqRel;
    Sequential CoreSequential: SeqCst SeqCst SeqCst;
    Fenced CoreFenced: Relaxed Relaxed Relaxed, AcqRel;
    FencedSequential CoreFencedSequential: Relaxed Relaxed Relaxed, SeqCst;
}

/// The fences are for the block, the accesses for the device.
pub(crate) struct NarrowFences;
impl Style for NarrowFences {
    #[inline(always)]
    fn store(x: &AtomicU32, value: u32) {
        RelaxedOnly::<scope::Device>::store(x, value);
    }
    #[inline(always)]
    fn load(x: &AtomicU32) -> u32 {
        RelaxedOnly::<scope::Device>::load(x)
    }
    #[inline(always)]
    fn add(x: &AtomicU32) -> u32 {
        RelaxedOnly::<scope::Device>::add(x)
    }
    #[inline(always)]
    fn between() {
        fence(SeqCst, scope::Block);
    }
}
