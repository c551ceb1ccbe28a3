//! All mistakes of one invocation, collected so that the user sees them together.

use std::thread;

use quote::ToTokens;

/// Mistakes found so far. Must be read with [`Errors::finish`]: a list that is dropped unread would hide them from the user.
pub(crate) struct Errors {
    list: Vec<syn::Error>,
    read: bool,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Errors {
            list: Vec::new(),
            read: false,
        }
    }

    /// Adds a mistake at the user's tokens. `message` says what to write instead.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.list.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds what the parser of an inner list reported.
    pub(crate) fn push_error(&mut self, error: syn::Error) {
        self.list.push(error);
    }

    /// All mistakes as one error, in the order in which they were found.
    pub(crate) fn finish(mut self) -> syn::Result<()> {
        self.read = true;
        match std::mem::take(&mut self.list)
            .into_iter()
            .reduce(|mut all, next| {
                all.combine(next);
                all
            }) {
            Some(all) => Err(all),
            None => Ok(()),
        }
    }
}

impl Drop for Errors {
    #[expect(
        clippy::panic,
        reason = "an unread list of errors is a defect of this crate"
    )]
    fn drop(&mut self) {
        if !self.read && !thread::panicking() {
            panic!("the errors of a macro invocation were dropped unread");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Errors;
    use quote::quote;

    #[test]
    fn all_errors_come_out_in_order() {
        let mut errors = Errors::new();
        errors.push(quote!(a), "first");
        errors.push(quote!(b), "second");
        let texts: Vec<_> = errors
            .finish()
            .unwrap_err()
            .into_iter()
            .map(|e| e.to_string())
            .collect();
        assert_eq!(texts, ["first", "second"]);
    }

    #[test]
    fn an_unread_list_is_a_defect() {
        assert!(std::panic::catch_unwind(|| drop(Errors::new())).is_err());
    }
}
