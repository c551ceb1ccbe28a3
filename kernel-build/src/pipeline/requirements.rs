//! What the instructions that a kernel reaches ask of the architecture: a kernel that uses clusters is compiled for sm_90, whatever the
//! build asked for, and one that does so behind `if arch() >= 90` is not.

use crate::llvm::Module;
use crate::lower::{asm, atomics};
use crate::reach;

/// The least architecture and PTX version for the kernels of `names` together, after optimisation.
pub(super) fn of(module: &Module<'_>, names: &[&str]) -> (u32, u32) {
    let mut least = (0, 0);
    let mut raise = |(sm, ptx): (u32, u32)| least = (least.0.max(sm), least.1.max(ptx));
    reach::visit(module, names, |value| {
        if let Some(text) = value.as_call().and_then(|c| c.callee().asm_text()) {
            raise(asm::needs(&text));
        }
        raise(atomics::needs(value, module.context()));
    });
    least
}
