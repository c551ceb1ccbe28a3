//! What memory is, as the runtime says when it makes memory known.

/// What memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A buffer in global memory.
    Global,
    /// A static in global memory.
    Static,
    /// A static in constant memory, or a constant of the program: kernels only read it.
    Constant,
    /// A kernel's parameters: kernels only read them.
    Parameter,
    /// A piece of the device's heap.
    Heap,
    /// The library's own memory, which is not checked.
    Internal,
}

/// Whether an allocation's bytes have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Birth {
    /// All of them.
    Initialised,
    /// None.
    Uninitialised,
}
