//! Rust's format strings at run time: what `format!` would have given, from tagged values.
//!
//! std does the formatting of each value, with sign, `#`, `0` and precision; only padding with a fill is done here, because std takes
//! no fill at run time. Holes are `{number}` or `{number:spec}`; counts are numbers or `number$`: `gpu_println!` wrote them so.

use std::fmt::Write as _;

/// A value that a thread printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'a> {
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    F32(f32),
    F64(f64),
    Bool(bool),
    Char(char),
    Str(&'a str),
    Pointer(u64),
}

/// Characters of `{:#p}`: `0x` and the digits of 64 bits.
const POINTER_WIDTH: usize = 18;

/// What stands behind the colon.
#[derive(Debug, Clone, Copy, Default)]
struct Spec<'a> {
    fill: Option<char>,
    align: Option<char>,
    plus: bool,
    alternate: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    ty: &'a str,
}

/// The text of one call. What cannot be read is shown as it stands.
pub(crate) fn text(format: &str, values: &[Value<'_>]) -> String {
    let mut text = String::with_capacity(format.len() + 16);
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        text.push_str(before);
        rest = brace;
        if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            text.push_str(&rest[..1]);
            rest = after;
        } else if let Some(after) = hole(&mut text, rest, values) {
            rest = after;
        } else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    text
}

