//! Scopes, ranges, marks and names in the time lines of profilers, by NVTX.

use std::marker::PhantomData;

use super::nvtx::{self, NoTool};
use crate::stream::Stream;

/// Whether a tool listens; if not, why.
///
/// # Errors
/// [`NoTool`], which is an ordinary case.
pub fn tool() -> Result<(), NoTool> {
    nvtx::tool().clone()
}

/// A part of this thread's time, from the call until the value is dropped. Scopes of a thread nest. CUDA: `nvtxRangePush`, `nvtxRangePop`.
#[must_use = "the scope ends when the value is dropped"]
pub fn scope(name: &str) -> Scope {
    Scope {
        begun: nvtx::push(name),
        _thread: PhantomData,
    }
}

/// What [`scope`] gives. Stays on its thread.
///
/// ```compile_fail,E0277
/// let scope = warploom_runtime::profile::scope("here");
/// std::thread::spawn(move || drop(scope));
/// ```
#[derive(Debug)]
pub struct Scope {
    begun: bool,
    _thread: PhantomData<*const ()>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        if self.begun {
            nvtx::pop();
        }
    }
}

/// A stretch of time, from the call until the value is dropped, on any thread. Ranges may overlap. CUDA: `nvtxRangeStart`, `nvtxRangeEnd`.
#[must_use = "the range ends when the value is dropped"]
pub fn range(name: &str) -> Range {
    Range {
        id: nvtx::start(name),
    }
}

/// What [`range`] gives.
#[derive(Debug)]
pub struct Range {
    id: Option<u64>,
}

impl Drop for Range {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            nvtx::end(id);
        }
    }
}

/// A moment of this thread. CUDA: `nvtxMark`.
pub fn mark(name: &str) {
    nvtx::mark(name);
}

/// Gives the calling thread a name in profiles. Nothing happens on systems other than Linux. CUDA: `nvtxNameOsThread`.
pub fn name_thread(name: &str) {
    nvtx::name_thread(name);
}

/// Gives a stream a name in profiles; the emulator's streams are in none. CUDA: `nvtxNameCuStream`.
pub fn name_stream(stream: &Stream, name: &str) {
    if !stream.raw().is_null() {
        nvtx::name_stream(stream.raw(), name);
    }
}
