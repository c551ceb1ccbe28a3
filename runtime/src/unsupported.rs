//! What a device does not do.

use std::borrow::Cow;

/// Something that a device does not do; another device may.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{device} does not support {what}: {reason}")]
pub struct Unsupported {
    /// What was asked for.
    pub what: &'static str,
    /// The device's name.
    pub device: String,
    /// Why it does not, and what to do instead.
    pub reason: Cow<'static, str>,
}
