//! One body on every back end: the emulator always, the GPU when there is one.
//!
//! A test says what to launch and what to expect; the failure then names the device, the element and both values.

use std::fmt::Debug;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::opened_gpus;
use warploom_device_std::Plain;
use warploom_runtime::model::{Emulator, Schedule};
use warploom_runtime::testing::every_schedule;
use warploom_runtime::{Device, DeviceBuffer, DeviceError, LaunchError, Result, Stream};

/// How many GPUs there must be: a test that finds fewer of those that it needs then fails, and is not skipped.
const REQUIRE_GPU: &str = "WARPLOOM_REQUIRE_GPU";

/// In which orders of threads each test runs on the emulator: `all` for every fixed order and 20 seeds of random ones, a number for
/// other seeds, unset for the emulator's own order.
const SCHEDULES: &str = "WARPLOOM_SCHEDULES";

/// The devices that a test runs on: the emulator, in each order of threads that `WARPLOOM_SCHEDULES` asks for and as the GPU that
/// `WARPLOOM_EMULATE` names, then the first GPU if it can be opened.
///
/// Says so once per process when there is no GPU, past the test runner's capture.
///
/// # Panics
/// When there is no GPU and `WARPLOOM_REQUIRE_GPU` is at least 1; when one of the variables cannot be read.
#[must_use]
pub fn devices() -> Vec<Device> {
    with_gpu(emulators())
}

/// The first GPU; where there is none, writes that the test is skipped, past the test runner's capture.
///
/// # Panics
/// When there is no GPU and `WARPLOOM_REQUIRE_GPU` is at least 1.
#[must_use]
pub fn gpu_or_skip() -> Option<Device> {
    first_gpu(|why| {
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        format!("{test} is skipped: {why}\n")
    })
}

/// Notes that this test opens the first GPU, for a test that does so without this module: [`warploom_runtime::testing`] knows no record.
///
/// # Panics
/// As [`devices`].
pub fn opens_a_gpu() {
    drop(with_gpu(vec![]));
}

/// The first two GPUs; where there are fewer, writes that the test is skipped for two GPUs, past the test runner's capture.
///
/// # Panics
/// When there are fewer and `WARPLOOM_REQUIRE_GPU` is 2 or more.
#[must_use]
pub fn two_gpus_or_skip() -> Option<Vec<Device>> {
    match (0..2).map(Device::cuda).collect::<Result<Vec<_>, _>>() {
        Ok(gpus) => {
            gpus.iter().for_each(opened_gpus::record);
            Some(gpus)
        }
        Err(why) => {
            let required = required_gpus();
            assert!(
                required < 2,
                "{REQUIRE_GPU} is {required}, but there are no two GPUs: {why}"
            );
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            // If this fails, nothing is lost but the remark.
            drop(writeln!(
                std::io::stderr(),
                "{test} is skipped for two GPUs: {why}"
            ));
            None
        }
    }
}

/// What `WARPLOOM_REQUIRE_GPU` asks for.
fn required_gpus() -> usize {
    let value = std::env::var(REQUIRE_GPU).ok();
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

fn with_gpu(mut devices: Vec<Device>) -> Vec<Device> {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    devices.extend(first_gpu(|why| {
        if REPORTED.swap(true, Ordering::Relaxed) {
            return String::new();
        }
        format!("the GPU half of these tests is skipped: {why}\n")
    }));
    devices
}

/// The first GPU; where there is none and none is required, writes the remark to standard error.
fn first_gpu(remark: impl FnOnce(&DeviceError) -> String) -> Option<Device> {
    match Device::cuda(0) {
        Ok(gpu) => {
            opened_gpus::record(&gpu);
            Some(gpu)
        }
        Err(why) => {
            let required = required_gpus();
            assert!(
                required == 0,
                "{REQUIRE_GPU} is {required}, but there is no GPU: {why}"
            );
            // The runner captures what `eprint!` writes. If this fails, nothing is lost but the remark.
            drop(std::io::stderr().write_all(remark(&why).as_bytes()));
            None
        }
    }
}

#[expect(
    clippy::panic,
    reason = "a wrong setting must not pass for a passed test"
)]
fn emulators() -> Vec<Device> {
    let emulator = Emulator::from_env().unwrap_or_else(|why| panic!("{why}"));
    let value = std::env::var(SCHEDULES).ok();
    match schedules(value.as_deref()) {
        Ok(None) => vec![emulator.device()],
        Ok(Some(schedules)) => schedules
            .into_iter()
            .map(|schedule| emulator.schedule(schedule).device())
            .collect(),
        Err(why) => panic!("{why}"),
    }
}

