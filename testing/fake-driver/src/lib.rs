//! A library with the functions of the CUDA driver that the runtime calls, on host memory, for tests on machines without a GPU.
//!
//! Built as a `cdylib`, it takes the place of `libcuda.so.1`; as an ordinary library it has [`testing`], with which tests start a process
//! that loads it and then ask it what happened. What it checks, what it can be told and how functions are added stands in the README.
//! Must not know: the runtime. Start at `state.rs`, which every call goes through.

#![cfg(target_os = "linux")]

mod attributes; // what an H200 says of itself
pub mod code; // result codes
pub mod control; // the fake's own functions
pub mod driver; // the driver's functions
mod exec; // executes simple kernels
mod graph; // graphs, and the order of their nodes
mod link; // pieces of PTX become one
mod memory; // which addresses are whose
mod module; // loaded device code
mod options; // what a test can choose
mod probe; // whether memory can be read
mod ptx; // reads PTX
mod state; // everything that the fake knows
pub mod testing; // for tests that use it
mod work; // streams and what they do
