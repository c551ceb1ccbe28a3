//! The rules that a kernel must keep, one function each, with the reason above it.
//!
//! A rule says at the user's token what to write instead. What rustc says well by itself (an unknown type, a body that
//! does not type-check, a parameter type that is no `KernelArg`) is left to rustc. Each rule has a unit test here and a
//! case of the same name under `tests/ui/`.

mod attributes;
mod launch;
mod parameters;
mod requires;
mod signature;
#[cfg(test)]
#[rustfmt::skip] // carets stand under the tokens they mean
mod tests;

pub(crate) use requires::INTEGER_METHODS;

use crate::errors::Errors;
use crate::kernel::Kernel;

/// Every rule, in the order of the source.
pub(crate) fn all(errors: &mut Errors, kernel: &Kernel) {
    attributes::all(errors, kernel);
    launch::all(errors, kernel);
    requires::all(errors, kernel);
    signature::all(errors, kernel);
    parameters::all(errors, kernel);
}
