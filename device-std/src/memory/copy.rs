//! A copy that all threads of a block take part in.

use crate::{Block, Plain};

/// Copies `count` elements from `source` to `target`, all threads of the block together, 16 bytes at a time where both are aligned to that.
///
/// Every thread of the block makes the call, with the same arguments. No thread waits: a barrier (`block.sync()`) has to follow before any
/// thread reads what others copied, or writes the source. Between global and shared memory, in either direction, and within each.
///
/// # Safety
/// `source` is valid for reads of `count` elements and `target` for writes, both aligned; they do not overlap; no thread accesses the
/// target or writes the source until the barrier. Between two places in global memory only one block copies.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, memory::copy_block};
/// # let x: Vec<u32> = (0..1000).collect();
/// # let mut y = vec![0_u32; 1000];
/// # let (at, shape) = (y.as_mut_ptr().expose_provenance(), Shape { grid: [1, 1, 1], block: [70, 1, 1], dynamic_shared_bytes: 0, workers: None });
/// # run(shape, &|| unsafe {
/// # let (block, y) = (Block::from_launch(), core::ptr::with_exposed_provenance_mut::<u32>(at));
/// // SAFETY: 1000 elements each, which no other code accesses.
/// unsafe { copy_block(block, x.as_ptr(), y, 1000) };
/// block.sync();
/// # })?;
/// # assert_eq!(x, y);
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[inline(always)]
pub unsafe fn copy_block<T: Plain>(
    block: Block<'_>,
    source: *const T,
    target: *mut T,
    count: usize,
) {
    /// Moved by one instruction.
    type Vector = u128;
    const WIDTH: usize = size_of::<Vector>();

    let (thread, threads) = (block.thread(), block.threads());
    let bytes = count * size_of::<T>();
    let aligned = (source.addr() | target.addr()).is_multiple_of(WIDTH);
    let vectors = if aligned { bytes / WIDTH } else { 0 };
    let mut i = thread;
    while i < vectors {
        // SAFETY: vector `i` is within the elements that the caller promises, aligned, and this thread's alone.
        unsafe { copy_one::<Vector>(source.cast(), target.cast(), i) };
        i += threads;
    }
    // What is left: by elements, or by bytes where a vector ended within one.
    let done = vectors * WIDTH;
    if done == 0 {
        let mut i = thread;
        while i < count {
            // SAFETY: element `i` is among those that the caller promises, and this thread's alone.
            unsafe { copy_one(source, target, i) };
            i += threads;
        }
    } else {
        let mut i = done + thread;
        while i < bytes {
            // SAFETY: byte `i` is within the elements that the caller promises, which are plain, and this thread's alone.
            unsafe { copy_one::<u8>(source.cast(), target.cast(), i) };
            i += threads;
        }
    }
}

/// # Safety
/// `source.add(i)` is valid for a read and `target.add(i)` for a write.
#[inline(always)]
#[cfg_attr(not(warploom_device), track_caller)]
unsafe fn copy_one<T: Copy>(source: *const T, target: *mut T, i: usize) {
    // SAFETY: the caller's promise.
    let (from, to) = (unsafe { source.add(i) }, unsafe { target.add(i) });
    // SAFETY: the caller's promise.
    let value = unsafe { from.read() };
    // SAFETY: the caller's promise.
    unsafe { to.write(value) };
}
