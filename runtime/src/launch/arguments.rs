//! What a launch takes for slices and outputs: buffers and views.
//!
//! An output is borrowed exclusively from the moment it is bound until the launch is over. That holds because the traits are sealed and
//! [`BoundSlice`] is neither `Clone` nor an argument itself: each one comes from a borrow of its own.

mod arg; // in the form that the driver and the emulator take
mod recorded; // kept by a graph

use std::marker::PhantomData;

use warploom_device_std::Plain;

use crate::buffer::Buffer;
use crate::kernel::Param;
use crate::memory::{AppendBuffer, DeviceBuffer, ManagedBuffer};
use crate::view::{DeviceSlice, DeviceSlice2DMut, DeviceSliceMut};

pub use arg::Arg;
pub(crate) use recorded::RecordedArg;

//@ rows: P-07, GPM-10
/// What `launch` takes for a kernel's `&[T]`: `&DeviceBuffer<T>`, `&ManagedBuffer<T>`, a [`DeviceSlice`] or a reference to a view.
///
/// Host memory is refused, because a GPU cannot reach it:
///
/// ```compile_fail,E0277
/// # use warploom_runtime::launch::SliceArg;
/// fn launch<'a>(x: impl SliceArg<'a, f32>) {}
/// launch(&vec![1.0f32; 8]);
/// ```
///
/// Where the types of the elements differ, the compiler says what to do:
///
/// ```compile_fail,E0277
/// # use std::sync::atomic::AtomicU32;
/// # use warploom_runtime::{Device, launch::SliceArg};
/// fn launch<'a>(counts: impl SliceArg<'a, AtomicU32>) {}
/// let mut counts = Device::emulator().zeroed::<u32>(8).unwrap();
/// launch(&counts);
/// ```
/// ```
/// # use std::sync::atomic::AtomicU32;
/// # use warploom_runtime::{Device, launch::SliceArg};
/// # fn launch<'a>(counts: impl SliceArg<'a, AtomicU32>) {}
/// let mut counts = Device::emulator().zeroed::<u32>(8)?;
/// launch(counts.as_atomic());
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not in a device's memory, so a kernel cannot read it as a slice",
    label = "expected `&DeviceBuffer<_>` or a `DeviceSlice<_>`",
    note = "upload host data first: `let x = device.upload(&data)?;`, then pass `&x` (or `x.slice(a..b)?` for a part)"
)]
pub trait SliceArg<'a, T>: sealed::SliceArg<'a, T> {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundSlice<'a, T>;
}

