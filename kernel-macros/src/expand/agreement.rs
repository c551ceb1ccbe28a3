//! Whether the device code that this compilation takes was compiled from the same packages and features.
//!
//! The build script knows, but runs only when its own inputs change. Its executable is therefore started again here, once per compilation, and
//! compares; in the build that ran the script that takes no time.

use std::process::Command;
use std::sync::OnceLock;

/// Where `warploom-build` says that it is.
const PROGRAM: &str = "WARPLOOM_DEVICE_PASS_PROGRAM";

/// Tells that executable what to do.
const ROLE: &str = "WARPLOOM_ROLE";

/// Why the device code must not be used.
pub(crate) fn problem() -> Option<&'static str> {
    static PROBLEM: OnceLock<Option<String>> = OnceLock::new();
    PROBLEM.get_or_init(compare).as_deref()
}

fn compare() -> Option<String> {
    let program = std::env::var_os(PROGRAM)?;
    if !compiles() {
        return None;
    }
    let output = Command::new(&program).env(ROLE, "compare").output();
    match output {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(format!(
            "cannot run {}, which compares GPU code and program: {error}",
            program.display()
        )),
    }
}

/// Editors expand macros without compiling, and so does rustdoc.
fn compiles() -> bool {
    let this = std::env::current_exe().ok();
    let name = this.as_ref().and_then(|path| path.file_stem());
    let name = name.map(|name| name.to_string_lossy().into_owned());
    name.is_none_or(|name| !name.starts_with("rust-analyzer") && name != "rustdoc")
}
