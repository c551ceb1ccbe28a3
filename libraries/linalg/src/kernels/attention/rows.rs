//! Rows of a head: from global memory into tiles of shared memory, and back.
//!
//! Row `r` of a tile has its chunk `c` of 16 bytes at `r · bytes of a row + (c ^ r % 8) · 16`: eight rows at one chunk, which `ldmatrix` reads, are in different banks.

use core::mem::MaybeUninit;

use warploom::device_std::{Plain, intrinsics as raw};

use super::work::Strides;

/// Threads of a block.
pub(super) const THREADS: usize = 128;
/// Bytes of a copy.
const CHUNK: usize = 16;
/// Elements of a copy: they have two bytes.
const PER_CHUNK: usize = 8;

/// The rows of a head from one on.
#[derive(Clone, Copy)]
pub(super) struct Rows<T> {
    start: *const T,
    /// Elements from one row to the next.
    stride: usize,
    /// Whether all chunks are aligned.
    aligned: bool,
}

impl<T: Plain> Rows<T> {
    /// The rows from element `at` on of a buffer that starts at `start`.
    #[inline(always)]
    pub(super) fn new(start: *const T, strides: Strides, at: usize) -> Self {
        let start = start.wrapping_add(at);
        Rows {
            start,
            stride: strides.token as usize,
            aligned: (start.addr() | (strides.token as usize * size_of::<T>()))
                .is_multiple_of(CHUNK),
        }
    }

    /// Begins to copy `N` times 64 rows, from row `row` on, to the tile at `to`. Behind the last of the `left` rows that there are, it is copied again.
    ///
    /// # Safety
    /// `left` rows are in memory, at least one. The tile is shared memory, which no thread accesses until all threads have waited for their copies and passed a barrier.
    #[inline(always)]
    pub(super) unsafe fn load<const DP: usize, const N: usize>(
        self,
        to: *mut u8,
        row: usize,
        left: usize,
        thread: usize,
    ) {
        let (rows, chunks) = (64 * N, 2 * DP);
        let (line, chunk, step) = (thread / chunks, thread % chunks, THREADS / chunks);
        // The step is a multiple of 8, so all rows of a thread have their chunk at one place.
        let mut to = to.wrapping_add(line * chunks * CHUNK + (chunk ^ (line % 8)) * CHUNK);
        let from = self
            .start
            .wrapping_add(row * self.stride + chunk * PER_CHUNK);
        if self.aligned && left >= rows {
            let mut from = from.wrapping_add(line * self.stride);
            for _ in 0..rows / step {
                // SAFETY: a chunk of a row that is there, and of the tile, both aligned; the rest is the caller's promise.
                unsafe { raw::copy_async_16(to, from.cast()) };
                (from, to) = (
                    from.wrapping_add(step * self.stride),
                    to.wrapping_add(THREADS * CHUNK),
                );
            }
        } else {
            // One copy of the code: it is long, and few tiles need it.
            let mut line = line;
            while line < rows {
                let from = from.wrapping_add(line.min(left - 1) * self.stride);
                // SAFETY: a chunk of a row that is there and of the tile; the rest is the caller's promise.
                unsafe { self.load_chunk(to, from) };
                line += step;
                to = to.wrapping_add(THREADS * CHUNK);
            }
        }
    }

    /// # Safety
    /// `from` begins a chunk of a row, `to` one of a tile, as for [`load`](Self::load).
    #[inline(always)]
    unsafe fn load_chunk(self, to: *mut u8, from: *const T) {
        if self.aligned {
            // SAFETY: both are aligned; the rest is the caller's promise.
            return unsafe { raw::copy_async_16(to, from.cast()) };
        }
        let mut chunk = [const { MaybeUninit::<T>::zeroed() }; PER_CHUNK];
        for (i, element) in chunk.iter_mut().enumerate() {
            // SAFETY: an element of the chunk.
            element.write(unsafe { from.wrapping_add(i).read() });
        }
        // SAFETY: 16 bytes of plain elements, all written.
        let words = unsafe { chunk.as_ptr().cast::<[u64; 2]>().read_unaligned() };
        let value = u128::from(words[0]) | u128::from(words[1]) << 64;
        // SAFETY: a chunk of the tile, which is aligned.
        unsafe { to.cast::<u128>().write(value) };
    }

    /// Stores chunk `chunk` of row `line`.
    ///
    /// # Safety
    /// The row is in memory that may be written, and no other thread accesses the chunk.
    #[inline(always)]
    pub(super) unsafe fn store(self, line: usize, chunk: usize, value: u128) {
        let to = self
            .start
            .cast_mut()
            .wrapping_add(line * self.stride + chunk * PER_CHUNK);
        if self.aligned {
            // SAFETY: an aligned chunk of the row (the caller's promise).
            return unsafe { to.cast::<u128>().write(value) };
        }
        for i in 0..PER_CHUNK {
            let half = (value >> (16 * i)) as u16;
            // SAFETY: an element of the chunk, which has two bytes.
            unsafe { to.wrapping_add(i).cast::<u16>().write(half) };
        }
    }
}
