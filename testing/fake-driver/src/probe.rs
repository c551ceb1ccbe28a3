//! Whether memory of the process can be read, asked of the system, because reading it would end the process if not.

use std::ffi::{c_int, c_ulong, c_void};

#[repr(C)]
struct Span {
    start: *mut c_void,
    bytes: usize,
}

unsafe extern "C" {
    fn getpid() -> c_int;
    fn process_vm_readv(
        process: c_int,
        local: *const Span,
        n_local: c_ulong,
        remote: *const Span,
        n_remote: c_ulong,
        flags: c_ulong,
    ) -> isize;
}

/// `EFAULT`.
const NO_MEMORY: i32 = 14;

/// Whether `bytes` bytes can be read at `from`. Where the system does not let programs ask, everything counts as readable.
pub(crate) fn readable(from: *const u8, bytes: usize) -> bool {
    let mut copy = vec![0u8; bytes.max(1)];
    let local = Span {
        start: copy.as_mut_ptr().cast(),
        bytes,
    };
    let remote = Span {
        start: from.cast_mut().cast(),
        bytes,
    };
    // SAFETY: takes nothing.
    let process = unsafe { getpid() };
    // SAFETY: the system copies into `copy`, which has the room, and finds out by itself what can be read.
    let copied = unsafe { process_vm_readv(process, &raw const local, 1, &raw const remote, 1, 0) };
    match usize::try_from(copied) {
        Ok(copied) => copied == bytes,
        Err(_) => std::io::Error::last_os_error().raw_os_error() != Some(NO_MEMORY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_not_readable() {
        let here = [1u8; 100];
        assert!(readable(here.as_ptr(), here.len()));
        assert!(!readable(std::ptr::without_provenance(64), 8));
    }
}
