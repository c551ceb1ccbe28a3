//! Interprets generated functions by the rules of LLVM's IR, poison included.

use super::function::{
    Binary, Cast, Definition, FloatOp, Function, Ordered, Terminator, Trigonometric, ValueId,
};

/// The arguments of a call.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) parameters: [u64; 4],
    pub(super) launch: [u32; 3],
    /// The elements of the two arrays, and the lengths that are passed.
    pub(super) arrays: [Vec<u64>; 2],
    pub(super) lengths: [u64; 2],
    /// The second array is the end of the first one, from this byte on.
    pub(super) alias: Option<usize>,
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// With these results; poison matches any value.
    Returned(Vec<Option<u128>>),
    Failed(Option<u64>),
    /// Undefined behaviour, an unspecified result, or more than [`STEPS`].
    Unknown,
}

/// A convergent call (its site, its argument and zero) or an ordered access (its operation, its address and its value).
pub(super) type Event = [u64; 3];

/// All that a caller, or another thread, can observe of a call.
#[derive(Clone, Debug)]
pub(super) struct Execution {
    pub(super) outcome: Outcome,
    pub(super) trace: Vec<Event>,
    /// The bytes of the array parameters; poison matches any value.
    pub(super) memory: [Vec<Option<u8>>; 2],
}

/// Maximum number of instructions of a call.
const STEPS: usize = 4_000;

/// Poison is `None`.
type Concrete = Option<u128>;

/// The state of a call.
struct State<'a> {
    function: &'a Function,
    input: &'a Input,
    values: Vec<Concrete>,
    /// The array parameters, then the local arrays.
    memory: Vec<Vec<Option<u8>>>,
    trace: Vec<Event>,
}

impl Function {
    /// What a call does.
    pub(super) fn interpret(&self, input: &Input) -> Execution {
        let mut memory: Vec<Vec<Option<u8>>> = Vec::new();
        for (elements, bits) in input.arrays.iter().zip(self.elements) {
            let bytes = |n: &u64| {
                n.to_le_bytes()
                    .into_iter()
                    .take(bits as usize / 8)
                    .map(Some)
            };
            memory.push(elements.iter().flat_map(bytes).collect());
        }
        let locals = self.locals.iter();
        memory.extend(locals.map(|(bits, count)| vec![None; *bits as usize / 8 * count]));
        let mut state = State {
            function: self,
            input,
            values: vec![None; self.values.len()],
            memory,
            trace: Vec::new(),
        };
        let outcome = state.run().unwrap_or(Outcome::Unknown);
        state.memory.truncate(2);
        let second = state.memory.pop().unwrap_or_default();
        Execution {
            outcome,
            trace: state.trace,
            memory: [state.memory.pop().unwrap_or_default(), second],
        }
    }
}

