//! Cache hints, volatile accesses, address spaces, copies by a block.

mod accesses;
mod copies;
mod ptx_accesses;
mod ptx_read_only;
mod spaces;
