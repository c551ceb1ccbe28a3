//! The bits of products of warp groups. `warp_groups.tsv` was written by `examples/warp_groups.rs` on a GPU of compute capability 9.0: the hashes of the first
//! products of each case and distribution, and those of as many as give 12.6 million elements.

use std::collections::BTreeMap;

use warploom::prelude::*;
use warploom_conformance::each_warp_group_case;
use warploom_conformance::tensor_cores::Distribution;
use warploom_conformance::warp_groups::{self, GroupCase, hash_on, sample};
use warploom_harness::device_test::devices;

/// The hash of the first products, by case and distribution.
fn recorded() -> BTreeMap<(&'static str, &'static str), u64> {
    let lines = include_str!("warp_groups.tsv").lines();
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
fn differing<C: GroupCase>(stream: &Stream, recorded: &BTreeMap<(&str, &str), u64>) -> Vec<String> {
    let differs = |distribution: &Distribution| {
        let found = hash_on::<C>(stream, 0..sample::<C>(), *distribution).unwrap();
        recorded.get(&(C::NAME, &*format!("{distribution:?}"))) != Some(&found)
    };
    let lines = Distribution::ALL.into_iter().filter(differs);
    lines
        .map(|distribution| format!("{} {distribution:?}", C::NAME))
        .collect()
}

//@ rows: WG-product
#[test]
fn results_of_groups_have_the_bits_of_compute_capability_9_0() {
    let recorded = recorded();
    let has_groups =
        |device: &&Device| device.schedule().is_some() || device.compute_capability() == (9, 0);
    for device in devices().iter().filter(has_groups) {
        let stream = device.stream().unwrap();
        let mut differ = Vec::new();
        macro_rules! compare {
            ($name:ident) => {
                differ.extend(differing::<warp_groups::$name>(&stream, &recorded))
            };
        }
        each_warp_group_case!(compare);
        assert!(differ.is_empty(), "on {}: {differ:#?}", device.name());
    }
}

#[test]
fn every_case_of_groups_is_recorded() {
    let mut names = Vec::new();
    macro_rules! name {
        ($name:ident) => {
            names.push(warp_groups::$name::NAME)
        };
    }
    each_warp_group_case!(name);
    assert_eq!(names.len(), 39);
    assert_eq!(recorded().len(), names.len() * Distribution::ALL.len());
}
