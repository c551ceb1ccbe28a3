//! Lengths of slices, versioned by the constants that they are compared with.
//!
//! A constant number of elements beside a slice (`state.iter_mut().zip(coefficients)`, a row of 17 elements and its weights) has a trip count that the launch
//! decides: the smaller of the two. LLVM asks in each iteration, or unrolls as for any number; what a loop around it does not change is loaded again each
//! time:
//!
//! ```text
//! for k in 0..min(17, w.len()) {                   if w.len() >= 17 {
//!     sum += v[k] * w[k];                              for k in 0..17 { sum += v[k] * w[k]; }      …    unrolled, and all that follows
//! }                                                } else {
//! …                                                    for k in 0..w.len() { … }                   …    as it was
//!                                                  }
//! ```
//! Only lengths and other parameters are asked for, which all threads of a launch agree on.

use super::division_versioning::{can_be_copied, head};
use super::loops::{self, Graph};
use super::region::Region;
use super::{Changed, defined};
use crate::hash::HashSet;
use crate::llvm::{Block, Builder, Compare, Module, Op, TypeKind, Value};
use std::collections::BTreeSet;

/// Larger constants are no number of iterations that are unrolled.
const LARGEST: u64 = 64;

/// So many tests of one length in a loop are what is left of a loop with a constant number of iterations at most: LLVM has unrolled it, with an end behind
/// each of them.
const TESTS: usize = 3;

/// Versions the lengths of a module, and notes the functions that it changes.
pub(crate) fn version_all<'ctx>(module: &Module<'ctx>, changed: &mut Changed<'ctx>) {
    let kernels = defined(module).into_iter().filter(|f| f.is_kernel());
    changed.0.extend(kernels.filter(|f| version(*f)));
}

/// Makes a version for long slices of what follows the first question for their lengths; returns whether there was one.
pub(super) fn version(function: Value<'_>) -> bool {
    let Some(plan) = Plan::of(function) else {
        return false;
    };
    plan.apply(function);
    true
}

/// A question whose answer is known for long slices.
struct Site<'ctx> {
    at: usize,
    instruction: Value<'ctx>,
    length: Value<'ctx>,
    what: What,
}

enum What {
    /// The smaller of the length and this.
    Least(u64),
    /// Whether the length is this, or, if not `equal`, whether it is not.
    Is { number: u64, equal: bool },
}

impl<'ctx> Site<'ctx> {
    fn of(at: usize, instruction: Value<'ctx>) -> Option<Site<'ctx>> {
        let what = |number: u64| match instruction.op() {
            Op::Call => {
                let name = instruction.callee().as_function().map(Value::name);
                (name.as_deref() == Some("llvm.umin.i64")).then_some(What::Least(number))
            }
            Op::ICmp => match instruction.comparison()? {
                Compare::Eq => Some(What::Is {
                    number,
                    equal: true,
                }),
                Compare::Ne => Some(What::Is {
                    number,
                    equal: false,
                }),
                _ => None,
            },
            _ => None,
        };
        let arguments = match instruction.op() {
            Op::Call => instruction.args(),
            Op::ICmp => instruction.operands(),
            _ => return None,
        };
        let [a, b] = arguments.try_into().ok()?;
        let (length, number) = if a.as_integer().is_some() {
            (b, a)
        } else {
            (a, b)
        };
        let number = number.as_integer().filter(|n| *n <= LARGEST)?;
        let is_wide = length.ty().kind() == TypeKind::Integer(64);
        length.as_param().filter(|_| is_wide)?;
        Some(Site {
            at,
            instruction,
            length,
            what: what(number)?,
        })
    }

    /// What it is if the length is at least `least`.
    fn known(&self, least: u64, builder: &Builder<'ctx>) -> Option<Value<'ctx>> {
        match self.what {
            What::Least(number) => (number <= least).then(|| builder.number(number, 64)),
            What::Is { number, equal } => (number < least).then(|| builder.boolean(!equal)),
        }
    }
}

/// Where the function parts, and on what.
struct Plan<'ctx> {
    graph: Graph<'ctx>,
    head: usize,
    /// What stands before it in the head is shared.
    first: Value<'ctx>,
    sites: Vec<Site<'ctx>>,
    lengths: Lengths<'ctx>,
}

/// The parameters, and how large each is at least in the version with constants.
struct Lengths<'ctx>(Vec<(Value<'ctx>, u64)>);

