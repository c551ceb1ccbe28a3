//! Memory: which addresses are whose, and the host memory behind them.

use std::alloc::Layout;

use crate::code::Code;
use crate::state::State;

/// What the driver's allocations are aligned to.
const ALIGN: u64 = 512;
/// Up to so many bytes, fresh memory is filled, so that reading it before writing shows.
const FILLED: usize = 16 << 20;
/// What is in memory that was never written.
const FRESH: u8 = 0xA5;

/// Who sees memory where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Only the device. Its address means nothing to the host.
    Device,
    /// A variable of a module: device memory that goes with the module.
    Variable,
    /// The host at the same address.
    Pinned,
    /// The host's own memory, registered.
    Registered,
    /// Both, at the same address.
    Managed,
    /// Neither kernels nor the host: an array, which copies alone reach.
    Array,
    /// Only the device, in memory that is mapped from a file: of another API, or to be given to one.
    External,
}

/// An allocation.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) kind: Kind,
    pub(crate) bytes: usize,
    pub(crate) context: u64,
    pub(crate) device: i32,
    pub(crate) flags: u32,
    /// The pool that it is of; 0: none.
    pub(crate) pool: u64,
    /// What `cuMemAdvise` was told.
    pub(crate) read_mostly: bool,
    /// As `cuMemRangeGetAttribute` gives it: -2 if it was never set.
    pub(crate) preferred: i32,
    /// Where its bytes are in truth.
    pub(crate) host: *mut u8,
    layout: Option<Layout>,
}

// SAFETY: the address of memory that the region owns; all accesses are made under the state's lock, or by the program, which orders them.
unsafe impl Send for Region {}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: allocated with this layout, and freed once.
            unsafe { std::alloc::dealloc(self.host, layout) };
        }
    }
}

fn backing(bytes: usize) -> Result<(*mut u8, Layout), Code> {
    let layout = Layout::from_size_align(bytes, 4096).map_err(|_| Code::OUT_OF_MEMORY)?;
    // SAFETY: not zero bytes: the callers refuse those.
    let host = unsafe { std::alloc::alloc_zeroed(layout) };
    if host.is_null() {
        return Err(Code::OUT_OF_MEMORY);
    }
    if bytes <= FILLED {
        // SAFETY: so many bytes were allocated.
        unsafe { host.write_bytes(FRESH, bytes) };
    }
    Ok((host, layout))
}

impl State {
    /// Bytes of a GPU's memory that are in use.
    pub(crate) fn used(&self, device: i32) -> u64 {
        let on_device = |r: &&Region| {
            matches!(r.kind, Kind::Device | Kind::Managed | Kind::Array) && r.device == device
        };
        self.regions
            .values()
            .filter(on_device)
            .map(|r| r.bytes as u64)
            .sum()
    }

    /// Allocates memory for the current context and gives its address.
    pub(crate) fn allocate(&mut self, kind: Kind, bytes: usize, flags: u32) -> Result<u64, Code> {
        let context = self.current()?;
        self.allocate_for(context, kind, bytes, flags)
    }

