//! Atomics, fences, and what they promise across threads.

mod contention;
mod edges;
mod half_types; // the types of half floats
mod halves;
mod litmus;
mod local; // in a thread's own memory
mod locks;
mod ptx_halves;
mod ptx_legacy;
mod ptx_operations;
mod ptxas;
mod wide;
