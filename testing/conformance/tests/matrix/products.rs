//! The bits of products. `products.tsv` was written by `examples/tensor_cores.rs` on a GPU of compute capability 9.0: the hashes of 64 products of each
//! instruction and distribution, and those of as many as give 12.6 million elements. Lines of fragments (WMMA) are those of every layout of A and B, of which
//! one is compared here: `wmma/products.rs` has them all.

use std::collections::BTreeMap;

use warploom::device_std::wmma::{ColMajor, RowMajor};
use warploom::prelude::*;
use warploom_conformance::tensor_cores::{
    self, Case, Distribution, FragmentCase, hash_of_fragments, hash_on,
};
use warploom_conformance::{
    each_fragment_case, each_fragment_case_of_few_bits, each_sparse_case, each_tensor_core_case,
};
use warploom_harness::device_test::devices;

/// The products that the first hash of a line is of.
const SAMPLE: u64 = 64;

/// The hash of 64 products, by instruction and distribution.
fn recorded() -> BTreeMap<(&'static str, &'static str), u64> {
    let lines = include_str!("products.tsv").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let cells: Vec<_> = line.split('\t').collect();
        (
            (cells[0], cells[1]),
            u64::from_str_radix(cells[3], 16).unwrap(),
        )
    };
    lines.map(read).collect()
}

/// The lines of one instruction in which this device differs from those of the file; `hash` computes the sample's.
fn differing(
    name: &str,
    recorded: &BTreeMap<(&str, &str), u64>,
    hash: impl Fn(Distribution) -> warploom::Result<u64>,
) -> Vec<String> {
    let differs = |distribution: &Distribution| {
        let found = hash(*distribution).unwrap();
        recorded.get(&(name, &*format!("{distribution:?}"))) != Some(&found)
    };
    let lines = Distribution::ALL.into_iter().filter(differs);
    lines
        .map(|distribution| format!("{name} {distribution:?}"))
        .collect()
}

//@ rows: WX-6, WX-7
#[test]
fn results_have_the_bits_of_compute_capability_9_0() {
    let recorded = recorded();
    for device in devices().iter().filter(|device| has_the_arithmetic(device)) {
        let stream = device.stream().unwrap();
        let mut differ = Vec::new();
        macro_rules! compare {
            ($name:ident) => {{
                type C = tensor_cores::$name;
                let hash = |distribution| hash_on::<C>(&stream, 0..SAMPLE, distribution, 64);
                differ.extend(differing(C::NAME, &recorded, hash));
            }};
            ($name:ident $layouts:tt) => {{
                type F = tensor_cores::$name<RowMajor, ColMajor>;
                let hash =
                    |distribution| hash_of_fragments::<F>(&stream, 0..SAMPLE, distribution, 64);
                differ.extend(differing(F::NAME, &recorded, hash));
            }};
        }
        each_tensor_core_case!(compare);
        each_sparse_case!(compare);
        each_fragment_case!(compare);
        each_fragment_case_of_few_bits!(compare);
        assert!(differ.is_empty(), "on {}: {differ:#?}", device.name());
    }
}

#[test]
fn every_combination_is_recorded() {
    let mut names = Vec::new();
    macro_rules! name {
        ($name:ident $($layouts:tt)?) => {
            names.push(stringify!($name))
        };
    }
    each_tensor_core_case!(name);
    each_sparse_case!(name);
    each_fragment_case!(name);
    each_fragment_case_of_few_bits!(name);
    assert_eq!(names.len(), 52 + 44 + 35);
    assert_eq!(recorded().len(), names.len() * Distribution::ALL.len());
}

/// Whether floating-point sums are cut off as on compute capability 9.0; other GPUs do so at other places.
fn has_the_arithmetic(device: &Device) -> bool {
    device.schedule().is_some() || device.compute_capability() == (9, 0)
}
