//! Rules about `requires(..)`.
//!
//! The host evaluates a condition before the launch and the device takes it for granted, so both must come to the same
//! answer: conditions are arithmetic on lengths, by-value integers and constants, nothing that user code could change.

use proc_macro2::Ident;
use syn::{BinOp, Expr, ExprCast, ExprLit, ExprMethodCall, ExprPath, Lit, Type};

use crate::errors::Errors;
use crate::kernel::{Kernel, ParamKind};

/// Inherent methods of the unsigned integers, and the last of all integers; on these a trait of the user's cannot take their place.
pub(crate) const INTEGER_METHODS: [&str; 5] = [
    "is_power_of_two",
    "is_multiple_of",
    "div_ceil",
    "next_multiple_of",
    "abs_diff",
];

pub(super) fn all(errors: &mut Errors, kernel: &Kernel) {
    for condition in &kernel.arguments.requires {
        condition_is_arithmetic(errors, kernel, condition);
    }
}

// Rule: condition-is-arithmetic
// A call or a block could answer differently on host and device.
fn condition_is_arithmetic(errors: &mut Errors, kernel: &Kernel, expr: &Expr) {
    match expr {
        Expr::Lit(literal) => condition_is_of_integers(errors, literal),
        Expr::Paren(inner) => condition_is_arithmetic(errors, kernel, &inner.expr),
        Expr::Group(inner) => condition_is_arithmetic(errors, kernel, &inner.expr),
        Expr::Cast(cast) => {
            cast_is_to_an_integer(errors, cast);
            condition_is_arithmetic(errors, kernel, &cast.expr);
        }
        Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => {
            condition_is_arithmetic(errors, kernel, &unary.expr);
        }
        Expr::Binary(binary) if !is_assignment(&binary.op) => {
            condition_is_arithmetic(errors, kernel, &binary.left);
            condition_is_arithmetic(errors, kernel, &binary.right);
        }
        Expr::Path(path) => condition_names_a_parameter(errors, kernel, path),
        Expr::MethodCall(call) => condition_method(errors, kernel, call),
        other => errors.push(
            other,
            "a launch condition is arithmetic on by-value parameters, constants and `.len()`; compute anything else before the launch and pass it by value",
        ),
    }
}

// Rule: condition-is-of-integers
// Floating-point arithmetic may round differently on host and device: the device fuses multiplications and additions.
fn condition_is_of_integers(errors: &mut Errors, literal: &ExprLit) {
    if !matches!(literal.lit, Lit::Int(_) | Lit::Bool(_)) {
        errors.push(literal, NOT_AN_INTEGER);
    }
}

// The same rule. An alias of such a type is refused by the expansion.
fn cast_is_to_an_integer(errors: &mut Errors, cast: &ExprCast) {
    let name = match &*cast.ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    if name.is_some_and(|name| name.ident == "f32" || name.ident == "f64") {
        errors.push(&cast.ty, NOT_AN_INTEGER);
    }
}

const NOT_AN_INTEGER: &str = "a launch condition is arithmetic on integers and `bool`: floating-point results may differ between host and device; compare before the launch and pass the outcome by value";

fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

// Rule: condition-names-a-parameter
// The host evaluates the condition from what the launch sees: no index, no group, no local variable.
fn condition_names_a_parameter(errors: &mut Errors, kernel: &Kernel, path: &ExprPath) {
    let Some(name) = path.path.get_ident() else {
        if path
            .path
            .segments
            .last()
            .is_none_or(|last| !is_constant(&last.ident))
        {
            errors.push(
                path,
                "only constants are reached by a path here, such as `u32::MAX`",
            );
        }
        return;
    };
    let Some(param) = kernel.param(name) else {
        let known = kernel
            .generics()
            .const_params()
            .any(|param| param.ident == *name);
        if !known && !is_constant(name) {
            errors.push(
                name,
                format_args!("`{name}` is neither a parameter of this kernel nor a constant; conditions name {}", usable(kernel)),
            );
        }
        return;
    };
    match &param.kind {
        ParamKind::Slice(_) | ParamKind::Output(_) => errors.push(
            name,
            format_args!("the elements are not known before the launch; write `{name}.len()`"),
        ),
        ParamKind::Output2D(_) => errors.push(
            name,
            format_args!("the elements are not known before the launch; write `{name}.width()` or `{name}.height()`"),
        ),
        ParamKind::Value => {}
        _ => errors.push(
            name,
            format_args!("the host cannot see `{name}` as a number before the launch; conditions name {}", usable(kernel)),
        ),
    }
}

fn condition_method(errors: &mut Errors, kernel: &Kernel, call: &ExprMethodCall) {
    let method = call.method.to_string();
    let receiver = match &*call.receiver {
        Expr::Path(path) => path.path.get_ident().and_then(|name| kernel.param(name)),
        _ => None,
    };
    let extents = receiver.map_or(&[][..], |param| param.kind.extents());
    if extents.is_empty() {
        condition_is_arithmetic(errors, kernel, &call.receiver);
        for argument in &call.args {
            condition_is_arithmetic(errors, kernel, argument);
        }
        // A receiver that is no parameter has been reported; what could be called on it is not known.
        let known = receiver.is_some() || !matches!(&*call.receiver, Expr::Path(_));
        if known && !INTEGER_METHODS.contains(&method.as_str()) {
            errors.push(
                &call.method,
                format_args!("a launch condition may call `len()` on slices, `width()` and `height()` on 2-D outputs, and `{}` on integers", INTEGER_METHODS.join("`, `")),
            );
        }
    } else if !extents.contains(&method.as_str()) {
        errors.push(
            &call.method,
            format_args!(
                "before the launch only `{}()` is known here",
                extents.join("()` and `")
            ),
        );
    }
}

/// Constants are told by their spelling.
fn is_constant(name: &Ident) -> bool {
    !name.to_string().contains(char::is_lowercase)
}

/// What conditions of this kernel can speak about.
fn usable(kernel: &Kernel) -> String {
    let names: Vec<_> = kernel
        .params
        .iter()
        .filter_map(|param| match &param.kind {
            ParamKind::Slice(_) | ParamKind::Output(_) => Some(format!("`{}.len()`", param.name)),
            ParamKind::Output2D(_) => Some(format!("`{0}.width()`, `{0}.height()`", param.name)),
            ParamKind::Value => Some(format!("`{}`", param.name)),
            _ => None,
        })
        .collect();
    if names.is_empty() {
        "constants alone: this kernel takes no values or slices".to_owned()
    } else {
        names.join(", ")
    }
}
