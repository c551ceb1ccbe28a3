//! `#[derive(Plain)]` and `#[derive(KernelArg)]`: which of the user's types may cross between host and kernel.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Data, DataStruct, DeriveInput, GenericParam, Generics, Member, Meta, Token, Type, parse_quote,
};

use self::layout::Part;
use crate::errors::Errors;
use crate::root;
use crate::spans::respan;

mod layout;

/// `unsafe impl Plain`, checked field by field.
///
/// ```text
/// unsafe impl ::warploom::device_std::Plain for Ray {}
/// const _: () = { const fn field<T: Plain>() {} field::<[f32; 3]>(); };
/// const _: () = { fn fields(value: &Ray) { let Ray { origin: _ } = *value; … } };
/// const _: () = assert!(size_of::<Ray>() == 0 + size_of::<[f32; 3]>(), "…");
/// const _: () = assert!(offset_of!(Ray, origin) == 0, "…");
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
    let root = root::of_type(&mut errors, &input.attrs);
    let transparent = representation(input, "transparent");
    let data = plain_is_a_struct(&mut errors, input);
    if data.is_some() {
        plain_has_a_layout(&mut errors, input, transparent);
        plain_is_not_generic(&mut errors, input, transparent);
        plain_has_no_lifetime(&mut errors, input);
    }
    errors.finish()?;
    let fields: Vec<&Type> = data
        .iter()
        .flat_map(|data| &data.fields)
        .map(|field| &field.ty)
        .collect();
    let no_padding = no_padding(input, &fields);
    let path = quote!(::warploom::device_std::Plain);
    // Transparent types may be generic: rustc counts for each choice of types, when a kernel uses it.
    let is_generic = has_type_parameters(input);
    let counted_later = is_generic.then_some(&no_padding);
    let implementation = implementation(input, &path, &layout::parts(&input.data), counted_later);
    let counted = (!is_generic).then(|| quote!(const _: () = #no_padding;));
    let offsets = (!transparent)
        .then(|| data.map(|data| offsets(input, data)))
        .flatten();
    let all = quote!(#implementation #counted #offsets);
    Ok(root::rebase(all, root.as_ref()))
}

fn kernel_arg_impl(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut errors = Errors::new();
    let root = root::of_type(&mut errors, &input.attrs);
    argument_is_not_a_union(&mut errors, input);
    errors.finish()?;
    let path = quote!(::warploom::device_std::KernelArg);
    let parts = layout::parts(&input.data);
    let all = implementation(input, &path, &parts, None);
    Ok(root::rebase(all, root.as_ref()))
}

// Rule: plain-holds-plain-fields
// A struct is what its fields are.
/// The impl. Each field is asked for by itself, at its place: by a call, or by a bound if its type is not known yet.
fn implementation(
    input: &DeriveInput,
    path: &TokenStream,
    parts: &[Part<'_>],
    counted_later: Option<&TokenStream>,
) -> TokenStream {
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
    let layout = layout::fingerprint(path, parts, counted_later);
    let final_fields = final_fields(input, &generics);
    quote! {
        // SAFETY: each field is of such a type itself (checked here); the derive has checked representation and padding.
        #[automatically_derived]
        unsafe impl #impl_generics #path for #name #ty_generics #where_clause {
            #layout
        }

        #final_fields
    }
}

// An attribute macro below the derive is expanded after it, and may add fields or change their types.
/// Names all fields and their types once more, beside the type as it is in the end: rustc compares.
///
/// ```text
/// fn fields(value: &Ray) {
///     fn final_field<Seen, Final: FieldAsSeen<Seen>>(_: *const Final) {}
///     let Ray { origin: _ } = *value;
///     final_field::<[f32; 3], _>(&raw const value.origin);
/// }
/// ```
fn final_fields(input: &DeriveInput, generics: &Generics) -> TokenStream {
    let name = &input.ident;
    let value = Ident::new("value", Span::mixed_site());
    let same = |ty: &Type, place: TokenStream| {
        let span = ty.span().resolved_at(Span::call_site());
        quote_spanned!(span=> final_field::<#ty, _>(&raw const #place);)
    };
    let comparison = match &input.data {
        Data::Struct(data) => {
            let members: Vec<Member> = data.fields.members().collect();
            let calls = data.fields.iter().zip(&members);
            let calls = calls.map(|(field, member)| same(&field.ty, quote!(#value.#member)));
            quote! {
                let #name { #(#members: _),* } = *#value;
                #(#calls)*
            }
        }
        Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| {
                let members: Vec<Member> = variant.fields.members().collect();
                let names: Vec<Ident> = (0..members.len())
                    .map(|i| format_ident!("field{i}", span = Span::mixed_site()))
                    .collect();
                let calls = variant.fields.iter().zip(&names);
                let calls = calls.map(|(field, name)| same(&field.ty, quote!(*#name)));
                let variant = &variant.ident;
                quote!(#name::#variant { #(#members: ref #names),* } => { #(#calls)* })
            });
            quote!(match *#value { #(#arms)* })
        }
        Data::Union(_) => TokenStream::new(),
    };
    let (_, ty_generics, _) = input.generics.split_for_impl();
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        const _: () = {
            #[allow(dead_code, deprecated, unused_variables, clippy::all, clippy::pedantic, reason = "compiled for its type checks")]
            fn fields #impl_generics (#value: &#name #ty_generics) #where_clause {
                fn final_field<Seen, Final: ::warploom::device_std::derived::FieldAsSeen<Seen>>(_: *const Final) {}
                #comparison
            }
        };
    }
}

// The same for the representation: without `repr(C)` rustc orders the fields as it likes.
fn offsets(input: &DeriveInput, data: &DataStruct) -> TokenStream {
    let name = &input.ident;
    let message = format!(
        "the fields of `{name}` are not in the order that `#[repr(C)]` gives them: an attribute below `#[derive(Plain)]` changed it; write the attribute above the derive"
    );
    let span = name.span().resolved_at(Span::call_site());
    let mut before = quote_spanned!(span=> 0);
    let mut in_order = quote_spanned!(span=> true);
    for (field, member) in data.fields.iter().zip(data.fields.members()) {
        let ty = &field.ty;
        in_order.extend(quote_spanned! {span=>
            && ::warploom::__core::mem::offset_of!(#name, #member) == #before
        });
        before.extend(quote_spanned!(span=> + ::warploom::__core::mem::size_of::<#ty>()));
    }
    // Padding has an error of its own.
    quote_spanned! {span=>
        const _: () = ::warploom::__core::assert!(
            ::warploom::__core::mem::size_of::<#name>() != #before || (#in_order),
            #message
        );
    }
}

// Rule: plain-has-no-padding
// Padding bytes are uninitialised: a copy to the device would read them. Only rustc knows the layout, so it counts.
fn no_padding(input: &DeriveInput, fields: &[&Type]) -> TokenStream {
    let name = &input.ident;
    let (_, ty_generics, _) = input.generics.split_for_impl();
    let message = format!(
        "`{name}` has padding bytes, so it is not plain data: order the fields from large to small alignment, or fill the gap with a field such as `_pad: [u8; 4]`"
    );
    quote_spanned! {name.span().resolved_at(Span::call_site())=>
        ::warploom::__core::assert!(
            ::warploom::__core::mem::size_of::<#name #ty_generics>() == 0 #(+ ::warploom::__core::mem::size_of::<#fields>())*,
            #message
        )
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
    let generic = type_parameters(input).next();
    if let Some(param) = generic
        && !transparent
    {
        errors.push(
            param,
            "padding cannot be counted in a generic struct; make it `#[repr(transparent)]` over an array, or write one struct per type",
        );
    }
}

// Rule: plain-has-no-lifetime
// A lifetime is a reference's, and an address of one side is none of the other.
fn plain_has_no_lifetime(errors: &mut Errors, input: &DeriveInput) {
    if let Some(lifetime) = input.generics.lifetimes().next() {
        errors.push(
            lifetime,
            "plain data holds no references, whose addresses mean nothing on the other side; remove the lifetime, and pass what it refers to as a kernel parameter of its own",
        );
    }
}

/// Parameters that the layout may depend on.
fn type_parameters(input: &DeriveInput) -> impl Iterator<Item = &GenericParam> {
    input
        .generics
        .params
        .iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
}

fn has_type_parameters(input: &DeriveInput) -> bool {
    type_parameters(input).next().is_some()
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
    fn plain_has_no_lifetime() {
        check(
            plain_impl,
            "#[repr(C)] struct P<'a> { x: &'a u32 }",
            Some(("'a", "plain data holds no references")),
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
