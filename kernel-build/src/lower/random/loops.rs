//! Functions with a loop, as rustc and LLVM leave those of kernels: a counter, indices that grow with it or come from memory, checks that end in a panic.

use super::evaluate::Input;
use super::function::{At, Binary, End, Function, Id, Made};
use super::maker::{Maker, Random};

/// What rounds do.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Anything of it.
    Any,
    /// They look for what one array says in the other, as `late_checks` wants it.
    Gathers,
    /// They read what lies at even distances, unchecked, as `walks` wants it.
    Columns,
}

/// What is the same in each round.
struct Fixed {
    kind: Kind,
    /// Two numbers as wide as the counter, the first and the stride.
    first: Id,
    stride: Id,
    /// The same and one more, of 64 bits.
    wide: [Id; 3],
    lengths: [Id; 2],
}

/// A branch to a panic, so far without it.
struct Check {
    at: At,
    right: Id,
    /// Whether it goes on where `right` is true.
    plain: bool,
    next: At,
    index: Id,
}

/// One of them.
pub(super) fn function(seed: u64) -> Function {
    let mut maker = Maker::new(seed);
    let kind = maker
        .random
        .one_of(&[Kind::Any, Kind::Any, Kind::Gathers, Kind::Columns]);
    let bits = if kind == Kind::Any {
        maker.random.one_of(&[64, 64, 32])
    } else {
        64
    };
    let numbers: [Id; 4] = std::array::from_fn(|n| maker.make(64, Made::Parameter(n)));
    let narrow = numbers.map(|v| {
        if bits == 64 {
            return v;
        }
        let how = super::function::Cast::Cut;
        maker.make(bits, Made::Cast(how, 0, v))
    });
    let fixed = Fixed {
        kind,
        first: narrow[0],
        stride: narrow[1],
        wide: [numbers[0], numbers[1], numbers[3]],
        lengths: [0, 1].map(|n| maker.make(64, Made::Length(n))),
    };
    let few = maker.random.below(20) as u128;
    let start = match maker.random.below(3) {
        0 => fixed.first,
        1 => maker.number(bits, few),
        _ => maker.number(bits, 0),
    };
    let by = maker.random.one_of(&[2, 3, 8, 32]);
    let step = match maker.random.below(4) {
        _ if kind == Kind::Gathers => maker.number(bits, 1),
        0 => fixed.stride,
        1 => maker.number(bits, by),
        _ => maker.number(bits, 1),
    };
    let end = if maker.random.chance(80) {
        narrow[2]
    } else {
        maker.number(bits, few + 9)
    };
    around(&mut maker, &fixed, bits, [start, step, end]);
    maker.function
}

/// The loop, from the way in to what follows it.
fn around(maker: &mut Maker, fixed: &Fixed, bits: u32, [start, step, end]: [Id; 3]) {
    let second = second(maker, start, step);
    let guard = maker
        .random
        .chance(60)
        .then(|| maker.compare("ult", start, end));
    let before = maker.here();
    let head = maker.begin();
    let counter = maker.make(bits, Made::Phi(vec![]));
    let ahead = maker
        .random
        .chance(30)
        .then(|| maker.make(bits, Made::Phi(vec![])));
    let sum = maker.make(64, Made::Phi(vec![]));
    let wide = maker.widened(counter, 64);
    let mut checks = Vec::new();
    let mut added = sum;
    for _ in 0..1 + maker.random.below(3) {
        let value = stage(maker, fixed, [counter, wide], &mut checks);
        let factor = maker.number(64, 31);
        let grown = maker.plainly(Binary::Mul, 0, added, factor);
        added = maker.plainly(Binary::Add, 0, grown, value);
    }
    let goes_on = maker.random.chance(70);
    let (next, again) = turn(
        maker,
        ahead.unwrap_or(counter),
        [step, end],
        ahead.is_some(),
        goes_on,
    );
    let latch = maker.here();
    let done = maker.begin();
    // Behind a loop with gathers nobody asks what its last round began with.
    let last = if fixed.kind == Kind::Gathers {
        next
    } else {
        counter
    };
    maker.end(End::Return(vec![added, last]));
    let (yes, no) = if goes_on { (head, done) } else { (done, head) };
    maker.function.blocks[latch].end = End::Branch(again, yes, no);
    let none = maker.begin();
    let nothing = maker.number(64, 77);
    maker.end(End::Return(vec![nothing]));
    maker.function.blocks[before].end = guard.map_or(End::To(head), |g| End::Branch(g, head, none));
    let seven = maker.number(64, 7);
    let mut set = |phi: Id, first, next| {
        maker.function.values[phi].made = Made::Phi(vec![(before, first), (latch, next)]);
    };
    set(sum, seven, added);
    match ahead {
        Some(ahead) => {
            set(counter, start, ahead);
            set(ahead, second, next);
        }
        None => set(counter, start, next),
    }
    for check in checks {
        let bad = maker.begin();
        maker.end(End::Fail(check.index));
        maker.function.blocks[check.at].end = if check.plain {
            End::Branch(check.right, check.next, bad)
        } else {
            End::Branch(check.right, bad, check.next)
        };
    }
}

/// What the counter is in the second round, as far as it is there before the loop.
fn second(maker: &mut Maker, start: Id, step: Id) -> Id {
    let bits = maker.bits(start);
    let known = [start, step].map(|v| match maker.function.values[v].made {
        Made::Number(n) => Some(n),
        _ => None,
    });
    match known {
        [Some(a), Some(b)] => maker.number(bits, a + b),
        _ => maker.plainly(Binary::Add, 0, start, step),
    }
}

