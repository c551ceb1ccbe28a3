//! The smaller and the larger of two numbers of 8 or 16 bits, and their distance, in 32 bits.
//!
//! For `min` and `max` of 16 bits ptxas 13.0 packs halves of registers (`PRMT`, `VIMNMX.U16x2`), and spills: the maximum of 25 bytes takes 31 registers and 28
//! bytes of stack for sm_90; in 32 bits 29 registers and none. A load extends what it reads at no cost, and what is extended once stays so from one
//! of these operations to the next. Must run last: LLVM makes them narrow again.

mod differences; // distances of narrow numbers

use super::defined;
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Builder, Module, Op, TypeKind, Value};

/// Does those operations of narrow numbers in 32 bits.
pub(crate) fn widen(module: &mut Module<'_>) {
    for function in defined(module) {
        let mut wide = Wide::default();
        for operation in function.instructions() {
            if let Some((name, is_signed)) = narrow_operation(operation) {
                wide.replace(module, operation, name, is_signed);
            }
        }
        wide.phis(module);
        differences::widen(module, function);
    }
}

/// The intrinsic, without its type, and whether it is one of signed numbers.
fn narrow_operation(value: Value<'_>) -> Option<(&'static str, bool)> {
    let callee = value.as_call()?.callee().as_function()?.name();
    let (name, bits) = callee.rsplit_once('.')?;
    if !matches!(bits, "i8" | "i16") {
        return None;
    }
    match name {
        "llvm.umin" => Some(("llvm.umin", false)),
        "llvm.umax" => Some(("llvm.umax", false)),
        "llvm.smin" => Some(("llvm.smin", true)),
        "llvm.smax" => Some(("llvm.smax", true)),
        _ => None,
    }
}

/// The 32-bit forms of narrow values, by value and signedness.
#[derive(Default)]
struct Wide<'ctx> {
    results: HashMap<(Value<'ctx>, bool), Value<'ctx>>,
    /// Extensions of phis.
    phis: Vec<(Value<'ctx>, bool, Value<'ctx>)>,
}

impl<'ctx> Wide<'ctx> {
    fn replace(
        &mut self,
        module: &mut Module<'ctx>,
        operation: Value<'ctx>,
        name: &str,
        is_signed: bool,
    ) {
        let ty = module.i32_type();
        let Some(callee) = module.intrinsic_of(name, ty) else {
            return;
        };
        let args = operation.args();
        let args: Vec<Value<'ctx>> = args
            .into_iter()
            .map(|a| self.extended(operation, a, is_signed))
            .collect();
        let wide = module.call_before(operation, callee, &args);
        let narrow = Builder::before(operation).truncated(wide, operation.ty());
        operation.replace_all_uses_with(narrow);
        // SAFETY: all its uses were replaced.
        unsafe { operation.erase_instruction() };
        self.results.insert((narrow, is_signed), wide);
    }

    /// A number in 32 bits, in front of an operation.
    fn extended(
        &mut self,
        operation: Value<'ctx>,
        narrow: Value<'ctx>,
        is_signed: bool,
    ) -> Value<'ctx> {
        if let Some(wide) = self.results.get(&(narrow, is_signed)) {
            return *wide;
        }
        let extended = extension(&Builder::before(operation), narrow, is_signed);
        if narrow.block().is_some() && narrow.op() == Op::Phi {
            self.phis.push((narrow, is_signed, extended));
        }
        extended
    }

    /// A phi of results, as loops have, becomes one of 32 bits.
    fn phis(&self, module: &Module<'ctx>) {
        let mut done: HashMap<(Value<'ctx>, bool), Value<'ctx>> = HashMap::default();
        for (narrow, is_signed, extended) in &self.phis {
            let key = (*narrow, *is_signed);
            let phi = match done.get(&key) {
                Some(phi) => Some(*phi),
                None => self.wide_phi(module, *narrow, *is_signed),
            };
            let Some(phi) = phi else { continue };
            extended.replace_all_uses_with(phi);
            // SAFETY: all its uses were replaced.
            unsafe { extended.erase_instruction() };
            done.insert(key, phi);
        }
        let narrow: HashSet<Value<'ctx>> = done.into_keys().map(|(narrow, _)| narrow).collect();
        for phi in narrow.into_iter().filter(|phi| !phi.is_used()) {
            // SAFETY: it has no uses.
            unsafe { phi.erase_instruction() };
        }
    }

    fn wide_phi(
        &self,
        module: &Module<'ctx>,
        narrow: Value<'ctx>,
        is_signed: bool,
    ) -> Option<Value<'ctx>> {
        let incoming = narrow.incoming();
        let result = |value: Value<'ctx>| self.results.get(&(value, is_signed)).copied();
        incoming.iter().find_map(|(value, _)| result(*value))?;
        let phi = Builder::before(narrow).phi(module.i32_type());
        for (value, from) in incoming {
            let wide = result(value).or_else(|| (value == narrow).then_some(phi));
            let end = Builder::before(from.terminator());
            let wide = wide.unwrap_or_else(|| extension(&end, value, is_signed));
            phi.add_incoming(wide, from);
        }
        Some(phi)
    }
}

fn extension<'ctx>(here: &Builder<'ctx>, narrow: Value<'ctx>, is_signed: bool) -> Value<'ctx> {
    debug_assert!(matches!(narrow.ty().kind(), TypeKind::Integer(8 | 16)));
    if is_signed {
        here.sign_extended(narrow)
    } else {
        here.extended(narrow, 32)
    }
}
