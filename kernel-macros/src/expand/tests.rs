//! What the expansions must contain, whatever else changes in them.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Item;

use crate::kernel_attribute::kernel;
use crate::pass::Pass;

/// The expansion without any spaces.
#[track_caller]
fn expand(arguments: &str, source: &str, pass: Pass) -> String {
    let (arguments, source) = (arguments.parse().unwrap(), source.parse().unwrap());
    let tokens = kernel(arguments, source, None, pass);
    let file: syn::File = syn::parse2(tokens.clone()).unwrap();
    assert!(
        !file.items.iter().any(|item| matches!(item, Item::Macro(_))),
        "{tokens}"
    );
    squeeze(&tokens)
}

fn squeeze(tokens: &TokenStream) -> String {
    tokens.to_string().replace(char::is_whitespace, "")
}

#[track_caller]
fn contains(expansion: &str, part: TokenStream) {
    assert!(
        expansion.contains(&squeeze(&part)),
        "{part}\nis not in\n{expansion}"
    );
}

const SAXPY: &str =
    "pub fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) { body() }";

#[test]
fn launch_is_the_same_in_both_passes() {
    for pass in [Pass::Host, Pass::Device] {
        let signature = quote! {
            pub fn launch<'a, __Shape: ::warploom::launch::Shape>(
                stream: &::warploom::Stream,
                shape: __Shape,
                a: f32,
                x: impl ::warploom::launch::SliceArg<'a, f32>,
                y: impl ::warploom::launch::SliceMutArg<'a, f32>,
            ) -> ::warploom::__core::result::Result<(), ::warploom::LaunchError>
        };
        contains(&expand("", SAXPY, pass), signature);
    }
}

#[test]
fn textures_and_surfaces_have_the_lifetime_of_the_launch() {
    let source = "fn k(x: Texture2d<'_, [u8; 4], Normalized>, mut y: Surface3d<f32>) {}";
    for pass in [Pass::Host, Pass::Device] {
        let parameters = quote! {
            x: impl ::warploom::launch::TextureArg<'a, ::warploom::device_std::Texture2d<'a, [u8; 4], Normalized>>,
            y: impl ::warploom::launch::SurfaceArg<'a, ::warploom::device_std::Surface3d<'a, f32>>,
        };
        contains(&expand("", source, pass), parameters);
    }
}

#[test]
fn function_is_the_same_in_both_passes() {
    for pass in [Pass::Host, Pass::Device] {
        let signature = quote! {
            pub fn function(
                device: &::warploom::Device,
            ) -> ::warploom::__core::result::Result<::warploom::module::Function, ::warploom::LaunchError>
        };
        contains(&expand("", SAXPY, pass), signature);
    }
}

