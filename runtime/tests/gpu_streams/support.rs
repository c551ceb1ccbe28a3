//! Kernels, a GPU to run them on, and processes for what ends a process's use of the GPU.

use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use warploom_fake_driver::testing::Fake;
use warploom_runtime::launch::{Contract, Kernel, Param, SliceMutArg, submit};
use warploom_runtime::{Device, Launch, LaunchError, Result, Stream};

const PTX: &[u8] = include_bytes!("kernels.ptx");
const PTX_BYTES: usize = 2048;

const MANIFEST: &str = r#"{"target":"test gpu_streams","failure":null,"kernels":[
{"name":"streams::increment","entry":"increment","launched_at":[],"id":7,"params":[{"kind":"SliceMut","size":4,"align":4}]},
{"name":"streams::delay","entry":"delay","launched_at":[],"id":8,"params":[]},
{"name":"streams::wild","entry":"wild","launched_at":[],"id":9,"params":[]}],
"images":[{"sm":75,"exact":false,"offset":0,"len":2048}]}"#;

const TOTAL: usize = (24 + MANIFEST.len() + PTX_BYTES + 1).next_multiple_of(16);

/// As `warploom-build` writes it: magic, lengths, manifest, images.
const fn container() -> [u8; TOTAL] {
    let mut out = [b'\n'; TOTAL];
    let words = [
        u64::from_le_bytes(*b"WARPLM01"),
        TOTAL as u64,
        MANIFEST.len() as u64,
    ];
    let mut i = 0;
    while i < 24 {
        out[i] = words[i / 8].to_le_bytes()[i % 8];
        i += 1;
    }
    while i < 24 + MANIFEST.len() {
        out[i] = MANIFEST.as_bytes()[i - 24];
        i += 1;
    }
    assert!(PTX.len() <= PTX_BYTES);
    while i < 24 + MANIFEST.len() + PTX.len() {
        out[i] = PTX[i - 24 - MANIFEST.len()];
        i += 1;
    }
    i = 24 + MANIFEST.len() + PTX_BYTES;
    while i < TOTAL {
        out[i] = 0;
        i += 1;
    }
    out
}

#[repr(align(16))]
struct Aligned(#[expect(dead_code, reason = "read through the section")] [u8; TOTAL]);

#[used]
#[unsafe(link_section = "warploom_images")]
static CONTAINER: Aligned = Aligned(container());

/// Whether work is under way when the call that submits it returns: on a GPU, and on the fake driver where a test chose so.
pub(crate) fn is_asynchronous(device: &Device) -> bool {
    let fake = device.name().contains("fake");
    !fake || std::env::var("WARPLOOM_FAKE").is_ok_and(|options| options.contains("queued=1"))
}

/// Tells a test that nobody else is in its process.
const ALONE: &str = "WARPLOOM_TEST_ALONE";

/// The first GPU, in a process that this test has for itself: a GPU's context belongs to the process, and to wait for all of its work is to
/// wait for other tests. In any other process `None`; that has started the one and looked at how it ended, or said that there is no GPU.
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
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("skipped: {error}");
            return None;
        }
    };
    if std::env::var_os(ALONE).is_some() {
        return Some(device);
    }
    drop(device);
    // One at a time: processes share a GPU by turns, and some tests look at times.
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
        contract: Contract::ANY,
        params,
        file: file!(),
        line: line!(),
    };
    // SAFETY: description and arguments are those of the PTX.
    unsafe { submit(stream, launch, &kernel, args, &|| {}, Location::caller()) }
}

#[track_caller]
pub(crate) fn increment<'a>(
    stream: &Stream,
    y: impl SliceMutArg<'a, Elem = u32>,
) -> Result<(), LaunchError> {
    let y = y.into_arg();
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

/// Polls until the future is ready, waiting in between until it is woken.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
