//! Where the user's crate has `warploom`: expansions name it `::warploom`, or what `crate = ..` says.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Path, Token};

use crate::errors::Errors;

/// The name that expansions use.
const NAME: &str = "warploom";

/// The expansion with `root` for each `::warploom`; unchanged without one.
pub(crate) fn rebase(tokens: TokenStream, root: Option<&Path>) -> TokenStream {
    let Some(root) = root else { return tokens };
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        if begins_with_name(&trees[at..]) && !goes_on(&trees[..at]) {
            root.to_tokens(&mut out);
            at += 3;
            continue;
        }
        match tree {
            TokenTree::Group(group) => out.extend([TokenTree::Group(in_group(group, root))]),
            other => out.extend([other.clone()]),
        }
        at += 1;
    }
    out
}

/// `::warploom`
fn begins_with_name(trees: &[TokenTree]) -> bool {
    let [
        TokenTree::Punct(first),
        TokenTree::Punct(second),
        TokenTree::Ident(name),
        ..,
    ] = trees
    else {
        return false;
    };
    let is_separator = first.as_char() == ':' && first.spacing() == Spacing::Joint;
    is_separator && second.as_char() == ':' && name == NAME
}

fn in_group(group: &Group, root: &Path) -> Group {
    let mut new = Group::new(group.delimiter(), rebase(group.stream(), Some(root)));
    new.set_span(group.span());
    new
}

/// Whether a path goes on behind these: `name::`, `<T>::`, but neither `as ::` nor `-> ::`.
fn goes_on(before: &[TokenTree]) -> bool {
    const KEYWORDS: [&str; 18] = [
        "as", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let", "match", "mut",
        "return", "static", "unsafe", "use", "where", "while",
    ];
    match before {
        [.., TokenTree::Punct(first), TokenTree::Punct(last)] if last.as_char() == '>' => {
            !(matches!(first.as_char(), '-' | '=') && first.spacing() == Spacing::Joint)
        }
        [.., TokenTree::Punct(last)] => last.as_char() == '>',
        // A lifetime.
        [.., TokenTree::Punct(tick), TokenTree::Ident(_)] if tick.as_char() == '\'' => false,
        [.., TokenTree::Ident(name)] => KEYWORDS.iter().all(|keyword| name != keyword),
        [.., TokenTree::Group(group)] => group.delimiter() == Delimiter::None,
        _ => false,
    }
}

/// Reads `crate = path` of an attribute: what stands behind `crate`.
// Rule: crate-is-a-path
// Expansions put it before `::device_std` and the like.
pub(crate) fn of_argument(errors: &mut Errors, name: &Ident, value: TokenStream) -> Option<Path> {
    let read = |input: ParseStream<'_>| {
        input.parse::<Token![=]>()?;
        input.call(Path::parse_mod_style)
    };
    let read = read.parse2(value).ok();
    if read.is_none() {
        errors.push(
            name,
            "`crate` takes the path of warploom in this crate, such as `crate = ::my_library::warploom`",
        );
    }
    read
}

/// Reads `#[warploom(crate = path)]` above a type.
pub(crate) fn of_type(errors: &mut Errors, attributes: &[Attribute]) -> Option<Path> {
    let attribute = attributes.iter().find(|a| a.path().is_ident(NAME))?;
    let list = attribute.meta.require_list().ok();
    let mut tokens = list
        .map(|l| l.tokens.clone())
        .unwrap_or_default()
        .into_iter();
    match tokens.next() {
        Some(TokenTree::Ident(name)) if name == "crate" => {
            of_argument(errors, &name, tokens.collect())
        }
        _ => {
            errors.push(
                attribute,
                "write the path of warploom in this crate, such as `#[warploom(crate = ::my_library::warploom)]`",
            );
            None
        }
    }
}

/// A call of a macro of `warploom`'s own, which begins with `crate = path;`.
pub(crate) struct Call {
    pub(crate) root: Option<Path>,
    pub(crate) tokens: TokenStream,
}

