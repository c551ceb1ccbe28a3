//! Functions for kinds of memory, copies and pools.

use super::*;

later! {
    memory {
        since "4.0": fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        since "4.0": fn cuPointerGetAttribute(value: *mut c_void, attribute: c_int, address: CUdeviceptr);
    }
}
