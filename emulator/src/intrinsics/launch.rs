//! What concerns the launches behind the running one.

/// Nothing: a launch has ended before the next one starts. CUDA: `cudaTriggerProgrammaticLaunchCompletion`. PTX:
/// `griddepcontrol.launch_dependents`.
#[inline]
pub fn launch_dependents() {}
