//! Small kernels through the whole pipeline: host IR in, verified after each stage, PTX out.

use super::probe::Probe;
use crate::options::{Arch, Options};
use crate::pipeline::{self, Input};
use crate::sample::{HOST, storing, storing_fast};
use crate::watch::Unwatched;

/// A kernel, and what its PTX must have.
pub(super) struct Sample {
    pub(super) name: &'static str,
    /// What leads to `%v`, which is stored. `%y` is the address, `%n` a number.
    pub(super) body: &'static str,
    /// Other functions and constants.
    pub(super) others: &'static str,
    pub(super) fast_math: bool,
    /// Of each line one of the forms between `|`.
    pub(super) expected: &'static [&'static str],
}

pub(super) const INDICES: Sample = Sample {
    name: "indices",
    body: "  %v = call i32 @__warploom.llvm.nvvm.read.ptx.sreg.tid.x()",
    others: "declare i32 @__warploom.llvm.nvvm.read.ptx.sreg.tid.x()\n",
    fast_math: false,
    expected: &[".entry indices(", "%tid.x", "st.global.b32|st.global.u32"],
};

pub(super) const SHARED: Sample = Sample {
    name: "shared",
    body: "  %p = call ptr @__warploom.shared_static(i64 64, i64 4)
  store i32 1, ptr %p
  call void @__warploom.llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr %p",
    others: "declare ptr @__warploom.shared_static(i64, i64)
declare void @__warploom.llvm.nvvm.barrier.cta.sync.aligned.all(i32)
",
    fast_math: false,
    expected: &[
        ".shared ",
        "st.shared.b32|st.shared.u32",
        "bar.sync|barrier.sync.aligned",
        "ld.shared.b32|ld.shared.u32",
    ],
};

pub(super) const ATOMICS: Sample = Sample {
    name: "atomics",
    body: "  %a = atomicrmw add ptr %y, i32 1 syncscope(\"device\") acq_rel
  %f = atomicrmw fadd ptr %y, float 1.0 seq_cst
  %x = cmpxchg ptr %y, i32 1, i32 2 release monotonic
  %v = load atomic i32, ptr %y acquire, align 4",
    others: "",
    fast_math: false,
    expected: &[
        "atom.acq_rel.gpu.global.add.u32",
        "fence.sc.sys; atom.acquire.sys.global.add.f32",
        "atom.release.sys.global.cas.b32",
        "ld.acquire.sys.global.b32|ld.acquire.sys.global.u32",
    ],
};

/// The second panic is by the name of the device library's function: its definition, here not one of an archive, is kept from the beginning.
pub(super) const PANICS: Sample = Sample {
    name: "panics",
    body: "  %in = icmp ult i64 %n, 4
  br i1 %in, label %good, label %bad
bad:
  call void @_RNvNtCs0_4core9panicking18panic_bounds_check(i64 %n, i64 4, ptr @at)
  unreachable
good:
  %odd = trunc i64 %n to i1
  br i1 %odd, label %bad2, label %good2
bad2:
  call void @__warploom_panic_bounds_check(i64 %n, i64 2, ptr @at)
  unreachable
good2:
  %v = add i32 1, 2",
    others: "@file = private constant [8 x i8] c\"probe.rs\"
@at = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c\"\\08\\00\\00\\00\\00\\00\\00\\00\\01\\00\\00\\00\\01\\00\\00\\00\" }>
declare void @_RNvNtCs0_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn
define void @__warploom_panic_bounds_check(i64 %i, i64 %n, ptr %at) noreturn noinline {
  call void @__warploom.exit()
  unreachable
}
declare void @__warploom.exit() noreturn
",
    fast_math: false,
    expected: &["exit;", "st.global.b32|st.global.u32"],
};

/// Two sines, as above.
pub(super) const FLOATS: Sample = Sample {
    name: "floats",
    body: "  %i = trunc i64 %n to i32
  %x = sitofp i32 %i to float
  %fma = call float @llvm.fma.f32(float %x, float %x, float 1.0)
  %root = call float @llvm.sqrt.f32(float %fma)
  %sine = call float @llvm.sin.f32(float %root)
  %again = call float @__warploom_math_sin_f32(float %sine)
  %v = call i32 @llvm.fptosi.sat.i32.f32(float %again)",
    others: "declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.sin.f32(float)
declare i32 @llvm.fptosi.sat.i32.f32(float)
define float @__warploom_math_sin_f32(float %x) noinline {
  %y = fdiv float %x, 3.0
  ret float %y
}
",
    fast_math: false,
    expected: &["fma.rn.f32", "sqrt.rn.f32", "div.rn.f32", "cvt.rzi.s32.f32"],
};

/// A quotient in a function that stays one, and a root.
pub(super) const FAST_MATH: Sample = Sample {
    name: "fast_math",
    body: "  %i = trunc i64 %n to i32
  %x = sitofp i32 %i to float
  %q = call float @quotient(float %x)
  %root = call float @llvm.sqrt.f32(float %q)
  %sum = fadd float %root, 1.0
  %v = bitcast float %sum to i32",
    others: "declare float @llvm.sqrt.f32(float)
define float @quotient(float %x) noinline {
  %y = fdiv float %x, 3.0
  ret float %y
}
",
    fast_math: true,
    expected: &[
        "div.approx.ftz.f32",
        "sqrt.approx.ftz.f32",
        "add.ftz.f32|add.rn.ftz.f32",
    ],
};

pub(super) const ASSEMBLY: Sample = Sample {
    name: "assembly",
    body: "  %v = call i32 @\"__warploom.asm:volatile|mov.u32 $0, %laneid;\"()",
    others: "declare i32 @\"__warploom.asm:volatile|mov.u32 $0, %laneid;\"()\n",
    fast_math: false,
    expected: &["%laneid;"],
};

/// The kernel becomes PTX that has what it must have.
pub(super) fn check(probe: &Probe, sample: &Sample) -> Result<(), String> {
    let ptx = ptx(probe, sample, Arch::sm(75))?;
    for forms in sample.expected {
        if !forms.split('|').any(|form| ptx.contains(form)) {
            return Err(format!("the PTX of `{}` has no `{forms}`", sample.name));
        }
    }
    Ok(())
}

/// The PTX of a kernel, made with instrumented code beside it.
pub(super) fn ptx(probe: &Probe, sample: &Sample, arch: Arch) -> Result<String, String> {
    let kernel = match sample.fast_math {
        true => storing_fast(sample.name, sample.body),
        false => storing(sample.name, sample.body),
    };
    let module = probe.module(&format!("{HOST}{kernel}{}", sample.others))?;
    let options = Options {
        archs: vec![arch],
        ..Options::default()
    };
    let input = Input {
        options: &options,
        archives: &[],
        target: "self-test",
        dump: &|_, _| (),
        last_result: None,
        watch: &Unwatched,
    };
    let compiled = pipeline::compile(module, &input).map_err(|e| e.to_string())?;
    let texts = compiled.parts.iter().flat_map(|part| &part.texts);
    Ok(texts.map(|(_, _, text)| text.as_str()).collect())
}
