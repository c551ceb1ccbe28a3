//! Which kernels share an image.
//!
//! A driver compiles an image as a whole when the first of its kernels is launched, in a time that grows faster than the number of
//! kernels (27 that format panics: 60 s by ptxas 13.0, each alone 0.8 s). So each kernel gets an image of its own, unless kernels
//! share memory that lives as long as the module: a static that is written must be one.

use crate::hash::HashMap;
use crate::llvm::{Module, Value};
use crate::reach::References;

const GLOBAL: u32 = 1;
const GENERIC: u32 = 0;
const CONSTANT: u32 = 4;

/// The kernels of `names` in groups, each in the order of `names`.
pub(super) fn groups<'ctx>(
    module: &Module<'ctx>,
    references: &References<'ctx>,
    names: &[String],
) -> Vec<Vec<usize>> {
    let mut owner: HashMap<Value<'_>, usize> = HashMap::default();
    let mut group: Vec<usize> = (0..names.len()).collect();
    for (kernel, name) in names.iter().enumerate() {
        let Some(function) = module.function(name) else {
            continue;
        };
        let reached = references.reached([function]).into_iter();
        for global in reached.filter(|g| is_lasting(*g)) {
            let first = *owner.entry(global).or_insert(kernel);
            let (from, to) = (
                group[kernel].max(group[first]),
                group[kernel].min(group[first]),
            );
            group
                .iter_mut()
                .filter(|g| **g == from)
                .for_each(|g| *g = to);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![vec![]; names.len()];
    for (kernel, group) in group.into_iter().enumerate() {
        groups[group].push(kernel);
    }
    groups.retain(|g| !g.is_empty());
    groups
}

/// Whether a global keeps what is written to it from launch to launch.
fn is_lasting(global: Value<'_>) -> bool {
    use crate::llvm::TypeKind::Pointer;
    if global.as_global().is_none() {
        return false;
    }
    let lasts = match global.ty().kind() {
        Pointer(GENERIC | GLOBAL) => !global.is_constant_global(),
        Pointer(CONSTANT) => true, // the host writes it
        _ => false,
    };
    // The host writes these once per module.
    let ours = ["__warploom_panic_", "__warploom_print_"];
    lasts && !ours.iter().any(|prefix| global.name().starts_with(prefix))
}
