//! A crash of LLVM is an error of the build that names the kernel and the step, and leaves the IR for a report; a link that was killed runs again.

use crate::support::Outside;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAIN: &str = "use warploom::prelude::*;

#[kernel]
fn sound(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y += 41;
    }
}

#[kernel]
fn crashing(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y += 42;
    }
}

#[kernel]
fn also_sound(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y += 43;
    }
}

fn main() {}
";

/// A library that is LLVM, but for one function: that calls `end` on PTX of the kernel `crashing`.
const SHIM: &str = r#"
use std::ffi::{CStr, c_char, c_int, c_void};

type Emit = unsafe extern "C" fn(*mut c_void, *mut c_void, c_int, *mut *mut c_char, *mut *mut c_void) -> c_int;

unsafe extern "C" {
    fn dlopen(path: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn LLVMGetTarget(module: *mut c_void) -> *const c_char;
    fn LLVMPrintModuleToString(module: *mut c_void) -> *mut c_char;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn LLVMTargetMachineEmitToMemoryBuffer(machine: *mut c_void, module: *mut c_void, kind: c_int, message: *mut *mut c_char, buffer: *mut *mut c_void) -> c_int {
    unsafe {
        let is_ptx = CStr::from_ptr(LLVMGetTarget(module)).to_string_lossy().contains("nvptx");
        let text = CStr::from_ptr(LLVMPrintModuleToString(module)).to_string_lossy();
        if is_ptx && text.contains("define ptx_kernel void @crashing(") {
            end();
        }
        let real = dlopen(REAL.as_ptr(), 2);
        let emit: Emit = std::mem::transmute(dlsym(real, c"LLVMTargetMachineEmitToMemoryBuffer".as_ptr()));
        emit(machine, module, kind, message, buffer)
    }
}
"#;

/// A folder with that library where a toolchain has LLVM, and a compiler that says so. `end` is the body of the function of this name.
fn toolchain(folder: &Path, end: &str) -> PathBuf {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = PathBuf::from(String::from_utf8(output.unwrap().stdout).unwrap().trim());
    let mut entries = std::fs::read_dir(sysroot.join("lib"))
        .unwrap()
        .map(|e| e.unwrap().path());
    let is_llvm = |p: &PathBuf| p.to_string_lossy().contains("/libLLVM.so.");
    let real = entries.find(is_llvm).unwrap();
    let source = folder.join("shim.rs");
    let real_text = format!("static REAL: &CStr = c{:?};\n", real.display().to_string());
    let end = format!("unsafe fn end() {{\n    {end}\n}}\n");
    std::fs::write(&source, SHIM.to_owned() + &real_text + &end).unwrap();
    let lib = folder.join("toolchain/lib");
    std::fs::create_dir_all(&lib).unwrap();
    let status = Command::new("rustc")
        .args([
            "--edition=2024",
            "--crate-type=cdylib",
            "-Cpanic=abort",
            "-o",
        ])
        .arg(lib.join(real.file_name().unwrap()))
        .arg(format!("-Clink-arg={}", real.display()))
        .arg(format!(
            "-Clink-arg=-Wl,-rpath,{}",
            sysroot.join("lib").display()
        ))
        .arg(&source)
        .status();
    assert!(status.unwrap().success());
    let rustc = folder.join("toolchain/rustc");
    let script = "#!/bin/sh\nif [ \"$*\" = \"--print sysroot\" ]; then cd \"$(dirname \"$0\")\" && pwd; else exec rustc \"$@\"; fi\n";
    std::fs::write(&rustc, script).unwrap();
    std::fs::set_permissions(&rustc, std::fs::Permissions::from_mode(0o755)).unwrap();
    rustc
}

/// A program that is compiled with that library.
fn program(name: &str, end: &str) -> Outside {
    let program = Outside::program(name, MAIN);
    let rustc = toolchain(&program.folder, end);
    let script = format!(
        "fn main() {{\n    // SAFETY: no other thread runs.\n    unsafe {{ std::env::set_var(\"RUSTC\", {rustc:?}) }};\n    warploom_build::compile();\n}}\n"
    );
    program.file("build.rs", &script)
}

#[test]
fn a_crash_of_llvm_names_kernel_and_step_and_keeps_the_ir() {
    let end = "unsafe { std::ptr::null_mut::<u32>().write_volatile(1) }";
    let said = program("crashes", end).fails();
    for expected in [
        "the device linker failed for `crashes (bin)`: LLVM crashed (signal: 11 (SIGSEGV)",
        "in code generation for sm_75",
        "kernel `crashes::crashing` at src/main.rs:10",
    ] {
        assert!(said.contains(expected), "no {expected:?} in:\n{said}");
    }
    assert!(!said.contains("sound"), "{said}");
    let (_, rest) = said.split_once("is kept in ").unwrap();
    let (path, _) = rest.split_once(": report it").unwrap();
    let ir = std::fs::read_to_string(path).unwrap();
    assert!(ir.contains("define ptx_kernel void @crashing("), "{ir}");
    assert!(!ir.contains("sound"), "{ir}");
}

/// As by the system when memory is short, or with the whole build.
#[test]
fn a_link_that_was_killed_runs_in_the_next_build() {
    let killing = std::env::temp_dir().join(format!("warploom-killing-{}", std::process::id()));
    let end = format!(
        "if std::path::Path::new({killing:?}).exists() {{
            let this = std::process::id().to_string();
            let _ = std::process::Command::new(\"kill\").args([\"-9\", &this]).status();
        }}"
    );
    let program = program("killed", &end);
    std::fs::write(&killing, "").unwrap();
    let said = program.fails();
    assert!(said.contains("is there enough memory?"), "{said}");
    std::fs::remove_file(&killing).unwrap();
    program.builds();
    assert!(
        program.ptx().contains(".entry crashing("),
        "{}",
        program.ptx()
    );
}
