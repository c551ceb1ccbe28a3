//! Rows and boxes, registered memory, managed memory's advice, pools.

use std::ffi::c_void;

use crate::code::Code;
use crate::memory::Kind;
use crate::state::{Held, driver, not_null, put};
use crate::work::{Address, Work, submit};

/// What rows of `cuMemAllocPitch_v2` start at multiples of.
const ROW: usize = 512;
/// `CU_DEVICE_ATTRIBUTE_MAX_PITCH`.
const MAX_PITCH: usize = 2_147_483_647;

/// `CU_MEMORYTYPE_UNIFIED`: whose memory it is, the address says.
const UNIFIED: u32 = 4;

/// A pool of device memory.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) device: i32,
    /// Made by the program.
    pub(crate) own: bool,
    max: u64,
    threshold: u64,
    reserved: u64,
    reserved_high: u64,
    used: u64,
    used_high: u64,
}

impl Pool {
    fn new(device: i32, own: bool, max: u64) -> Pool {
        Pool {
            device,
            own,
            max: if max == 0 { u64::MAX } else { max },
            threshold: 0,
            reserved: 0,
            reserved_high: 0,
            used: 0,
            used_high: 0,
        }
    }

    fn take(&mut self, bytes: u64) -> Result<(), Code> {
        if self.used.saturating_add(bytes) > self.max {
            return Err(Code::OUT_OF_MEMORY);
        }
        self.used += bytes;
        self.used_high = self.used_high.max(self.used);
        self.reserved = self.reserved.max(self.used);
        self.reserved_high = self.reserved_high.max(self.reserved);
        Ok(())
    }

    /// A piece comes back.
    pub(crate) fn give(&mut self, bytes: u64) {
        self.used = self.used.saturating_sub(bytes);
        self.keep(self.threshold);
    }

    fn keep(&mut self, bytes: u64) {
        self.reserved = self.reserved.min(bytes).max(self.used);
    }
}

/// One side of a copy of rows, as the driver's structures have it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Side2D {
    x: usize,
    y: usize,
    kind: u32,
    host: *mut c_void,
    device: u64,
    array: u64,
    pitch: usize,
}

/// `CUDA_MEMCPY2D_v2`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Copy2D {
    from: Side2D,
    to: Side2D,
    width: usize,
    height: usize,
}

/// One side of a copy of planes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Side3D {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: u32,
    host: *mut c_void,
    device: u64,
    array: u64,
    reserved: u64,
    pitch: usize,
    rows: usize,
}

/// `CUDA_MEMCPY3D_v2`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Copy3D {
    pub(super) from: Side3D,
    pub(super) to: Side3D,
    width: usize,
    height: usize,
    depth: usize,
}

const _: () = assert!(size_of::<Copy2D>() == 128 && size_of::<Copy3D>() == 200);

impl Copy3D {
    pub(super) fn is_empty(&self) -> bool {
        [self.width, self.height, self.depth].contains(&0)
    }

    pub(super) fn row_bytes(&self) -> usize {
        self.width
    }
}

impl Side3D {
    pub(super) fn is_anywhere(&self) -> bool {
        self.kind == UNIFIED
    }
}

impl Side2D {
    fn in_space(self) -> Side3D {
        Side3D {
            x: self.x,
            y: self.y,
            z: 0,
            level: 0,
            kind: self.kind,
            host: self.host,
            device: self.device,
            array: self.array,
            reserved: 0,
            pitch: self.pitch,
            rows: 0,
        }
    }
}

/// Where each row of one side is.
pub(super) fn rows(state: &Held, side: &Side3D, copy: &Copy3D) -> Result<Vec<Address>, Code> {
    let is_array = side.kind == 3;
    let too_narrow = !is_array
        && (side.pitch < side.x + copy.width || copy.depth > 1 && side.rows < side.y + copy.height);
    if too_narrow || side.pitch > MAX_PITCH || side.reserved != 0 || side.level != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let mut places = vec![];
    for z in 0..copy.depth {
        for y in 0..copy.height {
            if is_array {
                let at = [side.x, side.y + y, side.z + z];
                places.push(Address::Device(state.in_array(side.array, at, copy.width)?));
                continue;
            }
            let row = (side.z + z) * side.rows + side.y + y;
            let offset = row * side.pitch + side.x;
            places.push(match side.kind {
                1 => {
                    let at = side.host.expose_provenance() + offset;
                    state.host_address(at as u64, copy.width)?;
                    Address::Host(at)
                }
                2 | UNIFIED => {
                    let at = side.device + offset as u64;
                    state.addressed(at, copy.width)?;
                    Address::Device(at)
                }
                _ => return Err(Code::INVALID_VALUE),
            });
        }
    }
    Ok(places)
}

