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
    let own = images
        .iter()
        .find(|i| i.kernels.iter().any(|(name, _)| name.starts_with("ptx::")));
    let entries: Vec<(&str, &str)> = own
        .iter()
        .flat_map(|i| &i.kernels)
        .map(|(n, e)| (n.as_str(), e.as_str()))
        .collect();
    let unchecked = if cfg!(debug_assertions) {
        &[]
    } else {
        SIMPLE_UNCHECKED
    };
    let simple: Vec<&str> = SIMPLE
        .iter()
        .chain(unchecked)
        .map(|s| {
            let name = format!("ptx::{s}");
            entries
                .iter()
                .find(|(n, _)| *n == name)
                .unwrap_or_else(|| panic!("no kernel {name}"))
                .1
        })
        .collect();
    let jobs: Vec<_> = images
        .iter()
        .filter(|i| !i.arch.ends_with('a'))
        .flat_map(|i| ARCHS.map(|arch| (i, arch)))
        .collect();
    let problems = Mutex::new(Vec::new());
    let queue = Mutex::new(jobs.into_iter());
    let next = || queue.lock().unwrap().next();
    let work = || {
        while let Some((image, arch)) = next() {
            match ptxas::assemble(&program, image, arch) {
                Err(text) => problems.lock().unwrap().push(text),
                Ok(costs) if own.is_some_and(|own| std::ptr::eq(own, image)) => {
                    assert_eq!(
                        costs.len(),
                        image.kernels.len(),
                        "ptxas gave no figures for some kernels"
                    );
                    for cost in costs.iter().filter(|c| simple.contains(&c.entry.as_str())) {
                        if (cost.stack, cost.spilled) != (0, 0) {
                            problems.lock().unwrap().push(format!("{arch}: {cost:?}"));
                        }
                    }
                }
                Ok(_) => {}
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
