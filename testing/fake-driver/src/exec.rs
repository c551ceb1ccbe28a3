//! Executes kernels of simple PTX, thread after thread: enough for kernels that are written by hand for tests.
//!
//! Kernels with an instruction or an operand that is not understood have no program; their launches are checked and counted, no more.

mod compile; // statements become instructions
mod compute; // arithmetic

use crate::code::Code;
use crate::memory::Kind;
use crate::ptx::{Param, Statement, Token};
use crate::state::State;
use compute::{Binary, Compare, binary, compare, convert, fused};

/// A kernel that can be executed.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    steps: Vec<Step>,
    registers: usize,
}

#[derive(Debug, Clone)]
struct Step {
    /// Runs only where this register is one, or zero if the flag is set.
    guard: Option<(usize, bool)>,
    op: Op,
}

/// Unsigned, signed, floating or just bits; and how many bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Type {
    class: char,
    bits: u32,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Register(usize),
    Number(u64),
    Special(Special),
    /// The address of a variable of the module.
    Variable(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Special {
    Thread(usize),
    Threads(usize),
    Block(usize),
    Blocks(usize),
    Shared,
    Clock,
}

#[derive(Debug, Clone, PartialEq)]
enum Op {
    Nothing,
    End,
    Trap,
    Jump(usize),
    Move(usize, Value),
    /// Of a parameter: offset and bytes.
    Parameter(usize, usize, usize),
    Load(usize, Type, (Value, u64)),
    Store(Type, (Value, u64), Value),
    Binary(Binary, Type, usize, [Value; 2]),
    /// `a * b + c`; twice as wide if the flag is set.
    Fused(Type, usize, [Value; 3], bool),
    Compare(Compare, Type, usize, [Value; 2]),
    Select(usize, [Value; 2], usize),
    Convert(Type, Type, usize, Value),
    /// What is done at an address; the register gets what was there.
    Atomic(Binary, Type, Option<usize>, (Value, u64), Value),
}

/// Most steps of one launch before it counts as a kernel that never ends.
const MOST_STEPS: u64 = 200_000_000;
/// What the clock gains with each look, so that kernels that wait for a time end soon.
const TICK: u64 = 5_000_000;
/// Nanoseconds that the looks of a launch make of it, in events' times.
const TICK_NS: u64 = 2_500_000;

/// One launch.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    pub(crate) module: u64,
    pub(crate) context: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) params: &'a [u8],
}

impl Program {
    /// The program of a body, if it is understood.
    pub(crate) fn compile(body: &[Vec<Token<'_>>], params: &[Param]) -> Option<Program> {
        let body: Vec<Statement<'_>> = body.iter().map(Vec::as_slice).collect();
        compile::compile(&body, params)
    }
}

struct Thread<'a> {
    run: &'a Run<'a>,
    registers: Vec<u64>,
    block: [u32; 3],
    thread: [u32; 3],
}

