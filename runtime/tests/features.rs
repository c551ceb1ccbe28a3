//! What the features `bytemuck` and `ndarray` add. The tests of this package always have them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use bytemuck::{TransparentWrapper, Zeroable};
use ndarray::{Array, Array2, Array3, ArrayD, Axis, Ix0, array, s};
use warploom_runtime::interop::Pod;
use warploom_runtime::{Device, InteropError, MemoryError, Result, plain_by_pod};

/// As another crate would have it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

// SAFETY: zeros are numbers.
unsafe impl Zeroable for Complex {}
// SAFETY: two numbers without padding.
unsafe impl bytemuck::Pod for Complex {}

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Vertex {
    place: [f32; 3],
    colour: u32,
}

// SAFETY: zeros are numbers.
unsafe impl Zeroable for Vertex {}
// SAFETY: numbers without padding.
unsafe impl bytemuck::Pod for Vertex {}

plain_by_pod!(Vertex);

fn refusal<T>(outcome: Result<T, InteropError>) -> InteropError {
    outcome.err().unwrap()
}

#[test]
fn elements_of_others_go_there_and_back() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let z = [(1.0, 2.0), (3.0, 4.0)].map(|(re, im)| Complex { re, im });
    let mut x = device.upload(Pod::wrap_slice(&z))?;
    x.copy_from(0, &[Pod(z[1])], &stream)?;
    assert_eq!(Pod::peel_slice(&x.to_vec(&stream)?), [z[1], z[1]]);
    Ok(())
}

#[test]
fn own_elements_need_no_wrapper() -> Result<()> {
    let device = Device::emulator();
    let place = [1.0, 2.0, 3.0];
    let vertices = [Vertex { place, colour: 7 }; 3];
    let x = device.upload(&vertices)?;
    assert_eq!(x.to_vec(&device.stream()?)?, vertices);
    Ok(())
}

#[test]
fn an_array_goes_there_and_back() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let cube: Array3<i32> =
        Array::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    let x = device.upload_array(&cube)?;
    assert_eq!(x.to_vec(&stream)?[..5], [0, 1, 2, 3, 10]);
    assert_eq!(x.to_array((2, 3, 4), &stream)?, cube);
    let dynamic: ArrayD<i32> = x.to_array(vec![6, 4], &stream)?;
    assert_eq!(dynamic[[5, 3]], 123);
    Ok(())
}

#[test]
fn a_view_of_whole_rows_is_an_array() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let table = Array2::from_shape_fn((4, 3), |(i, j)| (10 * i + j) as u8);
    let x = device.upload_array(&table.slice(s![1..3, ..]))?;
    assert_eq!(
        x.to_array((2, 3), &stream)?,
        array![[10, 11, 12], [20, 21, 22]]
    );
    Ok(())
}

#[test]
fn a_view_with_gaps_or_columns_first_is_refused() {
    let device = Device::emulator();
    let table = Array2::<f64>::zeros((4, 3));
    for (view, strides) in [(table.slice(s![.., 1..]), "[3, 1]"), (table.t(), "[1, 3]")] {
        let error = refusal(device.upload_array(&view));
        assert!(
            matches!(error, InteropError::NotContiguous { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(strides), "{error}");
    }
}

#[test]
fn an_array_is_copied_into_a_buffer() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = device.zeroed::<u16>(6)?;
    x.copy_from_array(1, &array![[1, 2], [3, 4]], &stream)?;
    assert_eq!(x.to_vec(&stream)?, [0, 1, 2, 3, 4, 0]);
    assert_eq!(
        x.slice(1..5)?.to_array((2, 2), &stream)?,
        array![[1, 2], [3, 4]]
    );
    Ok(())
}

#[test]
fn an_array_that_does_not_fit_is_refused() -> Result<()> {
    let device = Device::emulator();
    let mut x = device.zeroed::<u16>(3)?;
    let error = refusal(x.copy_from_array(0, &array![1, 2, 3, 4], &device.stream()?));
    let right = matches!(
        error,
        InteropError::Memory(MemoryError::CopyOutOfRange {
            given: 4,
            at: 0,
            len: 3
        })
    );
    assert!(right, "{error}");
    Ok(())
}

#[test]
fn a_shape_of_another_length_is_refused() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.zeroed::<u8>(7)?;
    for shape in [[2, 3], [usize::MAX, 2], [0, 0]] {
        let error = refusal(x.to_array(shape, &stream));
        assert!(
            matches!(error, InteropError::WrongShape { len: 7, .. }),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn empty_and_single_elements_are_arrays() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let none = device.upload_array(&Array2::<f32>::zeros((3, 0)))?;
    assert_eq!(none.to_array((3, 0), &stream)?.len_of(Axis(0)), 3);
    let one = device.upload_array(&Array::<_, Ix0>::from_elem((), 2.5f32))?;
    assert_eq!(one.to_array((), &stream)?.into_scalar(), 2.5);
    Ok(())
}
