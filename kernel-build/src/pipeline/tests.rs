//! From IR to PTX without cargo: traps that a kernel in Rust would show late or not at all.

use super::{Input, PipelineError, compile, compile_with};
use crate::llvm::Module;
use crate::llvm::tests::context;
use crate::options::{Arch, Options};
use crate::passes::{Pass, Runner, Switch};
pub(super) use crate::sample::{HOST, storing};
use crate::watch::Unwatched;

/// Without instrumented code, which has tests of its own: kernels here are written for NVPTX.
pub(super) fn options() -> Options {
    Options {
        instrumented: false,
        ..Options::default()
    }
}

pub(super) fn input(options: &Options) -> Input<'_> {
    Input {
        options,
        archives: &[],
        target: "tests",
        dump: &|_, _| (),
        last_result: None,
        watch: &Unwatched,
    }
}

/// All kernels, and for each architecture all PTX.
pub(super) type Compiled = (Vec<warploom_manifest::Kernel>, Vec<(u32, bool, String)>);

pub(super) fn compiled(ir: &str, options: Options) -> Result<Compiled, PipelineError> {
    let context = context();
    let module = Module::from_text(&context, &format!("{HOST}{ir}")).unwrap();
    let parts = compile(module, &input(&options))?.parts;
    let archs = parts.first().map_or(0, |p| p.texts.len());
    let whole = |i: usize| parts.iter().map(|p| p.texts[i].2.as_str()).collect();
    let texts = (0..archs)
        .map(|i| (parts[0].texts[i].0, parts[0].texts[i].1, whole(i)))
        .collect();
    Ok((parts.into_iter().flat_map(|p| p.kernels).collect(), texts))
}

#[track_caller]
pub(super) fn ptx(ir: &str) -> String {
    let (_, texts) = compiled(ir, options()).unwrap();
    texts[0].2.clone()
}

fn problems(ir: &str) -> String {
    match compiled(ir, options()) {
        Err(PipelineError::Kernels(problems)) => problems.join("\n"),
        other => panic!("no problem is found: {other:?}"),
    }
}

