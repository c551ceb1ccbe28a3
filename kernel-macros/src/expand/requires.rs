//! `requires(..)`: evaluated by the host before the launch, assumed by the device.
//!
//! What the device assumes must not change between the two evaluations, or safe code could cause undefined
//! behaviour. So every variable passes through `__integer`, which takes primitive integers and `bool` alone: operators
//! on those are the language's own. Methods are called on what passed through `__unsigned` or, where signed integers have the method too,
//! `__number`: there the method is the language's own as well. Which expressions get here is decided by [`crate::check`].

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Expr, ExprMethodCall, ExprPath, parse_quote, parse_quote_spanned};

use crate::check::INTEGER_METHODS;
use crate::kernel::{Kernel, Param, ParamKind};
use crate::pass::Pass;

/// ```text
/// if !(BoundSlice::len(&x) == BoundSlice::len(&y)) {
///     return Err(::warploom::launch::requires_failed("saxpy", "x.len() == y.len()", &[("x.len()", BoundSlice::len(&x)), …]));
/// }
/// ```
pub(super) fn host(kernel: &Kernel) -> TokenStream {
    let conditions = &kernel.arguments.requires;
    if conditions.is_empty() {
        return TokenStream::new();
    }
    let base = kernel.base();
    let extents: Vec<_> = kernel
        .launched()
        .flat_map(|param| {
            let of = |name: &&str| {
                let text = format!("{}.{name}()", param.name);
                let extent = extent(param, name, Pass::Host);
                quote!((#text, #extent))
            };
            param.kind.extents().iter().map(of).collect::<Vec<_>>()
        })
        .collect();
    let extents = quote!(&[#(#extents),*]);
    let checks = conditions.iter().map(|condition| {
        let text = source_text(condition);
        let condition = primitive(kernel, condition, Pass::Host);
        quote! {
            if !(#condition) {
                return ::warploom::__core::result::Result::Err(
                    ::warploom::launch::requires_failed(#base, #text, #extents)
                );
            }
        }
    });
    // One after the other: a condition may rely on those before it, as in `requires(n > 0, x.len() % n == 0)`.
    with_integer(quote!(#(#checks)*))
}

/// `::warploom::__core::hint::assert_unchecked(<[_]>::len(x) == ::warploom::device_std::DisjointSlice::len(&y));`
pub(super) fn device(kernel: &Kernel) -> TokenStream {
    let conditions = kernel
        .arguments
        .requires
        .iter()
        .map(|condition| primitive(kernel, condition, Pass::Device));
    with_integer(quote!(#(::warploom::__core::hint::assert_unchecked(#conditions);)*))
}

/// Hash of the conditions, with the values of the constants in them: another constant on the other side would let a launch pass that the
/// device code does not expect. Nothing without conditions.
///
/// ```text
/// const __CONDITIONS: u64 = {
///     let hash = ::warploom::device_std::layout::name("x.len() % WIDTH == 0");
///     let hash = ::warploom::device_std::layout::with(hash, (WIDTH) as i128 as u128);
///     hash
/// };
/// ```
pub(super) fn fingerprint(kernel: &Kernel) -> Option<TokenStream> {
    let conditions = &kernel.arguments.requires;
    let text: Vec<String> = conditions.iter().map(source_text).collect();
    let text = text.join("; ");
    let mut constants = Constants {
        kernel,
        found: vec![],
    };
    for condition in conditions {
        constants.visit_expr_mut(&mut condition.clone());
    }
    let found = &constants.found;
    let layout = quote!(::warploom::device_std::layout);
    // The user may have types of these names.
    let primitive = quote!(::warploom::__core::primitive);
    (!conditions.is_empty()).then(|| {
        quote! {
            #[doc(hidden)]
            const __CONDITIONS: #primitive::u64 = {
                let hash = #layout::name(#text);
                #(let hash = #layout::with(hash, (#found) as #primitive::i128 as #primitive::u128);)*
                hash
            };
        }
    })
}

/// The paths in a condition that name no parameter.
struct Constants<'k> {
    kernel: &'k Kernel,
    found: Vec<ExprPath>,
}

impl VisitMut for Constants<'_> {
    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        let param = path.path.get_ident().and_then(|n| self.kernel.param(n));
        if param.is_none() {
            self.found.push(path.clone());
        }
    }
}

/// Conditions that are about lengths alone need none of the functions.
fn with_integer(conditions: TokenStream) -> TokenStream {
    let text = conditions.to_string();
    let used = |name| text.contains(name);
    let integer = used("__integer").then(integer);
    let unsigned = used("__unsigned").then(|| {
        let note = "signed integers have no method of this name of their own, and a trait's might answer differently on host and device";
        numbers("__Unsigned", "__unsigned", &UNSIGNED, note)
    });
    let number = used("__number").then(|| {
        let all = [UNSIGNED, SIGNED].concat();
        let note = "only integers have a method of this name of their own, and a trait's might answer differently on host and device";
        numbers("__Number", "__number", &all, note)
    });
    quote!(#integer #unsigned #number #conditions)
}

const UNSIGNED: [&str; 6] = ["u8", "u16", "u32", "u64", "u128", "usize"];
const SIGNED: [&str; 6] = ["i8", "i16", "i32", "i64", "i128", "isize"];

/// The function that only takes primitives: its trait is local, so no crate can implement it for more types.
///
/// ```text
/// trait __Integer: Copy {}
/// impl __Integer for u32 {} …
/// fn __integer<T: __Integer>(value: T) -> T { value }
/// ```
fn integer() -> TokenStream {
    let types = [&["bool"], &UNSIGNED[..], &SIGNED[..]].concat();
    let message = "a launch condition cannot depend on a `{Self}`";
    let note = "host and device must come to the same answer: use lengths, integers and `bool`; compute anything else before the launch";
    only(
        "__Integer",
        "__integer",
        &types,
        message,
        "not an integer",
        note,
    )
}

/// The same for what a method is called on.
fn numbers(of: &str, function: &str, types: &[&str], note: &str) -> TokenStream {
    let message = "a launch condition cannot call this method on a `{Self}`";
    only(
        of,
        function,
        types,
        message,
        "has no such method of its own",
        note,
    )
}

fn only(
    of: &str,
    function: &str,
    types: &[&str],
    message: &str,
    label: &str,
    note: &str,
) -> TokenStream {
    let name = |name: &str| Ident::new(name, Span::call_site());
    let (of, function) = (name(of), name(function));
    let types = types.iter().map(|ty| name(ty));
    quote! {
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        trait #of: ::warploom::__core::marker::Copy {}
        #(impl #of for ::warploom::__core::primitive::#types {})*
        #[inline(always)]
        fn #function<T: #of>(value: T) -> T { value }
    }
}

/// `x.len()`, `y.width()` or `y.height()` of a slice or output: ours by its path, for a trait in scope may have a method of this name that takes
/// `self` by value, which rustc would prefer on the host alone.
fn extent(param: &Param, name: &str, pass: Pass) -> TokenStream {
    let (slice, function) = (&param.name, Ident::new(name, Span::call_site()));
    match (pass, &param.kind) {
        (Pass::Host, _) => quote!(::warploom::launch::BoundSlice::#function(&#slice)),
        (Pass::Device, ParamKind::Slice(_)) => quote!(<[_]>::#function(#slice)),
        (Pass::Device, ParamKind::Output2D(_)) => {
            quote!(::warploom::device_std::DisjointSlice2D::#function(&#slice))
        }
        (Pass::Device, _) => quote!(::warploom::device_std::DisjointSlice::#function(&#slice)),
    }
}

/// The condition with every variable and constant made sure to be a primitive integer or `bool`.
fn primitive(kernel: &Kernel, condition: &Expr, pass: Pass) -> Expr {
    let mut condition = condition.clone();
    Primitive { kernel, pass }.visit_expr_mut(&mut condition);
    condition
}

struct Primitive<'k> {
    kernel: &'k Kernel,
    pass: Pass,
}

impl VisitMut for Primitive<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::MethodCall(call) => {
                if let Some(extent) = self.extent(call) {
                    *expr = Expr::Verbatim(extent);
                    return;
                }
                visit_expr_mut(self, expr);
                if let Expr::MethodCall(call) = expr {
                    own_method(call);
                }
            }
            Expr::Cast(cast) => {
                let at_type = cast.ty.span().resolved_at(Span::call_site());
                visit_expr_mut(self, expr);
                // Rule: condition-cast-is-to-an-integer
                // The type may be an alias of one that is no integer, whose arithmetic may round differently on host and device.
                *expr = parse_quote_spanned!(at_type=> __integer(#expr));
            }
            Expr::Path(path) => *expr = parse_quote!(__integer(#path)),
            _ => visit_expr_mut(self, expr),
        }
    }
}

impl Primitive<'_> {
    /// What stands for the call, if it is one of a slice or output of the launch.
    fn extent(&self, call: &ExprMethodCall) -> Option<TokenStream> {
        let Expr::Path(path) = &*call.receiver else {
            return None;
        };
        let param = self.kernel.param(path.path.get_ident()?)?;
        let name = call.method.to_string();
        let extents = param.kind.extents();
        extents
            .contains(&&*name)
            .then(|| extent(param, &name, self.pass))
    }
}

// Rule: condition-calls-no-trait
// A trait's method could answer differently on host and device, and where a type has none of the name itself, a trait's is called.
/// Lets the method be called on types alone that have it themselves.
fn own_method(call: &mut ExprMethodCall) {
    let method = call.method.to_string();
    let at_method = call.method.span().resolved_at(Span::call_site());
    let receiver = &call.receiver;
    if method == "abs_diff" {
        call.receiver = parse_quote_spanned!(at_method=> __number(#receiver));
    } else if INTEGER_METHODS.contains(&method.as_str()) {
        call.receiver = parse_quote_spanned!(at_method=> __unsigned(#receiver));
    }
}

/// The condition as the user wrote it, spaces aside.
fn source_text(condition: &Expr) -> String {
    let text = quote!(#condition).to_string();
    [
        (" . ", "."),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" ,", ","),
    ]
    .iter()
    .fold(text, |text, (from, to)| text.replace(from, to))
}