impl State<'_> {
    fn run(&mut self) -> Option<Outcome> {
        let function = self.function;
        for (id, value) in function.values.iter().enumerate() {
            match value.definition {
                Definition::Constant(n) => self.values[id] = Some(n),
                Definition::Parameter(n) => {
                    self.values[id] = Some(self.input.parameters[n].into());
                }
                Definition::Length(n) => self.values[id] = Some(self.input.lengths[n].into()),
                _ => {}
            }
        }
        let (mut at, mut from, mut steps) = (0, 0, 0);
        loop {
            let ids = &function.blocks[at].values;
            // Phis read the values before the block is entered.
            let mut merged = Vec::new();
            for id in ids {
                if let Definition::Phi(arms) = &function.values[*id].definition {
                    let arm = arms.iter().find(|(b, _)| *b == from)?.1;
                    merged.push((*id, self.values[arm]));
                }
            }
            for (id, value) in merged {
                self.values[id] = value;
            }
            for id in ids {
                self.values[*id] = self.value(*id)?;
            }
            steps += ids.len() + 1;
            if steps > STEPS {
                return None;
            }
            from = at;
            at = match &function.blocks[at].end {
                Terminator::Br(next) => *next,
                Terminator::CondBr(which, yes, no) => {
                    *(if self.values[*which]? == 1 { yes } else { no })
                }
                Terminator::Switch(which, cases, default) => {
                    let which = self.values[*which]?;
                    let case = cases.iter().find(|(n, _)| *n == which);
                    case.map_or(*default, |(_, to)| *to)
                }
                Terminator::Ret(results) => {
                    let results = results.iter().map(|id| self.values[*id]);
                    return Some(Outcome::Returned(results.collect()));
                }
                Terminator::Panic(index) => {
                    return Some(Outcome::Failed(self.values[*index].map(|i| i as u64)));
                }
            };
        }
    }

    /// The bytes of an array element; `None` if it is out of bounds.
    fn element(&mut self, array: usize, index: u64) -> Option<(Place, &mut [Option<u8>])> {
        let size = self.function.element_bits(array) as usize / 8;
        let (region, base) = match self.input.alias {
            Some(offset) if array == 1 => (0, offset),
            _ => (array, 0),
        };
        let offset = usize::try_from(index).ok()?.checked_mul(size)? + base;
        let bytes = self.memory[region].get_mut(offset..offset.checked_add(size)?)?;
        Some(((region as u64) << 32 | offset as u64, bytes))
    }

    fn load(&mut self, array: usize, index: u64) -> Option<(Place, Concrete)> {
        let (place, bytes) = self.element(array, index)?;
        let mut value = Some(0);
        for byte in bytes.iter().rev() {
            value = value.zip(*byte).map(|(v, b)| v << 8 | u128::from(b));
        }
        Some((place, value))
    }

    fn store(&mut self, array: usize, index: u64, value: Concrete) -> Option<Place> {
        let (place, bytes) = self.element(array, index)?;
        for (n, byte) in bytes.iter_mut().enumerate() {
            *byte = value.map(|v| (v >> (8 * n)) as u8);
        }
        Some(place)
    }

    /// `None` if it is undefined behaviour.
    fn value(&mut self, id: ValueId) -> Option<Concrete> {
        let function = self.function;
        let bits = function.values[id].bits;
        let of = |id: &ValueId| self.values[*id];
        let bits_of = |id: &ValueId| function.values[*id].bits;
        let value = match &function.values[id].definition {
            Definition::Constant(_)
            | Definition::Parameter(_)
            | Definition::Length(_)
            | Definition::Phi(_) => of(&id),
            Definition::Register(n) => Some(self.input.launch[*n].into()),
            Definition::Binary(Binary::UDiv | Binary::URem, _, _, by)
                if of(by).is_none_or(|n| n == 0) =>
            {
                return None;
            }
            Definition::Binary(op, flags, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => binary(*op, *flags, bits, a, b),
                _ => None,
            },
            Definition::Cast(op, flags, from) => {
                of(from).and_then(|n| cast(*op, *flags, bits_of(from), bits, n))
            }
            Definition::Compare(op, flags, a, b) => match (of(a), of(b)) {
                (Some(a0), Some(b0)) => compare(*op, *flags, bits_of(a), a0, b0),
                _ => None,
            },
            Definition::Select(which, a, b) => match of(which) {
                Some(1) => of(a),
                Some(_) => of(b),
                None => None,
            },
            // Frozen poison is unspecified: it stays a wildcard.
            Definition::Freeze(from) => of(from),
            Definition::Float(op, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => Some(float(*op, bits, a, b)),
                _ => None,
            },
            Definition::Saturate(is_signed, from) => {
                of(from).map(|n| saturated(*is_signed, bits, bits_of(from), n))
            }
            Definition::Trigonometric(calls, of_value) => of(of_value).map(|bits| {
                let calls = calls.iter().map(|op| trigonometric(*op, bits as u32));
                calls
                    .fold(0u32, |sum, n| sum.wrapping_mul(31).wrapping_add(n))
                    .into()
            }),
            _ => return self.effect(id),
        };
        Some(value)
    }

    /// An access of memory or a convergent call.
    fn effect(&mut self, id: ValueId) -> Option<Concrete> {
        let function = self.function;
        match &function.values[id].definition {
            Definition::Load(array, indices) => {
                let mut sum = 0u64;
                for index in indices {
                    sum = sum.wrapping_add(self.values[*index]? as u64);
                }
                self.load(*array, sum).map(|(_, value)| value)
            }
            Definition::Store(array, index, value) => {
                let (index, value) = (self.values[*index]? as u64, self.values[*value]);
                self.store(*array, index, value).map(|_| None)
            }
            Definition::Ordered(op, array, index, value) => {
                let (index, given) = (self.values[*index]? as u64, self.values[*value]?);
                let (place, old) = self.load(*array, index)?;
                let old = old?;
                let top = top(function.element_bits(*array));
                let (event, new) = match op {
                    Ordered::VolatileLoad => ([VOLATILE_LOAD, place, old as u64], None),
                    Ordered::VolatileStore => ([VOLATILE_STORE, place, given as u64], Some(given)),
                    Ordered::AtomicAdd => {
                        ([ATOMIC_ADD, place, given as u64], Some((old + given) & top))
                    }
                };
                if new.is_some() {
                    self.store(*array, index, new)?;
                }
                self.trace.push(event);
                Some(Some(old))
            }
            Definition::Convergent(_, argument) => {
                let argument = self.values[*argument]? as u64;
                let count = self.trace.len() as u64;
                self.trace.push([id as u64, argument, 0]);
                Some(Some(convergent_result(id as u64, argument, count).into()))
            }
            Definition::Copy(copy) => {
                let overlap = copy.to.0 == copy.from.0 || self.input.alias.is_some();
                if overlap && !copy.may_overlap {
                    return None;
                }
                let at = |(array, offset): (usize, usize)| match self.input.alias {
                    Some(base) if array == 1 => (0, base + offset),
                    _ => (array, offset),
                };
                let (from, to) = (at(copy.from), at(copy.to));
                let bytes = self.memory[from.0]
                    .get(from.1..from.1 + copy.bytes)?
                    .to_vec();
                let target = self.memory[to.0].get_mut(to.1..to.1 + copy.bytes)?;
                target.copy_from_slice(&bytes);
                Some(None)
            }
            _ => unreachable!("no effect"),
        }
    }
}

