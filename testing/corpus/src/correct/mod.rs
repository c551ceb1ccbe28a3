//! Correct kernels that look like wrong ones: they give the right result and no report.

mod algorithms; // reductions, histograms, tiles
mod blocks; // barriers of a block, in all forms
mod bytes; // different bytes of one word
mod clusters; // shared memory of other blocks
mod copies; // asynchronous copies
mod exits; // threads that return early
mod flags; // flags, counters and fences, without barriers
mod graphs; // graphs, sets, bits
mod grids; // cooperative grids, launches, the heap
mod host; // memory of the host, surfaces, streams, graphs
mod idioms; // one barrier for two, locks for many lanes, rings
mod locks; // locks, queues, tables
mod numbers; // numerics in shared memory
mod parts; // slices of a part, and other ways to the rest
mod phases; // barriers in memory
mod progress; // blocks that wait for blocks that have begun
mod safe; // safe parts alone
mod sequences; // flags of warps
mod sorts; // scans and sorts of a block
mod streams; // launches of several streams
mod turns; // tokens, semaphores, published pointers
mod warps; // parts of a warp

use crate::case::File;

pub(crate) const FILES: &[File] = &[
    flags::FILE,
    sequences::FILE,
    locks::FILE,
    warps::FILE,
    blocks::FILE,
    parts::FILE,
    phases::FILE,
    copies::FILE,
    bytes::FILE,
    grids::FILE,
    clusters::FILE,
    algorithms::FILE,
    sorts::FILE,
    safe::FILE,
    streams::FILE,
    turns::FILE,
    graphs::FILE,
    numbers::FILE,
    exits::FILE,
    progress::FILE,
    idioms::FILE,
    host::FILE,
];
