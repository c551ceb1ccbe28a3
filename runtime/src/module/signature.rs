//! The types of kernels that other compilers made, and what is given for them.

use warploom_device_std::Plain;
use warploom_device_std::surface::{Access, Surface};
use warploom_device_std::texture::{Dimension, ReadMode, Texel, Texture};
use warploom_device_std::{Bf16, Bf16x2, F16, F16x2};

use crate::kernel::Param;
use crate::launch::arguments::{Arg, BoundSlice, SliceArg, SliceMutArg};
use crate::launch::values::ByValue;
use crate::texture::{BoundTexture, SurfaceArg, TextureArg};

/// A parameter of a kernel that another compiler made.
///
/// | type | in C | given |
/// |---|---|---|
/// | `f32`, `u64` … | `float`, `unsigned long long` … | the number |
/// | [`Value<T>`](Value) | a struct or an array by value | a `T` |
/// | `*const T` | `const T *` | `&DeviceBuffer<T>`, a `DeviceSlice<T>` |
/// | `*mut T` | `T *` | `&mut DeviceBuffer<T>`, a `DeviceSliceMut<T>` |
/// | `&[T]` | `const T *, size_t` | as `*const T`: address and length are two parameters |
/// | `&mut [T]` | `T *, size_t` | as `*mut T`: address and length are two parameters |
/// | `Texture2d<T, R>` and so on | `cudaTextureObject_t` | `&TextureObject<D2, T, R>` |
/// | `Surface2d<T>` and so on | `cudaSurfaceObject_t` | `&mut SurfaceObject<D2, T>` |
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a kernel's parameter",
    label = "not a number, a pointer, a slice or a `Value<_>`",
    note = "write pointers as `*const T` and `*mut T`, structs as `Value<T>`"
)]
pub trait ForeignParam {
    /// How it is handed over.
    #[doc(hidden)]
    const PARAM: Param;
}

/// What can be given for the parameter `P` of a kernel that another compiler made.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given for a kernel's parameter of type `{P}`",
    label = "expected a number of that type, or a buffer with elements of that type",
    note = "`*const T` and `&[T]` take `&DeviceBuffer<T>`, `*mut T` and `&mut [T]` take `&mut DeviceBuffer<T>`"
)]
pub trait ForeignArg<'a, P>: sealed::ForeignArg<'a, P> {
    #[doc(hidden)]
    type Bound;
    #[doc(hidden)]
    fn bind(self) -> Self::Bound;
    #[doc(hidden)]
    fn arg(bound: &Self::Bound) -> Arg<'_>;
}

/// Stands for a struct or an array in a kernel's list of parameters.
///
/// ```
/// use warploom_runtime::module::{Signature, Value};
/// fn is_signature<P: Signature>() {}
/// is_signature::<(Value<[f32; 16]>, *const f32, &mut [f32], u32)>();
/// ```
#[derive(Debug)]
pub struct Value<T>(std::marker::PhantomData<T>);

/// The parameters of a kernel that another compiler made: a tuple of up to 16 [`ForeignParam`]s.
pub trait Signature {
    #[doc(hidden)]
    fn params() -> Vec<Param>;
}

/// What is given for the parameters `P`: a tuple of [`ForeignArg`]s. Sealed, as `ForeignArg` is:
///
/// ```compile_fail,E0277
/// # use warploom_runtime::module::Arguments;
/// # use warploom_runtime::launch::Arg;
/// struct Mine;
/// impl<'a> Arguments<'a, (*mut f32, *mut f32)> for Mine {
///     fn with<R>(self, run: impl FnOnce(&[Arg<'_>]) -> R) -> R {
///         run(&[])
///     }
/// }
/// ```
pub trait Arguments<'a, P>: sealed::Arguments<'a, P> {
    /// Hands over the arguments, which live until this returns.
    #[doc(hidden)]
    fn with<R>(self, run: impl FnOnce(&[Arg<'_>]) -> R) -> R;
}

/// The same traits where no other crate can implement them: another implementation could give one buffer for two parameters.
mod sealed {
    pub trait ForeignArg<'a, P> {}
    pub trait Arguments<'a, P> {}
}

macro_rules! numbers {
    ($($ty:ty)*) => { $(
        impl ForeignParam for $ty {
            const PARAM: Param = Param::by_value::<$ty>();
        }

        impl sealed::ForeignArg<'_, $ty> for $ty {}

        impl ForeignArg<'_, $ty> for $ty {
            type Bound = ByValue<$ty>;
            fn bind(self) -> ByValue<$ty> {
                ByValue::new(self)
            }
            fn arg(bound: &ByValue<$ty>) -> Arg<'_> {
                bound.arg()
            }
        }
    )* };
}

numbers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 bool F16 F16x2 Bf16 Bf16x2 }

impl<T: Plain> ForeignParam for Value<T> {
    const PARAM: Param = Param::by_value::<T>();
}

impl<T: Plain> sealed::ForeignArg<'_, Value<T>> for T {}

impl<T: Plain> ForeignArg<'_, Value<T>> for T {
    type Bound = ByValue<T>;
    fn bind(self) -> ByValue<T> {
        ByValue::new(self)
    }
    fn arg(bound: &ByValue<T>) -> Arg<'_> {
        bound.arg()
    }
}

macro_rules! memory {
    ($($ty:ty: $arg:ident, |$slice:ident| $into:expr, $param:expr;)*) => { $(
        impl<T> ForeignParam for $ty {
            const PARAM: Param = $param;
        }

        impl<'a, T: 'a, A: $arg<'a, T>> sealed::ForeignArg<'a, $ty> for A {}

        impl<'a, T: 'a, A: $arg<'a, T>> ForeignArg<'a, $ty> for A {
            type Bound = BoundSlice<'a, T>;
            fn bind(self) -> BoundSlice<'a, T> {
                $arg::bind(self)
            }
            fn arg<'b>(bound: &'b BoundSlice<'a, T>) -> Arg<'b> {
                let $slice = bound.arg();
                $into
            }
        }
    )* };
}

