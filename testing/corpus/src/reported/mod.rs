//! Bugs from public reports, ported by the rules of `RULES.md`.

mod alignment; // vectors and atomics at addresses that are not aligned to them
mod attention; // softmax, normalisation
mod barriers; // barriers that part of a block does not reach, waits without end
mod blanks; // memory without a value, copies that are not there yet
mod clusters; // shared memory of other blocks of a cluster
mod counts; // counters without atomics, numbers of elements in 32 bits
mod edges; // edges of the data, and of shared memory
mod grids; // between blocks
mod handover; // counters and flags that do not order
mod histograms; // bins in shared memory
mod lockstep; // lanes that are thought to run in step
mod lookups; // indices from the data
mod masks; // masks and source lanes of warp operations
mod meetings; // threads that do not come, or should not have
mod memory; // of the host, leaks, slow
mod overflow; // 32 bits that do not hold the number
mod places; // places that are computed
mod queues; // launches of several streams
mod readbacks; // results that are copied back too early
mod reductions; // sums and maxima
mod rounds; // values of a round that others still read
mod scans; // prefix sums, recurrences
mod signals; // blocks or ranks that tell each other that something is there
mod spans; // ends of tables and rows
mod stages; // asynchronous copies, producers and consumers
mod tiles; // matrices, stencils
mod turns; // atomics beside plain accesses, waits for one another
mod values; // memory that no thread has written

use crate::case::File;

pub(crate) const FILES: &[File] = &[
    rounds::FILE,
    spans::FILE,
    meetings::FILE,
    blanks::FILE,
    counts::FILE,
    readbacks::FILE,
    reductions::FILE,
    attention::FILE,
    scans::FILE,
    tiles::FILE,
    histograms::FILE,
    lockstep::FILE,
    masks::FILE,
    grids::FILE,
    handover::FILE,
    signals::FILE,
    barriers::FILE,
    stages::FILE,
    clusters::FILE,
    edges::FILE,
    lookups::FILE,
    overflow::FILE,
    memory::FILE,
    values::FILE,
    alignment::FILE,
    places::FILE,
    queues::FILE,
    turns::FILE,
];
