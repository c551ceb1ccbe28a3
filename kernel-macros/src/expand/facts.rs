//! What a handle offers beside `launch`: queries and the bound on the block.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::{allow, device, host, local};
use crate::kernel::Kernel;
use crate::pass::Pass;

/// The driver's attributes of the loaded kernel; the same signature in both passes.
///
/// ```text
/// #[track_caller]
/// pub fn attributes(device: &::warploom::Device) -> Result<Option<::warploom::launch::KernelAttributes>, ::warploom::LaunchError> { … }
/// ```
pub(super) fn attributes(kernel: &Kernel, pass: Pass) -> TokenStream {
    let device = local("device");
    query(
        kernel,
        "attributes",
        &format!(
            " What [`{}`] needs on `device`: registers, memory; `None` on the emulator. Loads its code.",
            kernel.name()
        ),
        &quote!(::warploom::__core::option::Option<::warploom::launch::KernelAttributes>),
        &match pass {
            Pass::Host => host::attributes_block(kernel, &device),
            Pass::Device => device::attributes_block(&device),
        },
    )
}

/// The loaded kernel itself, for questions and settings; the same signature in both passes.
///
/// ```text
/// #[track_caller]
/// pub fn function(device: &::warploom::Device) -> Result<::warploom::module::Function, ::warploom::LaunchError> { … }
/// ```
pub(super) fn function(kernel: &Kernel, pass: Pass) -> TokenStream {
    let device = local("device");
    query(
        kernel,
        "function",
        &format!(
            " [`{}`] on `device`, loaded: its occupancy, the best block size, its preference for shared memory or cache.",
            kernel.name()
        ),
        &quote!(::warploom::module::Function),
        &match pass {
            Pass::Host => host::function_block(kernel, &device),
            Pass::Device => device::function_block(&device),
        },
    )
}

/// A method of the handle that loads the kernel on a device, with the first line of its documentation and the type of its result.
fn query(
    kernel: &Kernel,
    name: &str,
    summary: &str,
    answer: &TokenStream,
    block: &TokenStream,
) -> TokenStream {
    let docs = [
        summary,
        "",
        " # Errors",
        " If the program has no code of this kernel for the device, or the driver refuses it.",
    ];
    let (vis, allow, device) = (&kernel.item.vis, allow(), local("device"));
    let name = Ident::new(name, kernel.name().span().resolved_at(Span::call_site()));
    quote! {
        #(#[doc = #docs])*
        #allow
        #[allow(dead_code, reason = "not every program uses it")]
        #[track_caller]
        #vis fn #name(#device: &::warploom::Device,) -> ::warploom::__core::result::Result<#answer, ::warploom::LaunchError> {
            #block
        }
    }
}

/// The bound on the block as a constant, so that host code can write `kernel::MAX_THREADS` where it launches.
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
        #[allow(dead_code, reason = "not every program uses it")]
        #vis const MAX_THREADS: u32 = #most;
    })
}
