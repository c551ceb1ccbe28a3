//! Outputs of which each block writes a part of its own, with threads beside it that only help: stencils by overlapping tiles.

use super::{DisjointSlice, DisjointSlice2D, Space, sealed};
use crate::{Index1D, Index2D, Plain, intrinsics as raw};
use core::marker::PhantomData;

/// Elements `b * CORE .. (b + 1) * CORE` of a [`DisjointSlice`] belong to block `b`, which reads `HALO` more on each side.
///
/// The window of a block has `HALO + CORE + HALO` slots: slot `s` stands for element `b * CORE + s - HALO`. Slots belong to the threads of the
/// block in turn, as those of a [`SharedTile`](crate::SharedTile) do: thread `t` of `B` has the slots `t`, `t + B`, `t + 2 * B` … A thread
/// writes the elements of its slots that are in the core; those in the halo are other blocks' to write. So a block of `2 * HALO + CORE` threads
/// computes a stencil in several steps in shared memory, and writes what is right in the end, without an atomic.
///
/// A launch whose blocks have fewer cores than the output has elements is refused: `Launch::new(n.div_ceil(CORE), block)` covers `n`
/// elements, and `Launch::covering(n)`, which counts threads, does not.
/// CUDA: `if (threadIdx.x >= HALO && threadIdx.x < HALO + CORE) y[blockIdx.x * CORE + threadIdx.x - HALO] = …`. Compute capability: 7.5.
///
/// Sums of seven neighbours, three steps of three at once:
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Block, DisjointSlice, DoubleTile, Index1D, Windows};
/// fn thrice(i: Index1D, block: Block, x: &[u32], mut tile: DoubleTile<u32, 16>, mut y: DisjointSlice<u32, Windows<10, 3>>) {
///     let (t, n) = (block.thread(), x.len() as isize);
///     tile.fill(|slot| x[y.position(i, slot).rem_euclid(n) as usize]); // a ring
///     let mut tile = tile.publish(&block);
///     for _ in 0..3 {
///         tile.set_own(0, tile[t.saturating_sub(1)] + tile[t] + tile[(t + 1).min(15)]); // wrong at the ends, a slot farther in each step
///         tile.publish(&block);
///     }
///     if let Some(y) = y.get_mut(i) {
///         *y = tile[t];
///     }
/// }
/// # enum Site {}
/// # impl warploom_device_std::shared::TileName for Site { const NAME: &'static str = "tile"; const TILES: u32 = 1; }
/// # let (x, mut y) = (Vec::from_iter((0..25u32).map(|x| x * x)), vec![0u32; 25]);
/// # let (at, n) = (y.as_mut_ptr().expose_provenance(), y.len());
/// # run(Shape::new([3, 1, 1], [16, 1, 1]), &|| unsafe {
/// #     thrice(Index1D::from_launch(), Block::from_launch(), &x, DoubleTile::from_launch::<0, Site>(),
/// #         DisjointSlice::from_launch(core::ptr::with_exposed_provenance_mut(at), n));
/// # })?;
/// # let once = |x: Vec<u32>| Vec::from_iter((0..25).map(|i| x[(i + 24) % 25] + x[i] + x[(i + 1) % 25]));
/// # assert_eq!(y, once(once(once(x))));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
/// One element at a time, and only while the slice is borrowed:
/// ```compile_fail,E0499
/// use warploom_device_std::{DisjointSlice, Index1D, Windows};
/// fn kernel(i: Index1D, mut y: DisjointSlice<u32, Windows<30, 1>>) {
///     let (a, b) = (y.get_mut(i), y.get_mut(i));
///     drop((a, b));
/// }
/// ```
/// Not by the index of a launch with rows, whose blocks and threads would count otherwise:
/// ```compile_fail,E0308
/// use warploom_device_std::{DisjointSlice, Index2D, Windows};
/// fn kernel(i: Index2D, mut y: DisjointSlice<u32, Windows<30, 1>>) {
///     y.get_mut(i);
/// }
/// ```
pub enum Windows<const CORE: usize, const HALO: usize> {}

