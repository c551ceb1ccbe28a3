//! Tiles of matrices in shared memory, laid out as bulk tensor copies write and warp groups read them: raw.

use super::{Carve, SharedLayout};
use crate::const_text::Text;
use crate::scope::Brand;
use crate::{Block, Plain, intrinsics as raw};
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// How the 16-byte chunks of a tile's rows are exchanged, so that a column of chunks lies in different banks.
///
/// In each row of a panel (see [`SwizzledTile`]) the number of a chunk is combined with bits of the row's address by exclusive or. PTX: the swizzle
/// modes of tensor maps and of matrix descriptors.
pub trait Swizzle: sealed::Sealed + Copy + 'static {
    /// Bytes of a row of a panel: 16 without a swizzle, else 32, 64 or 128.
    const SPAN: usize;
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident $span:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl sealed::Sealed for $name {}
        impl Swizzle for $name {
            const SPAN: usize = $span;
        }
    )*};
}

modes! {
    /// Panels of 16 bytes, each row at its place. CUDA: `CU_TENSOR_MAP_SWIZZLE_NONE` with a box 16 bytes wide.
    Unswizzled 16;
    /// Panels of 32 bytes: bit 4 of an address is combined with bit 7. CUDA: `CU_TENSOR_MAP_SWIZZLE_32B`.
    Swizzle32 32;
    /// Panels of 64 bytes: bits 4 and 5 of an address are combined with bits 7 and 8. CUDA: `CU_TENSOR_MAP_SWIZZLE_64B`.
    Swizzle64 64;
    /// Panels of 128 bytes: bits 4 to 6 of an address are combined with bits 7 to 9. CUDA: `CU_TENSOR_MAP_SWIZZLE_128B`.
    Swizzle128 128;
}

/// Where a tile begins is a multiple of this, so that bits of an address are those of the offset in the tile.
pub const TILE_ALIGN: usize = 1024;

/// `ROWS` rows of `COLS` elements in shared memory, in the layout of matrix operands; raw.
///
/// A row is cut into panels of [`S::SPAN`](Swizzle::SPAN) bytes. The tile is `[panel][row][byte of the panel's row]`, with the 16-byte chunks of a
/// panel's row exchanged as `S` says; [`offset`](Self::offset) is the place of an element. A bulk tensor copy of a box of `S::SPAN` bytes by `ROWS` rows
/// writes one panel. The tile begins at a multiple of 1024 bytes. `ROWS` is a multiple of 8, and a row one of `S::SPAN` bytes.
///
/// Starts with an unspecified value. From dynamic shared memory: [`Carve::take_tiles`]; static: [`swizzled_tiles!`](crate::swizzled_tiles). CUDA: the
/// layouts of `cute::GMMA`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::shared::{Swizzle128, SwizzledTile, SwizzledTiles};
/// use warploom_device_std::{Bf16, Block, swizzled_tiles};
/// type Stage<'k> = SwizzledTile<'k, Bf16, 64, 64, Swizzle128>;
/// const { assert!(Stage::BYTES == 8192 && Stage::PANELS == 1) };
/// const { assert!(Stage::offset(0, 8) == 16 && Stage::offset(1, 0) == 128 + 16) }; // chunk 0 of row 1 lies at chunk 1
/// fn kernel(block: Block) {
///     let stages: SwizzledTiles<'_, Bf16, 64, 64, Swizzle128, 2> = swizzled_tiles!(block);
///     let tile = stages.stage(1);
///     // SAFETY: each thread has its own elements, and the barrier lies between writing and reading.
///     unsafe {
///         tile.fill(block.thread(), block.threads(), |row, col| Bf16::from_f32((row * 2 + col) as f32));
///         block.sync();
///         assert_eq!(tile.get(5, 7).to_f32(), 17.0);
///     }
/// }
/// # run(Shape::new([2, 1, 1], [128, 1, 1]), &|| kernel(unsafe { Block::from_launch() }))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
pub struct SwizzledTile<'k, T: Plain, const ROWS: usize, const COLS: usize, S: Swizzle> {
    start: *mut T,
    _brand: Brand<'k>,
    _swizzle: PhantomData<S>,
}

