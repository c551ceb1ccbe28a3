//! The reserve below a stack: pages that are not accessible until code of the emulator needs them to end a lane whose stack overflowed
//! (README 22).

pub(crate) use chosen::*;

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, warploom_threads))
))]
mod chosen {
    use std::io;
    use std::ops::Range;
    use std::ptr;

    /// What the emulator's own functions may need below a frame of the kernel, in debug builds too.
    pub(crate) const RESERVE_BYTES: usize = 128 * 1024;

    /// Makes the reserve accessible that ends where `below`, which lies below a stack, does.
    pub(crate) fn open_reserve(below: &Range<usize>) -> io::Result<()> {
        protect(below, libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Makes it inaccessible.
    pub(crate) fn close_reserve(below: &Range<usize>) -> io::Result<()> {
        protect(below, libc::PROT_NONE)
    }

    fn protect(below: &Range<usize>, access: libc::c_int) -> io::Result<()> {
        let start = ptr::without_provenance_mut(below.end - RESERVE_BYTES);
        // SAFETY: the pages are a part of the mapping of a stack of ours, and no object lies in them.
        let failed = unsafe { libc::mprotect(start, RESERVE_BYTES, access) } != 0;
        if failed {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, warploom_threads))
)))]
mod chosen {
    use std::io;
    use std::ops::Range;

    /// There is none.
    #[cfg(not(any(miri, warploom_threads)))]
    pub(crate) const RESERVE_BYTES: usize = 0;

    /// Does nothing: there is no reserve.
    pub(crate) fn close_reserve(_below: &Range<usize>) -> io::Result<()> {
        Ok(())
    }
}
