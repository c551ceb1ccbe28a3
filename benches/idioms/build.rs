//! Device code for the architecture of the benchmarks alone.

use warploom_build::{Arch, Builder};

fn main() {
    Builder::new()
        .archs(&[Arch::sm(90)])
        .instrumented(false)
        .compile();
}
