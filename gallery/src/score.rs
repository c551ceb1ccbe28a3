//! Checks: what failed is printed, what passed is counted.
#![expect(
    clippy::print_stdout,
    reason = "programs of the gallery talk to their users"
)]

use std::cell::Cell;
use std::fmt::{Debug, Display};
use std::process::ExitCode;

use crate::program::Program;

/// How many checks passed and failed.
#[derive(Debug, Default)]
pub(crate) struct Score {
    passed: Cell<u32>,
    failed: Cell<u32>,
}

impl Score {
    fn passes(&self) {
        self.passed.set(self.passed.get() + 1);
    }

    fn fails(&self, what: &str, why: impl Display) {
        println!("FAILED {what}: {why}");
        self.failed.set(self.failed.get() + 1);
    }

    /// Prints the score; a program without checks has failed.
    pub(crate) fn conclude(&self, device: &str) -> ExitCode {
        let (passed, failed) = (self.passed.get(), self.failed.get());
        if failed > 0 {
            println!("{failed} of {} checks FAILED on {device}", failed + passed);
        } else {
            println!("{passed} checks passed on {device}");
        }
        ExitCode::from(u8::from(failed > 0 || passed == 0))
    }
}

/// What a kernel printed, with the ends of its lines.
pub(crate) fn say(text: &str) {
    print!("{text}");
}

impl Program {
    /// Checks that something is so.
    pub fn holds(&self, what: &str, so: bool) {
        match so {
            true => self.score.passes(),
            false => self.score.fails(what, "does not hold"),
        }
    }

    /// Checks one value.
    pub fn is<T: PartialEq + Debug>(&self, what: &str, found: T, expected: T) {
        match found == expected {
            true => self.score.passes(),
            false => {
                let why = format!("{found:?} instead of {expected:?}");
                self.score.fails(what, why);
            }
        }
    }

    /// Checks all elements, one check in all. Prints the first that differs, and how many do.
    pub fn equal<T: PartialEq + Debug>(&self, what: &str, found: &[T], expected: &[T]) {
        self.compare(what, found, expected, |found, expected| found == expected);
    }

    /// Checks a number: `|found - expected| <= relative * |expected|`. What is not a number is wrong.
    pub fn close(
        &self,
        what: &str,
        found: impl Into<f64>,
        expected: impl Into<f64>,
        relative: f64,
    ) {
        self.all_close(what, &[found.into()], &[expected.into()], relative);
    }

    /// Checks all elements as [`close`](Program::close) does, one check in all.
    pub fn all_close<F, E>(&self, what: &str, found: &[F], expected: &[E], relative: f64)
    where
        F: Copy + Debug + Into<f64>,
        E: Copy + Debug + Into<f64>,
    {
        self.compare(what, found, expected, |&found, &expected| {
            let (found, expected) = (found.into(), expected.into());
            (found - expected).abs() <= relative * expected.abs()
        });
    }

    fn compare<F: Debug, E: Debug>(
        &self,
        what: &str,
        found: &[F],
        expected: &[E],
        same: impl Fn(&F, &E) -> bool,
    ) {
        if found.len() != expected.len() {
            let why = format!("{} elements instead of {}", found.len(), expected.len());
            return self.score.fails(what, why);
        }
        let pairs = found.iter().zip(expected).enumerate();
        let mut wrong = pairs.filter(|(_, (found, expected))| !same(found, expected));
        let Some((i, (first, should))) = wrong.next() else {
            return self.score.passes();
        };
        let others = wrong.count();
        let why =
            format!("element {i} is {first:?} instead of {should:?}, and {others} others differ");
        self.score.fails(what, why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Result;

    fn passes(check: fn(&Program) -> Result) -> bool {
        crate::mistake(check) == ExitCode::SUCCESS
    }

    #[test]
    fn lists_must_agree_in_length_and_elements() {
        assert!(passes(|p| {
            p.equal("", &[1, 2], &[1, 2]);
            Ok(())
        }));
        assert!(!passes(|p| {
            p.equal("", &[1, 2], &[1, 3]);
            Ok(())
        }));
        assert!(!passes(|p| {
            p.equal("", &[1, 2], &[1]);
            Ok(())
        }));
    }

    #[test]
    fn values_must_be_equal() {
        assert!(passes(|p| {
            p.is("", "a", "a");
            Ok(())
        }));
        assert!(!passes(|p| {
            p.is("", "a", "b");
            Ok(())
        }));
        assert!(!passes(|p| {
            p.holds("", false);
            Ok(())
        }));
    }

    #[test]
    fn numbers_may_differ_by_the_tolerance() {
        assert!(passes(|p| {
            p.close("", 24.001, 24.0, 1e-4);
            Ok(())
        }));
        assert!(!passes(|p| {
            p.close("", 24.001, 24.0, 1e-5);
            Ok(())
        }));
        assert!(!passes(|p| {
            p.close("", f64::NAN, 24.0, 1.0);
            Ok(())
        }));
        assert!(!passes(|p| {
            p.all_close("", &[f32::INFINITY], &[1.0f32], 1e30);
            Ok(())
        }));
    }
}
