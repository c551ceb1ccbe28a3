//! A shared array, and what reports call it: by the name that the source gives it, where that can be read.

use std::ffi::CStr;

use crate::site::{SiteId, site};
use crate::source::sources;

/// An array of shared memory, or the dynamic part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Array {
    /// Its offset in the arena.
    pub(crate) start: usize,
    pub(crate) bytes: usize,
    /// What the key says of its type; `None`: the dynamic part.
    pub(crate) type_name: Option<&'static str>,
    /// Where it is declared; 0 if that is not known.
    pub(crate) site: u32,
}

impl Array {
    /// `tile`; `shared array of src/tiles.rs:12` if the line does not bind it to a name; `dynamic shared memory`.
    pub(crate) fn name(&self) -> String {
        let Some(type_name) = self.type_name else {
            return "dynamic shared memory".to_owned();
        };
        let Some(info) = site(SiteId(self.site)) else {
            return type_name.to_owned();
        };
        let place = info.frame();
        let line = sources().line(&place.file, place.line).unwrap_or_default();
        match bound(&line) {
            Some(name) => name.to_owned(),
            None => format!("the shared array of {}:{}", place.file, place.line),
        }
    }

    /// `tile[12]`, for the byte at this offset from the array's start.
    pub(crate) fn element(&self, offset: usize) -> String {
        let name = self.name();
        let Some(size) = self.type_name.and_then(element_size) else {
            return format!("{name}, byte {offset}");
        };
        match offset % size {
            0 => format!("{name}[{}]", offset / size),
            rest => format!("{name}[{}], byte {rest}", offset / size),
        }
    }
}

/// The type and number of elements in the name of a function of instrumented code that stands for a shared array: `f32, 64`.
pub(crate) fn type_of(symbol: usize) -> &'static str {
    // SAFETY: instrumented code hands over a zero-ended constant of the program.
    let name: &'static CStr = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance(symbol)) };
    let name = name.to_str().unwrap_or_default();
    let arguments = name
        .split_once("shared_site::<")
        .map_or(name, |(_, rest)| rest);
    let mut depth = 0;
    let mut commas = 0;
    let end = arguments.bytes().position(|byte| {
        match byte {
            b'<' | b'[' | b'(' => depth += 1,
            b'>' | b']' | b')' => depth -= 1,
            b',' if depth == 0 => commas += 1,
            _ => {}
        }
        commas == 2
    });
    &arguments[..end.unwrap_or(arguments.len())]
}

/// Bytes of an element, of types that need no more than their name to know it.
fn element_size(type_and_count: &str) -> Option<usize> {
    let (name, _) = type_and_count.rsplit_once(',')?;
    Some(match name {
        "u8" | "i8" | "bool" => 1,
        "u16" | "i16" => 2,
        "u32" | "i32" | "f32" | "char" => 4,
        "u64" | "i64" | "f64" | "usize" | "isize" => 8,
        "u128" | "i128" => 16,
        _ => return None,
    })
}

/// The name in `let tile = shared_array!(f32, 64);`.
fn bound(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("let ")?.trim_start();
    let rest = rest.strip_prefix("mut ").unwrap_or(rest).trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (end != 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_bindings() {
        assert_eq!(
            bound("    let tile = shared_array!(f32, 64);"),
            Some("tile")
        );
        assert_eq!(
            bound("let mut sums: SharedArray<u32, 8> = x();"),
            Some("sums")
        );
        assert_eq!(bound("    scan(shared_array!(f32, 64))"), None);
    }

    #[test]
    fn types_are_read_from_names_of_functions() {
        let name = c"a::shared::shared_site::<[f32; 2], 64, <b::c>::{closure#0}>";
        assert_eq!(type_of(name.as_ptr().expose_provenance()), "[f32; 2], 64");
        assert_eq!(element_size("f32, 64"), Some(4));
        assert_eq!(element_size("[f32; 2], 64"), None);
    }
}