    pub(crate) fn allocate_for(
        &mut self,
        context: u64,
        kind: Kind,
        bytes: usize,
        flags: u32,
    ) -> Result<u64, Code> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let device = self.contexts.get(context)?.device;
        let on_device = matches!(kind, Kind::Device | Kind::Managed | Kind::Array);
        if on_device && self.used(device).saturating_add(bytes as u64) > self.options.memory {
            return Err(Code::OUT_OF_MEMORY);
        }
        let (host, layout) = backing(bytes)?;
        let start = match kind {
            Kind::Device | Kind::Variable | Kind::Array | Kind::External => {
                // Never the same address twice, and a gap behind each allocation: stale addresses and overruns are found.
                let start = self.next_address;
                self.next_address += (bytes as u64).next_multiple_of(ALIGN) + ALIGN;
                start
            }
            Kind::Pinned | Kind::Registered | Kind::Managed => host.expose_provenance() as u64,
        };
        let region = Region {
            kind,
            bytes,
            context,
            device,
            flags,
            pool: 0,
            read_mostly: false,
            preferred: -2,
            host,
            layout: Some(layout),
        };
        self.regions.insert(start, region);
        Ok(start)
    }

    /// Notes memory of the host itself as page-locked.
    pub(crate) fn register(&mut self, start: u64, bytes: usize, flags: u32) -> Result<(), Code> {
        let end = start.checked_add(bytes as u64).ok_or(Code::INVALID_VALUE)?;
        let meets = |(at, region): (&u64, &Region)| start < at + region.bytes as u64;
        if self.regions.range(..end).next_back().is_some_and(meets) {
            return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let context = self.current()?;
        let address = usize::try_from(start).map_err(|_| Code::INVALID_VALUE)?;
        let region = Region {
            kind: Kind::Registered,
            bytes,
            context,
            device: self.contexts.get(context)?.device,
            flags,
            pool: 0,
            read_mostly: false,
            preferred: -2,
            host: std::ptr::with_exposed_provenance_mut(address),
            layout: None,
        };
        self.regions.insert(start, region);
        Ok(())
    }

    /// Gives memory that is kept elsewhere addresses of the device.
    pub(crate) fn map(&mut self, kind: Kind, host: *mut u8, bytes: usize) -> Result<u64, Code> {
        let context = self.current()?;
        let start = self.next_address;
        self.next_address += (bytes as u64).next_multiple_of(ALIGN) + ALIGN;
        let region = Region {
            kind,
            bytes,
            context,
            device: self.contexts.get(context)?.device,
            flags: 0,
            pool: 0,
            read_mostly: false,
            preferred: -2,
            host,
            layout: None,
        };
        self.regions.insert(start, region);
        Ok(start)
    }

    /// Takes a piece of memory away, of its pool as well.
    pub(crate) fn remove_region(&mut self, address: u64) {
        if let Some(region) = self.regions.remove(&address)
            && let Ok(pool) = self.pools.get_mut(region.pool)
        {
            pool.give(region.bytes as u64);
        }
    }

    /// The region in which `bytes` bytes from `address` on lie, and where they start in it.
    pub(crate) fn region_of(&self, address: u64, bytes: usize) -> Option<(&Region, usize)> {
        let (start, region) = self.regions.range(..=address).next_back()?;
        let offset = usize::try_from(address - start).ok()?;
        let end = offset.checked_add(bytes)?;
        (offset < region.bytes && end <= region.bytes).then_some((region, offset))
    }

    /// Where memory of the device is in truth.
    pub(crate) fn resolve(&self, address: u64, bytes: usize) -> Result<*mut u8, Code> {
        let (region, offset) = self.region_of(address, bytes).ok_or(Code::INVALID_VALUE)?;
        Ok(region.host.wrapping_add(offset))
    }

    /// Where memory of the device is in truth that has an address for programs.
    pub(crate) fn addressed(&self, address: u64, bytes: usize) -> Result<*mut u8, Code> {
        let (region, _) = self.region_of(address, bytes).ok_or(Code::INVALID_VALUE)?;
        if region.kind == Kind::Array {
            return Err(Code::INVALID_VALUE);
        }
        self.resolve(address, bytes)
    }

    /// Refuses addresses that only a device understands.
    pub(crate) fn host_address(&self, address: u64, bytes: usize) -> Result<(), Code> {
        let foreign = |r: &Region| {
            let kinds = [Kind::Device, Kind::Variable, Kind::Array, Kind::External];
            kinds.contains(&r.kind)
        };
        if address == 0 || self.region_of(address, 1).is_some_and(|(r, _)| foreign(r)) {
            return Err(Code::INVALID_VALUE);
        }
        // Memory that the driver gave must hold all of it.
        match self.region_of(address, 1) {
            Some(_) if bytes > 0 && self.region_of(address, bytes).is_none() => {
                Err(Code::INVALID_VALUE)
            }
            _ => Ok(()),
        }
    }

    /// Frees memory of one of these kinds that starts at `address`.
    pub(crate) fn free(&mut self, address: u64, kinds: &[Kind]) -> Result<(), Code> {
        match self.regions.get(&address) {
            Some(region) if kinds.contains(&region.kind) => {
                self.remove_region(address);
                Ok(())
            }
            _ => Err(Code::INVALID_VALUE),
        }
    }
}
