//! The arguments of a panic are stored as they are, and the host formats them.
//!
//! ```text
//! before   store ptr %a, ptr %args            store ptr <u32 as Display>::fmt, ptr %args + 8
//!          call panic_fmt("element {}", %args, place)
//! after    %v = load i32, ptr %a
//!          call panic_values_1(message, its length, place, %v)
//! ```
//! `core::fmt` in a kernel is a thousand instructions, calls, local memory and twice the registers; and a value whose address it gets is in
//! local memory wherever the kernel uses it. A panic with anything that is not known here, as a `Display` of the user's or a width, is left as it is.

use super::format_template::{self, Formats, Part};
use super::stored_values::{
    constant_bytes, constant_reference, constant_text, first_method, stored_in,
};
use super::symbols::{FORMATTED, LITERAL};
use crate::llvm::{Attribute, Builder, LlvmError, Module, Passes, TypeKind, Value};
use warploom_manifest::message::{Piece, Style, ValueType, encode};

/// The device library's functions for panics with values, by the number of their words.
const VALUES: &str = "__warploom_panic_values_";
/// In the names of core's functions whose text has the `Debug` of their arguments.
const OTHER_PANICS: [&str; 2] = ["assert_failed_inner", "13unwrap_failed"];
/// Most words that there is a function for.
const MOST_WORDS: usize = 8;
/// What keeps these functions in a module until here.
pub(crate) const KEEP: &str = "__warploom.keep";

/// `"left == right"` and the like, by number.
const ASSERTIONS: [&str; 3] = ["==", "!=", "matches"];

/// Stores the arguments of all panics whose arguments are known.
pub(crate) fn lower(module: &mut Module<'_>) -> Result<(), LlvmError> {
    if module.function(FORMATTED).is_some_and(Value::is_used) {
        expose(module)?;
        for call in calls(module) {
            if let Some((message, at)) = message_of(module, call) {
                replace(module, call, &message, at);
            }
        }
    }
    for call in calls(module) {
        if call
            .callee()
            .as_function()
            .is_some_and(|f| f.name() == KEEP)
        {
            // SAFETY: it has no result, and the handle ends here.
            unsafe { call.erase_instruction() };
        }
    }
    Ok(())
}

/// Inlines what stands between the source's arguments and the panic.
fn expose(module: &mut Module<'_>) -> Result<(), LlvmError> {
    let Some(inline) = Attribute::named(module.context(), "alwaysinline", 0) else {
        return Ok(());
    };
    let functions = module.functions().into_iter();
    for function in
        functions.filter(|f| !f.is_declaration() && format_template::is_maker(&f.name()))
    {
        function.remove_attribute(Attribute::FUNCTION, "noinline");
        function.add_attribute(Attribute::FUNCTION, inline);
    }
    // rustc marks calls that never return.
    for call in calls(module) {
        let callee = call.callee().as_function();
        if callee.is_some_and(|f| format_template::is_maker(&f.name())) {
            call.remove_call_attribute(Attribute::FUNCTION, "noinline");
        }
    }
    let kept = keep_others(module);
    module.run(Passes::expose_arguments(), None)?;
    // What comes out of structures of a constant and an address.
    module.run(Passes::tidy(), None)?;
    for function in kept {
        function.remove_attribute(Attribute::FUNCTION, "optnone");
        function.remove_attribute(Attribute::FUNCTION, "noinline");
    }
    Ok(())
}

/// Keeps the passes away from functions without such panics: LLVM's O3 makes more of them if they come as rustc wrote them.
fn keep_others<'ctx>(module: &Module<'ctx>) -> Vec<Value<'ctx>> {
    let attribute = |name| Attribute::named(module.context(), name, 0);
    let (Some(optnone), Some(noinline)) = (attribute("optnone"), attribute("noinline")) else {
        return vec![];
    };
    let mut kept = Vec::new();
    for function in module.functions() {
        let has = |name| function.has_attribute(name);
        let is_marked = ["alwaysinline", "noinline", "optnone"].into_iter().any(has);
        if function.is_declaration() || is_marked || panics_with_arguments(function) {
            continue;
        }
        function.add_attribute(Attribute::FUNCTION, noinline);
        function.add_attribute(Attribute::FUNCTION, optnone);
        kept.push(function);
    }
    kept
}

fn panics_with_arguments(function: Value<'_>) -> bool {
    let calls = function
        .instructions()
        .into_iter()
        .filter_map(Value::as_call);
    let mut names = calls.filter_map(|call| Some(call.callee().as_function()?.name()));
    names.any(|name| {
        name == FORMATTED
            || format_template::is_maker(&name)
            || OTHER_PANICS.iter().any(|other| name.contains(other))
    })
}

fn calls<'ctx>(module: &Module<'ctx>) -> Vec<Value<'ctx>> {
    let functions = module.functions().into_iter();
    functions
        .flat_map(Value::instructions)
        .filter_map(Value::as_call)
        .collect()
}

/// A message under construction.
#[derive(Default)]
struct Message<'ctx> {
    pieces: Vec<Piece>,
    /// Values in the order of their words: what they are, and behind how many references at which address.
    values: Vec<(ValueType, usize, Value<'ctx>)>,
    words: usize,
}

