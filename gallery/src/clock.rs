//! How long work on a device takes.
#![expect(
    clippy::print_stdout,
    reason = "programs of the gallery talk to their users"
)]

use std::sync::Once;

use warploom::Stream;

use crate::program::{Program, Result};

/// On a GPU; the emulator does everything once.
const ROUNDS: u32 = 10;
/// Said before the first time is.
static REMARK: Once = Once::new();

impl Program {
    /// Milliseconds that `work` takes on the device, the shortest of several times; on the emulator it is done once. The first time does
    /// not count, for then the driver may compile the kernel.
    ///
    /// # Errors
    /// Those of `work`, and of kernels that fail.
    pub fn shortest_ms(
        &self,
        stream: &Stream,
        mut work: impl FnMut() -> warploom::Result<()>,
    ) -> Result<f64> {
        let device = stream.device();
        let rounds = if device.is_gpu() { ROUNDS } else { 0 };
        if !device.is_gpu() {
            REMARK.call_once(|| println!("(times on the emulator say nothing of a GPU)"));
        }
        let (start, end) = (device.event()?, device.event()?);
        let mut shortest = f64::INFINITY;
        for round in 0..=rounds {
            stream.record(&start)?;
            work()?;
            stream.record(&end)?;
            let ms = start.elapsed_ms(&end)?;
            if round > 0 || rounds == 0 {
                shortest = shortest.min(ms);
            }
        }
        Ok(shortest)
    }
}

#[cfg(test)]
mod tests {
    use std::process::ExitCode;

    #[test]
    fn the_emulator_does_it_once() {
        let status = crate::mistake(|program| {
            let mut times = 0;
            let ms = program.shortest_ms(&program.device().stream()?, || {
                times += 1;
                Ok(())
            })?;
            program.is("rounds", times, 1);
            program.holds("a time", ms.is_finite() && ms >= 0.0);
            Ok(())
        });
        assert_eq!(status, ExitCode::SUCCESS);
    }
}
