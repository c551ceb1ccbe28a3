use warploom::gpu_println;
use warploom::prelude::*;

#[kernel]
fn many(i: Index1D) {
    let a = i.get();
    gpu_println!(
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
        a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a
    );
}

fn main() {}
//@ rows: GPF-12