impl<'ctx> Message<'ctx> {
    fn text(&mut self, text: impl Into<Vec<u8>>) {
        let text = text.into();
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.extend(text),
            _ => self.pieces.push(Piece::Text(text)),
        }
    }

    /// Adds what `function` formats of `value`; `None` if that is not known.
    fn argument(
        &mut self,
        call: Value<'ctx>,
        value: Value<'ctx>,
        function: Value<'ctx>,
        alternate: bool,
        distances: &Module<'ctx>,
    ) -> Option<()> {
        match format_template::formats(&function.as_function()?.name())? {
            Formats::Value(references, ty, style) => {
                self.pieces.push(Piece::Value {
                    word: u8::try_from(self.words).ok()?,
                    ty,
                    style,
                    alternate,
                });
                self.values.push((ty, references, value));
                self.words += ty.bytes().div_ceil(8) as usize;
            }
            Formats::Text(1, style) => {
                let text = constant_reference(call, value, distances)?;
                match (style, alternate) {
                    (Style::Display, _) => self.text(text),
                    (Style::Debug, _) => self.text(format!("{:?}", String::from_utf8(text).ok()?)),
                    _ => return None,
                }
            }
            Formats::Text(..) => return None,
        }
        Some(())
    }

    /// Adds what `fmt::Arguments` say.
    fn arguments(
        &mut self,
        call: Value<'ctx>,
        template: Value<'ctx>,
        args: Value<'ctx>,
        distances: &Module<'ctx>,
    ) -> Option<()> {
        let parts = format_template::parts(&constant_bytes(template)?)?;
        let stored = stored_in(call, args, distances);
        let at = |offset: usize| {
            let mut found = stored.iter().filter(|(at, _)| *at == offset as u64);
            found.next().map(|(_, value)| *value)
        };
        for part in parts {
            match part {
                Part::Text(text) => self.text(text),
                Part::Argument { index, alternate } => {
                    let (value, function) = (at(16 * index)?, at(16 * index + 8)?);
                    if value.ty().kind() != TypeKind::Pointer(0) {
                        return None;
                    }
                    self.argument(call, value, function, alternate, distances)?;
                }
            }
        }
        Some(())
    }

    /// Adds the `Debug` of a trait object.
    fn object(
        &mut self,
        call: Value<'ctx>,
        value: Value<'ctx>,
        table: Value<'ctx>,
        distances: &Module<'ctx>,
    ) -> Option<()> {
        self.argument(call, value, first_method(table)?, false, distances)
    }
}

/// What a call of a panic function says, and the location; `None` for other calls, and for what is not known.
fn message_of<'ctx>(
    module: &Module<'ctx>,
    call: Value<'ctx>,
) -> Option<(Message<'ctx>, Value<'ctx>)> {
    let callee = call.callee().as_function()?.name();
    let mut message = Message::default();
    if callee == FORMATTED {
        let [template, args, at] = call.args()[..] else {
            return None;
        };
        message.arguments(call, template, args, module)?;
        return Some((message, at));
    }
    if !OTHER_PANICS.iter().any(|name| callee.contains(name)) {
        return None;
    }
    match (
        &*format!("{:#}", rustc_demangle::demangle(&callee)),
        &call.args()[..],
    ) {
        (
            "core::panicking::assert_failed_inner",
            &[
                kind,
                left,
                left_table,
                right,
                right_table,
                template,
                args,
                at,
            ],
        ) => {
            let kind = usize::try_from(kind.as_integer()?).ok()?;
            let operator = ASSERTIONS.get(kind)?;
            message.text(format!("assertion `left {operator} right` failed"));
            if !template.is_null_pointer() {
                message.text(": ");
                message.arguments(call, template, args, module)?;
            }
            message.text("\n  left: ");
            message.object(call, left, left_table, module)?;
            message.text("\n right: ");
            message.object(call, right, right_table, module)?;
            Some((message, at))
        }
        ("core::result::unwrap_failed", &[text, len, error, table, at]) => {
            message.text(constant_text(text, len.as_integer()?)?);
            message.text(": ");
            message.object(call, error, table, module)?;
            Some((message, at))
        }
        _ => None,
    }
}

/// Puts the call of a function for so many words in the place of `call`, if there is one.
fn replace<'ctx>(
    module: &mut Module<'ctx>,
    call: Value<'ctx>,
    message: &Message<'ctx>,
    at: Value<'ctx>,
) {
    if let [Piece::Text(text)] = &message.pieces[..] {
        if let Some(literal) = module.function(LITERAL) {
            let constant = module.constant("message", text);
            let len = module.i64_type().integer(text.len() as u64);
            module.call_before(call, literal, &[constant, len, at]);
            // SAFETY: it has no result, and the handle ends here.
            unsafe { call.erase_instruction() };
        }
        return;
    }
    let function = module.function(&format!("{VALUES}{}", message.words));
    let Some(function) = function.filter(|_| message.words <= MOST_WORDS) else {
        return;
    };
    let bytes = encode(&message.pieces);
    let constant = module.constant("message", &bytes);
    let len = module.i64_type().integer(bytes.len() as u64);
    let mut args = vec![constant, len, at];
    for (ty, references, value) in &message.values {
        args.extend(words(module, call, *ty, *references, *value));
    }
    module.call_before(call, function, &args);
    // SAFETY: it has no result, and the handle ends here.
    unsafe { call.erase_instruction() };
}

/// Loads a value, as words of 64 bits.
fn words<'ctx>(
    module: &Module<'ctx>,
    call: Value<'ctx>,
    ty: ValueType,
    references: usize,
    mut address: Value<'ctx>,
) -> Vec<Value<'ctx>> {
    let builder = Builder::before(call);
    for _ in 0..references {
        address = builder.load(address.ty(), address, 8);
    }
    let load = |bytes: u32, offset: u64| {
        let address = match offset {
            0 => address,
            _ => builder.byte_offset_inbounds(address, offset),
        };
        builder.load(module.integer_type(8 * bytes), address, bytes)
    };
    match ty.bytes() {
        8 => vec![load(8, 0)],
        16 => vec![load(8, 0), load(8, 8)],
        bytes => vec![builder.widened(load(bytes, 0))],
    }
}

#[cfg(test)]
#[path = "formatted_panics_tests.rs"]
mod tests;
