//! Four elements at once.

use warploom::ArrayShape;
use warploom::device_std::texture::Texture2d;
use warploom::prelude::*;
use warploom::texture::Sampler;
use warploom_harness::device_test::check;

/// All channels at one place.
#[kernel]
fn gathered(i: Index1D, image: Texture2d<[u16; 4]>, at: [f32; 2], mut y: DisjointSlice<[u16; 4]>) {
    let [u, v] = at;
    if let Some(y) = y.get_mut(i) {
        *y = match i.get() {
            0 => image.gather::<0>(u, v),
            1 => image.gather::<1>(u, v),
            2 => image.gather::<2>(u, v),
            _ => image.gather::<3>(u, v),
        };
    }
}

#[test]
fn a_gather_goes_round_from_below_left() {
    let element = |x: u16, y: u16| [100 * y + x, 1000 + x, 2000 + y, 3000];
    let given: Vec<_> = (0..5)
        .flat_map(|y| (0..7).map(move |x| element(x, y)))
        .collect();
    // Between the elements 2 and 3 of a row, 1 and 2 of a column.
    let four = [element(2, 2), element(3, 2), element(3, 1), element(2, 1)];
    let expected: Vec<[u16; 4]> = (0..4)
        .map(|channel| four.map(|element| element[channel]))
        .collect();
    check(&expected, |device, stream| {
        let shape = ArrayShape::Plane {
            width: 7,
            height: 5,
        };
        let image = device.array_from(shape.with_gather(), &given)?;
        let mut y = device.zeroed::<[u16; 4]>(4)?;
        gathered::launch(
            stream,
            (1, 4),
            &image.texture(Sampler::new())?,
            [3.1, 2.2],
            &mut y,
        )?;
        Ok(y.to_vec(stream)?)
    });
}