#[test]
fn kernels_survive_and_host_code_does_not() {
    let ir = storing("first", "  %v = add i32 1, 2")
        + &storing("second", "  %v = call i32 @helper()")
        + "define i32 @helper() noinline {\n  ret i32 99\n}\ndefine void @main() {\n  call void @exit(i32 0)\n  ret void\n}\ndeclare void @exit(i32)\n";
    let (kernels, texts) = compiled(&ir, options()).unwrap();
    let names: Vec<&str> = kernels.iter().map(|k| k.entry.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    let ptx = &texts[0].2;
    for expected in [
        ".visible .entry first(",
        ".visible .entry second(",
        "st.global.b32",
    ] {
        assert!(ptx.contains(expected), "no {expected} in {ptx}");
    }
    assert!(!ptx.contains("main") && !ptx.contains(".extern"), "{ptx}");
}

#[test]
fn a_cap_on_registers_is_for_kernels_without_one() {
    let ir = storing("capped", "  %v = add i32 1, 2");
    assert!(!ptx(&ir).contains(".maxnreg"));
    let capped = Options {
        max_registers: 40,
        ..options()
    };
    let (_, texts) = compiled(&ir, capped.clone()).unwrap();
    assert!(texts[0].2.contains(".maxnreg 40"), "{}", texts[0].2);
    // The eighth number behind the file: the kernel's own cap, of 32.
    let own = "[64 x i8] c\"".to_owned() + &"\\00".repeat(28) + "\\20" + &"\\00".repeat(35) + "\"";
    let (_, texts) = compiled(&ir.replace("[64 x i8] zeroinitializer", &own), capped).unwrap();
    assert!(texts[0].2.contains(".maxnreg 32"), "{}", texts[0].2);
}

/// std's bitcode was built to unwind; a device cannot.
#[test]
fn unwinding_is_lowered() {
    let ir = storing("unwinding", "  %v = call i32 @careful()")
        + "declare i32 @rust_eh_personality(...)
declare void @clean()
define i32 @careful() noinline personality ptr @rust_eh_personality {
  %v = invoke i32 @risky() to label %good unwind label %bad
good:
  ret i32 %v
bad:
  %e = landingpad { ptr, i32 } cleanup
  call void @clean()
  resume { ptr, i32 } %e
}
define i32 @risky() noinline {
  %v = add i32 3, 4
  ret i32 %v
}
";
    let ptx = ptx(&ir);
    assert!(
        ptx.contains(".entry unwinding") && !ptx.contains("clean"),
        "{ptx}"
    );
}

//@ rows: GCO-6
#[test]
fn each_architecture_gets_its_own_ptx() {
    let archs = vec![Arch::sm(75), Arch::sm(80), Arch::exactly(90)];
    let wanted = Options { archs, ..options() };
    let (_, texts) = compiled(&storing("many", "  %v = add i32 1, 2"), wanted).unwrap();
    let found: Vec<(u32, bool)> = texts.iter().map(|t| (t.0, t.1)).collect();
    assert_eq!(found, [(75, false), (80, false), (90, true)]);
    for ((_, _, ptx), target) in texts.iter().zip(["sm_75", "sm_80", "sm_90a"]) {
        assert!(ptx.contains(&format!(".target {target}\n")), "{ptx}");
    }
}

/// LLVM ends the process where a PTX version lacks the architecture.
//@ rows: GCO-6
#[test]
fn each_architecture_has_a_ptx_version_that_knows_it() {
    for sm in [75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121] {
        let archs = vec![Arch::sm(sm)];
        let wanted = Options { archs, ..options() };
        let (_, texts) = compiled(&storing("newer", "  %v = add i32 1, 2"), wanted).unwrap();
        let target = format!(".target sm_{sm}\n");
        assert!(texts[0].2.contains(&target), "{}", texts[0].2);
    }
}

/// What `feature_set()` calls is a constant in each image: 0 in portable ones, the architecture in those for it alone.
//@ rows: MC-6
#[test]
fn the_feature_set_is_a_constant_of_each_image() {
    let archs = vec![Arch::sm(75), Arch::sm(90), Arch::exactly(90)];
    let wanted = Options { archs, ..options() };
    let ir = storing("asks", "  %v = call i32 @__warploom.arch_specific()")
        + "declare i32 @__warploom.arch_specific()\n";
    let (_, texts) = compiled(&ir, wanted).unwrap();
    let stored = |ptx: &str| {
        let store = ptx.lines().find(|line| line.contains("st.global"));
        let value = store.and_then(|line| {
            line.rsplit(", ")
                .next()?
                .strip_suffix(';')?
                .parse::<u32>()
                .ok()
        });
        value.unwrap_or_else(|| panic!("no constant is stored: {ptx}"))
    };
    let mut found: Vec<_> = texts
        .iter()
        .map(|(sm, exact, ptx)| (*sm, *exact, stored(ptx)))
        .collect();
    found.sort();
    assert_eq!(found, [(75, false, 0), (90, false, 0), (90, true, 90)]);
}

const OF_TENSOR_MEMORY: &str =
    "__warploom.asm:volatile+exact100+ptx86|tcgen05.fence::before_thread_sync;";

/// Code for tensor memory behind a question gets an image beside the others, and other questions do not.
#[test]
fn tensor_memory_behind_a_question_has_an_image_of_its_own() {
    let asks = "  %f = call i32 @__warploom.arch_specific()\n  %is = icmp eq i32 %f, 100\n  br i1 %is, label %there, label %elsewhere\nthere:\n";
    let rest = "  br label %elsewhere\nelsewhere:\n  %v = phi i32 [ 1, %there ], [ 2, %0 ]";
    let question = "declare i32 @__warploom.arch_specific()\n";
    let uses = format!("{asks}  call void @\"{OF_TENSOR_MEMORY}\"()\n{rest}");
    let declared = format!("{question}declare void @\"{OF_TENSOR_MEMORY}\"()\n");
    let (_, texts) = compiled(&(storing("uses", &uses) + &declared), options()).unwrap();
    let of = |texts: &[(u32, bool, String)]| -> Vec<(u32, bool)> {
        let mut of: Vec<_> = texts.iter().map(|t| (t.0, t.1)).collect();
        of.sort_unstable();
        of
    };
    assert_eq!(of(&texts), [(75, false), (100, true)]);
    for (sm, _, ptx) in &texts {
        assert_eq!(ptx.contains("tcgen05.fence"), *sm == 100, "{ptx}");
    }
    let other = storing("other", &format!("{asks}{rest}")) + question;
    let (_, texts) = compiled(&other, options()).unwrap();
    assert_eq!(of(&texts), [(75, false)]);
}

/// Without a question there is an image for that architecture alone.
#[test]
fn tensor_memory_alone_has_one_image() {
    let ir = storing(
        "only",
        &format!("  call void @\"{OF_TENSOR_MEMORY}\"()\n  %v = add i32 1, 2"),
    ) + &format!("declare void @\"{OF_TENSOR_MEMORY}\"()\n");
    let (_, texts) = compiled(&ir, options()).unwrap();
    let of: Vec<_> = texts.iter().map(|t| (t.0, t.1)).collect();
    assert_eq!(of, [(100, true)]);
    assert!(texts[0].2.contains(".target sm_100a\n"), "{}", texts[0].2);
}

/// A kernel with an instruction behind a comparison of a count to seven, which only LLVM's O3 decides; and perhaps another one before it.
fn counting(name: &str, above: u32, instruction: &str, first: Option<&str>) -> String {
    let call = |instruction: &str| format!("  call void @\"{instruction}\"()\n");
    let declared = |instruction: &str| format!("declare void @\"{instruction}\"()\n");
    let body = format!(
        "{}  br label %next
next:
  %i = phi i32 [ 0, %0 ], [ %up, %next ]
  %up = add i32 %i, 1
  %more = icmp ult i32 %up, 7
  br i1 %more, label %next, label %counted
counted:
  %above = icmp ugt i32 %up, {above}
  br i1 %above, label %there, label %elsewhere
there:
{}  br label %elsewhere
elsewhere:
  %v = phi i32 [ 1, %there ], [ 2, %counted ]",
        first.map(call).unwrap_or_default(),
        call(instruction)
    );
    let first = first.map(declared).unwrap_or_default();
    storing(name, &body) + &declared(instruction) + &first
}

/// The search before optimisation finds too much here: what is compiled tells.
#[test]
fn what_is_optimised_away_asks_for_no_architecture() {
    const OF_SM_80: &str = "__warploom.asm:volatile+sm80+ptx70|cp.async.commit_group;";
    const GONE: &str = "__warploom.asm:volatile+sm75+ptx63+below80|// gone;";
    let of = |ir: &str, archs: &[Arch]| {
        let archs = archs.to_vec();
        let (_, texts) = compiled(ir, Options { archs, ..options() }).unwrap();
        let mut of: Vec<_> = texts
            .iter()
            .map(|t| (t.0, t.2.contains("cp.async")))
            .collect();
        of.sort_unstable();
        of
    };
    let (old, new) = (Arch::sm(75), Arch::sm(80));
    let never = counting("never", 7, OF_SM_80, None);
    assert_eq!(of(&never, &[old]), [(75, false)]);
    assert_eq!(of(&never, &[old, new]), [(75, false), (80, false)]);
    // It leaves both, and goes back to both.
    const OF_SM_90: &str = "__warploom.asm:volatile+sm90+ptx80|griddepcontrol.wait;";
    let newer = counting("newer", 7, OF_SM_90, None);
    let all = [(75, false), (80, false)];
    assert_eq!(of(&newer, &[old, new]), all);
    let three = [old, new, Arch::sm(90)];
    assert_eq!(of(&newer, &three), [all[0], all[1], (90, false)]);
    let always = counting("always", 6, OF_SM_80, None);
    assert_eq!(of(&always, &[old]), [(80, true)]);
    assert_eq!(of(&always, &[old, new]), [(80, true)]);
    // sm_80 has not both.
    let gone = counting("gone", 7, OF_SM_80, Some(GONE));
    assert_eq!(of(&gone, &[old]), [(75, false)]);
}

/// The names of Rust's symbols and of its constants are no names in PTX.
#[test]
fn names_are_those_that_ptxas_accepts() {
    let ir = storing(
        "named",
        "  %i = load i32, ptr %y\n  %v = call i32 @\"_R.some::name\"(i32 %i)",
    ) + "@alloc.1 = private constant [4 x i32] [i32 5, i32 6, i32 7, i32 9]
define i32 @\"_R.some::name\"(i32 %i) noinline {
  %p = getelementptr [4 x i32], ptr @alloc.1, i64 0, i32 %i
  %v = load i32, ptr %p
  ret i32 %v
}
";
    let ptx = ptx(&ir);
    assert!(
        ptx.contains("_R_some__name") && !ptx.contains("alloc.1"),
        "{ptx}"
    );
}