/// Fills the hole at the start of `rest`; gives what is behind it.
fn hole<'f>(text: &mut String, rest: &'f str, values: &[Value<'_>]) -> Option<&'f str> {
    let rest = rest.strip_prefix('{')?;
    let (number, rest) = number(rest)?;
    let value = *values.get(number)?;
    let (spec, rest) = match rest.strip_prefix(':') {
        Some(rest) => spec(rest, values)?,
        None => (Spec::default(), rest),
    };
    let rest = rest.strip_prefix('}')?;
    if !value.takes(spec.ty) {
        return None;
    }
    value.write(text, &spec);
    Some(rest)
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

/// The specification at the start of `text`; gives what is behind it.
fn spec<'f>(text: &'f str, values: &[Value<'_>]) -> Option<(Spec<'f>, &'f str)> {
    let is_alignment = |c: &char| matches!(c, '<' | '^' | '>');
    let mut spec = Spec::default();
    let mut rest = text;
    let mut chars = text.chars();
    match (chars.next(), chars.next().filter(is_alignment)) {
        (fill, align @ Some(_)) => {
            (spec.fill, spec.align) = (fill, align);
            rest = chars.as_str();
        }
        (Some(align), None) if is_alignment(&align) => {
            spec.align = Some(align);
            rest = &rest[1..];
        }
        _ => {}
    }
    let mut flag = |c: char| match rest.strip_prefix(c) {
        Some(after) => {
            rest = after;
            true
        }
        None => false,
    };
    spec.plus = flag('+');
    flag('-'); // has no meaning
    spec.alternate = flag('#');
    if !rest.starts_with("0$")
        && let Some(after) = rest.strip_prefix('0')
    {
        (spec.zero, rest) = (true, after);
    }
    (spec.width, rest) = count(rest, values)?;
    if let Some(after) = rest.strip_prefix('.') {
        (spec.precision, rest) = count(after, values)?;
    }
    let end = rest.find('}')?;
    (spec.ty, rest) = rest.split_at(end);
    Some((spec, rest))
}

/// A width or a precision. As in Rust, at most 65535: more would also make a text of any size.
fn count<'f>(text: &'f str, values: &[Value<'_>]) -> Option<(Option<usize>, &'f str)> {
    let Some((number, rest)) = number(text) else {
        return Some((None, text));
    };
    let (count, rest) = match rest.strip_prefix('$') {
        None => (number as u64, rest),
        Some(rest) => match values.get(number)? {
            Value::U64(count) => (*count, rest),
            _ => return None,
        },
    };
    let count = u16::try_from(count).ok()?;
    Some((Some(usize::from(count)), rest))
}

/// `write!` with the flags of a specification, which a literal must hold: one literal for each combination.
macro_rules! with_flags {
    ($out:expr, $spec:expr, $width:expr, $value:expr, $ty:literal) => {{
        let (spec, width, value) = ($spec, $width, $value);
        let flags = (spec.plus, spec.alternate, spec.zero, spec.precision);
        let w = width.unwrap_or(0);
        match flags {
            (false, false, false, None) => write!($out, concat!("{:w$", $ty, "}"), value, w = w),
            (false, false, true, None) => write!($out, concat!("{:0w$", $ty, "}"), value, w = w),
            (false, true, false, None) => write!($out, concat!("{:#w$", $ty, "}"), value, w = w),
            (false, true, true, None) => write!($out, concat!("{:#0w$", $ty, "}"), value, w = w),
            (true, false, false, None) => write!($out, concat!("{:+w$", $ty, "}"), value, w = w),
            (true, false, true, None) => write!($out, concat!("{:+0w$", $ty, "}"), value, w = w),
            (true, true, false, None) => write!($out, concat!("{:+#w$", $ty, "}"), value, w = w),
            (true, true, true, None) => write!($out, concat!("{:+#0w$", $ty, "}"), value, w = w),
            (false, false, false, Some(p)) => {
                write!($out, concat!("{:w$.p$", $ty, "}"), value, w = w, p = p)
            }
            (false, false, true, Some(p)) => {
                write!($out, concat!("{:0w$.p$", $ty, "}"), value, w = w, p = p)
            }
            (false, true, false, Some(p)) => {
                write!($out, concat!("{:#w$.p$", $ty, "}"), value, w = w, p = p)
            }
            (false, true, true, Some(p)) => {
                write!($out, concat!("{:#0w$.p$", $ty, "}"), value, w = w, p = p)
            }
            (true, false, false, Some(p)) => {
                write!($out, concat!("{:+w$.p$", $ty, "}"), value, w = w, p = p)
            }
            (true, false, true, Some(p)) => {
                write!($out, concat!("{:+0w$.p$", $ty, "}"), value, w = w, p = p)
            }
            (true, true, false, Some(p)) => {
                write!($out, concat!("{:+#w$.p$", $ty, "}"), value, w = w, p = p)
            }
            (true, true, true, Some(p)) => {
                write!($out, concat!("{:+#0w$.p$", $ty, "}"), value, w = w, p = p)
            }
        }
    }};
}

macro_rules! integer {
    ($out:expr, $spec:expr, $width:expr, $value:expr) => {
        match $spec.ty {
            "?" => with_flags!($out, $spec, $width, $value, "?"),
            "x?" => with_flags!($out, $spec, $width, $value, "x?"),
            "X?" => with_flags!($out, $spec, $width, $value, "X?"),
            "x" => with_flags!($out, $spec, $width, $value, "x"),
            "X" => with_flags!($out, $spec, $width, $value, "X"),
            "o" => with_flags!($out, $spec, $width, $value, "o"),
            "b" => with_flags!($out, $spec, $width, $value, "b"),
            "e" => with_flags!($out, $spec, $width, $value, "e"),
            "E" => with_flags!($out, $spec, $width, $value, "E"),
            _ => with_flags!($out, $spec, $width, $value, ""),
        }
    };
}

macro_rules! float {
    ($out:expr, $spec:expr, $width:expr, $value:expr) => {
        match $spec.ty {
            "?" | "x?" | "X?" => with_flags!($out, $spec, $width, $value, "?"),
            "e" => with_flags!($out, $spec, $width, $value, "e"),
            "E" => with_flags!($out, $spec, $width, $value, "E"),
            _ => with_flags!($out, $spec, $width, $value, ""),
        }
    };
}

macro_rules! words {
    ($out:expr, $spec:expr, $width:expr, $value:expr) => {
        match $spec.ty {
            "?" | "x?" | "X?" => with_flags!($out, $spec, $width, $value, "?"),
            _ => with_flags!($out, $spec, $width, $value, ""),
        }
    };
}

impl Value<'_> {
    /// Whether values of this type can be formatted so.
    fn takes(&self, ty: &str) -> bool {
        let of_its_own: &[&str] = match self {
            Value::F32(_) | Value::F64(_) => &["e", "E"],
            Value::Bool(_) | Value::Char(_) | Value::Str(_) => &[],
            Value::Pointer(_) => &["p"],
            _ => &["x", "X", "o", "b", "e", "E"],
        };
        matches!(ty, "" | "?" | "x?" | "X?") || of_its_own.contains(&ty)
    }

    fn write(&self, text: &mut String, spec: &Spec<'_>) {
        // A pointer's `#` means zeros up to its full width, whatever else is said.
        let pointer = matches!(self, Value::Pointer(_));
        let zeros = (spec.zero && self.takes_zeros()) || (spec.alternate && pointer);
        let ours = Spec {
            zero: spec.zero && zeros,
            ..*spec
        };
        if zeros || !self.is_padded(spec) {
            let width = match spec.width {
                None if pointer && spec.alternate => Some(POINTER_WIDTH),
                width if self.is_padded(spec) => width,
                _ => None,
            };
            self.write_unpadded(text, &ours, width);
            return;
        }
        let mut plain = String::new();
        self.write_unpadded(&mut plain, &ours, None);
        let missing = spec
            .width
            .unwrap_or(0)
            .saturating_sub(plain.chars().count());
        let align = spec.align.unwrap_or(match self {
            Value::Bool(_) | Value::Char(_) | Value::Str(_) => '<',
            _ => '>',
        });
        let left = match align {
            '<' => 0,
            '^' => missing / 2,
            _ => missing,
        };
        let fill = spec.fill.unwrap_or(' ');
        text.extend(std::iter::repeat_n(fill, left));
        text.push_str(&plain);
        text.extend(std::iter::repeat_n(fill, missing - left));
    }

    /// Whether `0` means zeros between sign and digits.
    fn takes_zeros(&self) -> bool {
        !matches!(self, Value::Bool(_) | Value::Char(_) | Value::Str(_))
    }

    /// Whether the width counts: `{:?}` of texts ignores it.
    fn is_padded(&self, spec: &Spec<'_>) -> bool {
        !(spec.ty.ends_with('?') && matches!(self, Value::Char(_) | Value::Str(_)))
    }

    fn write_unpadded(&self, text: &mut String, spec: &Spec<'_>, width: Option<usize>) {
        let done = match *self {
            Value::U8(v) => integer!(text, spec, width, v),
            Value::U16(v) => integer!(text, spec, width, v),
            Value::U32(v) => integer!(text, spec, width, v),
            Value::U64(v) => integer!(text, spec, width, v),
            Value::U128(v) => integer!(text, spec, width, v),
            Value::I8(v) => integer!(text, spec, width, v),
            Value::I16(v) => integer!(text, spec, width, v),
            Value::I32(v) => integer!(text, spec, width, v),
            Value::I64(v) => integer!(text, spec, width, v),
            Value::I128(v) => integer!(text, spec, width, v),
            Value::F32(v) => float!(text, spec, width, v),
            Value::F64(v) => float!(text, spec, width, v),
            Value::Bool(v) => words!(text, spec, width, v),
            Value::Char(v) => words!(text, spec, width, v),
            Value::Str(v) => words!(text, spec, width, v),
            Value::Pointer(v) => {
                let address = usize::try_from(v).unwrap_or(usize::MAX);
                let pointer = std::ptr::without_provenance::<u8>(address);
                with_flags!(text, spec, width, pointer, "p")
            }
        };
        // Writing to a `String` cannot fail.
        debug_assert!(done.is_ok());
    }
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
