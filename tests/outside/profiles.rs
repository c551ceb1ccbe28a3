//! Host and device code are compiled with one profile.

use crate::support::Outside;

/// What the profile decides, as the host and as a kernel see it.
const LIBRARY: &str = r#"//! Facts of the profile.
use std::hint::black_box;
use warploom::prelude::*;

/// Whether debug assertions are compiled.
#[kernel]
fn assertions(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(cfg!(debug_assertions));
    }
}

/// Panics if sums are checked.
#[kernel]
fn sum(i: Index1D, x: &[u8], mut y: DisjointSlice<u8>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + 1;
    }
}

/// Of the host and of the device, in this order.
pub fn facts() -> String {
    let device = Device::open().unwrap();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(1).unwrap();
    assertions::launch(&stream, (1, 1), &mut y).unwrap();
    let (x, mut z) = (device.upload(&[255_u8]).unwrap(), device.zeroed::<u8>(1).unwrap());
    let launched = sum::launch(&stream, (1, 1), &x, &mut z);
    let panicked = launched.is_err() || z.to_vec(&stream).is_err();
    std::panic::set_hook(Box::new(|_| ()));
    let host = std::panic::catch_unwind(|| black_box(255_u8) + 1).is_err();
    let asserted = y.to_vec(&stream).unwrap()[0] == 1;
    format!("assertions {} {asserted}, overflow {host} {panicked}", cfg!(debug_assertions))
}
"#;

const PRINTS: &str = "fn main() {\n    println!(\"{}\", profiles::facts());\n}\n";

fn package() -> Outside {
    Outside::package("profiles")
        .append(
            "Cargo.toml",
            "\n[[bench]]\nname = \"facts\"\nharness = false\n\n[profile.tuned]\ninherits = \"dev\"\ndebug-assertions = false\noverflow-checks = true\n",
        )
        .file("src/lib.rs", LIBRARY)
        .file("src/main.rs", PRINTS)
        .file("benches/facts.rs", PRINTS)
        .file(
            "tests/facts.rs",
            "#[test]\nfn host_and_device_agree() {\n    println!(\"{}\", profiles::facts());\n}\n",
        )
        // Device code, and not the host's code of the kernel.
        .env("WARPLOOM_EMULATOR", "checked")
}

#[test]
fn kernels_have_the_assertions_and_checks_of_each_profile() {
    let outer = package();
    for (args, assertions, overflow) in [
        (&["run"][..], true, true),
        (&["run", "--release"], false, false),
        (&["run", "--profile", "tuned"], false, true),
        (
            &["test", "--test", "facts", "--", "--nocapture"],
            true,
            true,
        ),
        (&["bench", "--bench", "facts"], false, false),
    ] {
        let said = outer.works(args).text;
        let expected =
            format!("assertions {assertions} {assertions}, overflow {overflow} {overflow}");
        assert!(
            said.contains(&expected),
            "{args:?}: no {expected:?} in\n{said}"
        );
    }
}