#[test]
fn orders_of_other_scopes_are_kept() {
    let ir = storing(
        "scoped",
        "  %a = atomicrmw add ptr %y, i32 1 syncscope(\"device\") acq_rel\n  %f = atomicrmw fadd ptr %y, float 1.0 seq_cst\n  %v = fptosi float %f to i32",
    );
    let ptx = ptx(&ir);
    assert!(ptx.contains("atom.acq_rel.gpu.global.add.u32"), "{ptx}");
    assert!(
        ptx.contains("fence.sc.sys; atom.acquire.sys.global.add.f32"),
        "{ptx}"
    );
}

/// Each replaced operation is an operand of the next.
#[test]
fn operations_on_results_of_operations_are_replaced() {
    let ir = storing(
        "chained",
        "  %a = atomicrmw add ptr %y, i32 1 seq_cst\n  %b = atomicrmw xor ptr %y, i32 %a acquire\n  %c = atomicrmw max ptr %y, i32 %b release\n  %v = atomicrmw xchg ptr %y, i32 %c acq_rel",
    );
    let ptx = ptx(&ir);
    let lines: Vec<&str> = ptx.lines().filter(|l| l.contains("atom.")).collect();
    let operations = ["add.u32", "xor.b32", "max.s32", "exch.b32"];
    assert_eq!(lines.len(), operations.len(), "{ptx}");
    let register = |line: &str, at: usize| {
        let operands = line.rsplit("32 ").next().unwrap_or_default();
        operands
            .split([',', ';'])
            .nth(at)
            .map(|r| r.trim().to_owned())
    };
    for (line, operation) in lines.iter().zip(operations) {
        assert!(line.contains(operation), "no {operation} in {line}");
    }
    for pair in lines.windows(2) {
        assert_eq!(register(pair[0], 0), register(pair[1], 2), "{ptx}");
    }
}

