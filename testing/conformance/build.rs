//! Device code for the kernels of these tests.

fn main() {
    warploom_build::compile();
}
