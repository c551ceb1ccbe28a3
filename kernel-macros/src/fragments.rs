//! Expressions that a `macro_rules!` macro has put into the input keep their precedence.
//!
//! rustc hands a fragment such as `$width:expr` to a procedural macro as a group without delimiters, and takes no notice of such groups when it reads
//! what the macro returns: with `2 + 1` for `$width`, `10 * $width` would be 21. So these groups get parentheses here.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::{BinOp, Expr};

/// The tokens, with parentheses around fragments that operators beside them would split.
pub(crate) fn in_parentheses(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let nexts = tokens.iter().skip(1).map(Some).chain([None]);
    let whole = tokens.iter().zip(nexts);
    whole
        .map(|(token, next)| whole_token(token, next))
        .collect()
}

fn whole_token(token: &TokenTree, next: Option<&TokenTree>) -> TokenTree {
    let TokenTree::Group(group) = token else {
        return token.clone();
    };
    let inner = in_parentheses(group.stream());
    let is_fragment = group.delimiter() == Delimiter::None;
    let (delimiter, span) = if is_fragment && is_split(inner.clone(), next) {
        // Written by a macro: no lint says that they are not needed.
        let span = Span::mixed_site().located_at(group.span());
        (Delimiter::Parenthesis, span)
    } else {
        (group.delimiter(), group.span())
    };
    let mut whole = Group::new(delimiter, inner);
    whole.set_span(span);
    whole.into()
}

/// Whether tokens are an expression of which an operator beside it would take a part. What else they may be, a pattern or a type, may have parentheses too,
/// but for the argument of a constant parameter (`Tile<-1>`), which is a literal or in braces.
fn is_split(tokens: TokenStream, next: Option<&TokenTree>) -> bool {
    match syn::parse2::<Expr>(tokens) {
        Ok(Expr::Binary(expr)) => !is_assignment(&expr.op),
        Ok(Expr::Cast(_) | Expr::Closure(_) | Expr::Range(_)) => true,
        // These bind tighter than all that does not stand behind its operand.
        Ok(Expr::Reference(_) | Expr::Unary(_)) => next.is_some_and(is_postfix),
        _ => false,
    }
}

/// Whether a token behind an operand is, or begins, a field, a method, a call, an index or a `?`.
fn is_postfix(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(punct) => matches!(punct.as_char(), '.' | '?'),
        TokenTree::Group(group) => matches!(
            group.delimiter(),
            Delimiter::Parenthesis | Delimiter::Bracket
        ),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    }
}

fn is_assignment(op: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    /// `before`, and then a fragment.
    fn after(before: TokenStream, fragment: TokenStream) -> String {
        let fragment = TokenTree::from(Group::new(Delimiter::None, fragment));
        let all = in_parentheses(quote!(f(#before #fragment)));
        all.to_string().replace(' ', "")
    }

    #[test]
    fn expressions_with_operators_get_parentheses() {
        for expression in [
            quote!(2 + 1),
            quote!(a as u32),
            quote!(0..4),
            quote!(|a| a),
            quote!(a == b),
            quote!(1 | 2),
        ] {
            let text = expression.to_string().replace(' ', "");
            let expected = format!("f(10*({text}))");
            assert_eq!(after(quote!(10 *), expression), expected);
        }
    }

    #[test]
    fn what_has_an_operator_before_it_gets_parentheses_before_a_method() {
        for expression in [quote!(-1), quote!(!a), quote!(*a), quote!(&a)] {
            let text = expression.to_string().replace(' ', "");
            assert_eq!(
                after(quote!(10 *), expression.clone()),
                format!("f(10*{text})")
            );
            let fragment = TokenTree::from(Group::new(Delimiter::None, expression));
            for postfix in [quote!(.abs()), quote!(?), quote!([0]), quote!((0))] {
                let all = in_parentheses(quote!(#fragment #postfix)).to_string();
                let expected = format!("({text}){postfix}");
                assert_eq!(all.replace(' ', ""), expected.replace(' ', ""));
            }
        }
    }

    #[test]
    fn what_no_operator_splits_stays_as_it_is() {
        for other in [
            quote!(a),
            quote!(a.b()),
            quote!(a[1]),
            quote!((a + b)),
            quote!(Vec<u32>),
            quote!([u32; 4]),
            quote!(*mut u32),
            quote!(dyn A + B),
            quote!(pub(crate)),
            quote!(doc = "text"),
            quote!(a += 1),
            quote!(let a = 1),
            quote!(if a {
                b
            }),
        ] {
            let text = other.to_string().replace(' ', "");
            assert_eq!(after(quote!(), other), format!("f({text})"));
        }
    }

    #[test]
    fn fragments_in_fragments_are_found() {
        let inner = TokenTree::from(Group::new(Delimiter::None, quote!(1 + 1)));
        assert_eq!(after(quote!(10 *), quote!(2 * #inner)), "f(10*(2*(1+1)))");
    }
}
