//! Relaxed stores that may come before a relaxed load which stands before them: the memory model allows it where the store does not depend on the load (load buffering).
//!
//! ```text
//! a = x.load(relaxed)          early = early(x, y, 1)
//! y.store(1, relaxed)    ─▶    a = x.load(relaxed)
//!                              late(y, 1, early)
//! ```
//! The schedule says whether the emulator makes the store in `early`; it makes it in `late` otherwise. A store qualifies if it is in the load's block, if no instruction between the two has an effect
//! that another thread can observe, and if address and value are known before the load. A dependency is one in the code as compiled: a value that is computed from the load is dependent, even if it is always the same.

use super::group::is_quiet;
use super::local::is_private;
use crate::llvm::{Module, Op, TypeKind, Value};
use crate::lower::symbols::INTRINSIC;

/// The scope of Rust's own atomics, as the table of intrinsics has it.
const SYSTEM: u64 = 3;
/// LLVM's number of the relaxed order.
const RELAXED: i32 = 2;
/// How deep the computation of an address or a value is looked into.
const DEPTH: u32 = 8;

/// A relaxed store.
#[derive(Clone, Copy)]
pub(super) struct Store<'ctx> {
    /// The instruction.
    pub(super) store: Value<'ctx>,
    pub(super) to: Value<'ctx>,
    pub(super) value: Value<'ctx>,
    pub(super) bytes: u64,
    /// 4 × order + scope.
    pub(super) how: u64,
}

/// The address and the length of a relaxed load, the first of these instructions, with the store behind it that may come first. What the store needs is computed before the load from now on.
pub(super) fn pair<'ctx>(
    module: &Module<'ctx>,
    instructions: &[Value<'ctx>],
) -> Option<((Value<'ctx>, u64), Store<'ctx>)> {
    let (first, rest) = instructions.split_first()?;
    let load = relaxed_load(module, *first)?;
    let in_block = rest.iter().take_while(|i| i.block() == first.block());
    let number = in_block.clone().position(|i| !is_quiet(*i))?;
    let store = relaxed_store(module, rest[number])?;
    let later = &instructions[..=number];
    let needed = [store.to, store.value];
    if !needed.iter().all(|one| is_known(*one, later, DEPTH)) {
        return None;
    }
    let mut lifted = vec![];
    for one in needed {
        lift(one, *first, later, &mut lifted);
    }
    Some((load, store))
}

/// The address and the length of a load, if it is one.
fn relaxed_load<'ctx>(module: &Module<'ctx>, load: Value<'ctx>) -> Option<(Value<'ctx>, u64)> {
    let at = match load.op() {
        Op::Load if load.ordering() == RELAXED && !load.is_volatile() => load.operands()[0],
        Op::Call => match intrinsic(load, "atomic.load.")?[..] {
            [at, how] if is_relaxed(how) => at,
            _ => return None,
        },
        _ => return None,
    };
    let bytes = module.store_size(load.ty());
    (bytes <= 8 && !is_private(at)).then_some((at, bytes))
}

fn relaxed_store<'ctx>(module: &Module<'ctx>, store: Value<'ctx>) -> Option<Store<'ctx>> {
    let (to, value, how) = match store.op() {
        Op::Store if store.ordering() == RELAXED && !store.is_volatile() => {
            let operands = store.operands();
            (operands[1], operands[0], SYSTEM)
        }
        Op::Call => match intrinsic(store, "atomic.store.")?[..] {
            [to, value, how] if is_relaxed(how) => (to, value, how.as_integer()?),
            _ => return None,
        },
        _ => return None,
    };
    let bytes = module.store_size(value.ty());
    let is_number = matches!(value.ty().kind(), TypeKind::Integer(8 | 16 | 32 | 64));
    (is_number && bytes <= 8 && !is_private(to)).then_some(Store {
        store,
        to,
        value,
        bytes,
        how,
    })
}

/// The arguments of a call of an intrinsic whose name begins like this.
fn intrinsic<'ctx>(call: Value<'ctx>, name: &str) -> Option<Vec<Value<'ctx>>> {
    let callee = call.callee().as_function()?.name();
    let is_it = callee.strip_prefix(INTRINSIC)?.starts_with(name);
    is_it.then(|| call.args())
}

fn is_relaxed(how: Value<'_>) -> bool {
    how.as_integer().is_some_and(|how| how < 4)
}

/// Whether the value can be computed before the first of these instructions, which are of one block.
fn is_known(value: Value<'_>, later: &[Value<'_>], depth: u32) -> bool {
    !later.contains(&value)
        || depth > 0
            && value.is_arithmetic()
            && value
                .operands()
                .iter()
                .all(|operand| is_known(*operand, later, depth - 1))
}

/// Computes it there.
fn lift<'ctx>(
    value: Value<'ctx>,
    first: Value<'ctx>,
    later: &[Value<'ctx>],
    lifted: &mut Vec<Value<'ctx>>,
) {
    if later.contains(&value) && !lifted.contains(&value) {
        for operand in value.operands() {
            lift(operand, first, later, lifted);
        }
        value.move_before(first);
        lifted.push(value);
    }
}
