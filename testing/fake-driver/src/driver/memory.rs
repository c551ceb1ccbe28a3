//! Kinds of memory, copies and fills.

use std::ffi::c_void;

use crate::code::Code;
use crate::memory::Kind;
use crate::state::{Held, driver, not_null, put};
use crate::work::{Address, Work, drain, drain_all, submit};

/// `CU_MEMHOSTALLOC_PORTABLE`, `_DEVICEMAP`, `_WRITECOMBINED`.
const HOST_FLAGS: u32 = 7;
/// `CU_POINTER_ATTRIBUTE_DEVICE_POINTER`.
const DEVICE_POINTER: i32 = 3;

fn device(state: &Held, at: u64, bytes: usize) -> Result<Address, Code> {
    if bytes > 0 {
        state.addressed(at, bytes)?;
    }
    Ok(Address::Device(at))
}

fn host(state: &Held, at: *const c_void, bytes: usize) -> Result<Address, Code> {
    let at = at.expose_provenance();
    state.host_address(at as u64, bytes)?;
    Ok(Address::Host(at))
}

/// Gives a stream a copy; `waits`: as the functions without a stream do.
fn copy(
    state: &mut Held,
    to: Address,
    from: Address,
    bytes: usize,
    stream: u64,
) -> Result<(), Code> {
    submit(state, stream, Work::Copy { to, from, bytes })
}

fn copy_now(state: &mut Held, to: Address, from: Address, bytes: usize) -> Result<(), Code> {
    copy(state, to, from, bytes, 0)?;
    let own = state.stream(0)?;
    drain(state, own, None)
}

fn fill(
    state: &mut Held,
    to: u64,
    value: u32,
    width: usize,
    count: usize,
    stream: u64,
) -> Result<(), Code> {
    let bytes = width.checked_mul(count).ok_or(Code::INVALID_VALUE)?;
    device(state, to, bytes)?;
    if !to.is_multiple_of(width as u64) {
        return Err(Code::INVALID_VALUE);
    }
    submit(
        state,
        stream,
        Work::Fill {
            to,
            value,
            width,
            count,
        },
    )
}

/// Waits for the context and says so if queued work used the memory.
pub(super) fn before_freeing(state: &mut Held, call: &str, at: u64) -> Result<(), Code> {
    if let Some(region) = state.regions.get(&at) {
        let (bytes, context) = (region.bytes, region.context);
        state.check_unused(call, at, bytes);
        drain_all(state, context)?;
    }
    Ok(())
}

