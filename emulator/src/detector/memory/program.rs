//! What the operating system has at an address: the program's constants, or memory of the host.

use std::fs;
use std::sync::Once;

use super::allocation::Extent;
use super::{Allocation, Snapshot, registry};
use crate::memory_kind::{Birth, Kind};
use crate::site::Origin;

/// Memory of the process that lies together.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mapping {
    start: usize,
    end: usize,
    is_readable: bool,
    is_writable: bool,
    /// The file, `[stack]`, `[heap]`, or empty.
    name: String,
}

/// What the host has at an address, in words; `None`: nothing, as far as the operating system tells.
pub(super) fn host_memory(address: usize) -> Option<&'static str> {
    let mappings = mappings();
    let found = mappings
        .iter()
        .find(|mapping| (mapping.start..mapping.end).contains(&address))?;
    if !found.is_readable {
        return None;
    }
    Some(match &*found.name {
        "[stack]" => "a variable on the stack of the host's main thread",
        "[heap]" => "the host's heap",
        name if name.starts_with('/') => "a static of the host's program",
        _ => "the host's heap, or the stack of one of its threads",
    })
}

/// The constants of the program, if `address` lies among them. Asked also when they are known already: another OS thread may have registered
/// them since the caller found no allocation at this address.
pub(super) fn find_constant(snapshot: &Snapshot, address: usize) -> Option<&Allocation> {
    register_constants();
    snapshot.find(address)
}

/// Registers the constants of the program, once. Those of instrumented code lie among them without a boundary: each mapping of the program's
/// file is one allocation.
fn register_constants() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let mappings = mappings();
        let address = (register_constants as *const ()).addr();
        let own = mappings
            .iter()
            .find(|mapping| (mapping.start..mapping.end).contains(&address));
        let Some(own) = own.filter(|own| own.name.starts_with('/')) else {
            return;
        };
        let constants = mappings
            .iter()
            .filter(|mapping| mapping.name == own.name)
            .filter(|mapping| mapping.is_readable && !mapping.is_writable);
        for constant in constants {
            let extent = Extent {
                start: constant.start,
                bytes: constant.end - constant.start,
                element: 1,
                align: 1,
                zone: 0,
            };
            let what = (Kind::Constant, Birth::Initialised);
            registry::add_between(extent, what, CONSTANTS, Origin::default());
        }
    });
}

/// What the program's constants are called.
pub(super) const CONSTANTS: &str = "the constants of the program";

/// All memory of the process; none where the operating system does not tell.
fn mappings() -> Vec<Mapping> {
    if cfg!(miri) || !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let text = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    text.lines().filter_map(parse).collect()
}

/// `55d0c0000000-55d0c0001000 r--p 00000000 08:01 1234   /usr/bin/program`.
fn parse(line: &str) -> Option<Mapping> {
    let mut parts = line.split_ascii_whitespace();
    let (start, end) = parts.next()?.split_once('-')?;
    let rights = parts.next()?.as_bytes();
    Some(Mapping {
        start: usize::from_str_radix(start, 16).ok()?,
        end: usize::from_str_radix(end, 16).ok()?,
        is_readable: rights.first() == Some(&b'r'),
        is_writable: rights.get(1) == Some(&b'w'),
        name: parts.nth(3).unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_read() {
        let file = parse("7f00-8f00 rw-p 00001000 08:01 77  /lib/x.so").unwrap();
        assert_eq!((file.start, file.end), (0x7f00, 0x8f00));
        assert!(file.is_readable && file.is_writable);
        assert_eq!(file.name, "/lib/x.so");
        let unnamed = parse("7f00-8f00 ---p 00000000 00:00 0").unwrap();
        assert!(!unnamed.is_readable && unnamed.name.is_empty());
        assert_eq!(parse("nonsense"), None);
    }

    #[test]
    #[cfg_attr(
        any(miri, not(target_os = "linux")),
        ignore = "the operating system does not tell"
    )]
    fn memory_of_the_host_is_told_from_no_memory() {
        let heap = Box::new(1_u8);
        assert!(host_memory((&raw const *heap).addr()).is_some());
        assert_eq!(host_memory(0), None);
    }

    #[test]
    #[cfg_attr(
        any(miri, not(target_os = "linux")),
        ignore = "the operating system does not tell"
    )]
    fn constants_of_the_program_are_constant() {
        static TABLE: [u32; 64] = [7; 64];
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(1);
        register_constants();
        let kind = |address: usize| registry::find(address).map(|found| found.kind);
        assert_eq!(kind(TABLE.as_ptr().addr()), Some(Kind::Constant));
        assert_eq!(kind((&raw const COUNT).addr()), None);
    }

    #[test]
    #[cfg_attr(
        any(miri, not(target_os = "linux")),
        ignore = "the operating system does not tell"
    )]
    fn constants_that_another_thread_registered_are_found() {
        static TABLE: [u32; 64] = [8; 64];
        std::thread::spawn(register_constants).join().unwrap();
        let snapshot = Snapshot::empty();
        let found = find_constant(&snapshot, TABLE.as_ptr().addr());
        assert_eq!(found.map(|found| found.kind), Some(Kind::Constant));
    }
}
