//! IR runs on this machine: what a lowering does to results and failures is seen there, before it and after it.
//!
//! A program in C is linked with the functions of a module; what it prints is the result. `@fail(i64) noreturn` ends a function as a panic does.

use crate::llvm::{Context, Machine, Module};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the text of a module that is to run begins with.
const HEAD: &str = "
target triple = \"x86_64-unknown-linux-gnu\"
declare void @fail(i64) noreturn
";

/// A module of these functions, for this machine. `@fail` is declared.
#[track_caller]
pub(crate) fn for_host<'ctx>(context: &'ctx Context, functions: &str) -> Module<'ctx> {
    let text = format!("{HEAD}{functions}");
    let read = Module::from_text(context, &text);
    read.unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

/// What programs begin with. `FAILS` is zero at first, and one again where a function has come to `@fail`, with `failed` as argument.
const PRELUDE: &str = r"
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
typedef unsigned long long u; /* of 64 bits; printed by %llu */
static sigjmp_buf back;
static u failed;
void fail(u index) { failed = index; siglongjmp(back, 1); }
#define FAILS sigsetjmp(back, 0)
";

/// What the program prints that consists of these functions, compiled for this machine, and of `program`, in C behind [`PRELUDE`].
#[track_caller]
pub(crate) fn printed(module: &mut Module<'_>, program: &str) -> String {
    String::from_utf8(written(module, program, &[])).unwrap()
}

/// As [`printed`], where the program reads `input` from where it usually reads; what it writes need be no text.
#[track_caller]
pub(crate) fn written(module: &mut Module<'_>, program: &str, input: &[u8]) -> Vec<u8> {
    let machine = Machine::of_host(module.context(), "x86_64-unknown-linux-gnu").unwrap();
    let object = module.emit_object(&machine).unwrap();
    let folder = Folder::new();
    let file = |name: &str| folder.0.join(name);
    std::fs::write(file("functions.o"), object).unwrap();
    std::fs::write(file("program.c"), format!("{PRELUDE}{program}")).unwrap();
    std::fs::write(file("input"), input).unwrap();
    let mut cc = Command::new("cc");
    cc.args([file("program.c"), file("functions.o")]);
    let built = cc.arg("-o").arg(file("program")).output().unwrap();
    assert!(built.status.success(), "{built:?}");
    let input = std::fs::File::open(file("input")).unwrap();
    let output = Command::new(file("program")).stdin(input).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// Both texts are the same, line by line, and enough of them both fails and ends.
#[track_caller]
pub(crate) fn assert_same(before: &str, after: &str, least: usize) {
    let fails = before.lines().filter(|l| l.contains("fails")).count();
    let ends = before.lines().count() - fails;
    assert!(fails >= least && ends >= least, "{fails} fail, {ends} end");
    for (a, b) in before.lines().zip(after.lines()) {
        assert_eq!(a, b);
    }
    assert_eq!(before.len(), after.len());
}

/// A folder of one test, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("warploom-on-host-{process}-{number}"));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover file does no harm.
        drop(std::fs::remove_dir_all(&self.0));
    }
}
