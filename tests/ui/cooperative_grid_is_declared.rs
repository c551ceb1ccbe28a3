use warploom::prelude::*;

#[kernel]
fn k(grid: warploom::device::CooperativeGrid) {
    grid.sync();
}

fn main() {}
