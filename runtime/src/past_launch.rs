//! Launches as errors of later calls name them.

use std::fmt;
use std::panic::Location;

/// A launch that is not known to have ended well, as a [`DriverError`](crate::DriverError) names it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastLaunch {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Blocks of the grid: x, y, z. Those of the latest of these launches.
    pub grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub block: [u32; 3],
    /// Where it was launched.
    pub at: &'static Location<'static>,
    /// The stream, by its [number](crate::Stream::number).
    pub stream: u64,
    /// How often this place launched it on this stream.
    pub times: u64,
}

impl fmt::Display for PastLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        write!(
            f,
            "`{}` at {} (grid ({gx},{gy},{gz}), block ({bx},{by},{bz}), stream {}",
            self.kernel, self.at, self.stream
        )?;
        match self.times {
            1 => write!(f, ")"),
            times => write!(f, ", {times} times)"),
        }
    }
}

/// Most launches that a message names.
pub(crate) const NAMED: usize = 8;

/// How an error shows the launches that may have caused it.
pub(crate) struct CandidateLaunches<'a>(pub(crate) &'a [PastLaunch]);

impl fmt::Display for CandidateLaunches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CandidateLaunches(launches) = *self;
        match launches {
            [] => return Ok(()),
            [only] => return write!(f, "; probably caused by {only}"),
            [first, ..] => write!(f, "; probably caused by one of: {first}")?,
        }
        for launch in &launches[1..launches.len().min(NAMED)] {
            write!(f, ", {launch}")?;
        }
        if launches.len() > NAMED {
            write!(f, " and {} more", launches.len() - NAMED)?;
        }
        write!(
            f,
            "; to know which, run with CUDA_LAUNCH_BLOCKING=1 or call `Device::set_launch_blocking`"
        )
    }
}