/// Runs all threads of a launch.
///
/// # Errors
/// What breaks the context.
pub(crate) fn run(state: &mut State, run: &Run<'_>) -> Result<(), Code> {
    let mut steps = 0;
    let mut clock = 0;
    let each = |extents: [u32; 3]| {
        let [x, y, z] = extents;
        (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
    };
    let mut one = Thread {
        run,
        registers: vec![0; run.program.registers],
        block: [0; 3],
        thread: [0; 3],
    };
    for block in each(run.grid) {
        for thread in each(run.block) {
            state.threads_run += 1;
            (one.block, one.thread) = (block, thread);
            one.registers.fill(0);
            one.run_out(state, &mut steps, &mut clock)?;
        }
    }
    state.extra_ns += clock / TICK * TICK_NS;
    Ok(())
}

impl Thread<'_> {
    fn run_out(&mut self, state: &State, steps: &mut u64, clock: &mut u64) -> Result<(), Code> {
        let program = self.run.program;
        let mut at = 0;
        while let Some(step) = program.steps.get(at) {
            at += 1;
            *steps += 1;
            if *steps > MOST_STEPS {
                return Err(Code::LAUNCH_TIMEOUT);
            }
            if let Some((register, negated)) = step.guard
                && (self.registers[register] != 0) == negated
            {
                continue;
            }
            match &step.op {
                Op::End => return Ok(()),
                Op::Jump(to) => at = *to,
                op => self.step(state, op, clock)?,
            }
        }
        Ok(())
    }

    fn value(&self, state: &State, value: &Value, clock: &mut u64) -> u64 {
        match value {
            Value::Register(register) => self.registers[*register],
            Value::Number(number) => *number,
            Value::Variable(name) => {
                let module = state.modules.get(self.run.module).ok();
                let found = module.and_then(|module| module.variables.get(name));
                found.map_or(0, |(address, _)| *address)
            }
            Value::Special(special) => match special {
                Special::Thread(axis) => self.thread[*axis].into(),
                Special::Threads(axis) => self.run.block[*axis].into(),
                Special::Block(axis) => self.block[*axis].into(),
                Special::Blocks(axis) => self.run.grid[*axis].into(),
                Special::Shared => self.run.shared.into(),
                Special::Clock => {
                    *clock += TICK;
                    *clock
                }
            },
        }
    }

    fn step(&mut self, state: &State, op: &Op, clock: &mut u64) -> Result<(), Code> {
        match op {
            Op::Nothing | Op::End | Op::Jump(_) => {}
            Op::Trap => return Err(Code::LAUNCH_FAILED),
            Op::Move(to, from) => self.registers[*to] = self.value(state, from, clock),
            Op::Parameter(to, offset, bytes) => {
                let mut value = [0; 8];
                let from = self.run.params.get(*offset..offset + bytes);
                value[..*bytes].copy_from_slice(from.ok_or(Code::INVALID_VALUE)?);
                self.registers[*to] = u64::from_le_bytes(value);
            }
            Op::Load(to, ty, (base, offset)) => {
                let at = self.value(state, base, clock).wrapping_add(*offset);
                self.registers[*to] = load(state, self.run.context, at, ty)?;
            }
            Op::Store(ty, (base, offset), from) => {
                let at = self.value(state, base, clock).wrapping_add(*offset);
                store(
                    state,
                    self.run.context,
                    at,
                    ty,
                    self.value(state, from, clock),
                )?;
            }
            Op::Binary(what, ty, to, [a, b]) => {
                let (a, b) = (self.value(state, a, clock), self.value(state, b, clock));
                self.registers[*to] = binary(*what, *ty, a, b);
            }
            Op::Fused(ty, to, abc, wide) => {
                let [a, b, c] = abc.each_ref().map(|value| self.value(state, value, clock));
                self.registers[*to] = fused(*ty, [a, b, c], *wide);
            }
            Op::Compare(what, ty, to, [a, b]) => {
                let (a, b) = (self.value(state, a, clock), self.value(state, b, clock));
                self.registers[*to] = u64::from(compare(*what, *ty, a, b));
            }
            Op::Select(to, [a, b], by) => {
                let chosen = if self.registers[*by] != 0 { a } else { b };
                self.registers[*to] = self.value(state, chosen, clock);
            }
            Op::Convert(into, from, to, value) => {
                let value = self.value(state, value, clock);
                self.registers[*to] = convert(*into, *from, value);
            }
            Op::Atomic(what, ty, to, (base, offset), value) => {
                let at = self.value(state, base, clock).wrapping_add(*offset);
                let old = load(state, self.run.context, at, ty)?;
                let value = self.value(state, value, clock);
                store(
                    state,
                    self.run.context,
                    at,
                    ty,
                    binary(*what, *ty, old, value),
                )?;
                if let Some(to) = to {
                    self.registers[*to] = old;
                }
            }
        }
        Ok(())
    }
}

/// Where a kernel's access goes, if a GPU would allow it.
fn access(state: &State, context: u64, at: u64, ty: &Type) -> Result<*mut u8, Code> {
    let bytes = ty.bits as usize / 8;
    let found = state.region_of(at, bytes);
    let (region, offset) = found.ok_or(Code::ILLEGAL_ADDRESS)?;
    if region.kind == Kind::Array {
        return Err(Code::ILLEGAL_ADDRESS);
    }
    let portable = matches!(region.kind, Kind::Pinned | Kind::Registered | Kind::Managed);
    if !portable && !state.reaches(context, region.context) {
        return Err(Code::ILLEGAL_ADDRESS);
    }
    if !at.is_multiple_of(bytes as u64) {
        return Err(Code::MISALIGNED_ADDRESS);
    }
    Ok(region.host.wrapping_add(offset))
}

fn load(state: &State, context: u64, at: u64, ty: &Type) -> Result<u64, Code> {
    let from = access(state, context, at, ty)?;
    let mut value = [0; 8];
    // SAFETY: so many bytes of a live allocation, as `access` found.
    unsafe {
        value
            .as_mut_ptr()
            .copy_from_nonoverlapping(from, ty.bits as usize / 8)
    };
    let value = u64::from_le_bytes(value);
    // Signed loads widen.
    Ok(if ty.class == 's' {
        convert(
            Type {
                class: 's',
                bits: 64,
            },
            *ty,
            value,
        )
    } else {
        value
    })
}

fn store(state: &State, context: u64, at: u64, ty: &Type, value: u64) -> Result<(), Code> {
    let to = access(state, context, at, ty)?;
    let value = value.to_le_bytes();
    // SAFETY: so many bytes of a live allocation, as `access` found.
    unsafe { to.copy_from_nonoverlapping(value.as_ptr(), ty.bits as usize / 8) };
    Ok(())
}

impl State {
    /// Whether kernels of one context see the memory of another: that of their own GPU, and of peers that the context was let reach.
    fn reaches(&self, context: u64, other: u64) -> bool {
        let device = |context| self.contexts.get(context).map(|c| c.device).ok();
        let peers = self.contexts.get(context).map(|c| c.peers.contains(&other));
        context == other || device(context) == device(other) || peers == Ok(true)
    }
}

#[cfg(test)]
#[path = "exec/tests.rs"]
mod tests;