/// What `WARPLOOM_SCHEDULES` asks for.
fn schedules(value: Option<&str>) -> Result<Option<Vec<Schedule>>, String> {
    let seeds = match value {
        None | Some("") => return Ok(None),
        Some("all") => 20,
        Some(number) => number.parse().map_err(|_| {
            format!("{SCHEDULES} is `{number}`; use `all` or the number of random orders")
        })?,
    };
    Ok(Some(every_schedule(seeds).collect()))
}

/// Runs `body` on each device, with a stream of its own, and waits for what it left there.
///
/// # Panics
/// When the body or the wait gives an error; the message names the device.
#[track_caller]
pub fn on_each_device(body: impl Fn(&Device, &Stream) -> Result<()>) {
    on_each_of(devices(), body);
}

/// [`on_each_device`] with one emulator at most, whatever `WARPLOOM_SCHEDULES` says: for statics, which a program's emulators share.
///
/// # Panics
/// As [`on_each_device`].
#[track_caller]
pub fn on_each_kind_of_device(body: impl Fn(&Device, &Stream) -> Result<()>) {
    let first = emulators().into_iter().take(1).collect();
    on_each_of(with_gpu(first), body);
}

#[track_caller]
fn on_each_of(devices: Vec<Device>, body: impl Fn(&Device, &Stream) -> Result<()>) {
    for device in devices {
        let run = || -> Result<()> {
            let stream = device.stream()?;
            body(&device, &stream)?;
            Ok(stream.synchronize()?)
        };
        if let Err(error) = run() {
            fail(&device, &error.to_string());
        }
    }
}

/// Runs `body` on each device and compares what it gives with `expected`, element by element.
///
/// # Panics
/// When they differ, or on an error; the message names the device, the first element that differs, and both values.
#[track_caller]
pub fn check<T: PartialEq + Debug>(
    expected: &[T],
    body: impl Fn(&Device, &Stream) -> Result<Vec<T>>,
) {
    for device in devices() {
        let run = || body(&device, &device.stream()?);
        match run() {
            Ok(found) => compare(&device, &found, expected),
            Err(error) => fail(&device, &error.to_string()),
        }
    }
}

/// Uploads `x`, launches into a zeroed output of the same length, and expects `expected(i)` in element `i`.
///
/// # Panics
/// As [`check`].
#[track_caller]
pub fn check_map<A: Plain, B: Plain + PartialEq + Debug>(
    x: &[A],
    launch: impl Fn(&Stream, &DeviceBuffer<A>, &mut DeviceBuffer<B>) -> Result<(), LaunchError>,
    expected: impl Fn(usize) -> B,
) {
    let expected: Vec<B> = (0..x.len()).map(expected).collect();
    check(&expected, |device, stream| {
        let x = device.upload(x)?;
        let mut y = device.zeroed::<B>(x.len())?;
        launch(stream, &x, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[track_caller]
fn compare<T: PartialEq + Debug>(device: &Device, found: &[T], expected: &[T]) {
    if found.len() != expected.len() {
        let (found, expected) = (found.len(), expected.len());
        fail(
            device,
            &format!("{found} elements instead of {expected} came back"),
        );
    }
    let wrong = |(found, expected): (&T, &T)| found != expected;
    if let Some(i) = found.iter().zip(expected).position(wrong) {
        let count = found.iter().zip(expected).filter(|&p| wrong(p)).count();
        let (found, expected) = (&found[i], &expected[i]);
        fail(
            device,
            &format!(
                "element {i} is {found:?}, expected was {expected:?} ({count} elements differ)"
            ),
        );
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "this is how a test fails")]
fn fail(device: &Device, what: &str) -> ! {
    match device.schedule() {
        Some(schedule) => panic!("on {}, schedule {schedule}: {what}", device.name()),
        None => panic!("on {}: {what}", device.name()),
    }
}

/// Steps until `n` reaches 1 by halving and tripling. A function of another crate that kernels call and nothing may inline.
#[inline(never)]
#[must_use]
pub fn collatz_steps(mut n: u32) -> u32 {
    let mut steps = 0;
    while n > 1 {
        n = if n.is_multiple_of(2) {
            n / 2
        } else {
            3 * n + 1
        };
        steps += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_chooses_orders() {
        assert_eq!(schedules(None), Ok(None));
        assert_eq!(schedules(Some("all")).unwrap().unwrap().len(), 24);
        let two = schedules(Some("2")).unwrap().unwrap();
        assert_eq!(two.len(), 6);
        assert!(two.contains(&Schedule::Reverse) && two.contains(&Schedule::Random(1)));
        assert!(schedules(Some("some")).unwrap_err().contains("`some`"));
    }
}