#[test]
fn the_entry_takes_pointers_and_lengths() {
    let device = expand("", SAXPY, Pass::Device);
    contains(
        &device,
        quote! {
            unsafe extern "C" fn __entry(
                a: *const f32,
                x: *const f32,
                x_len: ::warploom::__core::primitive::usize,
                y: *mut f32,
                y_len: ::warploom::__core::primitive::usize
            )
        },
    );
    contains(&device, quote!(Self::__body(i, a, x, y)));
    contains(&device, quote!(#[inline(always)]));
    contains(
        &device,
        quote! {
            let i = ::warploom::device_std::scope::Scope::tie(
                &scope,
                ::warploom::device_std::Index1D::from_launch()
            );
            let a = ::warploom::__core::ptr::read(a);
            let x = ::warploom::device_std::scope::Scope::slice(&scope, x, x_len);
        },
    );
}

#[test]
fn only_kernels_of_fixed_types_are_roots() {
    assert!(expand("", SAXPY, Pass::Device).contains("staticROOT"));
    let generic = expand("", "fn k<T: Plain>(x: &[T]) {}", Pass::Device);
    assert!(!generic.contains("staticROOT"));
    assert!(!expand("", SAXPY, Pass::Host).contains("DEVICE:"));
}

#[test]
fn types_are_made_by_our_paths() {
    // A user's alias `DisjointSlice` must not decide what is made: it could have another element or another lifetime.
    let host = expand(
        "",
        "fn k(y: other::DisjointSlice<f32>, t: SharedTile<u32, 4>) {}",
        Pass::Host,
    );
    contains(
        &host,
        quote!(::warploom::device_std::scope::Scope::tie(
            &scope,
            ::warploom::device_std::DisjointSlice::from_launch(
                ::warploom::launch::SliceParts::as_mut_ptr(&y_parts),
                ::warploom::launch::SliceParts::len(&y_parts)
            )
        )),
    );
    contains(
        &host,
        quote!(::warploom::device_std::scope::Scope::tie(
            &scope,
            ::warploom::device_std::SharedTile::from_launch::<0, __Tile0_t>()
        )),
    );
}

#[test]
fn conditions_are_checked_first_and_assumed_in_the_entry_alone() {
    let (arguments, source) = ("requires(x.len() % n == 0)", "fn k(n: usize, x: &[f32]) {}");
    let host = expand(arguments, source, Pass::Host);
    contains(
        &host,
        quote!(if !(::warploom::launch::BoundSlice::len(&x) % __integer(n) == 0)),
    );
    assert!(!host.contains("assert_unchecked"));
    let device = expand(arguments, source, Pass::Device);
    contains(
        &device,
        quote!(::warploom::__core::hint::assert_unchecked(<[_]>::len(x) % __integer(n) == 0);),
    );
    assert!(device.find("assert_unchecked") < device.find("Self::__body("));
}

#[test]
fn methods_of_conditions_are_called_on_types_that_have_them() {
    let (arguments, source) = (
        "requires(n.is_power_of_two(), x.len().div_ceil(n) < 9, m.abs_diff(1) > 0)",
        "fn k(n: usize, m: i32, x: &[f32]) {}",
    );
    for pass in [Pass::Host, Pass::Device] {
        let expanded = expand(arguments, source, pass);
        contains(
            &expanded,
            quote!(__unsigned(__integer(n)).is_power_of_two()),
        );
        let len = match pass {
            Pass::Host => quote!(::warploom::launch::BoundSlice::len(&x)),
            Pass::Device => quote!(<[_]>::len(x)),
        };
        contains(
            &expanded,
            quote!(__unsigned(#len).div_ceil(__integer(n)) < 9),
        );
        contains(&expanded, quote!(__number(__integer(m)).abs_diff(1) > 0));
    }
}

#[test]
fn an_unsafe_kernel_has_an_unsafe_launch() {
    let host = expand("", "unsafe fn k(p: *mut f32) {}", Pass::Host);
    assert!(host.contains("unsafefnlaunch<"));
    contains(&host, quote!(unsafe fn __body(p: *mut f32)));
}

#[test]
fn attributes_go_where_they_belong() {
    let host = expand(
        "",
        "#[cfg(unix)] #[allow(dead_code)] #[rustfmt::skip] fn k(n: u32) {}",
        Pass::Host,
    );
    let cfgs = host.matches("#[cfg(unix)]").count();
    assert_eq!(cfgs, 3, "handle, function, impl");
    assert_eq!(
        host.matches("#[allow(dead_code)]").count(),
        2,
        "handle, impl"
    );
    assert_eq!(host.matches("#[rustfmt::skip]").count(), 1, "body");
}

#[test]
fn the_contract_travels() {
    let device = expand(
        "block(16, 8), launch_bounds(128, 2, 4), cluster(2, 1), fma, fast_math",
        "fn k(i: Index2D) {}",
        Pass::Device,
    );
    contains(
        &device,
        quote!(dims: 2u32, block: [16u32, 8u32, 1u32], max_threads: 128u32, min_blocks: 2u32,),
    );
    contains(
        &device,
        quote!(cluster: [2u32, 1u32, 1u32], cluster_at_launch: false, max_cluster: 4u32,),
    );
    contains(
        &device,
        quote!(max_registers: 0u32, fma: 1u16, fast_math: 1u16,),
    );
    contains(
        &device,
        quote!(
            const MAX_THREADS: u32 = 128u32;
        ),
    );
    let device = expand(
        "max_registers(40), cluster",
        "fn k(i: Index2D) {}",
        Pass::Device,
    );
    contains(
        &device,
        quote!(max_registers: 40u32, fma: 0u16, fast_math: 0u16,),
    );
    contains(
        &device,
        quote!(cluster: [0u32, 0u32, 0u32], cluster_at_launch: true,),
    );
    let host = expand("cooperative", "fn k() {}", Pass::Host);
    contains(
        &host,
        quote!(dynamic_shared: false, cooperative: true, dependent_launch: false,),
    );
    let host = expand("dependent_launch", "fn k() {}", Pass::Host);
    contains(&host, quote!(cooperative: false, dependent_launch: true,));
}

#[test]
fn numbers_of_launch_bounds_may_have_names() {
    let named = "launch_bounds(max_blocks_per_cluster = 8, max_threads = 96)";
    let device = expand(named, "fn k() {}", Pass::Device);
    contains(&device, quote!(max_threads: 96u32, min_blocks: 0u32,));
    contains(&device, quote!(max_cluster: 8u32,));
}

#[test]
fn a_cooperative_grid_is_handed_over_unseen() {
    let source = "fn k(n: u32, grid: CooperativeGrid, c: GridConst<Config>) {}";
    let host = expand("cooperative", source, Pass::Host);
    contains(&host, quote!(shape: __Shape, n: u32, c: Config,));
    contains(
        &host,
        quote!(&[
            ::warploom::launch::Arg::named(
                ::warploom::launch::ByValue::arg(&n),
                ::warploom::__core::stringify!(n)
            ),
            ::warploom::launch::Arg::named(
                ::warploom::launch::GridBarrier::arg(&grid),
                ::warploom::__core::stringify!(grid)
            ),
            ::warploom::launch::Arg::named(
                ::warploom::launch::ByValue::arg(&c),
                ::warploom::__core::stringify!(c)
            )
        ]),
    );
    let device = expand("cooperative", source, Pass::Device);
    contains(
        &device,
        quote!(unsafe extern "C" fn __entry(
            n: *const u32,
            grid: *const *mut ::warploom::__core::primitive::u32,
            c: *const Config
        )),
    );
}