impl<T: Plain, const ROWS: usize, const COLS: usize, S: Swizzle> Clone
    for SwizzledTile<'_, T, ROWS, COLS, S>
{
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Plain, const ROWS: usize, const COLS: usize, S: Swizzle> Copy
    for SwizzledTile<'_, T, ROWS, COLS, S>
{
}

impl<'k, T: Plain, const ROWS: usize, const COLS: usize, S: Swizzle>
    SwizzledTile<'k, T, ROWS, COLS, S>
{
    /// Bytes of the tile: those that copies of all its panels write.
    pub const BYTES: usize = {
        let (row, element) = (COLS * size_of::<T>(), size_of::<T>());
        assert!(
            element > 0 && 16 % element == 0,
            "elements of a swizzled tile have 1, 2, 4, 8 or 16 bytes"
        );
        assert!(
            ROWS > 0 && ROWS.is_multiple_of(8),
            "a swizzled tile has a multiple of 8 rows"
        );
        assert!(
            row > 0 && row.is_multiple_of(S::SPAN),
            "a row of a swizzled tile is a multiple of the bytes of a panel: of 128 with `Swizzle128`, 64 with `Swizzle64`, 32 with `Swizzle32`, 16 with `Unswizzled`"
        );
        ROWS * row
    };
    /// Panels of the tile.
    pub const PANELS: usize = Self::BYTES / Self::PANEL_BYTES;
    /// Bytes of a panel.
    pub const PANEL_BYTES: usize = ROWS * S::SPAN;
    /// Columns of a panel.
    pub const PANEL_COLS: usize = S::SPAN / size_of::<T>();
    /// Bytes from one tile of a ring to the next: [`BYTES`](Self::BYTES), rounded up to 1024.
    pub const STRIDE: usize = Self::BYTES.next_multiple_of(TILE_ALIGN);

    /// Bytes from the start of the tile to the element in `row` and `col`.
    ///
    /// The same in kernels, on the host and on the emulator. For a row and a column outside the tile it means nothing.
    #[inline(always)]
    #[must_use]
    pub const fn offset(row: usize, col: usize) -> usize {
        let byte = col * size_of::<T>();
        let linear = byte / S::SPAN * Self::PANEL_BYTES + row * S::SPAN + byte % S::SPAN;
        linear ^ ((linear >> 7 & (S::SPAN / 16 - 1)) << 4)
    }

    /// The first byte. What goes through the pointer is up to the caller.
    #[inline(always)]
    #[must_use]
    pub fn as_ptr(self) -> *mut u8 {
        self.start.cast()
    }

    /// The first byte of panel `panel`: where a bulk tensor copy of it writes.
    ///
    /// # Panics
    /// When `panel` is not below [`PANELS`](Self::PANELS).
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn panel(self, panel: usize) -> *mut u8 {
        assert!(panel < Self::PANELS, "no such panel of a swizzled tile");
        self.as_ptr().wrapping_add(panel * Self::PANEL_BYTES)
    }

    /// Reads the element in `row` and `col`.
    ///
    /// # Panics
    /// When it is outside the tile.
    ///
    /// # Safety
    /// In the launch that the tile comes from. No other thread and no copy under way writes the element at the same time.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn get(self, row: usize, col: usize) -> T {
        // SAFETY: within the tile (checked), aligned, holds some value (`T` is plain); the caller excludes races.
        unsafe { self.at(row, col).read() }
    }

    /// Writes the element in `row` and `col`.
    ///
    /// # Panics
    /// When it is outside the tile.
    ///
    /// # Safety
    /// In the launch that the tile comes from. No other thread, copy or product under way accesses the element at the same time.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn set(self, row: usize, col: usize, value: T) {
        // SAFETY: within the tile (checked) and aligned; the caller excludes races.
        unsafe { self.at(row, col).write(value) }
    }

    /// The element in `row` and `col`.
    #[inline(always)]
    #[track_caller]
    fn at(self, row: usize, col: usize) -> *mut T {
        assert!(
            row < ROWS && col < COLS,
            "no such element of a swizzled tile"
        );
        self.as_ptr().wrapping_add(Self::offset(row, col)).cast()
    }

    /// Writes what belongs to thread `thread` of `threads`: chunks of 16 bytes in turn, `thread`, `thread + threads` …, counted row by row.
    ///
    /// When all these threads do so, the whole tile is written.
    ///
    /// # Safety
    /// As [`set`](Self::set) for these elements; no two threads have the same number.
    #[inline(always)]
    pub unsafe fn fill(self, thread: usize, threads: usize, mut of: impl FnMut(usize, usize) -> T) {
        let (in_chunk, chunks) = (16 / size_of::<T>(), const { Self::BYTES / 16 });
        let in_row = COLS / in_chunk;
        let mut chunk = thread;
        while chunk < chunks {
            let (row, first) = (chunk / in_row, chunk % in_row * in_chunk);
            let to: *mut T = self.as_ptr().wrapping_add(Self::offset(row, first)).cast();
            for i in 0..in_chunk {
                // SAFETY: the chunk lies in the tile; the caller excludes races.
                unsafe { to.wrapping_add(i).write(of(row, first + i)) };
            }
            chunk += threads;
        }
    }

    /// The tile at `start`, a multiple of [`TILE_ALIGN`].
    #[inline(always)]
    fn of(start: *mut u8) -> Self {
        const { assert!(Self::BYTES > 0) };
        SwizzledTile {
            start: start.cast(),
            _brand: Brand::new(),
            _swizzle: PhantomData,
        }
    }
}

