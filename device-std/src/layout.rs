//! Fingerprints of types and constants: a launch compares those of the host with those of the device code.
//!
//! Host and device code are two compilations of one source, and a `cfg`, an environment variable or a feature may differ between them.
//! What a launch hands over must not: fields in another place would be other values, and a constant that a launch condition compares with
//! would let a launch pass that the device code does not expect. Written by macros; FNV-1a, not meant to resist an attacker.

const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The fingerprint of a name.
#[must_use]
pub const fn name(text: &str) -> u64 {
    with_name(START, text)
}

/// A type of which only size and alignment are known.
#[must_use]
pub const fn opaque<T>() -> u64 {
    with(with(START, size_of::<T>() as u128), align_of::<T>() as u128)
}

/// A fingerprint, and then a text.
#[must_use]
pub const fn with_name(before: u64, text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut hash, mut i) = (before, 0);
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(PRIME);
        i += 1;
    }
    with(hash, bytes.len() as u128)
}

/// A fingerprint, and then a number.
#[must_use]
pub const fn with(before: u64, number: u128) -> u64 {
    let bytes = number.to_le_bytes();
    let (mut hash, mut i) = (before, 0);
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(PRIME);
        i += 1;
    }
    hash
}

/// A fingerprint, and then a field: its name, its place, and what it is.
#[must_use]
pub const fn with_field(before: u64, name: &str, offset: usize, layout: u64) -> u64 {
    with(
        with(with_name(before, name), offset as u128),
        layout as u128,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_has_another_fingerprint() {
        let all = [
            name("u32"),
            name("f32"),
            name("u3"),
            opaque::<u32>(),
            opaque::<[u8; 4]>(),
            with_field(START, "x", 0, name("u32")),
            with_field(START, "x", 4, name("u32")),
            with_field(START, "y", 0, name("u32")),
            with_field(START, "x", 0, name("f32")),
            with_name(name("a"), "b"),
            name("ab"),
            with(START, 1 << 64),
            with(START, 1),
            START,
        ];
        for (i, one) in all.iter().enumerate() {
            assert!(!all[i + 1..].contains(one), "{i}");
        }
    }
}
