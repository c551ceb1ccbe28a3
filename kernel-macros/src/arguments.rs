//! The arguments of the attribute: `#[kernel(dim(2), block(16, 16), requires(x.len() == y.len()))]`.
//!
//! Reading collects its mistakes and goes on, so that one wrong argument does not hide the next.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, LitInt, Path, Token};

use crate::errors::Errors;
use crate::root;

/// What the user wrote in the attribute's parentheses.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) dim: Option<Written<u8>>,
    pub(crate) block: Option<Written<[u32; 3]>>,
    pub(crate) cluster: Option<Written<Cluster>>,
    pub(crate) cooperative: Option<Written<()>>,
    pub(crate) dependent_launch: Option<Written<()>>,
    pub(crate) launch_bounds: Option<Written<LaunchBounds>>,
    pub(crate) max_registers: Option<Written<u32>>,
    pub(crate) fma: Option<Written<()>>,
    pub(crate) fast_math: Option<Written<()>>,
    pub(crate) requires: Vec<Expr>,
    /// Where the crate has `warploom`.
    pub(crate) root: Option<Written<Path>>,
}

/// A value and the tokens that say so.
pub(crate) struct Written<T> {
    pub(crate) value: T,
    pub(crate) tokens: TokenStream,
}

/// `cluster(x, y, z)` or `cluster`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cluster {
    Fixed([u32; 3]),
    /// The launch says how large.
    AtLaunch,
}

/// `launch_bounds(max_threads, min_blocks, max_blocks_per_cluster)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaunchBounds {
    pub(crate) max_threads: u32,
    pub(crate) min_blocks: Option<u32>,
    pub(crate) max_cluster: Option<u32>,
}

const KNOWN: &str = "`dim(1)`, `block(x, y, z)`, `cluster(x, y, z)`, `cooperative`, `dependent_launch`, `launch_bounds(max_threads, min_blocks)`, `max_registers(n)`, `fma`, `fast_math`, `requires(condition)`, `crate = path`";

impl Arguments {
    pub(crate) fn read(errors: &mut Errors, tokens: TokenStream) -> Self {
        let mut arguments = Arguments::default();
        for part in split_at_commas(tokens) {
            arguments.read_one(errors, &part);
        }
        arguments
    }

    // Rule: argument-known
    // A mistyped argument must not be ignored: the kernel would run without the property that the user asked for.
    fn read_one(&mut self, errors: &mut Errors, part: &[TokenTree]) {
        let whole: TokenStream = part.iter().cloned().collect();
        let Some(TokenTree::Ident(name)) = part.first() else {
            errors.push(
                whole,
                format_args!("expected an argument of the kernel attribute; write one of {KNOWN}"),
            );
            return;
        };
        if name == "crate" {
            let value = part[1..].iter().cloned().collect();
            let path = root::of_argument(errors, name, value);
            set(errors, &mut self.root, name, path, whole);
            return;
        }
        let value = match &part[1..] {
            [] => None,
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
                Some(group.stream())
            }
            rest => {
                let rest: TokenStream = rest.iter().cloned().collect();
                errors.push(
                    rest,
                    format_args!("arguments are written in parentheses: `{name}(...)`"),
                );
                return;
            }
        };
        match name.to_string().as_str() {
            "dim" => {
                let read = number_list(errors, name, &whole, value, "dim(1)", 1..=1);
                let dim = read.and_then(|numbers| dimension(errors, &numbers[0]));
                set(errors, &mut self.dim, name, dim, whole);
            }
            "block" => {
                let read = number_list(errors, name, &whole, value, "block(256)", 1..=3);
                set(errors, &mut self.block, name, read.map(extents), whole);
            }
            "cluster" => {
                let cluster = if value.is_none() {
                    Some(Cluster::AtLaunch)
                } else {
                    let read = number_list(errors, name, &whole, value, "cluster(2)", 1..=3);
                    read.map(|numbers| Cluster::Fixed(extents(numbers)))
                };
                set(errors, &mut self.cluster, name, cluster, whole);
            }
            "launch_bounds" => {
                let bounds = launch_bounds(errors, name, &whole, value);
                set(errors, &mut self.launch_bounds, name, bounds, whole);
            }
            "max_registers" => {
                let read = number_list(errors, name, &whole, value, "max_registers(64)", 1..=1);
                let registers = read.map(|numbers| numbers[0].0);
                set(errors, &mut self.max_registers, name, registers, whole);
            }
            "fma" => flag(errors, &mut self.fma, name, value.as_ref(), whole),
            "fast_math" => flag(errors, &mut self.fast_math, name, value.as_ref(), whole),
            "cooperative" => flag(errors, &mut self.cooperative, name, value.as_ref(), whole),
            "dependent_launch" => {
                flag(
                    errors,
                    &mut self.dependent_launch,
                    name,
                    value.as_ref(),
                    whole,
                );
            }
            "requires" => self.read_requires(errors, &whole, value),
            _ => errors.push(
                name,
                format_args!("unknown kernel argument `{name}`; known are {KNOWN}"),
            ),
        }
    }

    // Several `requires(..)` are one list: each is a condition of its own anyway.
    fn read_requires(
        &mut self,
        errors: &mut Errors,
        whole: &TokenStream,
        value: Option<TokenStream>,
    ) {
        let value = value.unwrap_or_default();
        if value.is_empty() {
            errors.push(
                whole,
                "`requires` needs a condition, such as `requires(x.len() == y.len())`",
            );
            return;
        }
        match Punctuated::<Expr, Token![,]>::parse_terminated.parse2(value) {
            Ok(conditions) => self.requires.extend(conditions),
            Err(error) => errors.push_error(error),
        }
    }
}

