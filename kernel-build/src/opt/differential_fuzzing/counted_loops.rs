//! Generator of functions with one counted loop in the form that rustc and LLVM leave in kernels: add recurrences, indices from memory, bounds checks.

use super::function::{Binary, BlockId, Convergent, Definition, Function, Terminator, ValueId};
use super::generator::{Generator, Random};
use super::interpreter::Input;

/// What the iterations do.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Any mixture of accesses and checks.
    Any,
    /// Gathers: one array holds indices into the other, for `gather_batching`.
    Gathers,
    /// Unchecked strided reads, for `pointer_strength_reduction`.
    Columns,
    /// The same, behind a condition that says of the stride that it is small, for `step_narrowing`.
    SmallStrides,
    /// Many checks and few convergent calls, for `guard_merging`.
    Convergent,
}

/// The loop-invariant values.
struct LoopInvariant {
    kind: Kind,
    /// As wide as the counter.
    first: ValueId,
    stride: ValueId,
    /// The same two and one more, of 64 bits.
    wide: [ValueId; 3],
    lengths: [ValueId; 2],
}

/// A bounds check whose panic block is appended last.
struct Check {
    at: BlockId,
    right: ValueId,
    /// Whether the check passes where `right` is true.
    plain: bool,
    next: BlockId,
    index: ValueId,
}

/// Generates a function without convergent calls.
pub(super) fn function(seed: u64) -> Function {
    let mut generator = Generator::new(seed);
    let all = [Kind::Any, Kind::Any, Kind::Gathers, Kind::Columns];
    let kind = generator.random.pick(&all);
    with_loop(generator, kind)
}

/// Generates a function with strided reads in its loop, which is reached if the stride is small.
pub(super) fn with_small_strides(seed: u64) -> Function {
    with_loop(Generator::new(seed), Kind::SmallStrides)
}

/// Generates a function with convergent calls in its loop.
pub(super) fn convergent(seed: u64) -> Function {
    with_loop(Generator::new(seed), Kind::Convergent)
}

/// Generates a function whose loop ends in its header, and whose latch is a check of an index of the next iteration.
pub(super) fn unrotated(seed: u64) -> Function {
    let mut generator = Generator::new(seed);
    let (numbers, fixed) = invariants(&mut generator);
    let few = generator.random.below(20) as u128;
    let start = generator.constant(64, few);
    let by = generator.random.pick(&[1, 1, 2, 32]);
    let step = generator.constant(64, by);
    let seven = generator.constant(64, 7);
    let before = generator.here();
    let head = generator.begin();
    let counter = generator.define(64, Definition::Phi(vec![]));
    let sum = generator.define(64, Definition::Phi(vec![]));
    let more = generator.compare("ult", counter, numbers[2]);
    let body = generator.begin();
    let mut checks = Vec::new();
    let mut added = stages(&mut generator, &fixed, (counter, sum), &mut checks);
    let next = generator.binary_with(Binary::Add, 0, counter, step);
    let ahead = index(&mut generator, &fixed, [next, next], 1);
    added = generator.binary_with(Binary::Xor, 0, added, ahead);
    let right = generator.compare("ult", ahead, fixed.lengths[0]);
    let latch = generator.here();
    let done = generator.begin();
    generator.end(Terminator::Ret(vec![sum, counter]));
    let blocks = &mut generator.function.blocks;
    blocks[before].end = Terminator::Br(head);
    blocks[head].end = Terminator::CondBr(more, body, done);
    set_phis(
        &mut generator,
        [before, latch],
        [(counter, start, next), (sum, seven, added)],
    );
    checks.push(Check {
        at: latch,
        right,
        plain: true,
        next: head,
        index: ahead,
    });
    end_checks(&mut generator, checks);
    generator.function
}

