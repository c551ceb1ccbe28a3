//! Reads PTX: entries with their parameters, variables with their first bytes, and the errors that an assembler would find.
//!
//! Far from all of the language: what a module tells the driver, and whether every statement starts with an instruction that exists.

mod body; // kernels and their statements
mod names; // words that PTX knows
mod tokens; // characters become words

use names::size_of_type;
pub(crate) use tokens::Token;
use tokens::tokens;

use std::sync::Arc;

use crate::exec::Program;

/// What a text says.
#[derive(Debug, Default)]
pub(crate) struct Ptx {
    /// `.version`, major and minor.
    pub(crate) version: (u32, u32),
    /// The number of `.target sm_N`.
    pub(crate) target: u32,
    pub(crate) entries: Vec<Entry>,
    pub(crate) variables: Vec<Variable>,
}

/// A kernel.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) shared_bytes: usize,
    pub(crate) local_bytes: usize,
    /// `.maxntid` or `.reqntid`, multiplied.
    pub(crate) max_threads: Option<u32>,
    pub(crate) max_registers: Option<u32>,
    /// Whether its first instruction is `griddepcontrol.wait`.
    pub(crate) waits: bool,
    /// `None` if it has instructions that the fake does not execute.
    pub(crate) program: Option<Arc<Program>>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// A variable of a module.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) constant: bool,
    /// Whether another module has it.
    pub(crate) external: bool,
    pub(crate) bytes: Vec<u8>,
    /// Where addresses of other variables stand: offset, name, what is added.
    pub(crate) addresses: Vec<(usize, String, u64)>,
}

/// What an assembler would say: the line and the reason.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) line: usize,
    pub(crate) reason: String,
}

/// Statements of a kernel's body, as far as they matter here.
pub(crate) type Statement<'t> = &'t [Token<'t>];

struct Reader<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
}

/// Reads a whole text.
pub(crate) fn read(text: &str) -> Result<Ptx, Wrong> {
    let mut reader = Reader {
        tokens: tokens(text),
        at: 0,
    };
    let mut ptx = Ptx::default();
    reader.header(&mut ptx)?;
    while reader.at < reader.tokens.len() {
        reader.item(&mut ptx)?;
    }
    Ok(ptx)
}

