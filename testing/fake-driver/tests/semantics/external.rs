//! Memory and semaphores of other APIs, and memory for them.

use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};

use super::*;

/// A file in memory of so many bytes, exported by the fake.
fn file(bytes: usize) -> OwnedFd {
    let granularity = 2 << 20;
    let (mut memory, mut fd) = (0, -1);
    let properties = [1u64 << 32 | 1, 1, 0, 0];
    unsafe {
        let described = (&raw const properties).cast();
        let allocated = bytes.next_multiple_of(granularity);
        assert_eq!(cuMemCreate(&raw mut memory, allocated, described, 0), 0);
        let to = (&raw mut fd).cast();
        assert_eq!(cuMemExportToShareableHandle(to, memory, 1, 0), 0);
        assert_eq!(cuMemRelease(memory), 0);
        OwnedFd::from_raw_fd(fd)
    }
}

/// Kind, file descriptor, bytes and flags.
fn import(memory: &mut u64, kind: u64, fd: i32, bytes: u64, flags: u64) -> i32 {
    let mut words = [0u64; 13];
    (words[0], words[1], words[3], words[4]) = (kind, fd as u64, bytes, flags);
    unsafe { cuImportExternalMemory(&raw mut *memory, (&raw const words).cast()) }
}

fn map(address: &mut u64, memory: u64, offset: u64, bytes: u64) -> i32 {
    let mut words = [0u64; 11];
    (words[0], words[1]) = (offset, bytes);
    unsafe { cuExternalMemoryGetMappedBuffer(&raw mut *address, memory, (&raw const words).cast()) }
}

#[test]
fn imported_memory_is_the_memory_of_both_sides() {
    let _guard = context();
    let fd = file(4096);
    let (mut one, mut two, mut memory, mut other) = (0, 0, 0, 0);
    for (kind, bytes, flags) in [(2, 4096, 0), (1, 0, 0), (1, 3 << 20, 0), (1, 4096, 2)] {
        let code = import(&mut memory, kind, fd.as_raw_fd(), bytes, flags);
        assert_eq!(code, 1, "{kind} {bytes} {flags}");
    }
    let second = fd.try_clone().unwrap();
    assert_eq!(import(&mut memory, 1, fd.into_raw_fd(), 4096, 1), 0);
    assert_eq!(import(&mut other, 1, second.into_raw_fd(), 4096, 0), 0);
    for (offset, bytes) in [(0, 0), (0, 4097), (4096, 1), (u64::MAX, 2)] {
        assert_eq!(map(&mut one, memory, offset, bytes), 1, "{offset} {bytes}");
    }
    assert_eq!(map(&mut one, memory + 160, 0, 64), 400, "no memory");
    assert_eq!(map(&mut one, memory, 64, 64), 0);
    assert_eq!(map(&mut two, other, 0, 4096), 0);
    assert_ne!(one, two);
    let mut back = [0u8; 16];
    let to = back.as_mut_ptr().cast();
    unsafe {
        assert_eq!(cuMemsetD8Async(one, 7, 16, 0), 0);
        assert_eq!(cuMemcpyDtoHAsync_v2(to, two + 64, 16, 0), 0);
    }
    assert_eq!(back, [7; 16]);
    assert_eq!(count(c"external memory"), 2);
    unsafe {
        assert_eq!(cuMemFree_v2(one), 0);
        assert_eq!(cuMemFree_v2(one), 1);
        assert_eq!(cuMemFree_v2(two), 0);
        assert_eq!(cuDestroyExternalMemory(memory), 0);
        assert_eq!(cuDestroyExternalMemory(memory), 400);
        assert_eq!(cuDestroyExternalMemory(other), 0);
    }
    assert_eq!((count(c"external memory"), count(c"complaints")), (0, 0));
}

#[test]
fn memory_that_is_mapped_is_not_let_go() {
    let _guard = context();
    let (mut memory, mut address) = (0, 0);
    let fd = file(4096).into_raw_fd();
    assert_eq!(import(&mut memory, 1, fd, 4096, 0), 0);
    assert_eq!(map(&mut address, memory, 0, 4096), 0);
    assert_eq!(unsafe { cuDestroyExternalMemory(memory) }, 0);
    assert_eq!(count(c"complaints"), 1);
}

