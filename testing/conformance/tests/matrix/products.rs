//! The bits of products. `products.tsv` was written by `examples/tensor_cores.rs` on a GPU of compute capability 9.0: the hashes of 64 products of each
//! instruction and distribution, and those of as many as give 12.6 million elements.

use std::collections::BTreeMap;

use warploom::prelude::*;
use warploom_conformance::tensor_cores::{self, Case, Distribution, hash_on};
use warploom_conformance::{each_sparse_case, each_tensor_core_case};
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

/// The lines in which this device differs from those of the file.
fn differing<C: Case>(stream: &Stream, recorded: &BTreeMap<(&str, &str), u64>) -> Vec<String> {
    let differs = |distribution: &Distribution| {
        let found = hash_on::<C>(stream, 0..SAMPLE, *distribution, 8).unwrap();
        recorded.get(&(C::NAME, &*format!("{distribution:?}"))) != Some(&found)
    };
    let lines = Distribution::ALL.into_iter().filter(differs);
    lines
        .map(|distribution| format!("{} {distribution:?}", C::NAME))
        .collect()
}

#[test]
fn results_have_the_bits_of_compute_capability_9_0() {
    let recorded = recorded();
    for device in devices().iter().filter(|device| has_the_arithmetic(device)) {
        let stream = device.stream().unwrap();
        let mut differ = Vec::new();
        macro_rules! compare {
            ($name:ident) => {
                differ.extend(differing::<tensor_cores::$name>(&stream, &recorded))
            };
        }
        each_tensor_core_case!(compare);
        each_sparse_case!(compare);
        assert!(differ.is_empty(), "on {}: {differ:#?}", device.name());
    }
}

#[test]
fn every_combination_is_recorded() {
    let mut names = Vec::new();
    macro_rules! name {
        ($name:ident) => {
            names.push(tensor_cores::$name::NAME)
        };
    }
    each_tensor_core_case!(name);
    each_sparse_case!(name);
    assert_eq!(names.len(), 52 + 44);
    assert_eq!(recorded().len(), names.len() * Distribution::ALL.len());
}

/// Whether floating-point sums are cut off as on compute capability 9.0; other GPUs do so at other places.
fn has_the_arithmetic(device: &Device) -> bool {
    device.schedule().is_some() || device.compute_capability() == (9, 0)
}
