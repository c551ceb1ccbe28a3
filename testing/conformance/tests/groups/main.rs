//! Cooperative groups: blocks, tiles, coalesced lanes.

mod block;
mod coalesced;
mod generic;
mod model;
mod ptx;
mod tile;
