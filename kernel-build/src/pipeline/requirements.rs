//! What the instructions that a kernel reaches ask of the architecture: a kernel that uses clusters is compiled for sm_90, whatever the
//! build asked for, and one that does so behind `if arch() >= 90` is not.

use crate::llvm::Module;
use crate::lower::{asm, atomics};
use crate::reach;

/// What kernels ask of the architecture and of PTX.
pub(super) struct Requirements {
    pub(super) sm: u32,
    pub(super) ptx: u32,
    /// The architecture from which on one of their instructions is gone.
    pub(super) gone_from: Option<u32>,
    /// The architectures that alone have some of their instructions, as `sm_90a` has `wgmma`.
    pub(super) exact: Vec<u32>,
}

/// The least architecture and PTX version for the kernels of `names` together, after optimisation.
pub(super) fn of(module: &Module<'_>, names: &[&str]) -> Requirements {
    let mut least = (0, 0);
    let mut gone_from: Option<u32> = None;
    let mut exact = Vec::new();
    let mut raise = |(sm, ptx): (u32, u32)| least = (least.0.max(sm), least.1.max(ptx));
    reach::visit(module, names, |value| {
        if let Some(text) = value.as_call().and_then(|c| c.callee().asm_text()) {
            raise(asm::needs(&text));
            let gone = asm::gone_from(&text);
            gone_from = gone_from.into_iter().chain(gone).min();
            exact.extend(asm::exact(&text).filter(|one| !exact.contains(one)));
        }
        raise(atomics::needs(value, module.context()));
    });
    let (sm, ptx) = least;
    Requirements {
        sm,
        ptx,
        gone_from,
        exact,
    }
}
