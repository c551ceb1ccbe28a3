//! Checks of elements that are loaded on a condition are made before such loads, so that several are in flight.
//!
//! A tile whose border lies outside of the image is filled element by element: each is loaded if it is inside, and its index is checked then. ptxas moves
//! no load across a branch to a panic, so each load would wait for the one before it. No check needs an element:
//!
//! ```text
//! x = if inside(i) {                               if inside(i) && i >= a.len() { panic }
//!     if i >= a.len() { panic }                    if inside(j) && j >= a.len() { panic }
//!     a[i]                                         x = if inside(i) { a[i] } else { 0 }
//! } else { 0 }                                     tile[n] = x
//! tile[n] = x                                      y = if inside(j) { a[j] } else { 0 }
//! y = if inside(j) { … }                           tile[m] = y                    both loads predicated, and in flight
//! ```
//! The checks keep their order. A thread that panics makes fewer loads, and leaves elements of shared memory unwritten, as a panic before their stores does;
//! a check whose panic may read memory stays behind the stores. [`load_sinking`](super::load_sinking) does the same for loads without a condition.

use super::gather_batching::is_speculatable;
use super::guard_merging::{self, Check};
use super::load_sinking::{is_arithmetic, is_plain_load, is_shared_store};
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, Builder, Compare, Module, Op, Value};

/// Checks that are made earlier, in one function, at most: what they compare takes registers until the loads.
const MOST: usize = 256;

/// Loads on conditions that one check is made before, at most.
const DISTANCE: usize = 15;

/// Makes the checks of a module earlier.
pub(crate) fn hoist_all(module: &Module<'_>) {
    for function in super::defined(module) {
        hoist(function);
    }
}

/// Makes the checks of a function earlier; returns whether there were any.
pub(crate) fn hoist(function: Value<'_>) -> bool {
    let mut changed = false;
    // Nothing here changes how many edges lead to a block.
    let mut edges = guard_merging::edges_to(function);
    for block in Block::all(function) {
        changed |= out_of_arm(block, &edges);
    }
    let mut moved = 0;
    let mut crossed: HashMap<Block<'_>, usize> = HashMap::default();
    while changed && moved < MOST {
        let found = Block::all(function).into_iter().find_map(|at| {
            let arm = Arm::of(at, &edges)?;
            (crossed.get(&arm.load).copied().unwrap_or(0) < DISTANCE).then_some(())?;
            let check = arm.check_behind(&edges)?;
            Some((arm, check))
        });
        let Some((arm, (check, needed))) = found else {
            break;
        };
        *crossed.entry(arm.load).or_default() += 1;
        if let Some(branch) = arm.move_before(&check, &needed) {
            edges.insert(branch, 1);
        }
        moved += 1;
    }
    changed
}

/// `if c { load }`, from where both ways meet again.
struct Arm<'ctx> {
    /// Ends with the branch.
    at: Block<'ctx>,
    load: Block<'ctx>,
    join: Block<'ctx>,
}

impl<'ctx> Arm<'ctx> {
    fn of(at: Block<'ctx>, edges: &HashMap<Block<'ctx>, usize>) -> Option<Arm<'ctx>> {
        at.condition()?;
        let [a, b] = at.successors().try_into().ok()?;
        let leads = |from: Block<'ctx>, to: Block<'ctx>| from.successors() == [to];
        let (load, join) = match () {
            () if leads(a, b) => (a, b),
            () if leads(b, a) => (b, a),
            () => return None,
        };
        let alone = edges.get(&load) == Some(&1) && edges.get(&join) == Some(&2) && at != join;
        (alone && only_loads(load)).then_some(Arm { at, load, join })
    }

    /// The next check behind the join, with what it needs of what stands between, if it can be made before the arm.
    fn check_behind(
        &self,
        edges: &HashMap<Block<'ctx>, usize>,
    ) -> Option<(Check<'ctx>, Vec<Value<'ctx>>)> {
        let mut between = Vec::new();
        let mut block = self.join;
        loop {
            let end = block.terminator();
            between.extend(block.instructions().into_iter().filter(|i| *i != end));
            match block.successors()[..] {
                [next] if edges.get(&next) == Some(&1) && next != self.at => block = next,
                _ => break,
            }
        }
        let check = Check::of(block)?;
        let reads = check.panic_reads();
        let may_cross = |i: &Value<'ctx>| {
            i.op() == Op::Phi
                || is_plain_load(*i)
                || is_arithmetic(*i)
                || is_shared_store(*i) && !reads
        };
        if !between.iter().all(may_cross) {
            return None;
        }
        // What the check and its panic depend on.
        let mut needed = HashSet::default();
        let mut todo = check.needed_values();
        while let Some(value) = todo.pop() {
            if between.contains(&value) && needed.insert(value) {
                if !is_arithmetic(value) {
                    return None;
                }
                todo.extend(value.operands());
            }
        }
        between.retain(|i| needed.contains(i));
        Some((check, between))
    }

    /// Makes a check before the branch of the arm, which gets a block of its own; returns that.
    fn move_before(&self, check: &Check<'ctx>, needed: &[Value<'ctx>]) -> Option<Block<'ctx>> {
        let end = self.at.terminator();
        for instruction in needed {
            instruction.move_before(end);
        }
        let branch = self.load.new_before();
        let at = Builder::at_end(branch);
        let condition = self.at.condition()?;
        let [a, b] = self.at.successors()[..] else {
            return None;
        };
        at.cond_br(condition, a, b);
        let asked = check.at.condition()?;
        let when_true = check.at.successors().first() == Some(&check.next);
        // SAFETY: a branch has no result, and the handle ends here.
        unsafe { end.erase_instruction() };
        let at = Builder::at_end(self.at);
        if when_true {
            at.cond_br(asked, branch, check.panic);
        } else {
            at.cond_br(asked, check.panic, branch);
        }
        come_from(self.join, self.at, branch);
        come_from(check.panic, check.at, self.at);
        // SAFETY: as above.
        unsafe { check.at.terminator().erase_instruction() };
        Builder::at_end(check.at).br(check.next);
        Some(branch)
    }
}

