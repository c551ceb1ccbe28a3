//! The attribute as a whole: read, check, expand. Its tests are the language of the rules.

use proc_macro2::TokenStream;
use syn::{Item, ItemFn};

use crate::arguments::Arguments;
use crate::check;
use crate::enclosing::Enclosing;
use crate::errors::Errors;
use crate::expand;
use crate::kernel::Kernel;
use crate::pass::Pass;
use crate::root;

/// What stands in the place of the marked item: its expansion, or all its mistakes.
pub(crate) fn kernel(
    arguments: TokenStream,
    item: TokenStream,
    enclosing: Option<Enclosing>,
    pass: Pass,
) -> TokenStream {
    match analyse(arguments, item, enclosing) {
        Ok(kernel) => {
            let root = kernel.arguments.root.as_ref().map(|root| &root.value);
            root::rebase(expand::expand(&kernel, pass), root)
        }
        Err(error) => error.into_compile_error(),
    }
}

/// The kernel, if it keeps all rules.
pub(crate) fn analyse(
    arguments: TokenStream,
    item: TokenStream,
    enclosing: Option<Enclosing>,
) -> syn::Result<Kernel> {
    let item = kernel_is_a_function(item)?;
    let mut errors = Errors::new();
    let arguments = Arguments::read(&mut errors, arguments);
    let kernel = Kernel::read(arguments, item, enclosing);
    check::all(&mut errors, &kernel);
    errors.finish()?;
    Ok(kernel)
}

// Rule: kernel-is-a-function
// Only a function has a body that a thread can run.
fn kernel_is_a_function(tokens: TokenStream) -> syn::Result<ItemFn> {
    syn::parse2::<ItemFn>(tokens.clone()).map_err(|error| {
        match syn::parse2::<Item>(tokens.clone()) {
            Ok(Item::Verbatim(_)) | Err(_) => error,
            Ok(Item::Fn(_)) => error,
            Ok(_) => syn::Error::new_spanned(
                tokens,
                "a kernel is a function; write `#[kernel] fn name(i: Index1D, ..) { .. }`",
            ),
        }
    })
}
