//! What the runtime does when the driver fails, or when somebody uses it too early, too late or too much.
//!
//! Each test starts this executable again with the fake for a driver.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

mod carried; // device code that this program carries
mod program; // what most tests run
mod sweep; // every call fails once with every code
