//! Tensors to NumPy and back, through `examples/dlpack_numpy.rs` and `numpy_tensors.py`.
//!
//! Skips, and says so, where there is no NumPy or `cargo test` has not built the example (it does unless it is told which tests to
//! build), unless `WARPLOOM_REQUIRE_NUMPY` is 1. `WARPLOOM_NUMPY` is a folder of Python packages.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Beside the folder of this very program.
fn library() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let name = format!(
        "{}dlpack_numpy{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let library = program.parent()?.parent()?.join("examples").join(name);
    library.exists().then_some(library)
}

fn python() -> Command {
    let mut python = Command::new("python3");
    if let Some(packages) = std::env::var_os("WARPLOOM_NUMPY") {
        python.env("PYTHONPATH", packages);
    }
    python
}

//@ rows: GMX-5
#[test]
fn tensors_go_to_numpy_and_come_back() {
    let has_numpy = python().args(["-c", "import numpy"]).output();
    let has_numpy = has_numpy.is_ok_and(|done| done.status.success());
    let (Some(library), true) = (library(), has_numpy) else {
        let required = std::env::var("WARPLOOM_REQUIRE_NUMPY").is_ok_and(|v| v == "1");
        assert!(
            !required,
            "WARPLOOM_REQUIRE_NUMPY is 1, but NumPy or the example dlpack_numpy is missing"
        );
        eprintln!("skipped: no NumPy for python3, or the example dlpack_numpy is not built");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy_tensors.py");
    let done = python().arg(script).arg(library).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{text}");
    assert!(text.contains("all tensors went through"), "{text}");
    assert_eq!(text.matches("refused: ").count(), 7, "{text}");
}
