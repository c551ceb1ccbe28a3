//! What a launch takes as arguments: buffers and views for slices, plain values for the rest.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::buffer::Buffer;
use crate::kernel::{Param, ParamKind};
use crate::memory::DeviceBuffer;
use crate::view::{DeviceSlice, DeviceSlice2DMut, DeviceSliceMut};

/// What can be given for a kernel's `&[T]`: `&DeviceBuffer<T>`, a [`DeviceSlice`] or a reference to one.
///
/// Host memory is refused, because a GPU cannot reach it:
///
/// ```compile_fail,E0277
/// # use warploom_runtime::launch::SliceArg;
/// fn launch<'a>(x: impl SliceArg<'a, Elem = f32>) {}
/// launch(&vec![1.0f32; 8]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not in a device's memory, so a kernel cannot read it as a slice",
    label = "expected `&DeviceBuffer<_>` or a `DeviceSlice<_>`",
    note = "upload host data first: `let x = device.upload(&data)?;`, then pass `&x` (or `x.slice(a..b)?` for a part)"
)]
pub trait SliceArg<'a> {
    /// The kernel's element type.
    type Elem;
    /// Takes the argument apart.
    fn into_arg(self) -> BoundSlice<'a, Self::Elem>;
}

/// What can be given for a kernel's `DisjointSlice<T>`: `&mut DeviceBuffer<T>`, a [`DeviceSliceMut`] or `&mut` one.
///
/// The borrow lasts for the call, so a launch cannot read and write the same elements:
///
/// ```compile_fail,E0502
/// # use warploom_runtime::{Device, launch::{SliceArg, SliceMutArg}};
/// fn launch<'a>(x: impl SliceArg<'a, Elem = f32>, y: impl SliceMutArg<'a, Elem = f32>) {}
/// let mut x = Device::emulator().zeroed::<f32>(8).unwrap();
/// launch(&x, &mut x);
/// ```
/// ```
/// # use warploom_runtime::{Device, launch::{SliceArg, SliceMutArg}};
/// # fn launch<'a>(x: impl SliceArg<'a, Elem = f32>, y: impl SliceMutArg<'a, Elem = f32>) {}
/// # let mut x = Device::emulator().zeroed::<f32>(8).unwrap();
/// let (left, right) = x.split_at_mut(4)?; // two parts are fine
/// launch(&left, right);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not writable device memory, so a kernel cannot write it",
    label = "expected `&mut DeviceBuffer<_>` or a `DeviceSliceMut<_>`",
    note = "make the output on the device first: `let mut y = device.zeroed::<T>(len)?;` or `device.upload(&data)?`, then pass `&mut y`",
    note = "for two parts of one buffer pass the halves of `y.split_at_mut(mid)?`"
)]
pub trait SliceMutArg<'a> {
    /// The kernel's element type.
    type Elem;
    /// Takes the argument apart.
    fn into_arg(self) -> BoundSliceMut<'a, Self::Elem>;
}

/// What can be given for a kernel's `DisjointSlice2D<T>`: a [`DeviceSlice2DMut`] or `&mut` one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rows on the device, so a kernel cannot write it in two dimensions",
    label = "expected a `DeviceSlice2DMut<_>`",
    note = "say how long a row is: pass `y.view_2d_mut(width)?` of a `DeviceBuffer`"
)]
pub trait Slice2DMutArg<'a> {
    /// The kernel's element type.
    type Elem;
    /// Takes the argument apart.
    fn into_arg(self) -> BoundSlice2DMut<'a, Self::Elem>;
}

