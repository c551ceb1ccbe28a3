//! Copies by all threads of a block.

use warploom::device_std::memory::copy_block;
use warploom::prelude::*;
use warploom_harness::device_test::check;

/// Through shared memory and back; `shift` spoils the alignment.
#[kernel]
fn through<T: Plain>(block: Block, x: &[T], mut y: DisjointSlice<T>, shift: u32, n: u32) {
    let tile = shared_array!(T, 500);
    let (shift, n) = (shift as usize, n as usize);
    let at = block.index() * n;
    // SAFETY: within the array.
    let middle = unsafe { tile.as_ptr().add(shift) };
    // SAFETY: within the buffer.
    let from = unsafe { x.as_ptr().add(at) };
    // SAFETY: within the buffer.
    let to = unsafe { y.raw().add(at) };
    // SAFETY: each block has a part of its own of array and buffers; a barrier follows.
    unsafe { copy_block(block, from, middle, n) };
    block.sync();
    // SAFETY: as above; the kernel ends behind it.
    unsafe { copy_block(block, middle, to, n) };
}

#[track_caller]
fn goes_through<T: Plain + PartialEq + std::fmt::Debug>(value: impl Fn(usize) -> T) {
    for (shift, n) in [(0, 480), (0, 333), (1, 333), (3, 7), (0, 1), (0, 0)] {
        let x: Vec<T> = (0..3 * n).map(&value).collect();
        check(&x, |device, stream| {
            if n == 0 {
                return Ok(vec![]);
            }
            let (source, mut y) = (
                device.upload(&x)?,
                device.upload(&vec![value(7777); 3 * n])?,
            );
            through::<T>::launch(stream, (3, 70), &source, &mut y, shift, n as u32)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

//@ rows: MEM-copy
#[test]
fn all_sizes_and_alignments_go_through() {
    goes_through(|i| i as u8);
    goes_through(|i| i as u16 ^ 0x5a5a);
    goes_through(|i| i as f32 * 0.5);
    goes_through(|i| (i as u64) << 35 | 3);
    goes_through(|i| [i as u32, 1, !i as u32]);
    goes_through(|i| [i as f64, 1.0]);
}
