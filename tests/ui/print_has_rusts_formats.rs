use warploom::gpu_println;
use warploom::prelude::*;

#[kernel]
fn wrong(i: Index1D, x: &[f32]) {
    gpu_println!("{} and {}", i.get());
    gpu_println!("{:x}", x[i.get()]);
    gpu_println!("{:q}", 1);
    gpu_println!("{", 1);
}

fn main() {}
//@ rows: GPF-10
