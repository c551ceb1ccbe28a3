//! Maps of tensors: what kernels need to copy boxes of them.

mod builder; // dimensions, boxes and the rules about them
mod error; // what is said of those that are refused

use std::fmt;
use std::marker::PhantomData;

use warploom_device_std::tma::{RawTensorMap, TensorElement};

use crate::buffer::Buffer;
use crate::launch::arguments::Arg;
use crate::view::{DeviceSlice, DeviceSliceMut};

pub use builder::{L2Promotion, TensorMapBuilder, TensorMapMutBuilder};
pub use error::TensorMapError;
pub use warploom_emulator::tensor::{Fill, Swizzle};

/// A tensor of `R` dimensions, 1 to 5, in memory of a device, and the box of it that one copy moves: for kernels that read it as a
/// [`TensorSource`](warploom_device_std::TensorSource).
///
/// It borrows the memory, as a [`DeviceSlice`] does. CUDA: `CUtensorMap`. Kernels that use it need compute capability 9.0.
///
/// ```
/// use warploom_runtime::tensor::Swizzle;
/// use warploom_runtime::{Device, TensorMap};
/// let device = Device::emulator();
/// let matrix = device.zeroed::<f32>(1000 * 64)?; // 1000 rows of 64 columns
/// let map = TensorMap::builder(matrix.as_slice(), [64, 1000])
///     .block([32, 128])
///     .swizzle(Swizzle::B128)
///     .build()?;
/// assert_eq!(map.box_bytes(), 128 * 32 * 4);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// The memory stays borrowed as long as the map is there:
/// ```compile_fail,E0505
/// # use warploom_runtime::{Device, TensorMap};
/// let device = Device::emulator();
/// let x = device.zeroed::<f32>(64)?;
/// let map = TensorMap::builder(x.as_slice(), [64]).block([64]).build()?;
/// drop(x);
/// map.box_bytes();
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct TensorMap<'a, T, const R: usize> {
    bytes: MapBytes<'a>,
    element: PhantomData<&'a [T]>,
}

/// As a [`TensorMap`], for kernels that write the tensor as a [`TensorTarget`](warploom_device_std::TensorTarget). It borrows the memory exclusively.
///
/// GPUs write rows in parts of 16 bytes: if the elements of a row are no multiple of that, what lies between the end of the row and the end of its last part is written as well, with what the box
/// has there. The memory has to reach so far.
pub struct TensorMapMut<'a, T, const R: usize> {
    bytes: MapBytes<'a>,
    element: PhantomData<&'a mut [T]>,
}

/// What a map is made of, of any element.
struct MapBytes<'a> {
    buffer: &'a Buffer,
    raw: RawTensorMap,
    box_bytes: usize,
    shared_bytes: usize,
}

macro_rules! maps {
    ($($map:ident)*) => {$(
        impl<T, const R: usize> $map<'_, T, R> {
            /// Bytes that a copy of a box brings to shared memory, elements outside of the tensor included: those that a barrier is to expect.
            #[must_use]
            pub fn box_bytes(&self) -> usize {
                self.bytes.box_bytes
            }

            /// Bytes of shared memory that a box takes. More than [`box_bytes`](Self::box_bytes) if its rows are shorter than what the swizzle permutes: each begins a piece.
            #[must_use]
            pub fn shared_bytes(&self) -> usize {
                self.bytes.shared_bytes
            }
        }

        impl<T, const R: usize> fmt::Debug for $map<'_, T, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($map))
                    .field("box_bytes", &self.bytes.box_bytes)
                    .finish_non_exhaustive()
            }
        }
    )*};
}

maps! { TensorMap TensorMapMut }

impl<'a, T: TensorElement, const R: usize> TensorMap<'a, T, R> {
    /// Describes a map of `tensor`, whose dimensions have these extents: the first is the one along which elements lie side by side.
    ///
    /// [`TensorMapBuilder::block`] and [`TensorMapBuilder::build`] follow.
    pub fn builder(tensor: DeviceSlice<'a, T>, extents: [usize; R]) -> TensorMapBuilder<'a, T, R> {
        TensorMapBuilder::new(tensor.span(), extents)
    }
}

impl<'a, T: TensorElement, const R: usize> TensorMapMut<'a, T, R> {
    /// As [`TensorMap::builder`], to write.
    pub fn builder(
        tensor: DeviceSliceMut<'a, T>,
        extents: [usize; R],
    ) -> TensorMapMutBuilder<'a, T, R> {
        TensorMapMutBuilder::new(tensor.span(), extents)
    }
}

/// What `launch` takes for a kernel's `TensorSource<T, R>`: `&TensorMap<T, R>`. Sealed.
///
/// ```compile_fail,E0277
/// # use warploom_runtime::{Device, launch::TensorSourceArg};
/// fn launch<'a>(x: impl TensorSourceArg<'a, f32, 2>) {}
/// launch(&Device::emulator().zeroed::<f32>(8).unwrap()); // no boxes are known of it
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the map of a tensor of these elements and dimensions",
    label = "expected `&TensorMap<{T}, {R}>`",
    note = "make one of the buffer: `TensorMap::builder(x.as_slice(), [columns, rows]).block([64, 64]).build()?`"
)]
pub trait TensorSourceArg<'a, T, const R: usize>: sealed::Source {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundTensorMap<'a>;
}

/// What `launch` takes for a kernel's `TensorTarget<T, R>`: `&mut TensorMapMut<T, R>`. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the map of a writable tensor of these elements and dimensions",
    label = "expected `&mut TensorMapMut<{T}, {R}>`",
    note = "make one of the buffer: `TensorMapMut::builder(y.as_slice_mut(), [columns, rows]).block([64, 64]).build()?`"
)]
pub trait TensorTargetArg<'a, T, const R: usize>: sealed::Target {
    /// Takes the argument apart, for the launch that borrows it.
    #[doc(hidden)]
    fn bind(self) -> BoundTensorMap<'a>;
}

mod sealed {
    pub trait Source {}
    pub trait Target {}
    impl<T, const R: usize> Source for &super::TensorMap<'_, T, R> {}
    impl<T, const R: usize> Target for &mut super::TensorMapMut<'_, T, R> {}
}

impl<'a, T, const R: usize> TensorSourceArg<'a, T, R> for &'a TensorMap<'_, T, R> {
    fn bind(self) -> BoundTensorMap<'a> {
        BoundTensorMap(&self.bytes)
    }
}

impl<'a, T, const R: usize> TensorTargetArg<'a, T, R> for &'a mut TensorMapMut<'_, T, R> {
    fn bind(self) -> BoundTensorMap<'a> {
        BoundTensorMap(&self.bytes)
    }
}

/// A map that a launch borrows for one parameter. Not an argument of a launch, and not `Clone`: it may stand for an output.
pub struct BoundTensorMap<'a>(&'a MapBytes<'a>);

impl fmt::Debug for BoundTensorMap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundTensorMap").finish_non_exhaustive()
    }
}

impl BoundTensorMap<'_> {
    /// The map's bytes, for the threads of a kernel on the CPU.
    #[must_use]
    pub fn raw(&self) -> RawTensorMap {
        self.0.raw
    }

    /// The argument as [`submit`](crate::launch::submit) takes it.
    #[must_use]
    pub fn arg(&self) -> Arg<'_> {
        Arg::value_with_memory(&self.0.raw, self.0.buffer)
    }
}

#[cfg(test)]
mod tests;