/// Generates a function whose loop asks in its header whether the counter is at most the end, and in its latch whether it is less, or something like that.
pub(super) fn tested_twice(seed: u64) -> Function {
    let mut generator = Generator::new(seed);
    let (numbers, fixed) = invariants(&mut generator);
    let few = generator.random.below(20) as u128;
    let start = match generator.random.below(3) {
        0 => fixed.first,
        _ => generator.constant(64, few),
    };
    let by = generator.random.pick(&[1, 1, 1, 2]);
    let step = generator.constant(64, by);
    let (end, seven) = (numbers[2], generator.constant(64, 7));
    let before = generator.here();
    let head = generator.begin();
    let counter = generator.define(64, Definition::Phi(vec![]));
    let sum = generator.define(64, Definition::Phi(vec![]));
    let least = generator
        .random
        .pick(&["ule", "ule", "sle", "ult", "ugt", "sgt"]);
    let within = match generator.random.below(3) {
        0 if least == "ule" => generator.compare("uge", end, counter),
        _ => generator.compare(least, counter, end),
    };
    let body = generator.begin();
    let mut checks = Vec::new();
    let added = stages(&mut generator, &fixed, (counter, sum), &mut checks);
    let next = generator.binary_with(Binary::Add, 0, counter, step);
    let compared = generator.random.pick(&[counter, counter, counter, next]);
    let less = generator.random.pick(&["ult", "ult", "slt", "ule", "ne"]);
    let again = generator.compare(less, compared, end);
    let latch = generator.here();
    let done = generator.begin();
    generator.end(Terminator::Ret(vec![sum, counter]));
    let left = generator.begin();
    generator.end(Terminator::Ret(vec![added, next]));
    let blocks = &mut generator.function.blocks;
    blocks[before].end = Terminator::Br(head);
    blocks[head].end = match least {
        "ugt" | "sgt" => Terminator::CondBr(within, done, body),
        _ => Terminator::CondBr(within, body, done),
    };
    blocks[latch].end = Terminator::CondBr(again, head, left);
    set_phis(
        &mut generator,
        [before, latch],
        [(counter, start, next), (sum, seven, added)],
    );
    end_checks(&mut generator, checks);
    generator.function
}

/// Four parameters, and what a loop of 64-bit numbers has of them.
fn invariants(generator: &mut Generator) -> ([ValueId; 4], LoopInvariant) {
    let numbers: [ValueId; 4] =
        std::array::from_fn(|n| generator.define(64, Definition::Parameter(n)));
    let fixed = LoopInvariant {
        kind: Kind::Any,
        first: numbers[0],
        stride: numbers[1],
        wide: [numbers[0], numbers[1], numbers[3]],
        lengths: [0, 1].map(|n| generator.define(64, Definition::Length(n))),
    };
    (numbers, fixed)
}

/// The sum after up to two stages.
fn stages(
    generator: &mut Generator,
    fixed: &LoopInvariant,
    (counter, sum): (ValueId, ValueId),
    checks: &mut Vec<Check>,
) -> ValueId {
    let mut added = sum;
    for _ in 0..generator.random.below(3) {
        let value = stage(generator, fixed, [counter, counter], checks);
        let factor = generator.constant(64, 31);
        let grown = generator.binary_with(Binary::Mul, 0, added, factor);
        added = generator.binary_with(Binary::Add, 0, grown, value);
    }
    added
}

/// Gives phis their values from before the loop and from its latch.
fn set_phis(
    generator: &mut Generator,
    [before, latch]: [usize; 2],
    phis: [(ValueId, ValueId, ValueId); 2],
) {
    for (phi, first, next) in phis {
        generator.function.values[phi].definition =
            Definition::Phi(vec![(before, first), (latch, next)]);
    }
}