#[test]
fn an_intrinsic_that_llvm_does_not_know_is_named() {
    let ir = storing(
        "unknown",
        "  %v = call i32 @__warploom.llvm.nvvm.no.such.thing()",
    ) + "declare i32 @__warploom.llvm.nvvm.no.such.thing()\n";
    let said = problems(&ir);
    assert!(
        said.contains("llvm.nvvm.no.such.thing is not an intrinsic of this LLVM"),
        "{said}"
    );
    let ir = storing(
        "typed",
        "  %w = call i64 @__warploom.llvm.nvvm.read.ptx.sreg.tid.x()\n  %v = trunc i64 %w to i32",
    ) + "declare i64 @__warploom.llvm.nvvm.read.ptx.sreg.tid.x()\n";
    let said = problems(&ir);
    assert!(said.contains("has type i32 (), not i64 ()"), "{said}");
}

/// Names of older versions of LLVM, of which its reader makes `llvm.bitreverse.i32` and a barrier of all threads.
#[test]
fn an_intrinsic_that_llvm_has_in_another_form_is_taken_in_it() {
    let ir = storing(
        "older",
        "  %i = trunc i64 %n to i32\n  call void @__warploom.llvm.nvvm.barrier0()\n  %v = call i32 @__warploom.llvm.nvvm.brev32(i32 %i)",
    ) + "declare i32 @__warploom.llvm.nvvm.brev32(i32)\ndeclare void @__warploom.llvm.nvvm.barrier0()\n";
    let ptx = ptx(&ir);
    for expected in ["brev.b32", "bar.sync"] {
        assert!(ptx.contains(expected), "{ptx}");
    }
    assert!(!ptx.contains(".func"), "{ptx}");
}

#[test]
fn a_shared_array_of_unknown_size_is_refused() {
    let ir = storing(
        "sized",
        "  %p = call ptr @__warploom.shared_static(i64 %n, i64 4)\n  %v = load i32, ptr %p",
    ) + "declare ptr @__warploom.shared_static(i64, i64)\n";
    let said = problems(&ir);
    assert!(
        said.contains("the size of a shared array is not known at build time"),
        "{said}"
    );
}

