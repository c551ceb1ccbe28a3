//! NVIDIA's assembler takes all device code of this package, for the architecture that each image is made for and for newer ones.

use warploom_harness::ptx;
use warploom_harness::ptxas::Ptxas;

/// Device code of all test targets is linked into every test program of a package.
#[test]
fn every_image_assembles() {
    let (Some(images), Some(ptxas)) = (ptx::images(), Ptxas::find()) else {
        return;
    };
    let assembled = ptxas.assemble_all(&images).into_iter();
    let problems: Vec<String> = assembled.filter_map(|a| a.costs.err()).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
