//! GPUs and contexts.

use std::ffi::{CStr, c_char};

use crate::attributes::attribute;
use crate::code::{CODES, Code};
use crate::memory::Kind;
use crate::state::{Context, Gpu, Held, current_or_null, driver, not_null, put, set_current};
use crate::work::{Stream, drain_all};

/// What an H200 is called.
const NAME: &CStr = c"NVIDIA H200 (fake)";
/// `CU_CTX_FLAGS_MASK` without the bits that contexts of today ignore.
pub(super) const FLAGS: u32 = 0xFF;

/// What a fresh context has: stack, printf, heap, depth, launches, fetch granularity, persisting L2, and their numbers.
const LIMITS: [(i32, usize); 7] = [
    (0, 1024),
    (1, 1 << 20),
    (2, 8 << 20),
    (3, 2),
    (4, 2048),
    (5, 64),
    (6, 0),
];

fn text_of(code: i32) -> Result<(&'static CStr, &'static CStr), Code> {
    let found = CODES.iter().find(|(number, ..)| *number == code);
    found
        .map(|(_, name, text)| (*name, *text))
        .ok_or(Code::INVALID_VALUE)
}

/// Lets go of a primary context.
fn destroy_primary(held: &mut Held, device: i32) -> Result<(), Code> {
    let context = std::mem::take(&mut held.gpu(device)?.context);
    destroy(held, context, device)
}

/// Waits for a context's work, then destroys what is left in it, and says so.
pub(super) fn destroy(held: &mut Held, context: u64, device: i32) -> Result<(), Code> {
    let _ = drain_all(held, context);
    let broken = held.contexts.remove(context)?.broken.is_some();
    let modules: Vec<u64> = held
        .modules
        .iter()
        .filter(|(_, m)| m.context == context)
        .map(|(h, _)| h)
        .collect();
    let streams = held
        .streams
        .iter()
        .filter(|(_, s)| s.context == context && !s.is_null)
        .count();
    let events = held
        .events
        .iter()
        .filter(|(_, e)| e.context == context)
        .count();
    let kinds = [Kind::Device, Kind::Pinned, Kind::Managed, Kind::Array];
    let memory: Vec<u64> = held
        .regions
        .iter()
        .filter(|(_, r)| r.context == context && kinds.contains(&r.kind))
        .map(|(at, _)| *at)
        .collect();
    if !broken && modules.len() + streams + events + memory.len() > 0 {
        let left = format!(
            "the last user let go of GPU {device} and left {} modules, {streams} streams, {events} events, {} pieces of memory",
            modules.len(),
            memory.len()
        );
        held.complain(left);
    }
    for module in modules {
        held.unload(module)?;
    }
    held.streams.retain(|_, stream| stream.context != context);
    held.events.retain(|_, event| event.context != context);
    held.links.retain(|_, link| link.context != context);
    held.regions.retain(|_, region| region.context != context);
    held.arrays.retain(|_, array| array.context != context);
    held.mipmapped.retain(|_, array| array.context != context);
    held.external.retain(|_, memory| memory.context != context);
    held.graphics
        .retain(|_, resource| resource.context != context);
    held.semaphores
        .retain(|_, semaphore| semaphore.context != context);
    held.allocations
        .retain(|_, memory| memory.context != context);
    held.textures.retain(|_, object| object.context != context);
    held.surfaces.retain(|_, object| object.context != context);
    Ok(())
}

/// The primary context of a GPU, made if there is none.
fn primary(held: &mut Held, device: i32) -> Result<u64, Code> {
    let context = held.gpu(device)?.context;
    if context != 0 {
        return Ok(context);
    }
    let flags = held.gpu(device)?.flags;
    let context = make(held, device, flags, false);
    held.gpu(device)?.context = context;
    Ok(context)
}

/// A new context.
pub(super) fn make(held: &mut Held, device: i32, flags: u32, own: bool) -> u64 {
    let context = held.contexts.add(Context {
        device,
        limits: LIMITS.into(),
        broken: None,
        flags,
        own,
        peers: vec![],
    });
    held.streams.add(Stream {
        context,
        is_null: true,
        ..Stream::default()
    });
    context
}

