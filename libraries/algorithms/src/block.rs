//! Pieces for kernels: what the threads of a block, or the lanes of a warp, do together with several items each.
//!
//! A piece is a method of [`Block`] or [`Warp`]; [`Pieces`] are for both, [`BlockPieces`] for blocks, [`WarpPieces`](crate::warp::WarpPieces) for warps. All threads
//! of the block, or all lanes of the warp, make the call, as for [`Block::sync`]: if one never does, a GPU waits for ever, and the emulator reports a deadlock with
//! the place where each thread waits. Threads that returned are not waited for. What they had is then unspecified: some value of the type, and a report of the
//! emulator where another thread reads it.
//!
//! Items are arrays `[T; ITEMS]` of 1 to 64, which stay in registers. The *tile* is all items of the group: `THREADS * ITEMS`. Its order is one of three:
//!
//! | arrangement | item `k` of thread `t` is item … of the tile | for |
//! |---|---|---|
//! | blocked | `t * ITEMS + k` | scans, sorts, neighbours: order within the thread |
//! | striped | `t + k * THREADS` | global memory: neighbouring threads access neighbouring items |
//! | warp-striped | `w * 32 * ITEMS + k * 32 + lane`, of warp `w` | global memory too, and exchanges within a warp |
//!
//! Most pieces need shared memory: a [`Storage`], made by [`block_storage!`](crate::block_storage) for the largest of the pieces that use it. A piece waits for the
//! block before it writes to the storage, so the next one may follow at once. Pieces access the storage by relaxed atomics of 32 bits alone: an item has at least 4 bytes there, and at most 64.
//!
//! What `warploom` has itself is not here: sums of one value per thread ([`Block::reduce`], [`Block::inclusive_scan`], [`Warp::reduce`], [`Warp::inclusive_scan`]:
//! no storage, any number of threads, threads that returned are left out), shuffles, votes and matches, parts of warps ([`Tile`](warploom::device_std::Tile)), and
//! [`SharedTile`](warploom::device_std::SharedTile) for shared memory of one's own.
//!
//! Compute capability: 7.5, as everything.
//!
//! | CUB | here |
//! |---|---|
//! | `BlockLoad`, `WarpLoad`: `DIRECT`, `VECTORIZE` | [`load_blocked`](Pieces::load_blocked) |
//! | `STRIPED` | [`load_striped`](Pieces::load_striped) |
//! | `TRANSPOSE` | [`load_striped`](Pieces::load_striped) and [`striped_to_blocked`](Pieces::striped_to_blocked), in one: [`load_transposed`](Pieces::load_transposed) |
//! | `WARP_TRANSPOSE` | [`load_warp_transposed`](BlockPieces::load_warp_transposed) |
//! | `BlockStore`: `DIRECT`, `VECTORIZE` | [`store_blocked`](BlockPieces::store_blocked) |
//! | `STRIPED` | [`store_striped`](BlockPieces::store_striped) |
//! | `TRANSPOSE` | [`store_transposed`](BlockPieces::store_transposed) |
//! | `BlockExchange`, `WarpExchange` | [`blocked_to_striped`](Pieces::blocked_to_striped), [`striped_to_blocked`](Pieces::striped_to_blocked) |
//! | … `ScatterToBlocked` and others | [`scatter_to_blocked`](Pieces::scatter_to_blocked), [`scatter_to_striped`](Pieces::scatter_to_striped), [`compact_to_striped`](Pieces::compact_to_striped) |
//! | … `BlockedToWarpStriped` and back | [`blocked_to_warp_striped`](BlockPieces::blocked_to_warp_striped), [`warp_striped_to_blocked`](BlockPieces::warp_striped_to_blocked) |
//! | `BlockReduce` | [`Block::reduce`]; [`reduce_items`](BlockPieces::reduce_items), [`reduce_first`](BlockPieces::reduce_first) |
//! | `BlockScan`, with its prefix callback | [`Block::inclusive_scan`]; [`inclusive_scan_items`](BlockPieces::inclusive_scan_items), [`exclusive_scan_items`](BlockPieces::exclusive_scan_items) |
//! | `BlockRadixRank` | [`radix_rank`](BlockPieces::radix_rank) |
//! | `BlockRadixSort` | [`radix_sort`](BlockPieces::radix_sort), [`radix_sort_pairs`](BlockPieces::radix_sort_pairs), [`radix_sort_to_striped`](BlockPieces::radix_sort_to_striped) |
//! | `BlockMergeSort`, `WarpMergeSort` | [`merge_sort`](Pieces::merge_sort), [`merge_sort_first`](Pieces::merge_sort_first), [`merge_sort_pairs`](Pieces::merge_sort_pairs) |
//! | `BlockHistogram` | [`histogram`](BlockPieces::histogram) |
//! | `BlockDiscontinuity` | [`heads`](Pieces::heads), [`tails`](Pieces::tails) |
//! | `BlockAdjacentDifference` | [`subtract_left`](Pieces::subtract_left), [`subtract_right`](Pieces::subtract_right) |
//! | `BlockShuffle` | [`left_neighbours`](Pieces::left_neighbours), [`right_neighbours`](Pieces::right_neighbours) |
//! | `BlockRunLengthDecode` | [`decode_runs`](BlockPieces::decode_runs) |
//! | `WarpReduce`, `WarpScan` | [`Warp::reduce`], [`Warp::inclusive_scan`]; [`WarpPieces`](crate::warp::WarpPieces) |
//! | `TempStorage`, and a union of several | [`Storage`], [`DynamicStorage`]; of warps: [`per_warp`](BlockPieces::per_warp) |

mod exchange; // items to other threads
mod group; // the methods of blocks and warps
mod histogram; // counts of a block
mod load; // global memory
mod merge; // sorting by a comparison
mod methods; // the methods of blocks
mod neighbours; // items side by side
mod radix; // sorting by digits
mod run_length; // runs to items
pub(crate) mod scan; // several items per thread
mod slots; // items in shared memory
mod storage; // the shared memory of pieces

pub use exchange::Exchange;
pub use group::Pieces;
pub use histogram::{Counters, Counts, Histogram};
pub use merge::{MergeSort, MergeSortPairs};
pub use methods::BlockPieces;
pub use neighbours::Neighbours;
pub use radix::{RadixOrder, RadixRank, RadixSort, RadixSortPairs};
pub use run_length::{RunLengthDecode, Runs};
pub use scan::Scan;
pub use storage::{DynamicStorage, OfWarps, PerWarp, Piece, Scratch, Storage};
#[doc(hidden)]
pub use storage::{Threads, largest};

#[cfg(doc)]
use warploom::device_std::{Block, Warp};
