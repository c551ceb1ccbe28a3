//! Device code for the kernels of the corpus.

fn main() {
    warploom_build::compile();
}
