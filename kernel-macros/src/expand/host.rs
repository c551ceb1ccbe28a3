//! The host pass: `launch` describes the kernel, binds the arguments, and hands the runtime a CPU version of one thread.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{
    agreement, argument, beside_param, cfgs, contract_fields, local, ours, package,
    param_description, requires, tie, tile_sites, witness,
};
use crate::kernel::{Kernel, Param, ParamKind};

/// The block of `launch`.
///
/// ```text
/// let x = ::warploom::launch::SliceArg::bind(x);
/// let y = ::warploom::launch::SliceMutArg::bind(y);
/// let a = ::warploom::launch::ByValue::new(a);
/// let x_parts = ::warploom::launch::BoundSlice::parts(&x);
/// let y_parts = ::warploom::launch::BoundSlice::parts(&y);
/// let kernel = ::warploom::launch::Kernel { name: ::warploom::__core::any::type_name::<Self>(), base: "saxpy", … };
/// let cpu = move || unsafe {
///     let scope = ::warploom::device_std::scope::Scope::new();
///     let i = Scope::tie(&scope, ::warploom::device_std::Index1D::from_launch());
///     let a = ::warploom::launch::ByValue::get(&a);
///     let x = Scope::slice(&scope, SliceParts::as_ptr(&x_parts), SliceParts::len(&x_parts));
///     let y = Scope::tie(&scope, ::warploom::device_std::DisjointSlice::from_launch(SliceParts::as_mut_ptr(&y_parts), …));
///     Self::__body(i, a, x, y)
/// };
/// unsafe { ::warploom::launch::submit(stream, Shape::into_launch(shape), &kernel, &[Arg::named(ByValue::arg(&a), "a"), …], &cpu, Location::caller()) }
/// ```
pub(super) fn launch_block(kernel: &Kernel, stream: &Ident, shape: &Ident) -> TokenStream {
    let (slices, values): (Vec<_>, Vec<_>) = kernel
        .launched()
        .partition(|param| param.kind.is_borrowed());
    let parts = slices.iter().map(|param| {
        let (name, parts) = (&param.name, slice_parts(param));
        match param.kind {
            ParamKind::TensorSource(..) | ParamKind::TensorTarget(..) => {
                quote!(let #parts = ::warploom::launch::BoundTensorMap::raw(&#name);)
            }
            ParamKind::Texture | ParamKind::Surface => {
                quote!(let #parts = ::warploom::launch::BoundTexture::raw(&#name);)
            }
            _ => quote!(let #parts = ::warploom::launch::BoundSlice::parts(&#name);),
        }
    });
    let bound_slices = slices.iter().copied().map(bind);
    let values = values.into_iter().map(bind);
    let barriers = kernel
        .params
        .iter()
        .filter(|param| param.kind == ParamKind::CooperativeGrid)
        .map(bind);
    let passed = kernel.passed().map(passed);
    let requires = requires::host(kernel);
    let described = description(kernel);
    let tiles = tile_sites(kernel);
    let (description, cpu, scope) = (local("kernel"), local("cpu"), local("scope"));
    let rebuilt = kernel.params.iter().map(|param| rebuild(param, &scope));
    let arguments = kernel.params.iter().map(argument);
    quote! {
        #(#bound_slices)*
        #requires
        #(#values)*
        #(#barriers)*
        #(#parts)*
        #tiles
        let #description = #described;
        // SAFETY: `submit` runs this once per thread of a launch, while the bound arguments are borrowed: each
        // witness is made by the thread it stands for, and outputs are reached through witnesses alone.
        let #cpu = move || unsafe {
            let #scope = ::warploom::device_std::scope::Scope::new();
            #(#rebuilt)*
            Self::__body(#(#arguments),*)
        };
        // SAFETY: description, arguments and CPU version come from one signature; the arguments are borrowed until
        // this returns, outputs exclusively.
        unsafe {
            ::warploom::launch::submit(
                #stream,
                ::warploom::launch::Shape::into_launch(#shape),
                &#description,
                &[#(#passed),*],
                &#cpu,
                ::warploom::__core::panic::Location::caller(),
            )
        }
    }
}

/// The host's description of the kernel.
fn description(kernel: &Kernel) -> TokenStream {
    let base = kernel.base();
    let package = package();
    let contract = contract_fields(kernel);
    let index = kernel.index_dims().unwrap_or(0);
    let param = quote!(::warploom::launch::Param);
    let params = kernel
        .passed()
        .map(|passed| param_description(passed, &param));
    quote! {
        ::warploom::launch::Kernel {
            name: ::warploom::__core::any::type_name::<Self>(),
            base: #base,
            package: #package,
            contract: ::warploom::launch::Contract {
                #contract
            },
            params: &[#(#params),*],
            layouts: const { &Self::__LAYOUTS },
            index: #index,
            file: ::warploom::__core::file!(),
            line: ::warploom::__core::line!(),
        }
    }
}

/// The block of `attributes`.
pub(super) fn attributes_block(kernel: &Kernel, device: &Ident) -> TokenStream {
    let described = description(kernel);
    quote! {
        ::warploom::launch::attributes(#device, &#described, ::warploom::__core::panic::Location::caller())
    }
}

/// The block of `function`.
pub(super) fn function_block(kernel: &Kernel, device: &Ident) -> TokenStream {
    let described = description(kernel);
    quote! {
        ::warploom::launch::function(#device, &#described, ::warploom::__core::panic::Location::caller())
    }
}

fn bind(param: &Param) -> TokenStream {
    let name = &param.name;
    match &param.kind {
        ParamKind::Slice(_) => quote!(let #name = ::warploom::launch::SliceArg::bind(#name);),
        ParamKind::Output(_) => quote!(let #name = ::warploom::launch::SliceMutArg::bind(#name);),
        ParamKind::Output2D(_) => {
            quote!(let #name = ::warploom::launch::Slice2DMutArg::bind(#name);)
        }
        ParamKind::Append(_) => quote!(let #name = ::warploom::launch::AppendArg::bind(#name);),
        ParamKind::TensorSource(..) => {
            quote!(let #name = ::warploom::launch::TensorSourceArg::bind(#name);)
        }
        ParamKind::TensorTarget(..) => {
            quote!(let #name = ::warploom::launch::TensorTargetArg::bind(#name);)
        }
        ParamKind::Texture => quote!(let #name = ::warploom::launch::TextureArg::bind(#name);),
        ParamKind::Surface => quote!(let #name = ::warploom::launch::SurfaceArg::bind(#name);),
        ParamKind::CooperativeGrid => {
            quote!(let #name = ::warploom::launch::GridBarrier::new();)
        }
        _ => quote!(let #name = ::warploom::launch::ByValue::new(#name);),
    }
}

/// The bound parameter, as `submit` takes it.
fn passed(param: &Param) -> TokenStream {
    let name = &param.name;
    let bound = match &param.kind {
        ParamKind::Slice(_)
        | ParamKind::Output(_)
        | ParamKind::Output2D(_)
        | ParamKind::Append(_) => quote!(BoundSlice),
        ParamKind::TensorSource(..) | ParamKind::TensorTarget(..) => quote!(BoundTensorMap),
        ParamKind::Texture | ParamKind::Surface => quote!(BoundTexture),
        ParamKind::CooperativeGrid => quote!(GridBarrier),
        _ => quote!(ByValue),
    };
    let named = quote! {
        ::warploom::launch::Arg::named(
            ::warploom::launch::#bound::arg(&#name),
            ::warploom::__core::stringify!(#name)
        )
    };
    match (&param.kind, param.space()) {
        (ParamKind::Slice(element), _) => {
            // Of a type that is no element rustc has said so already.
            let only_read = quote!({
                use ::warploom::launch::{MayBeWritten as _, OnlyRead as _};
                let element = &::warploom::launch::ElementOf::<#element>::NEW;
                element.is_only_read()
            });
            quote!(::warploom::launch::Arg::only_read(#named, #only_read))
        }
        (ParamKind::Output(_) | ParamKind::Output2D(_), Some(space)) => quote! {
            ::warploom::launch::Arg::by_blocks(
                #named,
                <#space as ::warploom::device_std::output::Space>::CORE
            )
        },
        _ => named,
    }
}

/// Where the elements of a borrowed parameter lie. Unlike the borrow itself, each thread's copy of the body has one.
fn slice_parts(param: &Param) -> Ident {
    beside_param(param, "parts")
}

/// The parameter as a lane on the CPU sees it, under its name.
fn rebuild(param: &Param, scope: &Ident) -> TokenStream {
    let name = &param.name;
    let part = |function: &str| {
        let (function, parts) = (Ident::new(function, Span::call_site()), slice_parts(param));
        quote!(::warploom::launch::SliceParts::#function(&#parts))
    };
    let ours = || ours(param);
    let value = match &param.kind {
        ParamKind::Slice(_) => {
            let (data, len) = (part("as_ptr"), part("len"));
            quote!(::warploom::device_std::scope::Scope::slice(&#scope, #data, #len))
        }
        ParamKind::Output(_) | ParamKind::Append(_) => {
            let (ours, data, len) = (ours(), part("as_mut_ptr"), part("len"));
            tie(scope, &quote!(#ours::from_launch(#data, #len)))
        }
        ParamKind::Output2D(_) => {
            let (ours, data) = (ours(), part("as_mut_ptr"));
            let (width, height) = (part("width"), part("height"));
            tie(scope, &quote!(#ours::from_launch(#data, #width, #height)))
        }
        ParamKind::TensorSource(..) | ParamKind::TensorTarget(..) => {
            let (ours, parts) = (ours(), slice_parts(param));
            tie(scope, &quote!(#ours::from_launch(&raw const #parts)))
        }
        ParamKind::Texture | ParamKind::Surface => {
            let (ours, parts) = (ours(), slice_parts(param));
            tie(scope, &quote!(#ours::from_launch(#parts)))
        }
        ParamKind::GridConst(_) => {
            let ours = ours();
            let value = quote!(::warploom::launch::ByValue::as_ptr(&#name));
            tie(scope, &quote!(#ours::from_launch(#value)))
        }
        ParamKind::CooperativeGrid => {
            let ours = ours();
            let null = quote!(::warploom::__core::ptr::null_mut());
            tie(scope, &quote!(#ours::from_launch(#null)))
        }
        kind if kind.is_witness() => witness(param, scope),
        _ => quote!(::warploom::launch::ByValue::get(&#name)),
    };
    quote!(let #name = #value;)
}

/// The failure of the device pass, if any, reported at the kernel.
///
/// rustc's own errors must come first and alone, for the device pass reports them too. Therefore the constant is one of a generic
/// type: it is evaluated only after all of the crate passed the type checks, when code is generated.
///
/// ```text
/// const _: () = {
///     struct Failed<T>(PhantomData<T>);
///     impl<T> Failed<T> { const REASON: () = panic!("the device pass .."); }
///     fn report<T>() { Failed::<T>::REASON }
///     #[used]
///     static REPORT: fn() = report::<()>;
/// };
/// ```
pub(super) fn failure(kernel: &Kernel) -> TokenStream {
    // The library's or the program's own, as `warploom-build` names them: another target of the package may have compiled.
    let variable = match std::env::var("CARGO_BIN_NAME") {
        Ok(name) => format!("WARPLOOM_DEVICE_PASS_ERROR_BIN_{name}"),
        Err(_) => "WARPLOOM_DEVICE_PASS_ERROR_LIB".to_owned(),
    };
    let reason = std::env::var(variable).ok();
    let Some(reason) = reason.or_else(|| agreement::problem().map(str::to_owned)) else {
        return TokenStream::new();
    };
    let cfgs = cfgs(kernel);
    let at_name = kernel.name().span().resolved_at(Span::call_site());
    quote_spanned! {at_name=>
        #(#cfgs)*
        const _: () = {
            struct Failed<T>(::warploom::__core::marker::PhantomData<T>);
            impl<T> Failed<T> {
                const REASON: () = ::warploom::__core::panic!("{}", #reason);
            }
            fn report<T>() {
                Failed::<T>::REASON
            }
            #[used]
            static REPORT: fn() = report::<()>;
        };
    }
}
