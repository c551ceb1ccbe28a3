//! What a handle says of its kernel, beside `launch`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{allow, device, host, local};
use crate::kernel::Kernel;
use crate::pass::Pass;

/// What the driver says of the loaded kernel; the same signature in both passes.
///
/// ```text
/// #[track_caller]
/// pub fn attributes(device: &::warploom::Device) -> Result<Option<::warploom::launch::KernelAttributes>, ::warploom::LaunchError> { … }
/// ```
pub(super) fn attributes(kernel: &Kernel, pass: Pass) -> TokenStream {
    let vis = &kernel.item.vis;
    let device = local("device");
    let block = match pass {
        Pass::Host => host::attributes_block(kernel, &device),
        Pass::Device => device::attributes_block(&device),
    };
    let docs = [
        format!(
            " What [`{}`] needs on `device`: registers, memory; `None` on the emulator. Loads its code.",
            kernel.name()
        ),
        String::new(),
        " # Errors".to_owned(),
        " If the program has no code of this kernel for the device, or the driver refuses it."
            .to_owned(),
    ];
    let allow = allow();
    let name = Ident::new(
        "attributes",
        kernel.name().span().resolved_at(Span::call_site()),
    );
    quote! {
        #(#[doc = #docs])*
        #allow
        #[allow(dead_code, reason = "not every kernel is asked")]
        #[track_caller]
        #vis fn #name(
            #device: &::warploom::Device,
        ) -> ::core::result::Result<
            ::core::option::Option<::warploom::launch::KernelAttributes>,
            ::warploom::LaunchError,
        > {
            #block
        }
    }
}

/// The loaded kernel itself, to be asked and told more; the same signature in both passes.
///
/// ```text
/// #[track_caller]
/// pub fn function(device: &::warploom::Device) -> Result<::warploom::module::Function, ::warploom::LaunchError> { … }
/// ```
pub(super) fn function(kernel: &Kernel, pass: Pass) -> TokenStream {
    let vis = &kernel.item.vis;
    let device = local("device");
    let block = match pass {
        Pass::Host => host::function_block(kernel, &device),
        Pass::Device => device::function_block(&device),
    };
    let docs = [
        format!(
            " [`{}`] on `device`, loaded: for its occupancy, the best block, and what it would rather have more of.",
            kernel.name()
        ),
        String::new(),
        " # Errors".to_owned(),
        " If the program has no code of this kernel for the device, or the driver refuses it."
            .to_owned(),
    ];
    let allow = allow();
    let name = Ident::new(
        "function",
        kernel.name().span().resolved_at(Span::call_site()),
    );
    quote! {
        #(#[doc = #docs])*
        #allow
        #[allow(dead_code, reason = "not every kernel is asked")]
        #[track_caller]
        #vis fn #name(
            #device: &::warploom::Device,
        ) -> ::core::result::Result<::warploom::module::Function, ::warploom::LaunchError> {
            #block
        }
    }
}

/// The bound on the block as a constant, so that host code can say `kernel::MAX_THREADS` where it launches.
pub(super) fn bound(kernel: &Kernel) -> Option<TokenStream> {
    let block = kernel
        .arguments
        .block
        .as_ref()
        .map(|block| block.value.iter().product());
    let bounds = kernel.arguments.launch_bounds.as_ref();
    let most: u32 = block.or(bounds.map(|bounds| bounds.value.max_threads))?;
    let vis = &kernel.item.vis;
    Some(quote! {
        /// Most threads of a block, as the kernel declares.
        #[allow(dead_code, reason = "not every launch computes with it")]
        #vis const MAX_THREADS: u32 = #most;
    })
}
