//! Device code for the kernels.

fn main() {
    warploom_build::compile();
}
