//! Coming from cudarc: PTX that another compiler made.

use warploom::module::Code;
use warploom::prelude::*;
use warploom::{Error, ModuleError};

// ANCHOR: load
/// Made by nvcc, NVRTC or anything else: `extern "C" __global__ void twice(float *y, unsigned n)`.
const PTX: &str = r"
.version 7.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 y, .param .u32 n)
{
    .reg .pred %p;
    .reg .f32 %f;
    .reg .b32 %r<4>;
    .reg .b64 %d<3>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    ld.param.u32 %r0, [n];
    setp.ge.u32 %p, %r3, %r0;
    @%p ret;
    ld.param.u64 %d0, [y];
    mul.wide.u32 %d1, %r3, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.f32 %f, [%d2];
    add.f32 %f, %f, %f;
    st.global.f32 [%d2], %f;
    ret;
}
";

fn twice(device: &Device, values: &[f32]) -> warploom::Result<Vec<f32>> {
    let stream = device.stream()?;
    let module = device.load(&Code::ptx(PTX)?)?;
    let kernel = module.kernel::<(*mut f32, u32)>("twice")?;
    let (n, mut y) = (values.len(), device.upload(values)?);
    // SAFETY: the kernel has these parameters, and stays below `n`.
    unsafe { kernel.launch(&stream, Launch::covering(n), (&mut y, n as u32))? };
    Ok(y.to_vec(&stream)?)
}
// ANCHOR_END: load

// ANCHOR: test
#[test]
fn foreign_ptx_runs_on_a_gpu_and_is_refused_by_the_emulator() -> warploom::Result<()> {
    let device = Device::open()?;
    let values: Vec<f32> = (0..100).map(|i| i as f32).collect();
    match twice(&device, &values) {
        Ok(y) => assert_eq!(y[99], 198.0),
        Err(Error::Module(ModuleError::Unsupported(why))) if !device.is_gpu() => {
            crate::transcript::shows!("foreign_ptx", &why.to_string());
        }
        Err(other) => return Err(other),
    }
    Ok(())
}
// ANCHOR_END: test
