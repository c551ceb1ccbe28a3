//! Memory that the threads of a block share.
//!
//! [`SharedTile`], [`DoubleTile`] and [`SharedPatches`] are safe: slots are written by their owners, then read by all, and the barrier between is part of the change.
//! [`SharedArray`], [`DynamicShared`] and [`SwizzledTile`] are raw: reading and writing is `unsafe`, except through the atomics of a [`SharedArray`].

mod array; // static memory, raw, with atomics
mod carve; // dynamic memory in parts of several types
mod double; // two buffers that take turns
mod dynamic; // as much as the launch says, raw
mod patches; // parts of warps, for what tensor cores compute
mod phases; // barriers of tiles, and several tiles at one
mod slots; // whose slot is which
mod swizzled; // operands of warp groups, raw
mod tile; // phases: write one's own, barrier, read all

use crate::const_text::Text;

#[doc(hidden)]
pub use array::RawArray;
pub use array::{AtomicElement, SharedArray};
pub use carve::{Carve, SharedLayout};
pub use double::{DoubleTile, DoubleView};
pub use dynamic::DynamicShared;
pub use patches::{PatchesView, SharedPatches};
#[doc(hidden)]
pub use phases::TileName;
pub use phases::{Publish, Reclaim};
pub use swizzled::{
    Swizzle, Swizzle32, Swizzle64, Swizzle128, SwizzledTile, SwizzledTiles, TILE_ALIGN, Unswizzled,
};
pub use tile::{SharedTile, TileView};

/// Static shared memory of a block at most, on every GPU: what assembles PTX refuses more.
const MOST_BYTES: usize = 48 * 1024;

/// Elements at most, of types without a size too.
const MOST: usize = 1 << 20;

/// Fails to compile if `N` elements of `T` have no room; `text` begins the message, `remedy` ends it. The device linker adds up what a kernel has.
#[expect(clippy::panic, reason = "evaluated when the kernel is compiled")]
const fn refuse_oversized<T, const N: usize>(text: Text, things: &str, remedy: &str) {
    let bytes = size_of::<T>().saturating_mul(N);
    if N > MOST || bytes > MOST_BYTES {
        let text = text
            .with_number(N)
            .with(things)
            .with(" of ")
            .with_number(size_of::<T>())
            .with(" bytes, but a block has at most ")
            .with_number(MOST_BYTES)
            .with(" bytes (48 KiB) of static shared memory; ")
            .with(remedy)
            .with(", or use dynamic shared memory, of which a block of most GPUs has more: a parameter `memory: DynamicShared<T>`, and `Launch::dynamic_shared(bytes)` where the kernel is launched");
        panic!("{}", text.as_str());
    }
}

#[cold]
#[inline(never)]
#[track_caller]
#[expect(
    clippy::panic,
    reason = "a kernel reports misuse by a panic, which the host gets as an error"
)]
fn element_outside(i: usize, n: usize) -> ! {
    panic!("element {i} of a shared array with {n} elements")
}
