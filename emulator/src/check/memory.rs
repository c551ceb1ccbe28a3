//! Which addresses there are: allocations of global memory, their bytes, and where they come from.

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

/// Makes memory known to the checks: `bytes` bytes from `start` on, of elements of `element` bytes (1 if that is not known) with
/// alignment `align`. `label` is what reports call it (`x`, `DeviceBuffer<f32>`); it may be empty.
pub fn allocate(
    start: *const u8,
    bytes: usize,
    element: usize,
    align: usize,
    kind: Kind,
    birth: Birth,
    label: &str,
) {
    let _ = (start, bytes, element, align, kind, birth, label);
}

/// The memory that starts there is freed: an access to it is an error from now on, until the address is allocated again.
pub fn free(start: *const u8) {
    let _ = start;
}

/// The host wrote these bytes.
pub fn initialise(start: *const u8, bytes: usize) {
    let _ = (start, bytes);
}

/// What reports call the memory from `start` on, during the next run on this OS thread: the name of the kernel's parameter.
pub fn name(start: *const u8, label: &str) {
    let _ = (start, label);
}