driver! {
    /// Free and total bytes of the current GPU.
    fn cuMemGetInfo_v2(state; free: *mut usize, total: *mut usize) needs Context {
        let context = state.current()?;
        let used = state.used(state.contexts.get(context)?.device);
        let all = state.options.memory;
        put(free, usize::try_from(all.saturating_sub(used)).unwrap_or(usize::MAX))?;
        put(total, usize::try_from(all).unwrap_or(usize::MAX))
    }

    /// Allocates device memory.
    fn cuMemAlloc_v2(state; address: *mut u64, bytes: usize) needs Context {
        not_null(address)?;
        let made = state.allocate(Kind::Device, bytes, 0)?;
        put(address, made)
    }

    /// Allocates memory for both sides.
    fn cuMemAllocManaged(state; address: *mut u64, bytes: usize, flags: u32) needs Context {
        not_null(address)?;
        // Global or host: one of them.
        if !matches!(flags, 1 | 2) {
            return Err(Code::INVALID_VALUE);
        }
        let made = state.allocate(Kind::Managed, bytes, flags)?;
        put(address, made)
    }

    /// Frees device memory and managed memory.
    fn cuMemFree_v2(state; address: u64) needs Context {
        before_freeing(state, "cuMemFree_v2", address)?;
        if super::external::unmap(state, address) {
            return Ok(());
        }
        state.free(address, &[Kind::Device, Kind::Managed])
    }

    /// Allocates device memory, in order with a stream.
    fn cuMemAllocAsync(state; address: *mut u64, bytes: usize, stream: u64) needs Context {
        not_null(address)?;
        state.stream(stream)?;
        let made = state.allocate(Kind::Device, bytes, 0)?;
        put(address, made)
    }

    /// Frees device memory once a stream got there.
    fn cuMemFreeAsync(state; address: u64, stream: u64) needs Context {
        if state.regions.get(&address).is_none_or(|region| region.kind != Kind::Device) {
            return Err(Code::INVALID_VALUE);
        }
        submit(state, stream, Work::Free(address))
    }

    /// Allocates page-locked host memory.
    fn cuMemHostAlloc(state; address: *mut *mut c_void, bytes: usize, flags: u32) needs Context {
        not_null(address)?;
        if flags & !HOST_FLAGS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let made = state.allocate(Kind::Pinned, bytes, flags)?;
        put(address, std::ptr::with_exposed_provenance_mut(usize::try_from(made).unwrap_or(0)))
    }

    /// Frees page-locked host memory.
    fn cuMemFreeHost(state; address: *mut c_void) needs Context {
        let address = address.addr() as u64;
        before_freeing(state, "cuMemFreeHost", address)?;
        state.free(address, &[Kind::Pinned])
    }

    /// The address by which kernels reach page-locked memory: the same.
    fn cuMemHostGetDevicePointer_v2(state; device: *mut u64, host: *mut c_void, flags: u32) needs Context {
        not_null(device)?;
        let found = state.region_of(host.addr() as u64, 1).map(|(region, _)| region.kind);
        if flags != 0 || !matches!(found, Some(Kind::Pinned | Kind::Registered)) {
            return Err(Code::INVALID_VALUE);
        }
        put(device, host.addr() as u64)
    }

    /// What the driver knows of an address: of all it could say, only where kernels find the memory.
    fn cuPointerGetAttribute(state; value: *mut c_void, attribute: i32, address: u64) needs Context {
        not_null(value)?;
        if attribute != DEVICE_POINTER {
            return Err(Code::NOT_SUPPORTED);
        }
        state.resolve(address, 1)?;
        put(value.cast::<u64>(), address)
    }

    /// What page-locked memory was asked for with.
    fn cuMemHostGetFlags(state; flags: *mut u32, host: *mut c_void) needs Context {
        let (region, _) = state.region_of(host.addr() as u64, 1).ok_or(Code::INVALID_VALUE)?;
        if !matches!(region.kind, Kind::Pinned | Kind::Registered) {
            return Err(Code::INVALID_VALUE);
        }
        put(flags, region.flags)
    }

    /// Queues a copy to the device.
    fn cuMemcpyHtoDAsync_v2(state; to: u64, from: *const c_void, bytes: usize, stream: u64) needs Context {
        let (to, from) = (device(state, to, bytes)?, host(state, from, bytes)?);
        copy(state, to, from, bytes, stream)
    }

    /// Queues a copy to the host.
    fn cuMemcpyDtoHAsync_v2(state; to: *mut c_void, from: u64, bytes: usize, stream: u64) needs Context {
        let (to, from) = (host(state, to, bytes)?, device(state, from, bytes)?);
        copy(state, to, from, bytes, stream)
    }

    /// Queues a copy within the device.
    fn cuMemcpyDtoDAsync_v2(state; to: u64, from: u64, bytes: usize, stream: u64) needs Context {
        let (to, from) = (device(state, to, bytes)?, device(state, from, bytes)?);
        copy(state, to, from, bytes, stream)
    }

    /// Copies to the device.
    fn cuMemcpyHtoD_v2(state; to: u64, from: *const c_void, bytes: usize) needs Context {
        let (to, from) = (device(state, to, bytes)?, host(state, from, bytes)?);
        copy_now(state, to, from, bytes)
    }

    /// Copies to the host.
    fn cuMemcpyDtoH_v2(state; to: *mut c_void, from: u64, bytes: usize) needs Context {
        let (to, from) = (host(state, to, bytes)?, device(state, from, bytes)?);
        copy_now(state, to, from, bytes)
    }

    /// Queues writing a byte to each byte.
    fn cuMemsetD8Async(state; to: u64, byte: u8, count: usize, stream: u64) needs Context {
        fill(state, to, byte.into(), 1, count, stream)
    }

    /// Queues writing two bytes to each two.
    fn cuMemsetD16Async(state; to: u64, value: u16, count: usize, stream: u64) needs Context {
        fill(state, to, value.into(), 2, count, stream)
    }

    /// Queues writing four bytes to each four.
    fn cuMemsetD32Async(state; to: u64, value: u32, count: usize, stream: u64) needs Context {
        fill(state, to, value, 4, count, stream)
    }
}
