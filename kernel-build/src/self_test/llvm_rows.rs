//! What the device linker takes from LLVM: its C API with its numbers, names of attributes, passes and intrinsics, and the back end.

use super::kernels::{self, INDICES};
use super::probe::Probe;
use crate::llvm::{Attribute, Block, Compare, Library, Machine, Op, Passes};
use crate::lower::{host_code, retarget, symbols};
use crate::options::Arch;

/// The library has all functions that are called.
pub(super) fn functions(probe: &Probe) -> Result<(), String> {
    let opened = Library::open(&probe.task.llvm, 0);
    opened.map(drop).map_err(|e| e.to_string())
}

/// LLVM accepts the options: an unknown one ends the process.
pub(super) fn options(probe: &Probe) -> Result<(), String> {
    let context = probe.context()?;
    // SAFETY: the self-test changes no limit.
    unsafe { context.set_usual_limits() };
    Ok(())
}

/// Instructions of all kinds that passes tell apart.
#[rustfmt::skip]
const OPERATIONS: &[(Op, &str)] = &[
    (Op::Add, "%add = add i64 %n, %n"),
    (Op::FAdd, "%fadd = fadd float %f, %f"),
    (Op::Sub, "%sub = sub i64 %n, %n"),
    (Op::FSub, "%fsub = fsub float %f, %f"),
    (Op::Mul, "%mul = mul i64 %n, %n"),
    (Op::FMul, "%fmul = fmul float %f, %f"),
    (Op::UDiv, "%udiv = udiv i64 %n, 3"),
    (Op::FDiv, "%fdiv = fdiv float %f, %f"),
    (Op::URem, "%urem = urem i64 %n, 3"),
    (Op::FRem, "%frem = frem float %f, %f"),
    (Op::Shl, "%shl = shl i64 %n, 3"),
    (Op::LShr, "%lshr = lshr i64 %n, 3"),
    (Op::AShr, "%ashr = ashr i64 %n, 3"),
    (Op::And, "%and = and i64 %n, 3"),
    (Op::Or, "%or = or i64 %n, 3"),
    (Op::Xor, "%xor = xor i64 %n, 3"),
    (Op::Load, "%load = load i32, ptr %p"),
    (Op::Store, "store i32 %load, ptr %p"),
    (Op::GetElementPtr, "%gep = getelementptr i32, ptr %p, i64 %n"),
    (Op::Trunc, "%trunc = trunc i64 %n to i32"),
    (Op::ZExt, "%zext = zext i32 %trunc to i64"),
    (Op::SExt, "%sext = sext i32 %trunc to i64"),
    (Op::FPToUI, "%fptoui = fptoui float %f to i32"),
    (Op::FPToSI, "%fptosi = fptosi float %f to i32"),
    (Op::UIToFP, "%uitofp = uitofp i32 %trunc to float"),
    (Op::SIToFP, "%sitofp = sitofp i32 %trunc to float"),
    (Op::FPExt, "%fpext = fpext float %f to double"),
    (Op::FPTrunc, "%fptrunc = fptrunc double %fpext to float"),
    (Op::BitCast, "%bitcast = bitcast float %f to i32"),
    (Op::ICmp, "%icmp = icmp ult i64 %n, 3"),
    (Op::FCmp, "%fcmp = fcmp olt float %f, %f"),
    (Op::Call, "call void @called()"),
    (Op::Select, "%select = select i1 %icmp, i64 %n, i64 3"),
    (Op::Fence, "fence seq_cst"),
    (Op::CmpXchg, "%cmpxchg = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst"),
    (Op::AtomicRmw, "%rmw = atomicrmw add ptr %p, i32 1 seq_cst"),
    (Op::IntToPtr, "%inttoptr = inttoptr i64 %n to ptr"),
    (Op::AddrSpaceCast, "%space = addrspacecast ptr %p to ptr addrspace(1)"),
    (Op::FNeg, "%fneg = fneg float %f"),
    (Op::Freeze, "%freeze = freeze i64 %n"),
    (Op::Branch, "br i1 %icmp, label %left, label %right"),
];