/// `STAGES` [`SwizzledTile`]s one behind the other, each at a multiple of 1024 bytes: a ring of stages, or a single tile.
pub struct SwizzledTiles<
    'k,
    T: Plain,
    const ROWS: usize,
    const COLS: usize,
    S: Swizzle,
    const STAGES: usize,
> {
    first: SwizzledTile<'k, T, ROWS, COLS, S>,
}

impl<T: Plain, const R: usize, const C: usize, S: Swizzle, const STAGES: usize> Clone
    for SwizzledTiles<'_, T, R, C, S, STAGES>
{
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Plain, const R: usize, const C: usize, S: Swizzle, const STAGES: usize> Copy
    for SwizzledTiles<'_, T, R, C, S, STAGES>
{
}

/// A tile as a type of its size, for static memory.
#[repr(C, align(1024))]
struct Memory<T, const ROWS: usize, const COLS: usize>([[T; COLS]; ROWS]);

/// Gives each place in the program its own memory.
struct TilesSite<S, Site>(PhantomData<fn() -> (S, Site)>);

impl<'k, T: Plain, const R: usize, const C: usize, S: Swizzle, const STAGES: usize>
    SwizzledTiles<'k, T, R, C, S, STAGES>
{
    /// Bytes of all of them.
    pub const BYTES: usize = SwizzledTile::<T, R, C, S>::STRIDE * STAGES;

    /// The tile of stage `stage`.
    ///
    /// # Panics
    /// When `stage` is not below `STAGES`.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn stage(self, stage: usize) -> SwizzledTile<'k, T, R, C, S> {
        assert!(stage < STAGES, "no such stage of swizzled tiles");
        let stride = SwizzledTile::<T, R, C, S>::STRIDE;
        SwizzledTile::of(self.first.as_ptr().wrapping_add(stage * stride))
    }

    /// Those of the place in the program that the type of `_site` names, in static shared memory; see [`swizzled_tiles!`](crate::swizzled_tiles).
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(warploom_device), track_caller)]
    pub fn of_site<Site: Fn() + 'static>(_block: &Block<'k>, _site: Site) -> Self {
        const {
            super::refuse_oversized::<Memory<T, R, C>, STAGES>(
                Text::new().with("swizzled tiles have "),
                " stages",
                "take them from dynamic shared memory with `Carve::take_tiles`",
            );
        };
        let start = raw::shared_site::<Memory<T, R, C>, STAGES, TilesSite<S, Site>>();
        SwizzledTiles {
            first: SwizzledTile::of(start),
        }
    }
}

