//! 16-bit floating point: [`F16`] (IEEE half precision) and [`Bf16`] (the upper half of an `f32`), alone and in pairs.
//!
//! `+ - * / mul_add sqrt` and conversions round once, to nearest; subnormal numbers are kept. A result that is no number has the bits
//! `0x7fff`, as on a GPU. Host, emulator and device give the same bits. The pairs [`F16x2`] and [`Bf16x2`] do two operations with one
//! instruction.
//!
//! | | significand | exponents | largest | on the device |
//! |---|---|---|---|---|
//! | `F16` | 11 bits | −14 ..= 15 | 65504 | `add.rn.f16`, `fma.rn.f16x2` … from 5.3 |
//! | `Bf16` | 8 bits | −126 ..= 127 | 3.39e38 | `fma.rn.bf16`, `fma.rn.bf16x2` from 8.0, in `f32` and `f64` before |
//!
//! ```
//! use warploom_device_std::half::{Bf16, F16, F16x2};
//! let third = F16::ONE / F16::from_f32(3.0);
//! assert_eq!(third.to_bits(), 0x3555);
//! assert_eq!(Bf16::from_f32(1.0 / 3.0).to_string(), "0.33398438");
//! let pair = F16x2::new(F16::ONE, third);
//! assert_eq!((pair + pair).high(), third * F16::from_f32(2.0));
//! ```

mod bf16; // bits of `Bf16`
mod bits; // minimum, maximum, pairs: of either format
mod f16; // bits of `F16`
mod pair; // `F16x2`, `Bf16x2`
mod scalar; // `F16`, `Bf16`

pub use pair::{Bf16x2, F16x2};
pub use scalar::{Bf16, F16};
