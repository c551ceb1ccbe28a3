//! Random functions do the same before a lowering and after it.
//!
//! A function is [made](maker) by chance from a seed and [evaluated](evaluate) by the rules of IR, poison included. Then it [runs](compare) on this
//! machine as it is and as a lowering has changed it; where neither a result nor the end of a call is poison, all three say the same.

mod compare;
mod evaluate;
mod function;
mod loops;
mod maker;
mod straight;

use super::{counters, early_checks, late_checks, narrow, products, walks};
use crate::llvm::{Module, Passes, Value};
use compare::{Cases, check};

/// Each function that has a body, by a lowering that says whether it has changed it: how many it has changed.
fn each(module: &Module<'_>, mut lower: impl FnMut(Value<'_>) -> bool) -> usize {
    let functions = module.functions().into_iter();
    let defined = functions.filter(|f| !f.is_declaration());
    defined.filter(|f| lower(*f)).count()
}

fn texts(module: &Module<'_>) -> Vec<String> {
    let functions = module.functions().into_iter();
    functions.map(Value::to_text).collect()
}

/// Index arithmetic and other.
const STRAIGHT: Cases = Cases {
    seed: 1,
    functions: 600,
    calls: 12,
    function: straight::function,
    input: straight::input,
};

/// Loops with checks, gathers and columns.
const LOOPS: Cases = Cases {
    seed: 1,
    functions: 400,
    calls: 16,
    function: loops::function,
    input: loops::input,
};

#[test]
fn narrow_arithmetic_is_the_same() {
    let compared = check(&STRAIGHT, |module| {
        let mut changed = 0;
        // As the linker does: what is left of an expression may be narrow in turn.
        for _ in 0..2 {
            changed += each(module, narrow::narrow);
            module.run(Passes::tidy(), None).unwrap();
        }
        each(module, narrow::join_addresses);
        changed
    });
    compared.are_enough(400, 20_000, 0);
}

#[test]
fn products_of_widened_factors_are_the_same() {
    let compared = check(&STRAIGHT, |module| {
        let before = texts(module);
        products::widen_factors(module);
        let after = texts(module);
        after.iter().zip(before).filter(|(a, b)| *a != b).count()
    });
    compared.are_enough(200, 20_000, 0);
}

#[test]
fn plain_counters_count_the_same() {
    let compared = check(&LOOPS, |module| each(module, counters::make_plain));
    compared.are_enough(60, 1500, 1000);
}

#[test]
fn loops_with_early_checks_do_the_same() {
    let compared = check(&LOOPS, |module| {
        each(module, counters::make_plain);
        let changed = each(module, early_checks::decide);
        module.verify().unwrap();
        module.run(Passes::split_loops(), None).unwrap();
        changed
    });
    compared.are_enough(80, 1500, 1000);
}

#[test]
fn loops_with_late_checks_do_the_same() {
    let compared = check(&LOOPS, |module| {
        each(module, counters::make_plain);
        module.run(Passes::split_loops(), None).unwrap();
        let changed = each(module, late_checks::defer);
        module.verify().unwrap();
        module.run(Passes::after_instrumenting(), None).unwrap();
        changed
    });
    compared.are_enough(60, 1500, 1000);
}

#[test]
fn addresses_that_walk_are_the_same() {
    let compared = check(&LOOPS, |module| {
        module.run(Passes::split_loops(), None).unwrap();
        each(module, walks::walk)
    });
    compared.are_enough(40, 1500, 1000);
}
