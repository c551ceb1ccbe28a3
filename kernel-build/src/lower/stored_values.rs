//! What variables and constants hold where a call stands: read without running anything.

use super::formatted_panics::KEEP;
use crate::llvm::{Module, Op, Value};

/// Calls that write nothing.
const MARKS: [&str; 4] = ["llvm.lifetime.", "llvm.dbg.", "llvm.assume", KEEP];

/// Where in a table of methods the first method stands, behind `drop`, size and alignment.
const FIRST_METHOD: u64 = 24;

/// The words that were last written into a variable before a call, in its block, with the offsets.
pub(super) fn stored_in<'ctx>(
    call: Value<'ctx>,
    variable: Value<'ctx>,
    module: &Module<'ctx>,
) -> Vec<(u64, Value<'ctx>)> {
    let mut stored: Vec<(u64, Value<'ctx>)> = Vec::new();
    if !variable.is_alloca() {
        return stored;
    }
    let Some(block) = call.block() else {
        return stored;
    };
    let instructions = block.instructions();
    let before = instructions.iter().position(|i| *i == call).unwrap_or(0);
    for instruction in instructions[..before].iter().rev() {
        match instruction.op() {
            Op::Store => {
                let [value, address] = instruction.operands()[..] else {
                    break;
                };
                let (base, offset) = module.place_of(address);
                if base != variable {
                    // Only these are certainly other variables.
                    if base.is_alloca() || base.as_global().is_some() {
                        continue;
                    }
                    break;
                }
                let is_word = module.store_size(value.ty()) == 8;
                match offset.filter(|offset| is_word && offset % 8 == 0) {
                    None => break,
                    Some(offset) if stored.iter().any(|(at, _)| *at == offset) => {}
                    Some(offset) => stored.push((offset, value)),
                }
            }
            // The function may write the variable, whose address it may have got from anywhere.
            Op::Call => {
                let name = instruction.callee().as_function().map(Value::name);
                let is_mark = name.is_some_and(|n| MARKS.iter().any(|mark| n.starts_with(mark)));
                if !is_mark {
                    break;
                }
            }
            Op::Invoke | Op::AtomicRmw | Op::CmpXchg => break,
            _ => {}
        }
    }
    stored
}

/// The text that a `&str` at this address is, if it is constant.
pub(super) fn constant_reference<'ctx>(
    call: Value<'ctx>,
    address: Value<'ctx>,
    module: &Module<'ctx>,
) -> Option<Vec<u8>> {
    if let Some(constant) = address.as_global().filter(|g| g.is_constant_global()) {
        let [text, len] = constant.initializer()?.operands()[..] else {
            return None;
        };
        let len = u64::from_le_bytes(len.as_bytes()?.try_into().ok()?);
        return constant_text(text, len);
    }
    let stored = stored_in(call, address, module);
    let at = |offset| stored.iter().find(|(at, _)| *at == offset);
    let ((_, text), (_, len)) = (at(0)?, at(8)?);
    constant_text(*text, len.as_integer()?)
}

pub(super) fn constant_text(address: Value<'_>, len: u64) -> Option<Vec<u8>> {
    let bytes = constant_bytes(address)?;
    (bytes.len() as u64 == len).then_some(bytes)
}

/// The bytes of a constant. rustc writes them alone, or as the one field of a structure.
pub(super) fn constant_bytes(address: Value<'_>) -> Option<Vec<u8>> {
    let constant = address.as_global().filter(|g| g.is_constant_global())?;
    let content = constant.initializer()?;
    content.as_bytes().or_else(|| match content.operands()[..] {
        [bytes] => bytes.as_bytes(),
        _ => None,
    })
}

pub(super) fn first_method(table: Value<'_>) -> Option<Value<'_>> {
    let table = table.as_global().filter(|g| g.is_constant_global())?;
    let mut at = 0;
    for field in table.initializer()?.operands() {
        if at == FIRST_METHOD {
            return field.as_function();
        }
        let bytes = field.as_bytes().map(|bytes| bytes.len());
        at += bytes.or_else(|| field.zero_size()).unwrap_or(8) as u64;
    }
    None
}