/// Columns `x * WIDTH .. (x + 1) * WIDTH` of rows `y * HEIGHT .. (y + 1) * HEIGHT` of a [`DisjointSlice2D`] belong to block `(x, y)`, which looks at
/// `HALO_X` more columns and `HALO_Y` more rows on each side.
///
/// As [`Windows`], in two dimensions: slot `(s, t)` of the window stands for column `x * WIDTH + s - HALO_X` of row
/// `y * HEIGHT + t - HALO_Y`, and belongs to thread `(s, t)` of the block. A launch has `width.div_ceil(WIDTH)` by `height.div_ceil(HEIGHT)`
/// blocks at least, of `(WIDTH + 2 * HALO_X, HEIGHT + 2 * HALO_Y)` threads. Compute capability: 7.5.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{DisjointSlice2D, Index2D, Windows2D};
/// fn number(i: Index2D, mut m: DisjointSlice2D<isize, Windows2D<6, 2, 1, 1>>) {
///     let (column, row) = m.position(i);
///     if let Some(m) = m.get_mut(i) {
///         *m = 100 * row + column;
///     }
/// }
/// # let mut m = vec![0isize; 13 * 5];
/// # let at = m.as_mut_ptr().expose_provenance();
/// # run(Shape::new([3, 3, 1], [8, 4, 1]), &|| unsafe {
/// #     number(Index2D::from_launch(), DisjointSlice2D::from_launch(core::ptr::with_exposed_provenance_mut(at), 13, 5));
/// # })?;
/// # assert!(m.iter().enumerate().all(|(at, m)| *m == (at / 13 * 100 + at % 13) as isize));
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub enum Windows2D<
    const WIDTH: usize,
    const HEIGHT: usize,
    const HALO_X: usize,
    const HALO_Y: usize,
> {}

impl<const CORE: usize, const HALO: usize> sealed::Sealed for Windows<CORE, HALO> {}
impl<const CORE: usize, const HALO: usize> Space for Windows<CORE, HALO> {
    const CORE: [usize; 2] = [CORE, 0];
}

impl<const WIDTH: usize, const HEIGHT: usize, const HALO_X: usize, const HALO_Y: usize>
    sealed::Sealed for Windows2D<WIDTH, HEIGHT, HALO_X, HALO_Y>
{
}
impl<const WIDTH: usize, const HEIGHT: usize, const HALO_X: usize, const HALO_Y: usize> Space
    for Windows2D<WIDTH, HEIGHT, HALO_X, HALO_Y>
{
    const CORE: [usize; 2] = [WIDTH, HEIGHT];
}

/// Windows along one axis: what blocks and threads of the axis have.
struct Axis<const CORE: usize, const HALO: usize> {
    block: u32,
}

impl<const CORE: usize, const HALO: usize> Axis<CORE, HALO> {
    /// Those of the block with this number along the axis. A grid has fewer than 2^31 blocks, so places fit into 64 bits.
    #[inline(always)]
    fn of(block: u32) -> Self {
        const {
            assert!(
                CORE > 0 && CORE <= 1 << 30 && HALO <= 1 << 30,
                "a window has a core of 1 to 2^30 elements, and at most 2^30 on each side"
            );
        }
        Axis { block }
    }

    /// The element that a slot stands for, which may be none of the output.
    #[inline(always)]
    fn position(&self, slot: usize) -> isize {
        (self.block as usize * CORE + slot) as isize - HALO as isize
    }

    /// The element of a slot of the core, if it is one of `len`.
    #[inline(always)]
    fn element(&self, slot: u32, len: usize) -> Option<usize> {
        let slot = slot.wrapping_sub(HALO as u32);
        if slot >= CORE as u32 {
            return None;
        }
        let at = self.block as usize * CORE + slot as usize;
        (at < len).then_some(at)
    }
}

impl<T: Plain, const CORE: usize, const HALO: usize> DisjointSlice<'_, T, Windows<CORE, HALO>> {
    /// The element that slot `slot` of this block's window stands for: below 0, or not below the length, where the window reaches over
    /// an end of the slice.
    #[inline(always)]
    #[must_use]
    pub fn position(&self, _i: Index1D<'_>, slot: usize) -> isize {
        Axis::<CORE, HALO>::of(raw::block_idx_x()).position(slot)
    }

    /// The element of this thread's first slot; `None` if that lies in the halo, or behind the end of the slice.
    ///
    /// All elements are written by blocks of at least `HALO + CORE` threads; smaller blocks take [`iter_mut`](Self::iter_mut).
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, _i: Index1D<'_>) -> Option<&mut T> {
        let window = Axis::<CORE, HALO>::of(raw::block_idx_x());
        let at = window.element(raw::thread_idx_x(), self.len)?;
        // SAFETY: within the slice.
        let element = unsafe { self.start.add(at) };
        // SAFETY: cores of two blocks do not overlap, and slots of two threads of a block differ: in the one-dimensional launch of an `Index1D`
        // the element is this thread's alone. `self` stays borrowed.
        Some(unsafe { &mut *element })
    }

    /// The elements of all slots of this thread that are in the core and in the slice, each with its slot, from low to high.
    #[inline(always)]
    pub fn iter_mut(&mut self, _i: Index1D<'_>) -> WindowIter<'_, T, CORE, HALO> {
        WindowIter {
            start: self.start,
            len: self.len,
            window: Axis::of(raw::block_idx_x()),
            next: raw::thread_idx_x(),
            stride: raw::block_dim_x(),
            _slice: PhantomData,
        }
    }
}

