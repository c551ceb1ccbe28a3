//! Launches that wait for their kernel, so that an error names the launch that it comes from.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::Device;

/// The driver's own variable: launches of the whole process wait.
const VARIABLE: &str = "CUDA_LAUNCH_BLOCKING";

/// Whether the launches of a device wait.
#[derive(Debug)]
pub(crate) struct LaunchBlocking(AtomicBool);

impl Default for LaunchBlocking {
    /// As the environment says.
    fn default() -> LaunchBlocking {
        let value = std::env::var(VARIABLE).ok();
        LaunchBlocking(AtomicBool::new(is_on(value.as_deref())))
    }
}

/// Numbers other than 0 switch it on, as the driver reads it.
fn is_on(value: Option<&str>) -> bool {
    let number = value.and_then(|value| value.trim().parse::<i64>().ok());
    number.is_some_and(|number| number != 0)
}

impl Device {
    /// Makes every launch on this device wait until the kernel has ended, or no longer. For debugging: what goes wrong in a kernel is then
    /// an error of its launch, [`LaunchError::Failed`](crate::LaunchError::Failed), and not of whatever waits next. At the start it is on where the variable
    /// `CUDA_LAUNCH_BLOCKING` is 1.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// device.set_launch_blocking(true);
    /// assert!(device.is_launch_blocking());
    /// ```
    pub fn set_launch_blocking(&self, on: bool) {
        self.0.blocking.0.store(on, Ordering::Relaxed);
    }

    /// Whether launches on this device wait; see [`set_launch_blocking`](Device::set_launch_blocking).
    #[must_use]
    pub fn is_launch_blocking(&self) -> bool {
        self.0.blocking.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_other_than_0_switches_it_on() {
        assert!(is_on(Some("1")) && is_on(Some(" 2 ")));
        assert!(!is_on(None) && !is_on(Some("0")) && !is_on(Some("")) && !is_on(Some("no")));
    }
}