fn copy_box(state: &mut Held, copy: &Copy3D, stream: u64) -> Result<(), Code> {
    let bytes = copy.width;
    if bytes == 0 || copy.height == 0 || copy.depth == 0 {
        return Ok(());
    }
    let (from, to) = (rows(state, &copy.from, copy)?, rows(state, &copy.to, copy)?);
    for (from, to) in from.into_iter().zip(to) {
        submit(state, stream, Work::Copy { to, from, bytes })?;
    }
    Ok(())
}

fn fill_rows(
    state: &mut Held,
    (to, pitch): (u64, usize),
    (value, unit): (u32, usize),
    (width, height): (usize, usize),
    stream: u64,
) -> Result<(), Code> {
    let aligned = to.is_multiple_of(unit as u64) && pitch.is_multiple_of(unit);
    if !aligned || height > 1 && pitch < width * unit || pitch > MAX_PITCH {
        return Err(Code::INVALID_VALUE);
    }
    let starts: Vec<u64> = (0..height).map(|y| to + (y * pitch) as u64).collect();
    for start in &starts {
        state.resolve(*start, width * unit)?;
    }
    for to in starts {
        let work = Work::Fill {
            to,
            value,
            width: unit,
            count: width,
        };
        submit(state, stream, work)?;
    }
    Ok(())
}