impl<'ctx> Lengths<'ctx> {
    fn least(&self, site: &Site<'ctx>) -> Option<u64> {
        let found = self.0.iter().find(|(length, _)| *length == site.length);
        found.map(|(_, least)| *least)
    }
}

impl<'ctx> Plan<'ctx> {
    fn of(function: Value<'ctx>) -> Option<Plan<'ctx>> {
        let graph = Graph::of(function);
        let cycles = loops::in_cycles(function);
        if cycles.is_empty() {
            return None;
        }
        let mut sites = Vec::new();
        for (at, block) in graph.blocks.iter().enumerate() {
            if at == 0 || graph.immediate_dominator(at).is_some() {
                let all = block.instructions().into_iter();
                sites.extend(all.filter_map(|i| Site::of(at, i)));
            }
        }
        let mut lengths = Lengths(Vec::new());
        for site in &sites {
            if lengths.least(site).is_none()
                && let Some(least) = worth_a_version(&sites, site.length, &graph, &cycles)
            {
                lengths.0.push((site.length, least));
            }
        }
        sites.retain(|site| lengths.least(site).is_some());
        let head = head(&cycles, &graph, sites.iter().map(|site| site.at))?;
        let in_head = sites.iter().find(|site| site.at == head);
        let first = in_head.map_or(graph.blocks[head].terminator(), |site| site.instruction);
        let region = Region::of(&graph, head);
        let has_loops = region.blocks().iter().any(|b| cycles.contains(b));
        (has_loops && can_be_copied(&region, first)).then_some(Plan {
            graph,
            head,
            first,
            sites,
            lengths,
        })
    }

    fn apply(self, function: Value<'ctx>) {
        let region = Region::of(&self.graph, self.head);
        let head = self.graph.blocks[self.head];
        let front = head.split_before(self.first, &self.graph.blocks);
        let other = region.copy(function);
        let guard = Builder::at_end(front);
        let long = self.lengths.0.iter().map(|(length, least)| {
            // A branch on poison is undefined where the question might not have been reached.
            let least = guard.number(*least, 64);
            guard.compare(Compare::Uge, guard.freeze(*length), least)
        });
        let all = long.reduce(|a, b| guard.and(a, b));
        guard.cond_br(all.unwrap_or(guard.boolean(false)), head, other);
        let start = Builder::before(self.first);
        let known = self.sites.iter().filter_map(|site| {
            let answer = site.known(self.lengths.least(site)?, &start)?;
            Some((site.instruction, answer))
        });
        let known: Vec<(Value<'ctx>, Value<'ctx>)> = known.collect();
        for instruction in region.instructions() {
            instruction.replace_operands(&known);
        }
    }
}

/// From which length on the answers for it are known; `None` if that is not worth a version.
fn worth_a_version<'ctx>(
    sites: &[Site<'ctx>],
    length: Value<'ctx>,
    graph: &Graph<'ctx>,
    cycles: &HashSet<Block<'ctx>>,
) -> Option<u64> {
    let of_length = || sites.iter().filter(|site| site.length == length);
    let constant = of_length().filter_map(|site| match site.what {
        What::Least(number) if number > 1 => Some(number),
        _ => None,
    });
    if let Some(largest) = constant.max() {
        return Some(largest);
    }
    let tests = of_length().filter_map(|site| match site.what {
        What::Is { number, .. } if cycles.contains(&graph.blocks[site.at]) => Some(number),
        _ => None,
    });
    let tests: BTreeSet<u64> = tests.collect();
    let (first, last) = (tests.first()?, tests.last()?);
    let is_run = tests.len() >= TESTS && last - first + 1 == tests.len() as u64;
    is_run.then_some(last + 1)
}
