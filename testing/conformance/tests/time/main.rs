//! Clocks and sleep.

mod clocks;
mod ptx;
mod sleep;
