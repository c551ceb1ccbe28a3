//! A program of the corpus: its data, its kernels, both sides of each.
//!
//! [`Case::run`] makes the data, computes what is expected with plain Rust, and calls [`Side::kernel`] once for each kernel.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::Path;

use warploom::device_std::Plain;
use warploom::device_std::vector::{Float2, Float4};
use warploom::prelude::*;
use warploom_harness::benchmark::{in_turn, places};
use warploom_harness::unseen::{Row, half};

use super::call::Call;
use super::driver::{DriverError, Peer, Prepared};
use super::session::{BenchError, Session};

/// Elements of an output of [`Side::sampled`] that are compared with the reference.
const SAMPLES: usize = 4096;

/// One program of the corpus.
pub(crate) struct Case {
    /// The suite that the original is from, and the folder in `src`.
    pub(crate) suite: &'static str,
    /// Name of the program, and of its file. The twin is `cuda/<suite>_<name>.cu`.
    pub(crate) name: &'static str,
    /// Makes inputs of the scale (0: small, for the emulator; 1: the size that is timed), runs and checks each kernel.
    pub(crate) run: fn(&mut Side<'_>, u32) -> Done,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.suite, self.name)
    }
}

/// What a case returns.
pub(crate) type Done = Result<(), Box<dyn Error>>;

/// The device on which a case runs, and what came of its kernels.
pub(crate) struct Side<'s> {
    session: &'s Session,
    case: &'s Case,
    scale: u32,
    /// One for each kernel that is right.
    pub(crate) rows: Vec<Row>,
}

impl<'s> Side<'s> {
    pub(crate) fn new(session: &'s Session, case: &'s Case, scale: u32) -> Self {
        Self {
            session,
            case,
            scale,
            rows: Vec::new(),
        }
    }

    /// A buffer with these values.
    pub(crate) fn upload<T: Plain>(&self, values: &[T]) -> warploom::Result<DeviceBuffer<T>> {
        Ok(self.session.device.upload(values)?)
    }

    /// What a kernel wrote, as the input of a reference.
    pub(crate) fn download<T: Plain>(&self, buffer: &DeviceBuffer<T>) -> warploom::Result<Vec<T>> {
        Ok(buffer.to_vec(&self.session.stream)?)
    }

