use warploom::device::CooperativeGrid;
use warploom::prelude::*;

#[kernel]
fn k(grid: CooperativeGrid) {
    grid.sync();
}

fn main() {}
