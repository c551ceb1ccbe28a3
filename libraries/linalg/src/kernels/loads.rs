//! Tiles of operands in shared memory, which asynchronous copies fill.
//!
//! A tile has [`TILE_BYTES`] bytes of K for each of its lines (rows of A, columns of B), in chunks of 16 bytes. Chunks are moved within groups of eight, by an
//! exclusive or with some bits of the number of the line, so that the lanes of a warp read from different banks:
//!
//! | tile | where a chunk is | written |
//! |---|---|---|
//! | along K | `line · 128 + (chunk ^ moved(line)) · 16` | if neighbours in memory are along K, or the elements have a byte |
//! | across K | `k · bytes of a row + (chunk ^ moved(k)) · 16` | if neighbours in memory are of different lines |
//!
//! Whole chunks with an aligned source are copied by `cp.async`. Others, at the end of K and in matrices whose lines do not begin at multiples of 16 bytes, are
//! gathered by elements, which is several times slower. Lines outside of the matrix have some values, k outside of it is zero.

use core::mem::MaybeUninit;

use warploom::device_std::hint::unroll;
use warploom::device_std::{Plain, intrinsics as raw};

/// Bytes of K in a tile.
pub(crate) const TILE_BYTES: usize = 128;
/// Bytes of a copy.
pub(crate) const CHUNK: usize = 16;

/// How chunks are moved: the bits of the line or of k that count, and how far they are shifted.
#[derive(Clone, Copy)]
pub(crate) struct Swizzle {
    pub(crate) mask: usize,
    pub(crate) shift: usize,
}

impl Swizzle {
    /// For rows that `ldmatrix` reads: eight lines at one chunk.
    pub(crate) const ROWS: Swizzle = Swizzle { mask: 7, shift: 0 };
    /// For lanes that read four lines at two neighbouring chunks.
    pub(crate) const PAIRS: Swizzle = Swizzle { mask: 3, shift: 1 };

    /// Where chunk `chunk` of line `line` is in its line, which has `chunks`, a power of two.
    #[inline(always)]
    pub(crate) fn place(self, line: usize, chunk: usize, chunks: usize) -> usize {
        (chunk ^ (((line & self.mask) << self.shift) & (chunks - 1))) * CHUNK
    }
}

/// An operand of a block: the elements of `lines` lines from the first of the tile on.
#[derive(Clone, Copy)]
pub(crate) struct Operand<T> {
    /// The element of the first line of the tile, with k = 0.
    pub(crate) start: *const T,
    /// Elements from one line of memory to the next.
    pub(crate) leading: u32,
    /// Lines from the first of the tile to the last of the matrix.
    pub(crate) lines: u32,
    /// Behind the last k of the block.
    pub(crate) k_end: u32,
    /// Whether chunks are aligned in all lines.
    pub(crate) aligned: bool,
}

/// How the lines of an operand are in memory and in a tile.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// Whether neighbours in memory are along K.
    pub(crate) along_k: bool,
    /// Whether chunks of the tile are along K.
    pub(crate) tile_along_k: bool,
    /// How chunks of the tile are moved.
    pub(crate) swizzle: Swizzle,
}

impl<T: Plain> Operand<T> {
    const PER_CHUNK: u32 = (CHUNK / size_of::<T>()) as u32;
    const PER_TILE: u32 = (TILE_BYTES / size_of::<T>()) as u32;

    /// How the threads of a block share the chunks of a tile of `LINES` lines.
    #[inline(always)]
    fn share<const LINES: usize, const THREADS: usize>(form: Form, thread: u32) -> Share {
        // Chunks of a line of the tile.
        let across = if form.tile_along_k {
            (TILE_BYTES / CHUNK) as u32
        } else {
            LINES as u32 / Self::PER_CHUNK
        };
        Share {
            across,
            at_once: THREADS as u32 / across,
            line: thread / across,
            chunk: thread % across,
        }
    }

    /// The copies of a thread for the tiles of `LINES` lines from `k` on. All `THREADS` threads of the block; the tile has a line of the matrix.
    #[inline(always)]
    pub(crate) fn copies<const LINES: usize, const THREADS: usize>(
        self,
        form: Form,
        k: u32,
        thread: u32,
    ) -> Copies<T> {
        let share = Self::share::<LINES, THREADS>(form, thread);
        let whole_lines = form.along_k || self.lines.is_multiple_of(Self::PER_CHUNK);
        let chunk = share.chunk * Self::PER_CHUNK;
        // Lines outside of the matrix belong to results that are not stored: the last one is copied in their place.
        let (line, k_at, step) = if form.along_k {
            let line = share.line.min(self.lines - 1);
            (line, k + chunk, Self::PER_TILE as usize)
        } else {
            let line = chunk.min(self.lines.saturating_sub(Self::PER_CHUNK));
            let step = Self::PER_TILE as usize * self.leading as usize;
            (line, k + share.line, step)
        };
        Copies {
            operand: self,
            form,
            share,
            from: self.element(form, line, k_at),
            step,
            behind: if form.along_k {
                self.lines - 1 - line
            } else {
                u32::MAX
            },
            whole: form.along_k == form.tile_along_k && self.aligned && whole_lines,
        }
    }

