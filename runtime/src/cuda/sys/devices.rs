//! Functions for GPUs, contexts and peers.

use super::*;

later! {
    devices {
        since "9.2": fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: CUdevice);
    }
}
