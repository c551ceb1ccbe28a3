//! Device code for the kernels of the corpus, with lines, which compute-sanitizer names. For one architecture: clusters need 9.0.

use warploom_build::{Arch, Builder};

fn main() {
    Builder::new()
        .archs(&[Arch::sm(90)])
        .line_info(true)
        .compile();
}