/// A [`SliceArg`] with elements of the kernel's type: what `launch` takes for `&[T]`. Implemented for all of them.
///
/// Where the types differ, the compiler says what to do:
///
/// ```compile_fail,E0277
/// # use std::sync::atomic::AtomicU32;
/// # use warploom_runtime::{Device, launch::SliceFor};
/// fn launch<'a>(counts: impl SliceFor<'a, AtomicU32>) {}
/// let mut counts = Device::emulator().zeroed::<u32>(8).unwrap();
/// launch(&counts);
/// ```
/// ```
/// # use std::sync::atomic::AtomicU32;
/// # use warploom_runtime::{Device, launch::SliceFor};
/// # fn launch<'a>(counts: impl SliceFor<'a, AtomicU32>) {}
/// let mut counts = Device::emulator().zeroed::<u32>(8)?;
/// launch(counts.as_atomic());
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not in a device's memory, so a kernel cannot read it as a slice",
    label = "expected `&DeviceBuffer<_>` or a `DeviceSlice<_>`",
    note = "upload host data first: `let x = device.upload(&data)?;`, then pass `&x` (or `x.slice(a..b)?` for a part)"
)]
pub trait SliceFor<'a, T> {
    /// Takes the argument apart.
    fn bind(self) -> BoundSlice<'a, T>;
}

/// A [`SliceMutArg`] with elements of the kernel's type: what `launch` takes for `DisjointSlice<T>`. Implemented for all of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not writable device memory, so a kernel cannot write it",
    label = "expected `&mut DeviceBuffer<_>` or a `DeviceSliceMut<_>`",
    note = "make the output on the device first: `let mut y = device.zeroed::<T>(len)?;` or `device.upload(&data)?`, then pass `&mut y`",
    note = "for two parts of one buffer pass the halves of `y.split_at_mut(mid)?`"
)]
pub trait SliceMutFor<'a, T> {
    /// Takes the argument apart.
    fn bind(self) -> BoundSliceMut<'a, T>;
}

/// A [`Slice2DMutArg`] with elements of the kernel's type: what `launch` takes for `DisjointSlice2D<T>`. Implemented for all of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rows on the device, so a kernel cannot write it in two dimensions",
    label = "expected a `DeviceSlice2DMut<_>`",
    note = "say how long a row is: pass `y.view_2d_mut(width)?` of a `DeviceBuffer`"
)]
pub trait Slice2DMutFor<'a, T> {
    /// Takes the argument apart.
    fn bind(self) -> BoundSlice2DMut<'a, T>;
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
pub trait SameElement<Given, Wanted>: sealed::Same<Given, Wanted> {}

impl<T> SameElement<T, T> for Elements {}

mod sealed {
    /// The same where no other crate can implement it.
    pub trait Same<Given, Wanted> {}
    impl<T> Same<T, T> for super::Elements {}
}

macro_rules! for_kernels {
    ($($wanted:ident of $argument:ident: $bound:ident;)*) => { $(
        impl<'a, T: 'a, A: $argument<'a, Elem: 'a>> $wanted<'a, T> for A
        where
            Elements: SameElement<A::Elem, T>,
        {
            fn bind(self) -> $bound<'a, T> {
                self.into_arg().with_elements()
            }
        }
    )* };
}

for_kernels! {
    SliceFor of SliceArg: BoundSlice;
    SliceMutFor of SliceMutArg: BoundSliceMut;
    Slice2DMutFor of Slice2DMutArg: BoundSlice2DMut;
}

impl<'a, T> SliceArg<'a> for &'a DeviceBuffer<T> {
    type Elem = T;
    fn into_arg(self) -> BoundSlice<'a, T> {
        BoundSlice::new(self.as_slice())
    }
}

impl<'a, T> SliceArg<'a> for DeviceSlice<'a, T> {
    type Elem = T;
    fn into_arg(self) -> BoundSlice<'a, T> {
        BoundSlice::new(self)
    }
}

impl<'a, T> SliceArg<'a> for &DeviceSlice<'a, T> {
    type Elem = T;
    fn into_arg(self) -> BoundSlice<'a, T> {
        BoundSlice::new(*self)
    }
}

impl<'a, T> SliceArg<'a> for &'a DeviceSliceMut<'_, T> {
    type Elem = T;
    fn into_arg(self) -> BoundSlice<'a, T> {
        BoundSlice::new(self.as_slice())
    }
}

impl<'a, T> SliceMutArg<'a> for &'a mut DeviceBuffer<T> {
    type Elem = T;
    fn into_arg(self) -> BoundSliceMut<'a, T> {
        BoundSliceMut::new(self.as_slice_mut())
    }
}

