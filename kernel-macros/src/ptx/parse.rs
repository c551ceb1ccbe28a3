//! The syntax of `ptx!`.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, LitStr, Token, parenthesized};

/// An invocation.
pub(crate) struct Asm {
    pub(crate) template: LitStr,
    /// Outputs and inputs, in source order.
    pub(crate) operands: Vec<Operand>,
    pub(crate) options: Vec<Ident>,
    /// `cpu = expr`, with the name for messages.
    pub(crate) cpu: Vec<(Ident, Expr)>,
}

/// `d = out(f32)` or `a = in(f32) x`.
pub(crate) struct Operand {
    pub(crate) name: Ident,
    pub(crate) ty: Ident,
    pub(crate) direction: Direction,
}

pub(crate) enum Direction {
    In(Box<Expr>),
    Out,
}

impl Asm {
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Operand> + Clone {
        self.operands
            .iter()
            .filter(|operand| matches!(operand.direction, Direction::Out))
    }

    pub(crate) fn inputs(&self) -> impl Iterator<Item = (&Operand, &Expr)> + Clone {
        self.operands
            .iter()
            .filter_map(|operand| match &operand.direction {
                Direction::In(value) => Some((operand, &**value)),
                Direction::Out => None,
            })
    }

    pub(crate) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|given| given == option)
    }
}

impl Parse for Asm {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut asm = Asm {
            template: input.parse()?,
            operands: Vec::new(),
            options: Vec::new(),
            cpu: Vec::new(),
        };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name = input.call(Ident::parse_any)?;
            if !input.peek(Token![=]) {
                asm.options.push(name);
                continue;
            }
            input.parse::<Token![=]>()?;
            if name == "cpu" {
                asm.cpu.push((name, input.parse()?));
            } else {
                asm.operands.push(Operand::parse(name, input)?);
            }
        }
        Ok(asm)
    }
}

impl Operand {
    fn parse(name: Ident, input: ParseStream) -> syn::Result<Self> {
        let direction = input.call(Ident::parse_any)?;
        if direction != "in" && direction != "out" {
            return Err(syn::Error::new(
                direction.span(),
                "expected `in(type) value` or `out(type)`, such as `a = in(f32) x`",
            ));
        }
        let inner;
        parenthesized!(inner in input);
        let ty = inner.call(Ident::parse_any)?;
        let direction = if direction == "in" {
            Direction::In(input.parse()?)
        } else {
            Direction::Out
        };
        Ok(Operand {
            name,
            ty,
            direction,
        })
    }
}
