//! Which accesses get a hook, and what it is told.

use super::access::instrument;
use super::places::Places;
use super::simplify;
use super::table::bind;
use crate::llvm::tests::context;
use crate::llvm::{Machine, Module, Passes};

#[path = "early_tests.rs"]
mod early;

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
fn places_in_local_variables_are_compared_with_their_sizes() {
    let body = "  %a = alloca [4 x i32]\n  %b = getelementptr i32, ptr %a, i64 %n\n  store i32 %v, ptr %b
  %c = getelementptr i8, ptr %b, i64 -8\n  %d = load i16, ptr %c\n  %e = getelementptr i8, ptr %a, i64 13\n  %f = load i32, ptr %e";
    assert_eq!(
        calls(body, ""),
        [
            "@\"check.local:1:4:16:0:4\"(i64 %n, i32 0)",
            "@\"check.local:0:2:16:-8:4\"(i64 %n, i32 0)",
            "@\"check.local:0:4:16:13\"(i32 0)",
        ]
    );
}

#[test]
fn what_is_outside_of_a_local_variable_alone_is_announced() {
    let context = context();
    let ir = format!(
        "{HOST}declare void @\"check.local:1:4:16:0:4\"(i64, i32)\ndefine void @f(i64 %n) {{\n  call void @\"check.local:1:4:16:0:4\"(i64 3, i32 0)\n  ret void\n}}
define void @g(i64 %n) {{\n  call void @\"check.local:1:4:16:0:4\"(i64 %n, i32 0)\n  ret void\n}}\n"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let symbols = bind(&mut module, &machine, &[]).unwrap();
    assert_eq!(symbols, ["check.local"]);
    let passes = Passes::after_instrumenting();
    module.run(passes, Some(&machine)).unwrap();
    let text = |name: &str| module.function(name).unwrap().to_text();
    assert!(!text("f").contains("call"), "{}", text("f"));
    assert!(text("g").contains("icmp"), "{}", text("g"));
    assert!(text("g").contains("i64 4, i64 16, i32 1"), "{}", text("g"));
}

#[test]
fn local_variables_and_constants_get_none() {
    let body =
        "  %a = alloca [4 x i32]\n  %b = getelementptr i32, ptr %a, i64 3\n  store i32 %v, ptr %b
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
fn copies_say_what_their_addresses_are_multiples_of() {
    let body = "  %a = alloca [4 x i32], align 16\n  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %p, ptr align 16 %a, i64 16, i1 false)
  call void @llvm.memset.p0.i32(ptr align 8 %q, i8 0, i32 %v, i1 false)";
    let hooks = calls(
        body,
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i32(ptr, i8, i32, i1)",
    );
    assert_eq!(
        hooks[0],
        "@\"check.aligned:16:i64\"(ptr %p, i64 16, i32 1, i32 0)"
    );
    assert_eq!(
        hooks[3],
        "@\"check.aligned:8:i32\"(ptr %q, i32 %v, i32 1, i32 0)"
    );
}

#[test]
fn a_misaligned_copy_alone_is_announced() {
    let context = context();
    let ir = format!(
        "{HOST}declare void @\"check.aligned:8:i32\"(ptr, i32, i32, i32)\ndefine void @f(ptr align 8 %p, i32 %n) {{\n  \
         call void @\"check.aligned:8:i32\"(ptr %p, i32 %n, i32 1, i32 0)\n  ret void\n}}
define void @g(ptr %p, i32 %n) {{\n  call void @\"check.aligned:8:i32\"(ptr %p, i32 %n, i32 1, i32 0)\n  ret void\n}}\n"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let symbols = bind(&mut module, &machine, &[]).unwrap();
    assert_eq!(symbols, ["check.aligned"]);
    module
        .run(Passes::after_instrumenting(), Some(&machine))
        .unwrap();
    let text = |name: &str| module.function(name).unwrap().to_text();
    assert!(!text("f").contains("call"), "{}", text("f"));
    assert!(text("g").contains("i32 8, i32 1"), "{}", text("g"));
}

#[test]
fn what_has_no_line_is_named_by_the_instruction_in_front_of_it() {
    let context = context();
    let ir = format!(
        "{HOST}define void @f(ptr %p) !dbg !4 {{\n  %q = getelementptr i8, ptr %p, i64 4, !dbg !5\n  store i32 1, ptr %q\n  %v = load i32, ptr %p, !dbg !6\n  ret void, !dbg !6\n}}
!llvm.dbg.cu = !{{!0}}\n!llvm.module.flags = !{{!2}}\n!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: \"k.rs\", directory: \"/k\")\n!2 = !{{i32 2, !\"Debug Info Version\", i32 3}}
!3 = !DISubroutineType(types: !{{}})\n!4 = distinct !DISubprogram(name: \"f\", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, column: 3, scope: !4)\n!6 = !DILocation(line: 8, column: 3, scope: !4)\n"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let mut places = Places::new();
    instrument(&mut module, &mut places);
    let lines = places.sites.iter().map(|site| site.frames[0].2);
    assert_eq!(lines.collect::<Vec<u32>>(), [7, 8]);
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

/// `n` reads from `%p` on, each `step` bytes behind the one before.
fn reads(n: i64, step: i64) -> String {
    let read = |i: i64| {
        let at = i * step;
        format!(
            "  %at{i} = getelementptr i8, ptr %p, i64 {at}\n  %v{i} = load float, ptr %at{i}, align 4\n"
        )
    };
    (0..n).map(read).collect()
}

#[test]
fn reads_with_equal_steps_have_one_hook() {
    assert_eq!(calls(&reads(6, 64), ""), ["@check.group.0(ptr %at0)"]);
    assert_eq!(calls(&reads(6, -4), ""), ["@check.group.0(ptr %at0)"]);
}

#[test]
fn two_reads_of_one_width_have_one_hook_and_a_third_its_own() {
    assert_eq!(
        calls(&reads(3, 4), ""),
        ["@check.group.0(ptr %at0)", "@check.load4(ptr %at2, i32 0)"]
    );
}

#[test]
fn two_reads_of_two_widths_have_each_their_own() {
    let body = "  %a = load i32, ptr %p, align 4\n  %b = load i64, ptr %q, align 8";
    assert_eq!(
        calls(body, ""),
        ["@check.load4(ptr %p, i32 0)", "@check.load8(ptr %q, i32 0)"]
    );
}

#[test]
fn a_pair_of_reads_is_announced_before_the_first() {
    // The second address is computed behind the first read.
    let body = "  %a = load float, ptr %p, align 4\n  %at = getelementptr float, ptr %q, i64 %n
  %b = load float, ptr %at, align 4\n  store float %b, ptr %p, align 4";
    let hooks = calls(body, "");
    assert!(
        hooks[0].starts_with("@check.group.0(ptr %p, ptr %"),
        "{hooks:?}"
    );
    assert_eq!(
        hooks[1..],
        ["@\"check.store4:float\"(ptr %p, float %b, i32 0)"]
    );
    let context = context();
    let ir = format!("{HOST}define void @f(ptr %p, ptr %q, i64 %n) {{\n{body}\n  ret void\n}}\n");
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let hooked = instrument(&mut module, &mut Places::new());
    let symbols = bind(&mut module, &machine, &hooked.groups).unwrap();
    module.verify().unwrap();
    assert_eq!(symbols, ["check.pair4", "check.store4"]);
    let text = module.function("check.group.0").unwrap().to_text();
    assert!(
        text.contains("(ptr %a.at, ptr %b.at, i32 %a.site, i32 %b.site)"),
        "{text}"
    );
}

#[test]
fn functions_have_probes_tables_and_a_section_of_their_own() {
    let context = context();
    let ir = format!("{HOST}define void @f(ptr %p) nounwind {{\n  ret void\n}}\n");
    let module = Module::from_text(&context, &ir).unwrap();
    super::unwindable(&module);
    module.verify().unwrap();
    let text = module.to_text();
    assert!(
        text.contains("section \"warploom_instrumented_code\""),
        "{text}"
    );
    assert!(text.contains("\"probe-stack\"=\"inline-asm\""), "{text}");
    assert!(
        text.contains("uwtable") && !text.contains("nounwind"),
        "{text}"
    );
}

#[test]
fn registers_of_a_lane_are_read_where_one_hook_says() {
    let names = ["tid.x", "ctaid.y", "ntid.z", "nctaid.x", "laneid"];
    let symbol = |name: &str| format!("\"__warploom.llvm.nvvm.read.ptx.sreg.{name}\"");
    let declared = names.map(|name| format!("declare i32 @{}()\n", symbol(name)));
    let called = names.map(|name| format!("  call i32 @{}()\n", symbol(name)));
    let ir = format!(
        "{HOST}{}define void @f() {{\n{}  ret void\n}}\n",
        declared.concat(),
        called.concat()
    );
    let context = context();
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let symbols = bind(&mut module, &machine, &[]).unwrap();
    module.verify().unwrap();
    let lane_id = "__warploom.llvm.nvvm.read.ptx.sreg.laneid";
    assert_eq!(symbols, ["check.lane", lane_id]);
    for (name, offset) in [
        ("tid.x", 0),
        ("ctaid.y", 16),
        ("ntid.z", 32),
        ("nctaid.x", 36),
    ] {
        let name = format!("__warploom.llvm.nvvm.read.ptx.sreg.{name}");
        let text = module.function(&name).unwrap().to_text();
        assert!(text.contains(&format!("ptr %lane, i64 {offset}")), "{text}");
    }
}

/// The rows of the first group, as base, first, step and count; and how many reads it has.
fn rows(body: &str) -> (Vec<(usize, i64, i64, u32)>, usize) {
    let context = context();
    let ir = format!(
        "{HOST}define void @f(ptr %p, ptr %q, i64 %n, i32 %v) {{\n{body}\n  ret void\n}}\n"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let hooked = instrument(&mut module, &mut Places::new());
    module.verify().unwrap();
    let [group] = &hooked.groups[..] else {
        panic!("{} groups", hooked.groups.len());
    };
    let row = |row: &super::group::Row| (row.base, row.first, row.step, row.count);
    (group.rows.iter().map(row).collect(), group.reads.len())
}

#[test]
fn rows_go_upwards_whatever_the_code_does() {
    assert_eq!(rows(&reads(5, 12)), (vec![(0, 0, 12, 5)], 5));
    assert_eq!(rows(&reads(5, -12)), (vec![(0, -48, 12, 5)], 5));
}

#[test]
fn addresses_are_compared_as_sums() {
    let read = |i: u64| {
        format!(
            "  %m{i} = shl i64 %n, 4\n  %s{i} = add i64 %m{i}, {i}\n  %a{i} = getelementptr float, ptr %p, i64 %s{i}
  %v{i} = load float, ptr %a{i}, align 4\n  %b{i} = getelementptr [16 x float], ptr %q, i64 {i}
  %c{i} = getelementptr float, ptr %b{i}, i64 %n\n  %w{i} = load float, ptr %c{i}, align 4\n"
        )
    };
    let body: String = (0..4).map(read).collect();
    // The addresses that rows are counted from are computed before the first read, wherever the code has them.
    assert_eq!(rows(&body), (vec![(0, 0, 4, 4), (1, 0, 64, 4)], 8));
}

#[test]
fn what_others_may_notice_ends_a_group() {
    let barrier = "\"__warploom.llvm.nvvm.barrier.cta.sync.aligned.all\"";
    for between in [
        "  store i32 %v, ptr %q",
        "  fence acq_rel",
        "  %x = load volatile i32, ptr %q",
        "  %x = load i8, ptr %q",
        &format!("  call void @{barrier}(i32 0)"),
    ] {
        let body = reads(8, 4).replace("  %at4 =", &format!("{between}\n  %at4 ="));
        let hooks = calls(&body, &format!("declare void @{barrier}(i32)"));
        assert_eq!(hooks[0], "@check.group.0(ptr %at0)", "{between}");
        assert!(
            hooks.iter().any(|hook| hook == "@check.group.1(ptr %at4)"),
            "{between}: {hooks:?}"
        );
    }
}

#[test]
fn an_unobservable_instruction_does_not_end_one() {
    for between in [
        "  store i32 %v, ptr %own",
        "  %x = call float @llvm.fabs.f32(float %v0)",
    ] {
        let body = format!("  %own = alloca i32\n{}", reads(8, 4));
        let body = body.replace("  %at4 =", &format!("{between}\n  %at4 ="));
        let hooks = calls(&body, "declare float @llvm.fabs.f32(float)");
        assert_eq!(hooks[0], "@check.group.0(ptr %at0)", "{between}: {hooks:?}");
    }
}

#[test]
fn an_address_that_was_read_is_no_part_of_the_group_before() {
    // The fifth address comes out of memory: it is not there when the first read is asked for.
    let body = format!(
        "{}  %r = load ptr, ptr %q, align 8\n  %y = load float, ptr %r, align 4",
        reads(8, 4)
    );
    let hooks = calls(&body, "");
    assert_eq!(
        hooks,
        [
            "@check.group.0(ptr %at0, ptr %q)",
            "@check.load4(ptr %r, i32 0)"
        ]
    );
}

#[test]
fn a_row_that_the_code_reads_downwards_says_so_in_its_count() {
    let context = context();
    let ir = format!(
        "{HOST}define void @f(ptr %p) {{\n{}  ret void\n}}\n",
        reads(4, -8)
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let hooked = instrument(&mut module, &mut Places::new());
    bind(&mut module, &machine, &hooked.groups).unwrap();
    module.verify().unwrap();
    let text = module.function("check.group.0").unwrap().to_text();
    let count = (1_u32 << 31 | 4).cast_signed();
    assert!(
        text.contains(&format!("i64 8, i32 {count}, i32 4, i32")),
        "step, count and steps: {text}"
    );
}

#[test]
fn a_group_asks_for_its_rows_and_else_for_each_read() {
    let context = context();
    let ir = format!(
        "{HOST}define void @f(ptr %p) {{\n{}  ret void\n}}\n",
        reads(4, 8)
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    let hooked = instrument(&mut module, &mut Places::new());
    let symbols = bind(&mut module, &machine, &hooked.groups).unwrap();
    module.verify().unwrap();
    assert_eq!(symbols, ["check.row4", "check.load4"]);
    let text = module.function("check.group.0").unwrap().to_text();
    assert!(
        text.contains("i64 8, i32 4, i32 4, i32"),
        "step, count and steps: {text}"
    );
    let text = module
        .function("check.group.0.one.by.one")
        .unwrap()
        .to_text();
    assert_eq!(text.matches("call void").count(), 4, "{text}");
}

#[test]
fn loops_of_a_few_rounds_become_straight_code_without_decided_checks() {
    let ir = format!(
        "{HOST}declare void @outside()
define void @f(ptr %p, i64 %n) {{
  %row = and i64 %n, 15\n  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %inside ]\n  %sum = phi float [ 0.0, %0 ], [ %more_sum, %inside ]\n  %more = icmp ult i64 %i, 16\n  br i1 %more, label %check, label %end
check:
  %first = mul i64 %row, 16\n  %at = add i64 %first, %i\n  %fits = icmp ult i64 %at, 256\n  br i1 %fits, label %inside, label %panics
inside:
  %a = getelementptr float, ptr %p, i64 %at\n  %v = load float, ptr %a, align 4\n  %more_sum = fadd float %sum, %v\n  %next = add nuw i64 %i, 1\n  br label %head
panics:
  call void @outside()\n  unreachable
end:
  store float %sum, ptr %p
  ret void
}}
"
    );
    let context = context();
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    simplify(&mut module, &machine).unwrap();
    let hooked = instrument(&mut module, &mut Places::new());
    let text = module.function("f").unwrap().to_text();
    assert!(!text.contains("outside") && !text.contains("phi"), "{text}");
    assert_eq!(hooked.groups.len(), 1, "{text}");
    assert_eq!(hooked.groups[0].reads.len(), 16);
}

#[test]
fn loops_in_which_lanes_change_places_stay_loops() {
    let context = context();
    let ir = format!(
        "{HOST}declare void @outside()\ndefine void @f(ptr %p) {{
  br label %head
head:
  %half = phi i64 [ 128, %0 ], [ %next, %head ]\n  call void @outside()\n  %next = lshr i64 %half, 1\n  %more = icmp ne i64 %next, 0
  br i1 %more, label %head, label %end
end:
  ret void
}}
"
    );
    let mut module = Module::from_text(&context, &ir).unwrap();
    let machine = Machine::of_host(&context, &module.triple()).unwrap();
    simplify(&mut module, &machine).unwrap();
    let text = module.to_text();
    assert_eq!(text.matches("call void @outside()").count(), 1, "{text}");
    assert!(!text.contains("noduplicate"), "{text}");
}