impl<'a, T> SliceMutArg<'a> for DeviceSliceMut<'a, T> {
    type Elem = T;
    fn into_arg(self) -> BoundSliceMut<'a, T> {
        BoundSliceMut::new(self)
    }
}

impl<'a, T> SliceMutArg<'a> for &'a mut DeviceSliceMut<'_, T> {
    type Elem = T;
    fn into_arg(self) -> BoundSliceMut<'a, T> {
        BoundSliceMut::new(self.reborrow())
    }
}

impl<'a, T> Slice2DMutArg<'a> for DeviceSlice2DMut<'a, T> {
    type Elem = T;
    fn into_arg(self) -> BoundSlice2DMut<'a, T> {
        BoundSlice2DMut::new(self)
    }
}

impl<'a, T> Slice2DMutArg<'a> for &'a mut DeviceSlice2DMut<'_, T> {
    type Elem = T;
    fn into_arg(self) -> BoundSlice2DMut<'a, T> {
        BoundSlice2DMut::new(self.reborrow())
    }
}

/// A read-only argument, taken apart. May be copied to every thread: reaching the elements is up to unsafe code.
#[derive(Debug)]
pub struct BoundSlice<'a, T> {
    buffer: BufferRef<'a>,
    ptr: *const T,
    len: usize,
    element: PhantomData<&'a [T]>,
}

/// A written argument, taken apart. May be copied to every thread: reaching the elements is up to unsafe code.
#[derive(Debug)]
pub struct BoundSliceMut<'a, T> {
    buffer: BufferRef<'a>,
    ptr: *mut T,
    len: usize,
    element: PhantomData<&'a mut [T]>,
}

/// A written argument in two dimensions, taken apart.
#[derive(Debug)]
pub struct BoundSlice2DMut<'a, T> {
    buffer: BufferRef<'a>,
    ptr: *mut T,
    width: usize,
    height: usize,
    element: PhantomData<&'a mut [T]>,
}

macro_rules! copy_and_sync {
    ($($name:ident: $bound:ident,)*) => { $(
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<'_, T> {}
        // SAFETY: an address and lengths; no safe function of this type reaches the elements.
        unsafe impl<T: $bound> Send for $name<'_, T> {}
        // SAFETY: as above.
        unsafe impl<T: $bound> Sync for $name<'_, T> {}
    )* };
}

copy_and_sync! {
    BoundSlice: Sync,
    BoundSliceMut: Send,
    BoundSlice2DMut: Send,
}

/// A reference to a buffer that may outlive it, as a graph's copies of these arguments do: an address until it is dereferenced.
#[derive(Debug, Clone, Copy)]
struct BufferRef<'a>(NonNull<Buffer>, PhantomData<&'a Buffer>);

impl<'a> BufferRef<'a> {
    fn new(buffer: &'a Buffer) -> BufferRef<'a> {
        BufferRef(NonNull::from(buffer), PhantomData)
    }

    /// Not for a graph's copies.
    fn get(self) -> &'a Buffer {
        // SAFETY: borrowed for `'a`. Copies that a graph keeps longer are only asked for addresses and lengths.
        unsafe { self.0.as_ref() }
    }
}

impl<'a, T> BoundSlice<'a, T> {
    /// The same under another name of the element type; addresses keep no type.
    fn with_elements<U>(self) -> BoundSlice<'a, U> {
        BoundSlice {
            buffer: self.buffer,
            ptr: self.ptr.cast(),
            len: self.len,
            element: PhantomData,
        }
    }

    fn new(view: DeviceSlice<'a, T>) -> Self {
        BoundSlice {
            buffer: BufferRef::new(view.buffer()),
            ptr: view.ptr(),
            len: view.len(),
            element: PhantomData,
        }
    }

    /// Address of the first element on the device; on the emulator a host address. Never null.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.ptr
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The argument as [`submit`](super::submit) takes it.
    #[must_use]
    pub fn arg(&self) -> Arg<'a> {
        let words = [self.as_ptr().addr() as u64, self.len() as u64, 0];
        Arg::memory(Param::slice::<T>(), self.buffer.get(), words)
    }

    pub(crate) fn buffer(&self) -> &'a Buffer {
        self.buffer.get()
    }
}

