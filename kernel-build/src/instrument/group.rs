//! Reads that follow each other with nothing between them that others could notice, and in which addresses grow by the same step: one
//! call asks of each such row whether all of its reads tell nothing new. Only if one does, each read calls its own hook, in order.

use super::local::is_private;
use super::places::Places;
use crate::llvm::{Module, Op, TypeKind, Value};
use crate::lower::symbols::INTRINSIC;

/// Reads with one answer.
pub(super) struct Group {
    /// None: there are two reads, of 4 or of 8 bytes each.
    pub(super) rows: Vec<Row>,
    /// All of them, in the order of the code.
    pub(super) reads: Vec<Read>,
}

/// Reads of one place in the source whose addresses grow by the same step.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    /// The argument of the group that the addresses are counted from.
    pub(super) base: usize,
    /// How far behind it the lowest is.
    pub(super) first: i64,
    /// Bytes from one address to the next.
    pub(super) step: i64,
    pub(super) count: u32,
    /// The code makes them from the highest address down.
    pub(super) down: bool,
    /// The length of each.
    pub(super) bytes: u64,
    pub(super) site: u32,
}

/// One of them.
pub(super) struct Read {
    pub(super) base: usize,
    /// How far behind that its address is.
    pub(super) offset: i64,
    pub(super) bytes: u64,
    pub(super) site: u32,
}

/// Reads in a group, at most.
const MOST: usize = 128;
/// Rows in a group, at most.
const MOST_ROWS: usize = 8;
/// Reads of a row on average, at least: asking for a row takes longer than asking for one read.
const WORTH: usize = 4;
/// How deep the computation of an address is looked into.
const DEPTH: u32 = 8;

/// The group that begins with the first of these instructions, with the addresses that its rows are counted from, and how many of the
/// instructions it covers. Addresses that are computed between its reads are computed before it from now on.
pub(super) fn group<'ctx>(
    module: &Module<'ctx>,
    places: &mut Places,
    instructions: &[Value<'ctx>],
    function: &str,
) -> Option<(Group, Vec<Value<'ctx>>, usize)> {
    let start = *instructions.first()?;
    let in_block = |i: &Value<'ctx>| i.block() == start.block();
    let length = instructions.iter().take_while(|i| in_block(i)).count();
    let mut found = Finder {
        module,
        instructions: &instructions[..length],
        bases: vec![],
        rows: vec![],
        reads: vec![],
        n_before: vec![],
    };
    let covered =
        (0..length).take_while(|i| found.reads.len() < MOST && found.add(*i, places, function));
    let mut covered = covered.count();
    if found.reads.len() < found.rows.len() * WORTH || found.rows.is_empty() {
        covered = found.only_two()?;
    }
    let mut lifted = vec![];
    for (base, ..) in &found.bases {
        found.lift(*base, &mut lifted);
    }
    let bases = found.bases.iter().map(|(base, ..)| *base).collect();
    let (rows, reads) = (found.rows, found.reads);
    let rows = rows.into_iter().map(Row::upwards).collect();
    Some((Group { rows, reads }, bases, covered))
}

/// Whether a read, or what stands between two of them, calls a hook of its own or may do what others notice.
pub(super) fn is_quiet(instruction: Value<'_>) -> bool {
    match instruction.op() {
        Op::Load | Op::AtomicRmw | Op::CmpXchg | Op::Fence | Op::Branch | Op::Unreachable => false,
        Op::Store => is_private(instruction.operands()[1]),
        Op::Call => instruction.callee().as_function().is_some_and(|callee| {
            let name = callee.name();
            let is_loud = ["memcpy", "memmove", "memset", "trap", "debugtrap"];
            match (name.strip_prefix("llvm."), name.strip_prefix(INTRINSIC)) {
                (Some(own), _) => !is_loud.iter().any(|loud| own.starts_with(loud)),
                (_, Some(ours)) => ours.contains("read.ptx.sreg"),
                _ => false,
            }
        }),
        _ => true,
    }
}

/// An address as a sum: values with what each is multiplied by, and a number; all modulo 2^64.
#[derive(PartialEq, Clone)]
struct Sum<'ctx> {
    terms: Vec<(Value<'ctx>, u64)>,
    number: u64,
}

impl<'ctx> Sum<'ctx> {
    fn of_address(address: Value<'ctx>, module: &Module<'ctx>) -> Self {
        let mut sum = Sum {
            terms: vec![],
            number: 0,
        };
        let mut at = address;
        for _ in 0..DEPTH {
            let Some((first, number, element)) = at.as_element() else {
                break;
            };
            if number.ty().kind() != TypeKind::Integer(64) {
                break;
            }
            sum.add(number, module.distance(element), DEPTH);
            at = first;
        }
        sum.add_term(at, 1);
        sum
    }

    fn add(&mut self, value: Value<'ctx>, times: u64, depth: u32) {
        if let Some(number) = value.as_integer() {
            self.number = self.number.wrapping_add(number.wrapping_mul(times));
            return;
        }
        if depth == 0 || value.block().is_none() {
            return self.add_term(value, times);
        }
        let operands = value.operands();
        let number = |i: usize| operands.get(i).and_then(|v| v.as_integer());
        match value.op() {
            Op::Add => operands.iter().for_each(|v| self.add(*v, times, depth - 1)),
            Op::Or if value.is_disjoint() => {
                operands.iter().for_each(|v| self.add(*v, times, depth - 1));
            }
            Op::Mul if number(1).is_some() => {
                let by = number(1).unwrap_or(1);
                self.add(operands[0], times.wrapping_mul(by), depth - 1);
            }
            Op::Shl if number(1).is_some_and(|by| by < 64) => {
                let by = number(1).unwrap_or(0);
                self.add(operands[0], times.wrapping_shl(by as u32), depth - 1);
            }
            _ => self.add_term(value, times),
        }
    }

