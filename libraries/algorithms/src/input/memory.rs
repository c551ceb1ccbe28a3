//! Up to three slices that an input reads.
//!
//! Kernels have three parameters for them, whatever the input: a slice that is not used has no elements.

use std::fmt;
use std::marker::PhantomData;

use warploom::device_std::Plain;
use warploom::{Device, DeviceBuffer, DeviceSlice, MemoryError};

mod sealed {
    pub trait Sealed {}
}

/// A set of slices: [`NoMemory`], [`One`], [`Two`] or [`Three`].
pub trait Memory: sealed::Sealed + 'static {
    /// Elements of the first slice.
    type A: Plain;
    /// Elements of the second slice.
    type B: Plain;
    /// Elements of the third slice.
    type C: Plain;
    /// The slices in a kernel.
    type View<'v>: Copy;
    /// The slices on the host.
    type Slices<'a>: Copy;

    /// The slices that are used, from the parameters of a kernel.
    #[doc(hidden)]
    fn view<'v>(a: &'v [Self::A], b: &'v [Self::B], c: &'v [Self::C]) -> Self::View<'v>;

    /// The arguments of a launch; `empty` is for those that are not used.
    #[doc(hidden)]
    fn arguments<'e, 'a: 'e>(
        slices: Self::Slices<'a>,
        empty: &'e Empty<Self>,
    ) -> Arguments<'e, Self>;
}

/// The arguments of a launch for the three slices.
#[doc(hidden)]
pub(crate) type Arguments<'a, M> = (
    DeviceSlice<'a, <M as Memory>::A>,
    DeviceSlice<'a, <M as Memory>::B>,
    DeviceSlice<'a, <M as Memory>::C>,
);

/// Buffers without elements, for the slices of a kernel that an input does not use.
#[doc(hidden)]
pub struct Empty<M: Memory + ?Sized> {
    a: DeviceBuffer<M::A>,
    b: DeviceBuffer<M::B>,
    c: DeviceBuffer<M::C>,
}

impl<M: Memory + ?Sized> Empty<M> {
    pub(crate) fn new(device: &Device) -> Result<Self, MemoryError> {
        Ok(Empty {
            a: device.alloc_uninit(0)?,
            b: device.alloc_uninit(0)?,
            c: device.alloc_uninit(0)?,
        })
    }
}

impl<M: Memory + ?Sized> fmt::Debug for Empty<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Empty")
    }
}

/// No slice: what an input computes from the number of the element alone.
#[derive(Debug)]
pub enum NoMemory {}
/// One slice.
#[derive(Debug)]
pub struct One<A>(PhantomData<A>);
/// Two slices.
#[derive(Debug)]
pub struct Two<A, B>(PhantomData<(A, B)>);
/// Three slices.
#[derive(Debug)]
pub struct Three<A, B, C>(PhantomData<(A, B, C)>);

