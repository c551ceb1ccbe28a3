//! What a GPU answers with an illegal instruction, and the emulator with words.

use warploom::device_std::TensorTarget;
use warploom::prelude::*;
use warploom::{TensorMapMut, tensor::Swizzle};

use super::expected::Kib;

/// Begins a copy to these coordinates, of what has no value.
#[kernel(block(32))]
fn store_at(block: Block, at: [i32; 2], y: TensorTarget<u32, 2>) {
    let tile = shared_array!(Kib, 1);
    if block.thread() == 0 {
        // SAFETY: the emulator refuses it before anything is read.
        unsafe { y.store(tile.as_ptr().cast(), at) };
    }
}

/// What the emulator says of a store to these coordinates.
fn refusal(at: [i32; 2]) -> String {
    let device = Device::emulator();
    let store = || -> warploom::Result<()> {
        let stream = device.stream()?;
        let mut y = device.zeroed::<u32>(64 * 8)?;
        let map = TensorMapMut::builder(y.as_slice_mut(), [64, 8]).block([32, 8]);
        let mut map = map.swizzle(Swizzle::B128).build()?;
        store_at::launch(&stream, (1, 32), at, &mut map)?;
        Ok(stream.synchronize()?)
    };
    store()
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

#[test]
fn a_box_that_begins_within_16_bytes_is_refused() {
    let text = refusal([3, 0]);
    assert!(
        text.contains("begins at coordinate 3 along its first dimension, of elements of 4 bytes: the coordinate is a multiple of 4"),
        "{text}"
    );
}

#[test]
fn a_box_is_not_written_in_front_of_the_tensor() {
    for at in [[-4, 0], [0, -4]] {
        let text = refusal(at);
        assert!(
            text.contains("to coordinate -4 of a tensor: boxes that are written begin at coordinates from 0 on"),
            "{text}"
        );
    }
}
