//! How much static shared memory each kernel has: what it reaches after optimisation, as ptxas counts it.

use super::{PipelineError, Program};
use crate::llvm::Module;
use crate::lower::shared::Array;
use crate::reach::References;
use crate::roots::Root;

/// Static shared memory of a block at most, on every GPU: ptxas and the driver refuse more, whatever a block has in all.
const MOST_BYTES: u64 = 48 * 1024;

/// Every array is aligned to this; those that are aligned to more have sizes that are multiples of their alignment, so they lie without gaps.
const ALIGN: u64 = 16;

impl Program<'_, '_> {
    /// Fails with one message per kernel that has too much.
    pub(super) fn check_shared_bytes(&self, module: &Module<'_>) -> Result<(), PipelineError> {
        let references = References::of(module);
        let kernels = self.roots.iter().zip(&self.names);
        let problems = kernels.filter_map(|(root, name)| {
            let reached = references.reached(module.function(name)).into_iter();
            let names: Vec<String> = reached.map(|symbol| symbol.name()).collect();
            let arrays = self.shared.iter().filter(|a| names.contains(&a.variable));
            let arrays: Vec<&Array> = arrays.collect();
            let bytes = |a: &&Array| a.bytes.next_multiple_of(ALIGN);
            let sum: u64 = arrays.iter().map(bytes).sum();
            (sum > MOST_BYTES).then(|| explain(root, arrays, sum))
        });
        PipelineError::of(problems.collect())
    }
}

/// The message for a kernel.
fn explain(root: &Root<'_>, mut arrays: Vec<&Array>, sum: u64) -> String {
    let Root {
        base, file, line, ..
    } = root;
    arrays.sort_by_key(|a| std::cmp::Reverse(a.bytes));
    let mut text = format!(
        "kernel `{base}` has {sum} bytes of static shared memory, and a block has at most {MOST_BYTES} (48 KiB)\n  kernel `{base}` at {file}:{line}"
    );
    for array in arrays {
        text.push_str(&format!("\n    {}: {} bytes", array.text, array.bytes));
    }
    text.push_str("\n  use smaller ones, or dynamic shared memory, of which a block of most GPUs has more: a parameter `memory: DynamicShared<T>`, and `Launch::dynamic_shared(bytes)` where the kernel is launched");
    text
}