impl<'t> Reader<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    fn next(&mut self) -> &'t str {
        let text = self.peek();
        self.at += 1;
        text
    }

    fn wrong<T>(&self, reason: impl Into<String>) -> Result<T, Wrong> {
        let at = self.at.min(self.tokens.len().saturating_sub(1));
        Err(Wrong {
            line: self.tokens.get(at).map_or(1, |token| token.line),
            reason: reason.into(),
        })
    }

    fn near<T>(&self) -> Result<T, Wrong> {
        let text = match self.peek() {
            "" => "end of file",
            text => text,
        };
        self.wrong(format!("syntax error near '{text}'"))
    }

    fn expect(&mut self, text: &str) -> Result<(), Wrong> {
        if self.peek() != text {
            return self.near();
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<u64, Wrong> {
        match number(self.peek()) {
            Some(number) => {
                self.at += 1;
                Ok(number)
            }
            None => self.near(),
        }
    }

    fn header(&mut self, ptx: &mut Ptx) -> Result<(), Wrong> {
        if self.peek() != ".version" {
            return self.wrong("missing .version at the start");
        }
        self.at += 1;
        let version = self.next().split_once('.');
        let version = version.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        ptx.version = match version {
            Some(version) => version,
            None => return self.near(),
        };
        if self.next() != ".target" {
            self.at -= 1;
            return self.wrong("missing .target after .version");
        }
        let target = self.next().strip_prefix("sm_");
        let target = target.map(|sm| sm.trim_end_matches(|c: char| c.is_ascii_lowercase()));
        ptx.target = match target.and_then(|sm| sm.parse().ok()) {
            Some(target) => target,
            None => return self.near(),
        };
        while self.peek() == "," {
            self.at += 2;
        }
        Ok(())
    }

    fn item(&mut self, ptx: &mut Ptx) -> Result<(), Wrong> {
        let mut external = false;
        while [".visible", ".extern", ".weak", ".common"].contains(&self.peek()) {
            external |= self.peek() == ".extern";
            self.at += 1;
        }
        match self.next() {
            ".address_size" => drop(self.number()?),
            ".file" | ".pragma" | ".alias" => self.skip_line(),
            ".section" => {
                self.next();
                self.expect("{")?;
                while !["}", ""].contains(&self.peek()) {
                    self.at += 1;
                }
                self.expect("}")?;
            }
            space @ (".global" | ".const" | ".shared") => {
                let mut variable = self.variable(space)?;
                variable.external = external;
                if space != ".shared" {
                    ptx.variables.push(variable);
                }
            }
            ".entry" => {
                let entry = self.entry()?;
                ptx.entries.push(entry);
            }
            ".func" => self.function()?,
            _ => {
                self.at -= 1;
                return self.near();
            }
        }
        Ok(())
    }

    /// Skips what stands on the line of the word before.
    fn skip_line(&mut self) {
        let line = self.tokens[self.at - 1].line;
        while self.tokens.get(self.at).is_some_and(|t| t.line == line) {
            self.at += 1;
        }
    }

    /// What follows `.global`: alignment, type, name, extents, first value.
    fn variable(&mut self, space: &str) -> Result<Variable, Wrong> {
        let size = self.type_size()?;
        let (name, count) = self.name_and_count()?;
        let mut variable = Variable {
            name,
            constant: space == ".const",
            external: false,
            bytes: vec![0; size * count],
            addresses: vec![],
        };
        if self.peek() == "=" {
            self.at += 1;
            self.initial(&mut variable, size)?;
        }
        self.expect(";")?;
        Ok(variable)
    }

    /// Alignment, vector and type, in this order; bytes of one.
    fn type_size(&mut self) -> Result<usize, Wrong> {
        let mut lanes = 1;
        loop {
            match self.peek() {
                ".align" => {
                    self.at += 1;
                    self.number()?;
                }
                ".v2" => (lanes, self.at) = (2, self.at + 1),
                ".v4" => (lanes, self.at) = (4, self.at + 1),
                word => match size_of_type(word) {
                    Some(size) => {
                        self.at += 1;
                        return Ok(lanes * size);
                    }
                    None if word.starts_with(".attribute") => {
                        self.at += 1;
                        while self.next() != ")" && self.at < self.tokens.len() {}
                    }
                    None => return self.near(),
                },
            }
        }
    }

    fn name_and_count(&mut self) -> Result<(String, usize), Wrong> {
        let name = self.next();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%".contains(c)) {
            self.at -= 1;
            return self.near();
        }
        let mut count = 1;
        while self.peek() == "[" {
            self.at += 1;
            let extent = if self.peek() == "]" {
                0
            } else {
                self.number()?
            };
            count *= usize::try_from(extent).unwrap_or(usize::MAX).min(1 << 40);
            self.expect("]")?;
        }
        Ok((name.to_owned(), count))
    }

    fn initial(&mut self, variable: &mut Variable, size: usize) -> Result<(), Wrong> {
        let (mut at, mut depth) = (0, 0);
        loop {
            match self.peek() {
                "{" => depth += 1,
                "}" => depth -= 1,
                "," | "-" => {}
                "" => return self.near(),
                word => match number(word) {
                    Some(value) => {
                        let negative = self.tokens[self.at - 1].text == "-";
                        let value = if negative {
                            value.wrapping_neg()
                        } else {
                            value
                        };
                        let bytes = &value.to_le_bytes()[..size.min(8)];
                        match variable.bytes.get_mut(at..at + bytes.len()) {
                            Some(to) => to.copy_from_slice(bytes),
                            None => return self.wrong("more initial values than elements"),
                        }
                        at += size;
                    }
                    None => {
                        self.address(variable, at);
                        at += size;
                        continue;
                    }
                },
            }
            self.at += 1;
            if depth == 0 && self.peek() == ";" {
                return Ok(());
            }
        }
    }

    /// `name`, `name+8`, `generic(name)` or `generic(name)+8`.
    fn address(&mut self, variable: &mut Variable, at: usize) {
        let mut name = self.next();
        if name == "generic" && self.peek() == "(" {
            self.at += 1;
            name = self.next();
            self.at += 1;
        }
        let mut added = 0;
        if self.peek() == "+" {
            self.at += 1;
            added = number(self.next()).unwrap_or(0);
        }
        variable.addresses.push((at, name.to_owned(), added));
    }
}

/// A number as PTX writes it; floats as their bits.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    for prefix in ["0f", "0F", "0d", "0D"] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return u64::from_str_radix(digits, 16).ok();
        }
    }
    text.parse().ok()
}

#[cfg(test)]
#[path = "ptx/tests.rs"]
mod tests;
