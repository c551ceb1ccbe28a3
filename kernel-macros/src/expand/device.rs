//! The device pass: the entry that the GPU starts, its description for the device linker, and launches that only
//! instantiate their kernel.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{
    argument, beside_param, cfgs, contract_fields, is_generic, local, ours, package,
    param_description, requires, tie, tile_sites, witness,
};
use crate::kernel::{Kernel, Param, ParamKind};

/// The description and the entry, both inside the handle's impl.
///
/// ```text
/// const DEVICE: &'static ::warploom::device_std::kernel::DeviceKernel = &DeviceKernel {
///     name: ::warploom::__core::any::type_name::<Self>(), base: "saxpy", entry: Self::__entry as *const (), params: &[…], … };
///
/// unsafe extern "C" fn __entry(a: *const f32, x: *const f32, x_len: usize, y: *mut f32, y_len: usize) { unsafe {
///     let scope = ::warploom::device_std::scope::Scope::new();
///     let i = Scope::tie(&scope, ::warploom::device_std::Index1D::from_launch());
///     let a = ::warploom::__core::ptr::read(a);
///     let x = Scope::slice(&scope, x, x_len);
///     let y = Scope::tie(&scope, ::warploom::device_std::DisjointSlice::from_launch(y, y_len));
///     Self::__body(i, a, x, y)
/// } }
/// ```
pub(super) fn entry(kernel: &Kernel) -> TokenStream {
    let base = kernel.base();
    let package = package();
    let contract = contract_fields(kernel);
    let registers = kernel
        .arguments
        .max_registers
        .as_ref()
        .map_or(0, |written| written.value);
    let fma = u16::from(kernel.arguments.fma.is_some());
    let fast_math = u16::from(kernel.arguments.fast_math.is_some());
    let module = quote!(::warploom::device_std::kernel);
    let param = quote!(#module::DeviceParam);
    let params = kernel.passed().enumerate().map(|(at, passed)| {
        let description = param_description(passed, &param);
        quote!(#description.with_layout(Self::__LAYOUTS[#at]))
    });
    let scope = local("scope");
    let raw = kernel.passed().map(raw_params);
    let rebuilt = kernel.params.iter().map(|param| rebuild(param, &scope));
    let tiles = tile_sites(kernel);
    let assumed = requires::device(kernel);
    let arguments = kernel.params.iter().map(argument);
    let allow = super::allow();
    quote! {
        #[doc(hidden)]
        #allow
        const DEVICE: &'static #module::DeviceKernel = &#module::DeviceKernel {
            name: ::warploom::__core::any::type_name::<Self>(),
            base: #base,
            entry: Self::__entry as *const (),
            params: &[#(#params),*],
            #contract
            max_registers: #registers,
            fma: #fma,
            fast_math: #fast_math,
            file: ::warploom::__core::file!(),
            line: ::warploom::__core::line!(),
            package: #package,
        };

        #[doc(hidden)]
        #allow
        unsafe extern "C" fn __entry(#(#raw),*) {
            #tiles
            // SAFETY: the device starts this once per thread with the arguments that `launch` bound, in this
            // order; the host has checked the shape and the conditions before.
            unsafe {
                let #scope = ::warploom::device_std::scope::Scope::new();
                #(#rebuilt)*
                #assumed
                Self::__body(#(#arguments),*)
            }
        }
    }
}

fn raw_params(param: &Param) -> TokenStream {
    let (name, ty) = (&param.name, &param.ty);
    let (len, width, height) = (
        beside_param(param, "len"),
        beside_param(param, "width"),
        beside_param(param, "height"),
    );
    // A user's type may have the name.
    let usize = quote!(::warploom::__core::primitive::usize);
    match &param.kind {
        ParamKind::Slice(element) => quote!(#name: *const #element, #len: #usize),
        ParamKind::Output(element) | ParamKind::Append(element) => {
            quote!(#name: *mut #element, #len: #usize)
        }
        ParamKind::Output2D(element) => {
            quote!(#name: *mut #element, #width: #usize, #height: #usize)
        }
        ParamKind::GridConst(value) => quote!(#name: *const #value),
        ParamKind::TensorSource(..) | ParamKind::TensorTarget(..) => {
            quote!(#name: *const ::warploom::device_std::tma::RawTensorMap)
        }
        ParamKind::Texture | ParamKind::Surface => {
            quote!(#name: *const ::warploom::__core::primitive::u64)
        }
        ParamKind::CooperativeGrid => {
            quote!(#name: *const *mut ::warploom::__core::primitive::u32)
        }
        _ => quote!(#name: *const #ty),
    }
}

/// The parameter as the body takes it, under its name.
fn rebuild(param: &Param, scope: &Ident) -> TokenStream {
    let name = &param.name;
    let (len, width, height) = (
        beside_param(param, "len"),
        beside_param(param, "width"),
        beside_param(param, "height"),
    );
    let ours = || ours(param);
    let value = match &param.kind {
        ParamKind::Slice(_) => {
            quote!(::warploom::device_std::scope::Scope::slice(&#scope, #name, #len))
        }
        ParamKind::Output(_) | ParamKind::Append(_) => {
            let ours = ours();
            tie(scope, &quote!(#ours::from_launch(#name, #len)))
        }
        ParamKind::Output2D(_) => {
            let ours = ours();
            tie(scope, &quote!(#ours::from_launch(#name, #width, #height)))
        }
        ParamKind::GridConst(_) | ParamKind::TensorSource(..) | ParamKind::TensorTarget(..) => {
            let ours = ours();
            tie(scope, &quote!(#ours::from_launch(#name)))
        }
        ParamKind::CooperativeGrid | ParamKind::Texture | ParamKind::Surface => {
            let ours = ours();
            let word = quote!(::warploom::__core::ptr::read(#name));
            tie(scope, &quote!(#ours::from_launch(#word)))
        }
        kind if kind.is_witness() => witness(param, scope),
        _ => quote!(::warploom::__core::ptr::read(#name)),
    };
    quote!(let #name = #value;)
}

/// `launch` in the device pass. It is compiled, never run: its call of `instantiate` is what makes rustc compile the
/// instance of a generic kernel, and tells the linker where it is launched.
pub(super) fn launch_block(kernel: &Kernel, stream: &Ident, shape: &Ident) -> TokenStream {
    let names = kernel.launched().map(|param| &param.name);
    let instantiate = instantiate();
    quote! {
        let _ = (#stream, #shape, #(#names),*);
        #instantiate
        ::warploom::__core::result::Result::Ok(())
    }
}

fn instantiate() -> TokenStream {
    quote! {
        // SAFETY: the kernel's own description.
        unsafe {
            ::warploom::device_std::kernel::instantiate(Self::DEVICE, ::warploom::__core::panic::Location::caller());
        }
    }
}

/// `attributes` in the device pass: it instantiates the kernel as a launch does.
pub(super) fn attributes_block(device: &Ident) -> TokenStream {
    let instantiate = instantiate();
    quote! {
        let _ = #device;
        #instantiate
        ::warploom::__core::result::Result::Ok(::warploom::__core::option::Option::None)
    }
}

/// `function` in the device pass: it instantiates the kernel as a launch does, and is never called.
pub(super) fn function_block(device: &Ident) -> TokenStream {
    let instantiate = instantiate();
    quote! {
        let _ = #device;
        #instantiate
        ::warploom::__core::unreachable!("never called on a device")
    }
}

/// A kernel without type parameters is compiled whether or not this crate launches it.
///
/// ```text
/// const _: () = {
///     #[used]
///     #[unsafe(link_section = ".warploom.kernels")]
///     static ROOT: ::warploom::device_std::kernel::Root = ::warploom::device_std::kernel::Root(saxpy::DEVICE);
/// };
/// ```
pub(super) fn root(kernel: &Kernel) -> TokenStream {
    if is_generic(kernel.generics()) {
        return TokenStream::new();
    }
    let name = kernel.name();
    let cfgs = cfgs(kernel);
    quote! {
        #(#cfgs)*
        const _: () = {
            #[used]
            #[unsafe(link_section = ".warploom.kernels")]
            static ROOT: ::warploom::device_std::kernel::Root = ::warploom::device_std::kernel::Root(#name::DEVICE);
        };
    }
}
