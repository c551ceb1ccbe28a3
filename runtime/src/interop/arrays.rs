//! Arrays of ndarray to the device and back. With the feature `ndarray`.

use ndarray::{Array, ArrayBase, Data, Dimension, IntoDimension};
use warploom_device_std::Plain;

use crate::device::Device;
use crate::interop::error::InteropError;
use crate::memory::DeviceBuffer;
use crate::stream::Stream;
use crate::view::{DeviceSlice, DeviceSliceMut};

impl Device {
    /// Makes a buffer with the elements of an array or view, in row-major order; see [`upload`](Device::upload). With the feature
    /// `ndarray`.
    ///
    /// # Errors
    /// [`InteropError::NotContiguous`] for a view with gaps or in another order; [`InteropError::Memory`] as [`upload`](Device::upload).
    ///
    /// ```
    /// use ndarray::array;
    /// # let device = warploom_runtime::Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload_array(&array![[1.0f32, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(x.to_array((2, 2), &stream)?, array![[1.0, 2.0], [3.0, 4.0]]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn upload_array<S, D>(
        &self,
        array: &ArrayBase<S, D>,
    ) -> Result<DeviceBuffer<S::Elem>, InteropError>
    where
        S: Data<Elem: Plain>,
        D: Dimension,
    {
        Ok(self.upload(elements(array)?)?)
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// Copies all elements to the host, as an array of this shape, row-major; see [`to_vec`](DeviceBuffer::to_vec). With the feature
    /// `ndarray`.
    ///
    /// # Errors
    /// [`InteropError::WrongShape`] if the product of the extents is not the length; [`InteropError::Memory`] as
    /// [`to_vec`](DeviceBuffer::to_vec).
    #[track_caller]
    pub fn to_array<Sh: IntoDimension>(
        &self,
        shape: Sh,
        stream: &Stream,
    ) -> Result<Array<T, Sh::Dim>, InteropError> {
        self.as_slice().to_array(shape, stream)
    }

    /// Copies the elements of an array or view from element `at` on; see [`copy_from`](DeviceBuffer::copy_from). With the feature
    /// `ndarray`.
    ///
    /// # Errors
    /// [`InteropError::NotContiguous`]; [`InteropError::Memory`] as [`copy_from`](DeviceBuffer::copy_from).
    pub fn copy_from_array<S, D>(
        &mut self,
        at: usize,
        array: &ArrayBase<S, D>,
        stream: &Stream,
    ) -> Result<(), InteropError>
    where
        S: Data<Elem = T>,
        D: Dimension,
    {
        self.as_slice_mut().copy_from_array(at, array, stream)
    }
}

impl<T: Plain> DeviceSlice<'_, T> {
    /// Copies all elements to the host, as an array; see [`DeviceBuffer::to_array`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_array`].
    #[track_caller]
    pub fn to_array<Sh: IntoDimension>(
        &self,
        shape: Sh,
        stream: &Stream,
    ) -> Result<Array<T, Sh::Dim>, InteropError> {
        let shape = shape.into_dimension();
        let wrong = || InteropError::WrongShape {
            shape: shape.slice().into(),
            len: self.len(),
        };
        let product = shape
            .slice()
            .iter()
            .try_fold(1usize, |n, e| n.checked_mul(*e));
        if product != Some(self.len()) {
            return Err(wrong());
        }
        let elements = self.to_vec(stream)?;
        Array::from_shape_vec(shape.clone(), elements).map_err(|_| wrong())
    }
}

impl<T: Plain> DeviceSliceMut<'_, T> {
    /// Copies the elements of an array or view from element `at` on; see [`DeviceBuffer::copy_from_array`].
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from_array`].
    pub fn copy_from_array<S, D>(
        &mut self,
        at: usize,
        array: &ArrayBase<S, D>,
        stream: &Stream,
    ) -> Result<(), InteropError>
    where
        S: Data<Elem = T>,
        D: Dimension,
    {
        Ok(self.copy_from(at, elements(array)?, stream)?)
    }
}

/// The elements where they lie, in row-major order.
fn elements<S: Data, D: Dimension>(array: &ArrayBase<S, D>) -> Result<&[S::Elem], InteropError> {
    array.as_slice().ok_or_else(|| InteropError::NotContiguous {
        shape: array
            .shape()
            .iter()
            .map(|n| i64::try_from(*n).unwrap_or(i64::MAX))
            .collect(),
        strides: array.strides().iter().map(|n| *n as i64).collect(),
    })
}
