//! What runs asynchronously to the threads of a block: copies into shared memory, and barriers in memory that count arrivals.
//!
//! [`AsyncTiles`] is safe: copies fill stages in turn, and a stage is read between [`wait`](AsyncTiles::wait) and
//! [`release`](Stage::release). [`Mbarrier`] is raw, and so is [`Ring`]: the barriers of stages that one thread fills by bulk copies and warps read.

mod mbarrier; // arrivals counted in shared memory
mod ring; // barriers of stages, for roles of warps
mod tiles; // stages that copies fill

pub use mbarrier::{Arrival, Mbarrier};
pub use ring::{Ring, Turn};
pub use tiles::{AsyncTiles, Stage};
