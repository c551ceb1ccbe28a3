//! Kernels: parameters, directives, and the statements of their bodies.

use std::sync::Arc;

use super::names::is_instruction;
use super::tokens::Token;
use super::{Entry, Param, Reader, Wrong, number};
use crate::exec::Program;

impl<'t> Reader<'t> {
    pub(super) fn entry(&mut self) -> Result<Entry, Wrong> {
        let mut entry = Entry {
            name: self.next().to_owned(),
            ..Entry::default()
        };
        if self.peek() == "(" {
            entry.params = self.params()?;
        }
        while self.peek() != "{" {
            let directive = self.next();
            match directive {
                ".maxntid" | ".reqntid" => {
                    let mut threads = self.number()?;
                    while self.peek() == "," {
                        self.at += 1;
                        threads *= self.number()?;
                    }
                    entry.max_threads = u32::try_from(threads).ok();
                }
                ".maxnreg" => entry.max_registers = u32::try_from(self.number()?).ok(),
                _ if directive.starts_with('.') => {
                    while number(self.peek()).is_some() || self.peek() == "," {
                        self.at += 1;
                    }
                }
                _ => {
                    self.at -= 1;
                    return self.near();
                }
            }
        }
        let body = self.body(&mut entry)?;
        let mut instructions = body.iter().filter(|statement| {
            let declares = statement.first().is_some_and(|t| t.text.starts_with('.'));
            !declares && statement.last().is_none_or(|t| t.text != ":")
        });
        let first = instructions.next().and_then(|statement| statement.first());
        entry.waits = first.is_some_and(|token| token.text == "griddepcontrol.wait");
        entry.program = Program::compile(&body, &entry.params).map(Arc::new);
        Ok(entry)
    }

    fn params(&mut self) -> Result<Vec<Param>, Wrong> {
        self.expect("(")?;
        let (mut params, mut end) = (vec![], 0usize);
        while self.peek() != ")" {
            self.expect(".param")?;
            let start = self.at;
            let size = self.type_size()?;
            let given = self.tokens[start..self.at].iter().map(|t| t.text);
            let align = given.skip_while(|t| *t != ".align").nth(1).and_then(number);
            while self.peek().starts_with('.') {
                if self.next() == ".align" {
                    self.number()?;
                }
            }
            let (name, count) = self.name_and_count()?;
            let align = align.and_then(|align| usize::try_from(align).ok());
            let offset = end.next_multiple_of(align.unwrap_or(size).max(1));
            params.push(Param {
                name,
                offset,
                size: size * count,
            });
            end = offset + size * count;
            if self.peek() == "," {
                self.at += 1;
            }
        }
        self.expect(")")?;
        Ok(params)
    }

    /// A function that kernels call: read for errors only.
    pub(super) fn function(&mut self) -> Result<(), Wrong> {
        while !["{", ";", ""].contains(&self.peek()) {
            self.at += 1;
        }
        if self.peek() == "{" {
            self.body(&mut Entry::default())?;
            return Ok(());
        }
        self.expect(";")
    }

    /// All statements between braces, labels as statements of their own that end with a colon.
    fn body(&mut self, entry: &mut Entry) -> Result<Vec<Vec<Token<'t>>>, Wrong> {
        let mut statements = vec![];
        let mut depth = 0;
        loop {
            match self.peek() {
                "{" => depth += 1,
                "}" => depth -= 1,
                "" => return self.near(),
                ".loc" | ".pragma" => {
                    self.at += 1;
                    self.skip_line();
                    continue;
                }
                _ => {
                    statements.push(self.statement(entry)?);
                    continue;
                }
            }
            self.at += 1;
            if depth == 0 {
                return Ok(statements);
            }
        }
    }

    fn statement(&mut self, entry: &mut Entry) -> Result<Vec<Token<'t>>, Wrong> {
        let start = self.at;
        if self.tokens.get(start + 1).is_some_and(|t| t.text == ":") {
            self.at += 2;
            return Ok(self.tokens[start..self.at].to_vec());
        }
        let is_declaration = self.peek().starts_with('.');
        if is_declaration {
            match self.next() {
                ".shared" => entry.shared_bytes += self.variable(".shared")?.bytes.len(),
                ".local" => entry.local_bytes += self.variable(".local")?.bytes.len(),
                _ => self.past_semicolon()?,
            }
            return Ok(self.tokens[start..self.at].to_vec());
        }
        if self.peek() == "@" {
            self.at += 1;
            self.at += usize::from(self.peek() == "!");
            self.at += 1;
        }
        let base = self.peek().split('.').next().unwrap_or_default();
        if !is_instruction(base) {
            return self.wrong(format!("'{base}' is no instruction"));
        }
        self.past_semicolon()?;
        Ok(self.tokens[start..self.at].to_vec())
    }

    fn past_semicolon(&mut self) -> Result<(), Wrong> {
        let mut depth = 0;
        loop {
            match self.peek() {
                ";" if depth == 0 => break,
                "{" => depth += 1,
                "}" if depth > 0 => depth -= 1,
                "" | "}" | ";" => return self.near(),
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }
}
