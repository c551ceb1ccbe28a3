//! CUDA's own names, for code that comes from there: `atomicAdd_block(&x, v)` is `atomic_add_block(&x, v)`.
//!
//! All are relaxed. The scope is in the name: none for the device, `_block`, `_system`. Targets are [`Atomic`]s of any scope.
//!
//! ```
//! use warploom_device_std::atomic::{Atomic, Relaxed, legacy};
//! let bin = Atomic::<u32>::new(5);
//! legacy::atomic_add(&bin, 2);
//! legacy::atomic_max_block(&bin, 9);
//! assert_eq!(legacy::atomic_cas_system(&bin, 9, 1), 9);
//! assert_eq!(bin.load(Relaxed), 1);
//! ```

use super::value::{AtomicAdd, AtomicBits, AtomicMinMax, AtomicValue, ExchangeInt, SwapInt};
use super::{Atomic, Relaxed, scope};

macro_rules! legacy {
    ($($method:ident ($bound:path): $device:ident $block:ident $system:ident $cuda:literal;)*) => {$(
        legacy!(@ $method $bound, $device, Device, concat!("CUDA: `", $cuda, "`; relaxed, for the device."));
        legacy!(@ $method $bound, $block, Block, concat!("CUDA: `", $cuda, "_block`; relaxed, for the block."));
        legacy!(@ $method $bound, $system, System, concat!("CUDA: `", $cuda, "_system`; relaxed, for the system."));
    )*};
    (@ $method:ident $bound:path, $name:ident, $scope:ident, $doc:expr) => {
        #[doc = $doc]
        #[inline(always)]
        pub fn $name<T: $bound, S: scope::Scope>(target: &Atomic<T, S>, value: T) -> T {
            target.at::<scope::$scope>().$method(value, Relaxed)
        }
    };
}

legacy! {
    fetch_add (AtomicAdd): atomic_add atomic_add_block atomic_add_system "atomicAdd";
    fetch_sub (AtomicAdd): atomic_sub atomic_sub_block atomic_sub_system "atomicSub";
    fetch_and (AtomicBits): atomic_and atomic_and_block atomic_and_system "atomicAnd";
    fetch_or (AtomicBits): atomic_or atomic_or_block atomic_or_system "atomicOr";
    fetch_xor (AtomicBits): atomic_xor atomic_xor_block atomic_xor_system "atomicXor";
    fetch_min (AtomicMinMax): atomic_min atomic_min_block atomic_min_system "atomicMin";
    fetch_max (AtomicMinMax): atomic_max atomic_max_block atomic_max_system "atomicMax";
}

macro_rules! others {
    ($($scope:ident: $exch:ident $cas:ident $inc:ident $dec:ident $suffix:literal;)*) => {$(
        #[doc = concat!("CUDA: `atomicExch", $suffix, "`; relaxed.")]
        #[inline(always)]
        pub fn $exch<T: AtomicValue<Bits: SwapInt>, S: scope::Scope>(target: &Atomic<T, S>, value: T) -> T {
            target.at::<scope::$scope>().swap(value, Relaxed)
        }

        #[doc = concat!("CUDA: `atomicCAS", $suffix, "`; relaxed. Returns the value before.")]
        #[inline(always)]
        pub fn $cas<T: AtomicValue<Bits: ExchangeInt>, S: scope::Scope>(target: &Atomic<T, S>, compare: T, value: T) -> T {
            match target.at::<scope::$scope>().compare_exchange(compare, value, Relaxed, Relaxed) {
                Ok(before) | Err(before) => before,
            }
        }

        #[doc = concat!("CUDA: `atomicInc", $suffix, "`; relaxed.")]
        #[inline(always)]
        pub fn $inc<S: scope::Scope>(target: &Atomic<u32, S>, limit: u32) -> u32 {
            target.at::<scope::$scope>().fetch_inc_wrapping(limit, Relaxed)
        }

        #[doc = concat!("CUDA: `atomicDec", $suffix, "`; relaxed.")]
        #[inline(always)]
        pub fn $dec<S: scope::Scope>(target: &Atomic<u32, S>, limit: u32) -> u32 {
            target.at::<scope::$scope>().fetch_dec_wrapping(limit, Relaxed)
        }
    )*};
}

others! {
    Device: atomic_exch atomic_cas atomic_inc atomic_dec "";
    Block: atomic_exch_block atomic_cas_block atomic_inc_block atomic_dec_block "_block";
    System: atomic_exch_system atomic_cas_system atomic_inc_system atomic_dec_system "_system";
}
