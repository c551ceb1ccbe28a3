//! `#[derive(Plain)]` and `#[derive(KernelArg)]`: which of the user's types may cross between host and kernel.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Data, DataStruct, DeriveInput, GenericParam, Meta, Token, Type, parse_quote};

use self::layout::Part;
use crate::errors::Errors;

mod layout;

/// `unsafe impl Plain`, checked field by field.
///
/// ```text
/// unsafe impl ::warploom::device_std::Plain for Ray {}
/// const _: () = { const fn field<T: Plain>() {} field::<[f32; 3]>(); };
/// const _: () = assert!(size_of::<Ray>() == 0 + size_of::<[f32; 3]>(), "…");
/// ```
pub(crate) fn plain(input: TokenStream) -> TokenStream {
    match syn::parse2(input).and_then(|input| plain_impl(&input)) {
        Ok(tokens) => tokens,
        Err(error) => error.into_compile_error(),
    }
}

/// `unsafe impl KernelArg`, checked field by field.
pub(crate) fn kernel_arg(input: TokenStream) -> TokenStream {
    match syn::parse2(input).and_then(|input| kernel_arg_impl(&input)) {
        Ok(tokens) => tokens,
        Err(error) => error.into_compile_error(),
    }
}

fn plain_impl(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut errors = Errors::new();
    let transparent = representation(input, "transparent");
    let data = plain_is_a_struct(&mut errors, input);
    if data.is_some() {
        plain_has_a_layout(&mut errors, input, transparent);
        plain_is_not_generic(&mut errors, input, transparent);
    }
    errors.finish()?;
    let fields: Vec<&Type> = data
        .iter()
        .flat_map(|data| &data.fields)
        .map(|field| &field.ty)
        .collect();
    let path = quote!(::warploom::device_std::Plain);
    let implementation = implementation(input, &path, &layout::parts(&input.data));
    // Transparent types have the size of their one field, and may be generic.
    let no_padding = (!transparent).then(|| no_padding(input, &fields));
    Ok(quote!(#implementation #no_padding))
}

fn kernel_arg_impl(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut errors = Errors::new();
    argument_is_not_a_union(&mut errors, input);
    errors.finish()?;
    let path = quote!(::warploom::device_std::KernelArg);
    Ok(implementation(input, &path, &layout::parts(&input.data)))
}

// Rule: plain-holds-plain-fields
// A struct is what its fields are.
/// The impl. Each field is asked for by itself, at its place: by a call, or by a bound if its type is not known yet.
fn implementation(input: &DeriveInput, path: &TokenStream, parts: &[Part<'_>]) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, ty_generics, _) = input.generics.split_for_impl();
    let mut generics = input.generics.clone();
    if !input.generics.params.is_empty() {
        for part in parts {
            let Part::Field { ty, .. } = part else {
                continue;
            };
            let path = respan(path, ty.span().resolved_at(Span::call_site()));
            let predicates = &mut generics.make_where_clause().predicates;
            predicates.push(parse_quote!(#ty: #path));
        }
    }
    let where_clause = &generics.where_clause;
    let layout = layout::fingerprint(path, parts);
    quote! {
        // SAFETY: each field is of such a type itself (checked here); the derive has checked representation and padding.
        #[automatically_derived]
        unsafe impl #impl_generics #path for #name #ty_generics #where_clause {
            #layout
        }
    }
}

fn respan(tokens: &TokenStream, span: Span) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .map(|mut tree| {
            tree.set_span(span);
            tree
        })
        .collect()
}

// Rule: plain-has-no-padding
// Padding bytes are uninitialised: a copy to the device would read them. Only rustc knows the layout, so it counts.
fn no_padding(input: &DeriveInput, fields: &[&Type]) -> TokenStream {
    let name = &input.ident;
    let message = format!(
        "`{name}` has padding bytes, so it is not plain data: order the fields from large to small alignment, or fill the gap with a field such as `_pad: [u8; 4]`"
    );
    quote_spanned! {name.span().resolved_at(Span::call_site())=>
        const _: () = ::core::assert!(
            ::core::mem::size_of::<#name>() == 0 #(+ ::core::mem::size_of::<#fields>())*,
            #message
        );
    }
}

// Rule: plain-is-a-struct
// Every bit pattern of plain data is a value. An enum has patterns that are no variant; what a union holds is not known.
fn plain_is_a_struct<'i>(errors: &mut Errors, input: &'i DeriveInput) -> Option<&'i DataStruct> {
    match &input.data {
        Data::Struct(data) => Some(data),
        Data::Enum(data) => {
            errors.push(
                data.enum_token,
                "an enum has bit patterns that are no value; keep its number in the buffer (`u32`), or pass it by value with `#[derive(KernelArg)]`",
            );
            None
        }
        Data::Union(data) => {
            errors.push(
                data.union_token,
                "rustc does not know which field of a union is valid; use a struct",
            );
            None
        }
    }
}

// Rule: plain-has-a-layout
// rustc may order the fields of a Rust struct as it likes, and otherwise in the next version: files and CUDA twins would disagree.
fn plain_has_a_layout(errors: &mut Errors, input: &DeriveInput, transparent: bool) {
    if !transparent && !representation(input, "C") {
        errors.push(
            &input.ident,
            "plain data has a fixed layout; add `#[repr(C)]`, or `#[repr(transparent)]` to a struct of one field",
        );
    }
}

// Rule: plain-is-not-generic
// Whether there is padding depends on the types, and rustc cannot count before it knows them.
fn plain_is_not_generic(errors: &mut Errors, input: &DeriveInput, transparent: bool) {
    let generic = input
        .generics
        .params
        .iter()
        .find(|param| !matches!(param, GenericParam::Lifetime(_)));
    if let Some(param) = generic
        && !transparent
    {
        errors.push(
            param,
            "padding cannot be counted in a generic struct; make it `#[repr(transparent)]` over an array, or write one struct per type",
        );
    }
}

// Rule: argument-is-not-a-union
// Its bytes may be uninitialised, and the macro cannot check which field is valid.
fn argument_is_not_a_union(errors: &mut Errors, input: &DeriveInput) {
    if let Data::Union(data) = &input.data {
        errors.push(
            data.union_token,
            "a union cannot be checked; pass a struct or an enum",
        );
    }
}

/// Whether a `repr` attribute contains `name`.
fn representation(input: &DeriveInput, name: &str) -> bool {
    input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("repr"))
        .filter_map(|attribute| {
            attribute
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .ok()
        })
        .flatten()
        .any(|meta| meta.path().is_ident(name))
}