    /// What a kernel writes: its values before each run, and what they should be afterwards. An error is the difference by the larger of
    /// 1 and the expected value's size; `tolerance` is the largest that is right, 0 for exact results.
    pub(crate) fn output<T: Value>(
        &self,
        initial: &[T],
        expected: Vec<T>,
        tolerance: f64,
    ) -> warploom::Result<Output<'static, T>> {
        let len = expected.len();
        self.made(initial, Box::new(move |i| expected[i]), len, tolerance)
    }

    /// As [`output`](Self::output), where all expected values would take too long: some elements all over the output are compared.
    pub(crate) fn sampled<'a, T: Value>(
        &self,
        initial: &[T],
        expected: impl Fn(usize) -> T + 'a,
        tolerance: f64,
    ) -> warploom::Result<Output<'a, T>> {
        self.made(initial, Box::new(expected), SAMPLES, tolerance)
    }

    fn made<'a, T: Value>(
        &self,
        initial: &[T],
        expected: Box<dyn Fn(usize) -> T + 'a>,
        samples: usize,
        tolerance: f64,
    ) -> warploom::Result<Output<'a, T>> {
        Ok(Output {
            buffer: self.session.device.upload(initial)?,
            initial: self.session.device.upload(initial)?,
            expected,
            samples,
            tolerance,
        })
    }

    /// Checks ours and the twin, then times both in turn if there is a GPU. `twin` are the launches that do the same as `ours`: one kernel, or
    /// several that belong together. Afterwards `outputs` hold what ours wrote.
    pub(crate) fn kernel<O: Outputs>(
        &mut self,
        name: &'static str,
        twin: Vec<Call>,
        outputs: &mut O,
        mut ours: impl FnMut(&Stream, &mut O) -> warploom::Result<()>,
    ) -> Done {
        let stream = &self.session.stream;
        outputs.restore(stream)?;
        ours(stream, outputs)?;
        let wrong = |side: &str, text| format!("{name}, {side}: {text}");
        let mut max_error = outputs.check(stream)?.map_err(|text| wrong("ours", text))?;
        let file = format!("{}_{}", self.case.suite, self.case.name);
        let mut row = Row {
            suite: self.case.suite.to_owned(),
            program: self.case.name.to_owned(),
            kernel: name.to_owned(),
            half: half(self.case.suite, self.case.name),
            scale: self.scale,
            max_error,
            ..Row::default()
        };
        let Some(gpu) = &self.session.gpu else {
            has_twins(&file, &twin)?;
            self.rows.push(row);
            return Ok(());
        };

        let peers = twin.iter().map(|call| gpu.load_from(&file, call.function));
        let peers: Vec<Peer<'_>> = peers.collect::<Result<_, DriverError>>()?;
        let raw = self.session.raw_stream();
        // SAFETY: `Call::new` was promised that arguments and memory fit; the buffers and the stream stay valid until the last measurement.
        let prepare = |(peer, call): (_, Call)| unsafe {
            Peer::prepare(peer, raw, call.shape, call.arguments)
        };
        let mut peer: Vec<Prepared<'_>> = peers.iter().zip(twin).map(prepare).collect();
        outputs.restore(stream)?;
        peer.iter_mut().try_for_each(Prepared::launch)?;
        let error = outputs.check(stream)?.map_err(|text| wrong("twin", text))?;
        max_error = max_error.max(error);

        let shared = RefCell::new(&mut *outputs);
        let times = in_turn::<BenchError>(
            self.session.repetitions,
            &mut [
                &mut || {
                    let outputs = &mut **shared.borrow_mut();
                    outputs.restore(stream)?;
                    self.session.time(|| ours(stream, outputs))
                },
                &mut || {
                    shared.borrow_mut().restore(stream)?;
                    self.session
                        .time(|| peer.iter_mut().try_for_each(Prepared::launch))
                },
            ],
        )?;
        outputs.restore(stream)?;
        ours(stream, outputs)?;
        let error = outputs
            .check(stream)?
            .map_err(|text| wrong("ours, last run", text))?;
        row.max_error = max_error.max(error);
        row.set_times(&times)?;
        self.rows.push(row);
        Ok(())
    }
}

/// That the twin's source has all functions; in a bundle the sources are not there.
fn has_twins(file: &str, twin: &[Call]) -> Result<(), String> {
    let folder = Path::new("benches/unseen/cuda");
    if !folder.is_dir() {
        return Ok(());
    }
    let path = folder.join(file).with_extension("cu");
    let text = fs::read_to_string(&path);
    let text = text.map_err(|error| format!("cannot read the twin {}: {error}", path.display()))?;
    match twin
        .iter()
        .find(|call| !text.contains(&format!(" {}(", call.function)))
    {
        None => Ok(()),
        Some(call) => Err(format!(
            "{} has no kernel `{}`",
            path.display(),
            call.function
        )),
    }
}

/// A buffer that a kernel writes, with its values before each run and what is expected after it.
pub(crate) struct Output<'a, T: Plain> {
    /// What both sides write.
    pub(crate) buffer: DeviceBuffer<T>,
    initial: DeviceBuffer<T>,
    expected: Box<dyn Fn(usize) -> T + 'a>,
    samples: usize,
    tolerance: f64,
}

/// All that a kernel writes: an [`Output`], or a tuple of them.
pub(crate) trait Outputs {
    /// Brings back the values from before the first run.
    fn restore(&mut self, stream: &Stream) -> warploom::Result<()>;

    /// The largest error; the inner error says which element is wrong.
    fn check(&self, stream: &Stream) -> warploom::Result<Result<f64, String>>;
}

