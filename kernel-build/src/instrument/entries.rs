//! Kernels in C's convention, and the places where the emulator gives memory.

use crate::hash::HashSet;
use crate::llvm::{Attribute, Linkage, LlvmError, Machine, Module, Value};
use crate::roots::{DeviceParam, Root};
use std::fmt::Write as _;
use warploom_manifest::ParamKind;

/// Reads of parameters are functions until the hooks are in: they are no accesses of the kernel.
const DECLARED: &str = "declare ptr @\"param.ptr\"(ptr)\ndeclare i64 @\"param.word\"(ptr)\ndeclare void @\"param.copy\"(ptr, ptr, i64)\n\n";
/// Their bodies.
pub(super) const BODIES: &str = "define ptr @\"param.ptr\"(ptr %0) alwaysinline {
  %r = load ptr, ptr %0, align 8
  ret ptr %r
}
define i64 @\"param.word\"(ptr %0) alwaysinline {
  %r = load i64, ptr %0, align 8
  ret i64 %r
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @\"param.copy\"(ptr %0, ptr %1, i64 %2) alwaysinline {
  call void @llvm.memcpy.p0.p0.i64(ptr %0, ptr %1, i64 %2, i1 false)
  ret void
}
";

const PREFIX: &str = "warploom_entry_";

pub(super) fn symbol(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The kernel whose entry this is, if it is one.
pub(super) fn kernel(symbol: &str) -> Option<&str> {
    symbol.strip_prefix(PREFIX)
}

/// Adds a function for each kernel that takes the addresses of its parameters' values.
pub(super) fn add(
    module: &mut Module<'_>,
    roots: &[Root<'_>],
    names: &[String],
    machine: &Machine<'_>,
) -> Result<(), LlvmError> {
    let mut text = DECLARED.to_owned();
    for (root, name) in roots.iter().zip(names) {
        text.push_str(&shell(root, &symbol(name)));
    }
    let mut shells = Module::from_text(module.context(), &text)?;
    shells.set_target(&module.triple(), &machine.data_layout());
    module.link(shells)?;
    let always_inline = Attribute::named(module.context(), "alwaysinline", 0);
    for root in roots {
        let Some(entry) = module.function(&root.entry.name()) else {
            continue;
        };
        entry.set_linkage(Linkage::Internal);
        entry.remove_attribute(Attribute::FUNCTION, "noinline");
        if let Some(always_inline) = always_inline {
            entry.add_attribute(Attribute::FUNCTION, always_inline);
        }
    }
    Ok(())
}

/// The parameters' values go to the thread's own stack, but for a `GridConst`: no other thread sees what a kernel does to its copy.
fn shell(root: &Root<'_>, name: &str) -> String {
    let mut body = String::new();
    let mut args = Vec::new();
    let mut slot = 0;
    let mut next = |body: &mut String| {
        let _ = writeln!(
            body,
            "  %s{slot} = getelementptr ptr, ptr %0, i64 {slot}\n  %a{slot} = call ptr @\"param.ptr\"(ptr %s{slot})"
        );
        slot += 1;
        slot - 1
    };
    for device_param in &root.params {
        let DeviceParam { param, .. } = device_param;
        match param.kind {
            ParamKind::ByValue if param.size == 0 => {
                args.push(format!("ptr inttoptr (i64 {} to ptr)", param.align));
            }
            // All threads read it where the launch has it, and the checks know that memory.
            ParamKind::ByValue if device_param.is_grid_const() => {
                let n = next(&mut body);
                args.push(format!("ptr %a{n}"));
            }
            ParamKind::ByValue => {
                let n = next(&mut body);
                let _ = writeln!(
                    body,
                    "  %c{n} = alloca [{size} x i8], align {align}\n  call void @\"param.copy\"(ptr %c{n}, ptr %a{n}, i64 {size})",
                    size = param.size,
                    align = param.align,
                );
                args.push(format!("ptr %c{n}"));
            }
            ParamKind::Slice | ParamKind::SliceMut | ParamKind::Slice2DMut => {
                let n = next(&mut body);
                let _ = writeln!(body, "  %v{n} = call ptr @\"param.ptr\"(ptr %a{n})");
                args.push(format!("ptr %v{n}"));
                let numbers = if param.kind == ParamKind::Slice2DMut {
                    2
                } else {
                    1
                };
                for _ in 0..numbers {
                    let n = next(&mut body);
                    let _ = writeln!(body, "  %v{n} = call i64 @\"param.word\"(ptr %a{n})");
                    args.push(format!("i64 %v{n}"));
                }
            }
        }
    }
    let types: Vec<&str> = args
        .iter()
        .map(|a| if a.starts_with("ptr") { "ptr" } else { "i64" })
        .collect();
    let entry = root.entry.name();
    format!(
        "declare void @\"{entry}\"({})\n\ndefine void @\"{name}\"(ptr %0) {{\n{body}  call void @\"{entry}\"({})\n  ret void\n}}\n\n",
        types.join(", "),
        args.join(", "),
    )
}

/// What the device linker makes a variable in shared memory: here the emulator is asked, by the address of a name.
pub(super) fn share(module: &mut Module<'_>) {
    const STATIC: &str = "__warploom.shared_static";
    let Some(declared) = module.function(STATIC) else {
        return;
    };
    let (ptr, words) = declared.value_type().signature();
    let mut params = vec![ptr];
    params.extend(words);
    let ours = module.declare("__warploom.host.shared_static", ptr.function(&params));
    let always_inline = Attribute::named(module.context(), "alwaysinline", 0);
    let calls: Vec<(Value<'_>, Value<'_>)> = module
        .functions()
        .into_iter()
        .flat_map(|f| f.instructions().into_iter().map(move |i| (f, i)))
        .filter(|(_, i)| i.as_call().is_some_and(|c| c.callee() == declared))
        .collect();
    let declaring: HashSet<Value<'_>> = calls.iter().map(|(function, _)| *function).collect();
    for call in module.functions().into_iter().flat_map(Value::instructions) {
        let callee = call.as_call().and_then(|c| c.callee().as_function());
        if callee.is_some_and(|c| declaring.contains(&c)) {
            // So that the place of the declaration is the one in the kernel.
            call.remove_call_attribute(Attribute::FUNCTION, "noinline");
        }
    }
    for (function, call) in calls {
        let name = format!("{:#}", rustc_demangle::demangle(&function.name()));
        let text = module.text_constant("shared_name", &name);
        let mut args = vec![text];
        args.extend(call.args());
        let new = module.call_before(call, ours, &args);
        call.replace_all_uses_with(new);
        // SAFETY: its result was just replaced, and the handle ends here.
        unsafe { call.erase_instruction() };
        function.remove_attribute(Attribute::FUNCTION, "noinline");
        if let Some(always_inline) = always_inline {
            function.add_attribute(Attribute::FUNCTION, always_inline);
        }
    }
}
