//! From a checked [`Kernel`] to the items that stand in its place: a handle type with `launch`, and what the pass needs.
//!
//! The body is written once, as the associated function `__body`. In the host pass `launch` hands it to the runtime as
//! the CPU version; in the device pass `__entry` is what the GPU starts, and `launch` only instantiates it.

mod agreement; // device code and program are compiled from the same packages
mod device;
mod facts;
mod host;
mod layouts;
mod requires;
#[cfg(test)]
mod tests;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, GenericArgument, GenericParam, Generics, PathArguments, Type};

use crate::arguments::Cluster;
use crate::kernel::{Kernel, Param, ParamKind, peel};
use crate::pass::Pass;
use crate::spans::respan;

/// The items that replace the kernel function.
pub(crate) fn expand(kernel: &Kernel, pass: Pass) -> TokenStream {
    let handle = handle(kernel);
    let body = body(kernel, pass);
    let launch = launch(kernel, pass);
    let attributes = facts::attributes(kernel, pass);
    let loaded = facts::function(kernel, pass);
    let bound = facts::bound(kernel);
    let layouts = layouts::of_parameters(kernel);
    let conditions = requires::fingerprint(kernel);
    let (inside, beside) = match pass {
        Pass::Host => (TokenStream::new(), host::failure(kernel)),
        Pass::Device => (device::entry(kernel), device::root(kernel)),
    };
    let name = kernel.name();
    let cfgs = cfgs(kernel);
    let lints = kernel
        .item
        .attrs
        .iter()
        .filter(|attribute| is_lint(attribute));
    let (impl_generics, ty_generics, where_clause) = kernel.generics().split_for_impl();
    let function = callable(kernel);
    quote! {
        #handle

        #function

        #(#cfgs)*
        #(#lints)*
        impl #impl_generics #name #ty_generics #where_clause {
            #launch
            #attributes
            #loaded
            #bound
            #body
            #layouts
            #conditions
            #inside
        }

        #beside
    }
}

/// The type that carries the kernel's name; with braces, so that it is no value, and a variable may have the same name.
///
/// ```text
/// /// The user's documentation.
/// pub struct map<T: Plain, F: Fn(T) -> T> where … { __types: ::warploom::__core::marker::PhantomData<fn() -> (T, F)> }
/// ```
fn handle(kernel: &Kernel) -> TokenStream {
    let name = kernel.name();
    let vis = &kernel.item.vis;
    let generics = kernel.generics();
    let where_clause = &generics.where_clause;
    let attributes = kernel
        .item
        .attrs
        .iter()
        .filter(|attribute| is_for_handle(attribute));
    let types = generics.type_params().map(|param| &param.ident);
    let allow = allow();
    quote! {
        #(#attributes)*
        #allow
        #vis struct #name #generics #where_clause {
            __types: ::warploom::__core::marker::PhantomData<fn() -> (#(#types,)*)>,
        }
    }
}

