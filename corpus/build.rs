//! Device code for the kernels of the corpus, with lines: compute-sanitizer names them.

fn main() {
    warploom_build::Builder::new().line_info(true).compile();
}
