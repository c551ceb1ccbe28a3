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

#[test]
fn a_box_that_begins_within_16_bytes_is_refused() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed::<u32>(64 * 8).unwrap();
    let map = TensorMapMut::builder(y.as_slice_mut(), [64, 8]).block([32, 8]);
    let mut map = map.swizzle(Swizzle::B128).build().unwrap();
    let launched = store_at::launch(&stream, (1, 32), [3, 0], &mut map);
    let error = launched.map_err(warploom::Error::from);
    let error = error.and_then(|()| Ok(stream.synchronize()?)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("begins at coordinate 3 along its first dimension, of elements of 4 bytes: the coordinate is a multiple of 4"),
        "{text}"
    );
}
