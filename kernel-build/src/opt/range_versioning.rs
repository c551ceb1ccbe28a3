//! Bounds checks in nests of loops, decided before the nest.
//!
//! An index of a nest is bounded by what is known before it: by the ends of its loops, or because it is clamped to an image. One condition decides whether any
//! check of the nest can fail, and what follows gets a version without these checks:
//!
//! ```text
//! for y in top..=bottom {                          if bottom * width + right < image.len() {      and all of it is small
//!     for x in left..=right {                          for y in top..=bottom {
//!         least = least.min(image[y * width + x])          for x in left..=right { … }            no check
//!     }                                                }
//! }                                                } else { … }                                   as it was
//! ```
//! [`bounds_check_hoisting`](super::bounds_check_hoisting) decides the checks of one loop before that loop, if their indices are add recurrences. Here only nests
//! and clamped indices are versioned; [`index_ranges`](super::index_ranges) says what their bounds are. Which version a thread takes does not depend on others: code in
//! which threads wait for each other is not copied.

mod clamps; // indices in 32 bits where the checks are decided

use super::division_versioning::{can_be_copied, head};
use super::guard_merging::Check;
use super::index_ranges::{Bound, Condition, Ranges};
use super::loops::{self, Graph, Loop};
use super::region::{Before, Region};
use super::upper_bounds::UpperBounds;
use crate::hash::HashSet;
use crate::llvm::{Attribute, Block, Builder, Predicate, Value};
use clamps::Clamps;

/// Marks a function that has two versions: the one with checks keeps them.
const VERSIONED: &str = "warploom.versioned";

/// Conditions that are asked at most.
const CONDITIONS: usize = 24;

/// [`version`] for kernels.
pub(crate) fn version_kernel(function: Value<'_>) -> bool {
    function.is_kernel() && version(function)
}

/// Makes a version of what follows the first nest of loops without the checks of the nests; returns whether there was one.
pub(super) fn version(function: Value<'_>) -> bool {
    let is_done = function
        .string_attribute(Attribute::FUNCTION, VERSIONED)
        .is_some();
    if is_done {
        return false;
    }
    let found = loops::find(function);
    let Some(plan) = Plan::of(function, &found) else {
        return false;
    };
    plan.apply(function);
    function.add_text_attribute(VERSIONED, "ranges");
    true
}

/// Where the function parts, on what, and which checks one version does without.
struct Plan<'ctx> {
    graph: Graph<'ctx>,
    head: usize,
    conditions: Vec<Condition<'ctx>>,
    checks: Vec<Block<'ctx>>,
    clamps: Option<Clamps<'ctx>>,
}

