//! Device code for the kernels of the examples.

fn main() {
    warploom_build::compile();
}
