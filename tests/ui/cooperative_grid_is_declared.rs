use warploom::prelude::*;

#[kernel]
fn k(grid: warploom::device_std::CooperativeGrid) {
    grid.sync();
}

fn main() {}