/// IR of a kernel that stores what it reads of shared arrays, each of so many bytes.
fn sharing(name: &str, arrays: &[u64]) -> String {
    let (mut body, mut sites) = (String::new(), String::new());
    let mut sum = "0".to_owned();
    for (i, bytes) in arrays.iter().enumerate() {
        body.push_str(&format!(
            "  %p{i} = call ptr @{name}.{i}()\n  store volatile i8 1, ptr %p{i}\n  %l{i} = load volatile i8, ptr %p{i}\n  %v{i} = add i8 {sum}, %l{i}\n"
        ));
        sum = format!("%v{i}");
        sites.push_str(&format!(
            "define ptr @{name}.{i}() noinline {{\n  %p = call ptr @__warploom.shared_static(i64 {bytes}, i64 16)\n  ret ptr %p\n}}\n"
        ));
    }
    storing(name, &format!("{body}  %v = zext i8 {sum} to i32")) + &sites
}

/// A kernel with an instruction that architectures from sm_90 on do not have.
fn gone(name: &str) -> String {
    let symbol = "\"__warploom.asm:volatile+sm75+below90|gone $0;\"";
    storing(name, &format!("  %v = call i32 @{symbol}()")) + &format!("declare i32 @{symbol}()\n")
}

#[test]
fn images_below_have_instructions_that_are_gone_later() {
    let archs = vec![Arch::sm(75), Arch::sm(89)];
    let (_, texts) = compiled(&gone("old"), Options { archs, ..options() }).unwrap();
    assert!(
        texts.iter().all(|(_, _, text)| text.contains("gone %r")),
        "{texts:?}"
    );
}

#[test]
fn images_of_architectures_without_an_instruction_are_refused() {
    let archs = vec![Arch::sm(75), Arch::sm(90)];
    let refused = compiled(&gone("old"), Options { archs, ..options() });
    let Err(PipelineError::Kernels(problems)) = refused else {
        panic!("no problem is found: {refused:?}");
    };
    assert_eq!(
        problems,
        [
            "kernel `old` uses instructions that architectures from sm_90 on do not have, and an image for sm_90 was asked for; \
             ask for images below sm_90 alone, which newer GPUs run too, or put the code behind `if arch() < 90`\n  kernel `old` at old:0"
        ]
    );
}

const SHARED: &str = "declare ptr @__warploom.shared_static(i64, i64)\n";

#[test]
fn static_shared_memory_is_added_up_for_each_kernel() {
    let fits = sharing("one", &[49_152]) + &sharing("two", &[16, 49_130]) + SHARED;
    assert_eq!(ptx(&fits).matches(".shared .align 16").count(), 3);
    let too_much = sharing("right", &[49_152]) + &sharing("wrong", &[49_130, 30]) + SHARED;
    assert_eq!(
        problems(&too_much),
        "kernel `wrong` has 49168 bytes of static shared memory, and a block has at most 49152 (48 KiB)\n  kernel `wrong` at wrong:0\n    `wrong.0`: 49130 bytes\n    `wrong.1`: 30 bytes\n  use smaller ones, or dynamic shared memory, of which a block of most GPUs has more: a parameter `memory: DynamicShared<T>`, and `Launch::dynamic_shared(bytes)` where the kernel is launched"
    );
}

#[test]
fn problems_of_several_images_are_reported_together() {
    let kernels = ["one", "two", "three"];
    let too_much = kernels.map(|name| sharing(name, &[49_168])).concat() + SHARED;
    let said = problems(&too_much);
    for kernel in kernels {
        assert!(
            said.contains(&format!("kernel `{kernel}` has 49168 bytes")),
            "{said}"
        );
    }
}

#[test]
fn problems_beside_a_copy_that_failed_are_not_all() {
    let problem = || Err::<(), _>(PipelineError::Kernels(vec!["one".to_owned()]));
    let copy = || Err::<(), _>(PipelineError::Copy);
    for both in [(problem(), copy()), (copy(), problem())] {
        let both = PipelineError::of_both(both.0, both.1);
        assert!(matches!(both, Err(PipelineError::Copy)), "{both:?}");
    }
}

#[test]
fn undefined_symbols_are_explained() {
    let ir = storing("missing", "  %v = call i32 @middle()")
        + "define i32 @middle() {\n  %v = call i32 @open64()\n  ret i32 %v\n}\ndeclare i32 @open64()\n";
    let said = problems(&ir);
    assert!(
        said.contains("kernel `missing` cannot run on a GPU") && said.contains("open64"),
        "{said}"
    );
}

