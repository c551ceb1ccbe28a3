//! Enums with data, patterns, `Option` and `Result` with `?`.

use std::num::NonZeroU32;

use crate::{N, agree, noise};

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Point,
    Circle(f32),
    Rectangle { width: f32, height: f32 },
    Polygon { sides: u8, points: [i16; 3] },
}

impl Shape {
    fn from_bits(bits: u32) -> Shape {
        let part = |shift: u32| (bits >> shift & 0xff) as f32;
        match bits % 4 {
            0 => Shape::Point,
            1 => Shape::Circle(part(8)),
            2 => Shape::Rectangle {
                width: part(8),
                height: part(16),
            },
            _ => Shape::Polygon {
                sides: (bits >> 24) as u8,
                points: [bits as i16, (bits >> 8) as i16, -7],
            },
        }
    }

    fn measure(self) -> f32 {
        match self {
            Shape::Point => 0.0,
            Shape::Circle(r) if r > 128.0 => r * r,
            Shape::Circle(r) => r,
            Shape::Rectangle { width, height } => width * height,
            Shape::Polygon {
                sides: sides @ 0..=99,
                points: [a, .., c],
            } => f32::from(sides) + f32::from(a) - f32::from(c),
            Shape::Polygon { points, .. } => points.iter().map(|p| f32::from(*p)).sum(),
        }
    }
}

fn shapes(x: &[u32], i: usize) -> [f32; 2] {
    let shapes = [x[i], x[x.len() - 1 - i], 3].map(Shape::from_bits);
    let points = shapes.iter().filter(|s| **s == Shape::Point).count();
    [shapes.iter().map(|s| s.measure()).sum(), points as f32]
}

#[test]
fn enums_with_data() {
    agree(&noise(N), shapes);
}

fn third_root_below(v: u32, limit: u32) -> Option<u32> {
    let divided = v.checked_div(limit % 5)?;
    let nonzero = NonZeroU32::new(divided % 1000)?;
    let root = (1..=limit).find(|r| r * r * r >= nonzero.get())?;
    (root < limit).then_some(root)
}

fn options(x: &[u32], i: usize) -> [u32; 4] {
    let found = third_root_below(x[i], i as u32 % 12);
    let next = x.get(i + 1).copied().filter(|v| v % 2 == 0);
    let both = found.zip(next).map(|(a, b)| a ^ b);
    let mut taken = found;
    let old = taken.take().or(next).unwrap_or(i as u32);
    let Some(last) = x.last() else { return [0; 4] };
    [
        old,
        both.unwrap_or_default(),
        u32::from(taken.is_none()),
        if let Some(a) = next
            && a > *last
        {
            a
        } else {
            1
        },
    ]
}

#[test]
fn options_and_early_return() {
    agree(&noise(N), options);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Refusal {
    Small(u32),
    Digit { at: usize },
    TooLarge,
}

impl From<std::num::TryFromIntError> for Refusal {
    fn from(_: std::num::TryFromIntError) -> Refusal {
        Refusal::TooLarge
    }
}

fn decode(v: u32) -> Result<u8, Refusal> {
    if v < 1 << 20 {
        return Err(Refusal::Small(v));
    }
    let digits = [v % 10, v / 10 % 10, v / 100 % 10];
    if let Some(at) = digits.iter().position(|d| *d == 7) {
        return Err(Refusal::Digit { at });
    }
    Ok(u8::try_from(v >> 23)?)
}

fn results(x: &[u32], i: usize) -> u32 {
    let outcomes = [decode(x[i]), decode(x[i] >> 1), decode(x[i] >> 10)];
    let worst = outcomes.iter().filter_map(|o| o.err()).max();
    let all: Result<u32, Refusal> = outcomes.into_iter().map(|o| o.map(u32::from)).sum();
    match (all, worst) {
        (Ok(sum), None) => sum,
        (Err(Refusal::Small(v)), _) => v,
        (Err(Refusal::Digit { at }), Some(Refusal::TooLarge)) => at as u32 + 1000,
        (Err(Refusal::Digit { at }), _) => at as u32,
        (Err(Refusal::TooLarge), _) => 77,
        (Ok(_), Some(_)) => unreachable!("the sum has no errors"),
    }
}

#[test]
fn results_with_errors_of_two_types() {
    agree(&noise(N), results);
}

/// A state machine over the bits: the state carries data from one variant to the next.
enum Reader {
    Idle,
    Run { length: u32 },
    Escape(u8, u32),
}

fn machine(x: &[u32], i: usize) -> [u32; 2] {
    let (mut state, mut longest, mut escapes) = (Reader::Idle, 0, 0);
    for bit in (0..64).map(|k| x[(i + k / 32) % x.len()] >> (k % 32) & 1) {
        state = match (state, bit) {
            (Reader::Idle, 0) => Reader::Idle,
            (Reader::Idle, _) => Reader::Run { length: 1 },
            (Reader::Run { length }, 1) => Reader::Run { length: length + 1 },
            (Reader::Run { length: 1 | 2 }, _) => Reader::Escape(2, 0),
            (Reader::Run { length }, _) => {
                longest = longest.max(length);
                Reader::Idle
            }
            (Reader::Escape(0, sum), _) => {
                escapes += sum;
                Reader::Idle
            }
            (Reader::Escape(left, sum), bit) => Reader::Escape(left - 1, sum << 1 | bit),
        };
    }
    [longest, escapes]
}

//@ rows: GPM-13
#[test]
fn a_state_machine() {
    agree(&noise(N), machine);
}
