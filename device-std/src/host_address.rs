//! Which types may hold an address of the host's memory: none of their values is passed to a kernel.
//!
//! A closure's captures have no names, so no derive can inspect them; an auto trait does. Auto traits are unstable, but the device pass
//! compiles this crate with unstable features allowed, and every kernel with its final types passes through it. A bound would be refused
//! in generic functions that pass their closures on to a launch; so the question is answered for each instance, by specialization.

use core::any::type_name;
use core::marker::PhantomData;

use crate::const_text::Text;

/// No reference, raw pointer or function pointer, by itself, in a field or in a capture.
auto trait NoHostAddress {}

impl<T: ?Sized> !NoHostAddress for &T {}
impl<T: ?Sized> !NoHostAddress for &mut T {}
impl<T: ?Sized> !NoHostAddress for *const T {}
impl<T: ?Sized> !NoHostAddress for *mut T {}
// A type alone, without a value.
impl<T: ?Sized> NoHostAddress for PhantomData<T> {}

/// Function pointers. rustc decides by the number of parameters whether an auto trait is implemented for a function pointer: one impl
/// covers every ABI, `unsafe` and `for<'a>`. Functions themselves (`fn` items) have types of their own, which hold nothing.
macro_rules! function_pointers {
    (($($parameter:ident)*)) => {
        impl<Output, $($parameter),*> !NoHostAddress for fn($($parameter),*) -> Output {}
    };
    (($($parameter:ident)*) $next:ident $($rest:ident)*) => {
        function_pointers!(($($parameter)*));
        function_pointers!(($($parameter)* $next) $($rest)*);
    };
}
function_pointers! {
    ()
    A0 A1 A2 A3 A4 A5 A6 A7 B0 B1 B2 B3 B4 B5 B6 B7 C0 C1 C2 C3 C4 C5 C6 C7 D0 D1 D2 D3 D4 D5 D6 D7
    E0 E1 E2 E3 E4 E5 E6 E7 F0 F1 F2 F3 F4 F5 F6 F7 G0 G1 G2 G3 G4 G5 G6 G7 H0 H1 H2 H3 H4 H5 H6 H7
}

trait HostAddress {
    /// Whether values may hold an address.
    const POSSIBLE: bool;
}

impl<T> HostAddress for T {
    default const POSSIBLE: bool = true;
}

impl<T: NoHostAddress> HostAddress for T {
    const POSSIBLE: bool = false;
}

/// Fails the compilation of a kernel that is passed a `T` by value, if a `T` may hold an address of the host's memory.
#[track_caller]
#[expect(clippy::panic, reason = "evaluated when the device code is compiled")]
pub(crate) const fn refuse<T>() {
    if <T as HostAddress>::POSSIBLE {
        let text = Text::new()
            .with("a kernel is passed a value of type `")
            .with(type_name::<T>())
            .with("`, which holds an address of the host's memory: a reference, a function pointer or a raw pointer, by itself, in a field or in a capture. A GPU cannot follow it. ")
            .with("Copy the value behind a reference into the closure (`let scale = *scale; move |x| x * scale`), pass arrays as `&[T]` from a `DeviceBuffer<T>`, and pass the function itself instead of a `fn(..)` pointer");
        panic!("{}", text.as_str());
    }
}