#[cfg(test)]
mod tests {
    use super::{kernel_arg_impl, plain_impl};
    use proc_macro2::TokenStream;
    use syn::{DeriveInput, parse_str};

    type Derive = fn(&DeriveInput) -> syn::Result<TokenStream>;

    /// `expected` is the token that the message stands at, and how it begins; nothing if the type is right.
    #[track_caller]
    fn check(derive: Derive, source: &str, expected: Option<(&str, &str)>) {
        let found = derive(&parse_str(source).unwrap()).err();
        let found = found.map(|error| {
            let span = error.span();
            (
                source[span.start().column..span.end().column].to_owned(),
                error.to_string(),
            )
        });
        match (&found, expected) {
            (None, None) => {}
            (Some((token, message)), Some((at, begins)))
                if token == at && message.starts_with(begins) => {}
            _ => panic!("{source}\n{found:?}"),
        }
    }

    #[test]
    fn right_types_are_left_alone() {
        check(plain_impl, "#[repr(C)] struct P { x: f32, y: f32 }", None);
        check(
            plain_impl,
            "#[repr(C, align(16))] struct P([f32; 4]);",
            None,
        );
        check(
            plain_impl,
            "#[repr(transparent)] struct P<const N: usize>([f32; N]);",
            None,
        );
        check(kernel_arg_impl, "enum Edge { Clamp, Value(f32) }", None);
        check(kernel_arg_impl, "struct Op<T> { scale: T }", None);
    }

    #[test]
    fn plain_is_a_struct() {
        check(
            plain_impl,
            "enum E { A }",
            Some(("enum", "an enum has bit patterns")),
        );
        check(
            plain_impl,
            "union U { a: u32 }",
            Some(("union", "rustc does not know")),
        );
    }

    #[test]
    fn plain_has_a_layout() {
        check(
            plain_impl,
            "struct P { x: f32 }",
            Some(("P", "plain data has a fixed layout")),
        );
    }

    #[test]
    fn plain_is_not_generic() {
        check(
            plain_impl,
            "#[repr(C)] struct P<T> { x: T }",
            Some(("T", "padding cannot be counted")),
        );
    }

    #[test]
    fn argument_is_not_a_union() {
        check(
            kernel_arg_impl,
            "union U { a: u32 }",
            Some(("union", "a union cannot be checked")),
        );
    }
}
