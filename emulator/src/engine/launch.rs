//! What the threads of one run share beside its shape.

use std::sync::Arc;

use crate::engine::checker::RunChecker;
use crate::engine::livelock::LivelockDetector;
use crate::finding::Sink;
use crate::options::Options;

#[derive(Debug, Default)]
pub(crate) struct Launch {
    pub(crate) options: Options,
    /// What was found so far.
    pub(crate) sink: Arc<Sink>,
    /// What accesses are compared with, if they are checked.
    pub(crate) checks: Option<Arc<dyn RunChecker>>,
    /// Whether all that is left only polls.
    pub(crate) quiet: LivelockDetector,
}
