//! The template's text: `{name}` for operands, `{{` and `}}` for PTX's own braces.

/// A piece of the template.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Operand(String),
}

/// The pieces in order, or what is wrong with the braces.
pub(crate) fn pieces(template: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                text.push(c);
            }
            '{' => {
                let mut name = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(c) if c.is_alphanumeric() || c == '_' => name.push(c),
                        _ => {
                            return Err(format!(
                                "`{{{name}` is not the name of an operand followed by `}}`; for a brace of PTX write `{{{{`"
                            ));
                        }
                    }
                }
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Operand(name));
            }
            '}' => {
                return Err("a single `}` ends nothing; for a brace of PTX write `}}`".to_owned());
            }
            _ => text.push(c),
        }
    }
    pieces.push(Piece::Text(text));
    Ok(pieces)
}

/// The text as LLVM wants it: operands are `$0`, `$1`, …, and a `$` of the text is doubled.
pub(crate) fn to_llvm(pieces: &[Piece], number_of: impl Fn(&str) -> Option<usize>) -> String {
    let mut out = String::new();
    let mut after_number = false;
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                if after_number && text.starts_with(|c: char| c.is_ascii_digit()) {
                    // A digit that follows must not become part of the operand's number.
                    if let Some(at) = out.rfind('$') {
                        out.insert(at + 1, '{');
                        out.push('}');
                    }
                }
                out.push_str(&text.replace('$', "$$"));
                after_number = after_number && text.is_empty();
            }
            Piece::Operand(name) => {
                if let Some(number) = number_of(name) {
                    out.push_str(&format!("${number}"));
                    after_number = true;
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{pieces, to_llvm};

    #[test]
    fn operands_become_numbers() {
        let pieces = pieces("{{ .reg .b32 $t; mov.b32 $t, {a}; mov.b32 {d}, $t; }}").unwrap();
        let number = |name: &str| ["d", "a"].iter().position(|known| *known == name);
        assert_eq!(
            to_llvm(&pieces, number),
            "{ .reg .b32 $$t; mov.b32 $$t, $1; mov.b32 $0, $$t; }"
        );
        let pieces = super::pieces("%r{a}7 {a}{d}").unwrap();
        assert_eq!(to_llvm(&pieces, number), "%r${1}7 $1$0");
    }

    #[test]
    fn broken_braces_are_named() {
        assert!(pieces("mov {a").unwrap_err().starts_with("`{a` is not"));
        assert!(pieces("mov }").unwrap_err().starts_with("a single `}`"));
    }
}