impl<'a, T> BoundSliceMut<'a, T> {
    /// The same under another name of the element type; addresses keep no type.
    fn with_elements<U>(self) -> BoundSliceMut<'a, U> {
        BoundSliceMut {
            buffer: self.buffer,
            ptr: self.ptr.cast(),
            len: self.len,
            element: PhantomData,
        }
    }

    fn new(view: DeviceSliceMut<'a, T>) -> Self {
        BoundSliceMut {
            buffer: BufferRef::new(view.buffer()),
            ptr: view.ptr(),
            len: view.len(),
            element: PhantomData,
        }
    }

    /// Address of the first element on the device; on the emulator a host address. Never null.
    #[must_use]
    pub fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The argument as [`submit`](super::submit) takes it.
    #[must_use]
    pub fn arg(&self) -> Arg<'a> {
        let words = [self.ptr.addr() as u64, self.len as u64, 0];
        Arg::memory(Param::slice_mut::<T>(), self.buffer.get(), words)
    }
}

impl<'a, T> BoundSlice2DMut<'a, T> {
    /// The same under another name of the element type; addresses keep no type.
    fn with_elements<U>(self) -> BoundSlice2DMut<'a, U> {
        BoundSlice2DMut {
            buffer: self.buffer,
            ptr: self.ptr.cast(),
            width: self.width,
            height: self.height,
            element: PhantomData,
        }
    }

    fn new(view: DeviceSlice2DMut<'a, T>) -> Self {
        BoundSlice2DMut {
            buffer: BufferRef::new(view.buffer()),
            ptr: view.ptr(),
            width: view.width(),
            height: view.height(),
            element: PhantomData,
        }
    }

    /// Address of the first element on the device; on the emulator a host address. Never null.
    #[must_use]
    pub fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }

    /// Elements of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The argument as [`submit`](super::submit) takes it.
    #[must_use]
    pub fn arg(&self) -> Arg<'a> {
        let words = [
            self.ptr.addr() as u64,
            self.width as u64,
            self.height as u64,
        ];
        Arg::memory(Param::slice_2d_mut::<T>(), self.buffer.get(), words)
    }
}

/// Where the bytes of a value are.
#[derive(Debug, Clone, Copy)]
enum Source {
    Here(*const u8),
    /// The stream knows.
    GridBarrier,
    /// So many of the argument's words, each a parameter: address and lengths of a slice, or its address alone, as other languages pass
    /// memory.
    Words(usize),
}

/// One argument of a launch, as [`submit`](super::submit) takes it.
#[derive(Debug, Clone, Copy)]
pub struct Arg<'a> {
    param: Param,
    buffer: Option<&'a Buffer>,
    value: Source,
    /// Address and lengths of a slice, as the device reads them.
    words: [u64; 3],
    /// The parameter's name; empty if unknown.
    name: &'static str,
    borrow: PhantomData<&'a ()>,
}