// Rule: kernel-is-not-called
// The handle is no value, and rustc would propose to write one. What is called instead accepts all arguments, and a bound that nothing meets.
/// The function that is called if the kernel is called as one. Not for rustdoc, whose links would be ambiguous.
///
/// ```text
/// #[cfg(not(doc))]
/// pub fn map<T, F>(_: impl Sized, _: impl Sized) where for<'a> &'a ::warploom::launch::AsFunction: ::warploom::launch::Callable {}
/// ```
fn callable(kernel: &Kernel) -> TokenStream {
    let (name, vis, cfgs, allow) = (kernel.name(), &kernel.item.vis, cfgs(kernel), allow());
    let types = kernel.generics().type_params().map(|param| &param.ident);
    let consts = kernel.generics().const_params().map(|param| {
        let (ident, ty) = (&param.ident, &param.ty);
        quote!(const #ident: #ty)
    });
    let parameters = kernel.item.sig.inputs.iter();
    let parameters = parameters.map(|_| quote!(_: impl ::warploom::__core::marker::Sized));
    quote! {
        #(#cfgs)*
        #[cfg(not(doc))]
        #[doc(hidden)]
        #[allow(dead_code, reason = "it cannot be called")]
        #allow
        #[inline(always)]
        #vis fn #name<#(#types,)* #(#consts,)*>(#(#parameters),*)
        where
            for<'a> &'a ::warploom::launch::AsFunction: ::warploom::launch::Callable,
        {
        }
    }
}

/// The user's function, under a reserved name.
///
/// ```text
/// #[inline(always)] // device pass
/// fn __body(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) { … }
/// ```
fn body(kernel: &Kernel, pass: Pass) -> TokenStream {
    let safety = &kernel.item.sig.safety;
    let inputs = &kernel.item.sig.inputs;
    let block = &kernel.item.block;
    let attributes = kernel
        .item
        .attrs
        .iter()
        .filter(|attribute| !is_for_handle(attribute));
    let inline = match pass {
        Pass::Host => TokenStream::new(),
        Pass::Device => quote!(#[inline(always)]),
    };
    quote! {
        #(#attributes)*
        #inline
        #[doc(hidden)]
        #[allow(clippy::too_many_arguments, reason = "a kernel has no choice: everything it uses is a parameter")]
        #safety fn __body(#inputs) #block
    }
}

/// The typed launch; the same signature in both passes.
///
/// ```text
/// #[track_caller]
/// pub fn launch<'a, __Shape: ::warploom::launch::Shape>(
///     stream: &::warploom::Stream,
///     shape: __Shape,
///     x: impl ::warploom::launch::SliceArg<'a, f32>,
///     y: impl ::warploom::launch::SliceMutArg<'a, f32>,
/// ) -> ::warploom::__core::result::Result<(), ::warploom::LaunchError> { … }
/// ```
fn launch(kernel: &Kernel, pass: Pass) -> TokenStream {
    let vis = &kernel.item.vis;
    let safety = &kernel.item.sig.safety;
    let params = kernel.launched().map(launch_param);
    let (stream, shape) = (local("stream"), local("shape"));
    let lifetime = kernel
        .launched()
        .any(|param| param.kind.is_borrowed())
        .then(|| quote!('a,));
    // Rule: types-are-the-kernels
    // `name::launch::<f32>(..)` names the type of the shape, whose trait says where the types of the kernel stand.
    let of_shape = local("__Shape");
    // Rule: closure-is-copied
    // Each thread gets a copy of the captures' bytes. Demanded of the caller, so that authors of kernels need not write it.
    let closures: Vec<_> = kernel
        .launched()
        .filter(|param| param.kind == ParamKind::Closure)
        .map(|param| &param.ty)
        .collect();
    let where_clause = (!closures.is_empty())
        .then(|| quote!(where #(#closures: ::warploom::launch::ClosureArg),*));
    let (docs, block) = (
        docs(kernel),
        match pass {
            Pass::Host => host::launch_block(kernel, &stream, &shape),
            Pass::Device => device::launch_block(kernel, &stream, &shape),
        },
    );
    let allow = allow();
    // The name `launch` stands at the kernel's: an unused kernel is reported there.
    let launch = Ident::new(
        "launch",
        kernel.name().span().resolved_at(Span::call_site()),
    );
    quote! {
        #(#[doc = #docs])*
        #allow
        #[track_caller]
        #vis #safety fn #launch<#lifetime #of_shape: ::warploom::launch::Shape>(
            #stream: &::warploom::Stream,
            #shape: #of_shape,
            #(#params,)*
        ) -> ::warploom::__core::result::Result<(), ::warploom::LaunchError> #where_clause {
            #block
        }
    }
}

fn docs(kernel: &Kernel) -> Vec<String> {
    let name = kernel.name();
    let mut docs = vec![
        format!(" Launches [`{name}`] on `stream`, in the given shape."),
        String::new(),
        " # Errors".to_owned(),
        " If the shape breaks what the kernel or the device demands, or if the launch itself fails; nothing runs then.".to_owned(),
    ];
    if kernel.is_unsafe() {
        docs.extend([
            String::new(),
            " # Safety".to_owned(),
            format!(" The caller keeps the promises that [`{name}`] asks for, for every thread of the launch."),
        ]);
    }
    docs
}

// Rule: buffer-is-reborrowed
// An `impl SliceMutArg` takes views by value too, so that rustc cannot borrow a `&mut DeviceBuffer` anew by itself; it proposes `&mut *y`.
// Rule: elements-are-the-kernels
// The kernel would take the bytes of another type for its own.
// Rule: texture-of-the-launch-has-the-kernels-type
// A handle says nothing about the type of what it leads to.
fn launch_param(param: &Param) -> TokenStream {
    let (name, ty) = (&param.name, &param.ty);
    let (argument, element) = match &param.kind {
        ParamKind::Slice(element) => (quote!(SliceArg), element),
        ParamKind::Output(element) => (quote!(SliceMutArg), element),
        ParamKind::Output2D(element) => (quote!(Slice2DMutArg), element),
        ParamKind::Append(element) => (quote!(AppendArg), element),
        ParamKind::GridConst(value) => return quote!(#name: #value),
        ParamKind::TensorSource(element, rank) => {
            return quote!(#name: impl ::warploom::launch::TensorSourceArg<'a, #element, {#rank}>);
        }
        ParamKind::TensorTarget(element, rank) => {
            return quote!(#name: impl ::warploom::launch::TensorTargetArg<'a, #element, {#rank}>);
        }
        ParamKind::Texture => {
            let ty = ours_of_launch(param);
            return quote!(#name: impl ::warploom::launch::TextureArg<'a, #ty>);
        }
        ParamKind::Surface => {
            let ty = ours_of_launch(param);
            return quote!(#name: impl ::warploom::launch::SurfaceArg<'a, #ty>);
        }
        _ => return quote!(#name: #ty),
    };
    quote!(#name: impl ::warploom::launch::#argument<'a, #element>)
}

/// How a witness is made. The scope gives it the lifetime of the thread, whatever the user's type says.
fn witness(param: &Param, scope: &Ident) -> TokenStream {
    let ours = ours(param);
    match param.kind {
        ParamKind::SharedTile(ordinal) => {
            let site = tile_site(ordinal, param);
            let ordinal = Literal::usize_unsuffixed(ordinal);
            tie(scope, &quote!(#ours::from_launch::<#ordinal, #site>()))
        }
        _ => tie(scope, &quote!(#ours::from_launch())),
    }
}

/// What the frame of the thread owns, with the frame's lifetime.
///
/// Here and everywhere below, functions are called by their paths: where a method is called, a trait in scope at the kernel may have one of the
/// same name that takes `self` by value, and rustc prefers that to ours by reference.
fn tie(scope: &Ident, value: &TokenStream) -> TokenStream {
    quote!(::warploom::device_std::scope::Scope::tie(&#scope, #value))
}

// Rule: witness-is-ours
// A parameter is known by the last segment of its type, and a type or an alias of the user's may have the name of one of
// ours: an `Index2D` that is an `Index1D` would not be unique. So the type is made by our path; the call of the body then
// fails to type-check, at the user's type.
/// The type of this crate family that the parameter's last segment names.
fn ours(param: &Param) -> TokenStream {
    let span = param.ty.span().resolved_at(Span::call_site());
    let name = match peel(&param.ty) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let name = name.map(|segment| Ident::new(&segment.ident.to_string(), span));
    quote_spanned!(span=> ::warploom::device_std::#name)
}

/// [`ours`] with the arguments that the user gave it, and the lifetime of the launch: `impl` in a signature takes no type whose lifetime is left out.
fn ours_of_launch(param: &Param) -> TokenStream {
    let ours = ours(param);
    let arguments = match peel(&param.ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.arguments),
        _ => None,
    };
    let Some(PathArguments::AngleBracketed(list)) = arguments else {
        return quote!(#ours<'a>); // rustc says which arguments are missing
    };
    let types = list
        .args
        .iter()
        .filter(|argument| !matches!(argument, GenericArgument::Lifetime(_)));
    quote!(#ours<'a, #(#types),*>)
}

/// The parameter's name in the call of the body; a mismatch is shown at the user's type.
fn argument(param: &Param) -> Ident {
    let mut name = param.name.clone();
    name.set_span(name.span().located_at(param.ty.span()));
    name
}

/// One type per shared tile, so that each tile has its own memory, and errors its name.
fn tile_sites(kernel: &Kernel) -> TokenStream {
    let tiles = Literal::usize_unsuffixed(kernel.tiles());
    let sites = kernel.params.iter().filter_map(|param| match param.kind {
        ParamKind::SharedTile(ordinal) => {
            let (site, name) = (tile_site(ordinal, param), param.name.unraw().to_string());
            Some(quote! {
                struct #site;
                impl ::warploom::device_std::shared::TileName for #site {
                    const NAME: &'static ::warploom::__core::primitive::str = #name;
                    const TILES: ::warploom::__core::primitive::u32 = #tiles;
                }
            })
        }
        _ => None,
    });
    quote!(#(#sites)*)
}

/// The device linker reads the tile's name from it.
fn tile_site(ordinal: usize, param: &Param) -> Ident {
    format_ident!("__Tile{ordinal}_{}", param.name, span = Span::mixed_site())
}

/// A local variable that cannot collide with the user's names.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A second local variable that belongs to a parameter: `x_len`.
fn beside_param(param: &Param, suffix: &str) -> Ident {
    format_ident!("{}_{suffix}", param.name, span = Span::mixed_site())
}

/// Name and version of the package that is compiled, as cargo says them: both passes compile the same one.
fn package() -> String {
    let said = |name| std::env::var(name).unwrap_or_default();
    let package = format!("{} {}", said("CARGO_PKG_NAME"), said("CARGO_PKG_VERSION"));
    package.trim().to_owned()
}

/// What the kernel demands of a launch, as fields that both descriptions have; 0 stands for "anything".
fn contract_fields(kernel: &Kernel) -> TokenStream {
    let arguments = &kernel.arguments;
    let dims = u32::from(kernel.dims().unwrap_or(3));
    let [x, y, z] = arguments.block.as_ref().map_or([0; 3], |block| block.value);
    let bounds = arguments.launch_bounds.as_ref().map(|bounds| bounds.value);
    let max_threads = bounds.map_or(0, |bounds| bounds.max_threads);
    let min_blocks = bounds.and_then(|bounds| bounds.min_blocks).unwrap_or(0);
    let max_cluster = bounds.and_then(|bounds| bounds.max_cluster).unwrap_or(0);
    let cluster = arguments.cluster.as_ref().map(|cluster| cluster.value);
    let [cx, cy, cz] = match cluster {
        Some(Cluster::Fixed(extents)) => extents,
        Some(Cluster::AtLaunch) | None => [0; 3],
    };
    let at_launch = cluster == Some(Cluster::AtLaunch);
    let mut params = kernel.params.iter();
    let dynamic_shared = params.any(|param| param.kind == ParamKind::DynamicShared);
    let cooperative = arguments.cooperative.is_some();
    let dependent_launch = arguments.dependent_launch.is_some();
    let conditions = if arguments.requires.is_empty() {
        quote!(0)
    } else {
        quote!(Self::__CONDITIONS)
    };
    quote! {
        dims: #dims,
        block: [#x, #y, #z],
        max_threads: #max_threads,
        min_blocks: #min_blocks,
        cluster: [#cx, #cy, #cz],
        cluster_at_launch: #at_launch,
        max_cluster: #max_cluster,
        dynamic_shared: #dynamic_shared,
        cooperative: #cooperative,
        dependent_launch: #dependent_launch,
        conditions: #conditions,
    }
}

/// The description of a launched parameter, by a constructor of `path`; both passes must agree on size and alignment. What the device
/// pass refuses about a value's type is shown at the type.
fn param_description(param: &Param, path: &TokenStream) -> TokenStream {
    let (constructor, ty) = match &param.kind {
        ParamKind::Slice(element) => ("slice", element),
        ParamKind::Output(element) | ParamKind::Append(element) => ("slice_mut", element),
        ParamKind::Output2D(element) => ("slice_2d_mut", element),
        ParamKind::GridConst(value) => ("grid_const", value),
        ParamKind::TensorSource(..) | ParamKind::TensorTarget(..) => {
            return quote!(#path::grid_const::<::warploom::device_std::tma::RawTensorMap>());
        }
        // An address, or a handle.
        ParamKind::CooperativeGrid | ParamKind::Texture | ParamKind::Surface => {
            return quote!(#path::by_value::<::warploom::__core::primitive::u64>());
        }
        ParamKind::Pointer => ("pointer", &param.ty),
        _ => ("by_value", &param.ty),
    };
    let span = ty.span().resolved_at(Span::call_site());
    let (path, constructor) = (respan(path, span), Ident::new(constructor, span));
    quote_spanned!(span=> #path::#constructor::<#ty>())
}

/// `cfg` and documentation belong to the handle, and so does `deprecated`; lints to everything; the rest to the body.
fn is_for_handle(attribute: &Attribute) -> bool {
    ["doc", "cfg", "deprecated"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
        || is_lint(attribute)
}

/// Not `expect`: that is fulfilled once, by the body.
fn is_lint(attribute: &Attribute) -> bool {
    ["allow", "warn", "deny", "forbid"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
}

fn cfgs(kernel: &Kernel) -> Vec<&Attribute> {
    kernel
        .item
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect()
}

fn allow() -> TokenStream {
    quote! {
        #[allow(
            non_camel_case_types,
            non_snake_case,
            unused_variables,
            unused_qualifications,
            unused_parens,
            unused_unsafe,
            deprecated,
            improper_ctypes_definitions,
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::allow_attributes,
            clippy::undocumented_unsafe_blocks,
            clippy::multiple_unsafe_ops_per_block,
            reason = "generated by #[kernel]"
        )]
    }
}

/// Whether the kernel is one function, rather than one per choice of types.
fn is_generic(generics: &Generics) -> bool {
    generics
        .params
        .iter()
        .any(|param| !matches!(param, GenericParam::Lifetime(_)))
}
