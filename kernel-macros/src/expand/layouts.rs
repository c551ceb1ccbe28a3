//! Checks of the parameter types, and their fingerprints, in the user's generic context and in both passes.
//!
//! A launch compares the fingerprints of the host with those of the device code: two types of one size may have other fields there.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::allow;
use crate::kernel::{Kernel, Param, ParamKind};

/// One fingerprint for each parameter of the device code.
///
/// ```text
/// const __LAYOUTS: [u64; 2] = [
///     { const fn kernel_argument<T: ::warploom::device_std::KernelArg>() -> u64 { T::LAYOUT } kernel_argument::<f32>() },
///     { const fn slice_element<T: ::warploom::device_std::SliceElement>() -> u64 { … } slice_element::<f32>() },
/// ];
/// ```
pub(super) fn of_parameters(kernel: &Kernel) -> TokenStream {
    let layouts: Vec<_> = kernel.passed().map(layout).collect();
    let count = layouts.len();
    let allow = allow();
    // The user may have a type of this name.
    let u64 = quote!(::warploom::__core::primitive::u64);
    quote! {
        #[doc(hidden)]
        #allow
        const __LAYOUTS: [#u64; #count] = [#(#layouts),*];
    }
}

/// Fails to compile, at the user's type, if the type is not what its parameter needs. What the types in the signature of
/// the body demand by themselves is not repeated.
fn layout(param: &Param) -> TokenStream {
    let plain = quote!(::warploom::device_std::Plain);
    let (name, bound, layout, ty) = match &param.kind {
        // Rule: slice-holds-elements
        // The kernel reads bytes that it did not write: each pattern must be a value.
        ParamKind::Slice(element) => (
            "slice_element",
            quote!(::warploom::device_std::SliceElement),
            quote!(<T::Plain as #plain>::LAYOUT),
            element,
        ),
        ParamKind::Output(element) | ParamKind::Output2D(element) | ParamKind::Append(element) => {
            return quote!(<#element as #plain>::LAYOUT);
        }
        // Rule: value-is-an-argument
        // Its bytes are copied to the device, where addresses of the host mean nothing.
        ParamKind::Value => (
            "kernel_argument",
            quote!(::warploom::device_std::KernelArg),
            quote!(T::LAYOUT),
            &param.ty,
        ),
        ParamKind::GridConst(value) => (
            "kernel_argument",
            quote!(::warploom::device_std::KernelArg),
            quote!(T::LAYOUT),
            value,
        ),
        ParamKind::TensorSource(element, _) | ParamKind::TensorTarget(element, _) => {
            return quote!(<#element as #plain>::LAYOUT);
        }
        ParamKind::Texture | ParamKind::Surface => {
            let ty = &param.ty;
            return quote!(<#ty>::LAYOUT);
        }
        // Of the captures, only size and alignment are known.
        ParamKind::Closure => {
            let ty = &param.ty;
            return quote!(::warploom::device_std::layout::opaque::<#ty>());
        }
        _ => return quote!(0),
    };
    let name = Ident::new(name, Span::call_site());
    let call = quote_spanned!(ty.span().resolved_at(Span::call_site())=> #name::<#ty>());
    quote!({ const fn #name<T: #bound>() -> ::warploom::__core::primitive::u64 { #layout } #call })
}