/// LLVM would compute the call in the branch that uses it; the other lanes would be missing there.
#[test]
fn a_call_stays_where_lanes_meet() {
    let ir = storing(
        "meeting",
        "  %x = load i32, ptr %y
  %m = call i32 @meet(i32 %x)
  %c = icmp eq i32 %x, 3
  br i1 %c, label %a, label %b
a:
  %p = getelementptr i32, ptr %y, i64 4
  store volatile i32 %m, ptr %p
  br label %b
b:
  %v = add i32 %x, 1",
    ) + "define i32 @meet(i32 %x) noinline memory(none) nounwind willreturn {
  %r = call i32 @__warploom.llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 1, i32 31)
  ret i32 %r
}
declare i32 @__warploom.llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
";
    let ptx = ptx(&ir);
    let call = ptx.find("call.uni (retval0)").unwrap();
    let before = &ptx[ptx.find(".entry meeting").unwrap()..call];
    assert!(!before.contains("bra"), "{ptx}");
}

/// LLVM 22's straight-line strength reduction takes the second address below for one that moves with the first.
#[test]
fn addresses_that_move_apart_stay_apart() {
    let body = "  %pa = getelementptr i32, ptr %y, i64 23
  %pb = getelementptr i32, ptr %y, i64 11
  %a = load i32, ptr %pa
  %b = load i32, ptr %pb
  %take = icmp uge i32 %a, %b
  %leave = xor i1 %take, true
  %t = sext i1 %take to i64
  %l = sext i1 %leave to i64
  %qa = getelementptr i32, ptr %pa, i64 %t
  %qb = getelementptr i32, ptr %pb, i64 %l
  %c = load i32, ptr %qa
  %d = load i32, ptr %qb
  %v = sub i32 %c, %d";
    let ptx = ptx(&storing("apart", body));
    // After `take`, the first address is at 92 - 4 and the second at 44; otherwise they are at 92 and 44 - 4.
    let last_register_at = |offset: &str| {
        let mut loads = ptx
            .lines()
            .rev()
            .filter(|l| l.contains("ld.") && l.contains(offset));
        let register = loads.next()?.split('[').nth(1)?.split('+').next();
        register.map(str::to_owned)
    };
    let first = last_register_at("+92]");
    assert!(first.is_some(), "{ptx}");
    assert_ne!(
        first,
        last_register_at("+40]"),
        "both addresses move with one register:\n{ptx}"
    );
}

/// Another kernel, with another block, may find the address and call it.
#[test]
fn a_function_whose_address_is_taken_knows_no_block() {
    // The third number behind the file is the first axis of the block: 64.
    let fixed = |ir: String| {
        let numbers =
            "[64 x i8] c\"".to_owned() + &"\\00".repeat(8) + "\\40" + &"\\00".repeat(55) + "\"";
        ir.replace("[64 x i8] zeroinitializer", &numbers)
    };
    let body = "  %v = call i32 @size()";
    let size = "declare i32 @__warploom.llvm.nvvm.read.ptx.sreg.ntid.x()
define i32 @size() noinline {
  %n = call i32 @__warploom.llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %n
}
";
    let called = fixed(storing("calling", body)) + size;
    assert!(!ptx(&called).contains("%ntid.x"), "{}", ptx(&called));
    let handed_on = body.to_owned() + "\n  store ptr @size, ptr %y";
    let taken = fixed(storing("taking", &handed_on)) + size;
    assert!(ptx(&taken).contains("%ntid.x"), "{}", ptx(&taken));
}

/// How many images the kernels of a module come in.
fn images(ir: &str) -> usize {
    parts(ir).unwrap().len()
}

#[test]
fn kernels_share_an_image_only_with_a_written_static() {
    let counting =
        "  %v = load i32, ptr @counter\n  %w = add i32 %v, 1\n  store i32 %w, ptr @counter";
    let plain = "  %v = load i32, ptr @table";
    let statics = "@counter = internal global i32 0\n@table = internal constant i32 7\n";
    let apart = storing("first", plain) + &storing("second", plain) + statics;
    assert_eq!(images(&apart), 2);
    let together = storing("first", counting) + &storing("second", counting) + statics;
    assert_eq!(images(&together), 1);
    let mixed = storing("first", counting)
        + &storing("alone", plain)
        + &storing("second", counting)
        + statics;
    assert_eq!(images(&mixed), 2);
}

