//! What is known of a block holds in the functions of a kernel too, as far as all kernels that call them know it.

use warploom::prelude::*;

#[allow(dead_code, reason = "the kernels are never launched")]
#[inline(never)]
fn of_one_kernel(block: &Block) -> u32 {
    assert!(block.thread() < 256);
    7
}

#[allow(dead_code, reason = "the kernels are never launched")]
#[inline(never)]
fn of_two_kernels(block: &Block) -> u32 {
    assert!(block.thread() < 256);
    8
}

#[allow(dead_code, reason = "the kernels are never launched")]
#[inline(never)]
fn of_a_large_one_too(block: &Block) -> u32 {
    assert!(block.thread() < 256);
    9
}

#[allow(dead_code, reason = "the kernels are never launched")]
fn write(block: &Block, mut y: DisjointSlice<u32, PerBlock>, value: u32) {
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = value;
    }
}

#[kernel(block(256))]
fn alone(block: Block, y: DisjointSlice<u32, PerBlock>) {
    write(&block, y, of_one_kernel(&block) + of_two_kernels(&block));
}
// ptx-module-not: panic

#[kernel(block(128))]
fn smaller(block: Block, y: DisjointSlice<u32, PerBlock>) {
    let value = of_two_kernels(&block) + of_a_large_one_too(&block);
    write(&block, y, value);
}
// ptx-module: panic

#[kernel(block(512))]
fn larger(block: Block, y: DisjointSlice<u32, PerBlock>) {
    write(&block, y, of_a_large_one_too(&block));
}
// ptx-module: panic

#[test]
fn functions_know_the_block() {
    warploom_harness::ptx_file!("block_size_in_functions.rs");
}
