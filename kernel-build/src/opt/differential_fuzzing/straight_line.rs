//! Generator of functions without loops: index arithmetic of launches, and any other arithmetic.

use super::function::{Binary, Definition, Function, REGISTERS, Terminator, ValueId};
use super::generator::{Generator, Random};
use super::interpreter::Input;

/// Generates a function, some with a branch.
pub(super) fn function(seed: u64) -> Function {
    let mut generator = Generator::new(seed);
    for n in 0..4 {
        generator.define(64, Definition::Parameter(n));
    }
    for n in 0..REGISTERS.len() {
        generator.define(32, Definition::Register(n));
    }
    some_steps(&mut generator);
    if generator.random.chance(30) {
        diamond(&mut generator);
    }
    let results = generator.results();
    generator.end(Terminator::Ret(results));
    generator.function
}

/// Generates a function that counts trailing zeros, often of zero.
pub(super) fn with_zeros(seed: u64) -> Function {
    let mut generator = Generator::new(seed);
    for n in 0..4 {
        generator.define(64, Definition::Parameter(n));
    }
    for _ in 0..3 {
        let bits = generator.random.pick(&[32, 64]);
        let number = generator.any_value(bits);
        let mask = generator.interesting(bits);
        let masked = generator.binary_with(Binary::And, 0, number, mask);
        generator.binary_with(Binary::Cttz, 0, masked, masked);
        generator.step();
    }
    let results = generator.results();
    generator.end(Terminator::Ret(results));
    generator.function
}

/// Generates a function that converts floats of all sizes, often ones at the ends of an integer's range.
pub(super) fn with_saturating_casts(seed: u64) -> Function {
    let mut generator = Generator::new(seed);
    for n in 0..4 {
        generator.define(64, Definition::Parameter(n));
    }
    for _ in 0..4 {
        let (from, to) = (
            generator.random.pick(&[32, 64]),
            generator.random.pick(&[8, 16, 32, 64]),
        );
        let is_signed = generator.random.chance(50);
        let number = match generator.random.below(4) {
            0 => generator.any_value(from),
            which => {
                let bits = float_at_an_end(&mut generator.random, from, to - u32::from(is_signed));
                let bits = if which == 1 {
                    bits | 1 << (from - 1)
                } else {
                    bits
                };
                generator.constant(from, bits)
            }
        };
        generator.define(to, Definition::Saturate(is_signed, number));
        generator.step();
    }
    let results = generator.results();
    generator.end(Terminator::Ret(results));
    generator.function
}

/// Bits of a float beside a power of two, or of a NaN or an infinity.
fn float_at_an_end(random: &mut Random, from: u32, power: u32) -> u128 {
    let special = random.chance(20);
    let off = random.below(3) as u64;
    let (bits, infinity): (u64, u64) = match from {
        32 => {
            let end = 2f32.powi(power.cast_signed()).to_bits();
            (end.into(), f32::INFINITY.to_bits().into())
        }
        _ => (
            2f64.powi(power.cast_signed()).to_bits(),
            f64::INFINITY.to_bits(),
        ),
    };
    let bits = if special { infinity } else { bits };
    u128::from(match special {
        true => bits + off,
        false => bits + off - 1,
    })
}

/// Two branches that join, and a phi of a value from each.
fn diamond(generator: &mut Generator) {
    let which = generator.any_value(1);
    let (before, bits) = (generator.here(), generator.width());
    let scope = generator.scope.clone();
    let arm = |generator: &mut Generator| {
        let at = generator.begin();
        generator.scope.clone_from(&scope);
        some_steps(generator);
        (at, generator.any_value(bits), generator.here())
    };
    let (first, a, first_end) = arm(generator);
    let (second, b, second_end) = arm(generator);
    generator.scope = scope;
    let join = generator.begin();
    generator.define(bits, Definition::Phi(vec![(first_end, a), (second_end, b)]));
    some_steps(generator);
    generator.function.blocks[before].end = Terminator::CondBr(which, first, second);
    generator.function.blocks[first_end].end = Terminator::Br(join);
    generator.function.blocks[second_end].end = Terminator::Br(join);
}

fn some_steps(generator: &mut Generator) {
    for _ in 0..2 + generator.random.below(6) {
        match generator.random.below(9) {
            0 => bit_field(generator),
            1 => two_comparisons(generator),
            2 => product(generator),
            3 => generator.narrow_extrema(),
            _ => generator.step(),
        };
    }
}

/// A special register, or a value that is known to be small.
fn small(generator: &mut Generator) -> ValueId {
    if generator.random.chance(60) {
        let n = generator.random.below(REGISTERS.len());
        return generator.define(32, Definition::Register(n));
    }
    let some = generator.any_value(32);
    let mask = generator.random.pick(&[1, 31, 255, 1023, 65535]);
    let mask = generator.constant(32, mask);
    generator.binary_with(Binary::And, 0, some, mask)
}

