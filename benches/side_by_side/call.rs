//! The launches of twins: function, shape and arguments.

use warploom::{DeviceBuffer, Dim3};

use super::driver::{Argument, Shape};

/// One launch of a twin.
pub(crate) struct Call {
    pub(crate) function: &'static str,
    pub(crate) shape: Shape,
    pub(crate) arguments: Vec<Argument>,
}

impl Call {
    /// A launch of `function` in the twin's file.
    ///
    /// # Safety
    /// `arguments` are what the function takes, in its order; it accesses no memory beyond theirs, which stays valid until
    /// the last run of the call.
    pub(crate) unsafe fn new(
        function: &'static str,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        arguments: Vec<Argument>,
    ) -> Self {
        Self {
            function,
            shape: Shape::new(grid, block),
            arguments,
        }
    }
}

/// The arguments of a twin: buffers by reference, numbers by value.
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => {
        vec![$($crate::driver::Argument::from($argument)),*]
    };
}
pub(crate) use arguments;

impl<T> From<&DeviceBuffer<T>> for Argument {
    fn from(buffer: &DeviceBuffer<T>) -> Self {
        Self::Pointer(buffer.raw_ptr())
    }
}

macro_rules! numbers {
    ($($argument:ty: $variant:ident)*) => {
        $(impl From<$argument> for Argument {
            fn from(value: $argument) -> Self {
                Self::$variant(value)
            }
        })*
    };
}
numbers!(f32: Float f64: Double u32: Unsigned i32: Signed u64: Length);
