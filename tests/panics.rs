//! A panic of a kernel is an `Err` with its place and message; everything else goes on.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the kernels are here to panic, and the helpers of a test may fail as the test does"
)]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::prelude::*;
use warploom::{Error, LaunchError, StreamError};
use warploom_harness::device_test::on_each_device;

/// Blocks and threads of each launch.
const SHAPE: (u32, u32) = (3, 50);
/// The one thread that panics: thread 7 of block 1.
const CULPRIT: usize = 57;

#[kernel]
fn plus_one(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + 1;
    }
}

/// Launches a kernel of which thread [`CULPRIT`] panics, and expects the message and the column of `at`.
///
/// `x` counts from 0 to 149. All other threads write 1 to `y`.
#[track_caller]
fn panics(
    kernel: &str,
    at: (u32, u32),
    message: &str,
    launch: impl Fn(&Stream, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<(), LaunchError>,
) {
    on_each_device(|device, stream| {
        let count: Vec<u32> = (0..150).collect();
        let (x, other) = (device.upload(&count)?, device.upload(&[0xfeed_beefu32; 33])?);
        let mut y = device.zeroed::<u32>(150)?;
        launch(stream, &x, &mut y)?;
        let name = device.name();
        let error = stream.synchronize().expect_err(name);
        let text = error.to_string();
        let (line, column) = at;
        let start = format!("kernel `{kernel}` panicked at {}:{line}:{column}: {message}", file!());
        assert!(text.starts_with(&start), "on {name}:\n  {text}\nwhere this was expected:\n  {start}");
        assert!(
            text.contains("(block (1,0,0), thread (7,0,0); launched at "),
            "on {name}: {text}"
        );
        let StreamError::Panic(panic) = error else {
            panic!("on {name}: {error:?}");
        };
        assert_eq!((panic.line, panic.column), at);
        assert!(panic.launched_at.is_some_and(|at| at.file() == file!()), "on {name}: {panic:?}");

        // Said once; what others wrote is there; the device takes more work; nobody else's memory has changed.
        stream.synchronize()?;
        let mut expected = [1; 150];
        expected[CULPRIT] = 0;
        assert_eq!(y.to_vec(stream)?, expected, "on {name}");
        plus_one::launch(stream, SHAPE, &x, &mut y)?;
        let next: Vec<u32> = count.iter().map(|v| v + 1).collect();
        assert_eq!(y.to_vec(stream)?, next, "on {name}");
        assert_eq!(other.to_vec(stream)?, [0xfeed_beef; 33], "on {name}");
        Ok(())
    });
}

/// A kernel whose thread [`CULPRIT`] runs the body, which must panic, and the place of the body.
macro_rules! panicking {
    ($(#[$attribute:meta])* $test:ident, $column:literal, $message:expr, |$x:ident, $v:ident| $body:expr) => {
        $(#[$attribute])*
        #[test]
        fn $test() {
            // The macro's caller, which is one line: that of the body.
            const LINE: u32 = line!();
            #[kernel]
            #[allow(unused_variables, clippy::diverging_sub_expression, reason = "not every body uses both")]
            fn culprit(i: Index1D, $x: &[u32], mut y: DisjointSlice<u32>) {
                let Some(y) = y.get_mut(i) else { return };
                if i.get() == CULPRIT {
                    let $v = $x[i.get()];
                    *y = $body;
                } else {
                    *y = 1;
                }
            }
            panics("culprit", (LINE, $column), $message, |stream, x, y| culprit::launch(stream, SHAPE, x, y));
        }
    };
}