/// Statics as `warploom-device-std` writes them: `(space, name, size)`.
fn statics(all: &[(&str, &str, u32)]) -> String {
    let one = |(space, name, size): &(&str, &str, u32)| {
        let space = space.replace("device", "value");
        format!(
            "@{name} = internal global [{size} x i8] zeroinitializer, section \".warploom.static;{space};shop::{name};7;1;src/lib.rs\", align 4\n"
        )
    };
    all.iter().map(one).collect()
}

fn parts(ir: &str) -> Result<Vec<super::Part>, PipelineError> {
    let context = context();
    let module = Module::from_text(&context, &format!("{HOST}{ir}")).unwrap();
    Ok(compile(module, &input(&options()))?.parts)
}

#[test]
fn a_static_that_only_the_host_reads_is_still_written() {
    let ir = storing("writing", "  store i32 3, ptr @LAST\n  %v = add i32 1, 2")
        + &statics(&[("device", "LAST", 4), ("device", "UNUSED", 4)]);
    let parts = parts(&ir).unwrap();
    let ptx = &parts[0].texts[0].2;
    assert!(
        ptx.contains(".visible .global .align 4 .b8 __warploom_static_LAST[4]"),
        "{ptx}"
    );
    assert!(
        ptx.contains("[__warploom_static_LAST], 3") && !ptx.contains("UNUSED"),
        "{ptx}"
    );
    let symbols: Vec<_> = parts[0]
        .symbols
        .iter()
        .map(|s| (&*s.name, s.size))
        .collect();
    assert_eq!(symbols, [("shop::LAST", 4)]);
}

#[test]
fn kernels_share_an_image_with_a_static_that_has_its_bytes_there() {
    let both = |space: &str| {
        let body = "  %v = load i32, ptr @VALUE";
        let ir =
            storing("first", body) + &storing("second", body) + &statics(&[(space, "VALUE", 16)]);
        parts(&ir).unwrap().len()
    };
    assert_eq!(both("device"), 1);
    assert_eq!(both("constant"), 1);
    assert_eq!(both("managed"), 2, "an address may be in many images");
}

#[test]
fn too_much_constant_memory_is_refused() {
    let body = "  %a = load i32, ptr @LARGE\n  %b = load i32, ptr @SMALL\n  %v = add i32 %a, %b";
    let with = |size| {
        storing("reading", body)
            + &statics(&[("constant", "LARGE", size), ("constant", "SMALL", 16)])
    };
    assert!(parts(&with(65_520)).is_ok());
    let said = problems(&with(65_524));
    let expected = "have 65540 bytes, and constant memory has 65536: `shop::LARGE` (65524 bytes, src/lib.rs:7), `shop::SMALL` (16 bytes";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_static_of_another_version_is_refused() {
    let ir =
        storing("reading", "  %v = load i32, ptr @VALUE") + &statics(&[("textured", "VALUE", 4)]);
    assert!(problems(&ir).contains("use the same version of all warploom crates"));
}

/// A kernel with a loop, so that no pass is without work for want of one.
const SUM: &str = "  br label %head
head:
  %k = phi i64 [ 0, %0 ], [ %next, %head ]
  %sum = phi i32 [ 0, %0 ], [ %v, %head ]
  %at = getelementptr i32, ptr %y, i64 %k
  %x = load i32, ptr %at
  %v = add i32 %sum, %x
  %next = add i64 %k, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %done, label %head
done:";

fn passes_that_run(off: &[String]) -> Vec<Pass> {
    let context = context();
    let module = Module::from_text(&context, &format!("{HOST}{}", storing("sum", SUM))).unwrap();
    let runner = Runner::new(off, &Unwatched);
    let options = options();
    compile_with(module, &input(&options), &runner).unwrap();
    runner.order()
}

#[test]
fn all_passes_run_in_the_order_of_the_table() {
    assert_eq!(passes_that_run(&[]), Pass::ALL);
}

#[test]
fn passes_that_are_switched_off_do_not_run() {
    let optional = |pass: &&Pass| pass.row().switch != Switch::Required;
    let off: Vec<String> = Pass::ALL
        .iter()
        .filter(optional)
        .map(|p| p.row().name.to_owned())
        .collect();
    let run = passes_that_run(&off);
    let required: Vec<Pass> = Pass::ALL.iter().filter(|p| !optional(p)).copied().collect();
    assert_eq!(run, required);
}