/// Whether a block has nothing but loads and arithmetic.
fn only_loads(block: Block<'_>) -> bool {
    let end = block.terminator();
    let mut all = block.instructions().into_iter().filter(|i| *i != end);
    all.all(|i| is_plain_load(i) || is_arithmetic(i))
}

/// Makes the check with which an arm begins before the branch to the arm; returns whether there was one.
fn out_of_arm<'ctx>(at: Block<'ctx>, edges: &HashMap<Block<'ctx>, usize>) -> bool {
    let (Some(condition), [a, b]) = (at.condition(), &at.successors()[..]) else {
        return false;
    };
    for (arm, join) in [(*a, *b), (*b, *a)] {
        let Some(check) = Check::of(arm).filter(|c| c.panic != join) else {
            continue;
        };
        let end = arm.terminator();
        let own: Vec<Value<'ctx>> = arm
            .instructions()
            .into_iter()
            .filter(|i| *i != end)
            .collect();
        let once = |block: &Block<'ctx>| edges.get(block) == Some(&1);
        let fits = once(&arm)
            && once(&check.next)
            && check.next.successors() == [join]
            && only_loads(check.next)
            && check.next.phis().is_empty()
            && own
                .iter()
                .all(|i| i.op() != Op::Phi && is_speculatable(*i) && !is_call(*i));
        if !fits {
            continue;
        }
        let Some(asked) = arm.condition() else {
            continue;
        };
        for instruction in own {
            instruction.move_before(at.terminator());
        }
        let here = Builder::before(at.terminator());
        let not = |value| here.compare(Compare::Eq, value, here.boolean(false));
        let fails = if arm.successors().first() == Some(&check.next) {
            not(asked)
        } else {
            asked
        };
        let is_taken = if arm == *a { condition } else { not(condition) };
        // What is asked in the arm may be poison elsewhere.
        let fails = here.select(is_taken, fails, here.boolean(false));
        let panic = check.panic;
        // SAFETY: branches have no results, and the handles end here.
        unsafe { at.terminator().erase_instruction() };
        // SAFETY: as above.
        unsafe { arm.terminator().erase_instruction() };
        Builder::at_end(at).cond_br(fails, panic, arm);
        Builder::at_end(arm).cond_br(is_taken, check.next, join);
        come_from(join, at, arm);
        come_from(panic, arm, at);
        return true;
    }
    false
}

fn is_call(instruction: Value<'_>) -> bool {
    instruction.op() == Op::Call
}

/// Lets the phis of a block take what came from one block from another one.
fn come_from<'ctx>(block: Block<'ctx>, old: Block<'ctx>, new: Block<'ctx>) {
    for phi in block.phis() {
        let fresh = Builder::before(phi).phi(phi.ty());
        for (value, from) in phi.incoming() {
            fresh.add_incoming(value, if from == old { new } else { from });
        }
        phi.replace_all_uses_with(fresh);
        // SAFETY: nothing uses it any more, and the handle ends here.
        unsafe { phi.erase_instruction() };
    }
}