impl<T: Value> Outputs for Output<'_, T> {
    fn restore(&mut self, stream: &Stream) -> warploom::Result<()> {
        Ok(self.buffer.copy_from_device(0, &self.initial, stream)?)
    }

    fn check(&self, stream: &Stream) -> warploom::Result<Result<f64, String>> {
        let values = self.buffer.to_vec(stream)?;
        let mut largest = 0.0;
        for at in places(values.len(), self.samples) {
            let (value, expected, limit) = (values[at], (self.expected)(at), self.tolerance);
            let error = value.error(expected);
            // Not `error > limit`: that holds for no NaN.
            if error.is_nan() || error > limit {
                return Ok(Err(format!(
                    "element {at} is {value:?}, expected {expected:?}: error {error:.1e}, at most {limit:.0e} is right"
                )));
            }
            largest = f64::max(largest, error);
        }
        Ok(Ok(largest))
    }
}

macro_rules! outputs {
    ($($name:ident)*) => {
        impl<$($name: Outputs),*> Outputs for ($($name,)*) {
            #[allow(non_snake_case, reason = "the names are those of the types")]
            fn restore(&mut self, stream: &Stream) -> warploom::Result<()> {
                let ($($name,)*) = self;
                $($name.restore(stream)?;)*
                Ok(())
            }

            #[allow(non_snake_case, reason = "the names are those of the types")]
            fn check(&self, stream: &Stream) -> warploom::Result<Result<f64, String>> {
                let ($($name,)*) = self;
                let mut largest = 0.0;
                $(match $name.check(stream)? {
                    Ok(error) => largest = f64::max(largest, error),
                    Err(text) => return Ok(Err(format!("output {}: {text}", stringify!($name)))),
                })*
                Ok(Ok(largest))
            }
        }
    };
}
outputs!(A B);
outputs!(A B C);
outputs!(A B C D);

/// Element of an output.
pub(crate) trait Value: Plain + fmt::Debug {
    /// How far off it is, by the larger of 1 and the size of what is expected.
    fn error(self, expected: Self) -> f64;
}

impl Value for f64 {
    fn error(self, expected: Self) -> f64 {
        // Infinities that are expected are right.
        if self == expected {
            return 0.0;
        }
        (self - expected).abs() / expected.abs().max(1.0)
    }
}

impl Value for f32 {
    fn error(self, expected: Self) -> f64 {
        f64::from(self).error(f64::from(expected))
    }
}

macro_rules! integers {
    ($($ty:ty)*) => {
        $(impl Value for $ty {
            fn error(self, expected: Self) -> f64 {
                self.abs_diff(expected) as f64 / (expected as f64).abs().max(1.0)
            }
        })*
    };
}
integers!(u8 u16 u32 i32 u64 i64);

/// The largest error of the parts.
fn largest(values: &[f32], expected: &[f32]) -> f64 {
    let errors = values.iter().zip(expected).map(|(v, e)| v.error(*e));
    // Not `f64::max`, which ignores NaN.
    errors.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

impl<const N: usize> Value for [f32; N] {
    fn error(self, expected: Self) -> f64 {
        largest(&self, &expected)
    }
}

/// Bytes of a pixel: the largest difference, by that of black and white.
impl<const N: usize> Value for [u8; N] {
    fn error(self, expected: Self) -> f64 {
        let differences = self.iter().zip(expected).map(|(v, e)| v.abs_diff(e));
        f64::from(differences.max().unwrap_or(0)) / 255.0
    }
}

/// The largest error of the parts.
impl<const N: usize> Value for [u32; N] {
    fn error(self, expected: Self) -> f64 {
        let errors = self.iter().zip(expected).map(|(v, e)| v.error(e));
        errors.fold(0.0, f64::max)
    }
}

impl Value for Float2 {
    fn error(self, expected: Self) -> f64 {
        largest(&self.to_array(), &expected.to_array())
    }
}

impl Value for Float4 {
    fn error(self, expected: Self) -> f64 {
        largest(&self.to_array(), &expected.to_array())
    }
}
