//! Functions for GPUs, contexts and peers.

use super::*;

later! {
    devices {
        since "9.2": fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: CUdevice);
        since "11.4": fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: CUdevice);
        since "3.2": fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
        since "7.0": fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: *mut c_uint, active: *mut c_int);
        since "11.0": fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint);
        since "2.0": fn cuCtxGetDevice(device: *mut CUdevice);
        since "3.2": fn cuCtxCreate_v2(context: *mut CUcontext, flags: c_uint, device: CUdevice);
        since "4.0": fn cuCtxDestroy_v2(context: CUcontext);
        since "4.0": fn cuCtxPushCurrent_v2(context: CUcontext);
        since "4.0": fn cuCtxPopCurrent_v2(context: *mut CUcontext);
        since "7.0": fn cuCtxGetFlags(flags: *mut c_uint);
        since "11.0": fn cuCtxResetPersistingL2Cache();
        since "4.0": fn cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
        since "8.0": fn cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, device: CUdevice, peer: CUdevice);
        since "4.0": fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
        since "4.0": fn cuCtxDisablePeerAccess(peer: CUcontext);
        since "4.0": fn cuMemcpyPeerAsync(
            to: CUdeviceptr, to_context: CUcontext,
            from: CUdeviceptr, from_context: CUcontext,
            bytes: usize,
            stream: CUstream,
        );
    }
}
