//! What a loop reads before a check that waits for memory itself is read before it.
//!
//! LLVM moves a load down to where its value is needed, also past the check of an index that is read in the same round: one access then waits for
//! the other. A text of PTX behind the load, of which LLVM does not know that it ends, keeps it where it is:
//!
//! ```text
//! loop { value = values[at]; column = columns[at]; if column >= x.len() { panic }; sum += value * x[column] }
//! ```
//! Loops whose gathered indices are looked at in groups (`late_checks`) read ahead anyway.

use super::affine::Affine;
use super::late_checks::size;
use super::loops::{self, Loop};
use crate::llvm::{Attribute, Block, Builder, Op, Value};
use std::collections::HashSet;

/// Pins such loads of a function; says whether there were any.
pub(crate) fn pin(function: Value<'_>) -> bool {
    let mut pinned = HashSet::new();
    for found in loops::find(function) {
        for first in &found.each_round {
            pin_along(*first, &found, &mut pinned);
        }
    }
    !pinned.is_empty()
}

/// Follows checks from one to the next, from a block that begins with the loop or behind something else.
fn pin_along<'ctx>(first: Block<'ctx>, found: &Loop<'ctx>, pinned: &mut HashSet<Value<'ctx>>) {
    let mut way = vec![first];
    while let Some(at) = way.last().copied()
        && let Some(next) = goes_on(at)
    {
        if let Some(index) = waits_for(at, found) {
            let needed = needed_for(index, found);
            for load in way.iter().flat_map(|b| b.instructions()) {
                if can_wait(load) && !needed.contains(&load) && pinned.insert(load) {
                    let here = Builder::behind(load);
                    let same = here.hidden(load);
                    // What may not return is moved past no branch.
                    same.remove_call_attribute(Attribute::FUNCTION, "willreturn");
                    load.replace_all_uses_with(same);
                    same.set_operand(0, load);
                }
            }
        }
        if !found.blocks.contains(&next) || way.contains(&next) {
            return;
        }
        way.push(next);
    }
}

/// Where a branch goes on that otherwise goes to a panic.
fn goes_on(at: Block<'_>) -> Option<Block<'_>> {
    at.condition()?;
    match at.successors()[..] {
        [next, end] | [end, next] if end.is_end() && !next.is_end() => Some(next),
        _ => None,
    }
}

/// The index that such a branch compares, if that is read in the loop.
fn waits_for<'ctx>(at: Block<'ctx>, found: &Loop<'ctx>) -> Option<Value<'ctx>> {
    let condition = at.condition().filter(|c| !found.is_fixed(*c))?;
    condition.comparison()?;
    let mut operands = condition.operands().into_iter();
    let index = operands.find(|v| !found.is_fixed(*v))?;
    Affine::of(index, found).is_none().then_some(index)
}

/// What an index is made of.
fn needed_for<'ctx>(index: Value<'ctx>, found: &Loop<'ctx>) -> HashSet<Value<'ctx>> {
    let mut needed = HashSet::new();
    let mut todo = vec![index];
    while let Some(value) = todo.pop() {
        if !found.is_fixed(value) && value.op() != Op::Phi && needed.insert(value) {
            todo.extend(value.operands());
        }
    }
    needed
}

/// Whether a load may be moved at all, and is of a number that the text is for.
fn can_wait(load: Value<'_>) -> bool {
    load.op() == Op::Load
        && !load.is_volatile()
        && load.ordering() == 0
        && matches!(size(load.ty()), Some(4 | 8))
}

#[cfg(test)]
mod tests {
    use super::pin;
    use crate::llvm::tests::context;
    use crate::llvm::{Module, Passes};

    /// A product of a row, whose steps are those of a warp.
    const LOOP: &str = "
declare void @fail() noreturn

define float @row(ptr %values, ptr %columns, ptr %x, i64 %from, i64 %to, i64 %len) {
start:
  br label %round
round:
  %at = phi i64 [ %from, %start ], [ %next, %good ]
  %sum = phi float [ 0.0, %start ], [ %sum2, %good ]
  %at.value = getelementptr float, ptr %values, i64 %at
  %value = load float, ptr %at.value
  %at.column = getelementptr i32, ptr %columns, i64 %at
  %narrow = load i32, ptr %at.column
  %column = zext i32 %narrow to i64
  %right = icmp ult i64 %column, %len
  br i1 %right, label %good, label %bad
good:
  %at.x = getelementptr float, ptr %x, i64 %column
  %factor = load float, ptr %at.x
  %product = fmul float %value, %factor
  %sum2 = fadd float %sum, %product
  %next = add i64 %at, 32
  %again = icmp ult i64 %next, %to
  br i1 %again, label %round, label %done
done:
  ret float %sum2
bad:
  call void @fail()
  unreachable
}
";

    /// How many loads come before the check, once LLVM has moved what it likes to move.
    fn before_the_check(text: &str, pins: bool) -> usize {
        let context = context();
        let mut module = Module::from_text(&context, text).unwrap();
        let function = module.function("row").unwrap();
        assert_eq!(pin(function), pins);
        module.verify().unwrap();
        module.run(Passes::split_loops(), None).unwrap();
        let text = module.function("row").unwrap().to_text();
        let head = text.split("label %bad").next().unwrap();
        head.matches("= load ").count()
    }

    #[test]
    fn a_load_stays_before_a_check_that_waits() {
        assert_eq!(before_the_check(LOOP, true), 2);
    }

    #[test]
    fn a_check_that_waits_for_nothing_pins_no_load() {
        let even = LOOP.replace("zext i32 %narrow to i64", "add i64 %at, 1");
        assert_eq!(before_the_check(&even, false), 0);
    }

    /// It is not moved anyway.
    #[test]
    fn a_volatile_load_is_left_alone() {
        let volatile = LOOP.replace(
            "load float, ptr %at.value",
            "load volatile float, ptr %at.value",
        );
        assert_eq!(before_the_check(&volatile, false), 2);
    }
}