impl<'ctx> Plan<'ctx> {
    fn of(function: Value<'ctx>, found: &[Loop<'ctx>]) -> Option<Plan<'ctx>> {
        let graph = Graph::of(function);
        let cycles = loops::in_cycles(function);
        let checks = graph.blocks.iter().copied().enumerate();
        let checks: Vec<(usize, Check<'ctx>)> = checks
            .filter(|(_, block)| cycles.contains(block))
            .filter_map(|(at, block)| Some((at, Check::of(block)?)))
            .collect();
        let head_of = |at: usize| head(&cycles, &graph, [at].into_iter());
        let copied = |head: usize| {
            let region = Region::of(&graph, head);
            can_be_copied(&region, graph.blocks[head].terminator())
        };
        // Where threads wait for each other between two nests, the last one is versioned.
        let heads: HashSet<usize> = checks.iter().filter_map(|(at, _)| head_of(*at)).collect();
        let heads = heads.into_iter().filter(|head| copied(*head));
        let heads: HashSet<usize> = heads.collect();
        let checks: Vec<_> = checks
            .into_iter()
            .filter(|(at, _)| head_of(*at).is_some_and(|head| heads.contains(&head)))
            .collect();
        let head = head(&cycles, &graph, checks.iter().map(|(at, _)| *at))?;
        if !copied(head) {
            return None;
        }
        let before = Before::new(&graph, head, graph.blocks[head].terminator());
        let bounds = UpperBounds::of(function);
        let mut ranges = Ranges::new(&before, &bounds, found);
        let mut plan = Plan {
            head,
            conditions: vec![],
            checks: vec![],
            clamps: None,
            graph: Graph::of(function),
        };
        let (mut pays, mut left) = (false, 0);
        for (_, check) in checks {
            let Some(conditions) = passes(&check, &mut ranges) else {
                left += 1;
                continue;
            };
            // Without conditions LLVM finds that it never fails.
            pays |= !conditions.is_empty() && is_in_nest(&check, found);
            plan.checks.push(check.at);
            for condition in conditions {
                if !plan.conditions.contains(&condition) {
                    plan.conditions.push(condition);
                }
            }
        }
        pays &= left <= plan.checks.len();
        if !pays || plan.conditions.len() > CONDITIONS {
            return None;
        }
        let region = Region::of(&plan.graph, head);
        plan.clamps = Some(Clamps::of(&region, &mut ranges, &plan.conditions));
        Some(plan)
    }

    fn apply(self, function: Value<'ctx>) {
        let head = self.graph.blocks[self.head];
        let first = head.terminator();
        let mut values = Vec::new();
        for condition in &self.conditions {
            condition.add_values(&mut values);
        }
        let mut before = Before::new(&self.graph, self.head, first);
        for value in &values {
            before.hoist(*value);
        }
        let region = Region::of(&self.graph, self.head);
        let front = head.split_before(first, &self.graph.blocks);
        let other = region.copy(function);
        let guard = Builder::at_end(front);
        // Where a number is poison, all uses in the version without checks must agree on what it is.
        let frozen: Vec<(Value<'ctx>, Value<'ctx>)> =
            values.iter().map(|v| (*v, guard.freeze(*v))).collect();
        let known = |value: Value<'ctx>| {
            let found = frozen.iter().find(|(old, _)| *old == value);
            found.map_or(value, |(_, new)| *new)
        };
        let all = self.conditions.iter().map(|c| c.build(&guard, &known));
        let all = all.reduce(|a, b| guard.and(a, b));
        guard.cond_br(all.unwrap_or(guard.boolean(true)), head, other);
        for instruction in region.instructions() {
            instruction.replace_operands(&frozen);
        }
        for check in self.checks.iter().filter_map(|at| Check::of(*at)) {
            let passes = check.at.successors().first() == Some(&check.next);
            check.at.set_condition(guard.boolean(passes));
        }
        if let Some(clamps) = self.clamps {
            clamps.narrow(&region);
        }
        keep_loops(function, other);
    }
}

/// Leaves the loops of the version with checks as they are: few launches need it.
fn keep_loops<'ctx>(function: Value<'ctx>, other: Block<'ctx>) {
    let graph = Graph::of(function);
    let Some(head) = graph.blocks.iter().position(|block| *block == other) else {
        return;
    };
    for from in (0..graph.blocks.len()).filter(|at| graph.dominates(head, *at)) {
        let mut to = graph.successors[from].iter();
        if to.any(|to| graph.dominates(*to, from)) {
            graph.blocks[from].terminator().keep_loop();
        }
    }
}

/// The conditions on which a check never fails; `None` if there is no telling.
fn passes<'ctx>(
    check: &Check<'ctx>,
    ranges: &mut Ranges<'_, 'ctx>,
) -> Option<Vec<Condition<'ctx>>> {
    let condition = check.at.condition()?;
    let mut how = condition.predicate()?;
    if check.at.successors().first() != Some(&check.next) {
        how = how.inverse();
    }
    let [mut index, mut len] = condition.operands().try_into().ok()?;
    if matches!(how, Predicate::Ugt | Predicate::Uge) {
        (index, len) = (len, index);
        how = how.swapped();
    }
    let more = match how {
        Predicate::Ult => 1,
        Predicate::Ule => 0,
        _ => return None,
    };
    let (index, len) = (ranges.of(index)?, ranges.of_length(len)?);
    let (least, most) = (index.least.clone(), index.most.clone());
    let end = Bound::sum(most, Bound::Number(more));
    let range = index
        .with_conditions_of(&len)?
        .provided(Condition::AtMost(Bound::Number(0), least))?
        .provided(Condition::AtMost(end, len.least.clone()))?;
    Some(range.conditions)
}

/// Whether a check is in a loop of a loop.
fn is_in_nest<'ctx>(check: &Check<'ctx>, found: &[Loop<'ctx>]) -> bool {
    let around = found.iter().filter(|l| l.blocks.contains(&check.at));
    around.count() > 1
}
