//! What the runtime does when the driver fails, or when it is used too early, too late or too much.
//!
//! Each test starts this executable again with the fake for a driver.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail as the tests do"
)]

mod absent; // no driver, an old one, a broken one
mod carried; // device code that this program carries
mod features; // what else most tests run
mod lifetimes; // dropped early, late, elsewhere or never
mod limits; // too much, too long, too many
mod opengl; // objects of OpenGL
mod program; // what most tests run
mod sweep; // every call fails once with every code