/// The elements of one thread in a slice by [`Windows`], each with its slot.
///
/// ```
/// use warploom_device_std::{Block, DisjointSlice, Index1D, SharedTile, Windows};
/// fn copy(i: Index1D, block: Block, x: &[f32], mut tile: SharedTile<f32, 1002>, mut y: DisjointSlice<f32, Windows<1000, 1>>) {
///     tile.fill(|slot| usize::try_from(y.position(i, slot)).ok().and_then(|at| x.get(at)).copied().unwrap_or(0.0));
///     let tile = tile.publish(&block);
///     for (slot, y) in y.iter_mut(i) {
///         *y = tile[slot - 1] + tile[slot + 1];
///     }
/// }
/// ```
pub struct WindowIter<'a, T, const CORE: usize, const HALO: usize> {
    start: *mut T,
    len: usize,
    window: Axis<CORE, HALO>,
    next: u32,
    stride: u32,
    _slice: PhantomData<&'a mut [T]>,
}

impl<'a, T: Plain, const CORE: usize, const HALO: usize> Iterator
    for WindowIter<'a, T, CORE, HALO>
{
    type Item = (usize, &'a mut T);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        while (self.next as usize) < HALO {
            self.next += self.stride;
        }
        let slot = self.next;
        let at = self.window.element(slot, self.len)?;
        self.next = slot + self.stride;
        // SAFETY: within the slice.
        let element = unsafe { self.start.add(at) };
        // SAFETY: as for `get_mut`; the slot is congruent to the thread's number modulo the number of threads and never comes twice.
        Some((slot as usize, unsafe { &mut *element }))
    }
}

impl<T: Plain, const WIDTH: usize, const HEIGHT: usize, const HALO_X: usize, const HALO_Y: usize>
    DisjointSlice2D<'_, T, Windows2D<WIDTH, HEIGHT, HALO_X, HALO_Y>>
{
    /// Column and row that this thread's slot stands for: below 0, or not below width or height, where the window reaches over an edge.
    #[inline(always)]
    #[must_use]
    pub fn position(&self, _i: Index2D<'_>) -> (isize, isize) {
        (
            Axis::<WIDTH, HALO_X>::of(raw::block_idx_x()).position(raw::thread_idx_x() as usize),
            Axis::<HEIGHT, HALO_Y>::of(raw::block_idx_y()).position(raw::thread_idx_y() as usize),
        )
    }

    /// The element of this thread's slot; `None` if that lies in the halo, or outside of the matrix.
    #[inline(always)]
    #[must_use]
    pub fn get_mut(&mut self, _i: Index2D<'_>) -> Option<&mut T> {
        let columns = Axis::<WIDTH, HALO_X>::of(raw::block_idx_x());
        let rows = Axis::<HEIGHT, HALO_Y>::of(raw::block_idx_y());
        let x = columns.element(raw::thread_idx_x(), self.width)?;
        let y = rows.element(raw::thread_idx_y(), self.height)?;
        // SAFETY: a row of the matrix, which is in memory, so the offsets of its elements do not overflow.
        let row = unsafe { y.unchecked_mul(self.width) };
        // SAFETY: as above, for an element.
        let at = unsafe { row.unchecked_add(x) };
        // SAFETY: column and row lie within the matrix.
        let element = unsafe { self.start.add(at) };
        // SAFETY: cores of two blocks do not overlap, and slots of two threads of a block differ: in the launch of an `Index2D`, which has
        // no extent along z, the element is this thread's alone. `self` stays borrowed.
        Some(unsafe { &mut *element })
    }
}