fn with_loop(mut generator: Generator, kind: Kind) -> Function {
    let bits = if matches!(kind, Kind::Any | Kind::Convergent) {
        generator.random.pick(&[64, 64, 32])
    } else {
        64
    };
    let numbers: [ValueId; 4] =
        std::array::from_fn(|n| generator.define(64, Definition::Parameter(n)));
    let narrow = numbers.map(|v| {
        if bits == 64 {
            return v;
        }
        let how = super::function::Cast::Trunc;
        generator.define(bits, Definition::Cast(how, 0, v))
    });
    let fixed = LoopInvariant {
        kind,
        first: narrow[0],
        stride: narrow[1],
        wide: [numbers[0], numbers[1], numbers[3]],
        lengths: [0, 1].map(|n| generator.define(64, Definition::Length(n))),
    };
    let few = generator.random.below(20) as u128;
    let start = match generator.random.below(3) {
        0 => fixed.first,
        1 => generator.constant(bits, few),
        _ => generator.constant(bits, 0),
    };
    let by = generator.random.pick(&[2, 3, 8, 32]);
    let step = match generator.random.below(4) {
        _ if kind == Kind::Gathers => generator.constant(bits, 1),
        0 => fixed.stride,
        1 => generator.constant(bits, by),
        _ => generator.constant(bits, 1),
    };
    let end = if generator.random.chance(80) {
        narrow[2]
    } else {
        generator.constant(bits, few + 9)
    };
    build_loop(&mut generator, &fixed, bits, [start, step, end]);
    generator.function
}

/// Generates the loop, its guard and its exit.
fn build_loop(
    generator: &mut Generator,
    fixed: &LoopInvariant,
    bits: u32,
    [start, step, end]: [ValueId; 3],
) {
    let second = second(generator, start, step);
    let guard = if fixed.kind == Kind::SmallStrides {
        Some(is_small(generator, fixed))
    } else {
        let asks = generator.random.chance(60);
        asks.then(|| generator.compare("ult", start, end))
    };
    let before = generator.here();
    let head = generator.begin();
    let counter = generator.define(bits, Definition::Phi(vec![]));
    let ahead = generator
        .random
        .chance(30)
        .then(|| generator.define(bits, Definition::Phi(vec![])));
    let sum = generator.define(64, Definition::Phi(vec![]));
    let counts_down = bits == 64 && ahead.is_none() && fixed.kind != Kind::Convergent;
    let left = (counts_down && generator.random.chance(25))
        .then(|| generator.define(64, Definition::Phi(vec![])));
    let wide = widened(generator, counter);
    let mut checks = Vec::new();
    let mut added = sum;
    let (stages, convergent) = if fixed.kind == Kind::Convergent {
        (5 + generator.random.below(4), generator.random.below(7))
    } else {
        (1 + generator.random.below(3), usize::MAX)
    };
    for n in 0..stages {
        let value = stage(generator, fixed, [counter, wide], &mut checks);
        let factor = generator.constant(64, 31);
        let grown = generator.binary_with(Binary::Mul, 0, added, factor);
        added = generator.binary_with(Binary::Add, 0, grown, value);
        if n == convergent.min(stages - 1) && fixed.kind == Kind::Convergent {
            let op = generator
                .random
                .pick(&[Convergent::Barrier, Convergent::Shuffle]);
            added = generator.define(64, Definition::Convergent(op, added));
        }
    }
    let goes_on = generator.random.chance(70);
    let (next, mut again) = latch(
        generator,
        ahead.unwrap_or(counter),
        [step, end],
        ahead.is_some(),
        goes_on,
    );
    let taken = left.map(|left| {
        let (taken, another) = take(generator, left, step, goes_on);
        again = another;
        taken
    });
    let latch = generator.here();
    let done = generator.begin();
    // `gather_batching` needs a loop whose phis are not used after it.
    let last = [counter, next][usize::from(fixed.kind == Kind::Gathers)];
    generator.end(Terminator::Ret(vec![added, last]));
    let (yes, no) = if goes_on { (head, done) } else { (done, head) };
    generator.function.blocks[latch].end = Terminator::CondBr(again, yes, no);
    let none = generator.begin();
    let nothing = generator.constant(64, 77);
    generator.end(Terminator::Ret(vec![nothing]));
    generator.function.blocks[before].end =
        guard.map_or(Terminator::Br(head), |g| Terminator::CondBr(g, head, none));
    let seven = generator.constant(64, 7);
    let mut set = |phi: ValueId, first, next| {
        generator.function.values[phi].definition =
            Definition::Phi(vec![(before, first), (latch, next)]);
    };
    set(sum, seven, added);
    if let (Some(left), Some(taken)) = (left, taken) {
        set(left, end, taken);
    }
    match ahead {
        Some(ahead) => {
            set(counter, start, ahead);
            set(ahead, second, next);
        }
        None => set(counter, start, next),
    }
    end_checks(generator, checks);
}

