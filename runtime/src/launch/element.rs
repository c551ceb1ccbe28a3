//! Whether a kernel only reads the elements of a slice, as a launch asks it of any type.

use std::marker::PhantomData;

use warploom_device_std::SliceElement;

/// A type of elements. Of `&ElementOf::<T>::NEW`, `is_only_read()` finds the method of [`OnlyRead`] if `T` is a [`SliceElement`], else that of [`MayBeWritten`].
#[derive(Debug)]
pub struct ElementOf<T>(PhantomData<T>);

impl<T> ElementOf<T> {
    /// The type.
    pub const NEW: ElementOf<T> = ElementOf(PhantomData);
}

/// Elements that a kernel may read through `&[T]`.
pub trait OnlyRead {
    /// Whether nothing changes behind a shared reference.
    fn is_only_read(&self) -> bool;
}

impl<T: SliceElement> OnlyRead for ElementOf<T> {
    fn is_only_read(&self) -> bool {
        T::READ_ONLY
    }
}

/// Any other type.
pub trait MayBeWritten {
    /// Not known.
    fn is_only_read(&self) -> bool;
}

impl<T> MayBeWritten for &ElementOf<T> {
    fn is_only_read(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::{ElementOf, MayBeWritten as _, OnlyRead as _};

    #[test]
    fn elements_say_whether_they_are_only_read() {
        let (floats, atomics) = (&ElementOf::<[f32; 4]>::NEW, &ElementOf::<AtomicU32>::NEW);
        assert!(floats.is_only_read());
        assert!(!atomics.is_only_read());
        let others = &ElementOf::<String>::NEW;
        assert!(!others.is_only_read());
    }
}
