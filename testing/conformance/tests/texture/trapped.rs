//! An access outside of a surface in the mode that ends the launch. On the emulator alone: no other launch of the process would run on a GPU.

use warploom::ArrayShape;
use warploom::device_std::surface::{ReadOnly, Surface2d};
use warploom::prelude::*;

#[kernel]
fn read(i: Index1D, x: Surface2d<u32, ReadOnly>, column: i32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = x.read_trapping(column, 0);
    }
}

#[test]
fn a_trapping_read_outside_is_an_error() {
    let device = Device::emulator();
    let run = |column| -> warploom::Result<Vec<u32>> {
        let stream = device.stream()?;
        let shape = ArrayShape::Plane {
            width: 3,
            height: 2,
        }
        .with_surface();
        let x = device.array_from(shape, &[1, 2, 3, 4, 5, 6])?;
        let mut y = device.zeroed::<u32>(1)?;
        read::launch(&stream, (1, 1), &x.surface()?, column, &mut y)?;
        Ok(y.to_vec(&stream)?)
    };
    assert_eq!(run(2).unwrap(), [3]);
    for column in [3, -1, i32::MAX, i32::MIN] {
        let error = run(column).unwrap_err().to_string();
        assert!(error.contains("surface"), "{error}");
    }
}