/// The numbers of instructions and comparisons are those that passes know.
pub(super) fn operations(probe: &Probe) -> Result<(), String> {
    let body: String = OPERATIONS
        .iter()
        .map(|(_, text)| format!("  {text}\n"))
        .collect();
    let text = format!(
        "declare void @called()\ndeclare i32 @personality(...)\ndefine i64 @operations(i64 %n, float %f, ptr %p) personality ptr @personality {{\nstart:\n{body}left:\n  invoke void @called() to label %right unwind label %bad\nright:\n  %phi = phi i64 [ 0, %start ], [ 1, %left ]\n  br label %end\nend:\n  ret i64 %phi\nbad:\n  %pad = landingpad {{ ptr, i32 }} cleanup\n  br i1 %icmp, label %resumed, label %never\nresumed:\n  resume {{ ptr, i32 }} %pad\nnever:\n  unreachable\n}}\n"
    );
    let module = probe.module(&text)?;
    let function = module
        .function("operations")
        .ok_or("the function is lost")?;
    let rest = [
        Op::Invoke,
        Op::Phi,
        Op::Branch,
        Op::Return,
        Op::LandingPad,
        Op::Branch,
        Op::Resume,
        Op::Unreachable,
    ];
    let expected = OPERATIONS.iter().map(|(op, _)| *op).chain(rest);
    let found = function.instructions();
    for (op, instruction) in expected.zip(&found) {
        if instruction.op() != op {
            return Err(format!(
                "`{}` is {:?}, not {op:?}",
                instruction.to_text().trim(),
                instruction.op()
            ));
        }
    }
    let comparison = found.iter().find(|i| i.op() == Op::ICmp);
    if comparison.and_then(|c| c.comparison()) != Some(Compare::Ult) {
        return Err("`icmp ult` has another number".into());
    }
    let condition = Block::all(function).first().and_then(|b| b.condition());
    match condition {
        Some(condition) if Some(&condition) == comparison => Ok(()),
        _ => Err("the condition of a branch is not found".into()),
    }
}

/// Attributes that the device linker adds or removes by their names.
pub(super) fn attributes(probe: &Probe) -> Result<(), String> {
    const NAMES: [&str; 6] = [
        "alwaysinline",
        "convergent",
        "noduplicate",
        "noinline",
        "optnone",
        "uwtable",
    ];
    let context = probe.context()?;
    let mut names = NAMES.iter();
    match names.find(|name| Attribute::named(context, name, 0).is_none()) {
        Some(name) => Err(format!("LLVM has no attribute `{name}`")),
        None => Ok(()),
    }
}

/// LLVM has all passes by the names in which they are asked for.
pub(super) fn passes(probe: &Probe) -> Result<(), String> {
    let machine = Machine::new(probe.context()?, retarget::TRIPLE, "sm_75", "");
    let machine = machine.map_err(|e| e.to_string())?;
    for passes in Passes::all() {
        let text = passes.to_text();
        let mut module = probe.module("define void @nothing() {\n  ret void\n}\n")?;
        let ran = module.run(passes, Some(&machine));
        ran.map_err(|e| format!("`{text}`: {e}"))?;
    }
    Ok(())
}

/// The back end has each architecture, and writes the PTX version that is asked for.
pub(super) fn architectures(probe: &Probe) -> Result<(), String> {
    let archs = [
        (Arch::sm(75), "7.1"),
        (Arch::sm(80), "7.1"),
        (Arch::sm(89), "7.8"),
        (Arch::sm(90), "8.0"),
        (Arch::exactly(90), "8.0"),
        (Arch::sm(100), "8.6"),
        (Arch::sm(120), "8.7"),
    ];
    for (arch, version) in archs {
        let ptx = kernels::ptx(probe, &INDICES, arch)?;
        for expected in [
            format!(".version {version}\n"),
            format!(".target {}\n", arch.name()),
        ] {
            if !ptx.contains(&expected) {
                return Err(format!(
                    "the PTX for {} has no `{}`",
                    arch.name(),
                    expected.trim()
                ));
            }
        }
    }
    Ok(())
}

/// The intrinsics of the device library: name and type, that of an overloaded one without its type.
pub(super) const INTRINSICS: &str = include_str!("intrinsics.txt");

/// LLVM has all intrinsics of the device library, with their types, or reads them in another form.
pub(super) fn intrinsics(probe: &Probe) -> Result<(), String> {
    let mut module = probe.module("")?;
    for line in INTRINSICS.lines() {
        let (name, ty) = line.split_once(' ').unwrap_or((line, ""));
        if module.is_overloaded_intrinsic(name) {
            continue;
        }
        let Some(found) = module.intrinsic(name) else {
            if symbols::upgraded(probe.context()?, "form", name, ty).is_none() {
                return Err(format!("LLVM has no intrinsic `{name}`"));
            }
            continue;
        };
        let found = found.value_type().to_text();
        if found != ty {
            return Err(format!("`{name}` has the type `{found}`, not `{ty}`"));
        }
    }
    Ok(())
}

/// What stands in for instructions of the host is IR that this LLVM accepts.
pub(super) fn host_instructions(probe: &Probe) -> Result<(), String> {
    probe.module(&host_code::generic_forms()).map(drop)
}
