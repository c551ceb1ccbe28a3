//! The command that runs the same launch again in the same order.

use std::path::Path;

/// `variables` before the command that started this process, as far as that can be told: the test that this thread runs, a test program, a
/// program of a package, or the program's file.
pub(super) fn replay(variables: &str) -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let thread = std::thread::current();
    let in_package = std::env::var_os("CARGO_MANIFEST_DIR").is_some();
    let command = command(&program, thread.name(), in_package);
    format!("{variables} {command}")
}

fn command(program: &Path, thread: Option<&str>, in_package: bool) -> String {
    // Cargo puts test programs there, and the test harness names its threads after their tests.
    let is_test = program
        .parent()
        .is_some_and(|folder| folder.ends_with("deps"));
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    match thread {
        Some(test) if is_test && test != "main" && test.chars().all(plain) => {
            format!("cargo test {test} -- --exact")
        }
        _ if is_test => "cargo test".to_owned(),
        _ if in_package => "cargo run".to_owned(),
        _ => program.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(program: &str, thread: Option<&str>, in_package: bool) -> String {
        command(Path::new(program), thread, in_package)
    }

    #[test]
    fn a_test_is_run_by_its_name() {
        let program = "target/debug/deps/kernels-0123";
        let test = of(program, Some("reduce::all_sizes"), true);
        assert_eq!(test, "cargo test reduce::all_sizes -- --exact");
    }

    #[test]
    fn a_thread_that_is_no_test_of_the_harness_names_none() {
        let program = "target/debug/deps/kernels-0123";
        for thread in [None, Some("main"), Some("my worker")] {
            assert_eq!(of(program, thread, true), "cargo test");
        }
    }

    #[test]
    fn a_program_is_run() {
        assert_eq!(of("target/debug/shop", Some("main"), true), "cargo run");
        assert_eq!(of("bin/shop", Some("main"), false), "bin/shop");
    }

    #[test]
    fn this_test_finds_itself() {
        let text = replay("WARPLOOM_SCHEDULE=reverse");
        let own = "checked::report::replay::tests::this_test_finds_itself";
        // With one thread, the harness runs tests in its main thread.
        let main = std::thread::current().name() == Some("main");
        let expected = if main {
            "cargo test".into()
        } else {
            format!("cargo test {own} -- --exact")
        };
        assert_eq!(text, format!("WARPLOOM_SCHEDULE=reverse {expected}"));
    }
}
