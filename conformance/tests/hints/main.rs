//! What code can ask about where it runs, what it can tell the compiler, and how it ends when something is wrong.

mod asserts;
mod assumptions;
mod loops;
mod ptx_arch;
mod ptx_assumptions;
mod ptx_loops;
mod ptx_release;
mod target;
mod trap;