/// A condition that says of the stride that it is small, with other parts, of which one may be poison.
fn is_small(generator: &mut Generator, fixed: &LoopInvariant) -> ValueId {
    let [first, stride, other] = fixed.wide;
    let end = generator.random.pick(&[9, 1 << 31, 1 << 32, 1 << 33]);
    let end = generator.constant(64, end);
    let number = match generator.random.below(3) {
        0 => stride,
        1 => generator.binary_with(Binary::Or, 0, stride, other),
        _ => {
            let down = generator.constant(64, u64::MAX.into());
            generator.binary_with(Binary::Add, 0, stride, down)
        }
    };
    let small = generator.compare("ult", number, end);
    let sum = generator.binary_with(Binary::Add, 1, first, other);
    let more = generator.compare("uge", sum, first);
    let all = match generator.random.below(3) {
        0 => small,
        1 => generator.binary_with(Binary::And, 0, more, small),
        _ => {
            let no = generator.constant(1, 0);
            generator.define(1, Definition::Select(small, more, no))
        }
    };
    if generator.random.chance(50) {
        return generator.define(1, Definition::Freeze(all));
    }
    all
}

/// A counter in 64 bits: half of the narrow ones with their sign, as C's numbers are.
fn widened(generator: &mut Generator, counter: ValueId) -> ValueId {
    if generator.bits(counter) == 64 || generator.random.chance(50) {
        return generator.zext_to(counter, 64);
    }
    let how = super::function::Cast::SExt;
    generator.define(64, Definition::Cast(how, 0, counter))
}

/// Appends the panics of the checks.
fn end_checks(generator: &mut Generator, checks: Vec<Check>) {
    for check in checks {
        let bad = generator.begin();
        generator.end(Terminator::Panic(check.index));
        generator.function.blocks[check.at].end = if check.plain {
            Terminator::CondBr(check.right, check.next, bad)
        } else {
            Terminator::CondBr(check.right, bad, check.next)
        };
    }
}

/// The counter of the second iteration, computed before the loop.
fn second(generator: &mut Generator, start: ValueId, step: ValueId) -> ValueId {
    let bits = generator.bits(start);
    let known = [start, step].map(|v| match generator.function.values[v].definition {
        Definition::Constant(n) => Some(n),
        _ => None,
    });
    match known {
        [Some(a), Some(b)] => generator.constant(bits, a + b),
        _ => generator.binary_with(Binary::Add, 0, start, step),
    }
}

/// The next value of the counter, and the latch condition: whether another iteration follows, or, if not `goes_on`, whether none does. With `is_ahead`
/// the counter is compared before it is incremented, and the increment may depend on the condition.
fn latch(
    generator: &mut Generator,
    number: ValueId,
    [step, end]: [ValueId; 2],
    is_ahead: bool,
    goes_on: bool,
) -> (ValueId, ValueId) {
    let bits = generator.bits(number);
    let grown = (!is_ahead).then(|| generator.binary_with(Binary::Add, 0, number, step));
    let scope = grown.unwrap_or(number);
    let by_one = matches!(
        generator.function.values[step].definition,
        Definition::Constant(1)
    );
    let word = match (goes_on, by_one && generator.random.chance(40)) {
        (true, false) => "ult",
        (false, false) => "uge",
        (true, true) => "ne",
        (false, true) => "eq",
    };
    let again = if generator.random.chance(30) && word.starts_with('u') {
        let word = if goes_on { "ugt" } else { "ule" };
        generator.compare(word, end, scope)
    } else {
        generator.compare(word, scope, end)
    };
    let next = match grown {
        Some(next) => next,
        None if goes_on && by_one && generator.random.chance(50) => {
            let one = generator.zext_to(again, bits);
            generator.binary_with(Binary::Add, 0, number, one)
        }
        None if goes_on && generator.random.chance(50) => {
            let zero = generator.constant(bits, 0);
            let by = generator.define(bits, Definition::Select(again, step, zero));
            generator.binary_with(Binary::Add, 0, by, number)
        }
        None => generator.binary_with(Binary::Add, 0, number, step),
    };
    (next, again)
}

