//! The rules of `ptx!`.

use std::collections::HashSet;

use crate::errors::Errors;

use super::expand::constraint;
use super::parse::Asm;
use super::template::{Piece, pieces, to_llvm};

const OPTIONS: [&str; 4] = ["volatile", "pure", "memory", "convergent"];

/// Every rule; gives the template in LLVM's form.
pub(super) fn all(errors: &mut Errors, asm: &Asm) -> String {
    ptx_has_a_cpu_body(errors, asm);
    ptx_operand_type(errors, asm);
    ptx_operand_names(errors, asm);
    ptx_options(errors, asm);
    ptx_template(errors, asm)
}

// Rule: ptx-has-a-cpu-body
// The same kernel runs on the emulator: there must be something to run.
fn ptx_has_a_cpu_body(errors: &mut Errors, asm: &Asm) {
    match asm.cpu.as_slice() {
        [] => errors.push(
            &asm.template,
            "the emulator cannot run PTX; add `cpu = { .. }`, whose value is that of the outputs (a tuple if there are several)",
        ),
        [_] => {}
        [_, more @ ..] => {
            for (name, _) in more {
                errors.push(name, "`cpu` is given twice; keep one of them");
            }
        }
    }
}

// Rule: ptx-operand-type
// A register holds a number of 16, 32 or 64 bits. Predicates do not cross: `setp` and `selp` inside the text turn one into a number.
fn ptx_operand_type(errors: &mut Errors, asm: &Asm) {
    for operand in &asm.operands {
        if constraint(&operand.ty).is_none() {
            errors.push(
                &operand.ty,
                format_args!("`{}` does not fit in a PTX register; use u16, i16, u32, i32, u64, i64, f32 or f64 (a pointer as u64, a `bool` as u32)", operand.ty),
            );
        }
    }
}

// Rule: ptx-operand-names
// The text tells operands by name.
fn ptx_operand_names(errors: &mut Errors, asm: &Asm) {
    let mut seen = HashSet::new();
    for operand in &asm.operands {
        if !seen.insert(operand.name.to_string()) {
            errors.push(
                &operand.name,
                format_args!(
                    "there is an operand `{}` already; choose another name",
                    operand.name
                ),
            );
        }
    }
}

// Rule: ptx-options
// `pure` lets the compiler drop, merge and move the text; that cannot be said of text that does something.
fn ptx_options(errors: &mut Errors, asm: &Asm) {
    for option in &asm.options {
        if !OPTIONS.iter().any(|known| option == known) {
            errors.push(
                option,
                format_args!("unknown option `{option}`; known are `volatile` (the default), `pure`, `memory`, `convergent`"),
            );
        }
        if option == "pure" && (asm.has("volatile") || asm.has("memory")) {
            errors.push(
                option,
                "`pure` text depends on its inputs alone; remove `pure`, or `volatile` and `memory`",
            );
        }
        if option == "pure" && asm.outputs().next().is_none() {
            errors.push(
                option,
                "`pure` text without outputs would be removed; add an `out(..)`, or remove `pure`",
            );
        }
    }
}

// Rule: ptx-template
// A name that stands on one side only is a mistake: rustc could not see it, and the assembler would speak of registers.
fn ptx_template(errors: &mut Errors, asm: &Asm) -> String {
    let pieces = match pieces(&asm.template.value()) {
        Ok(pieces) => pieces,
        Err(message) => {
            errors.push(&asm.template, message);
            return String::new();
        }
    };
    let order: Vec<String> = asm
        .outputs()
        .chain(asm.inputs().map(|(operand, _)| operand))
        .map(|operand| operand.name.to_string())
        .collect();
    let mut used = HashSet::new();
    for piece in &pieces {
        if let Piece::Operand(name) = piece {
            if !order.contains(name) {
                errors.push(
                    &asm.template,
                    format_args!("no operand is called `{name}`; add `{name} = in(type) value` or `{name} = out(type)`"),
                );
            }
            used.insert(name.clone());
        }
    }
    for operand in &asm.operands {
        if !used.contains(&operand.name.to_string()) {
            errors.push(
                &operand.name,
                format_args!(
                    "the text does not use `{{{}}}`; write it there, or remove the operand",
                    operand.name
                ),
            );
        }
    }
    to_llvm(&pieces, |name| order.iter().position(|known| known == name))
}
