//! Functions for streams, events, callbacks and profiling.

use super::*;

later! {
    streams {
        since "4.0": fn cuStreamQuery(stream: CUstream);
        since "9.2": fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
    }
}