// Rule: argument-once
// Two values for one argument: it is not clear which one is meant.
fn set<T>(
    errors: &mut Errors,
    slot: &mut Option<Written<T>>,
    name: &Ident,
    value: Option<T>,
    tokens: TokenStream,
) {
    let Some(value) = value else { return };
    if slot.is_some() {
        errors.push(
            tokens,
            format_args!("`{name}` is given twice; keep one of them"),
        );
    } else {
        *slot = Some(Written { value, tokens });
    }
}

fn flag(
    errors: &mut Errors,
    slot: &mut Option<Written<()>>,
    name: &Ident,
    value: Option<&TokenStream>,
    whole: TokenStream,
) {
    match value {
        None => set(errors, slot, name, Some(()), whole),
        Some(_) => errors.push(
            whole,
            format_args!("`{name}` takes no value; write just `{name}`"),
        ),
    }
}

/// One to three numbers as x, y, z.
fn extents(numbers: Vec<(u32, LitInt)>) -> [u32; 3] {
    let mut extents = [1; 3];
    for (extent, (number, _)) in extents.iter_mut().zip(numbers) {
        *extent = number;
    }
    extents
}

/// Numbers in their order, or each with its name: `launch_bounds(max_threads = 256, max_blocks_per_cluster = 4)`.
fn launch_bounds(
    errors: &mut Errors,
    name: &Ident,
    whole: &TokenStream,
    value: Option<TokenStream>,
) -> Option<LaunchBounds> {
    const NAMES: [&str; 3] = ["max_threads", "min_blocks", "max_blocks_per_cluster"];
    let mut found: [Option<u32>; 3] = [None; 3];
    let mut unnamed = TokenStream::new();
    for part in split_at_commas(value.clone().unwrap_or_default()) {
        let [TokenTree::Ident(key), TokenTree::Punct(equals), number @ ..] = &part[..] else {
            unnamed.extend(part);
            continue;
        };
        let place = NAMES.iter().position(|name| key == name);
        let (Some(place), '=') = (place, equals.as_char()) else {
            errors.push(
                key,
                format_args!("`{name}` has no `{key}`; name its numbers `max_threads`, `min_blocks` and `max_blocks_per_cluster`"),
            );
            return None;
        };
        let number = number.iter().cloned().collect();
        let example = "launch_bounds(max_threads = 256)";
        let read = number_list(errors, name, whole, Some(number), example, 1..=1)?;
        if found[place].replace(read[0].0).is_some() {
            errors.push(
                key,
                format_args!("`{key}` is given twice; keep one of them"),
            );
            return None;
        }
    }
    if !unnamed.is_empty() {
        if found.iter().any(Option::is_some) {
            errors.push(
                unnamed,
                format_args!(
                    "either all numbers of `{name}` have names or none has; name this one as well"
                ),
            );
            return None;
        }
        let numbers = number_list(errors, name, whole, value, "launch_bounds(256)", 1..=3)?;
        for (slot, (number, _)) in found.iter_mut().zip(numbers) {
            *slot = Some(number);
        }
    }
    let [Some(max_threads), min_blocks, max_cluster] = found else {
        errors.push(
            whole,
            format_args!("`{name}` takes 1 to 3 number(s), such as `launch_bounds(256)`"),
        );
        return None;
    };
    Some(LaunchBounds {
        max_threads,
        min_blocks,
        max_cluster,
    })
}

// Rule: argument-is-a-literal
// The macro compares these numbers with each other and with the hardware's limits, and it cannot evaluate a constant.
fn number_list(
    errors: &mut Errors,
    name: &Ident,
    whole: &TokenStream,
    value: Option<TokenStream>,
    example: &str,
    count: std::ops::RangeInclusive<usize>,
) -> Option<Vec<(u32, LitInt)>> {
    let value = value.unwrap_or_default();
    let numbers = |input: ParseStream| Punctuated::<Expr, Token![,]>::parse_terminated(input);
    let list = match numbers.parse2(value) {
        Ok(list) => list,
        Err(error) => {
            errors.push_error(error);
            return None;
        }
    };
    if !count.contains(&list.len()) {
        let (least, most) = count.into_inner();
        let takes = if least == most {
            format!("{least}")
        } else {
            format!("{least} to {most}")
        };
        errors.push(
            whole,
            format_args!("`{name}` takes {takes} number(s), such as `{example}`"),
        );
        return None;
    }
    let mut read = Vec::new();
    for expr in &list {
        match literal(expr) {
            Some(number) => read.push(number),
            None => errors.push(
                expr,
                format_args!("`{name}` takes integer literals that fit in 32 bits, such as `{example}`; a constant cannot be read here"),
            ),
        }
    }
    (read.len() == list.len()).then_some(read)
}

fn literal(expr: &Expr) -> Option<(u32, LitInt)> {
    match expr {
        Expr::Group(group) => literal(&group.expr),
        Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(int) => Some((int.base10_parse().ok()?, int.clone())),
            _ => None,
        },
        _ => None,
    }
}

// Rule: dim-is-1-to-3
// A grid has three dimensions.
fn dimension(errors: &mut Errors, (value, token): &(u32, LitInt)) -> Option<u8> {
    match value {
        1 => Some(1),
        2 => Some(2),
        3 => Some(3),
        _ => {
            errors.push(
                token,
                format_args!(
                    "a launch has 1, 2 or 3 dimensions, not {value}; write `dim(1)`, `dim(2)` or `dim(3)`"
                ),
            );
            None
        }
    }
}

fn split_at_commas(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for tree in tokens {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == ',' => parts.push(Vec::new()),
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(tree);
                }
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

impl<T> ToTokens for Written<T> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.tokens.clone());
    }
}
