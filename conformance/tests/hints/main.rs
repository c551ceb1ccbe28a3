//! What code can ask about where it runs, and what it can tell the compiler.

mod ptx_arch;
mod target;
