//! A kernel as the host sees it.

pub use warploom_manifest::{Contract, Param, ParamKind};

/// A kernel as the host sees it. Written by the expansion of `kernel`.
#[derive(Debug, Clone, Copy)]
pub struct Kernel<'a> {
    /// `core::any::type_name` of the launch handle: with it the device code is found.
    pub name: &'static str,
    /// The function's name, for messages.
    pub base: &'static str,
    /// Name and version of the package that has the kernel, as `shop 1.0.0`; empty in a description that no macro wrote.
    pub package: &'static str,
    /// What launches must keep to.
    pub contract: Contract,
    /// The parameters that the launch passes, in order.
    pub params: &'a [Param],
    /// Fingerprints of the parameters' types, to be compared with those of the device code; none of a description that no macro wrote, whose
    /// writer answers for the types.
    pub layouts: &'static [u64],
    /// Dimensions of the kernel's index; 0 without one.
    pub index: u8,
    /// Source file of the kernel.
    pub file: &'static str,
    /// Line of the kernel.
    pub line: u32,
}
