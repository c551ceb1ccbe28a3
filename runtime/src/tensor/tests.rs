use super::{Fill, Swizzle, TensorMap, TensorMapError, TensorMapMut};
use crate::model::{Emulator, Model};
use crate::{Device, DeviceBuffer};

fn matrix() -> DeviceBuffer<f32> {
    Device::emulator().zeroed::<f32>(64 * 32).unwrap()
}

fn refused<T, const R: usize>(map: Result<TensorMap<'_, T, R>, TensorMapError>) -> String {
    map.unwrap_err().to_string()
}

#[test]
fn the_box_counts_all_its_elements() {
    let x = matrix();
    let map = TensorMap::builder(x.as_slice(), [64, 32]).block([32, 8]);
    let map = map.steps([1, 3]).swizzle(Swizzle::B128).build().unwrap();
    assert_eq!(map.box_bytes(), 32 * 3 * 4);
    assert_eq!(map.shared_bytes(), 32 * 3 * 4);
}

#[test]
fn rows_that_are_shorter_than_a_piece_take_one_each() {
    let x = matrix();
    let map = TensorMap::builder(x.as_slice(), [64, 32]).block([8, 4]);
    let map = map.swizzle(Swizzle::B128).build().unwrap();
    assert_eq!((map.box_bytes(), map.shared_bytes()), (128, 512));
}

#[test]
fn misaligned_memory_is_refused() {
    let x = matrix();
    let part = x.slice(1..).unwrap();
    let text = refused(TensorMap::builder(part, [64]).block([32]).build());
    assert!(
        text.contains("no multiple of 16; begin at another element"),
        "{text}"
    );
}

#[test]
fn dimensions_have_1_to_2_to_the_32_elements() {
    let x = matrix();
    let text = refused(TensorMap::builder(x.as_slice(), [0]).block([32]).build());
    assert!(
        text.contains("dimension 0 of the tensor has 0 elements: 1 to 2^32"),
        "{text}"
    );
    let many = TensorMap::builder(x.as_slice(), [64, (1 << 32) + 1]);
    let text = refused(many.block([32, 1]).build());
    assert!(
        text.contains("dimension 1 of the tensor has 4294967297 elements"),
        "{text}"
    );
}

#[test]
fn strides_are_multiples_of_16_below_2_to_the_40() {
    let x = matrix();
    let strides = |strides| {
        let map = TensorMap::builder(x.as_slice(), [64, 2]).strides(strides);
        refused(map.block([32, 1]).build())
    };
    let text = strides([4, 264]);
    assert!(
        text.contains("dimension 1 is 264 bytes, which is no multiple of 16"),
        "{text}"
    );
    let text = strides([4, 1 << 40]);
    assert!(
        text.contains("is 1099511627776 bytes: 16 to 2^40 - 16 are possible"),
        "{text}"
    );
    let text = strides([4, 0]);
    assert!(text.contains("is 0 bytes: 16 to"), "{text}");
    let text = strides([8, 256]);
    assert!(
        text.contains("stride of dimension 0 is 8 bytes, and its elements have 4"),
        "{text}"
    );
}

#[test]
fn a_dense_tensor_with_odd_rows_is_refused() {
    let x = matrix();
    let text = refused(
        TensorMap::builder(x.as_slice(), [61, 32])
            .block([32, 1])
            .build(),
    );
    assert!(
        text.contains("is 244 bytes, which is no multiple of 16; pad the rows"),
        "{text}"
    );
}

#[test]
fn the_tensor_lies_in_the_memory() {
    let x = matrix();
    let text = refused(
        TensorMap::builder(x.as_slice(), [64, 33])
            .block([32, 1])
            .build(),
    );
    assert!(
        text.contains("reaches over 8448 bytes, and the buffer or view has 8192"),
        "{text}"
    );
    let large = TensorMap::builder(x.as_slice(), [1 << 32; 2]).strides([4, (1 << 40) - 16]);
    let text = refused(large.block([32, 1]).build());
    assert!(
        text.contains("reaches over 18446744073709551615 bytes"),
        "{text}"
    );
}

#[test]
fn boxes_have_1_to_256_elements_along_each_dimension() {
    let x = matrix();
    for given in [0, 257] {
        let map = TensorMap::builder(x.as_slice(), [64, 32]).block([32, given]);
        let text = refused(map.build());
        assert!(
            text.contains(&format!("box has {given} elements: 1 to 256")),
            "{text}"
        );
    }
}

#[test]
fn steps_are_1_to_8() {
    let x = matrix();
    let steps = |steps| {
        let map = TensorMap::builder(x.as_slice(), [64, 32]).block([32, 8]);
        refused(map.steps(steps).build())
    };
    let text = steps([1, 9]);
    assert!(
        text.contains("step along dimension 1 is 9 elements: 1 to 8"),
        "{text}"
    );
    let text = steps([2, 1]);
    assert!(
        text.contains("step along dimension 0 is 2 elements: 1 to 1"),
        "{text}"
    );
}

#[test]
fn rows_of_boxes_are_multiples_of_16_bytes_and_fit_the_swizzle() {
    let x = matrix();
    let map = TensorMap::builder(x.as_slice(), [64, 32]).block([5, 1]);
    let text = refused(map.build());
    assert!(
        text.contains("box has 20 bytes, which is no multiple of 16"),
        "{text}"
    );
    let map = TensorMap::builder(x.as_slice(), [64, 32]).block([32, 1]);
    let text = refused(map.swizzle(Swizzle::B64).build());
    assert!(
        text.contains("permutes pieces of 64; use at most 16 elements"),
        "{text}"
    );
}

#[test]
fn integers_are_filled_with_zeros_alone() {
    let x = Device::emulator().zeroed::<u32>(64).unwrap();
    let map = TensorMap::builder(x.as_slice(), [64]).block([32]);
    let text = refused(map.fill(Fill::Nan).build());
    assert!(
        text.contains("elements of type u32 cannot be filled"),
        "{text}"
    );
}

#[test]
fn devices_before_9_0_have_no_maps() {
    let device = Emulator::new().model(Model::CC_8_0).device();
    let x = device.zeroed::<u32>(64).unwrap();
    let text = refused(TensorMap::builder(x.as_slice(), [64]).block([32]).build());
    assert!(text.contains("has compute capability 8.0"), "{text}");
    assert!(text.contains("need 9.0; copy with the threads"), "{text}");
}

#[test]
fn rows_to_be_written_end_at_16_bytes() {
    let mut x = matrix();
    let odd = |x: &mut DeviceBuffer<f32>, len| {
        let part = x.slice_mut(..len).unwrap();
        let map = TensorMapMut::builder(part, [61, 32]).strides([4, 256]);
        map.block([32, 1]).build().map(|map| map.box_bytes())
    };
    assert_eq!(odd(&mut x, 64 * 32).unwrap(), 128);
    let text = odd(&mut x, 64 * 32 - 3).unwrap_err().to_string();
    assert!(
        text.contains("reaches over 8192 bytes, and the buffer or view has 8180"),
        "{text}"
    );
}
