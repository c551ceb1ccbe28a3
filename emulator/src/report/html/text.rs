//! Text that goes into HTML: escaped, coloured, rounded.

use std::fmt::Write;

/// Text as it may stand between tags and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in HTML, not even as references.
            c if c.is_control() && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// `1 234`, `56.7 k`, `8.9 M`: three digits, from 10 000 on.
pub(super) fn short(n: u64) -> String {
    let (size, unit) = match n {
        0..10_000 => return super::grouped(n),
        10_000..1_000_000 => (n as f64 / 1e3, "k"),
        1_000_000..1_000_000_000 => (n as f64 / 1e6, "M"),
        _ => (n as f64 / 1e9, "G"),
    };
    format!("{}\u{a0}{unit}", three_digits(size))
}

/// `1.05`, `10.5`, `105`, `1 050`.
fn three_digits(size: f64) -> String {
    if size < 99.95 {
        super::number(size)
    } else {
        super::grouped(size.round() as u64)
    }
}

/// `128 B`, `4 KiB`, `1.5 MiB`.
pub(super) fn bytes(n: u64) -> String {
    let mut size = n as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = next;
    }
    format!("{}\u{a0}{unit}", three_digits(size))
}

/// Colours one line of Rust. Comments and strings that go over several lines are coloured in the first one only.
pub(super) fn rust(line: &str) -> String {
    let mut out = String::with_capacity(2 * line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (class, length) = token(rest, first);
        let (text, after) = rest.split_at(length);
        let text = escape(text);
        let _ = match class {
            "" => write!(out, "{text}"),
            class => write!(out, "<span class=\"{class}\">{text}</span>"),
        };
        rest = after;
    }
    out
}

/// The class of the first token, and its length in bytes.
fn token(rest: &str, first: char) -> (&'static str, usize) {
    const WORDS: &[&str] = &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum",
        "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move",
        "mut", "pub", "ref", "return", "self", "Self", "static", "struct", "super", "trait",
        "true", "type", "unsafe", "use", "where", "while",
    ];
    let while_true = |of: fn(char) -> bool| rest.find(|c| !of(c)).unwrap_or(rest.len());
    if rest.starts_with("//") {
        return ("c", rest.len());
    }
    if rest.starts_with("#[") || rest.starts_with("#![") {
        return ("a", rest.find(']').map_or(rest.len(), |end| end + 1));
    }
    match first {
        '"' => ("s", string(rest)),
        // A character, not a lifetime: 'a' or '\n'.
        '\'' => match rest[1..].chars().next() {
            Some('\\') => ("s", rest[2..].find('\'').map_or(rest.len(), |end| end + 3)),
            Some(c) if rest[1 + c.len_utf8()..].starts_with('\'') => ("s", 2 + c.len_utf8()),
            _ => ("", 1),
        },
        c if c.is_ascii_digit() => ("n", number(rest)),
        c if c.is_alphabetic() || c == '_' => {
            let end = while_true(|c| c.is_alphanumeric() || c == '_');
            let class = if WORDS.contains(&&rest[..end]) {
                "w"
            } else {
                ""
            };
            (class, end)
        }
        c => ("", c.len_utf8()),
    }
}

/// The length of a string, with its quotes.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == '"' && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

/// The length of a number. `0..4` is two of them.
fn number(rest: &str) -> usize {
    let mut end = 0;
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let point = c == '.' && chars.peek().is_some_and(char::is_ascii_digit);
        if !c.is_ascii_alphanumeric() && c != '_' && !point {
            break;
        }
        end += c.len_utf8();
    }
    end
}
