//! Elements that are loaded on a condition, with a check of their index behind it.

use super::{Definition, Function, Kernel, Terminator};

/// Generates a function with several of them, one behind the other.
pub(in super::super) fn with_conditional_loads(seed: u64) -> Function {
    let mut kernel = Kernel::new(seed, 30);
    kernel.budget = 0;
    for _ in 0..2 + kernel.generator.random.below(6) {
        kernel.conditional_load();
        match kernel.generator.random.below(8) {
            0 => kernel.store(),
            1 => kernel.checked_load(),
            2 => _ = kernel.generator.step(),
            _ => {}
        }
    }
    let results = kernel.generator.results();
    kernel.generator.end(Terminator::Ret(results));
    kernel.generator.function
}

impl Kernel {
    /// `if condition { a[index] } else { … }`.
    fn conditional_load(&mut self) {
        let condition = self.condition();
        let array = self.generator.random.below(2);
        let bits = self.generator.function.elements[array];
        let other = self.generator.any_value(bits);
        let scope = self.generator.scope.clone();
        let here = self.generator.here();
        let arm = self.generator.begin();
        let index = self.index();
        let g = &mut self.generator;
        let fits = g.compare("ult", index, self.lengths[array]);
        let check = g.here();
        let panics = g.begin();
        g.end(Terminator::Panic(index));
        let load = g.begin();
        let element = g.define(bits, Definition::Load(array, vec![index]));
        g.scope = scope;
        let join = g.begin();
        let other_first = g.random.chance(50);
        let mut incoming = vec![(load, element), (here, other)];
        if other_first {
            incoming.reverse();
        }
        g.define(bits, Definition::Phi(incoming));
        let mut set = |block: usize, end| g.function.blocks[block].end = end;
        set(load, Terminator::Br(join));
        set(check, Terminator::CondBr(fits, load, panics));
        set(here, Terminator::CondBr(condition, arm, join));
    }
}
