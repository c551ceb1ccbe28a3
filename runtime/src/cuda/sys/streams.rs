//! Functions for streams, events, callbacks and profiling.

use super::*;

later! {
    streams {
        since "4.0": fn cuStreamQuery(stream: CUstream);
    }
}
