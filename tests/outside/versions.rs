//! Two versions of one library in a program, of which one has no device code.

use crate::support::{BUILD, Outside};

/// A library whose kernel stores this number, always in the same line.
fn library(outer: Outside, version: u32, value: u32, more: &str) -> Outside {
    let manifest = format!(
        "[package]\nname = \"versions-lib\"\nversion = \"{version}.0.0\"\nedition = \"2024\"\n\n[dependencies]\nwarploom = \"0.1\"\n{more}"
    );
    let source = format!(
        "use warploom::prelude::*;\n\n#[kernel]\npub fn store(i: Index1D, mut y: DisjointSlice<u32>) {{\n    if let Some(y) = y.get_mut(i) {{\n        *y = {value};\n    }}\n}}\n"
    );
    outer
        .file(&format!("v{version}/Cargo.toml"), &manifest)
        .file(&format!("v{version}/src/lib.rs"), &source)
}

const MAIN: &str = "use warploom::prelude::*;

fn main() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(10)?;
    first::store::launch(&stream, Launch::covering(10), &mut y)?;
    print!(\"{} \", y.to_vec(&stream)?[9]);
    second::store::launch(&stream, Launch::covering(10), &mut y)?;
    println!(\"{}\", y.to_vec(&stream)?[9]);
    Ok(())
}
";

/// The emulator's checks run the code that the device pass compiled, found as a GPU's is.
#[test]
fn a_version_without_device_code_does_not_run_that_of_the_other() {
    let outer = Outside::program("versions", MAIN);
    outer.replace(
        "Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\nfirst = { package = \"versions-lib\", path = \"v1\" }\nsecond = { package = \"versions-lib\", path = \"v2\" }\n",
    );
    let build = "\n[build-dependencies]\nwarploom-build = \"0.1\"\n";
    let outer = library(outer, 1, 10_000_001, build).file("v1/build.rs", BUILD);
    let outer = library(outer, 2, 10_000_002, "");
    outer.builds();
    let carried = outer.device_code();
    let kernels: Vec<_> = carried.iter().flat_map(|c| &c.manifest.kernels).collect();
    let [kernel] = kernels[..] else {
        panic!("{kernels:?}")
    };
    assert_eq!(
        (&*kernel.name, &*kernel.package),
        ("versions_lib::store", "versions-lib 1.0.0")
    );
    assert_eq!(outer.prints("debug/versions").trim(), "10000001 10000002");
}
