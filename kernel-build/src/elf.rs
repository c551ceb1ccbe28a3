//! The object file that carries device code into the program, and the archive that carries it into a library.
//!
//! ```text
//! ELF header | containers (section warploom_images) | .symtab | .strtab | .shstrtab | section headers
//! ```
//! One data section without relocations, marked `SHF_GNU_RETAIN`: nothing refers to it by name, linkers must keep it all the same.

use warploom_manifest::container::SECTION;

const RETAIN: u64 = 0x20_0000;
const ALLOC: u64 = 2;
const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const HEADER: usize = 64;
const SECTION_HEADER: usize = 64;

/// A processor that the object is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machine {
    X86_64,
    Aarch64,
}

impl Machine {
    pub(crate) fn of_triple(triple: &str) -> Option<Machine> {
        match triple.split('-').next()? {
            "x86_64" => Some(Machine::X86_64),
            "aarch64" => Some(Machine::Aarch64),
            _ => None,
        }
    }

    fn number(self) -> u16 {
        match self {
            Machine::X86_64 => 62,
            Machine::Aarch64 => 183,
        }
    }
}

/// A relocatable object whose section [`SECTION`] holds `containers`.
pub(crate) fn object(containers: &[u8], machine: Machine) -> Vec<u8> {
    let mut names = vec![0u8];
    let mut name = |text: &str| {
        let at = names.len() as u32;
        names.extend_from_slice(text.as_bytes());
        names.push(0);
        at
    };
    let (images, note, symtab, strtab, shstrtab) = (
        name(SECTION),
        name(".note.GNU-stack"),
        name(".symtab"),
        name(".strtab"),
        name(".shstrtab"),
    );
    let images_at = HEADER;
    let symbols_at = (images_at + containers.len()).next_multiple_of(16);
    let strings_at = symbols_at + 24; // the one null symbol
    let names_at = strings_at + 1;
    let headers_at = (names_at + names.len()).next_multiple_of(16);

    let mut out = Vec::with_capacity(headers_at + 6 * SECTION_HEADER);
    out.extend_from_slice(b"\x7fELF\x02\x01\x01\x03\0\0\0\0\0\0\0\0"); // 64 bit, little endian, GNU (RETAIN is GNU's)
    out.extend_from_slice(&1u16.to_le_bytes()); // relocatable
    out.extend_from_slice(&machine.number().to_le_bytes());
    out.extend_from_slice(&1u32.to_le_bytes());
    for word in [0u64, 0, headers_at as u64] {
        out.extend_from_slice(&word.to_le_bytes()); // entry, program headers, section headers
    }
    out.extend_from_slice(&0u32.to_le_bytes());
    for half in [HEADER as u16, 0, 0, SECTION_HEADER as u16, 6, 5] {
        out.extend_from_slice(&half.to_le_bytes());
    }
    out.extend_from_slice(containers);
    out.resize(strings_at + 1, 0);
    out.extend_from_slice(&names);
    out.resize(headers_at, 0);

    let mut header = |name: u32,
                      kind: u32,
                      flags: u64,
                      at: usize,
                      len: usize,
                      link: u32,
                      info: u32,
                      align: u64,
                      entry: u64| {
        out.extend_from_slice(&name.to_le_bytes());
        out.extend_from_slice(&kind.to_le_bytes());
        for word in [flags, 0, at as u64, len as u64] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&link.to_le_bytes());
        out.extend_from_slice(&info.to_le_bytes());
        out.extend_from_slice(&align.to_le_bytes());
        out.extend_from_slice(&entry.to_le_bytes());
    };
    header(0, 0, 0, 0, 0, 0, 0, 0, 0);
    header(
        images,
        PROGBITS,
        ALLOC | RETAIN,
        images_at,
        containers.len(),
        0,
        0,
        16,
        0,
    );
    header(note, PROGBITS, 0, symbols_at, 0, 0, 0, 1, 0);
    header(symtab, SYMTAB, 0, symbols_at, 24, 4, 1, 8, 24);
    header(strtab, STRTAB, 0, strings_at, 1, 0, 0, 1, 0);
    header(shstrtab, STRTAB, 0, names_at, names.len(), 0, 0, 1, 0);
    out
}

/// A static library that holds these objects.
pub(crate) fn archive(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (number, object) in objects.iter().enumerate() {
        let name = format!("images{number}.o/");
        let bytes = object.len();
        out.extend_from_slice(
            format!(
                "{name:<16}{:<12}{:<6}{:<6}{:<8}{bytes:<10}`\n",
                0, 0, 0, "100644"
            )
            .as_bytes(),
        );
        out.extend_from_slice(object);
        if object.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object as _, ObjectSection as _};

    #[test]
    fn the_object_is_read_back_with_its_section() {
        let file = object(b"sixteen bytes !!", Machine::X86_64);
        let parsed = object::File::parse(&*file).unwrap();
        let section = parsed.section_by_name(SECTION).unwrap();
        assert_eq!(section.data().unwrap(), b"sixteen bytes !!");
        assert_eq!(section.align(), 16);
    }

    #[test]
    fn the_archive_is_read_back_with_its_members() {
        let file = archive(&[b"odd".to_vec(), b"even".to_vec()]);
        let parsed = object::read::archive::ArchiveFile::parse(&*file).unwrap();
        let members: Vec<_> = parsed.members().map(Result::unwrap).collect();
        assert_eq!(members[0].name(), b"images0.o");
        assert_eq!(members[0].data(&*file).unwrap(), b"odd");
        assert_eq!(members[1].data(&*file).unwrap(), b"even");
    }
}