impl Parse for Call {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut root = None;
        if input.peek(Token![crate]) && input.peek2(Token![=]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            root = Some(input.call(Path::parse_mod_style)?);
            input.parse::<Token![;]>()?;
        }
        let tokens = input.parse()?;
        Ok(Call { root, tokens })
    }
}

#[cfg(test)]
mod tests {
    use super::{Call, rebase};
    use crate::derive::{kernel_arg, plain};
    use crate::kernel_attribute::kernel;
    use crate::pass::Pass;
    use proc_macro2::TokenStream;
    use quote::quote;
    use syn::parse_quote;

    fn rebased(tokens: TokenStream) -> String {
        let root = parse_quote!(crate::deep::wl);
        rebase(tokens, Some(&root)).to_string()
    }

    #[test]
    fn paths_that_begin_with_the_name_are_rebased() {
        for (before, after) in [
            (quote!(::warploom::x(1)), quote!(crate::deep::wl::x(1))),
            (
                quote!(<T as ::warploom::A>::B),
                quote!(<T as crate::deep::wl::A>::B),
            ),
            (quote!(f(&::warploom::X)), quote!(f(&crate::deep::wl::X))),
            (quote!(&'a ::warploom::X), quote!(&'a crate::deep::wl::X)),
            (quote!(a: ::warploom::X), quote!(a: crate::deep::wl::X)),
            (quote!(-> ::warploom::X), quote!(-> crate::deep::wl::X)),
            (quote!(A => ::warploom::X), quote!(A => crate::deep::wl::X)),
            (
                quote!(Option<::warploom::X>),
                quote!(Option<crate::deep::wl::X>),
            ),
            (
                quote!(impl ::warploom::P for X {}),
                quote!(impl crate::deep::wl::P for X {}),
            ),
        ] {
            assert_eq!(rebased(before), after.to_string());
        }
    }

    #[test]
    fn other_paths_stay() {
        for tokens in [
            quote!(my::warploom::x),
            quote!(<T>::warploom::x),
            quote!(crate::warploom::x),
            quote!(warploom::x),
            quote!(::core::x::<u32>()),
            quote!(let a: u32 = b::c),
            quote!(match x {
                A::B => ::core::C,
            }),
        ] {
            assert_eq!(rebased(tokens.clone()), tokens.to_string());
        }
    }

    #[test]
    fn no_expansion_keeps_the_name() {
        let arguments = quote!(
            crate = a::b,
            launch_bounds(128),
            requires(x.len() == y.len())
        );
        let item = quote! {
            fn k<T: Plain, F: Fn(T) -> T + Copy + Send + Sync + 'static>(
                i: Index1D, block: Block, tile: SharedTile<T, 32>, memory: DynamicShared<u32>,
                x: &[T], n: u32, all: GridConst<[u32; 4]>, mut y: DisjointSlice<T>, f: F,
            ) {}
        };
        for pass in [Pass::Host, Pass::Device] {
            let text = kernel(arguments.clone(), item.clone(), None, pass).to_string();
            assert!(text.contains("a :: b :: device_std"), "{text}");
            assert!(!text.contains(":: warploom"), "{text}");
        }
        for derive in [plain, kernel_arg] {
            let item = quote!(
                #[repr(C)]
                #[warploom(crate = a::b)]
                struct Pair {
                    a: u32,
                    b: u32,
                }
            );
            let text = derive(item).to_string();
            assert!(text.contains("a :: b :: device_std"), "{text}");
            assert!(!text.contains(":: warploom"), "{text}");
        }
    }

    #[test]
    fn a_call_may_name_its_root() {
        let call: Call = syn::parse2(quote!(crate = a::b; "{}", c)).unwrap();
        assert!(call.root.is_some());
        assert_eq!(call.tokens.to_string(), quote!("{}", c).to_string());
        let call: Call = syn::parse2(quote!("{}", c)).unwrap();
        assert!(call.root.is_none());
    }
}
