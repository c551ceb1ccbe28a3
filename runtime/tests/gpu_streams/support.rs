//! Kernels, a GPU to run them on, and processes for what ends a process's use of the GPU.

use std::panic::Location;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

use warploom_fake_driver::testing::Fake;
use warploom_harness::device_test::gpu_or_skip;
use warploom_harness::embed_device_code;
use warploom_runtime::launch::{Contract, Kernel, Param, SliceMutArg, submit};
use warploom_runtime::{Device, Launch, LaunchError, Result, Stream};

const MANIFEST: &str = r#"{"target":"test gpu_streams","failure":null,"kernels":[
{"name":"streams::increment","entry":"increment","launched_at":[],"id":7,"params":[{"kind":"SliceMut","size":4,"align":4}]},
{"name":"streams::delay","entry":"delay","launched_at":[],"id":8,"params":[]},
{"name":"streams::wild","entry":"wild","launched_at":[],"id":9,"params":[]}],
"images":[{"sm":75,"exact":false,"offset":0,"len":2048}]}"#;

embed_device_code!(MANIFEST, include_bytes!("kernels.ptx"), 2048);

/// Whether work is under way when the call that submits it returns: on a GPU, and on the fake driver where a test chose so.
pub(crate) fn is_asynchronous(device: &Device) -> bool {
    let fake = device.name().contains("fake");
    !fake || std::env::var("WARPLOOM_FAKE").is_ok_and(|options| options.contains("queued=1"))
}

/// Tells a test that it runs alone in its process.
const ALONE: &str = "WARPLOOM_TEST_ALONE";

/// The first GPU, in a process that this test has for itself: a GPU's context belongs to the process, and to wait for all of its work is to
/// wait for other tests. In any other process `None`; that has started the one and checked how it ended, or said that there is no GPU.
macro_rules! gpu {
    () => {{
        fn here() {}
        match $crate::support::gpu_alone(std::any::type_name_of_val(&here)) {
            Some(device) => device,
            None => return Ok(()),
        }
    }};
}
pub(crate) use gpu;

/// `here`: the path of a function within the test.
#[track_caller]
pub(crate) fn gpu_alone(here: &str) -> Option<Device> {
    let device = gpu_or_skip()?;
    if std::env::var_os(ALONE).is_some() {
        return Some(device);
    }
    drop(device);
    // One at a time: processes share a GPU by turns, and some tests measure time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let test = here.trim_end_matches("::here").split_once("::");
    let (_, test) = test.unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let [said, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{said}\n{errors}");
    assert!(said.contains("1 passed"), "{said}");
    None
}

/// On the fake driver: waits until nothing of the program is left in it. What a host function dropped goes a little later.
#[track_caller]
pub(crate) fn assert_nothing_left() {
    let Ok(fake) = Fake::loaded() else { return };
    for _ in 0..2000 {
        if fake.live().is_empty() {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(fake.live(), []);
    assert_eq!(fake.complaints(), Vec::<String>::new());
}

#[track_caller]
fn start<'a>(
    stream: &Stream,
    name: &'static str,
    launch: Launch,
    params: &'a [Param],
    args: &[warploom_runtime::launch::Arg<'a>],
) -> Result<(), LaunchError> {
    let kernel = Kernel {
        name,
        base: name.trim_start_matches("streams::"),
        package: "",
        contract: Contract::ANY,
        params,
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    // SAFETY: description and arguments are those of the PTX.
    unsafe { submit(stream, launch, &kernel, args, &|| {}, Location::caller()) }
}

#[track_caller]
pub(crate) fn increment<'a>(
    stream: &Stream,
    y: impl SliceMutArg<'a, u32>,
) -> Result<(), LaunchError> {
    let y = y.bind();
    let launch = Launch::covering(y.len());
    start(
        stream,
        "streams::increment",
        launch,
        &[Param::slice_mut::<u32>()],
        &[y.arg()],
    )
}

/// Keeps the stream busy for a while.
#[track_caller]
pub(crate) fn delay(stream: &Stream) -> Result<(), LaunchError> {
    start(stream, "streams::delay", Launch::new(1, 1), &[], &[])
}

/// Breaks the context.
#[track_caller]
pub(crate) fn wild(stream: &Stream) -> Result<(), LaunchError> {
    start(stream, "streams::wild", Launch::new(2, 32), &[], &[])
}
