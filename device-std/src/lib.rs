//! What a warploom kernel may call: indices, barriers, warp operations, shared memory, atomics, math
