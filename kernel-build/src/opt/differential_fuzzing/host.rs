//! Runs calls of generated functions on the host.

use super::compare::Call;
use super::function::{DECLARATIONS, Function, REGISTER_PREFIX, REGISTERS, RESULTS};
use super::interpreter::{Event, Outcome};
use super::warp::Cfg;
use crate::llvm::{Block, Builder, Context, Module};
use crate::run_on_host::{for_host, written};
use std::fmt::Write as _;

/// How a call ended on the host.
#[derive(Debug)]
pub(super) struct HostExecution {
    /// 0: it returned; 1: it failed; 2: with a signal.
    how: u64,
    failed: u64,
    results: [u128; RESULTS],
    /// Events, and the blocks between them if those are traced.
    pub(super) trace: Vec<Event>,
    memory: Vec<u8>,
}

/// What precedes the id of a block in a trace.
pub(super) const BLOCK: u64 = 4 << 32;

/// Replaces the prefix of intrinsics that read registers, after the pass.
const ON_HOST: &str = "launch.";

/// The IR of functions, for a pass.
pub(super) fn module_of<'ctx>(context: &'ctx Context, functions: &[Function]) -> Module<'ctx> {
    let mut text = DECLARATIONS.to_owned();
    for register in REGISTERS {
        let _ = writeln!(text, "declare i32 @{REGISTER_PREFIX}{register}()");
    }
    for (number, function) in functions.iter().enumerate() {
        text += &function.text(&format!("f{number}"));
    }
    for_host(context, &text)
}

/// Runs all calls; with `blocks`, each trace contains the blocks, and the control flow graphs of the functions are returned.
pub(super) fn execute(
    context: &Context,
    module: &Module<'_>,
    functions: &[Function],
    calls: &[Call],
    blocks: bool,
) -> (Vec<HostExecution>, Vec<Cfg>) {
    let text = on_host(&module.to_text());
    let read = Module::from_text(context, &text);
    let mut module = read.unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let mut graphs = Vec::new();
    for number in (0..functions.len()).filter(|_| blocks) {
        let function = module.function(&format!("f{number}")).unwrap();
        graphs.push(Cfg::of(function));
        let callee = module.function("fuzz_block").unwrap();
        for (id, block) in (0..).zip(Block::all(function)) {
            let first = block.first();
            let id = Builder::before(first).number(id, 64);
            module.call_before(first, callee, &[id]);
        }
    }
    let output = written(
        &mut module,
        &program(functions.len()),
        &bytes(calls, functions),
    );
    let mut words = output.as_slice();
    (
        calls
            .iter()
            .map(|_| HostExecution::read(&mut words))
            .collect(),
        graphs,
    )
}

/// The text of a module for the host: calls of the host program replace registers, inline assembly, and accesses whose order counts.
fn on_host(text: &str) -> String {
    let text = text.replace(REGISTER_PREFIX, ON_HOST);
    let text = text.replace("@sinf(", "@fuzz_sin(");
    let text = text.replace("@cosf(", "@fuzz_cos(");
    let mut lines: Vec<String> = text.lines().map(line_on_host).collect();
    lines.push("declare void @fuzz_block(i64) nounwind".to_owned());
    for bits in [8, 16, 32, 64] {
        lines.push(format!(
            "declare i{bits} @fuzz_load_{bits}(ptr)\ndeclare void @fuzz_store_{bits}(ptr, i{bits})\ndeclare i{bits} @fuzz_add_{bits}(ptr, i{bits})\ndeclare i{bits} @fuzz_copy_{bits}(i{bits})"
        ));
    }
    for (float, ty) in [("f32", "float"), ("f64", "double")] {
        for bits in [8, 16, 32, 64] {
            for sign in ['s', 'u'] {
                lines.push(format!(
                    "declare i{} @fuzz_cvt_{sign}{bits}_{float}({ty})",
                    if bits == 8 { 32 } else { bits }
                ));
            }
        }
    }
    lines.join("\n")
}

fn line_on_host(line: &str) -> String {
    let words: Vec<&str> = line.trim().split([' ', ',']).collect();
    match words[..] {
        ["target", "datalayout", ..] => String::new(),
        ["target", "triple", ..] => "target triple = \"x86_64-unknown-linux-gnu\"".to_owned(),
        [result, "=", "load", "volatile", ty, "", "ptr", at, ..] => {
            format!("  {result} = call {ty} @fuzz_load_{}(ptr {at})", &ty[1..])
        }
        ["store", "volatile", ty, value, "", "ptr", at, ..] => {
            format!(
                "  call void @fuzz_store_{}(ptr {at}, {ty} {value})",
                &ty[1..]
            )
        }
        // LLVM writes an addition of zero as `or`.
        [
            result,
            "=",
            "atomicrmw",
            "add" | "or",
            "ptr",
            at,
            "",
            ty,
            value,
            ..,
        ] => {
            let bits = &ty[1..];
            format!("  {result} = call {ty} @fuzz_add_{bits}(ptr {at}, {ty} {value})")
        }
        [result, "=", ..] if line.contains(" asm \"cvt.rzi.") => {
            let between = |start: &str, end: char| {
                let rest = line.split_once(start).unwrap_or_default().1;
                rest.split(end).next().unwrap_or_default()
            };
            let name = between("cvt.rzi.", ' ').replace('.', "_");
            let (ty, argument) = (between(" = call ", ' '), between("\"(", ')'));
            format!("  {result} = call {ty} @fuzz_cvt_{name}({argument})")
        }
        [result, "=", ..] if line.contains(" asm \"mov.b") => {
            let argument = line.split(['(', ')']).nth(1).unwrap_or_default();
            let ty = argument.split(' ').next().unwrap_or_default();
            format!("  {result} = call {ty} @fuzz_copy_{}({argument})", &ty[1..])
        }
        _ => line.to_owned(),
    }
}