memory! {
    *const T: SliceArg, |slice| slice.pointer(), Param::by_value::<u64>();
    *mut T: SliceMutArg, |slice| slice.pointer(), Param::by_value::<u64>();
    &[T]: SliceArg, |slice| slice, Param::slice::<T>();
    &mut [T]: SliceMutArg, |slice| slice, Param::slice_mut::<T>();
}

macro_rules! objects {
    ($([$($generic:tt)*] $ty:ty: $arg:ident;)*) => { $(
        impl<$($generic)*> ForeignParam for $ty {
            const PARAM: Param = Param::by_value::<u64>();
        }

        impl<'a, $($generic)*, Given: $arg<'a, $ty>> sealed::ForeignArg<'a, $ty> for Given {}

        impl<'a, $($generic)*, Given: $arg<'a, $ty>> ForeignArg<'a, $ty> for Given {
            type Bound = BoundTexture<'a>;
            fn bind(self) -> BoundTexture<'a> {
                $arg::bind(self)
            }
            fn arg<'b>(bound: &'b BoundTexture<'a>) -> Arg<'b> {
                bound.arg()
            }
        }
    )* };
}

objects! {
    [D: Dimension, T: Texel, R: ReadMode<T>] Texture<'static, D, T, R>: TextureArg;
    [D: Dimension, T: Texel, A: Access] Surface<'static, D, T, A>: SurfaceArg;
}

macro_rules! tuples {
    ($($P:ident $A:ident,)*) => {
        impl<$($P: ForeignParam),*> Signature for ($($P,)*) {
            fn params() -> Vec<Param> {
                vec![$($P::PARAM),*]
            }
        }

        impl<'a, $($P, $A: ForeignArg<'a, $P>),*> sealed::Arguments<'a, ($($P,)*)> for ($($A,)*) {}

        impl<'a, $($P, $A: ForeignArg<'a, $P>),*> Arguments<'a, ($($P,)*)> for ($($A,)*) {
            #[allow(non_snake_case, reason = "a value has the name of its type")]
            fn with<R>(self, run: impl FnOnce(&[Arg<'_>]) -> R) -> R {
                let ($($A,)*) = self;
                $(let $A = <$A as ForeignArg<'a, $P>>::bind($A);)*
                run(&[$(<$A as ForeignArg<'a, $P>>::arg(&$A)),*])
            }
        }
    };
}

macro_rules! all_tuples {
    (($($done:tt)*)) => { tuples! { $($done)* } };
    (($($done:tt)*) $P:ident $A:ident, $($rest:tt)*) => {
        tuples! { $($done)* }
        all_tuples! { ($($done)* $P $A,) $($rest)* }
    };
}

all_tuples! { ()
    P0 A0, P1 A1, P2 A2, P3 A3, P4 A4, P5 A5, P6 A6, P7 A7,
    P8 A8, P9 A9, P10 A10, P11 A11, P12 A12, P13 A13, P14 A14, P15 A15,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    fn sizes<P: Signature>() -> Vec<u64> {
        P::params().iter().flat_map(Param::device_sizes).collect()
    }

    //@ rows: GLA-12
    #[test]
    fn each_type_has_the_sizes_of_its_parameters() {
        assert_eq!(sizes::<()>(), [0u64; 0]);
        assert_eq!(sizes::<(u8, f64, bool)>(), [1, 8, 1]);
        assert_eq!(sizes::<(*const f32, *mut u8)>(), [8, 8]);
        assert_eq!(sizes::<(&[f32], &mut [u8])>(), [8, 8, 8, 8]);
        assert_eq!(sizes::<(Value<[f32; 5]>, Value<[u8; 0]>, F16)>(), [20, 2]);
    }

    //@ rows: GLA-15
    #[test]
    fn arguments_become_addresses_of_their_values() {
        let device = Device::emulator();
        let x = device.upload(&[1.0f32, 2.0, 3.0]).unwrap();
        let mut y = device.zeroed::<u8>(5).unwrap();
        let start = x.as_slice().ptr().addr() as u64;
        type P = (u16, *const f32, &'static mut [u8], Value<[u32; 2]>);
        let args = (7u16, &x, &mut y, [8, 9]);
        Arguments::<P>::with(args, |args| {
            let mut addresses = vec![];
            for arg in args {
                arg.addresses(&0, |address| addresses.push(address));
            }
            assert_eq!(addresses.len(), 5);
            // SAFETY: each points to a value of the size that its parameter has.
            assert_eq!(unsafe { addresses[0].cast::<u16>().read() }, 7);
            // SAFETY: as above.
            assert_eq!(unsafe { addresses[1].cast::<u64>().read() }, start);
            // SAFETY: as above.
            assert_ne!(unsafe { addresses[2].cast::<u64>().read() }, 0);
            // SAFETY: as above.
            assert_eq!(unsafe { addresses[3].cast::<u64>().read() }, 5);
            // SAFETY: as above.
            assert_eq!(unsafe { addresses[4].cast::<[u32; 2]>().read() }, [8, 9]);
            let buffers = args.iter().filter(|arg| arg.buffer().is_some()).count();
            assert_eq!(buffers, 2, "streams are told of both");
            let given: Vec<_> = args.iter().map(Arg::param).collect();
            assert_eq!(given, P::params());
        });
    }
}
