//! The fingerprint of a type: names, places and types of its fields, its variants and their numbers.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, Expr, Field, Member, Type};

/// What a type is made of, in the order of its declaration.
pub(super) enum Part<'i> {
    Variant {
        name: String,
        discriminant: Option<&'i Expr>,
    },
    Field {
        name: String,
        /// Where it is; rustc does not tell that of an enum's fields.
        member: Option<Member>,
        ty: &'i Type,
    },
}

pub(super) fn parts(data: &Data) -> Vec<Part<'_>> {
    match data {
        Data::Struct(data) => data.fields.iter().enumerate().map(struct_field).collect(),
        Data::Enum(data) => {
            let mut parts = Vec::new();
            for variant in &data.variants {
                parts.push(Part::Variant {
                    name: variant.ident.to_string(),
                    discriminant: variant.discriminant.as_ref().map(|(_, number)| number),
                });
                parts.extend(variant.fields.iter().map(|field| {
                    Part::Field {
                        name: field
                            .ident
                            .as_ref()
                            .map(ToString::to_string)
                            .unwrap_or_default(),
                        member: None,
                        ty: &field.ty,
                    }
                }));
            }
            parts
        }
        Data::Union(_) => Vec::new(),
    }
}

fn struct_field((at, field): (usize, &Field)) -> Part<'_> {
    let member = field
        .ident
        .clone()
        .map_or_else(|| Member::from(at), Member::from);
    let name = match &member {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    };
    Part::Field {
        name,
        member: Some(member),
        ty: &field.ty,
    }
}

/// The associated constant. The calls fail to compile, at the user's type, if a field is not what `path` asks for.
///
/// ```text
/// const LAYOUT: u64 = {
///     const fn field<T: ::warploom::device_std::Plain>(before: u64, name: &str, offset: usize) -> u64 { … }
///     let layout = ::warploom::device_std::layout::opaque::<Self>();
///     let layout = field::<f32>(layout, "x", ::warploom::__core::mem::offset_of!(Self, x));
///     layout
/// };
/// ```
///
/// `check` is evaluated with it, for each choice of a generic type's parameters.
pub(super) fn fingerprint(
    path: &TokenStream,
    parts: &[Part<'_>],
    check: Option<&TokenStream>,
) -> TokenStream {
    let check = check.map(|check| quote!(#check;));
    let module = quote!(::warploom::device_std::layout);
    // The user may have types of these names.
    let primitive = quote!(::warploom::__core::primitive);
    let steps = parts.iter().map(|part| match part {
        Part::Variant { name, discriminant } => {
            let number = discriminant.map(
                |number| quote!(let layout = #module::with(layout, (#number) as #primitive::i128 as #primitive::u128);),
            );
            quote! {
                let layout = #module::with_name(layout, #name);
                #number
            }
        }
        Part::Field { name, member, ty } => {
            let span = ty.span().resolved_at(Span::call_site());
            let offset = match member {
                Some(member) => quote!(::warploom::__core::mem::offset_of!(Self, #member)),
                None => quote!(0),
            };
            let call = quote_spanned!(span=> field::<#ty>);
            quote!(let layout = #call(layout, #name, #offset);)
        }
    });
    quote! {
        const LAYOUT: #primitive::u64 = {
            #[allow(dead_code, reason = "a type without fields asks for nothing")]
            const fn field<T: #path>(
                before: #primitive::u64,
                name: &#primitive::str,
                offset: #primitive::usize,
            ) -> #primitive::u64 {
                #module::with_field(before, name, offset, T::LAYOUT)
            }
            #check
            let layout = #module::opaque::<Self>();
            #(#steps)*
            layout
        };
    }
}
