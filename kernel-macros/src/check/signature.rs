//! Rules about the function itself.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, GenericParam, ReturnType, Type};

use crate::errors::Errors;
use crate::kernel::Kernel;

pub(super) fn all(errors: &mut Errors, kernel: &Kernel) {
    kernel_is_a_plain_fn(errors, kernel);
    kernel_is_a_free_function(errors, kernel);
    kernel_has_no_self(errors, kernel);
    kernel_has_no_lifetimes(errors, kernel);
    kernel_returns_nothing(errors, kernel);
    fast_math_is_of_kernels(errors, kernel);
    kernel_has_no_upper_self(errors, kernel);
}

// Rule: kernel-is-a-plain-fn
// The entry's calling convention is ours, and a kernel is never called from Rust: nothing could await it, or evaluate it early.
fn kernel_is_a_plain_fn(errors: &mut Errors, kernel: &Kernel) {
    let sig = &kernel.item.sig;
    if let Some(token) = &sig.asyncness {
        errors.push(
            token,
            "a kernel cannot be async; launches do not wait anyway, `stream.synchronize()` does",
        );
    }
    if let Some(token) = &sig.constness {
        errors.push(token, "a kernel cannot be const; write a plain `fn`");
    }
    if let Some(abi) = &sig.abi {
        errors.push(
            abi,
            "a kernel has a calling convention of its own; write a plain `fn`",
        );
    }
    if let Some(variadic) = &sig.variadic {
        errors.push(
            variadic,
            "a kernel takes a fixed number of parameters; pass a slice such as `values: &[u32]`",
        );
    }
}

// Rule: kernel-is-a-free-function
// The handle type that carries the kernel's name cannot stand inside an `impl` or a trait, and rustc's error speaks of that type.
fn kernel_is_a_free_function(errors: &mut Errors, kernel: &Kernel) {
    let Some(enclosing) = &kernel.enclosing else {
        return;
    };
    if kernel.has_receiver() {
        return; // `kernel-has-no-self` says it
    }
    let (name, block) = (kernel.name(), enclosing.describe());
    errors.push(
        name,
        format_args!(
            "a kernel is a free function; move `{name}` out of {block}, to the module around it: methods launch it as others do, by `{name}::launch(&stream, ..)`"
        ),
    );
}

// Rule: kernel-has-no-self
// The handle type that carries the kernel's name cannot stand inside an impl, and there is no object to launch it on.
fn kernel_has_no_self(errors: &mut Errors, kernel: &Kernel) {
    if let Some(receiver @ FnArg::Receiver(_)) = kernel.item.sig.inputs.first() {
        errors.push(
            receiver,
            "a kernel is a free function; move it out of the `impl` and pass the value as a parameter such as `config: Config`",
        );
    }
}

// Rule: kernel-has-no-lifetimes
// How long a kernel may hold its parameters is decided by the launch: until the thread ends.
fn kernel_has_no_lifetimes(errors: &mut Errors, kernel: &Kernel) {
    for param in &kernel.generics().params {
        if let GenericParam::Lifetime(lifetime) = param {
            errors.push(
                lifetime,
                "a kernel has no lifetime parameters: all its parameters are valid as long as the launch; leave the lifetimes out",
            );
        }
    }
}

// Rule: kernel-returns-nothing
// A kernel has no caller to return to: thousands of threads would each return a value.
fn kernel_returns_nothing(errors: &mut Errors, kernel: &Kernel) {
    if let Some(ty) = returned(kernel)
        && kernel.arguments.fast_math.is_none()
    {
        errors.push(
            ty,
            "a kernel returns nothing; write the result through a parameter such as `out: DisjointSlice<T>`",
        );
    }
}

// Rule: fast-math-is-of-kernels
// A function has the arithmetic of the kernel that calls it: kernels with the option and others may share it.
fn fast_math_is_of_kernels(errors: &mut Errors, kernel: &Kernel) {
    if let (Some(option), Some(_)) = (&kernel.arguments.fast_math, returned(kernel)) {
        errors.push(
            option,
            format_args!(
                "`fast_math` is an option of kernels, and `{}` returns a value, which no kernel does; remove `#[kernel]` from it and write `fast_math` at the kernels that call it: it then holds in this function too",
                kernel.base()
            ),
        );
    }
}

/// The type of the value that it returns.
fn returned(kernel: &Kernel) -> Option<&Type> {
    let ReturnType::Type(_, ty) = &kernel.item.sig.output else {
        return None;
    };
    let unit = matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty());
    (!unit).then_some(ty)
}

// Rule: kernel-has-no-upper-self
// The body moves into the handle's impl, where `Self` would name the handle.
fn kernel_has_no_upper_self(errors: &mut Errors, kernel: &Kernel) {
    let mut tokens = TokenStream::new();
    for param in &kernel.params {
        param.ty.to_tokens(&mut tokens);
    }
    kernel.generics().to_tokens(&mut tokens);
    kernel.generics().where_clause.to_tokens(&mut tokens);
    for statement in &kernel.item.block.stmts {
        // An item inside the body may have a `Self` of its own.
        if !matches!(statement, syn::Stmt::Item(_)) {
            statement.to_tokens(&mut tokens);
        }
    }
    if let Some(found) = find_self(tokens) {
        errors.push(
            found,
            "a kernel is a free function and has no `Self`; name the type",
        );
    }
}

fn find_self(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(ident) if ident == "Self" => Some(ident),
        TokenTree::Group(group) => find_self(group.stream()),
        _ => None,
    })
}
