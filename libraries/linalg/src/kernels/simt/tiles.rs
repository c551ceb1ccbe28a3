//! Tiles of the operands in shared memory, with neighbours across K: threads fetch quads of them and keep them behind the products of the tile before.

use core::array::from_fn;
use core::marker::PhantomData;

use warploom::device_std::Plain;
use warploom::device_std::hint::unroll_all;

use super::super::quad::{has_quads, read_quad, write_quad};
use super::{columns, rows};
use crate::arithmetic::Arithmetic;
use crate::matrix::Layout;

/// Both operands of a block, and where their tiles go.
pub(super) struct Operands<
    A: Arithmetic,
    LA,
    LB,
    const QM: usize,
    const QN: usize,
    const DEPTH: usize,
    const THREADS: usize,
> {
    pub(super) a: Lines<A::Element>,
    pub(super) b: Lines<A::Element>,
    pub(super) k_start: usize,
    pub(super) thread: usize,
    /// Two buffers, of `8 DEPTH` lines of A and then of B each.
    pub(super) memory: *mut A::Sum,
    pub(super) layouts: PhantomData<(LA, LB)>,
}

/// What a thread has of the tiles of A and B.
type Both<T> = (Fetched<T>, Fetched<T>);

impl<
    A: Arithmetic,
    LA: Layout,
    LB: Layout,
    const QM: usize,
    const QN: usize,
    const DEPTH: usize,
    const THREADS: usize,
> Operands<A, LA, LB, QM, QN, DEPTH, THREADS>
{
    const SHARE_A: Share = Share {
        lines: rows::<QM>(),
        depth: 8 * DEPTH,
        threads: THREADS,
        along_k: LA::ROWS,
    };
    const SHARE_B: Share = Share {
        lines: columns::<QN, THREADS>(),
        depth: 8 * DEPTH,
        threads: THREADS,
        along_k: !LB::ROWS,
    };

    /// What the thread has of a tile, if it is there.
    #[inline(always)]
    pub(super) fn fetch(&self, tile: usize, is_there: bool) -> Both<A::Element> {
        if !is_there {
            return (nothing(), nothing());
        }
        let k = self.k_start + tile * 8 * DEPTH;
        // SAFETY: the operands are as large as the problem says, which was checked before the launch.
        let a = unsafe { self.a.fetch(Self::SHARE_A, k, self.thread) };
        // SAFETY: as above.
        (a, unsafe { self.b.fetch(Self::SHARE_B, k, self.thread) })
    }

    /// Writes it to buffer `slot`, which no thread reads until the next barrier.
    #[inline(always)]
    pub(super) fn keep(&self, (a, b): Both<A::Element>, slot: usize) {
        let depth = 8 * DEPTH;
        let (rows, columns) = (rows::<QM>(), columns::<QN, THREADS>());
        let to = self.memory.wrapping_add(slot * depth * (rows + columns));
        // SAFETY: a buffer that no thread reads, as said above.
        unsafe { keep::<A>(Self::SHARE_A, a, to, self.thread) };
        let to = to.wrapping_add(depth * rows);
        // SAFETY: as above.
        unsafe { keep::<A>(Self::SHARE_B, b, to, self.thread) };
    }
}

#[inline(always)]
fn nothing<T: Plain>() -> Fetched<T> {
    from_fn(|_| from_fn(|_| zero()))
}

/// Lines of an operand: rows of A, columns of B.
#[derive(Clone, Copy)]
pub(super) struct Lines<T> {
    start: *const T,
    leading: usize,
    /// The first of the tile.
    first: usize,
    /// Those of the matrix.
    lines: usize,
    k_end: usize,
    /// Whether four neighbours can be read at once.
    aligned: bool,
}

/// How the threads of a block share a tile.
#[derive(Clone, Copy)]
struct Share {
    lines: usize,
    /// Elements of a line.
    depth: usize,
    threads: usize,
    /// Whether neighbours in memory are along K.
    along_k: bool,
}