    /// Fills a chunk whose elements begin at a line and k, and are `step` of both apart.
    ///
    /// # Safety
    /// As [`load`](Self::load).
    #[inline(always)]
    unsafe fn load_chunk(self, form: Form, to: *mut u8, (line, k): (u32, u32), step: (u32, u32)) {
        let mut elements = [const { MaybeUninit::<T>::zeroed() }; CHUNK];
        for (i, element) in (0..Self::PER_CHUNK).zip(&mut elements) {
            let (line, k) = (line + step.0 * i, k + step.1 * i);
            if line < self.lines && k < self.k_end {
                // SAFETY: an element of the matrix.
                element.write(unsafe { self.element(form, line, k).read() });
            }
        }
        // SAFETY: 16 bytes, which were all written: the elements are plain.
        let words = unsafe { elements.as_ptr().cast::<[u64; 2]>().read_unaligned() };
        // SAFETY: a chunk of the tile, which is aligned.
        unsafe {
            to.cast::<u128>()
                .write(u128::from(words[0]) | u128::from(words[1]) << 64)
        };
    }

    #[inline(always)]
    fn element(self, form: Form, line: u32, k: u32) -> *const T {
        let (far, near) = if form.along_k { (line, k) } else { (k, line) };
        self.start
            .wrapping_add(far as usize * self.leading as usize + near as usize)
    }
}

/// How the threads of a block share the chunks of a tile: each has one of every `at_once` lines.
#[derive(Clone, Copy)]
struct Share {
    /// Chunks of a line of the tile.
    across: u32,
    /// Lines that the threads fill at a time.
    at_once: u32,
    /// The thread's first line of the tile.
    line: u32,
    /// The thread's chunk of each line.
    chunk: u32,
}

/// What a thread copies of an operand, tile after tile. The address of its first chunk moves from tile to tile; those of its other chunks take two instructions each.
#[derive(Clone, Copy)]
pub(crate) struct Copies<T> {
    operand: Operand<T>,
    form: Form,
    share: Share,
    /// The thread's first chunk of the tile that is copied next, with neighbours in memory.
    from: *const T,
    /// Elements from a tile to the next.
    step: usize,
    /// Lines of the matrix behind that of the first chunk, if neighbours are along K.
    behind: u32,
    /// Whether chunks are copied as a whole, but for the end of K.
    whole: bool,
}

impl<T: Plain> Copies<T> {
    /// Whether the tile from `k` on is copied by whole chunks.
    #[inline(always)]
    pub(crate) fn whole(&self, k: u32) -> bool {
        self.whole && k + Operand::<T>::PER_TILE <= self.operand.k_end
    }

    /// Goes on to the next tile.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.from = self.from.wrapping_add(self.step);
    }

    /// Begins to copy the chunk `i` of the thread to the tile at `to`.
    ///
    /// # Safety
    /// The tile from k on is [`whole`](Self::whole). `to` has the bytes of the tile in shared memory, which no thread accesses until the copies have been waited for and
    /// a barrier was passed.
    #[inline(always)]
    pub(crate) unsafe fn copy(&self, to: *mut u8, i: u32) {
        let line = i * self.share.at_once;
        // Two factors of 32 bits, so that the address is one multiplication and addition of 64.
        let bytes = line.min(self.behind) * size_of::<T>() as u32;
        let from = self
            .from
            .wrapping_byte_add(bytes as usize * self.operand.leading as usize);
        // SAFETY: a whole chunk of the matrix and of the tile, both aligned; the rest is the caller's promise.
        unsafe { raw::copy_async_16(to.wrapping_add(self.place(i)), from.cast()) };
    }

    /// Where the chunk `i` of the thread is in the tile.
    #[inline(always)]
    fn place(&self, i: u32) -> usize {
        let Share {
            across,
            at_once,
            line,
            chunk,
        } = self.share;
        if at_once as usize > self.form.swizzle.mask {
            // Chunks of these lines are moved alike.
            self.form.place(line, chunk, across) + (i * at_once * across) as usize * CHUNK
        } else {
            self.form.place(line + i * at_once, chunk, across)
        }
    }

    /// Gathers all chunks of the thread, for a tile that is not [`whole`](Self::whole), from `k` on; k outside of the matrix is zero.
    ///
    /// # Safety
    /// As [`copy`](Self::copy).
    #[inline(always)]
    pub(crate) unsafe fn gather(&self, to: *mut u8, k: u32, chunks: u32) {
        let Share {
            across,
            at_once,
            line,
            chunk,
        } = self.share;
        let chunk_at = chunk * Operand::<T>::PER_CHUNK;
        // One copy of the code: it is long, and few tiles need it.
        unroll::<1, _>(0..chunks, |i| {
            let line = line + i * at_once;
            let to = to.wrapping_add(self.form.place(line, chunk, across));
            let (first, k, step) = if self.form.tile_along_k {
                (line, k + chunk_at, (0, 1))
            } else {
                (chunk_at, k + line, (1, 0))
            };
            // SAFETY: a chunk of the tile; the rest is the caller's promise.
            unsafe { self.operand.load_chunk(self.form, to, (first, k), step) };
        });
    }
}

impl Form {
    /// Where a chunk is in the tile.
    #[inline(always)]
    fn place(self, line: u32, chunk: u32, chunks: u32) -> usize {
        (line * chunks) as usize * CHUNK
            + self
                .swizzle
                .place(line as usize, chunk as usize, chunks as usize)
    }
}