/// A region of memory in the upper half, a byte offset in the lower half.
type Place = u64;

/// Operations of [`Event`]s that are no call sites.
pub(super) const VOLATILE_LOAD: u64 = 1 << 32;
pub(super) const VOLATILE_STORE: u64 = 2 << 32;
pub(super) const ATOMIC_ADD: u64 = 3 << 32;

/// What a convergent call returns after so many events; the host computes the same.
fn convergent_result(site: u64, argument: u64, count: u64) -> u64 {
    let mixed = (site ^ argument.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_add(count)
}

/// Opaque functions on the bits of an `f32`; the host computes the same.
fn trigonometric(op: Trigonometric, bits: u32) -> u32 {
    let factor = if op == Trigonometric::Sin {
        0x9e37_79b1
    } else {
        0x85eb_ca77
    };
    (bits ^ bits >> 15).wrapping_mul(factor) & 0x3fff_ffff
}

fn float(op: FloatOp, bits: u32, a: u128, b: u128) -> u128 {
    macro_rules! compute {
        ($float:ty, $int:ty) => {{
            let (a, b) = (
                <$float>::from_bits(a as $int),
                <$float>::from_bits(b as $int),
            );
            let result = match op {
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
            };
            if result.is_nan() {
                0
            } else {
                result.to_bits().into()
            }
        }};
    }
    if bits == 32 {
        compute!(f32, u32)
    } else {
        compute!(f64, u64)
    }
}

/// The integer nearest to the number without its fraction; zero for NaN.
fn saturated(is_signed: bool, bits: u32, from: u32, n: u128) -> u128 {
    let number = match from {
        32 => f32::from_bits(n as u32).into(),
        _ => f64::from_bits(n as u64),
    };
    if is_signed {
        let most = i128::from(i64::MAX >> (64 - bits));
        (number as i128).clamp(-most - 1, most).cast_unsigned() & top(bits)
    } else {
        (number as u128).min(top(bits))
    }
}

fn top(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

/// Sign extension.
fn signed(bits: u32, n: u128) -> i128 {
    (n.cast_signed() << (128 - bits)) >> (128 - bits)
}

fn binary(how: Binary, flags: u8, bits: u32, a: u128, b: u128) -> Concrete {
    let (nuw, nsw) = (flags & 1 == 1, flags & 2 == 2);
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    // Poison where a flag forbids the unsigned or the signed overflow.
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
        Binary::Cttz => Some(a.trailing_zeros().min(bits).into()),
        Binary::UMin => Some(a.min(b)),
        Binary::UMax => Some(a.max(b)),
        Binary::USubSat => Some(a.saturating_sub(b)),
        Binary::SMin => Some(sa.min(sb).cast_unsigned() & top(bits)),
        Binary::SMax => Some(sa.max(sb).cast_unsigned() & top(bits)),
    }
}

fn cast(how: Cast, flags: u8, from: u32, to: u32, n: u128) -> Concrete {
    let with_sign = signed(from, n);
    match how {
        Cast::ZExt => (flags & 1 == 0 || with_sign >= 0).then_some(n),
        Cast::SExt => Some(with_sign.cast_unsigned() & top(to)),
        Cast::Trunc => {
            let left = n & top(to);
            let holds = flags & 1 == 0 || left == n;
            let holds_with_sign = flags & 2 == 0 || signed(to, left) == with_sign;
            (holds && holds_with_sign).then_some(left)
        }
    }
}

/// In the order of [`COMPARISONS`](super::function::COMPARISONS).
fn compare(how: usize, flags: u8, bits: u32, a: u128, b: u128) -> Concrete {
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