impl Share {
    /// Quads of a thread.
    #[inline(always)]
    const fn quads(self) -> usize {
        self.lines * self.depth / 4 / self.threads
    }

    /// Line and k of the first of four neighbours that a thread has.
    ///
    /// Lanes have neighbouring lines if neighbours in memory are along K: they write words of neighbouring banks when the tile is transposed. The quads of a thread
    /// follow each other then, so that whole sectors are read.
    #[inline(always)]
    fn place(self, thread: usize, quad: usize) -> (usize, usize) {
        let lines = self.lines;
        if self.along_k {
            (thread % lines, 4 * (thread / lines * self.quads() + quad))
        } else {
            let at = thread + quad * self.threads;
            (4 * (at % (lines / 4)), at / (lines / 4))
        }
    }
}

/// Quads that a thread has of a tile: at most two, the rest without meaning.
type Fetched<T> = [[T; 4]; 2];

impl<T: Plain> Lines<T> {
    /// Those from line `first` of `lines` on.
    #[inline(always)]
    pub(super) fn of(
        elements: &[T],
        (batch, stride, leading): (usize, u64, u64),
        (first, lines): (usize, u32),
        k_end: usize,
    ) -> Self {
        let start = elements.as_ptr();
        Lines {
            start: start.wrapping_add(batch * stride as usize),
            leading: leading as usize,
            first,
            lines: lines as usize,
            k_end,
            aligned: has_quads(start, leading, stride),
        }
    }

    /// The thread's quads of the tile from `k` on; what is outside of the matrix is zero.
    ///
    /// # Safety
    /// The operand is as large as its fields say.
    #[inline(always)]
    unsafe fn fetch(self, share: Share, k: usize, thread: usize) -> Fetched<T> {
        let along_k = share.along_k;
        let whole =
            self.aligned && self.first + share.lines <= self.lines && k + share.depth <= self.k_end;
        from_fn(|quad| {
            if quad >= share.quads() {
                return from_fn(|_| zero());
            }
            let (line, in_k) = share.place(thread, quad);
            let (line, k) = (self.first + line, k + in_k);
            let at = |line: usize, k: usize| {
                let (line, k) = if along_k {
                    (line * self.leading, k)
                } else {
                    (line, k * self.leading)
                };
                self.start.wrapping_add(line + k)
            };
            if whole {
                // SAFETY: four elements of the matrix, aligned.
                return unsafe { read_quad(at(line, k)) };
            }
            from_fn(|i| {
                let (line, k) = if along_k {
                    (line, k + i)
                } else {
                    (line + i, k)
                };
                if line < self.lines && k < self.k_end {
                    // SAFETY: an element of the matrix.
                    unsafe { at(line, k).read() }
                } else {
                    zero()
                }
            })
        })
    }
}

#[inline(always)]
fn zero<T: Plain>() -> T {
    // SAFETY: any bytes are an element.
    unsafe { core::mem::zeroed() }
}

/// Writes a thread's quads to a tile at `to`, with neighbours across K.
///
/// # Safety
/// The tile is in shared memory, and no thread reads it until the next barrier.
#[inline(always)]
unsafe fn keep<A: Arithmetic>(
    share: Share,
    fetched: Fetched<A::Element>,
    to: *mut A::Sum,
    thread: usize,
) {
    let lines = share.lines;
    // Copies of the code, so that what was fetched stays in registers.
    unroll_all::<2>(|quad| {
        if quad < share.quads() {
            let (line, k) = share.place(thread, quad);
            let elements = fetched[quad].map(A::widen);
            if share.along_k {
                let to = to.wrapping_add(k * lines + line);
                unroll_all::<4>(|i| {
                    // SAFETY: an element of the tile (the caller's promise).
                    unsafe { to.wrapping_add(i * lines).write(elements[i]) };
                });
            } else {
                // SAFETY: four elements of the tile, which begin at a multiple of 16 bytes (the caller's promise).
                unsafe { write_quad(to.wrapping_add(k * lines + line), elements) };
            }
        }
    });
}
