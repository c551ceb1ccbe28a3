//! What algorithms write.

use warploom::device_std::Plain;
use warploom::{DeviceBuffer, DeviceSliceMut};

/// What an algorithm can write to: `&mut DeviceBuffer<T>`, [`DeviceSliceMut`] or `&mut` one.
pub trait IntoOutput<'a, T: Plain> {
    /// The elements.
    fn output(self) -> DeviceSliceMut<'a, T>;
}

impl<'a, T: Plain> IntoOutput<'a, T> for &'a mut DeviceBuffer<T> {
    fn output(self) -> DeviceSliceMut<'a, T> {
        self.as_slice_mut()
    }
}

impl<'a, T: Plain> IntoOutput<'a, T> for DeviceSliceMut<'a, T> {
    fn output(self) -> DeviceSliceMut<'a, T> {
        self
    }
}

impl<'a, T: Plain> IntoOutput<'a, T> for &'a mut DeviceSliceMut<'_, T> {
    fn output(self) -> DeviceSliceMut<'a, T> {
        self.reborrow()
    }
}
