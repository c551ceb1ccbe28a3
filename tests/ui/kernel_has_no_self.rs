use warploom::prelude::*;

struct Filter;

impl Filter {
    #[kernel]
    fn apply(&self, x: &[f32]) {}
}

fn main() {}
//@ rows: EX-3
