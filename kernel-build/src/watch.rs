//! Who watches the pipeline: a crash of LLVM ends the process, and what was noted before it says where it was.

use crate::jobs::Slot;
use crate::llvm::Module;
use crate::roots::Root;

/// Is told how far the pipeline has come.
pub(crate) trait Watch {
    /// LLVM is about to work on a module.
    fn enters(&self, step: &str, module: &Module<'_>);

    /// Takes note of the kernels, and leaves those out that are not to be compiled this time.
    fn choose(&self, kernels: &mut Vec<Root<'_>>);

    /// What a copy of this process needs that takes over some of the work; `None` if there is to be none.
    fn slot(&self) -> Option<Slot> {
        None
    }
}

/// Where a crash may end the process: in the self-test and in tests.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    fn enters(&self, _: &str, _: &Module<'_>) {}
    fn choose(&self, _: &mut Vec<Root<'_>>) {}
}
