//! What the body of a comparison may return.

use warploom_device_std::Plain;

use super::values::{Element, Part};
use crate::error::Result;
use crate::memory::DeviceBuffer;

/// One list of equal elements, as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Numbers of one element.
    pub(super) width: usize,
    pub(super) parts: Vec<Part>,
}

impl List {
    /// The elements of a slice.
    ///
    /// ```
    /// use warploom_runtime::testing::List;
    /// assert_eq!(List::of(&[1u8, 2]), List::of(&[1u32, 2]));
    /// ```
    #[must_use]
    pub fn of<T: Element>(elements: &[T]) -> List {
        let mut parts = Vec::with_capacity(elements.len() * T::PARTS);
        elements.iter().for_each(|e| e.put_parts(&mut parts));
        List {
            width: T::PARTS.max(1),
            parts,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len() / self.width
    }
}

/// What a computation gives: lists of numbers. A `Vec`, a slice in a `Box`, an array, a buffer, and tuples of them.
///
/// ```
/// use warploom_runtime::{Device, testing::Outputs};
/// let buffer = Device::emulator().upload(&[1u32, 2])?;
/// let both = (buffer, vec![0.5f32]);
/// assert_eq!(both.lists()?.len(), 2);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub trait Outputs {
    /// The lists, in order.
    ///
    /// # Errors
    /// When a buffer cannot be read, or a kernel that writes it failed.
    fn lists(&self) -> Result<Vec<List>>;
}

impl<T: Element> Outputs for Vec<T> {
    fn lists(&self) -> Result<Vec<List>> {
        Ok(vec![List::of(self)])
    }
}

impl<T: Element> Outputs for Box<[T]> {
    fn lists(&self) -> Result<Vec<List>> {
        Ok(vec![List::of(self)])
    }
}

impl<T: Element, const N: usize> Outputs for [T; N] {
    fn lists(&self) -> Result<Vec<List>> {
        Ok(vec![List::of(self)])
    }
}

impl<T: Element + Plain> Outputs for DeviceBuffer<T> {
    fn lists(&self) -> Result<Vec<List>> {
        let stream = self.device().stream()?;
        Ok(vec![List::of(&self.to_vec(&stream)?)])
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: Outputs),+> Outputs for ($($name,)+) {
            fn lists(&self) -> Result<Vec<List>> {
                #[expect(non_snake_case, reason = "the name of the type is that of its value")]
                let ($($name,)+) = self;
                let mut lists = Vec::new();
                $(lists.extend($name.lists()?);)+
                Ok(lists)
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
