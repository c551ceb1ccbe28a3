//! Each rule of the contract, violated by one module.

use super::violations;
use crate::llvm::Module;
use crate::llvm::tests::context;
use crate::passes::Stage;

const DEVICE: &str = "target triple = \"nvptx64-nvidia-cuda\"\n";

/// The violations of a module of the device.
#[track_caller]
fn found(ir: &str, passed: Stage) -> String {
    let context = context();
    let module = Module::from_text(&context, &format!("{DEVICE}{ir}")).unwrap();
    module.verify().unwrap();
    violations(&module, passed, &["kernel".to_owned()]).join("; ")
}

/// What all stages of device IR accept.
const GOOD: &str = "
@table = addrspace(4) constant i32 7
declare ptr @malloc(i64)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @kernel(ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr %y, i32 %t syncscope(\"device\") monotonic
  %more = call ptr @malloc(i64 8)
  store i32 %old, ptr %more
  ret void
}
";

#[test]
fn device_ir_that_keeps_the_contract_is_accepted() {
    for passed in [Stage::Lowering, Stage::Optimisation, Stage::Emission] {
        assert_eq!(found(GOOD, passed), "");
    }
}

#[test]
fn linked_host_ir_is_internal_and_does_not_unwind() {
    let text = "define void @kernel() {\n  ret void\n}\ndefine void @other() {\n  ret void\n}\n";
    assert_eq!(
        found(text, Stage::Linking),
        "`other` is visible to other modules"
    );
    assert_eq!(
        found(
            &text.replace("void @other", "internal void @other"),
            Stage::Linking
        ),
        ""
    );
    let careful = "declare i32 @rust_eh_personality(...)
declare void @may_unwind()
define internal void @careful() personality ptr @rust_eh_personality {
  invoke void @may_unwind() to label %done unwind label %pad
pad:
  %p = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %p
done:
  ret void
}
";
    assert_eq!(found(careful, Stage::Linking), "`careful` can unwind");
    let device = careful.replace("invoke void @may_unwind() to label %done unwind label %pad\npad:\n  %p = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %p\ndone:\n", "");
    let said = found(&device, Stage::Lowering);
    assert!(
        said.contains("`careful` has a section or a personality"),
        "{said}"
    );
}

/// A stage, what is changed in [`GOOD`], and what is said of it.
const VIOLATIONS: &[(Stage, &str, &str, &str)] = &[
    (
        Stage::Lowering,
        "ptx_kernel void @kernel",
        "void @kernel",
        "`kernel` is no visible kernel",
    ),
    (
        Stage::Lowering,
        "ptx_kernel void @kernel",
        "internal ptx_kernel void @kernel",
        "`kernel` is no visible kernel",
    ),
    (
        Stage::Lowering,
        "addrspace(4) constant",
        "addrspace(7) constant",
        "`table` is in an address space that PTX does not have",
    ),
    (
        Stage::Lowering,
        "@kernel(ptr %y) {",
        "@kernel(ptr %y) section \".text\" {",
        "`kernel` has a section or a personality",
    ),
    (
        Stage::Lowering,
        "nvptx64-nvidia-cuda",
        "x86_64-unknown-linux-gnu",
        "the triple is `x86_64-unknown-linux-gnu`",
    ),
    (
        Stage::Optimisation,
        "@kernel(ptr %y) {",
        "@kernel(ptr %y) noinline optnone {",
        "`kernel` is `optnone`",
    ),
    (
        Stage::Optimisation,
        "@table = addrspace(4) constant",
        "@table = thread_local global",
        "`table` is thread-local",
    ),
    (
        Stage::Optimisation,
        "malloc",
        "missing",
        "`missing` is undefined",
    ),
    (
        Stage::Emission,
        "monotonic",
        "acq_rel",
        "`kernel` has an atomic whose order or scope NVPTX would drop",
    ),
    (
        Stage::Emission,
        "malloc",
        "\"__warploom.arch\"",
        "`__warploom.arch` is an intrinsic without a body",
    ),
    (
        Stage::Emission,
        "@table",
        "@\"a.table\"",
        "`a.table` has a name that PTX does not allow",
    ),
];

#[test]
fn each_violation_is_named() {
    let context = context();
    for (passed, from, to, said) in VIOLATIONS {
        let text = format!("{DEVICE}{GOOD}").replace(from, to);
        let module = Module::from_text(&context, &text).unwrap();
        let found = violations(&module, *passed, &["kernel".to_owned()]).join("; ");
        assert!(found.contains(said), "{said} is not in: {found}");
    }
}

#[test]
fn a_kernel_returns_nothing() {
    let said = found(
        "define ptx_kernel i32 @kernel() {\n  ret i32 1\n}\n",
        Stage::Lowering,
    );
    assert_eq!(said, "`kernel` is a kernel that returns a value");
}
