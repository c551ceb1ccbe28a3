//! `ptx!`: inline PTX on stable. The text travels to the device linker in the name of a foreign function.
//!
//! ```text
//! ptx!("fma.rn.f32 {d}, {a}, {b}, {c};", d = out(f32), a = in(f32) x, b = in(f32) y, c = in(f32) z,
//!      cpu = { a.mul_add(b, c) })
//! ```

mod check;
mod expand;
mod parse;
mod template;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use crate::pass::Pass;

/// What stands in the place of `ptx!(..)`.
pub(crate) fn ptx(tokens: TokenStream, pass: Pass) -> TokenStream {
    match analyse(tokens) {
        Ok(checked) => expand::expand(&checked, pass),
        // In braces: several errors are several statements, but the place is one expression.
        Err(error) => {
            let errors = error.into_compile_error();
            quote!({ #errors })
        }
    }
}

/// The invocation and its template in LLVM's form, if it keeps all rules.
pub(crate) struct Checked {
    pub(crate) asm: parse::Asm,
    pub(crate) template: String,
}

fn analyse(tokens: TokenStream) -> syn::Result<Checked> {
    let asm: parse::Asm = syn::parse2(tokens)?;
    let mut errors = Errors::new();
    let template = check::all(&mut errors, &asm);
    errors.finish()?;
    Ok(Checked { asm, template })
}

#[cfg(test)]
#[rustfmt::skip] // carets stand under the tokens they mean
mod tests;