impl HostExecution {
    fn read(words: &mut &[u8]) -> HostExecution {
        let mut next = || {
            let (word, rest) = words.split_at(8);
            *words = rest;
            u64::from_ne_bytes(word.try_into().unwrap())
        };
        let (how, failed) = (next(), next());
        let results = std::array::from_fn(|_| u128::from(next()) | u128::from(next()) << 64);
        let events = next();
        let trace = (0..events).map(|_| [next(), next(), next()]).collect();
        let size = next() as usize;
        let (memory, rest) = words.split_at(size);
        let memory = memory.to_vec();
        *words = rest;
        HostExecution {
            how,
            failed,
            results,
            trace,
            memory,
        }
    }

    /// How it differs from what the interpreter found, if it does.
    pub(super) fn difference(&self, call: &Call) -> Option<String> {
        let expected = &call.execution;
        let outcome = match &expected.outcome {
            Outcome::Returned(results) => {
                let mut pairs = self.results.iter().zip(results);
                self.how == 0 && pairs.all(|(is, should)| should.is_none_or(|s| s == *is))
            }
            Outcome::Failed(index) => self.how == 1 && index.is_none_or(|i| i == self.failed),
            Outcome::Unknown => return None,
        };
        if !outcome {
            let (how, results, failed) = (self.how, self.results, self.failed);
            return Some(format!(
                "{:?} is expected; how it ended: {how}, results {results:?}, panicked with {failed}",
                expected.outcome
            ));
        }
        let events = self.trace.iter().filter(|event| event[0] != BLOCK);
        let events: Vec<Event> = events.copied().collect();
        if events != expected.trace {
            return Some(format!(
                "the trace {:?} is expected; it is {events:?}",
                expected.trace
            ));
        }
        let memory = expected
            .memory
            .iter()
            .flatten()
            .zip(&self.memory)
            .enumerate();
        let mut wrong = memory.filter(|(_, (should, is))| should.is_some_and(|s| s != **is));
        let (at, (should, is)) = wrong.next()?;
        Some(format!(
            "byte {at} of memory: {should:?} is expected; it is {is}"
        ))
    }
}

/// What [`program`] reads: for each call a head of 13 words, then the elements of both arrays.
fn bytes(calls: &[Call], functions: &[Function]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for call in calls {
        let mut arrays: [Vec<u8>; 2] = [vec![], vec![]];
        let sizes = functions[call.function]
            .elements
            .map(|bits| bits as usize / 8);
        for ((array, elements), size) in arrays.iter_mut().zip(&call.input.arrays).zip(sizes) {
            for element in elements {
                array.extend(&element.to_le_bytes()[..size]);
            }
        }
        let mut head = vec![call.function as u64];
        head.extend(call.input.launch.map(u64::from));
        head.extend(call.input.parameters);
        head.extend(call.input.lengths);
        head.extend([arrays[0].len() as u64, arrays[1].len() as u64]);
        head.push(call.input.alias.map_or(0, |offset| offset as u64 + 1));
        bytes.extend(head.iter().flat_map(|word| word.to_ne_bytes()));
        bytes.extend(arrays.concat());
    }
    bytes
}

/// The host program, which makes the calls. Arrays end at an inaccessible page.
fn program(functions: usize) -> String {
    let mut text =
        String::from("typedef void function(u, u, u, u, void *, u, void *, u, void *);\n");
    let names: Vec<String> = (0..functions).map(|n| format!("f{n}")).collect();
    let _ = writeln!(text, "function {};", names.join(", "));
    let _ = writeln!(
        text,
        "static function *const all[] = {{{}}};",
        names.join(", ")
    );
    for (n, register) in REGISTERS.iter().enumerate() {
        let name = format!("{ON_HOST}{register}");
        let _ = writeln!(
            text,
            "static volatile u register{n};\nunsigned get{n}(void) __asm__(\"{name}\");\nunsigned get{n}(void) {{ return register{n}; }}"
        );
    }
    text + include_str!("host.c")
}
