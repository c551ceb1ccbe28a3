//! What decides whether a link takes the last result.

use super::tests::{HOST, options, storing};
use super::{Compiled, Input, LastResult, compile};
use crate::llvm::Module;
use crate::llvm::tests::context;
use crate::options::{Arch, Options};
use crate::watch::Unwatched;
use std::cell::Cell;
use std::path::PathBuf;

/// A file of one test, which goes with it.
struct File(PathBuf);

impl File {
    fn new(test: &str) -> File {
        let name = format!("warploom-{}-{test}.last", std::process::id());
        File(std::env::temp_dir().join(name))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

/// The result, and whether it was compiled.
fn compiled(file: &File, ir: &str, options: &Options, compiler: &str) -> (Compiled, bool) {
    let context = context();
    let module = Module::from_text(&context, &format!("{HOST}{ir}")).unwrap();
    let lowered = Cell::new(false);
    let last = LastResult {
        path: file.0.clone(),
        compiler: compiler.into(),
    };
    let input = Input {
        options,
        archives: &[],
        target: "tests",
        dump: &|extension, _| lowered.set(lowered.get() || extension == "device.ll"),
        last_result: Some(&last),
        watch: &Unwatched,
    };
    (compile(module, &input).unwrap(), lowered.get())
}

fn ptx(compiled: &Compiled) -> &str {
    &compiled.parts[0].texts[0].2
}

const HELPER: &str = "define i32 @unrelated(i32 %a) {\n  ret i32 %a\n}\n";

#[test]
fn host_code_does_not_decide() {
    let file = File::new("host");
    let kernel = storing("k", "  %v = add i32 1, 2");
    let (first, was_compiled) = compiled(&file, &kernel, &options(), "1");
    assert!(was_compiled);
    let (second, was_compiled) = compiled(&file, &(HELPER.to_owned() + &kernel), &options(), "1");
    assert!(!was_compiled);
    assert_eq!(ptx(&first), ptx(&second));
    assert_eq!(first.parts[0].kernels, second.parts[0].kernels);
    assert_eq!(first.instrumented, second.instrumented);
}

#[test]
fn code_options_and_compiler_decide() {
    let file = File::new("decide");
    let kernel = |v: &str| storing("k", &format!("  %v = add i32 1, {v}"));
    let (first, _) = compiled(&file, &kernel("2"), &options(), "1");
    let (second, was_compiled) = compiled(&file, &kernel("3"), &options(), "1");
    assert!(was_compiled && ptx(&first) != ptx(&second));
    let newer = Options {
        archs: vec![Arch::sm(90)],
        ..options()
    };
    let (third, was_compiled) = compiled(&file, &kernel("3"), &newer, "1");
    assert!(was_compiled && ptx(&third).contains(".target sm_90"));
    assert!(compiled(&file, &kernel("3"), &newer, "2").1);
    assert!(!compiled(&file, &kernel("3"), &newer, "2").1);
}

/// The description of a kernel is no code.
#[test]
fn what_is_said_of_a_kernel_decides() {
    let file = File::new("description");
    let kernel = storing("k", "  %v = add i32 1, 2");
    compiled(&file, &kernel, &options(), "1");
    // The eighth number behind the file: a cap on registers.
    let own = "[64 x i8] c\"".to_owned() + &"\\00".repeat(28) + "\\20" + &"\\00".repeat(35) + "\"";
    let capped = kernel.replace("[64 x i8] zeroinitializer", &own);
    let (second, was_compiled) = compiled(&file, &capped, &options(), "1");
    assert!(was_compiled && ptx(&second).contains(".maxnreg 32"));
}

#[test]
fn a_damaged_file_is_no_result() {
    let file = File::new("damaged");
    let kernel = storing("k", "  %v = add i32 1, 2");
    compiled(&file, &kernel, &options(), "1");
    let whole = std::fs::read(&file.0).unwrap();
    for content in [&whole[..whole.len() / 2], &b""[..], &[0xFF; 40]] {
        std::fs::write(&file.0, content).unwrap();
        assert!(compiled(&file, &kernel, &options(), "1").1);
    }
}
