//! PTX from elsewhere: it is compiled by the driver, its kernel found by name and launched, its constant table filled; wrong PTX is an
//! error with the compiler's words.
//!
//! The CUDA programming guide, sections 3.3 (EX-18), 3.3.2 (EX-19, EX-20) and 3.3.4 (EX-24). Note: the kernel's types stand in the
//! program and are compared with what the driver knows; launching foreign code is `unsafe`, because what it does is not checked. The
//! emulator runs the Rust code of kernels and no PTX, and says so; the texts that it refuses it refuses as a GPU would.
//!
//! `cargo run --release -p warploom-gallery --example load_ptx`
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::process::ExitCode;

use warploom::ModuleError;
use warploom::module::{Code, Module};
use warploom::prelude::*;
use warploom_gallery::{Program, Result};

/// `extern "C" __global__ void VecAdd(const float *a, const float *b, float *c, unsigned n)`, and a kernel that reads `constData`.
const TEXT: &str = r"
.version 7.0
.target sm_75
.address_size 64

.visible .const .align 4 .b8 constData[1024];

.visible .entry VecAdd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %d<8>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 ret;
    mul.wide.u32 %d1, %r4, 4;
    ld.param.u64 %d2, [a];
    add.s64 %d3, %d2, %d1;
    ld.f32 %f1, [%d3];
    ld.param.u64 %d4, [b];
    add.s64 %d5, %d4, %d1;
    ld.f32 %f2, [%d5];
    add.rn.f32 %f3, %f1, %f2;
    ld.param.u64 %d6, [c];
    add.s64 %d7, %d6, %d1;
    st.f32 [%d7], %f3;
    ret;
}

.visible .entry Echo(.param .u64 y)
{
    .reg .f32 %f<2>;
    .reg .b32 %r<2>;
    .reg .b64 %d<6>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 4;
    mov.u64 %d2, constData;
    add.s64 %d3, %d2, %d1;
    ld.const.f32 %f1, [%d3];
    ld.param.u64 %d4, [y];
    add.s64 %d5, %d4, %d1;
    st.f32 [%d5], %f1;
    ret;
}
";

fn main() -> ExitCode {
    warploom_gallery::main(run)
}

fn run(program: &Program) -> Result {
    let not_ptx = Code::ptx("int main() { return 0; }");
    if let Err(error) = &not_ptx {
        println!("error: {error}");
    }
    program.holds(
        "C++ is no PTX",
        matches!(not_ptx, Err(ModuleError::NotCode { .. })),
    );

    let device = program.device();
    let module = device.load(&Code::ptx(TEXT)?.named("VecAdd.ptx"));
    if !device.is_gpu() {
        if let Err(error) = &module {
            println!("error: {error}");
        }
        program.holds(
            "the emulator runs no PTX",
            matches!(module, Err(ModuleError::Unsupported(_))),
        );
        return Ok(());
    }
    use_module(program, &module?)?;
    let wrong = TEXT.replace("add.rn.f32", "add.fast.f32");
    let refused = device.load(&Code::ptx(&wrong)?.named("wrong.ptx"));
    if let Err(error) = &refused {
        println!("error: {error}");
    }
    program.holds(
        "wrong PTX, with the compiler's log",
        matches!(refused, Err(ModuleError::Refused { log, .. }) if !log.is_empty()),
    );
    Ok(())
}

fn use_module(program: &Program, module: &Module) -> Result {
    let (device, stream, n) = (program.device(), program.device().stream()?, 1000);
    println!(
        "kernels: {:?}, compiled in {:?} ms",
        module.kernel_names(),
        module.compile_ms()
    );
    let add = module.kernel::<(*const f32, *const f32, *mut f32, u32)>("VecAdd")?;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (x, y, mut c) = (
        device.upload(&a)?,
        device.filled(n, 0.5f32)?,
        device.zeroed::<f32>(n)?,
    );
    // SAFETY: the kernel has these parameters, and stays below `n`.
    unsafe { add.launch(&stream, Launch::covering(n), (&x, &y, &mut c, n as u32))? };
    let expected: Vec<f32> = a.iter().map(|v| v + 0.5).collect();
    program.equal("VecAdd", &c.to_vec(&stream)?, &expected);

    let table = module.symbol::<[f32; 256]>("constData")?;
    program.is("bytes of constData", table.size(), 1024);
    let values: [f32; 256] = std::array::from_fn(|k| k as f32 / 8.0);
    table.write(&stream, &values)?;
    let echo = module.kernel::<(*mut f32,)>("Echo")?;
    let mut seen = device.zeroed::<f32>(256)?;
    // SAFETY: the kernel has this parameter; 256 threads write an element each.
    unsafe { echo.launch(&stream, Launch::new(1, 256), (&mut seen,))? };
    program.equal("constData", &seen.to_vec(&stream)?, &values);
    let missing = module.kernel::<(*mut f32,)>("VecSub");
    program.holds(
        "a wrong name",
        matches!(missing, Err(ModuleError::NoKernel { .. })),
    );
    Ok(())
}