/// Kind and file descriptor.
fn import_semaphore(semaphore: &mut u64, kind: u64, fd: i32) -> i32 {
    let mut words = [0u64; 12];
    (words[0], words[1]) = (kind, fd as u64);
    unsafe { cuImportExternalSemaphore(&raw mut *semaphore, (&raw const words).cast()) }
}

#[test]
fn waits_are_for_what_was_signalled() {
    let _guard = context();
    let fd = file(8);
    let second = fd.try_clone().unwrap();
    let (mut ours, mut theirs) = (0, 0);
    assert_eq!(import_semaphore(&mut ours, 2, fd.as_raw_fd()), 1);
    assert_eq!(import_semaphore(&mut ours, 9, fd.into_raw_fd()), 0);
    assert_eq!(import_semaphore(&mut theirs, 9, second.into_raw_fd()), 0);
    let params = |value, flags| {
        let mut words = [0u64; 18];
        (words[0], words[9]) = (value, flags);
        words
    };
    let signal = |semaphore: u64, value, flags| {
        let words = params(value, flags);
        let words = (&raw const words).cast();
        unsafe { cuSignalExternalSemaphoresAsync(&raw const semaphore, words, 1, 0) }
    };
    let wait = |semaphore: u64, value| {
        let words = params(value, 0);
        let words = (&raw const words).cast();
        unsafe { cuWaitExternalSemaphoresAsync(&raw const semaphore, words, 1, 0) }
    };
    assert_eq!(signal(ours, 1, 1), 1, "unknown flags");
    assert_eq!(signal(ours + 160, 1, 0), 400, "no semaphore");
    assert_eq!(
        (signal(ours, 3, 0), wait(theirs, 3), wait(theirs, 1)),
        (0, 0, 0)
    );
    assert_eq!(count(c"complaints"), 0);
    assert_eq!(wait(theirs, 4), 0);
    assert_eq!(count(c"complaints"), 1, "a wait without end");
    assert_eq!(signal(ours, 3, 0), 0);
    assert_eq!(count(c"complaints"), 2, "a timeline that stays");
    unsafe {
        assert_eq!(cuDestroyExternalSemaphore(ours), 0);
        assert_eq!(cuDestroyExternalSemaphore(ours), 400);
        assert_eq!(cuDestroyExternalSemaphore(theirs), 0);
    }
    assert_eq!(count(c"external semaphores"), 0);
}

#[test]
fn memory_is_mapped_at_addresses_that_are_reserved() {
    let _guard = context();
    let properties = [1u64 << 32 | 1, 1, 0, 0];
    let described = (&raw const properties).cast();
    let access = [1i32, 0, 3];
    let (mut step, mut memory, mut address) = (0, 0, 0);
    unsafe {
        let asked = cuMemGetAllocationGranularity(&raw mut step, described, 0);
        assert_eq!((asked, step), (0, 2 << 20));
        assert_eq!(cuMemCreate(&raw mut memory, step - 1, described, 0), 1);
        assert_eq!(cuMemCreate(&raw mut memory, 1 << 40, described, 0), 2);
        assert_eq!(cuMemCreate(&raw mut memory, step, described, 0), 0);
        assert_eq!(cuMemMap(1 << 30, step, 0, memory, 0), 1, "not reserved");
        assert_eq!(cuMemAddressReserve(&raw mut address, step + 1, 0, 0, 0), 1);
        assert_eq!(cuMemAddressReserve(&raw mut address, step, 0, 0, 0), 0);
        let access = (&raw const access).cast();
        assert_eq!(cuMemSetAccess(address, step, access, 1), 1, "not mapped");
        assert_eq!(cuMemMap(address, step, 0, memory, 0), 0);
        assert_eq!(cuMemMap(address, step, 0, memory, 0), 1, "mapped already");
        assert_eq!(cuMemSetAccess(address, step, access, 1), 0);
        assert_eq!(cuMemsetD8Async(address, 1, step, 0), 0);
        assert_eq!(cuMemAddressFree(address, step), 1, "mapped");
        assert_eq!(cuMemUnmap(address, step), 0);
        assert_eq!(cuMemAddressFree(address, step), 0);
        assert_eq!(cuMemRelease(memory), 0);
        assert_eq!(cuMemRelease(memory), 1);
    }
    assert_eq!((count(c"shareable memory"), count(c"complaints")), (0, 0));
}
