//! Packages of which one target does not compile in the device pass: the others keep their device code, and the build says which it is.

use crate::support::{CommandOutput, DeviceCode, Outside, device_code};

/// A test target that stores this number, and fails if its kernel has no device code.
fn storing(value: u32) -> String {
    format!(
        "use warploom::prelude::*;\n\n#[kernel]\nfn store(i: Index1D, mut y: DisjointSlice<u32>) {{\n    if let Some(y) = y.get_mut(i) {{\n        *y = {value};\n    }}\n}}\n"
    )
}

/// What compiles for the host alone.
const WRONG: &str = "\n#[cfg(warploom_device)]\nfn only_there() -> u32 {\n    \"no number\"\n}\n";

fn package(name: &str) -> Outside {
    Outside::package(name)
        .file("src/lib.rs", "//! Nothing.\n")
        .file("tests/right_one.rs", &storing(10_000_001))
        .file("tests/right_two.rs", &storing(10_000_002))
        .file("tests/wrong.rs", &(storing(10_000_003) + WRONG))
}

/// What the test executable `name` carries.
fn carried(said: &CommandOutput, name: &str) -> Vec<DeviceCode> {
    let executables = said.text.split("\"executable\":\"").skip(1);
    let mut paths = executables.filter_map(|rest| rest.split('"').next());
    let path = paths.find(|path| path.contains(&format!("/{name}-")));
    device_code(path.expect("cargo built it").as_ref())
}

#[test]
fn one_test_that_fails_in_the_device_pass_leaves_the_others_their_device_code() {
    let outer = package("partly-others");
    let said = outer.works(&["test", "--no-run", "--message-format=json"]);
    let code = carried(&said, "right_one");
    for (kernel, value) in [
        ("right_one::store", "10000001"),
        ("right_two::store", "10000002"),
    ] {
        let found = code.iter().find(|c| c.kernels() == [kernel]);
        let found = found.unwrap_or_else(|| panic!("no {kernel} in {code:#?}"));
        assert!(found.ptx[0].contains(value), "{}", found.ptx[0]);
    }
    let failed: Vec<&str> = code
        .iter()
        .filter_map(|c| c.manifest.failure.as_deref())
        .collect();
    let [why] = failed[..] else {
        panic!("{failed:?}")
    };
    assert!(
        why.contains("the device pass of test `wrong` failed") && why.contains("mismatched types"),
        "{why}"
    );
}

#[test]
fn a_test_that_fails_in_the_device_pass_is_a_warning_that_names_it_and_its_error() {
    let said = package("partly-warned").works(&["test", "--no-run"]);
    println!("{}", said.text);
    let warnings: Vec<&str> = said
        .text
        .lines()
        .filter(|l| l.contains("device pass"))
        .collect();
    let [warning] = warnings[..] else {
        panic!("{}", said.text)
    };
    for expected in [
        "warning: partly-warned@0.1.0: the device pass cannot compile test `wrong`",
        "its kernels run on the emulator only",
        "error[E0308]: mismatched types",
        "tests/wrong.rs:12:5",
    ] {
        assert!(warning.contains(expected), "no {expected:?} in {warning}");
    }
}

#[test]
fn unit_tests_that_fail_in_the_device_pass_are_a_warning_and_the_library_keeps_its_code() {
    let tests = format!(
        "\n#[cfg(test)]\nmod tests {{\n{}{WRONG}}}\n",
        storing(10_000_002)
    );
    let library = storing(10_000_001).replace("fn store", "/// Stores.\npub fn store");
    let outer = Outside::package("partly-unit")
        .file("src/lib.rs", &format!("//! A library.\n{library}{tests}"));
    let said = outer.works(&["test", "--no-run", "--message-format=json"]);
    let code = carried(&said, "partly_unit");
    assert!(
        code.iter().any(|c| c.kernels() == ["partly_unit::store"]),
        "{code:#?}"
    );
    let failed = code.iter().find_map(|c| c.manifest.failure.as_deref());
    assert!(
        failed.is_some_and(|why| why.contains("the unit tests of lib `partly_unit` failed")),
        "{code:#?}"
    );
    let warning = "the device pass cannot compile the unit tests of lib `partly_unit`: error[E0308]: mismatched types --> src/lib.rs:";
    assert!(
        said.text.contains(warning),
        "no {warning:?} in {}",
        lines_about_warnings(&said)
    );
}

/// The rest would be a wall of text.
fn lines_about_warnings(said: &CommandOutput) -> String {
    said.text
        .lines()
        .filter(|l| l.contains("warning"))
        .collect()
}

#[test]
fn where_device_code_is_required_such_a_test_is_an_error() {
    let outer = package("partly-required").env("WARPLOOM_REQUIRE_DEVICE_CODE", "1");
    let said = outer.cargo(&["test", "--no-run"]);
    println!("{}", said.text);
    assert!(!said.ok, "{}", said.text);
    for expected in [
        "error: partly-required@0.1.0: the device pass cannot compile test `wrong`",
        "tests/wrong.rs:12:5",
    ] {
        assert!(
            said.text.contains(expected),
            "no {expected:?} in {}",
            said.text
        );
    }
    // Without the variable it builds again.
    outer
        .env("WARPLOOM_REQUIRE_DEVICE_CODE", "0")
        .works(&["test", "--no-run"]);
}
