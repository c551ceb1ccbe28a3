use warploom::prelude::*;

#[kernel(cooperative, dependent_launch)]
fn k(grid: warploom::device_std::CooperativeGrid) {
    grid.sync();
}

fn main() {}
