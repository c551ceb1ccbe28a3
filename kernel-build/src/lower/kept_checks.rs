//! Loops that keep bounds checks keep their indices too.
//!
//! LLVM's strength reduction gives each address of a loop a register of its own that moves on. Where checks are left in each round, the indices are
//! computed anyway, and those registers are more than the addresses save: `stencil_3d` needs 32 instead of 40. A loop whose checks were decided
//! before it has such a twin, which hardly ever runs, but the kernel has the registers of both.

use super::loops::{self, Loop};
use crate::llvm::{Block, Builder, TypeKind, Value};
use std::collections::HashSet;

/// Hides from LLVM how the numbers of such loops grow; to be called behind everything that has to know it.
pub(crate) fn hide_steps(function: Value<'_>) {
    for found in loops::find(function) {
        let seldom = passed_over(&found);
        let mut own = found.each_round.iter().chain(&found.some_rounds);
        if !own.any(|block| goes_on(*block).is_some() && !seldom.contains(block)) {
            continue;
        }
        for phi in found.head.phis() {
            if let TypeKind::Integer(32 | 64) = phi.ty().kind() {
                let hidden = Builder::before(found.head.first()).hidden(phi);
                phi.replace_all_uses_with(hidden);
                hidden.set_operand(0, phi);
            }
        }
    }
}

/// Where a check goes on.
fn goes_on(at: Block<'_>) -> Option<Block<'_>> {
    at.condition()?;
    match at.successors()[..] {
        [next, end] | [end, next] if end.is_end() && !next.is_end() => Some(next),
        _ => None,
    }
}

/// The checks of a loop that are passed over where they are decided before it (`joined_checks`).
fn passed_over<'ctx>(found: &Loop<'ctx>) -> HashSet<Block<'ctx>> {
    let mut all = HashSet::new();
    for block in &found.blocks {
        if block.condition().is_none_or(|c| !found.is_fixed(c)) {
            continue;
        }
        let [a, b] = block.successors()[..] else {
            continue;
        };
        for (first, behind) in [(a, b), (b, a)] {
            let mut row = vec![first];
            while let Some(next) = row.last().copied().and_then(goes_on)
                && found.blocks.contains(&next)
                && !row.contains(&next)
            {
                row.push(next);
            }
            if let Some(end) = row.iter().position(|b| *b == behind) {
                all.extend(row.drain(..end));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::hide_steps;
    use crate::llvm::Module;
    use crate::llvm::tests::context;

    /// A loop with a check in each round.
    const CHECKED: &str = "
declare void @fail() noreturn

define i64 @sum(ptr %x, i64 %n, i64 %len) {
start:
  br label %round
round:
  %k = phi i64 [ 0, %start ], [ %next, %good ]
  %sum = phi float [ 0.0, %start ], [ %sum2, %good ]
  %right = icmp ult i64 %k, %len
  br i1 %right, label %good, label %bad
good:
  %at = getelementptr float, ptr %x, i64 %k
  %value = load float, ptr %at
  %sum2 = fadd float %sum, %value
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %done, label %round
done:
  ret i64 %next
bad:
  call void @fail()
  unreachable
}
";

    #[test]
    fn a_checked_loop_has_its_index_alone() {
        let context = context();
        let module = Module::from_text(&context, CHECKED).unwrap();
        let function = module.function("sum").unwrap();
        hide_steps(function);
        module.verify().unwrap();
        let text = function.to_text();
        let hidden = text.lines().find(|l| l.contains("asm \"mov.b64")).unwrap();
        assert!(hidden.contains("(i64 %k)"), "{text}");
        let name = hidden.trim().split(' ').next().unwrap();
        for user in ["icmp ult i64 ", "ptr %x, i64 ", "add i64 "] {
            assert!(text.contains(&format!("{user}{name}")), "{user}: {text}");
        }
    }

    #[test]
    fn a_loop_without_checks_stays_as_it_is() {
        let context = context();
        let free = CHECKED.replace("br i1 %right, label %good, label %bad", "br label %good");
        let module = Module::from_text(&context, &free).unwrap();
        let function = module.function("sum").unwrap();
        let before = function.to_text();
        hide_steps(function);
        assert_eq!(function.to_text(), before);
    }
}