impl<'k> Carve<'k> {
    /// The next `STAGES` tiles, from the next multiple of 1024 bytes on. CUDA: `extern __shared__ __align__(1024)`, and a pointer into it.
    ///
    /// # Panics
    /// When fewer bytes are left.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn take_tiles<
        T: Plain,
        const ROWS: usize,
        const COLS: usize,
        S: Swizzle,
        const STAGES: usize,
    >(
        &mut self,
    ) -> SwizzledTiles<'k, T, ROWS, COLS, S, STAGES> {
        // SAFETY: nothing is read or written here. That it is named makes all dynamic shared memory of the program begin at a multiple of 1024.
        let _ = unsafe { raw::dynamic_shared_1024() };
        let bytes = SwizzledTiles::<T, ROWS, COLS, S, STAGES>::BYTES;
        SwizzledTiles {
            first: SwizzledTile::of(self.bytes(bytes, TILE_ALIGN)),
        }
    }
}

impl SharedLayout {
    /// These parts, then `STAGES` tiles, as [`Carve::take_tiles`] takes them.
    ///
    /// ```
    /// use warploom_device_std::{Bf16, SharedLayout, shared::Swizzle128};
    /// const BYTES: u32 = SharedLayout::new()
    ///     .with_tiles::<Bf16, 128, 64, Swizzle128, 4>()
    ///     .with_tiles::<Bf16, 256, 64, Swizzle128, 4>()
    ///     .with::<u64>(8)
    ///     .bytes();
    /// assert_eq!(BYTES, 4 * (16 + 32) * 1024 + 64);
    /// ```
    ///
    /// # Panics
    /// When there are more bytes than a `usize` counts.
    #[must_use]
    pub const fn with_tiles<
        T: Plain,
        const ROWS: usize,
        const COLS: usize,
        S: Swizzle,
        const STAGES: usize,
    >(
        self,
    ) -> Self {
        self.with_bytes(SwizzledTiles::<T, ROWS, COLS, S, STAGES>::BYTES, TILE_ALIGN)
    }
}

/// Static [`SwizzledTiles`](crate::shared::SwizzledTiles) of a block, by the type that is asked for: at most 48 KiB.
///
/// ```
/// use warploom_device_std::shared::{Swizzle64, SwizzledTiles};
/// use warploom_device_std::{Block, F16, swizzled_tiles};
/// fn kernel(block: Block) {
///     let tiles: SwizzledTiles<'_, F16, 64, 32, Swizzle64, 1> = swizzled_tiles!(block);
///     let _ = tiles.stage(0);
/// }
/// ```
/// ```compile_fail,E0080
/// # use warploom_device_std::shared::{Swizzle128, SwizzledTiles};
/// # use warploom_device_std::{Block, F16, swizzled_tiles};
/// fn kernel(block: Block) {
///     let tiles: SwizzledTiles<'_, F16, 256, 64, Swizzle128, 2> = swizzled_tiles!(block); // 64 KiB
/// }
/// # kernel(unsafe { Block::from_launch() });
/// ```
#[macro_export]
macro_rules! swizzled_tiles {
    ($block:expr) => {
        $crate::shared::SwizzledTiles::of_site(&$block, || ())
    };
}
