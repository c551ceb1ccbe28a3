//! What a launch on the emulator found: errors for the code that waits for the stream, text or JSON for people and tools.

use std::fmt;
use std::ops::Range;
use std::panic::Location;
use std::sync::OnceLock;

use warploom_emulator::check::{Code, Place, Report, Severity, Side, Sources, Who};
use warploom_emulator::{Fault, Outcome, Wait};

use crate::checked::Warnings;
use crate::launch::error::LaunchError;
use crate::panics::{KernelDeadlock, KernelPanic, class};
use crate::stream::StreamError;

mod json; // for programs
mod replay;
mod reporter; // what is said once per process, and where // how to run it again

/// Errors whose text is shown; the others are counted.
const MOST_SHOWN: usize = 20;

/// The emulator's checks found errors in a kernel. All its threads ran to their end.
///
/// Its text has every error with its lines of source, as `docs/diagnostics.md` explains them; [`findings`](KernelFindings::findings) gives
/// them one by one. Its `Debug` form is the same text, so that `unwrap` and `main` show it readably.
///
/// ```
/// use warploom_runtime::{Device, StreamError};
///
/// let stream = Device::emulator().stream()?;
/// match stream.synchronize() {
///     Err(StreamError::Check(found)) => {
///         for finding in found.findings() {
///             eprintln!("{} {}, {} times", finding.code, finding.title, finding.count);
///         }
///     }
///     other => other?,
/// }
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct KernelFindings {
    kernel: String,
    launched_at: &'static Location<'static>,
    findings: Vec<Report>,
}

impl KernelFindings {
    /// `findings` has an error.
    pub(crate) fn of(
        kernel: &str,
        launched_at: &'static Location<'static>,
        findings: Vec<Report>,
    ) -> KernelFindings {
        KernelFindings {
            kernel: kernel.to_owned(),
            launched_at,
            findings,
        }
    }

    /// The kernel's name, with its generic arguments.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Where the kernel was launched.
    #[must_use]
    pub fn launched_at(&self) -> &'static Location<'static> {
        self.launched_at
    }

    /// All that was found and not allowed, warnings and notes too: the worst first, then by block and thread. At least one is an error.
    #[must_use]
    pub fn findings(&self) -> &[Report] {
        &self.findings
    }
}

impl std::error::Error for KernelFindings {}

impl fmt::Display for KernelFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = errors(&self.findings).count();
        let plural = if errors == 1 { "" } else { "s" };
        write!(f, "kernel `{}` has {errors} error{plural}", self.kernel)?;
        write_errors(f, &self.findings)
    }
}

impl fmt::Debug for KernelFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}\n")
    }
}

fn errors(findings: &[Report]) -> impl Iterator<Item = &Report> {
    let is_error = |report: &&Report| report.severity == Severity::Error;
    findings.iter().filter(is_error)
}

/// The texts of the errors, each after an empty line.
pub(crate) fn write_errors(f: &mut fmt::Formatter<'_>, findings: &[Report]) -> fmt::Result {
    for report in errors(findings).take(MOST_SHOWN) {
        write!(f, "\n\n{}", report.render(sources(), false))?;
    }
    match errors(findings).count().saturating_sub(MOST_SHOWN) {
        0 => Ok(()),
        1 => write!(f, "\n\n1 more error is not shown"),
        more => write!(f, "\n\n{more} more errors are not shown"),
    }
}

pub(super) fn sources() -> &'static Sources {
    static SOURCES: OnceLock<Sources> = OnceLock::new();
    SOURCES.get_or_init(Sources::of_this_program)
}

/// A launch, as reports name it.
#[derive(Debug, Clone)]
pub(crate) struct Launched<'a> {
    /// The full name of the kernel: its path and generic arguments.
    pub(crate) name: &'a str,
    /// The name of the kernel's function.
    pub(crate) base: &'static str,
    /// The name of the device.
    pub(crate) device: &'a str,
    /// Blocks of the grid.
    pub(crate) grid: [u32; 3],
    /// Threads of a block.
    pub(crate) block: [u32; 3],
    /// Where.
    pub(crate) at: &'static Location<'static>,
    /// Which launch of the device, from 1; 0 if launches are not counted.
    pub(crate) number: u64,
    /// The variables that make another run take the same order.
    pub(crate) replay: String,
    /// The places in its instrumented code; empty if native code ran.
    pub(crate) sites: Range<u32>,
}

