//! Maps and sets whose keys are handles, numbers and names, none of which an attacker chooses.
//!
//! Build scripts are not optimised, and the hash function of the standard library is compiled with them: it took 28 % of the time of our own code
//! where the tests of `warploom-linalg` became PTX.

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Product>>;
pub(crate) type HashSet<K> = std::collections::HashSet<K, BuildHasherDefault<Product>>;

/// A hash by one multiplication for each 8 bytes.
#[derive(Default)]
pub(crate) struct Product(u64);

/// An odd number whose bits are half ones, in no pattern (the fraction of the golden ratio).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for Product {
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(FACTOR);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write(&mut self, bytes: &[u8]) {
        let (whole, rest) = bytes.as_chunks::<8>();
        for chunk in whole {
            self.write_u64(u64::from_le_bytes(*chunk));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(last));
        }
    }

    /// A table takes the lowest bits, and the highest seven: the product's low bits say little, since handles are multiples of 8 and more.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::Product;
    use std::collections::HashSet;
    use std::hash::Hasher as _;

    fn hash(of: impl std::hash::Hash) -> u64 {
        let mut hasher = Product::default();
        of.hash(&mut hasher);
        hasher.finish()
    }

    /// Of 1024 places in a table, about 1 - 1/e are taken by 1024 keys that are spread at random.
    #[test]
    fn handles_and_numbers_are_spread() {
        for step in [1, 8, 16, 64, 192, 4096] {
            let hashes = (0..1024).map(|n: usize| hash(0x7f31_0000_4000 + n * step));
            let (low, high): (HashSet<u64>, HashSet<u64>) =
                hashes.map(|hash| (hash & 1023, hash >> 57)).unzip();
            assert!(
                low.len() > 500 && high.len() > 64,
                "step {step}: {} {}",
                low.len(),
                high.len()
            );
        }
    }

    #[test]
    fn texts_differ_by_each_byte() {
        let texts = [
            "",
            "a",
            "b",
            "aaaaaaaa",
            "aaaaaaab",
            "baaaaaaa",
            "aaaaaaaaa",
            "aaaaaaaa\0",
        ];
        let hashes: HashSet<u64> = texts.iter().map(hash).collect();
        assert_eq!(hashes.len(), texts.len());
    }
}