/// The next number and whether there is another round, or, if not `goes_on`, whether there is none. With `is_ahead` it is the next number that is looked
/// at before it grows, and growing may hide behind the answer.
fn turn(
    maker: &mut Maker,
    number: Id,
    [step, end]: [Id; 2],
    is_ahead: bool,
    goes_on: bool,
) -> (Id, Id) {
    let bits = maker.bits(number);
    let grown = (!is_ahead).then(|| maker.plainly(Binary::Add, 0, number, step));
    let seen = grown.unwrap_or(number);
    let by_one = matches!(maker.function.values[step].made, Made::Number(1));
    let word = match (goes_on, by_one && maker.random.chance(40)) {
        (true, false) => "ult",
        (false, false) => "uge",
        (true, true) => "ne",
        (false, true) => "eq",
    };
    let again = if maker.random.chance(30) && word.starts_with('u') {
        let word = if goes_on { "ugt" } else { "ule" };
        maker.compare(word, end, seen)
    } else {
        maker.compare(word, seen, end)
    };
    let next = match grown {
        Some(next) => next,
        None if goes_on && by_one && maker.random.chance(50) => {
            let one = maker.widened(again, bits);
            maker.plainly(Binary::Add, 0, number, one)
        }
        None if goes_on && maker.random.chance(50) => {
            let zero = maker.number(bits, 0);
            let by = maker.make(bits, Made::Select(again, step, zero));
            maker.plainly(Binary::Add, 0, by, number)
        }
        None => maker.plainly(Binary::Add, 0, number, step),
    };
    (next, again)
}

/// A value of 64 bits that a round adds.
fn stage(maker: &mut Maker, fixed: &Fixed, counter: [Id; 2], checks: &mut Vec<Check>) -> Id {
    let array = maker.random.below(2);
    let which = match fixed.kind {
        Kind::Any => maker.random.below(4),
        Kind::Gathers => 0,
        Kind::Columns => 1,
    };
    match which {
        0 => {
            // A gather: what one array says is looked for in the other.
            let at = index(maker, fixed, counter, 1);
            let bits = maker.function.elements[array];
            let found = maker.make(bits, Made::Load(array, vec![at]));
            let found = maker.widened(found, 64);
            check(maker, found, fixed.lengths[1 - array], false, checks);
            element(maker, 1 - array, vec![found])
        }
        1 => {
            // Nobody checks: where it is outside, nothing is said of the call.
            let mut at = index(maker, fixed, counter, 2);
            if fixed.kind == Kind::Columns {
                at = maker.plainly(Binary::Mul, 0, at, fixed.wide[1]);
            }
            let far = maker.random.chance(50).then_some(fixed.wide[2]);
            element(maker, array, [at].into_iter().chain(far).collect())
        }
        2 => {
            let at = index(maker, fixed, counter, 3);
            check(maker, at, fixed.lengths[array], false, checks);
            element(maker, array, vec![at])
        }
        _ => {
            let at = index(maker, fixed, counter, 3);
            let (inclusive, few) = (maker.random.chance(40), maker.random.below(300));
            let few = maker.number(64, few as u128);
            let len = maker.random.one_of(&[fixed.wide[2], few, fixed.lengths[0]]);
            check(maker, at, len, inclusive, checks);
            at
        }
    }
}

fn element(maker: &mut Maker, array: usize, indices: Vec<Id>) -> Id {
    let bits = maker.function.elements[array];
    let loaded = maker.make(bits, Made::Load(array, indices));
    maker.widened(loaded, 64)
}

/// A number of 64 bits that grows with the counter, in so many steps at most.
fn index(maker: &mut Maker, fixed: &Fixed, [counter, wide]: [Id; 2], most: usize) -> Id {
    let mut at = if maker.random.chance(50) {
        counter
    } else {
        wide
    };
    for _ in 0..maker.random.below(most + 1) {
        let bits = maker.bits(at);
        let (first, stride) = if bits == 64 {
            (fixed.wide[0], fixed.wide[1])
        } else {
            (fixed.first, fixed.stride)
        };
        let few = 1 + maker.random.below(9) as u128;
        let few = maker.number(bits, few);
        let flags = maker.random.one_of(&[0, 0, 0, 1]);
        at = match maker.random.below(7) {
            0 => maker.plainly(Binary::Mul, flags, at, few),
            1 => maker.plainly(Binary::Mul, 0, stride, at),
            2 => maker.plainly(Binary::Add, flags, at, few),
            3 => maker.plainly(Binary::Shl, 0, at, few),
            4 => maker.plainly(Binary::Sub, 0, at, few),
            _ => maker.plainly(Binary::Add, 0, at, first),
        };
    }
    maker.widened(at, 64)
}

/// Goes on in a new block if the index is below the length, or not above it.
fn check(maker: &mut Maker, index: Id, len: Id, inclusive: bool, checks: &mut Vec<Check>) {
    let (plain, exchanged) = (maker.random.chance(50), maker.random.chance(30));
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
    let right = maker.compare(word, a, b);
    let at = maker.here();
    let next = maker.begin();
    checks.push(Check {
        at,
        right,
        plain,
        next,
        index,
    });
}

/// Numbers to call it with: few rounds, small arrays, and what does not fit.
pub(super) fn input(function: &Function, random: &mut Random) -> Input {
    let some = |random: &mut Random, few: usize| {
        if random.chance(75) {
            random.below(few) as u64
        } else {
            random.edge(64) as u64
        }
    };
    let counts = [0; 2].map(|_: usize| random.below(60));
    let is_right = random.chance(60);
    let element = |random: &mut Random, bits: u32, other: usize| {
        let number = if is_right || random.chance(90) {
            random.below(other.max(1)) as u64
        } else {
            random.edge(bits) as u64
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
    }
}
