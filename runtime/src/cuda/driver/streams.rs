//! Functions for streams, events, callbacks and profiling.

use super::super::sys::external::*;
use super::*;

later! {
    streams {
        since "4.0": fn cuStreamQuery(stream: CUstream);
        since "5.5": fn cuStreamGetFlags(stream: CUstream, flags: *mut c_uint);
        since "5.5": fn cuStreamGetPriority(stream: CUstream, priority: *mut c_int);
        since "9.2": fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
        since "5.5": fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
        since "5.5": fn cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
        since "10.0": fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void);
        since "4.0": fn cuEventQuery(event: CUevent);
        since "10.0": fn cuImportExternalSemaphore(semaphore: *mut CUexternalSemaphore, described: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC);
        since "10.0": fn cuDestroyExternalSemaphore(semaphore: CUexternalSemaphore);
        since "10.0": fn cuSignalExternalSemaphoresAsync(semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_PARAMS, count: c_uint, stream: CUstream);
        since "10.0": fn cuWaitExternalSemaphoresAsync(semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_PARAMS, count: c_uint, stream: CUstream);
        since "4.0": fn cuProfilerStart();
        since "4.0": fn cuProfilerStop();
    }
}
