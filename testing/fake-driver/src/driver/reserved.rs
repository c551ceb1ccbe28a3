//! Memory that is allocated, given addresses and exported by hand.

use std::ffi::{CStr, c_char, c_void};
use std::fs::File;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use super::external::Mapping;
use crate::code::Code;
use crate::memory::Kind;
use crate::state::{driver, not_null, put};

/// What the driver allocates at once.
const GRANULARITY: usize = 2 << 20;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const POSIX_FD: i32 = 1;

unsafe extern "C" {
    fn memfd_create(name: *const c_char, flags: u32) -> i32;
}

/// Memory of `cuMemCreate`, without addresses.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) context: u64,
    bytes: usize,
    file: File,
    /// In memory, when addresses were given to it.
    mapping: Option<Mapping>,
}

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Properties {
    kind: i32,
    handle_types: i32,
    location_type: i32,
    location: i32,
    meta_data: u64,
    flags: u64,
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Access {
    location_type: i32,
    location: i32,
    flags: i32,
}

const _: () = assert!(size_of::<Properties>() == 32 && size_of::<Access>() == 12);

impl Properties {
    /// Pinned memory of a device.
    fn check(&self) -> Result<(), Code> {
        let known = (self.kind, self.location_type) == (1, 1) && self.handle_types & !POSIX_FD == 0;
        known.then_some(()).ok_or(Code::INVALID_VALUE)
    }
}

fn file(name: &CStr, bytes: usize) -> Result<File, Code> {
    // SAFETY: the name is a string that ends with zero.
    let fd = unsafe { memfd_create(name.as_ptr(), 1) };
    if fd < 0 {
        return Err(Code::OPERATING_SYSTEM);
    }
    // SAFETY: opened just now, and owned by nothing else.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
    file.set_len(bytes as u64)
        .map_err(|_| Code::OUT_OF_MEMORY)?;
    Ok(file)
}

driver! {
    /// What sizes have to be multiples of.
    fn cuMemGetAllocationGranularity(_state; bytes: *mut usize, described: *const Properties, option: i32) needs Context {
        (*not_null(described)?).check()?;
        if !matches!(option, 0 | 1) {
            return Err(Code::INVALID_VALUE);
        }
        put(bytes, GRANULARITY)
    }

    /// Allocates memory.
    fn cuMemCreate(state; memory: *mut u64, bytes: usize, described: *const Properties, flags: u64) needs Context {
        not_null(memory)?;
        (*not_null(described)?).check()?;
        if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) || flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if bytes as u64 > state.options.memory {
            return Err(Code::OUT_OF_MEMORY);
        }
        let file = file(c"fake-driver", bytes)?;
        let context = state.current()?;
        let made = state.allocations.add(Allocation { context, bytes, file, mapping: None });
        put(memory, made)
    }

    /// Lets go of memory, which must not be mapped: a real driver would keep it until it is not.
    fn cuMemRelease(state; memory: u64) needs Context {
        let start = state.allocations.get(memory)?.mapping.as_ref().map(Mapping::start);
        let is_mapped = state.regions.values().any(|region| Some(region.host) == start);
        if is_mapped {
            state.complain("cuMemRelease of memory that is mapped".to_owned());
        }
        state.allocations.remove(memory).map(drop)
    }

    /// Reserves addresses.
    fn cuMemAddressReserve(state; address: *mut u64, bytes: usize, align: usize, wanted: u64, flags: u64) needs Context {
        not_null(address)?;
        let _ = wanted; // a wish
        if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) || align > GRANULARITY || flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let start = state.next_address.next_multiple_of(GRANULARITY as u64);
        state.next_address = start + bytes as u64 + GRANULARITY as u64;
        state.reserved.insert(start, bytes);
        put(address, start)
    }

    /// Gives addresses back.
    fn cuMemAddressFree(state; address: u64, bytes: usize) needs Context {
        if state.reserved.get(&address) != Some(&bytes) || state.regions.contains_key(&address) {
            return Err(Code::INVALID_VALUE);
        }
        state.reserved.remove(&address);
        Ok(())
    }

    /// Puts memory to reserved addresses.
    fn cuMemMap(state; address: u64, bytes: usize, offset: usize, memory: u64, flags: u64) needs Context {
        if state.reserved.get(&address) != Some(&bytes) || state.regions.contains_key(&address) || offset != 0 || flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let found = state.allocations.get_mut(memory)?;
        if found.bytes != bytes {
            return Err(Code::INVALID_VALUE);
        }
        let mapping = Mapping::new(&found.file, bytes)?;
        let host = mapping.start();
        found.mapping = Some(mapping);
        let behind = state.next_address;
        state.next_address = address;
        let mapped = state.map(Kind::External, host, bytes);
        state.next_address = behind;
        mapped.map(drop)
    }

    /// Takes memory away from its addresses.
    fn cuMemUnmap(state; address: u64, bytes: usize) needs Context {
        if state.reserved.get(&address) != Some(&bytes) {
            return Err(Code::INVALID_VALUE);
        }
        super::memory::before_freeing(state, "cuMemUnmap", address)?;
        state.free(address, &[Kind::External])
    }

    /// Lets a device use mapped memory.
    fn cuMemSetAccess(state; address: u64, bytes: usize, access: *const Access, count: usize) needs Context {
        let access = *not_null(access)?;
        let is_mapped = state.reserved.get(&address) == Some(&bytes) && state.regions.contains_key(&address);
        if !is_mapped || count != 1 || (access.location_type, access.flags) != (1, 3) {
            return Err(Code::INVALID_VALUE);
        }
        Ok(())
    }

    /// A file descriptor of memory.
    fn cuMemExportToShareableHandle(state; handle: *mut c_void, memory: u64, kind: i32, flags: u64) needs Context {
        not_null(handle)?;
        if kind != POSIX_FD || flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let file = state.allocations.get(memory)?.file.try_clone();
        let fd = file.map_err(|_| Code::OPERATING_SYSTEM)?.into_raw_fd();
        put(handle.cast::<i32>(), fd)
    }
}