/// What is left after a step is taken from it, and the latch condition: whether a step is left, or, if not `goes_on`, whether none is.
fn take(
    generator: &mut Generator,
    left: ValueId,
    step: ValueId,
    goes_on: bool,
) -> (ValueId, ValueId) {
    let before = generator.random.chance(50);
    let less = |generator: &mut Generator| generator.binary_with(Binary::Sub, 0, left, step);
    let early = (!before).then(|| less(generator));
    let compared = early.unwrap_or(left);
    let above = generator.random.chance(50);
    let limit = match (above, &generator.function.values[step].definition) {
        (false, _) => step,
        (true, Definition::Constant(n)) => {
            let less = n - 1;
            generator.constant(64, less)
        }
        (true, _) => {
            let down = generator.constant(64, u64::MAX.into());
            generator.binary_with(Binary::Add, 0, step, down)
        }
    };
    let word = match (goes_on, above) {
        (true, true) => "ugt",
        (true, false) => "uge",
        (false, true) => "ule",
        (false, false) => "ult",
    };
    let again = generator.compare(word, compared, limit);
    let taken = match early {
        Some(taken) => taken,
        // As `chunks_exact`: nothing is taken where the loop ends.
        None if generator.random.chance(50) => {
            let zero = generator.constant(64, 0);
            let [yes, no] = if goes_on { [step, zero] } else { [zero, step] };
            let by = generator.define(64, Definition::Select(again, yes, no));
            generator.binary_with(Binary::Sub, 0, left, by)
        }
        None => less(generator),
    };
    (taken, again)
}

/// A 64-bit value that each iteration adds to the sum.
fn stage(
    generator: &mut Generator,
    fixed: &LoopInvariant,
    counter: [ValueId; 2],
    checks: &mut Vec<Check>,
) -> ValueId {
    let array = generator.random.below(2);
    let which = match fixed.kind {
        Kind::Any => generator.random.below(4),
        Kind::Gathers => 0,
        Kind::Columns | Kind::SmallStrides => 1,
        // Few gathers: they end a run of checks.
        Kind::Convergent => generator.random.pick(&[2, 2, 2, 2, 2, 3, 3, 3, 0]),
    };
    let steps = if fixed.kind == Kind::Convergent { 1 } else { 3 };
    match which {
        0 => {
            // A gather: an element of one array is an index into the other.
            let at = index(generator, fixed, counter, 1);
            let bits = generator.function.elements[array];
            let found = generator.define(bits, Definition::Load(array, vec![at]));
            let mut found = generator.zext_to(found, 64);
            if fixed.kind == Kind::Any && generator.random.chance(40) {
                let mask = generator.random.pick(&[0, 1, 3, 255]);
                let mask = generator.constant(64, mask);
                found = generator.binary_with(Binary::And, 0, found, mask);
            }
            check(generator, found, fixed.lengths[1 - array], false, checks);
            element(generator, 1 - array, vec![found])
        }
        1 => {
            // Unchecked: an access out of bounds makes the outcome of the call unknown.
            let mut at = index(generator, fixed, counter, 2);
            if matches!(fixed.kind, Kind::Columns | Kind::SmallStrides) {
                at = generator.binary_with(Binary::Mul, 0, at, fixed.wide[1]);
            }
            let far = generator.random.chance(50).then_some(fixed.wide[2]);
            element(generator, array, [at].into_iter().chain(far).collect())
        }
        2 => {
            let at = index(generator, fixed, counter, steps);
            check(generator, at, fixed.lengths[array], false, checks);
            element(generator, array, vec![at])
        }
        _ => {
            let at = index(generator, fixed, counter, steps);
            let (inclusive, few) = (generator.random.chance(40), generator.random.below(300));
            let few = generator.constant(64, few as u128);
            let len = generator
                .random
                .pick(&[fixed.wide[2], few, fixed.lengths[0]]);
            check(generator, at, len, inclusive, checks);
            at
        }
    }
}