/// Whether a context may be made: not after a kernel's fault, where the mode is "Prohibited", nor where another process has the GPU for
/// itself.
pub(super) fn may_open(held: &mut Held, device: i32) -> Result<(), Code> {
    held.gpu(device)?;
    if let Some(code) = held.fault {
        return Err(code);
    }
    match mode(held, device) {
        2 => Err(Code::INVALID_DEVICE),
        3 => Err(Code::DEVICE_UNAVAILABLE),
        _ => Ok(()),
    }
}

/// The compute mode that a test chose.
fn mode(held: &Held, device: i32) -> i32 {
    let chosen = |mask: u64| mask >> device & 1 != 0;
    match (chosen(held.options.prohibited), chosen(held.options.taken)) {
        (true, _) => 2,
        (_, true) => 3,
        _ => 0,
    }
}

driver! {
    /// Initialises the driver.
    fn cuInit(state; flags: u32) needs Nothing {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if state.options.devices == 0 {
            return Err(Code::NO_DEVICE);
        }
        if !state.initialised {
            let devices = state.options.devices;
            state.gpus = (0..devices).map(|_| Gpu::default()).collect();
            state.initialised = true;
        }
        Ok(())
    }

    /// The CUDA version of the driver.
    fn cuDriverGetVersion(state; version: *mut i32) needs Nothing {
        put(version, i32::try_from(state.options.version).unwrap_or(0))
    }

    /// The name of a code.
    fn cuGetErrorName(_state; code: i32, name: *mut *const c_char) needs Nothing {
        put(name, text_of(code).map_or(std::ptr::null(), |(name, _)| name.as_ptr()))?;
        text_of(code).map(drop)
    }

    /// What a code means.
    fn cuGetErrorString(_state; code: i32, text: *mut *const c_char) needs Nothing {
        put(text, text_of(code).map_or(std::ptr::null(), |(_, text)| text.as_ptr()))?;
        text_of(code).map(drop)
    }

    /// How many GPUs there are.
    fn cuDeviceGetCount(state; count: *mut i32) needs Init {
        put(count, i32::try_from(state.gpus.len()).unwrap_or(i32::MAX))
    }

    /// A GPU by its number.
    fn cuDeviceGet(state; device: *mut i32, ordinal: i32) needs Init {
        state.gpu(ordinal)?;
        put(device, ordinal)
    }

    /// A GPU's name, cut where the buffer ends.
    fn cuDeviceGetName(state; name: *mut c_char, len: i32, device: i32) needs Init {
        state.gpu(device)?;
        let len = usize::try_from(len).ok().filter(|len| *len > 0).ok_or(Code::INVALID_VALUE)?;
        not_null(name)?;
        let text = NAME.to_bytes();
        let kept = text.len().min(len - 1);
        name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), kept);
        name.add(kept).write(0);
        Ok(())
    }

    /// A GPU's unique number.
    fn cuDeviceGetUuid(state; uuid: *mut [u8; 16], device: i32) needs Init {
        state.gpu(device)?;
        let mut number = *b"warploom-fake-00";
        number[15] += u8::try_from(device).unwrap_or(0);
        put(uuid, number)
    }

    /// A GPU's unique number.
    fn cuDeviceGetUuid_v2(state; uuid: *mut [u8; 16], device: i32) needs Init {
        state.gpu(device)?;
        let mut number = *b"warploom-fake-00";
        number[15] += u8::try_from(device).unwrap_or(0);
        put(uuid, number)
    }

    /// Bytes of a GPU's memory.
    fn cuDeviceTotalMem_v2(state; bytes: *mut usize, device: i32) needs Init {
        state.gpu(device)?;
        put(bytes, usize::try_from(state.options.memory).unwrap_or(usize::MAX))
    }

    /// One of a GPU's attributes.
    fn cuDeviceGetAttribute(state; value: *mut i32, number: i32, device: i32) needs Init {
        state.gpu(device)?;
        if number == 20 {
            return put(value, mode(state, device));
        }
        put(value, attribute(number, device).ok_or(Code::INVALID_VALUE)?)
    }

    /// Takes hold of a GPU's primary context.
    fn cuDevicePrimaryCtxRetain(state; context: *mut u64, device: i32) needs Init {
        not_null(context)?;
        may_open(state, device)?;
        let made = primary(state, device)?;
        state.gpu(device)?.retained += 1;
        put(context, made)
    }

    /// Lets go of a GPU's primary context.
    fn cuDevicePrimaryCtxRelease_v2(state; device: i32) needs Init {
        let gpu = state.gpu(device)?;
        if gpu.retained == 0 {
            return Err(Code::INVALID_CONTEXT);
        }
        gpu.retained -= 1;
        if gpu.retained == 0 {
            destroy_primary(state, device)?;
        }
        Ok(())
    }

    /// Destroys what is in a GPU's primary context, even while it is retained.
    fn cuDevicePrimaryCtxReset_v2(state; device: i32) needs Init {
        if state.gpu(device)?.context != 0 {
            destroy_primary(state, device)?;
        }
        Ok(())
    }

    /// A primary context's flags, and whether there is one.
    fn cuDevicePrimaryCtxGetState(state; device: i32, flags: *mut u32, active: *mut i32) needs Init {
        let gpu = state.gpu(device)?;
        let (set, is_active) = (gpu.flags, gpu.context != 0);
        put(flags, set)?;
        put(active, i32::from(is_active))
    }

    /// Sets a primary context's flags.
    fn cuDevicePrimaryCtxSetFlags_v2(state; device: i32, flags: u32) needs Init {
        let gpu = state.gpu(device)?;
        // Three ways to wait, of which one is chosen.
        if flags & !FLAGS != 0 || (flags & 7).count_ones() > 1 {
            return Err(Code::INVALID_VALUE);
        }
        gpu.flags = flags;
        Ok(())
    }

    /// Makes a context the calling thread's.
    fn cuCtxSetCurrent(state; context: u64) needs Init {
        if context != 0 {
            state.contexts.get(context)?;
        }
        set_current(context);
        Ok(())
    }

    /// The calling thread's context.
    fn cuCtxGetCurrent(_state; context: *mut u64) needs Init {
        put(context, current_or_null())
    }

    /// The current context's GPU.
    fn cuCtxGetDevice(state; device: *mut i32) needs Context {
        let current = state.current()?;
        let of = state.contexts.get(current)?.device;
        put(device, of)
    }

    /// Waits for all work of the current context.
    fn cuCtxSynchronize(state;) needs Context {
        let context = state.current()?;
        drain_all(state, context)
    }

    /// A limit of the current context.
    fn cuCtxGetLimit(state; value: *mut usize, limit: i32) needs Context {
        let context = state.current()?;
        let set = state.contexts.get(context)?.limits.get(&limit).copied();
        put(value, set.ok_or(Code::UNSUPPORTED_LIMIT)?)
    }

    /// Sets a limit of the current context.
    fn cuCtxSetLimit(state; limit: i32, value: usize) needs Context {
        let context = state.current()?;
        if limit == 2 && value as u64 > state.options.memory {
            return Err(Code::OUT_OF_MEMORY);
        }
        // What is kept of L2 is a wish: the nearest that can be.
        let most = attribute(108, 0).and_then(|most| usize::try_from(most).ok());
        let value = if limit == 6 { value.min(most.unwrap_or(0)) } else { value };
        let limits = &mut state.contexts.get_mut(context)?.limits;
        *limits.get_mut(&limit).ok_or(Code::UNSUPPORTED_LIMIT)? = value;
        Ok(())
    }

    /// The priorities that streams may have.
    fn cuCtxGetStreamPriorityRange(_state; least: *mut i32, greatest: *mut i32) needs Context {
        put(least, 0)?;
        put(greatest, -5)
    }
}