/// What `launch` takes for a kernel's `DisjointSlice<T>`: `&mut DeviceBuffer<T>`, `&mut ManagedBuffer<T>`, a [`DeviceSliceMut`] or `&mut`
/// one.
///
/// The borrow lasts for the call, so a launch cannot read and write the same elements:
///
/// ```compile_fail,E0502
/// # use warploom_runtime::{Device, launch::{SliceArg, SliceMutArg}};
/// fn launch<'a>(x: impl SliceArg<'a, f32>, y: impl SliceMutArg<'a, f32>) {}
/// let mut x = Device::emulator().zeroed::<f32>(8).unwrap();
/// launch(&x, &mut x);
/// ```
/// ```
/// # use warploom_runtime::{Device, launch::{SliceArg, SliceMutArg}};
/// # fn launch<'a>(x: impl SliceArg<'a, f32>, y: impl SliceMutArg<'a, f32>) {}
/// # let mut x = Device::emulator().zeroed::<f32>(8).unwrap();
/// let (left, right) = x.split_at_mut(4)?; // two parts are fine
/// launch(&left, right);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
///
/// A `&mut DeviceBuffer` in a variable is moved to the launch, because the parameter takes views by value as well; rustc's error proposes
/// `&mut *y`, which leaves it usable:
///
/// ```compile_fail,E0382
/// # use warploom_runtime::{DeviceBuffer, launch::SliceMutArg};
/// # fn launch<'a>(y: impl SliceMutArg<'a, f32>) {}
/// fn twice(y: &mut DeviceBuffer<f32>) {
///     launch(y);
///     launch(y);
/// }
/// ```
/// ```
/// # use warploom_runtime::{DeviceBuffer, launch::SliceMutArg};
/// # fn launch<'a>(y: impl SliceMutArg<'a, f32>) {}
/// fn twice(y: &mut DeviceBuffer<f32>) {
///     launch(&mut *y);
///     launch(y);
/// }
/// ```
///
/// The trait is sealed: a type of another crate could give one borrow to two parameters.
///
/// ```compile_fail,E0277
/// # use warploom_runtime::launch::{BoundSlice, SliceMutArg};
/// struct Mine<'a>(BoundSlice<'a, f32>);
/// impl<'a> SliceMutArg<'a, f32> for Mine<'a> {
///     fn bind(self) -> BoundSlice<'a, f32> {
///         self.0
///     }
/// }
/// ```
///
/// Nor can it be implemented for a type of this crate, with elements of the caller's:
///
/// ```compile_fail,E0277
/// # use warploom_runtime::{DeviceBuffer, launch::{BoundSlice, SliceArg, SliceMutArg}};
/// struct Element(u32);
/// impl<'a> SliceMutArg<'a, Element> for &'a DeviceBuffer<Element> {
///     fn bind(self) -> BoundSlice<'a, Element> {
///         SliceArg::bind(self)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not writable device memory, so a kernel cannot write it",
    label = "expected `&mut DeviceBuffer<_>` or a `DeviceSliceMut<_>`",
    note = "make the output on the device first: `let mut y = device.zeroed::<T>(len)?;` or `device.upload(&data)?`, then pass `&mut y`",
    note = "for two parts of one buffer pass the halves of `y.split_at_mut(mid)?`"
)]
pub trait SliceMutArg<'a, T>: sealed::SliceMutArg<'a, T> {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundSlice<'a, T>;
}

/// What `launch` takes for a kernel's `DisjointSlice2D<T>`: a [`DeviceSlice2DMut`] or `&mut` one. Sealed, as [`SliceMutArg`] is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rows on the device, so a kernel cannot write it in two dimensions",
    label = "expected a `DeviceSlice2DMut<_>`",
    note = "say how long a row is: pass `y.view_2d_mut(width)?` of a `DeviceBuffer`"
)]
pub trait Slice2DMutArg<'a, T>: sealed::Slice2DMutArg<'a, T> {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundSlice<'a, T>;
}

/// What `launch` takes for a kernel's `AppendSlice<T>`: `&mut AppendBuffer<T>`. Sealed, as [`SliceMutArg`] is.
///
/// Memory without a count is refused:
///
/// ```compile_fail,E0277
/// # use warploom_runtime::{Device, launch::AppendArg};
/// fn launch<'a>(kept: impl AppendArg<'a, f32>) {}
/// launch(&mut Device::emulator().zeroed::<f32>(8).unwrap());
/// ```
/// ```
/// # use warploom_runtime::{Device, launch::AppendArg};
/// # fn launch<'a>(kept: impl AppendArg<'a, f32>) {}
/// launch(&mut Device::emulator().append_buffer::<f32>(8)?);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// Nor is a buffer with a count an ordinary output, which would write over it:
/// ```compile_fail,E0277
/// # use warploom_runtime::{Device, launch::SliceMutArg};
/// fn launch<'a>(y: impl SliceMutArg<'a, f32>) {}
/// launch(&mut Device::emulator().append_buffer::<f32>(8).unwrap());
/// ```
#[diagnostic::on_unimplemented(
    message = "a kernel cannot append to `{Self}`",
    label = "expected `&mut AppendBuffer<_>`",
    note = "make the output on the device first: `let mut kept = device.append_buffer::<T>(capacity)?;`, then pass `&mut kept`"
)]
pub trait AppendArg<'a, T>: sealed::AppendArg<'a, T> {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundSlice<'a, T>;
}

