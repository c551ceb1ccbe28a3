//! What a function does by the rules of LLVM's IR, with poison as such.

use super::function::{Binary, Cast, End, Function, Id, Made};

/// What a function is called with.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) parameters: [u64; 4],
    pub(super) launch: [u32; 3],
    /// Elements of the two arrays, and what their lengths are said to be.
    pub(super) arrays: [Vec<u64>; 2],
    pub(super) lengths: [u64; 2],
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// With these results; what is poison may be anything.
    Returned(Vec<Option<u128>>),
    Failed(Option<u64>),
    /// Undefined, or nobody can say, or not within [`STEPS`].
    Unknown,
}

/// Instructions that a call has at most.
const STEPS: usize = 4_000;

/// Poison is `None`.
type Known = Option<u128>;

impl Function {
    /// How a call ends.
    pub(super) fn evaluate(&self, input: &Input) -> Outcome {
        self.run(input).unwrap_or(Outcome::Unknown)
    }

    fn run(&self, input: &Input) -> Option<Outcome> {
        let mut known: Vec<Known> = vec![None; self.values.len()];
        for (id, value) in self.values.iter().enumerate() {
            match value.made {
                Made::Number(n) => known[id] = Some(n),
                Made::Parameter(n) => known[id] = Some(input.parameters[n].into()),
                Made::Length(n) => known[id] = Some(input.lengths[n].into()),
                _ => {}
            }
        }
        let (mut at, mut from, mut steps) = (0, 0, 0);
        loop {
            let values = &self.blocks[at].values;
            // Phis take what was before all of them.
            let mut merged = Vec::new();
            for id in values {
                if let Made::Phi(ways) = &self.values[*id].made {
                    let way = ways.iter().find(|(b, _)| *b == from)?.1;
                    merged.push((*id, known[way]));
                }
            }
            for (id, value) in merged {
                known[id] = value;
            }
            for id in values {
                known[*id] = self.value(*id, &known, input)?;
            }
            steps += values.len();
            if steps > STEPS {
                return None;
            }
            from = at;
            at = match &self.blocks[at].end {
                End::To(next) => *next,
                End::Branch(which, yes, no) => *(if known[*which]? == 1 { yes } else { no }),
                End::Return(results) => {
                    let results = results.iter().map(|id| known[*id]);
                    return Some(Outcome::Returned(results.collect()));
                }
                End::Fail(index) => return Some(Outcome::Failed(known[*index].map(|i| i as u64))),
            };
        }
    }

    /// `None` if it is undefined behaviour.
    fn value(&self, id: Id, known: &[Known], input: &Input) -> Option<Known> {
        let bits = self.values[id].bits;
        let of = |id: &Id| known[*id];
        let value = match &self.values[id].made {
            Made::Number(_) | Made::Parameter(_) | Made::Length(_) | Made::Phi(_) => of(&id),
            Made::Launch(n) => Some(input.launch[*n].into()),
            Made::Binary(Binary::UDiv | Binary::URem, _, _, by)
                if of(by).is_none_or(|n| n == 0) =>
            {
                return None;
            }
            Made::Binary(how, flags, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => binary(*how, *flags, bits, a, b),
                _ => None,
            },
            Made::Cast(how, flags, from) => {
                of(from).and_then(|n| cast(*how, *flags, self.values[*from].bits, bits, n))
            }
            Made::Compare(how, flags, a, b) => match (of(a), of(b)) {
                (Some(a0), Some(b0)) => compare(*how, *flags, self.values[*a].bits, a0, b0),
                _ => None,
            },
            Made::Select(which, a, b) => match of(which) {
                Some(1) => of(a),
                Some(_) => of(b),
                None => None,
            },
            // Poison becomes some number, and nobody can say which.
            Made::Freeze(from) => of(from),
            Made::Load(array, indices) => {
                let indices: Option<Vec<u128>> = indices.iter().map(of).collect();
                let index = indices?
                    .iter()
                    .fold(0u64, |sum, n| sum.wrapping_add(*n as u64));
                let index = usize::try_from(index).ok()?;
                Some(u128::from(*input.arrays[*array].get(index)?))
            }
        };
        Some(value)
    }
}

fn top(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

/// As a number with a sign.
fn signed(bits: u32, n: u128) -> i128 {
    (n.cast_signed() << (128 - bits)) >> (128 - bits)
}

fn binary(how: Binary, flags: u8, bits: u32, a: u128, b: u128) -> Known {
    let (nuw, nsw) = (flags & 1 == 1, flags & 2 == 2);
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    // What may not wrap around, without sign and with it.
    let held = |full: Option<u128>, with_sign: Option<i128>, wrapped: u128| {
        let fits = full.is_some_and(|n| n <= top(bits));
        let fits_with_sign = with_sign.is_some_and(|n| signed(bits, n.cast_unsigned()) == n);
        ((fits || !nuw) && (fits_with_sign || !nsw)).then_some(wrapped & top(bits))
    };
    let shifts = b < bits.into();
    let exact = |lost: bool| !(flags & 1 == 1 && lost);
    match how {
        Binary::Add => held(a.checked_add(b), sa.checked_add(sb), a.wrapping_add(b)),
        Binary::Sub => held(a.checked_sub(b), sa.checked_sub(sb), a.wrapping_sub(b)),
        Binary::Mul => held(a.checked_mul(b), sa.checked_mul(sb), a.wrapping_mul(b)),
        Binary::And => Some(a & b),
        Binary::Or => exact(a & b != 0).then_some(a | b),
        Binary::Xor => Some(a ^ b),
        Binary::Shl => {
            let n = a << u32::try_from(b).ok().filter(|_| shifts)? & top(bits);
            let back = n >> b;
            let back_with_sign = signed(bits, n) >> b;
            ((back == a || !nuw) && (back_with_sign == sa || !nsw)).then_some(n)
        }
        Binary::LShr => (shifts && exact(a & !(u128::MAX << (b & 127)) != 0)).then(|| a >> b),
        Binary::AShr => (shifts && exact(a & !(u128::MAX << (b & 127)) != 0))
            .then(|| (sa >> b).cast_unsigned() & top(bits)),
        Binary::UDiv => exact(!a.is_multiple_of(b)).then(|| a / b),
        Binary::URem => Some(a % b),
        Binary::UMin => Some(a.min(b)),
        Binary::UMax => Some(a.max(b)),
        Binary::SMin => Some(sa.min(sb).cast_unsigned() & top(bits)),
        Binary::SMax => Some(sa.max(sb).cast_unsigned() & top(bits)),
    }
}

fn cast(how: Cast, flags: u8, from: u32, to: u32, n: u128) -> Known {
    let with_sign = signed(from, n);
    match how {
        Cast::Zero => (flags & 1 == 0 || with_sign >= 0).then_some(n),
        Cast::Sign => Some(with_sign.cast_unsigned() & top(to)),
        Cast::Cut => {
            let left = n & top(to);
            let holds = flags & 1 == 0 || left == n;
            let holds_with_sign = flags & 2 == 0 || signed(to, left) == with_sign;
            (holds && holds_with_sign).then_some(left)
        }
    }
}

/// By the order of [`COMPARISONS`](super::function::COMPARISONS).
fn compare(how: usize, flags: u8, bits: u32, a: u128, b: u128) -> Known {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    if flags & 1 == 1 && (sa < 0) != (sb < 0) {
        return None;
    }
    let is = match how {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a <= b,
        4 => a > b,
        5 => a >= b,
        6 => sa < sb,
        7 => sa <= sb,
        8 => sa > sb,
        _ => sa >= sb,
    };
    Some(is.into())
}
