//! How rustc writes `fmt::Arguments` and the functions that format its values: all that depends on its version of this.
//!
//! ```text
//! fmt::Arguments   template: ptr   args: ptr to [{ value: ptr, function: ptr }], or the length of a text without arguments times two plus one
//! template         1..=127, text of so many bytes       128, u16, text of so many bytes       192..=255, an argument       0, the end
//! argument         bits of its first byte: 1 flags (u32), 2 width (u16), 4 precision (u16), 8 index (u16) follow, 16 and 32 widths that are arguments
//! ```
//! The self-test compiles a panic and compares what is read of it.

use warploom_manifest::message::{Style, ValueType};

/// The parts of names that functions have which rustc calls where `format_args!` and `assert_eq!` stand: inlined, their constants are visible.
const MAKERS: [[&str; 2]; 4] = [
    ["4core3fmt2rt", "8Argument"],
    ["4core3fmt", "9Arguments"],
    ["4core9panicking", "13assert_failed"],
    ["4core9panicking", "13panic_display"],
];

/// The flags of `{}` and of `{:#}`: a space to fill with, and no alignment.
const PLAIN: u32 = 0x6000_0020;
const ALTERNATE: u32 = PLAIN | 1 << 23;

/// A part of a template.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(Vec<u8>),
    Argument { index: usize, alternate: bool },
}

/// Whether a symbol is of a function that makes arguments, or hands them on.
pub(crate) fn is_maker(symbol: &str) -> bool {
    MAKERS
        .iter()
        .any(|parts| parts.iter().all(|part| symbol.contains(part)))
}

/// The parts of a template; `None` of one that has other options than `#`, or is none.
pub(crate) fn parts(mut template: &[u8]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut next = 0;
    loop {
        let (first, rest) = template.split_first()?;
        template = rest;
        match *first {
            0 => return template.is_empty().then_some(parts),
            len @ 1..128 => parts.push(Part::Text(taken(&mut template, usize::from(len))?)),
            128 => {
                let len = usize::from(short(&mut template)?);
                parts.push(Part::Text(taken(&mut template, len)?));
            }
            bits @ 192.. => {
                let flags = match bits & 1 {
                    0 => PLAIN,
                    _ => u32::from(short(&mut template)?) | u32::from(short(&mut template)?) << 16,
                };
                let is_wide = bits & !(1 | 8) != 192;
                if is_wide || ![PLAIN, ALTERNATE].contains(&flags) {
                    return None;
                }
                if bits & 8 != 0 {
                    next = usize::from(short(&mut template)?);
                }
                parts.push(Part::Argument {
                    index: next,
                    alternate: flags == ALTERNATE,
                });
                next += 1;
            }
            _ => return None,
        }
    }
}

fn taken(template: &mut &[u8], len: usize) -> Option<Vec<u8>> {
    let (text, rest) = template.split_at_checked(len)?;
    *template = rest;
    Some(text.to_vec())
}

fn short(template: &mut &[u8]) -> Option<u16> {
    let (bytes, rest) = template.split_first_chunk()?;
    *template = rest;
    Some(u16::from_le_bytes(*bytes))
}

/// What a function formats, by its symbol.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Formats {
    /// A value behind so many references.
    Value(usize, ValueType, Style),
    /// A text behind so many references.
    Text(usize, Style),
}

