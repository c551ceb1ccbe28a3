//! Copies of boxes of tensors, and of many bytes, between global and shared memory.

mod bulk;
mod cluster;
mod expected;
mod loads;
mod misuse;
mod ptx;
mod reductions;
mod stores;
