//! Device code for the rows, for the GPUs on which they are measured.

use warploom_build::{Arch, Builder};

fn main() {
    Builder::new().archs(&[Arch::sm(90)]).compile();
}
