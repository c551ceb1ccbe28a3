//! Functions for kinds of memory, copies and pools.

use super::*;

later! {
    memory {
        since "4.0": fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    }
}

pub(crate) const CU_MEMHOSTALLOC_WRITECOMBINED: c_uint = 4;

pub(crate) const CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: c_int = 19;
