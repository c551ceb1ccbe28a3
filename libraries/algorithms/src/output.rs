//! What algorithms write.

use warploom::device_std::Plain;
use warploom::{DeviceBuffer, DeviceSliceMut};

/// What an algorithm can write to: `&mut DeviceBuffer<T>`, [`DeviceSliceMut`] or `&mut` one.
pub trait IntoOutput<T: Plain> {
    /// The elements.
    fn output<'a>(self) -> DeviceSliceMut<'a, T>
    where
        Self: 'a;
}

impl<T: Plain> IntoOutput<T> for &mut DeviceBuffer<T> {
    fn output<'a>(self) -> DeviceSliceMut<'a, T>
    where
        Self: 'a,
    {
        self.as_slice_mut()
    }
}

impl<T: Plain> IntoOutput<T> for DeviceSliceMut<'_, T> {
    fn output<'a>(self) -> DeviceSliceMut<'a, T>
    where
        Self: 'a,
    {
        self
    }
}

impl<T: Plain> IntoOutput<T> for &mut DeviceSliceMut<'_, T> {
    fn output<'a>(self) -> DeviceSliceMut<'a, T>
    where
        Self: 'a,
    {
        self.reborrow()
    }
}
