//! Memory that the threads of a block share.
//!
//! [`SharedTile`] is safe: it is first written by slot owners, then read by all, and the barrier between is part of the change.
//! [`SharedArray`] and [`DynamicShared`] are raw: reading and writing is `unsafe`, except through the atomics of a [`SharedArray`].

mod array; // static memory, raw, with atomics
mod carve; // dynamic memory in parts of several types
mod dynamic; // as much as the launch says, raw
mod tile; // phases: write one's own, barrier, read all

#[doc(hidden)]
pub use array::RawArray;
pub use array::{AtomicElement, SharedArray};
pub use carve::{Carve, SharedLayout};
pub use dynamic::DynamicShared;
#[doc(hidden)]
pub use tile::TileName;
pub use tile::{SharedTile, TileView};

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
