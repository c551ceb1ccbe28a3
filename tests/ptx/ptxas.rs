//! NVIDIA's assembler takes the PTX of all test targets, for every architecture that is supported; simple kernels stay in registers.

use std::sync::Mutex;
use warploom_harness::{ptx, ptxas};

const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

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
    let (Some(images), Some(program)) = (ptx::images(), ptxas::find()) else {
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
    let jobs: Vec<_> = images
        .iter()
        .filter(|i| !i.arch.ends_with('a'))
        .flat_map(|i| ARCHS.map(|arch| (i, arch)))
        .filter(|(image, arch)| number(arch) >= number(&image.arch)) // newer GPUs run older images
        .collect();
    let problems = Mutex::new(Vec::new());
    let queue = Mutex::new(jobs.into_iter());
    let next = || queue.lock().unwrap().next();
    let work = || {
        while let Some((image, arch)) = next() {
            match ptxas::assemble(&program, image, arch) {
                Err(text) => problems.lock().unwrap().push(text),
                Ok(costs) => {
                    let is_simple = |entry: &str| {
                        let kernel = image.kernels.iter().find(|(_, e)| e == entry);
                        kernel.is_some_and(|(name, _)| simple.contains(name))
                    };
                    assert!(!costs.is_empty(), "ptxas gave no figures");
                    for cost in costs.iter().filter(|c| is_simple(&c.entry)) {
                        if (cost.stack, cost.spilled) != (0, 0) {
                            problems.lock().unwrap().push(format!("{arch}: {cost:?}"));
                        }
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// 75 of `sm_75`.
fn number(arch: &str) -> u32 {
    arch.trim_start_matches("sm_").parse().unwrap_or(0)
}