/// Elements of arguments, of which [`SameElement`] speaks.
#[derive(Debug)]
pub enum Elements {}

/// That an argument's elements have the type that the kernel wants: true if the two are one.
///
/// A trait, for its message; of neither of the two, so that the compiler infers each from the other.
#[diagnostic::on_unimplemented(
    message = "the kernel's parameter has elements of type `{Wanted}`, this argument elements of type `{Given}`",
    label = "elements of type `{Given}`, not `{Wanted}`",
    note = "for a parameter `&[AtomicU32]`, or with another of Rust's atomics, pass `x.as_atomic()` of the buffer `x`; for `&[Atomic<T, S>]` pass `x.as_atomics()`",
    note = "for other elements make the buffer with that type: `device.zeroed::<T>(len)?` or `device.upload(&data)?`"
)]
pub trait SameElement<Given, Wanted>: sealed::SameElement<Given, Wanted> {}

impl<T> SameElement<T, T> for Elements {}

/// The same traits where no other crate can implement them. They have the parameters of the public ones: otherwise another crate could
/// implement those for types of this crate, with an element type of its own.
mod sealed {
    pub trait SliceArg<'a, T> {}
    pub trait SliceMutArg<'a, T> {}
    pub trait Slice2DMutArg<'a, T> {}
    pub trait AppendArg<'a, T> {}
    pub trait SameElement<Given, Wanted> {}
    impl<T> SameElement<T, T> for super::Elements {}
}

macro_rules! arguments {
    ($($argument:ident for $given:ty: |$this:ident| $bound:expr;)*) => { $(
        impl<'a, T: 'a, U: 'a> sealed::$argument<'a, U> for $given
        where
            Elements: SameElement<T, U>,
        {
        }

        impl<'a, T: 'a, U: 'a> $argument<'a, U> for $given
        where
            Elements: SameElement<T, U>,
        {
            #[inline]
            fn bind(self) -> BoundSlice<'a, U> {
                let $this = self;
                $bound
            }
        }
    )* };
}

arguments! {
    SliceArg for &'a DeviceBuffer<T>: |buffer| BoundSlice::read(buffer.as_slice());
    SliceArg for &'a ManagedBuffer<T>: |buffer| BoundSlice::read(buffer.device_slice());
    SliceArg for DeviceSlice<'a, T>: |view| BoundSlice::read(view);
    SliceArg for &DeviceSlice<'a, T>: |view| BoundSlice::read(*view);
    SliceArg for &'a DeviceSliceMut<'_, T>: |view| BoundSlice::read(view.as_slice());
    SliceMutArg for &'a mut DeviceBuffer<T>: |buffer| BoundSlice::write(buffer.as_slice_mut());
    SliceMutArg for &'a mut ManagedBuffer<T>: |buffer| BoundSlice::write(buffer.device_slice_mut());
    SliceMutArg for DeviceSliceMut<'a, T>: |view| BoundSlice::write(view);
    SliceMutArg for &'a mut DeviceSliceMut<'_, T>: |view| BoundSlice::write(view.reborrow());
    Slice2DMutArg for DeviceSlice2DMut<'a, T>: |view| BoundSlice::write_2d(view);
    Slice2DMutArg for &'a mut DeviceSlice2DMut<'_, T>: |view| BoundSlice::write_2d(view.reborrow());
}

impl<'a, T: Plain + 'a, U: 'a> sealed::AppendArg<'a, U> for &'a mut AppendBuffer<T> where
    Elements: SameElement<T, U>
{
}

impl<'a, T: Plain + 'a, U: 'a> AppendArg<'a, U> for &'a mut AppendBuffer<T>
where
    Elements: SameElement<T, U>,
{
    #[inline]
    fn bind(self) -> BoundSlice<'a, U> {
        BoundSlice::write(self.memory_mut())
    }
}