impl Launched<'_> {
    /// `transpose::<32>` for `shop::transpose<32>`.
    pub(super) fn kernel(&self) -> String {
        match self.name.find('<') {
            Some(at) => format!("{}::{}", self.base, &self.name[at..]),
            None => self.base.to_owned(),
        }
    }

    /// `<<<(8,8,1),(32,1,1)>>> at tests/t.rs:19:5 (launch 4)`.
    fn launch(&self) -> String {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        let number = match self.number {
            0 => String::new(),
            number => format!(" (launch {number})"),
        };
        format!(
            "<<<({gx},{gy},{gz}),({bx},{by},{bz})>>> at {}{number}",
            self.at
        )
    }

    fn sign(&self, report: &mut Report) {
        report.kernel = self.kernel();
        report.launch = self.launch();
        report.replay = replay::replay(&self.replay);
    }

    fn who(&self, block: [u32; 3], thread: [u32; 3]) -> Who {
        let ([x, y, z], [bx, by, _]) = (thread, self.block);
        let linear = x + bx * (y + by * z);
        Who {
            block,
            thread,
            warp: linear / 32,
            lane: linear % 32,
        }
    }
}

/// Says what a run found: warnings and notes at once, errors as what the next wait for the stream gives. `None`: nothing is wrong, and
/// `warnings` has what was found.
///
/// # Errors
/// [`LaunchError::Emulator`] if it could not run.
pub(crate) fn conclude(
    launched: &Launched<'_>,
    outcome: Outcome,
    warnings: &Warnings,
) -> Result<Option<StreamError>, LaunchError> {
    let Outcome {
        fault, mut reports, ..
    } = outcome;
    for report in &mut reports {
        launched.sign(report);
    }
    let findings = reporter::take(launched, reports, fault.as_ref());
    let is_wrong = errors(&findings).next().is_some();
    Ok(match fault {
        None if is_wrong => {
            let found = KernelFindings::of(&launched.kernel(), launched.at, findings);
            Some(StreamError::Check(Box::new(found)))
        }
        None => {
            warnings.add(findings);
            None
        }
        Some(Fault::Panic {
            message,
            file,
            line,
            column,
            block,
            thread,
            ..
        }) => Some(StreamError::Panic(Box::new(KernelPanic {
            kernel: launched.base.to_owned(),
            message,
            file,
            line,
            column,
            block,
            thread,
            launched_at: Some(launched.at),
            findings,
        }))),
        Some(fault @ (Fault::Deadlock { .. } | Fault::Endless { .. })) => {
            Some(StreamError::Deadlock(Box::new(KernelDeadlock {
                kernel: launched.base.to_owned(),
                report: fault.to_string(),
                launched_at: launched.at,
                findings,
            })))
        }
        Some(Fault::SharedFull {
            fixed,
            dynamic,
            limit,
            type_name,
            file,
            line,
            column,
        }) => {
            let (kernel, device) = (launched.base, launched.device.to_owned());
            return Err(if fixed > limit {
                LaunchError::StaticSharedTooLarge {
                    kernel,
                    given: fixed,
                    limit,
                    array: type_name,
                    place: format!("{file}:{line}:{column}"),
                    device,
                }
            } else {
                LaunchError::SharedTooLarge {
                    kernel,
                    given: dynamic,
                    fixed,
                    limit,
                    device,
                }
            });
        }
        Some(fault) => {
            return Err(LaunchError::Emulator {
                kernel: launched.base,
                reason: fault.to_string(),
            });
        }
    })
}

/// A panic or a deadlock as a finding, for those who read findings only. `None` if `findings` say it already.
fn of_fault(launched: &Launched<'_>, fault: &Fault, findings: &[Report]) -> Option<Report> {
    let mut report = match fault {
        Fault::Panic {
            message,
            file,
            line,
            column,
            block,
            thread,
            count,
        } => {
            let place = (!file.is_empty()).then(|| Place {
                file: file.clone(),
                line: *line,
                column: *column,
            });
            let side = Side {
                place,
                stack: vec![],
                who: Some(launched.who(*block, *thread)),
                did: "panicked here".to_owned(),
            };
            let report = Report::new(class(message), message.clone()).side(side);
            Report {
                count: *count,
                ..report
            }
        }
        Fault::Deadlock { block, waits } => {
            if findings.iter().any(|report| is_wait(report.code)) {
                return None;
            }
            let [x, y, z] = block;
            let side = |wait: &Wait| Side {
                place: Some(Place {
                    file: wait.file.to_owned(),
                    line: wait.line,
                    column: wait.column,
                }),
                stack: vec![],
                who: Some(launched.who(wait.block, wait.first)),
                did: format!("waits at {}", wait.point),
            };
            Report {
                sides: waits.iter().map(side).collect(),
                ..Report::new(
                    Code::DEADLOCK,
                    format!("the threads of block ({x},{y},{z}) wait for ever"),
                )
            }
        }
        _ => return None,
    };
    launched.sign(&mut report);
    Some(report)
}

/// Whether findings of this class say why threads wait for ever.
pub(crate) fn is_wait(code: Code) -> bool {
    (200..300).contains(&code.number())
}

pub(crate) use reporter::remark;
pub use reporter::{allow, unused_allowances};

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
