//! Memory spaces: statics of device, constant and managed memory, shared memory, local memory, and what is said of pointers.

mod constants;
mod globals;
mod managed;
mod ptx_statics;
