//! `Box`, `Vec` and `String` in kernels.

mod boxes;
mod limit;
mod strings;
mod vectors;