/// Refuses what is not managed memory.
fn managed(state: &Held, start: u64, bytes: usize) -> Result<(), Code> {
    match state.region_of(start, bytes) {
        Some((region, _)) if region.kind == Kind::Managed && bytes > 0 => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// -1 is the host.
fn check_location(state: &Held, device: i32) -> Result<(), Code> {
    let known = device == -1 || usize::try_from(device).is_ok_and(|at| at < state.gpus.len());
    if known {
        Ok(())
    } else {
        Err(Code::INVALID_DEVICE)
    }
}

driver! {
    /// Allocates rows that start at multiples of 512 bytes.
    fn cuMemAllocPitch_v2(state; address: *mut u64, pitch: *mut usize, width: usize, height: usize, access: u32) needs Context {
        not_null(address)?;
        if width == 0 || height == 0 || !matches!(access, 4 | 8 | 16) {
            return Err(Code::INVALID_VALUE);
        }
        let row = width.checked_next_multiple_of(ROW).ok_or(Code::OUT_OF_MEMORY)?;
        let bytes = row.checked_mul(height).ok_or(Code::OUT_OF_MEMORY)?;
        put(pitch, row)?;
        let made = state.allocate(Kind::Device, bytes, 0)?;
        put(address, made)
    }

    /// Start and length of an allocation.
    fn cuMemGetAddressRange_v2(state; start: *mut u64, bytes: *mut usize, address: u64) needs Context {
        let (region, offset) = state.region_of(address, 1).ok_or(Code::NOT_FOUND)?;
        if !start.is_null() {
            put(start, address - offset as u64)?;
        }
        if !bytes.is_null() {
            put(bytes, region.bytes)?;
        }
        Ok(())
    }

    /// Queues a copy of a rectangle.
    fn cuMemcpy2DAsync_v2(state; copy: *const Copy2D, stream: u64) needs Context {
        let copy = *not_null(copy)?;
        let copy = Copy3D {
            from: copy.from.in_space(),
            to: copy.to.in_space(),
            width: copy.width,
            height: copy.height,
            depth: 1,
        };
        copy_box(state, &copy, stream)
    }

    /// Queues a copy of a box.
    fn cuMemcpy3DAsync_v2(state; copy: *const Copy3D, stream: u64) needs Context {
        let copy = *not_null(copy)?;
        copy_box(state, &copy, stream)
    }

    /// Queues writing a byte in rows.
    fn cuMemsetD2D8Async(state; to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: u64) needs Context {
        fill_rows(state, (to, pitch), (value.into(), 1), (width, height), stream)
    }

    /// Queues writing two bytes in rows.
    fn cuMemsetD2D16Async(state; to: u64, pitch: usize, value: u16, width: usize, height: usize, stream: u64) needs Context {
        fill_rows(state, (to, pitch), (value.into(), 2), (width, height), stream)
    }

    /// Queues writing four bytes in rows.
    fn cuMemsetD2D32Async(state; to: u64, pitch: usize, value: u32, width: usize, height: usize, stream: u64) needs Context {
        fill_rows(state, (to, pitch), (value, 4), (width, height), stream)
    }

    /// Page-locks memory of the host.
    fn cuMemHostRegister_v2(state; start: *mut c_void, bytes: usize, flags: u32) needs Context {
        let address = not_null(start)?.expose_provenance() as u64;
        if bytes == 0 || flags & !15 != 0 {
            return Err(Code::INVALID_VALUE);
        }
        state.register(address, bytes, flags)
    }

    /// Lets it be ordinary memory again.
    fn cuMemHostUnregister(state; start: *mut c_void) needs Context {
        let address = start.addr() as u64;
        let bytes = state.regions.get(&address).map(|region| region.bytes);
        if let Some(bytes) = bytes {
            state.check_unused("cuMemHostUnregister", address, bytes);
        }
        state.free(address, &[Kind::Registered])
    }

    /// Takes advice about managed memory.
    fn cuMemAdvise(state; start: u64, bytes: usize, advice: i32, device: i32) needs Context {
        managed(state, start, bytes)?;
        check_location(state, device)?;
        let region = state.regions.get_mut(&start).ok_or(Code::INVALID_VALUE)?;
        match advice {
            1 | 2 => region.read_mostly = advice == 1,
            3 => region.preferred = device,
            4 => region.preferred = -2,
            5 | 6 => {}
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }

    /// What was advised: mostly read (1), or the preferred location (2).
    fn cuMemRangeGetAttribute(state; value: *mut c_void, size: usize, attribute: i32, start: u64, bytes: usize) needs Context {
        managed(state, start, bytes)?;
        let region = state.regions.get(&start).ok_or(Code::INVALID_VALUE)?;
        let answer = match attribute {
            1 => i32::from(region.read_mostly),
            2 => region.preferred,
            _ => return Err(Code::INVALID_VALUE),
        };
        if size != 4 {
            return Err(Code::INVALID_VALUE);
        }
        put(value.cast(), answer)
    }

    /// Moves nothing: there is one memory.
    fn cuMemPrefetchAsync(state; start: u64, bytes: usize, to: i32, stream: u64) needs Context {
        managed(state, start, bytes)?;
        check_location(state, to)?;
        state.stream(stream).map(drop)
    }

    /// The pool that a GPU has anyway.
    fn cuDeviceGetDefaultMemPool(state; pool: *mut u64, device: i32) needs Init {
        state.gpu(device)?;
        let found = state.pools.iter().find(|(_, pool)| pool.device == device && !pool.own);
        let found = found.map(|(handle, _)| handle);
        let handle = match found {
            Some(handle) => handle,
            None => state.pools.add(Pool::new(device, false, 0)),
        };
        put(pool, handle)
    }

    /// Makes a pool.
    fn cuMemPoolCreate(state; pool: *mut u64, properties: *const [u64; 11]) needs Init {
        not_null(pool)?;
        let words = *not_null(properties)?;
        let (kind, location) = (words[0], words[1]);
        let device = (location >> 32) as i32;
        state.gpu(device)?;
        if kind != 1 || location & 0xFFFF_FFFF != 1 || words[2] != 0 || words[4..] != [0; 7] {
            return Err(Code::INVALID_VALUE);
        }
        let made = state.pools.add(Pool::new(device, true, words[3]));
        put(pool, made)
    }

    /// Destroys a pool of the program's own. What is still allocated from it stays until it is freed.
    fn cuMemPoolDestroy(state; pool: u64) needs Init {
        if !state.pools.get(pool)?.own {
            return Err(Code::INVALID_VALUE);
        }
        state.pools.remove(pool).map(drop)
    }

    /// Releases the unused memory of a pool.
    fn cuMemPoolTrimTo(state; pool: u64, keep: usize) needs Init {
        state.pools.get_mut(pool)?.keep(keep as u64);
        Ok(())
    }

    /// A pool's threshold (4) and counts (5 to 8).
    fn cuMemPoolGetAttribute(state; pool: u64, attribute: i32, value: *mut c_void) needs Init {
        let pool = state.pools.get(pool)?;
        let answer = match attribute {
            4 => pool.threshold,
            5 => pool.reserved,
            6 => pool.reserved_high,
            7 => pool.used,
            8 => pool.used_high,
            _ => return Err(Code::INVALID_VALUE),
        };
        put(value.cast(), answer)
    }

    /// Sets a pool's threshold, or resets a high mark.
    fn cuMemPoolSetAttribute(state; pool: u64, attribute: i32, value: *mut c_void) needs Init {
        let value: u64 = *not_null(value.cast_const().cast())?;
        let pool = state.pools.get_mut(pool)?;
        match (attribute, value) {
            (4, bytes) => pool.threshold = bytes,
            (6, 0) => pool.reserved_high = pool.reserved,
            (8, 0) => pool.used_high = pool.used,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }

    /// Allocates from a pool, in order with a stream.
    fn cuMemAllocFromPoolAsync(state; address: *mut u64, bytes: usize, pool: u64, stream: u64) needs Context {
        not_null(address)?;
        state.stream(stream)?;
        state.pools.get_mut(pool)?.take(bytes as u64)?;
        let made = state.allocate(Kind::Device, bytes, 0);
        let made = made.inspect_err(|_| {
            if let Ok(pool) = state.pools.get_mut(pool) {
                pool.give(bytes as u64);
            }
        })?;
        if let Some(region) = state.regions.get_mut(&made) {
            region.pool = pool;
        }
        put(address, made)
    }
}
