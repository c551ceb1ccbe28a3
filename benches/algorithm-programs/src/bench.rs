//! What all programs use: a device, a clock, comparisons.

use std::cell::RefCell;
use std::error::Error;
use std::fmt::Debug;
use std::time::Instant;

use warploom::Event;
use warploom::prelude::*;
use warploom_harness::statistics::summarise;

/// What a program returns: an error is a result that is wrong, or one of the device.
pub(crate) type Done = Result<(), Box<dyn Error>>;

/// Runs before the first time counts.
const WARM_UP: usize = 3;

/// A device, and how often work is timed on it.
pub(crate) struct Bench {
    pub(crate) device: Device,
    pub(crate) stream: Stream,
    runs: usize,
    start: Event,
    end: Event,
    times: RefCell<Vec<Time>>,
}

/// How long something took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Time {
    /// What was timed.
    pub(crate) case: String,
    /// Milliseconds of the host, from before the call until the stream has no more work: the mean of all runs.
    pub(crate) host_ms: f64,
    /// Milliseconds of the device, between an event before and one after: the median of all runs. None where the only run is the one that is checked.
    pub(crate) device_ms: Option<f64>,
}

impl Bench {
    /// Without runs the work is done once, and only the host's time is taken.
    pub(crate) fn new(device: Device, runs: usize) -> Result<Self, Box<dyn Error>> {
        // What goes back to the pool stays there: with the default, each wait returns it to the driver, and the next call maps it anew.
        device.pool()?.set_release_threshold(u64::MAX)?;
        Ok(Self {
            stream: device.stream()?,
            start: device.event()?,
            end: device.event()?,
            device,
            runs,
            times: RefCell::default(),
        })
    }

    /// Does the work, and times it; the result of the last run.
    pub(crate) fn time<T>(
        &self,
        case: &str,
        mut work: impl FnMut() -> Result<T, warploom_algorithms::Error>,
    ) -> Result<T, Box<dyn Error>> {
        if self.runs == 0 {
            let started = Instant::now();
            let result = work()?;
            self.stream.synchronize()?;
            let host_ms = started.elapsed().as_secs_f64() * 1e3;
            self.keep(case, host_ms, None);
            return Ok(result);
        }
        for _ in 0..WARM_UP {
            work()?;
        }
        let mut host_ms = 0.0;
        for _ in 0..self.runs {
            self.stream.synchronize()?;
            let started = Instant::now();
            work()?;
            self.stream.synchronize()?;
            host_ms += started.elapsed().as_secs_f64() * 1e3;
        }
        let mut device_ms = Vec::new();
        for _ in 0..self.runs {
            self.stream.record(&self.start)?;
            work()?;
            self.stream.record(&self.end)?;
            device_ms.push(self.start.elapsed_ms(&self.end)?);
        }
        let device_ms = summarise(&device_ms).ok_or("a time is not a number")?;
        self.keep(case, host_ms / self.runs as f64, Some(device_ms.median));
        Ok(work()?)
    }

    fn keep(&self, case: &str, host_ms: f64, device_ms: Option<f64>) {
        self.times.borrow_mut().push(Time {
            case: case.to_owned(),
            host_ms,
            device_ms,
        });
    }

    /// What was timed since the last call.
    pub(crate) fn take_times(&self) -> Vec<Time> {
        self.times.take()
    }
}

/// An error that names the first element that is not what it should be.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, found: &[T], expected: &[T]) -> Done {
    all(what, found, expected, |found, expected| found == expected)
}

/// As [`same`], for floats that may differ by a part `tolerance` of what is expected.
pub(crate) fn near(what: &str, found: &[f32], expected: &[f32], tolerance: f32) -> Done {
    let close = |found: &f32, expected: &f32| {
        (found - expected).abs() <= tolerance * expected.abs().max(1.0)
    };
    all(what, found, expected, close)
}

fn all<T: Debug>(what: &str, found: &[T], expected: &[T], right: impl Fn(&T, &T) -> bool) -> Done {
    let (len, wanted) = (found.len(), expected.len());
    if len != wanted {
        return Err(format!("{what}: {len} elements, expected {wanted}").into());
    }
    let wrong = found.iter().zip(expected).position(|(f, e)| !right(f, e));
    match wrong {
        None => Ok(()),
        Some(i) => {
            let (found, expected) = (&found[i], &expected[i]);
            Err(format!("{what}: element {i} is {found:?}, expected {expected:?}").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(done: Done) -> Option<String> {
        done.err().map(|error| error.to_string())
    }

    #[test]
    fn the_first_wrong_element_is_named() {
        assert_eq!(text(same("x", &[1, 2], &[1, 2])), None);
        let wrong = Some("x: element 1 is 3, expected 2".to_owned());
        assert_eq!(text(same("x", &[1, 3, 9], &[1, 2, 3])), wrong);
        let short = Some("x: 1 elements, expected 2".to_owned());
        assert_eq!(text(same("x", &[1], &[1, 2])), short);
    }

    #[test]
    fn floats_may_differ_by_the_tolerance_and_nan_is_wrong() {
        assert_eq!(text(near("x", &[101.0], &[100.0], 0.02)), None);
        assert!(near("x", &[103.0], &[100.0], 0.02).is_err());
        assert!(near("x", &[f32::NAN], &[100.0], 0.02).is_err());
    }

    #[test]
    fn work_is_timed_without_runs_too() {
        let bench = Bench::new(Device::emulator(), 0).unwrap();
        assert_eq!(bench.time("x", || Ok(7)).unwrap(), 7);
        let times = bench.take_times();
        assert_eq!((times.len(), times[0].device_ms), (1, None));
        assert_eq!(bench.take_times(), []);
    }
}