/// A bit field is extracted from `high << k | low`: the right one, or one next to it.
fn bit_field(generator: &mut Generator) -> ValueId {
    let k = generator.random.below(20);
    let (high, low) = (small(generator), small(generator));
    let by = generator.constant(32, k as u128);
    let flags = generator.random.pick(&[0, 1, 1, 3]);
    let above = generator.binary_with(Binary::Shl, flags, high, by);
    let (how, flags) = generator.random.pick(&[
        (Binary::Or, 1),
        (Binary::Or, 0),
        (Binary::Add, 0),
        (Binary::Add, 1),
    ]);
    let (a, b) = if generator.random.chance(50) {
        (above, low)
    } else {
        (low, above)
    };
    let mut both = generator.binary_with(how, flags, a, b);
    let bits = generator.random.pick(&[32, 64, 64, 128]);
    both = generator.zext_to(both, bits);
    let near = (k + generator.random.pick(&[0, 0, 0, 1])).saturating_sub(generator.random.below(2));
    match generator.random.below(3) {
        0 => {
            let mask = generator.constant(bits, (1 << near) - 1);
            generator.binary_with(Binary::And, 0, both, mask)
        }
        1 => {
            let by = generator.constant(bits, near as u128);
            generator.binary_with(Binary::LShr, 0, both, by)
        }
        _ => {
            let less = generator.random.pick(&[low, low, above, high]);
            let less = generator.zext_to(less, bits);
            generator.binary(Binary::Sub, both, less)
        }
    }
}

/// Two comparisons of small values with a length, joined by a logical operation.
fn two_comparisons(generator: &mut Generator) -> ValueId {
    let len = generator.any_value(64);
    let other = if generator.random.chance(80) {
        len
    } else {
        generator.any_value(64)
    };
    let word = generator.random.pick(&["ult", "ult", "uge", "ugt", "ule"]);
    let asked = |generator: &mut Generator, len| {
        let number = small(generator);
        let number = generator.zext_to(number, 64);
        let exchanged = match word {
            "ult" => "ugt",
            "uge" => "ule",
            "ugt" => "ult",
            _ => "uge",
        };
        if generator.random.chance(50) {
            generator.compare(word, number, len)
        } else {
            generator.compare(exchanged, len, number)
        }
    };
    let (a, b) = (asked(generator, len), asked(generator, other));
    let (yes, no) = (generator.constant(1, 1), generator.constant(1, 0));
    match generator.random.below(4) {
        0 => generator.binary_with(Binary::And, 0, a, b),
        1 => generator.binary_with(Binary::Or, 0, a, b),
        2 => generator.define(1, Definition::Select(a, b, no)),
        _ => generator.define(1, Definition::Select(a, yes, b)),
    }
}

/// A product of factors whose upper halves are zero, or nearly zero.
fn product(generator: &mut Generator) -> ValueId {
    let factor = |generator: &mut Generator| {
        let wide = generator.any_value(64);
        let cut = match generator.random.below(4) {
            0 => {
                let by = generator.random.pick(&[31, 32, 32, 40]);
                let by = generator.constant(64, by);
                generator.binary_with(Binary::LShr, 0, wide, by)
            }
            1 => {
                let mask = generator
                    .random
                    .pick(&[0xffff_ffff, 0xffff_ffff, 0x1_ffff_ffff, 255]);
                let mask = generator.constant(64, mask);
                generator.binary_with(Binary::And, 0, wide, mask)
            }
            2 => generator.interesting(64),
            _ => {
                let narrow = generator.any_value(32);
                generator.zext_to(narrow, 64)
            }
        };
        if generator.random.chance(50) {
            return cut;
        }
        let narrow = generator.any_value(32);
        let other = generator.zext_to(narrow, 64);
        let how = generator
            .random
            .pick(&[Binary::And, Binary::Or, Binary::Xor]);
        generator.binary_with(how, 0, cut, other)
    };
    let (a, b) = (factor(generator), factor(generator));
    generator.binary(Binary::Mul, a, b)
}

/// Generates arguments.
pub(super) fn input(function: &Function, random: &mut Random) -> Input {
    Input {
        parameters: [0; 4].map(|_: u64| random.interesting(64) as u64),
        launch: function.launch.map(|end| match random.below(4) {
            0 => 0,
            1 => end - 1,
            _ => random.below(end as usize) as u32,
        }),
        arrays: [vec![], vec![]],
        lengths: [0; 2],
        alias: None,
    }
}
