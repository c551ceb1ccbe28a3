//! Device code for the kernels of the scenes. For one architecture: the time that it takes is that of every `cargo test`.

use warploom_build::{Arch, Builder};

fn main() {
    Builder::new().archs(&[Arch::sm(75)]).compile();
}