    fn add_term(&mut self, value: Value<'ctx>, times: u64) {
        match self.terms.iter_mut().find(|(known, _)| *known == value) {
            Some((_, sum)) => *sum = sum.wrapping_add(times),
            None => self.terms.push((value, times)),
        }
    }

    /// How far this is behind another; `None`: that depends.
    fn behind(&self, other: &Self) -> Option<i64> {
        let same = self.terms.len() == other.terms.len()
            && self.terms.iter().all(|term| other.terms.contains(term));
        same.then(|| self.number.wrapping_sub(other.number).cast_signed())
    }
}

struct Finder<'a, 'ctx> {
    module: &'a Module<'ctx>,
    instructions: &'a [Value<'ctx>],
    /// Addresses that others are counted from.
    bases: Vec<(Value<'ctx>, Sum<'ctx>)>,
    rows: Vec<Row>,
    reads: Vec<Read>,
    /// Instructions before each of the reads.
    n_before: Vec<usize>,
}

impl<'ctx> Finder<'_, 'ctx> {
    /// Leaves the first two reads, without rows, if one hook can announce them; gives how many instructions they and what is between them are.
    fn only_two(&mut self) -> Option<usize> {
        let [a, b, ..] = &self.reads[..] else {
            return None;
        };
        if a.bytes != b.bytes || !matches!(a.bytes, 4 | 8) {
            return None;
        }
        self.bases.truncate(a.base.max(b.base) + 1);
        self.rows.clear();
        self.reads.truncate(2);
        Some(self.n_before[1] + 1)
    }

    /// Takes instruction number `i` in; false: the group ends before it.
    fn add(&mut self, i: usize, places: &mut Places, function: &str) -> bool {
        let instruction = self.instructions[i];
        if instruction.op() != Op::Load {
            return is_quiet(instruction);
        }
        let at = instruction.operands()[0];
        if is_private(at) {
            return true;
        }
        let bytes = self.module.store_size(instruction.ty());
        let is_plain = !instruction.is_volatile() && instruction.ordering() <= 1;
        if !is_plain || !matches!(bytes, 4 | 8 | 16) || u64::from(instruction.alignment()) != bytes
        {
            return false;
        }
        let sum = Sum::of_address(at, self.module);
        let known = self.bases.iter().enumerate();
        let mut known = known.filter_map(|(n, (_, base))| Some((n, sum.behind(base)?)));
        let (base, offset) = match known.next_back() {
            Some(found) => found,
            None if self.can_lift(at, DEPTH) => {
                self.bases.push((at, sum));
                (self.bases.len() - 1, 0)
            }
            None => return false,
        };
        let site = places.of(instruction, function);
        let read = Read {
            base,
            offset,
            bytes,
            site,
        };
        let row = self.rows.iter_mut().rev().find(|row| row.is_of(&read));
        if !row.is_some_and(|row| row.takes(offset)) {
            if self.rows.len() == MOST_ROWS {
                return false;
            }
            self.rows.push(Row {
                base,
                first: offset,
                step: 0,
                count: 1,
                down: false,
                bytes,
                site,
            });
        }
        self.reads.push(read);
        self.n_before.push(i);
        true
    }

    /// Whether the value is computed in this block after the group has begun.
    fn is_later(&self, value: Value<'ctx>) -> bool {
        value.block().is_some() && self.instructions.contains(&value)
    }

    /// Whether it can be computed before the group.
    fn can_lift(&self, value: Value<'ctx>, depth: u32) -> bool {
        !self.is_later(value)
            || depth > 0
                && value.is_arithmetic()
                && value
                    .operands()
                    .iter()
                    .all(|operand| self.can_lift(*operand, depth - 1))
    }

    /// Computes it there.
    fn lift(&self, value: Value<'ctx>, lifted: &mut Vec<Value<'ctx>>) {
        if self.is_later(value) && !lifted.contains(&value) {
            for operand in value.operands() {
                self.lift(operand, lifted);
            }
            value.move_before(self.instructions[0]);
            lifted.push(value);
        }
    }
}

impl Row {
    fn is_of(&self, read: &Read) -> bool {
        (self.base, self.bytes, self.site) == (read.base, read.bytes, read.site)
    }

    /// Whether the address of the next read fits.
    fn takes(&mut self, offset: i64) -> bool {
        let step = offset.wrapping_sub(self.first);
        let is_next = match self.count {
            1 => step != 0 && step.unsigned_abs() < 1 << 24 && step % self.bytes as i64 == 0,
            count => step == self.step.wrapping_mul(i64::from(count)),
        };
        if is_next {
            self.step = if self.count == 1 { step } else { self.step };
            self.count += 1;
        }
        is_next
    }

    /// The same from the lowest address on.
    fn upwards(self) -> Row {
        if self.step >= 0 {
            return self;
        }
        Row {
            first: self.first + self.step * i64::from(self.count - 1),
            step: -self.step,
            down: true,
            ..self
        }
    }
}
