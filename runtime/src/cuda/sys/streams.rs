//! Types and constants of streams, events and callbacks.

use super::*;

/// A function of the host that a stream calls, with the pointer that came with it.
pub(crate) type CUhostFn = extern "system" fn(*mut c_void);

/// The answer of a query while work is under way: no error.
pub(crate) const CUDA_ERROR_NOT_READY: CUresult = 600;
pub(crate) const CUDA_ERROR_NOT_PERMITTED: CUresult = 800;

pub(crate) const CU_STREAM_DEFAULT: c_uint = 0;
pub(crate) const CU_EVENT_BLOCKING_SYNC: c_uint = 1;

/// The stream that every thread of the process shares, as the driver spells it in place of a handle.
pub(crate) const CU_STREAM_LEGACY: CUstream = CUstream(std::ptr::without_provenance_mut(1));