fn element(generator: &mut Generator, array: usize, indices: Vec<ValueId>) -> ValueId {
    let bits = generator.function.elements[array];
    let loaded = generator.define(bits, Definition::Load(array, indices));
    generator.zext_to(loaded, 64)
}

/// A 64-bit index derived from the counter in at most `most` steps.
fn index(
    generator: &mut Generator,
    fixed: &LoopInvariant,
    [counter, wide]: [ValueId; 2],
    most: usize,
) -> ValueId {
    let mut at = if generator.random.chance(50) {
        counter
    } else {
        wide
    };
    for _ in 0..generator.random.below(most + 1) {
        let bits = generator.bits(at);
        let (first, stride, high) = if bits == 64 {
            (fixed.wide[0], fixed.wide[1], fixed.wide[2])
        } else {
            (fixed.first, fixed.stride, fixed.first)
        };
        let few = 1 + generator.random.below(9) as u128;
        let few = generator.constant(bits, few);
        let flags = generator.random.pick(&[0, 0, 0, 1]);
        // One that shrinks would mostly end a loop with many checks early.
        let kinds = if fixed.kind == Kind::Convergent { 7 } else { 8 };
        at = match generator.random.below(kinds) {
            0 => generator.binary_with(Binary::Mul, flags, at, few),
            1 => generator.binary_with(Binary::Mul, 0, stride, at),
            2 => generator.binary_with(Binary::Add, flags, at, few),
            3 => generator.binary_with(Binary::Shl, 0, at, few),
            4 => generator.binary_with(Binary::Sub, 0, at, few),
            7 => generator.binary_with(Binary::Sub, 0, high, at),
            _ => generator.binary_with(Binary::Add, 0, at, first),
        };
    }
    generator.zext_to(at, 64)
}

/// Continues in a new block if the index is below the length, or, if `inclusive`, not above it.
fn check(
    generator: &mut Generator,
    index: ValueId,
    len: ValueId,
    inclusive: bool,
    checks: &mut Vec<Check>,
) {
    let (plain, exchanged) = (generator.random.chance(50), generator.random.chance(30));
    let word = match (inclusive, plain, exchanged) {
        (false, true, false) => "ult",
        (false, true, true) => "ugt",
        (false, false, false) => "uge",
        (false, false, true) => "ule",
        (true, true, false) => "ule",
        (true, true, true) => "uge",
        (true, false, false) => "ugt",
        (true, false, true) => "ult",
    };
    let (a, b) = if exchanged {
        (len, index)
    } else {
        (index, len)
    };
    let right = generator.compare(word, a, b);
    let at = generator.here();
    let next = generator.begin();
    checks.push(Check {
        at,
        right,
        plain,
        next,
        index,
    });
}

/// Generates arguments: few iterations, small arrays, and values that do not fit.
pub(super) fn input(function: &Function, random: &mut Random) -> Input {
    let some = |random: &mut Random, few: usize| {
        if random.chance(75) {
            random.below(few) as u64
        } else {
            random.interesting(64) as u64
        }
    };
    let counts = [0; 2].map(|_: usize| random.below(60));
    let is_right = random.chance(60);
    let element = |random: &mut Random, bits: u32, other: usize| {
        let number = if is_right || random.chance(90) {
            random.below(other.max(1)) as u64
        } else {
            random.interesting(bits) as u64
        };
        number & (u64::MAX >> (64 - bits))
    };
    let arrays = [0, 1].map(|n: usize| {
        let (count, other) = (counts[n], counts[1 - n]);
        let elements = (0..count).map(|_| element(random, function.elements[n], other));
        elements.collect()
    });
    Input {
        parameters: [
            some(random, 12),
            some(random, 7),
            some(random, 50),
            some(random, 60),
        ],
        launch: [0; 3],
        arrays,
        lengths: counts.map(|n| {
            let less = if random.chance(15) {
                random.below(4)
            } else {
                0
            };
            n.saturating_sub(less) as u64
        }),
        alias: None,
    }
}
