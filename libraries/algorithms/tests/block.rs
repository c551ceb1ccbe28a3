//! The pieces for kernels against the same on the host, for blocks of 32 to 1024 threads and items of 1 to 20 bytes.
//!
//! Each kernel is instantiated for few pairs of a type and a number of threads, which together have every width and every kind of block: the device code of these
//! tests is compiled by each `cargo test`.

mod exchange; // items to other threads
mod memory; // loads and stores
mod misuse; // threads that do different things
mod neighbours; // items side by side
mod programs; // what users write with the pieces
mod runs; // histograms and runs
mod scan; // several items per thread
mod sort; // by digits, and by a comparison
mod warps; // the same for warps

/// Bytes of the storage in kernels that are generic over the number of threads.
const BYTES: usize = 40 * 1024;
