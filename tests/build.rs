//! Device code for the kernels of the tests.

fn main() {
    warploom_build::compile();
}
