//! Statics in the memory of devices: global memory, constant memory, and managed memory, which host and device both see.
//!
//! A kernel uses such a static by its name. The host asks a device for it (`device.symbol(&COUNT)?`, `device.managed(&TOTAL)?`): each
//! device that a program opens has an instance of its own, which starts with the initial value. All emulators of a process are one
//! device here: their memory is the program's own static.
//!
//! | here | CUDA | kernels | the host |
//! |---|---|---|---|
//! | [`device_static!`](crate::device_static) | `__device__` | read and write, by atomics or `unsafe` | copies in and out |
//! | [`constant_static!`](crate::constant_static) | `__constant__` | read | copies in and out |
//! | [`managed_static!`](crate::managed_static) | `__managed__` | read and write, by atomics or `unsafe` | the same |

mod cell; // plain values behind unsafe access
mod constant; // read in kernels, written between them
#[cfg(not(warploom_device))]
mod descriptor; // all statics of the program
mod global; // written by kernels
mod managed; // one memory for host and device

pub use cell::DeviceCell;
pub use constant::ConstantStatic;
#[cfg(not(warploom_device))]
#[doc(hidden)]
pub use descriptor::{Entry, RegisteredStatic, Space, StaticDescriptor, known};
pub use global::DeviceStatic;
#[cfg(warploom_device)]
#[doc(hidden)]
pub use global::StaticPlace;
pub use managed::ManagedStatic;

use crate::atomic::{Atomic, Scope};
use crate::{AtomicF32, AtomicF64, Plain};
use core::sync::atomic;

/// What a static of device or managed memory can hold: atomics, Rust's and [`Atomic`], [`DeviceCell`]s, and arrays of them.
///
/// # Safety
/// The type has size, alignment and layout of `Plain`. Shared references allow no change but through atomics or `unsafe` functions,
/// and all its bytes may change at any time.
///
/// ```
/// use std::sync::atomic::AtomicU32;
/// use warploom_device_std::{DeviceCell, atomic::{Atomic, scope}, statics::StaticValue};
/// fn may_be_static<T: StaticValue>() {}
/// may_be_static::<[AtomicU32; 4]>();
/// may_be_static::<Atomic<u64, scope::System>>();
/// may_be_static::<DeviceCell<f32>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "a static in device memory cannot hold `{Self}`",
    label = "neither an atomic nor a `DeviceCell`, nor an array of them",
    note = "all threads see the static: use an atomic such as `AtomicU32`, or `DeviceCell<T>` with unsafe access",
    note = "for values that kernels only read use `constant_static!`, or an ordinary `static` if the host never changes them"
)]
pub unsafe trait StaticValue: Sync + 'static {
    /// The same bytes as plain data: what the host copies in and out.
    type Plain: Plain;
}

macro_rules! static_values {
    ($($atomic:ty = $plain:ty),* $(,)?) => {$(
        // SAFETY: an atomic has size, alignment and bit patterns of its number; checked below.
        unsafe impl StaticValue for $atomic {
            type Plain = $plain;
        }
        const _: () = assert!(size_of::<$atomic>() == size_of::<$plain>() && align_of::<$atomic>() == align_of::<$plain>());
    )*};
}
static_values! {
    atomic::AtomicU8 = u8, atomic::AtomicI8 = i8,
    atomic::AtomicU16 = u16, atomic::AtomicI16 = i16,
    atomic::AtomicU32 = u32, atomic::AtomicI32 = i32,
    atomic::AtomicU64 = u64, atomic::AtomicI64 = i64,
    atomic::AtomicUsize = usize, atomic::AtomicIsize = isize,
    AtomicF32 = f32, AtomicF64 = f64,
}

// SAFETY: transparent; every access through a shared reference is atomic.
unsafe impl<T: Plain, S: Scope> StaticValue for Atomic<T, S> {
    type Plain = T;
}

// SAFETY: an array adds no padding, and its elements keep to the rules.
unsafe impl<S: StaticValue, const N: usize> StaticValue for [S; N] {
    type Plain = [S::Plain; N];
}

/// A static that the host copies in and out: what `device.symbol` takes. Implemented by [`DeviceStatic`] and [`ConstantStatic`].
///
/// ```
/// warploom_device_std::device_static! { static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(4); }
/// fn name_it(_: &impl warploom_device_std::statics::Static) {}
/// name_it(&COUNT);
/// ```
pub trait Static: Sync + sealed::Sealed {
    /// The value as plain data.
    type Plain: Plain;

