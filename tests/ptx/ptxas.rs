//! NVIDIA's assembler takes the PTX of all test targets, for every architecture that is supported; simple kernels stay in registers.

use warploom_harness::ptx::{self, Image};
use warploom_harness::ptxas::{Assembled, Ptxas};

/// Kernels of this test target that need neither local memory nor a stack.
const SIMPLE: &[&str] = &[
    "aggregates::project",
    "atomic_add::global",
    "atomic_add::shared",
    "barriers::asked_twice",
    "bounds_checks::by_test",
    "fma::fused",
    "inline_ptx::dotted",
    "math::instructions",
    "outputs::own_element",
    "outputs::two_outputs",
    "read_only::read",
    "read_only::read_wide",
    "shared_arrays::two",
];

/// More of them, in builds without debug assertions.
const SIMPLE_UNCHECKED: &[&str] = &[
    "contracts::by_contract",
    "contracts::by_mask",
    "tiles::turned",
];

/// All test targets' device code is linked into every test program of a package.
#[test]
fn every_image_assembles_for_every_architecture() {
    let (Some(images), Some(ptxas)) = (ptx::images(), Ptxas::find()) else {
        return;
    };
    let unchecked = if cfg!(debug_assertions) {
        &[]
    } else {
        SIMPLE_UNCHECKED
    };
    let simple: Vec<String> = SIMPLE
        .iter()
        .chain(unchecked)
        .map(|s| format!("ptx::{s}"))
        .collect();
    for name in &simple {
        let known = images
            .iter()
            .any(|i| i.kernels.iter().any(|(n, _)| n == name));
        assert!(known, "no kernel {name}");
    }
    let is_simple = |image: &Image, entry: &str| {
        let kernel = image.kernels.iter().find(|(_, e)| e == entry);
        kernel.is_some_and(|(name, _)| simple.contains(name))
    };
    let mut problems = Vec::new();
    for Assembled { image, arch, costs } in ptxas.assemble_all(&images) {
        match costs {
            Err(text) => problems.push(text),
            Ok(costs) => {
                assert!(!costs.is_empty(), "ptxas gave no figures");
                let simple = costs.iter().filter(|c| is_simple(image, &c.entry));
                let in_memory = simple.filter(|c| (c.stack, c.spilled) != (0, 0));
                problems.extend(in_memory.map(|c| format!("{arch}: {c:?}")));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
