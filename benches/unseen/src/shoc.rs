//! SHOC: a benchmark suite for heterogeneous machines.

pub(crate) mod triad;
