//! Memory spaces: statics of device, constant and managed memory, shared memory, local memory, and what is said of pointers.

mod constants;
mod crates;
mod functions;
mod globals;
mod local;
mod managed;
mod pointers;
mod ptx_annotations;
mod ptx_statics;
mod shared_dynamic;
mod shared_static;
mod together;
