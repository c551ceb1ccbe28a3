//! Device code for the kernels of the benchmarks.

fn main() {
    warploom_build::compile();
}
