//! Which kernel a panic came from: every source location that the device code knows gets the kernel's number behind it.
//!
//! ```text
//! core::panic::Location   file: ptr, len   line, column   | kernel: u32
//!                         0          8     16    20       | 24
//! ```
//! A panic function is shared by all kernels and takes nothing but the location, so the number travels there. It costs nothing
//! where nothing panics: locations are constants. Code that several kernels share without inlining has number 0, "unknown".

use crate::hash::{HashMap, HashSet};
use crate::llvm::{Linkage, LlvmError, Module, Value};
use crate::reach::Graph;

/// What a panic stores of a location. Defined only after optimisation: before that, the address of a location that a panic function always gets
/// could become part of a constant there, in which it is not found.
const PLACE: &str = "define linkonce_odr i64 @\"__warploom.panic_place\"(ptr %l) alwaysinline {
  %a = ptrtoint ptr %l to i64
  ret i64 %a
}
";

/// Numbers the locations of each kernel: the first entry is number 1.
pub(crate) fn number(module: &mut Module<'_>, entries: &[String]) -> Result<(), LlvmError> {
    if module.function("__warploom.panic_place").is_none() {
        return Ok(());
    }
    // In the order of the module: copies are named after their order, and the PTX of one module is one text.
    let mut all = module.globals();
    all.retain(|g| is_location(*g));
    let locations: HashSet<Value<'_>> = all.iter().copied().collect();
    let owners = owners(module, entries);
    let mut numbered: HashMap<(Value<'_>, u32), Value<'_>> = HashMap::default();
    for function in module.functions() {
        let Some(kernel) = owners.get(&function.name()).copied() else {
            continue;
        };
        for instruction in function.instructions() {
            for (index, operand) in (0..).zip(instruction.operands()) {
                if locations.contains(&operand) {
                    let copy = *numbered
                        .entry((operand, kernel))
                        .or_insert_with(|| with_number(module, operand, kernel));
                    instruction.set_operand(index, copy);
                }
            }
        }
    }
    for location in all {
        let copy = with_number(module, location, 0);
        location.replace_all_uses_with(copy);
    }
    module.link(Module::from_text(module.context(), PLACE)?)
}

/// rustc writes a location as a packed struct of a pointer and 16 bytes.
pub(crate) fn is_location(global: Value<'_>) -> bool {
    if !global.is_constant_global() || global.is_declaration() {
        return false;
    }
    global.value_type().to_text() == "<{ ptr, [16 x i8] }>"
}

fn with_number<'ctx>(module: &mut Module<'ctx>, location: Value<'ctx>, kernel: u32) -> Value<'ctx> {
    let number = module.i32_type().integer(u64::from(kernel));
    let fields = location
        .initializer()
        .map(Value::operands)
        .unwrap_or_default();
    // PTX writes a constant with pointers in it as words of 8 bytes.
    let padding = module.i32_type().integer(0);
    let [file, rest] = fields[..] else {
        return location;
    };
    let Some(content) = Value::packed_struct(&[file, rest, number, padding]) else {
        return location;
    };
    let copy = module.add_global("location", content.ty(), 0);
    copy.set_initializer(content);
    copy.set_constant_global();
    copy.set_linkage(Linkage::Internal);
    copy.set_alignment(8);
    copy
}

/// The functions that exactly one kernel reaches, and which.
fn owners(module: &Module<'_>, entries: &[String]) -> HashMap<String, u32> {
    let graph = Graph::of(&module.functions());
    let mut owners: HashMap<String, Option<u32>> = HashMap::default();
    for (entry, number) in entries.iter().zip(1..) {
        for name in graph.reachable(entry) {
            owners
                .entry(name)
                .and_modify(|o| *o = None)
                .or_insert(Some(number));
        }
    }
    owners
        .into_iter()
        .filter_map(|(name, number)| number.map(|n| (name, n)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::tests::context;
    use std::fmt::Write as _;

    /// Two kernels that share a function with many panics.
    fn numbered() -> String {
        let mut text = "
@file = private constant [4 x i8] c\"a.rs\"
declare i64 @\"__warploom.panic_place\"(ptr)
declare void @panic(ptr)
define void @one() { call void @shared() ret void }
define void @other() { call void @shared() ret void }
define void @shared() {
"
        .to_owned();
        for n in 0..16 {
            let _ = writeln!(text, "  call void @panic(ptr @at{n})");
        }
        text += "  ret void\n}\n";
        for n in 0..16 {
            let _ = writeln!(
                text,
                "@at{n} = private constant <{{ ptr, [16 x i8] }}> <{{ ptr @file, [16 x i8] c\"{n:016}\" }}>"
            );
        }
        let context = context();
        let mut module = Module::from_text(&context, &text).unwrap();
        number(&mut module, &["one".to_owned(), "other".to_owned()]).unwrap();
        module.to_text()
    }

    #[test]
    fn names_are_the_same_in_each_build() {
        let first = numbered();
        assert!(first.contains("@location.15 = "), "{first}");
        assert_eq!(first, numbered());
    }
}
