//! Compiles kernels to PTX from build.rs.
/// Compiles.
pub fn compile() {}
