use warploom::prelude::*;

struct Filter;

impl Filter {
    #[kernel]
    fn apply(i: Index1D, x: &[f32]) {}
}

trait Step {
    #[kernel]
    fn step(i: Index1D) {}
}

fn main() {}
