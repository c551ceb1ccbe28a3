//! Where errors in generated code are shown.

use proc_macro2::{Span, TokenStream};

/// The same tokens, each at `span`.
pub(crate) fn respan(tokens: &TokenStream, span: Span) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .map(|mut tree| {
            tree.set_span(span);
            tree
        })
        .collect()
}
