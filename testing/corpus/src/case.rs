//! What a case is, and how it is launched.

use std::fmt;

use warploom::device_std::Plain;
use warploom::{Device, DeviceBuffer, Stream};
use warploom_harness::unseen::{self, Half};

/// One bug: a kernel that has it and, as its twin, the same kernel without.
#[derive(Clone, Copy)]
pub struct Case {
    /// The kernel's name, and the case's.
    pub name: &'static str,
    /// Where the bug comes from: pitfalls of the course notes (`P-14`), a mutation (`reduce`), a public report (`owner/repository#1`), or nothing.
    pub origin: &'static str,
    /// Uploads the inputs, launches the kernel, and compares what comes back.
    pub run: fn(&Run<'_>) -> Result<(), Failure>,
    /// Whether the bug keeps a GPU busy for ever.
    pub hangs: bool,
}

impl Case {
    /// The half of a bug from a public report, by its name alone (RULES.md); `None` of the other bugs.
    #[must_use]
    pub fn half(&self) -> Option<Half> {
        self.origin
            .contains('#')
            .then(|| unseen::half("corpus", self.name))
    }

    /// The same case, whose bug keeps a GPU busy for ever.
    #[must_use]
    pub const fn hangs(mut self) -> Case {
        self.hangs = true;
        self
    }
}

/// The cases of one source file, with its text: expectations are comments at its lines.
#[derive(Clone, Copy)]
pub struct File {
    /// The path, as the compiler was given it.
    pub path: &'static str,
    /// The text.
    pub source: &'static str,
    /// The cases, one for each kernel.
    pub cases: &'static [Case],
}

/// Where a case runs, and which of its two kernels.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Where.
    pub device: &'a Device,
    /// The order of its work.
    pub stream: &'a Stream,
    /// Whether the kernel with the bug runs, or its twin.
    pub bug: bool,
}

/// Why a run was no success.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The launch or a copy failed: of a bug that was found, the reports.
    Error(warploom::Error),
    /// The kernel ended, and left something else than it should have.
    Wrong(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error(error) => error.fmt(f),
            Failure::Wrong(what) => write!(f, "wrong result: {what}"),
        }
    }
}

impl<E: Into<warploom::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Error(error.into())
    }
}

impl Run<'_> {
    /// A buffer with these values.
    pub(crate) fn upload<T: Plain>(&self, values: &[T]) -> Result<DeviceBuffer<T>, Failure> {
        Ok(self.device.upload(values)?)
    }

    /// A buffer of zeros.
    pub(crate) fn zeroed<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>, Failure> {
        Ok(self.device.zeroed(len)?)
    }

    /// A buffer without values.
    pub(crate) fn uninit<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>, Failure> {
        Ok(self.device.alloc_uninit(len)?)
    }

    /// One number in the kernel with the bug, another in its twin.
    pub(crate) fn pick<T>(&self, bug: T, twin: T) -> T {
        if self.bug { bug } else { twin }
    }

    /// Waits for the kernel; element `i` of `found` has to be `expected(i)`.
    pub(crate) fn expect<T: Plain + PartialEq + fmt::Debug>(
        &self,
        found: &DeviceBuffer<T>,
        expected: impl Fn(usize) -> T,
    ) -> Result<(), Failure> {
        let found = found.to_vec(self.stream)?;
        self.stream.synchronize()?;
        for (i, found) in found.iter().enumerate() {
            let expected = expected(i);
            if *found != expected {
                let text = format!("element {i} is {found:?} instead of {expected:?}");
                return Err(Failure::Wrong(text));
            }
        }
        Ok(())
    }
}

/// `0, 1, 2 ...` in the type that the kernel takes.
pub(crate) fn count<T: TryFrom<usize>>(n: usize) -> Vec<T> {
    (0..n).map_while(|i| T::try_from(i).ok()).collect()
}

/// Whole numbers below 100 that look like noise, so that sums of floats are exact.
pub(crate) fn noise(n: usize) -> Vec<u32> {
    (0..n as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 7) % 100)
        .collect()
}

/// [`noise`] as `f32`.
pub(crate) fn floats(n: usize) -> Vec<f32> {
    noise(n).into_iter().map(|v| v as f32).collect()
}

/// [`noise`] as `f64`.
pub(crate) fn doubles(n: usize) -> Vec<f64> {
    noise(n).into_iter().map(f64::from).collect()
}

/// A case: the kernel's name, where the bug comes from, and how to run it.
macro_rules! case {
    ($kernel:ident, $origin:literal, $run:expr) => {
        $crate::case::Case {
            name: stringify!($kernel),
            origin: $origin,
            run: $run,
            hangs: false,
        }
    };
}

/// A correct kernel, which has no bug to compare with: its name, and how to run it.
macro_rules! correct {
    ($kernel:ident, $run:expr) => {
        $crate::case::case!($kernel, "", $run)
    };
}

/// Launches `kernel::<true>` or its twin `kernel::<false>`.
macro_rules! launch {
    ($run:expr, $kernel:ident, $shape:expr $(, $arg:expr)* $(,)?) => {
        if $run.bug {
            $kernel::<true>::launch($run.stream, $shape $(, $arg)*)?
        } else {
            $kernel::<false>::launch($run.stream, $shape $(, $arg)*)?
        }
    };
}

/// Launches a kernel that has no twin.
macro_rules! start {
    ($run:expr, $kernel:ident, $shape:expr $(, $arg:expr)* $(,)?) => {
        $kernel::launch($run.stream, $shape $(, $arg)*)?
    };
}

/// The cases of this file.
macro_rules! cases {
    ($name:literal: $($case:expr),* $(,)?) => {
        pub(crate) const FILE: $crate::case::File = $crate::case::File {
            path: file!(),
            source: include_str!($name),
            cases: &[$($case),*],
        };
    };
}

pub(crate) use {case, cases, correct, launch, start};