    /// Under which name the device code has it.
    #[doc(hidden)]
    fn name(&self) -> StaticName;

    /// Whether kernels only read it.
    #[doc(hidden)]
    fn is_constant(&self) -> bool;

    /// Where the emulator has it.
    #[doc(hidden)]
    fn emulated(&self) -> *const u8;

    /// The emulator's value.
    #[doc(hidden)]
    fn emulated_value(&self) -> Self::Plain;

    /// Gives the emulator's kernels another value; `keep` puts it where it stays for ever, if that is needed.
    #[doc(hidden)]
    fn set_emulated_value(
        &self,
        value: Self::Plain,
        keep: &dyn Fn(Self::Plain) -> &'static Self::Plain,
    );
}

mod sealed {
    pub trait Sealed {}
}

/// What tells a static from all others, in both passes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticName {
    /// Its module and name.
    pub path: &'static str,
    /// Source file.
    pub file: &'static str,
    /// One-based line.
    pub line: u32,
    /// One-based column.
    pub column: u32,
}

impl StaticName {
    /// Ends a use of the static by name in host code.
    #[cfg(not(warploom_device))]
    #[inline]
    #[track_caller]
    fn check_in_kernel(&self, remedy: &str) {
        if !crate::is_device() {
            self.outside(remedy);
        }
    }

    #[cfg(not(warploom_device))]
    #[cold]
    #[track_caller]
    #[expect(
        clippy::panic,
        reason = "a value that no device has would be worse; no kernel comes here"
    )]
    fn outside(&self, remedy: &str) -> ! {
        let name = self.path.rsplit("::").next().unwrap_or(self.path);
        panic!(
            "static `{}` is in device memory, and this is host code: ask a device for it by `{remedy}(&{name})?`",
            self.path
        );
    }
}

/// A static in the pass for the host, with its name, and an entry in the list of all statics of the program: [`known`].
#[cfg(not(warploom_device))]
#[doc(hidden)]
#[macro_export]
macro_rules! __static_item {
    ($space:literal, $(#[$attr:meta])* $vis:vis $name:ident: $kind:ident<$ty:ty> = $init:expr) => {
        $(#[$attr])*
        $vis static $name: $crate::$kind<$ty> = {
            let name = $crate::statics::StaticName {
                path: $crate::__core::concat!($crate::__core::module_path!(), "::", $crate::__core::stringify!($name)),
                file: $crate::__core::file!(),
                line: $crate::__core::line!(),
                column: $crate::__core::column!(),
            };
            let value = $init; // outside of the unsafe block
            // SAFETY: the name and the place of this static.
            unsafe { $crate::$kind::__new(name, value) }
        };
        const _: () = {
            #[cfg(all(target_os = "linux", not(miri)))]
            #[used]
            #[unsafe(link_section = "warploom_statics")]
            static ENTRY: $crate::statics::Entry = $crate::statics::Entry::new(&$name);
        };
    };
}

/// The same in the device pass: the section's name tells the device linker all that the host knows of the static.
///
/// A static in device memory is reached through its place, because several images may use it: where it is defined, the device linker
/// knows the place; elsewhere the runtime says it.
#[cfg(warploom_device)]
#[doc(hidden)]
#[macro_export]
macro_rules! __static_item {
    ("device", $(#[$attr:meta])* $vis:vis $name:ident: $kind:ident<$ty:ty> = $init:expr) => {
        $crate::__static_item!("place", $(#[$attr])* $vis $name: $kind<$ty> = {
            $crate::__static_item!("value", $name: StaticPlace<$ty> = $init);
            &$name
        });
    };
    ($space:literal, $(#[$attr:meta])* $vis:vis $name:ident: $kind:ident<$ty:ty> = $init:expr) => {
        $(#[$attr])*
        #[unsafe(link_section = $crate::__core::concat!(
            ".warploom.static;", $space, ";",
            $crate::__core::module_path!(), "::", $crate::__core::stringify!($name), ";",
            $crate::__core::line!(), ";", $crate::__core::column!(), ";", $crate::__core::file!()
        ))]
        $vis static $name: $crate::statics::$kind<$ty> = {
            let value = $init; // outside of the unsafe block
            // SAFETY: the section names this static.
            unsafe { $crate::statics::$kind::__new(value) }
        };
    };
}
