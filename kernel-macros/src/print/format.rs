//! The syntax of format strings, as the documentation of `std::fmt` gives it.

/// A piece of a format string.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text, without doubled braces.
    Text(String),
    Hole(Hole),
}

/// `{argument:flags width.precision type}`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hole {
    pub(super) argument: Argument,
    /// Fill, alignment, sign, `#` and `0`, as they stand there.
    pub(super) flags: String,
    pub(super) width: Count,
    pub(super) precision: Count,
    pub(super) ty: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Argument {
    Next,
    Position(usize),
    Name(String),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Count {
    None,
    Number(usize),
    Argument(Argument),
}

/// The pieces in order; `None` if this is no format string.
pub(super) fn pieces(format: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '{' | '}' if rest.starts_with(c) => {
                rest = &rest[1..];
                text.push(c);
            }
            '{' => {
                // A fill may be a brace.
                let mut reader = Reader(rest);
                let hole = reader.hole()?;
                rest = reader.0;
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Hole(hole));
            }
            '}' => return None,
            _ => text.push(c),
        }
    }
    pieces.push(Piece::Text(text));
    pieces.retain(|piece| *piece != Piece::Text(String::new()));
    Some(pieces)
}

/// What is not read yet.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.0.chars().next()
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|c| wanted(*c))?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }

    fn skip_blanks(&mut self) {
        self.0 = self.0.trim_start();
    }

    /// Behind the opening brace, up to and with the closing one.
    fn hole(&mut self) -> Option<Hole> {
        self.skip_blanks();
        let argument = self.argument().unwrap_or(Argument::Next);
        self.skip_blanks();
        let mut hole = Hole {
            argument,
            flags: String::new(),
            width: Count::None,
            precision: Count::None,
            ty: String::new(),
        };
        if self.take(|c| c == ':').is_some() {
            hole.flags = self.flags();
            hole.width = self.count();
            if self.take(|c| c == '.').is_some() {
                hole.precision = match self.take(|c| c == '*') {
                    Some(_) => Count::Argument(Argument::Next),
                    None => self.count(),
                };
            }
            hole.ty = self.ty();
        }
        self.skip_blanks();
        self.take(|c| c == '}')?;
        Some(hole)
    }

    fn argument(&mut self) -> Option<Argument> {
        if let Some(number) = self.number() {
            return Some(Argument::Position(number));
        }
        self.name().map(Argument::Name)
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.0.find(|c: char| !c.is_ascii_digit());
        let (digits, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        let number = digits.parse().ok()?;
        self.0 = rest;
        Some(number)
    }

    /// An identifier; rustc judges whether it is one.
    fn name(&mut self) -> Option<String> {
        let starts = |c: char| c.is_alphabetic() || c == '_';
        self.peek().filter(|c| starts(*c))?;
        let end = self.0.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let (name, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        Some(name.to_owned())
    }

    fn flags(&mut self) -> String {
        let is_alignment = |c: char| matches!(c, '<' | '^' | '>');
        let mut flags = String::new();
        let mut ahead = self.0.chars();
        let (first, second) = (ahead.next(), ahead.next());
        if second.is_some_and(is_alignment) {
            flags.extend(first);
            flags.extend(second);
            self.0 = ahead.as_str();
        } else {
            flags.extend(self.take(is_alignment));
        }
        flags.extend(self.take(|c| matches!(c, '+' | '-')));
        flags.extend(self.take(|c| c == '#'));
        // `0$` is a width that stands in argument 0.
        if self.0.starts_with('0') && !self.0.starts_with("0$") {
            flags.extend(self.take(|c| c == '0'));
        }
        flags
    }

    fn count(&mut self) -> Count {
        let before = self.0;
        if let Some(number) = self.number() {
            return match self.take(|c| c == '$') {
                Some(_) => Count::Argument(Argument::Position(number)),
                None => Count::Number(number),
            };
        }
        if let Some(name) = self.name()
            && self.take(|c| c == '$').is_some()
        {
            return Count::Argument(Argument::Name(name));
        }
        self.0 = before;
        Count::None
    }

    fn ty(&mut self) -> String {
        let mut ty = String::new();
        ty.extend(self.take(char::is_alphanumeric));
        ty.extend(self.take(|c| c == '?'));
        ty
    }
}
