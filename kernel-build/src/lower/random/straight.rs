//! Functions without loops: index arithmetic as launches bring it about, and any other.

use super::evaluate::Input;
use super::function::{Binary, End, Function, Id, LAUNCH, Made};
use super::maker::{Maker, Random};

/// One of them, with a branch in some.
pub(super) fn function(seed: u64) -> Function {
    let mut maker = Maker::new(seed);
    for n in 0..4 {
        maker.make(64, Made::Parameter(n));
    }
    for n in 0..LAUNCH.len() {
        maker.make(32, Made::Launch(n));
    }
    some_steps(&mut maker);
    if maker.random.chance(30) {
        diamond(&mut maker);
    }
    let results = maker.results();
    maker.end(End::Return(results));
    maker.function
}

/// Two ways that meet again, and a number from each.
fn diamond(maker: &mut Maker) {
    let which = maker.some(1);
    let (before, bits) = (maker.here(), maker.width());
    let seen = maker.seen.clone();
    let way = |maker: &mut Maker| {
        let at = maker.begin();
        maker.seen.clone_from(&seen);
        some_steps(maker);
        (at, maker.some(bits), maker.here())
    };
    let (first, a, first_end) = way(maker);
    let (second, b, second_end) = way(maker);
    maker.seen = seen;
    let meeting = maker.begin();
    maker.make(bits, Made::Phi(vec![(first_end, a), (second_end, b)]));
    some_steps(maker);
    maker.function.blocks[before].end = End::Branch(which, first, second);
    maker.function.blocks[first_end].end = End::To(meeting);
    maker.function.blocks[second_end].end = End::To(meeting);
}

fn some_steps(maker: &mut Maker) {
    for _ in 0..2 + maker.random.below(6) {
        match maker.random.below(8) {
            0 => taken_apart(maker),
            1 => two_comparisons(maker),
            2 => product(maker),
            _ => maker.step(),
        };
    }
}

/// A number of the launch, or what is seen to be small.
fn small(maker: &mut Maker) -> Id {
    if maker.random.chance(60) {
        let n = maker.random.below(LAUNCH.len());
        return maker.make(32, Made::Launch(n));
    }
    let some = maker.some(32);
    let mask = maker.random.one_of(&[1, 31, 255, 1023, 65535]);
    let mask = maker.number(32, mask);
    maker.plainly(Binary::And, 0, some, mask)
}

/// `high << k | low`, of which a part is asked for: the right one, or one next to it.
fn taken_apart(maker: &mut Maker) -> Id {
    let k = maker.random.below(20);
    let (high, low) = (small(maker), small(maker));
    let by = maker.number(32, k as u128);
    let flags = maker.random.one_of(&[0, 1, 1, 3]);
    let above = maker.plainly(Binary::Shl, flags, high, by);
    let (how, flags) = maker.random.one_of(&[
        (Binary::Or, 1),
        (Binary::Or, 0),
        (Binary::Add, 0),
        (Binary::Add, 1),
    ]);
    let (a, b) = if maker.random.chance(50) {
        (above, low)
    } else {
        (low, above)
    };
    let mut both = maker.plainly(how, flags, a, b);
    let bits = maker.random.one_of(&[32, 64, 64, 128]);
    both = maker.widened(both, bits);
    let near = (k + maker.random.one_of(&[0, 0, 0, 1])).saturating_sub(maker.random.below(2));
    match maker.random.below(3) {
        0 => {
            let mask = maker.number(bits, (1 << near) - 1);
            maker.plainly(Binary::And, 0, both, mask)
        }
        1 => {
            let by = maker.number(bits, near as u128);
            maker.plainly(Binary::LShr, 0, both, by)
        }
        _ => {
            let less = maker.random.one_of(&[low, low, above, high]);
            let less = maker.widened(less, bits);
            maker.binary(Binary::Sub, both, less)
        }
    }
}

/// Whether two small numbers are below a length, or one of them, or not.
fn two_comparisons(maker: &mut Maker) -> Id {
    let len = maker.some(64);
    let other = if maker.random.chance(80) {
        len
    } else {
        maker.some(64)
    };
    let word = maker.random.one_of(&["ult", "ult", "uge", "ugt", "ule"]);
    let asked = |maker: &mut Maker, len| {
        let number = small(maker);
        let number = maker.widened(number, 64);
        let exchanged = match word {
            "ult" => "ugt",
            "uge" => "ule",
            "ugt" => "ult",
            _ => "uge",
        };
        if maker.random.chance(50) {
            maker.compare(word, number, len)
        } else {
            maker.compare(exchanged, len, number)
        }
    };
    let (a, b) = (asked(maker, len), asked(maker, other));
    let (yes, no) = (maker.number(1, 1), maker.number(1, 0));
    match maker.random.below(4) {
        0 => maker.plainly(Binary::And, 0, a, b),
        1 => maker.plainly(Binary::Or, 0, a, b),
        2 => maker.make(1, Made::Select(a, b, no)),
        _ => maker.make(1, Made::Select(a, yes, b)),
    }
}

/// Of factors whose upper halves are zeros, or nearly so.
fn product(maker: &mut Maker) -> Id {
    let factor = |maker: &mut Maker| {
        let wide = maker.some(64);
        let cut = match maker.random.below(4) {
            0 => {
                let by = maker.random.one_of(&[31, 32, 32, 40]);
                let by = maker.number(64, by);
                maker.plainly(Binary::LShr, 0, wide, by)
            }
            1 => {
                let mask = maker
                    .random
                    .one_of(&[0xffff_ffff, 0xffff_ffff, 0x1_ffff_ffff, 255]);
                let mask = maker.number(64, mask);
                maker.plainly(Binary::And, 0, wide, mask)
            }
            2 => maker.edge(64),
            _ => {
                let narrow = maker.some(32);
                maker.widened(narrow, 64)
            }
        };
        if maker.random.chance(50) {
            return cut;
        }
        let narrow = maker.some(32);
        let other = maker.widened(narrow, 64);
        let how = maker.random.one_of(&[Binary::And, Binary::Or, Binary::Xor]);
        maker.plainly(how, 0, cut, other)
    };
    let (a, b) = (factor(maker), factor(maker));
    maker.binary(Binary::Mul, a, b)
}

/// Numbers to call it with.
pub(super) fn input(function: &Function, random: &mut Random) -> Input {
    Input {
        parameters: [0; 4].map(|_: u64| random.edge(64) as u64),
        launch: function.launch.map(|end| match random.below(4) {
            0 => 0,
            1 => end - 1,
            _ => random.below(end as usize) as u32,
        }),
        arrays: [vec![], vec![]],
        lengths: [0; 2],
    }
}
