//! What runs asynchronously to the threads of a block: copies into shared memory, and barriers in memory that count arrivals.
//!
//! [`AsyncTiles`] is safe: copies fill stages in turn, and a stage is read between [`wait`](AsyncTiles::wait) and
//! [`release`](Stage::release). [`Mbarrier`] is raw.

mod mbarrier; // arrivals counted in shared memory
mod tiles; // stages that copies fill

pub use mbarrier::{Arrival, Mbarrier};
pub use tiles::{AsyncTiles, Stage};
