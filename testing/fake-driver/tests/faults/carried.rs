//! Device code that this program carries, with kernels and statics, as `warploom-build` would put it there.

use std::panic::Location;
use std::sync::atomic::AtomicU32;

use warploom_device_std::{constant_static, device_static, managed_static};
use warploom_runtime::launch::{
    ByValue, Contract, Kernel, KernelAttributes, Param, SliceArg, SliceMutArg, attributes, submit,
};
use warploom_runtime::{Device, Launch, LaunchError, Stream};

// The manifest below names the lines of these.
device_static! {
    pub(crate) static COUNT: AtomicU32 = AtomicU32::new(40);
}
constant_static! {
    pub(crate) static SCALE: u32 = 3;
}
managed_static! {
    pub(crate) static TOTAL: AtomicU32 = AtomicU32::new(10);
}

const GOOD: &str = r#"{"target":"faults","failure":null,"kernels":[
{"name":"faults::saxpy","entry":"saxpy","launched_at":[],"id":7,"params":[
 {"kind":"ByValue","size":4,"align":4},{"kind":"Slice","size":4,"align":4},{"kind":"SliceMut","size":4,"align":4}]},
{"name":"faults::shared","entry":"shared","launched_at":[],"id":9,"params":[{"kind":"SliceMut","size":4,"align":4}]},
{"name":"faults::count","entry":"count","launched_at":[],"id":10,"params":[]},
{"name":"faults::wild","entry":"wild","launched_at":[],"id":11,"params":[]}],
"images":[{"sm":80,"exact":false,"offset":0,"len":8192}],"symbols":[
{"name":"faults::carried::COUNT","at":{"file":"tests/faults/carried.rs","line":13,"column":1},"entry":"faults_count","space":"Device","size":4,"align":4},
{"name":"faults::carried::SCALE","at":{"file":"tests/faults/carried.rs","line":16,"column":1},"entry":"faults_scale","space":"Constant","size":4,"align":4},
{"name":"faults::carried::TOTAL","at":{"file":"tests/faults/carried.rs","line":19,"column":1},"entry":"faults_total","space":"Managed","size":12,"align":8}]}"#;

const BROKEN: &str = r#"{"target":"broken","failure":null,"kernels":[
{"name":"faults::broken","entry":"broken","launched_at":[],"id":12,"params":[]}],
"images":[{"sm":80,"exact":false,"offset":0,"len":8192}],"symbols":[]}"#;

warploom_harness::embed_device_code!(GOOD, include_bytes!("kernels.ptx"), 8192);
const DEPENDENT: &str = r#"{"target":"dependent","failure":null,"kernels":[
{"name":"faults::waits","entry":"waits","launched_at":[],"id":13,"params":[{"kind":"SliceMut","size":4,"align":4}],
 "contract":{"dims":0,"block":[0,0,0],"max_threads":0,"min_blocks":0,"dynamic_shared":false,"cluster":[0,0,0],"cluster_at_launch":false,"max_cluster":0,"cooperative":false,"dependent_launch":true,"conditions":0}},
{"name":"faults::races","entry":"races","launched_at":[],"id":14,"params":[],
 "contract":{"dims":0,"block":[0,0,0],"max_threads":0,"min_blocks":0,"dynamic_shared":false,"cluster":[0,0,0],"cluster_at_launch":false,"max_cluster":0,"cooperative":false,"dependent_launch":true,"conditions":0}}],
"images":[{"sm":90,"exact":false,"offset":0,"len":8192}],"symbols":[]}"#;

warploom_harness::embed_device_code!(BROKEN, include_bytes!("broken.ptx"), 8192);
warploom_harness::embed_device_code!(DEPENDENT, include_bytes!("dependent.ptx"), 8192);

fn kernel<'a>(name: &'static str, params: &'a [Param], cooperative: bool) -> Kernel<'a> {
    Kernel {
        name,
        base: name.trim_start_matches("faults::"),
        package: "",
        contract: Contract {
            cooperative,
            ..Contract::ANY
        },
        params,
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    }
}

/// y[i] += a * x[i]; a panic where x is too short.
#[track_caller]
pub(crate) fn saxpy<'a>(
    stream: &Stream,
    launch: Launch,
    a: f32,
    x: impl SliceArg<'a, f32>,
    y: impl SliceMutArg<'a, f32>,
) -> Result<(), LaunchError> {
    let (x, y, a) = (x.bind(), y.bind(), ByValue::new(a));
    let params = [
        Param::by_value::<f32>(),
        Param::slice::<f32>(),
        Param::slice_mut::<f32>(),
    ];
    let args = [a.arg(), x.arg(), y.arg()];
    let kernel = kernel("faults::saxpy", &params, false);
    // SAFETY: description and arguments are those of the PTX.
    unsafe { submit(stream, launch, &kernel, &args, &|| {}, Location::caller()) }
}

/// y[0] = bytes of dynamic shared memory.
#[track_caller]
pub(crate) fn shared<'a>(
    stream: &Stream,
    launch: Launch,
    y: impl SliceMutArg<'a, u32>,
) -> Result<(), LaunchError> {
    let y = y.bind();
    let params = [Param::slice_mut::<u32>()];
    let kernel = kernel("faults::shared", &params, false);
    // SAFETY: description and arguments are those of the PTX.
    unsafe {
        submit(
            stream,
            launch,
            &kernel,
            &[y.arg()],
            &|| {},
            Location::caller(),
        )
    }
}

/// y[0] = 7, in a dependent launch.
#[track_caller]
pub(crate) fn waits<'a>(stream: &Stream, y: impl SliceMutArg<'a, u32>) -> Result<(), LaunchError> {
    let y = y.bind();
    let params = [Param::slice_mut::<u32>()];
    let (kernel, launch) = (dependent("faults::waits", &params), Launch::new(1, 1));
    let args = [y.arg()];
    // SAFETY: description and arguments are those of the PTX.
    unsafe { submit(stream, launch, &kernel, &args, &|| {}, Location::caller()) }
}

/// A dependent launch of a kernel whose first instruction is another one than the wait.
#[track_caller]
pub(crate) fn races(stream: &Stream) -> Result<(), LaunchError> {
    let (kernel, launch) = (dependent("faults::races", &[]), Launch::new(1, 1));
    // SAFETY: no arguments, and no memory is used.
    unsafe { submit(stream, launch, &kernel, &[], &|| {}, Location::caller()) }
}

fn dependent<'a>(name: &'static str, params: &'a [Param]) -> Kernel<'a> {
    let mut kernel = kernel(name, params, false);
    kernel.contract.dependent_launch = true;
    kernel
}

/// A kernel without parameters: `count` adds one to two statics, `wild` writes where no memory is, `broken` cannot be loaded.
#[track_caller]
pub(crate) fn bare(
    stream: &Stream,
    launch: Launch,
    name: &'static str,
    cooperative: bool,
) -> Result<(), LaunchError> {
    let kernel = kernel(name, &[], cooperative);
    // SAFETY: no arguments.
    unsafe { submit(stream, launch, &kernel, &[], &|| {}, Location::caller()) }
}

/// What the driver says of `count`.
#[track_caller]
pub(crate) fn count_attributes(device: &Device) -> Result<Option<KernelAttributes>, LaunchError> {
    attributes(
        device,
        &kernel("faults::count", &[], false),
        Location::caller(),
    )
}
