//! The memory of a sort.

use warploom::prelude::*;
use warploom::{MemoryError, Stream};

use super::RadixKey;
use super::onesweep::MOST_ITEMS;
use super::passes::items;
use super::rank::{DIGIT_BITS, DIGITS, THREADS};
use crate::Error;
use crate::radix_sort::key::RadixBits;

/// The memory of a sort of keys, or of keys with values, for use again and again and in graphs: of no more elements than it was made for.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::SortPlan;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let (x, mut y) = (device.upload(&[3u32, 1, 2])?, device.alloc_uninit(3)?);
/// let mut plan = SortPlan::new(&device, x.len())?;
/// for _ in 0..3 {
///     stream.sort(&x).plan(&mut plan).into(&mut y)?;
/// }
/// assert_eq!(y.to_vec(&stream)?, [1, 2, 3]);
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct SortPlan<K: RadixKey, V: Plain = u8> {
    pub(super) keys: DeviceBuffer<K>,
    pub(super) values: DeviceBuffer<V>,
    pub(super) state: DeviceBuffer<u32>,
}

impl<K: RadixKey> SortPlan<K> {
    /// Keys of a tile, for tests of lengths around it.
    #[doc(hidden)]
    pub const TILE: usize = items::<K, u8>(false) * THREADS;

    /// Memory for sorts of up to `len` keys.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Self::made(device, len, 0)
    }
}

impl<K: RadixKey, V: Plain> SortPlan<K, V> {
    /// Pairs of a tile.
    #[doc(hidden)]
    pub const PAIRS_TILE: usize = items::<K, V>(true) * THREADS;

    /// Memory for sorts of up to `len` keys with their values.
    ///
    /// # Errors
    /// As [`new`](SortPlan::new).
    pub fn pairs(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Self::made(device, len, len)
    }

    fn made(device: &Device, len: usize, values: usize) -> Result<Self, MemoryError> {
        let (pairs, passes) = (values > 0, K::Bits::BITS.div_ceil(DIGIT_BITS));
        let layout = Layout::new(len, items::<K, V>(pairs) * THREADS, passes, MOST_ITEMS);
        Ok(SortPlan {
            keys: device.alloc_uninit(len)?,
            values: device.alloc_uninit(values)?,
            state: device.alloc_uninit(layout.len())?,
        })
    }

    /// From the pool, for one sort: of `keys` keys and `values` values that lie elsewhere between two passes.
    pub(super) fn on(
        stream: &Stream,
        keys: usize,
        values: usize,
        layout: &Layout,
    ) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        Ok(SortPlan {
            keys: pool.alloc_uninit(keys, stream)?,
            values: pool.alloc_uninit(values, stream)?,
            state: pool.alloc_uninit(layout.len(), stream)?,
        })
    }

    /// That there is room for what [`on`](Self::on) would make.
    pub(super) fn check(&self, keys: usize, values: usize, layout: &Layout) -> Result<(), Error> {
        let rooms = [
            ("the plan of a sort, for keys,", self.keys.len(), keys),
            ("the plan of a sort, for values,", self.values.len(), values),
            (
                "the plan of a sort, for counters,",
                self.state.len(),
                layout.len(),
            ),
        ];
        for (what, room, needed) in rooms {
            Error::check_room(what, room, needed)?;
        }
        Ok(())
    }

    /// Bytes of device memory: those of the keys and values, and about a 20th of the keys' if they have 4 bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.len() * size_of::<K>()
            + self.values.len() * size_of::<V>()
            + self.state.len() * size_of::<u32>()
    }
}

/// What is where in the state: a counter for each launch, sums over digits for each pass, and two tables of words for looking back, which launches use in
/// turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Items of a tile.
    pub(super) tile: usize,
    /// Items that a launch takes at most: whole tiles.
    pub(super) portion: usize,
    /// Launches of a pass.
    pub(super) portions: usize,
    /// Tiles of a launch at most.
    pub(super) tiles: usize,
    passes: usize,
}

impl Layout {
    /// For `n` items in tiles of `tile` and `passes` passes, in portions of at most `most` items.
    pub(super) fn new(n: usize, tile: usize, passes: u32, most: usize) -> Self {
        let portion = (most / tile).max(1) * tile;
        Layout {
            tile,
            portion,
            portions: n.div_ceil(portion),
            tiles: n.min(portion).div_ceil(tile),
            passes: passes as usize,
        }
    }

    /// The counter of the histogram's blocks.
    pub(super) const DONE: usize = 0;

    /// The counter of tiles of launch `launch`.
    pub(super) fn counter(&self, launch: usize) -> usize {
        1 + launch
    }

    /// Where in the output the items of pass `pass` and portion `portion` begin. There is one portion more than needed, for what the last one leaves.
    pub(super) fn starts(&self, pass: usize, portion: usize) -> usize {
        let counters = (1 + self.passes * self.portions).next_multiple_of(DIGITS);
        counters + pass * self.stride() + portion * DIGITS
    }

    /// From the sums of one pass to those of the next.
    pub(super) fn stride(&self) -> usize {
        (self.portions + 1) * DIGITS
    }

    /// The words for looking back of launch `launch`.
    pub(super) fn words(&self, launch: usize) -> usize {
        self.starts(self.passes, 0) + launch % 2 * self.tiles * DIGITS
    }

    /// What must be 0 before the first launch.
    pub(super) fn cleared(&self) -> usize {
        self.words(1)
    }

    fn len(&self) -> usize {
        self.words(1) + self.tiles * DIGITS
    }
}
