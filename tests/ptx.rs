//! What kernels become: one file per behaviour, with the expected PTX in comments under each kernel.

#[path = "ptx/aggregates.rs"]
mod aggregates;
#[path = "ptx/append.rs"]
mod append;
#[path = "ptx/atomic_accesses.rs"]
mod atomic_accesses;
#[path = "ptx/atomic_add.rs"]
mod atomic_add;
#[path = "ptx/atomic_loops.rs"]
mod atomic_loops;
#[path = "ptx/atomic_operations.rs"]
mod atomic_operations;
#[path = "ptx/barriers.rs"]
mod barriers;
#[path = "ptx/bits.rs"]
mod bits;
#[path = "ptx/block_size.rs"]
mod block_size;
#[path = "ptx/block_size_in_functions.rs"]
mod block_size_in_functions;
#[path = "ptx/bounds_checks.rs"]
mod bounds_checks;
#[path = "ptx/byte_minima.rs"]
mod byte_minima;
#[path = "ptx/casts.rs"]
mod casts;
#[path = "ptx/column_steps.rs"]
mod column_steps;
#[path = "ptx/contracts.rs"]
mod contracts;
#[path = "ptx/convergent.rs"]
mod convergent;
#[path = "ptx/copies.rs"]
mod copies;
#[path = "ptx/divisions.rs"]
mod divisions;
#[path = "ptx/dynamic_shared.rs"]
mod dynamic_shared;
#[path = "ptx/fast_math.rs"]
mod fast_math;
#[path = "ptx/fast_math_callees.rs"]
mod fast_math_callees;
#[path = "ptx/fast_math_functions.rs"]
mod fast_math_functions;
#[path = "ptx/fma.rs"]
mod fma;
#[path = "ptx/gathers.rs"]
mod gathers;
#[path = "ptx/guard_merging.rs"]
mod guard_merging;
#[path = "ptx/inclusive_ranges.rs"]
mod inclusive_ranges;
#[path = "ptx/inline_ptx.rs"]
mod inline_ptx;
#[path = "ptx/launch_bounds.rs"]
mod launch_bounds;
#[path = "ptx/local_arrays.rs"]
mod local_arrays;
#[path = "ptx/loop_checks.rs"]
mod loop_checks;
#[path = "ptx/loop_conditions.rs"]
mod loop_conditions;
#[path = "ptx/matches.rs"]
mod matches;
#[path = "ptx/math.rs"]
mod math;
#[path = "ptx/narrow_indices.rs"]
mod narrow_indices;
#[path = "ptx/outputs.rs"]
mod outputs;
#[path = "ptx/outputs_of_warps.rs"]
mod outputs_of_warps;
#[path = "ptx/panic_texts.rs"]
mod panic_texts;
#[path = "ptx/panics.rs"]
mod panics;
#[path = "ptx/panics_in_place.rs"]
mod panics_in_place;
#[path = "ptx/patches.rs"]
mod patches;
#[path = "ptx/ptxas.rs"]
mod ptxas;
#[path = "ptx/range_panics.rs"]
mod range_panics;
#[path = "ptx/read_only.rs"]
mod read_only;
#[path = "ptx/shared_arrays.rs"]
mod shared_arrays;
#[path = "ptx/tile_loads.rs"]
mod tile_loads;
#[path = "ptx/tiles.rs"]
mod tiles;
#[path = "ptx/unused_kernels.rs"]
mod unused_kernels;
#[path = "ptx/vector_accesses.rs"]
mod vector_accesses;
#[path = "ptx/whole_blocks.rs"]
mod whole_blocks;
#[path = "ptx/wide_integers.rs"]
mod wide_integers;
#[path = "ptx/windows.rs"]
mod windows;
