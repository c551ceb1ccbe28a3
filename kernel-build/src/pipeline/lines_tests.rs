//! Line numbers: in PTX where they are asked for, in code for the emulator always.

use super::compile;
use super::tests::{compiled, input, options};
use crate::llvm::Module;
use crate::llvm::tests::context;
use crate::options::Options;
use crate::sample::{HOST, storing};

/// For the line 42 of a file `lined.rs`.
const LINES: &str = "!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !\"Debug Info Version\", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, producer: \"\", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)
!2 = !DIFile(filename: \"lined.rs\", directory: \"/src\")
!3 = distinct !DISubprogram(name: \"lined\", scope: !2, file: !2, line: 41, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 42, column: 9, scope: !3)
";

//@ rows: TT-5
#[test]
fn lines_are_in_the_ptx_where_asked_for() {
    let ir = storing(
        "lined",
        "  %v = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !5",
    )
    .replace("i64 %n) {", "i64 %n) !dbg !3 {")
        + "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        + LINES;
    let lined = Options {
        line_info: true,
        ..options()
    };
    let (_, texts) = compiled(&ir, lined).unwrap();
    let ptx = &texts[0].2;
    assert!(
        ptx.contains("lined.rs") && ptx.contains(".loc") && ptx.contains(" 42 9"),
        "{ptx}"
    );
    let (_, texts) = compiled(&ir, options()).unwrap();
    assert!(!texts[0].2.contains(".loc"), "{}", texts[0].2);
}

#[test]
fn code_for_the_emulator_keeps_the_lines_that_ptx_loses() {
    let ir = storing("lined", "  %v = add i32 1, 2")
        .replace("i64 %n) {", "i64 %n) !dbg !3 {")
        .replace("store i32 %v, ptr %y", "store i32 %v, ptr %y, !dbg !5")
        + LINES;
    assert!(ir.contains("ptr %y, !dbg !5"), "{ir}");
    let (context, options) = (context(), Options::default());
    let module = Module::from_text(&context, &format!("{HOST}{ir}")).unwrap();
    let compiled = compile(module, &input(&options)).unwrap();
    assert!(!compiled.parts[0].texts[0].2.contains(".loc"));
    let name = b"lined.rs";
    let mut instrumented = compiled.instrumented.windows(name.len());
    assert!(instrumented.any(|bytes| bytes == name));
}
