//! The functions of `f32` by their C names, with the accuracy of CUDA's: the same code on the device and on the emulator.
//!
//! *At most n ulp* says how many floats may lie between a result and the correctly rounded one. What uses an approximation of the
//! hardware (`exp`, `tan`, …) may differ by as much between emulator and GPU; all else is bit for bit the same.

mod error; // the error function and its inverse
mod exact; // parts of a float, integers near it
mod exponential; // powers of constants
mod gamma; // and its logarithm
mod hyperbolic; // and their inverses
mod inverse; // angles
mod logarithm; // of all bases
mod power; // with any base
mod remainder; // long division
mod root; // square, cube, length
mod trig; // sine, cosine, tangent

pub use error::*;
pub use exact::*;
pub use exponential::*;
pub use gamma::*;
pub use hyperbolic::*;
pub use inverse::*;
pub use logarithm::*;
pub use power::*;
pub use remainder::*;
pub use root::*;
pub use trig::*;
