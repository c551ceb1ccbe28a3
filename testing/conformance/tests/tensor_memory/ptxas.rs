//! NVIDIA's assembler takes each instruction for tensor memory, and what is moved stays in registers.

use warploom_harness::ptx;
use warploom_harness::ptxas::Ptxas;

#[test]
fn every_instruction_assembles_without_local_memory() {
    let (Some(mut images), Some(ptxas)) = (ptx::images(), Ptxas::find()) else {
        return;
    };
    images.retain(|image| image.arch == "sm_100a");
    let of_moves_and_products = |entry: &str| {
        let mut kernels = images.iter().flat_map(|image| &image.kernels);
        kernels.any(|(name, own)| {
            own == entry && (name.contains("ptx_moves::") || name.contains("ptx_products::"))
        })
    };
    let (mut problems, mut seen) = (Vec::new(), 0);
    for assembled in ptxas.assemble_all(&images) {
        let costs = match assembled.costs {
            Ok(costs) => costs,
            Err(said) => {
                problems.push(said);
                continue;
            }
        };
        for cost in costs.iter().filter(|c| of_moves_and_products(&c.entry)) {
            seen += 1;
            if (cost.stack, cost.spilled) != (0, 0) {
                problems.push(format!("{cost:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(seen >= 26, "{seen} kernels");
}
