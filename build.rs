//! Device code for the kernels of this package's examples, tests and benchmarks.

fn main() {
    warploom_build::compile();
}