/// Memory that a launch borrows for one parameter, exclusively if the kernel writes it.
///
/// An output is bound once and cannot be bound again:
///
/// ```compile_fail,E0382
/// # use warploom_runtime::{Device, launch::{BoundSlice, SliceMutArg}};
/// fn launch<'a>(y: BoundSlice<'a, f32>, z: BoundSlice<'a, f32>) {}
/// let mut y = Device::emulator().zeroed::<f32>(8).unwrap();
/// let bound = SliceMutArg::<f32>::bind(&mut y);
/// launch(bound, bound);
/// ```
/// ```compile_fail,E0277
/// # use warploom_runtime::{Device, launch::SliceMutArg};
/// fn launch<'a>(y: impl SliceMutArg<'a, f32>) {}
/// let mut y = Device::emulator().zeroed::<f32>(8).unwrap();
/// launch(SliceMutArg::<f32>::bind(&mut y));
/// ```
#[derive(Debug)]
pub struct BoundSlice<'a, T> {
    buffer: &'a Buffer,
    param: Param,
    parts: SliceParts<T>,
    element: PhantomData<&'a mut [T]>,
}

/// Where the elements of a slice lie: an address and lengths. Not an argument of a launch: each thread's copy of a kernel's body has one.
#[derive(Debug)]
pub struct SliceParts<T> {
    ptr: *mut T,
    width: usize,
    /// 1 unless the slice has rows.
    height: usize,
}

impl<T> Clone for SliceParts<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SliceParts<T> {}

// SAFETY: an address and lengths; no safe function of this type reaches the elements.
unsafe impl<T: Sync> Send for SliceParts<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for SliceParts<T> {}

impl<'a, U> BoundSlice<'a, U> {
    fn read<T>(view: DeviceSlice<'a, T>) -> Self
    where
        Elements: SameElement<T, U>,
    {
        let extents = [view.len(), 1];
        BoundSlice::new(
            view.buffer(),
            Param::slice::<U>(),
            view.ptr().cast(),
            extents,
        )
    }

    fn write<T>(view: DeviceSliceMut<'a, T>) -> Self
    where
        Elements: SameElement<T, U>,
    {
        let extents = [view.len(), 1];
        BoundSlice::new(
            view.buffer(),
            Param::slice_mut::<U>(),
            view.ptr().cast(),
            extents,
        )
    }

    fn write_2d<T>(view: DeviceSlice2DMut<'a, T>) -> Self
    where
        Elements: SameElement<T, U>,
    {
        let extents = [view.width(), view.height()];
        BoundSlice::new(
            view.buffer(),
            Param::slice_2d_mut::<U>(),
            view.ptr().cast(),
            extents,
        )
    }

    fn new(buffer: &'a Buffer, param: Param, ptr: *mut U, [width, height]: [usize; 2]) -> Self {
        BoundSlice {
            buffer,
            param,
            parts: SliceParts { ptr, width, height },
            element: PhantomData,
        }
    }

    /// Where the elements lie, for the threads of a kernel on the CPU.
    #[must_use]
    pub fn parts(&self) -> SliceParts<U> {
        self.parts
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Elements of a row; all of them if there are no rows.
    #[must_use]
    pub fn width(&self) -> usize {
        self.parts.width
    }

    /// Number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.parts.height
    }

    /// The argument as [`submit`](super::submit) takes it.
    #[must_use]
    #[inline]
    pub fn arg(&self) -> Arg<'_> {
        let SliceParts { ptr, width, height } = self.parts;
        let words = [ptr.addr() as u64, width as u64, height as u64];
        Arg::memory(self.param, self.buffer, words)
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.buffer
    }
}

impl<T> SliceParts<T> {
    /// Address of the first element on the device; on the emulator a host address. Never null.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.ptr
    }

    /// The same address; only an output may be written through it.
    #[must_use]
    pub fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.width * self.height
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Elements of a row; all of them if there are no rows.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }
}