impl<'a> Arg<'a> {
    /// A value, in place.
    pub(super) fn value(param: Param, at: *const u8) -> Arg<'a> {
        Arg {
            param,
            buffer: None,
            value: Source::Here(at),
            words: [0; 3],
            name: "",
            borrow: PhantomData,
        }
    }

    /// The address of the word that the stream has for the barrier of a cooperative grid.
    pub(super) fn grid_barrier() -> Arg<'a> {
        Arg {
            param: Param::by_value::<u64>(),
            buffer: None,
            value: Source::GridBarrier,
            words: [0; 3],
            name: "",
            borrow: PhantomData,
        }
    }

    fn memory(param: Param, buffer: &'a Buffer, words: [u64; 3]) -> Arg<'a> {
        let n = match param.kind {
            ParamKind::Slice2DMut => 3,
            _ => 2,
        };
        Arg {
            param,
            buffer: Some(buffer),
            value: Source::Words(n),
            words,
            name: "",
            borrow: PhantomData,
        }
    }

    /// A slice as its address alone.
    pub(crate) fn pointer(self) -> Arg<'a> {
        Arg {
            param: Param::by_value::<u64>(),
            value: Source::Words(1),
            ..self
        }
    }

    /// The same under the name that the parameter has in the source; findings of the emulator's checks say it.
    #[must_use]
    pub fn named(self, name: &'static str) -> Arg<'a> {
        Arg { name, ..self }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The first element of a slice, and its bytes.
    pub(crate) fn slice(&self) -> Option<(*const u8, usize)> {
        let elements = match self.param.kind {
            ParamKind::ByValue => return None,
            ParamKind::Slice | ParamKind::SliceMut => self.words[1],
            ParamKind::Slice2DMut => self.words[1].checked_mul(self.words[2])?,
        };
        let bytes = usize::try_from(elements.checked_mul(self.param.size)?).ok()?;
        let start = usize::try_from(self.words[0]).ok()?;
        Some((std::ptr::without_provenance(start), bytes))
    }

    /// Where a value with bytes lies, in the memory of the host.
    pub(crate) fn place(&self) -> Option<*const u8> {
        match self.value {
            Source::Here(at) if self.param.kind == ParamKind::ByValue => {
                (self.param.size > 0).then_some(at)
            }
            _ => None,
        }
    }

    pub(crate) fn param(&self) -> Param {
        self.param
    }

    pub(crate) fn buffer(&self) -> Option<&'a Buffer> {
        self.buffer
    }

    /// Gives `to` where the parameters' values lie, one address per parameter of the device function. A value without bytes has none.
    /// `grid_barrier` is the address of the stream's word for that purpose.
    #[inline]
    pub(crate) fn addresses(&self, grid_barrier: &u64, mut to: impl FnMut(*mut c_void)) {
        let words = match self.value {
            Source::Words(n) => n,
            Source::Here(value) => {
                if self.param.size > 0 {
                    to(value.cast_mut().cast());
                }
                0
            }
            Source::GridBarrier => {
                to(std::ptr::from_ref(grid_barrier).cast_mut().cast());
                0
            }
        };
        for word in self.words.iter().take(words) {
            to(std::ptr::from_ref(word).cast_mut().cast());
        }
    }
}

/// An argument that borrows nothing: its memory stays as long as this, and a value has a place of its own.
#[derive(Debug)]
pub(crate) struct RecordedArg {
    param: Param,
    buffer: Option<Buffer>,
    value: Option<RecordedValue>,
    words: [u64; 3],
    name: &'static str,
    is_grid_barrier: bool,
    /// How many of them are parameters.
    n_words: usize,
}

/// The bytes of a value, aligned as it wants.
#[derive(Debug)]
struct RecordedValue {
    bytes: Box<[u8]>,
    at: usize,
}

impl RecordedArg {
    /// # Safety
    /// A value's bytes can be read: `arg` still borrows what it was made of.
    pub(crate) unsafe fn new(arg: &Arg<'_>) -> RecordedArg {
        let value = arg.place().map(|from| {
            let (size, align) = (arg.param.size as usize, arg.param.align as usize);
            let mut bytes = vec![0u8; size + align].into_boxed_slice();
            let at = bytes.as_ptr().align_offset(align.max(1));
            let to = bytes[at..at + size].as_mut_ptr();
            // SAFETY: the caller promises `size` bytes, and as many are in the new slice.
            unsafe { to.copy_from_nonoverlapping(from, size) };
            RecordedValue { bytes, at }
        });
        RecordedArg {
            param: arg.param,
            buffer: arg.buffer.cloned(),
            value,
            words: arg.words,
            name: arg.name,
            is_grid_barrier: matches!(arg.value, Source::GridBarrier),
            n_words: match arg.value {
                Source::Words(n) => n,
                _ => 0,
            },
        }
    }

    /// The argument as `submit` takes it.
    pub(crate) fn get(&self) -> Arg<'_> {
        let value = match &self.value {
            _ if self.is_grid_barrier => Source::GridBarrier,
            _ if self.n_words > 0 => Source::Words(self.n_words),
            Some(value) => Source::Here(value.bytes[value.at..].as_ptr()),
            // A value without bytes.
            None => Source::Here(std::ptr::null()),
        };
        Arg {
            param: self.param,
            buffer: self.buffer.as_ref(),
            value,
            words: self.words,
            name: self.name,
            borrow: PhantomData,
        }
    }

    pub(crate) fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_ref()
    }
}
