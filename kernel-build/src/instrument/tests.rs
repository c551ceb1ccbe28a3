//! Which accesses get a hook, and what it is told.

use super::access::instrument;
use super::places::Places;
use super::table::bind;
use crate::llvm::tests::context;
use crate::llvm::{Machine, Module, Passes};

const HOST: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
target triple = \"x86_64-unknown-linux-gnu\"
";

/// The calls in a function of this body, in order; its parameters are `%p`, `%q` (pointers), `%n` (64 bits) and `%v` (32 bits).
fn calls(body: &str, declarations: &str) -> Vec<String> {
    let context = context();
    let ir = format!(
        "{HOST}{declarations}\ndefine void @f(ptr %p, ptr %q, i64 %n, i32 %v) {{\n{body}\n  ret void\n}}\n"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    instrument(&mut module, &mut Places::new());
    module.verify().unwrap();
    let text = module.function("f").unwrap().to_text();
    let call = |line: &str| Some(line.trim().split_once("call void ")?.1.to_owned());
    text.lines().filter_map(call).collect()
}

#[test]
fn each_width_has_its_hook() {
    let body = "  %a = load i8, ptr %p, align 1\n  %b = load i16, ptr %p, align 2\n  %c = load i32, ptr %p, align 4
  %d = load double, ptr %p, align 8\n  %e = load <4 x float>, ptr %p, align 16";
    let hooks = calls(body, "");
    let names: Vec<&str> = hooks.iter().map(|h| &h[1..h.find('(').unwrap()]).collect();
    assert_eq!(
        names,
        [
            "check.load1",
            "check.load2",
            "check.load4",
            "check.load8",
            "check.load16"
        ]
    );
}

#[test]
fn other_widths_and_alignments_are_said() {
    let body =
        "  %a = load i32, ptr %p, align 1\n  store <2 x double> zeroinitializer, ptr %p, align 8";
    assert_eq!(
        calls(body, ""),
        [
            "@check.load(ptr %p, i64 4, i32 1, i32 0)",
            "@check.store(ptr %p, i64 16, i32 8, i32 0)"
        ]
    );
}

#[test]
fn stores_hand_over_their_value() {
    let body = "  store i32 %v, ptr %p, align 4\n  store float 1.0, ptr %q, align 4";
    assert_eq!(
        calls(body, ""),
        [
            "@\"check.store4:i32\"(ptr %p, i32 %v, i32 0)",
            "@\"check.store4:float\"(ptr %q, float 1.000000e+00, i32 0)"
        ]
    );
}

#[test]
fn local_variables_and_constants_get_none() {
    let body =
        "  %a = alloca [4 x i32]\n  %b = getelementptr i32, ptr %a, i64 %n\n  store i32 %v, ptr %b
  %c = load i32, ptr getelementptr (i8, ptr @table, i64 4)\n  %d = load i32, ptr @counter";
    let hooks = calls(
        body,
        "@table = constant [4 x i32] zeroinitializer\n@counter = global i32 0",
    );
    assert_eq!(hooks, ["@check.load4(ptr @counter, i32 0)"]);
}

#[test]
fn atomics_and_volatile_accesses_say_what_they_are() {
    let body = "  %a = atomicrmw add ptr %p, i32 1 acq_rel\n  %b = load atomic i32, ptr %p acquire, align 4
  store atomic i64 %n, ptr %q release, align 8\n  %c = load volatile i16, ptr %p\n  fence seq_cst";
    assert_eq!(
        calls(body, ""),
        [
            "@check.atomic(ptr %p, i32 4, i32 50, i32 0)", // both, read and write
            "@check.atomic(ptr %p, i32 4, i32 16, i32 0)",
            "@check.atomic(ptr %q, i32 8, i32 33, i32 0)",
            "@check.atomic(ptr %p, i32 2, i32 4, i32 0)",
            "@check.fence(i32 4, i32 0)"
        ]
    );
}

#[test]
fn copies_and_fillings_say_how_much() {
    let body = "  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memset.p0.i32(ptr %p, i8 0, i32 %v, i1 false)";
    let hooks = calls(
        body,
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i32(ptr, i8, i32, i1)",
    );
    assert_eq!(hooks[0], "@check.copy(ptr %p, ptr %q, i64 %n, i32 0)");
    assert_eq!(hooks[2], "@\"check.fill:i32\"(ptr %p, i32 %v, i32 0)");
}

#[test]
fn intrinsics_that_meet_are_told_their_place_and_registers_are_not() {
    let barrier = "\"__warploom.llvm.nvvm.barrier.cta.sync.aligned.all\"";
    let register = "\"__warploom.llvm.nvvm.read.ptx.sreg.tid.x\"";
    let body = format!("  call void @{barrier}(i32 0)\n  %t = call i32 @{register}()");
    let hooks = calls(
        &body,
        &format!("declare void @{barrier}(i32)\ndeclare i32 @{register}()"),
    );
    assert_eq!(hooks[0], "@check.at(i32 0)");
    assert_eq!(hooks.len(), 2);
}

#[test]
fn narrow_arguments_stay_extended_through_the_table() {
    let context = context();
    let ir = format!(
        "{HOST}declare zeroext i8 @\"__warploom.atomic.load.u8\"(ptr, i32)\ndeclare void @\"__warploom.atomic.store.u8\"(ptr, i8 zeroext, i32)
define void @f(ptr %p) {{\n  %a = call zeroext i8 @\"__warploom.atomic.load.u8\"(ptr %p, i32 0)
  call void @\"__warploom.atomic.store.u8\"(ptr %p, i8 zeroext %a, i32 0)\n  ret void\n}}\n"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let symbols = bind(&mut module, &machine, &[]).unwrap();
    assert_eq!(
        symbols,
        ["__warploom.atomic.load.u8", "__warploom.atomic.store.u8"]
    );
    module.run(Passes::inline_always(), None).unwrap();
    let text = module.function("f").unwrap().to_text();
    assert!(text.contains("call zeroext i8 %"), "{text}");
    assert!(text.contains("i8 zeroext %"), "{text}");
    assert!(!text.contains("@\"__warploom"), "{text}");
}