macro_rules! memories {
    ($($name:ident<$($used:ident),*> = [$($a:ident $slice:ident),*] [$($unused:ident),*];)*) => { $(
        impl<$($used: Plain),*> sealed::Sealed for $name<$($used),*> {}

        impl<$($used: Plain),*> Memory for $name<$($used),*> {
            $(type $used = $used;)*
            $(type $unused = u8;)*
            type View<'v> = memories!(@view $($used)*);
            type Slices<'a> = ($(DeviceSlice<'a, $used>,)*);

            #[inline(always)]
            fn view<'v>(a: &'v [Self::A], b: &'v [Self::B], c: &'v [Self::C]) -> Self::View<'v> {
                let _ = (a, b, c);
                memories!(@take a b c; $($used)*)
            }

            fn arguments<'e, 'a: 'e>(slices: Self::Slices<'a>, empty: &'e Empty<Self>) -> Arguments<'e, Self> {
                let ($($slice,)*) = slices;
                memories!(@arguments empty $($slice)*)
            }
        }
    )* };
    (@view) => { () };
    (@view $a:ident) => { &'v [$a] };
    (@view $a:ident $b:ident) => { (&'v [$a], &'v [$b]) };
    (@view $a:ident $b:ident $c:ident) => { (&'v [$a], &'v [$b], &'v [$c]) };
    (@take $x:ident $y:ident $z:ident;) => { () };
    (@take $x:ident $y:ident $z:ident; $a:ident) => { $x };
    (@take $x:ident $y:ident $z:ident; $a:ident $b:ident) => { ($x, $y) };
    (@take $x:ident $y:ident $z:ident; $a:ident $b:ident $c:ident) => { ($x, $y, $z) };
    (@arguments $empty:ident) => { ($empty.a.as_slice(), $empty.b.as_slice(), $empty.c.as_slice()) };
    (@arguments $empty:ident $a:ident) => { ($a, $empty.b.as_slice(), $empty.c.as_slice()) };
    (@arguments $empty:ident $a:ident $b:ident) => { ($a, $b, $empty.c.as_slice()) };
    (@arguments $empty:ident $a:ident $b:ident $c:ident) => { { let _ = $empty; ($a, $b, $c) } };
}

memories! {
    NoMemory<> = [] [A, B, C];
    One<A> = [A a] [B, C];
    Two<A, B> = [A a, B b] [C];
    Three<A, B, C> = [A a, B b, C c] [];
}

/// The slices of two inputs, first those of `Self`. At most three in all: more do not compile.
#[diagnostic::on_unimplemented(
    message = "an input reads at most three slices, and `{Self}` with `{Other}` would be more",
    note = "store a part of it with `stream.transform(..).into(&mut buffer)`, or put values side by side in one buffer of structs"
)]
pub trait Concat<Other: Memory>: Memory {
    /// All slices.
    type Both: Memory;

    /// The slices on the host.
    #[doc(hidden)]
    fn concat<'a>(
        first: Self::Slices<'a>,
        second: Other::Slices<'a>,
    ) -> <Self::Both as Memory>::Slices<'a>;

    /// The slices of both in a kernel.
    #[doc(hidden)]
    fn split<'v>(both: <Self::Both as Memory>::View<'v>) -> (Self::View<'v>, Other::View<'v>);
}

macro_rules! concats {
    ($([$($g:ident),*] $first:ty, $second:ty => $both:ty:
        $f:pat, $s:pat => $all:expr; $b:pat => $split:expr;)*) => { $(
        impl<$($g: Plain),*> Concat<$second> for $first {
            type Both = $both;

            fn concat<'a>($f: Self::Slices<'a>, $s: <$second as Memory>::Slices<'a>) -> <$both as Memory>::Slices<'a> {
                $all
            }

            #[inline(always)]
            fn split<'v>($b: <$both as Memory>::View<'v>) -> (Self::View<'v>, <$second as Memory>::View<'v>) {
                $split
            }
        }
    )* };
}

concats! {
    [] NoMemory, NoMemory => NoMemory: (), () => (); () => ((), ());
    [A] NoMemory, One<A> => One<A>: (), s => s; b => ((), b);
    [A, B] NoMemory, Two<A, B> => Two<A, B>: (), s => s; b => ((), b);
    [A, B, C] NoMemory, Three<A, B, C> => Three<A, B, C>: (), s => s; b => ((), b);
    [A] One<A>, NoMemory => One<A>: f, () => f; b => (b, ());
    [A, B] Two<A, B>, NoMemory => Two<A, B>: f, () => f; b => (b, ());
    [A, B, C] Three<A, B, C>, NoMemory => Three<A, B, C>: f, () => f; b => (b, ());
    [A, B] One<A>, One<B> => Two<A, B>: (a,), (b,) => (a, b); (a, b) => (a, b);
    [A, B, C] One<A>, Two<B, C> => Three<A, B, C>: (a,), (b, c) => (a, b, c); (a, b, c) => (a, (b, c));
    [A, B, C] Two<A, B>, One<C> => Three<A, B, C>: (a, b), (c,) => (a, b, c); (a, b, c) => ((a, b), c);
}
