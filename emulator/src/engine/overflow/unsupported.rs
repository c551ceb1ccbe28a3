//! Elsewhere a stack overflow ends the process, without a report.

/// Does nothing: nothing is reported.
pub(crate) fn prepare() {}
