//! Compares what the device made with the reference and keeps the score.

use std::fmt;

/// Results of all comparisons so far.
#[derive(Default)]
pub(crate) struct Checks {
    done: Vec<Check>,
}

/// One comparison of a device result with its reference.
pub(crate) struct Check {
    what: &'static str,
    compared: usize,
    tolerance: f64,
    outcome: Outcome,
}

enum Outcome {
    Lengths {
        device: usize,
        reference: usize,
    },
    Largest {
        difference: f64,
        at: usize,
        device: f64,
        reference: f64,
    },
}

impl Checks {
    /// Compares element by element; each may differ by `tolerance` at most. A NaN is always a failure.
    pub(crate) fn compare<D, R>(
        &mut self,
        what: &'static str,
        device: &[D],
        reference: &[R],
        tolerance: f64,
    ) -> &Check
    where
        D: Copy + Into<f64>,
        R: Copy + Into<f64>,
    {
        let outcome = if device.len() == reference.len() {
            largest_difference(device, reference)
        } else {
            Outcome::Lengths {
                device: device.len(),
                reference: reference.len(),
            }
        };
        let index = self.done.len();
        self.done.push(Check {
            what,
            compared: device.len(),
            tolerance,
            outcome,
        });
        &self.done[index]
    }

    pub(crate) fn passed(&self) -> usize {
        self.done.iter().filter(|check| check.passed()).count()
    }

    pub(crate) fn failed(&self) -> usize {
        self.done.len() - self.passed()
    }
}

impl Check {
    pub(crate) fn passed(&self) -> bool {
        match self.outcome {
            Outcome::Lengths { .. } => false,
            Outcome::Largest { difference, .. } => difference <= self.tolerance,
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed() { "ok" } else { "FAILED" };
        write!(f, "{verdict:6} {:15} ", self.what)?;
        match self.outcome {
            Outcome::Lengths { device, reference } => {
                write!(
                    f,
                    "the device made {device} values, the reference {reference}"
                )
            }
            Outcome::Largest {
                difference,
                at,
                device,
                reference,
            } => {
                let (compared, tolerance) = (self.compared, self.tolerance);
                write!(
                    f,
                    "{compared} values, largest difference {difference:.2e} (allowed {tolerance:.0e})"
                )?;
                if difference <= tolerance {
                    return Ok(());
                }
                write!(f, " at {at}: device {device}, reference {reference}")
            }
        }
    }
}

fn largest_difference<D, R>(device: &[D], reference: &[R]) -> Outcome
where
    D: Copy + Into<f64>,
    R: Copy + Into<f64>,
{
    let (mut largest, mut at) = (0.0, 0);
    for (index, (&d, &r)) in device.iter().zip(reference).enumerate() {
        let difference = (d.into() - r.into()).abs();
        // A NaN must win: no comparison with it holds.
        if difference.is_nan() || difference > largest {
            (largest, at) = (difference, index);
        }
        if difference.is_nan() {
            break;
        }
    }
    Outcome::Largest {
        difference: largest,
        at,
        device: device.get(at).map_or(0.0, |&v| v.into()),
        reference: reference.get(at).map_or(0.0, |&v| v.into()),
    }
}
