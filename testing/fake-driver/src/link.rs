//! Links: texts of PTX become one, in an ELF file that only the fake loads.

use crate::code::Code;
use crate::driver::modules::Logs;
use crate::module::Refused;

/// A link under way.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) context: u64,
    pub(crate) logs: Logs,
    /// Name and text of what was added.
    pub(crate) pieces: Vec<(String, String)>,
    /// What the link gave; the caller has its address.
    pub(crate) linked: Vec<u8>,
}

/// Where the text stands in a file.
pub(crate) const TEXT: usize = 128;
/// In an unused part of the header.
const OURS: [u8; 7] = *b"fakelnk";

/// Whether a file with this header was linked here.
pub(crate) fn is_ours(header: &[u8; 64]) -> bool {
    header[9..16] == OURS
}

/// An ELF file for an H200 with one section, the text.
fn file(text: &str) -> Vec<u8> {
    let mut file = vec![0; TEXT];
    let mut put = |at: usize, number: u64, len: usize| {
        file[at..at + len].copy_from_slice(&number.to_le_bytes()[..len]);
    };
    put(18, 190, 2); // e_machine: CUDA
    put(40, 64, 8); // e_shoff
    put(48, 0x0600_5A02, 4); // e_flags: sm_90
    put(58, 64, 2); // e_shentsize
    put(60, 1, 2); // e_shnum
    put(64 + 4, 1, 4); // sh_type: bytes of the program
    put(64 + 24, TEXT as u64, 8);
    put(64 + 32, text.len() as u64 + 1, 8);
    file[..9].copy_from_slice(b"\x7fELF\x02\x01\x01\x41\x08");
    file[9..16].copy_from_slice(&OURS);
    file.extend(text.as_bytes());
    file.push(0);
    file
}

impl Link {
    /// Joins all texts.
    pub(crate) fn link(&mut self) -> Result<(), Refused> {
        let mut joined = String::new();
        let mut missing = String::new();
        for (i, (name, text)) in self.pieces.iter().enumerate() {
            for line in text.lines() {
                let header = [".version", ".target", ".address_size"];
                let repeats = i > 0 && header.iter().any(|word| line.starts_with(word));
                let declares = declared(line);
                if let Some(function) = declares
                    && !self.defines(function)
                {
                    missing.push_str(&format!(
                        "error   : Undefined reference to '{function}' in '{name}'\n"
                    ));
                }
                joined.push_str(if repeats || declares.is_some() {
                    ""
                } else {
                    line
                });
                joined.push('\n');
            }
        }
        if self.pieces.is_empty() || !missing.is_empty() {
            return Err(Refused {
                code: Code::INVALID_IMAGE,
                log: missing,
            });
        }
        self.linked = file(&joined);
        Ok(())
    }

    fn defines(&self, function: &str) -> bool {
        let of = |line: &str| line.starts_with(".visible .func") && name_of(line) == Some(function);
        self.pieces.iter().any(|(_, text)| text.lines().any(of))
    }
}

/// The function that a line declares to be elsewhere.
fn declared(line: &str) -> Option<&str> {
    line.starts_with(".extern .func").then(|| name_of(line))?
}

/// The name before the last list of parameters.
fn name_of(line: &str) -> Option<&str> {
    let before = line.rsplit_once('(')?.0.trim_end();
    before
        .rsplit([' ', ')'])
        .next()
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_before_the_last_list() {
        let line = ".extern .func (.param .b32 out) twice(.param .b32 in);";
        assert_eq!(declared(line), Some("twice"));
        assert_eq!(declared(".visible .func (.param .b32 out) twice()"), None);
        assert_eq!(
            name_of(".visible .func (.param .b32 out)twice (.param .b32 in)"),
            Some("twice")
        );
        assert_eq!(name_of("ret;"), None);
    }

    #[test]
    fn files_are_known_again() {
        let file = file("x");
        assert!(is_ours(file.first_chunk().unwrap()));
        assert_eq!(&file[TEXT..], b"x\0");
    }
}