/// `None` of a function that is not known, as of a type of the user's.
pub(crate) fn formats(symbol: &str) -> Option<Formats> {
    if !symbol.contains("4core3fmt") {
        return None;
    }
    let path = format!("{:#}", rustc_demangle::demangle(symbol));
    let (ty, style) = path.strip_prefix('<')?.split_once(" as core::fmt::")?;
    // LLVM numbers functions of one name.
    let (style, number) = style.split_once(">::fmt")?;
    if !(number.is_empty() || number.starts_with('.')) {
        return None;
    }
    let style = Style::named(style)?;
    if style == Style::Pointer {
        // Pointers to slices, texts and trait objects show more than an address; other types may have one as their last field.
        let kinds = ["*const ", "*mut ", "&mut ", "&"];
        let to = kinds.iter().find_map(|kind| ty.strip_prefix(kind))?;
        ValueType::named(to)?;
        return Some(Formats::Value(0, ValueType::Pointer, style));
    }
    let (mut references, mut ty) = (0, ty);
    while let Some(rest) = ty.strip_prefix('&') {
        (references, ty) = (references + 1, rest.strip_prefix("mut ").unwrap_or(rest));
    }
    if ty == "str" {
        return Some(Formats::Text(references, style));
    }
    let ty = ValueType::named(ty).filter(|ty| ty.has(style))?;
    Some(Formats::Value(references, ty, style))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(index: usize, alternate: bool) -> Part {
        Part::Argument { index, alternate }
    }

    #[test]
    fn texts_and_arguments_are_read() {
        let text = Part::Text(b"at ".to_vec());
        assert_eq!(
            parts(b"\x03at \xc0\0"),
            Some(vec![text, argument(0, false)])
        );
        assert_eq!(
            parts(b"\xc8\x02\0\xc0\xc1\x20\0\x80\x60\0"),
            Some(vec![
                argument(2, false),
                argument(3, false),
                argument(4, true)
            ])
        );
        let long = [&[128, 200, 0][..], &[b'x'; 200], &[0]].concat();
        assert_eq!(parts(&long), Some(vec![Part::Text(vec![b'x'; 200])]));
    }

    #[test]
    fn other_options_and_other_bytes_are_refused() {
        assert_eq!(parts(b"\xc2\x05\0\0"), None, "a width");
        assert_eq!(parts(b"\xc4\x05\0\0"), None, "a precision");
        assert_eq!(parts(b"\xd2\x01\0\0"), None, "a width that is an argument");
        assert_eq!(parts(b"\xc1\x20\0\0\x61\0"), None, "zeros before it");
        assert_eq!(parts(b"\x05cut"), None);
        assert_eq!(parts(b"\xc0"), None);
        assert_eq!(parts(b"\xc0\0more"), None);
        assert_eq!(parts(b"\x90"), None);
    }

    #[test]
    fn functions_are_known_by_their_symbols() {
        let usize_display = "_RNvXsi_NtNtNtCsgEmfK2I1SDS_4core3fmt3num3impjNtB9_7Display3fmt";
        let value = |references, ty, style| Some(Formats::Value(references, ty, style));
        assert_eq!(
            formats(usize_display),
            value(0, ValueType::Usize, Style::Display)
        );
        let reference = "_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRmNtB6_5Debug3fmtCsjrHSEGnQ3l9_3std";
        assert_eq!(formats(reference), value(1, ValueType::U32, Style::Debug));
        let text = "_RNvXs1i_NtCsgEmfK2I1SDS_4core3fmtReNtB6_7Display3fmtB8_";
        assert_eq!(formats(text), Some(Formats::Text(1, Style::Display)));
        let object = "_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRDNtB6_5DebugEL_Bx_3fmtB8_";
        assert_eq!(formats(object), None);
        assert_eq!(formats("_RNvNtCsgEmfK2I1SDS_4core3fmt5write"), None);
    }

    #[test]
    fn pointers_with_metadata_are_left_to_the_thread() {
        // `<&u32 as Pointer>::fmt`, and that of `&[u32]`, `&str` and `&dyn Debug`.
        let thin = "_RNvXsc_NtCsgEmfK2I1SDS_4core3fmtRmNtB5_7Pointer3fmt";
        let pointer = Formats::Value(0, ValueType::Pointer, Style::Pointer);
        assert_eq!(formats(thin), Some(pointer));
        for ty in ["RSm", "Re", "RDNtB5_5DebugEL_"] {
            let wide = format!("_RNvXsc_NtCsgEmfK2I1SDS_4core3fmt{ty}NtB5_7Pointer3fmt");
            assert_eq!(formats(&wide), None, "{wide}");
        }
    }
}
