//! What kernels do with an object of OpenGL while it is mapped.

/// Kernels read and write it. CUDA: `CU_GRAPHICS_REGISTER_FLAGS_NONE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadWrite;

/// Kernels read it: the types let them do nothing else. CUDA: `CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOnly;

/// Kernels write all of it, and find no particular contents when it is mapped. CUDA: `CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteDiscard;

/// [`ReadWrite`], [`ReadOnly`] or [`WriteDiscard`].
pub trait Access: Copy + sealed::Access {}

/// [`ReadWrite`] or [`WriteDiscard`].
pub trait Writable: Access {}

impl Access for ReadWrite {}
impl Access for ReadOnly {}
impl Access for WriteDiscard {}
impl Writable for ReadWrite {}
impl Writable for WriteDiscard {}

mod sealed {
    use super::{ReadOnly, ReadWrite, WriteDiscard};

    pub trait Access {
        /// Whether kernels find what OpenGL left.
        const READS: bool;
        /// Whether OpenGL finds what kernels left.
        const WRITES: bool;
    }

    impl Access for ReadWrite {
        const READS: bool = true;
        const WRITES: bool = true;
    }

    impl Access for ReadOnly {
        const READS: bool = true;
        const WRITES: bool = false;
    }

    impl Access for WriteDiscard {
        const READS: bool = false;
        const WRITES: bool = true;
    }
}
