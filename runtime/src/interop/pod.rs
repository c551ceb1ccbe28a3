//! Types of other crates as elements, through bytemuck.

use bytemuck::{Pod as Bits, TransparentWrapper, Zeroable};
use warploom_device_std::Plain;

/// A type that [`bytemuck`] calls plain data, as an element of buffers and slices, on host and device. With the feature `bytemuck`.
///
/// Types of your own that are [`bytemuck::Pod`] need no wrapper: see [`plain_by_pod!`](crate::plain_by_pod).
/// Whole slices are wrapped and peeled by [`TransparentWrapper`].
///
/// ```
/// use bytemuck::TransparentWrapper;
/// use warploom_runtime::interop::Pod;
/// # use warploom_runtime::Device;
/// # use bytemuck::Zeroable;
/// # #[derive(Clone, Copy, Debug, PartialEq)]
/// # #[repr(C)]
/// # struct Complex { re: f32, im: f32 }
/// # unsafe impl Zeroable for Complex {}
/// # unsafe impl bytemuck::Pod for Complex {}
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// // `Complex` is of another crate.
/// let z = [Complex { re: 1.0, im: 2.0 }, Complex { re: 3.0, im: 4.0 }];
/// let x = device.upload(Pod::wrap_slice(&z))?; // kernels take `&[Pod<Complex>]`
/// assert_eq!(Pod::peel_slice(&x.to_vec(&stream)?), z);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// What holds padding or pointers is not plain data:
/// ```compile_fail,E0277
/// # use warploom_runtime::{Device, interop::Pod};
/// # let device = Device::emulator();
/// device.upload(&[Pod((1u8, 2u32))]).unwrap();
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Pod<T>(pub T);

// SAFETY: one field, `repr(transparent)`.
unsafe impl<T> TransparentWrapper<T> for Pod<T> {}
// SAFETY: as the only field.
unsafe impl<T: Zeroable> Zeroable for Pod<T> {}
// SAFETY: as the only field.
unsafe impl<T: Bits> Bits for Pod<T> {}
// SAFETY: bytemuck asks the same of its types: any bits are a value, no padding, no pointers, `repr(C)` or `repr(transparent)`.
unsafe impl<T: Bits + Send + Sync> Plain for Pod<T> {}

/// Makes types of your own that are [`bytemuck::Pod`] elements of buffers and slices. With the feature `bytemuck`.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
///
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Vertex {
///     place: [f32; 3],
///     colour: u32,
/// }
/// // SAFETY: numbers without padding.
/// unsafe impl Zeroable for Vertex {}
/// unsafe impl Pod for Vertex {}
/// warploom_runtime::plain_by_pod!(Vertex);
///
/// # let device = warploom_runtime::Device::emulator();
/// let vertices = device.zeroed::<Vertex>(100)?;
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
/// Others are refused:
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Padded(u8, u32);
/// warploom_runtime::plain_by_pod!(Padded);
/// ```
#[macro_export]
macro_rules! plain_by_pod {
    ($($ty:ty),+ $(,)?) => { $(
        // SAFETY: bytemuck asks the same of its types, and the bound below says that this is one of them.
        unsafe impl $crate::interop::Plain for $ty
        where
            $ty: $crate::interop::BytemuckPod,
        {
        }
        const _: fn() = || {
            fn is_pod<T: $crate::interop::BytemuckPod>() {}
            is_pod::<$ty>();
        };
    )+ };
}
