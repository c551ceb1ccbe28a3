//! What OpenGL draws is what kernels computed.

use warploom_gl_tests::heat::{self, Heat};
use warploom_gl_tests::wave::{Wave, pixel_of, vertex_at};

use crate::{assert_silent, opengl};

const EXTENT: [usize; 2] = [48, 40];
const PICTURE: [u32; 2] = [320, 240];

#[test]
fn vertices_of_a_kernel_are_drawn() {
    let Some(opengl) = opengl() else { return };
    let stream = opengl.cuda().stream().unwrap();
    let mut wave = Wave::new(&opengl, EXTENT, PICTURE).unwrap();
    for t in [0.0, 0.4, 0.8] {
        wave.frame(t, &stream).unwrap();
    }
    let picture = wave.picture().unwrap();
    let background = [13, 13, 26, 255];
    let (mut seen, mut all) = (0u32, 0u32);
    for i in 0..EXTENT[0] * EXTENT[1] {
        let vertex = vertex_at(i % EXTENT[0], i / EXTENT[0], EXTENT, 0.8);
        let [x, y] = pixel_of(vertex.place, PICTURE);
        if !(1..PICTURE[0] - 1).contains(&x) || !(1..PICTURE[1] - 1).contains(&y) {
            continue;
        }
        let near = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| (x, y)));
        let mut pixels = near.map(|(x, y)| picture.pixels[(y * PICTURE[0] + x) as usize]);
        seen += u32::from(pixels.any(|pixel| pixel != background));
        all += 1;
    }
    drop(wave);
    assert!(all > 1000, "{all} vertices are in the picture");
    assert!(f64::from(seen) / f64::from(all) > 0.99, "{seen} of {all}");
    assert_silent(&opengl);
}

#[test]
fn every_pixel_has_the_temperature_of_its_place() {
    let Some(opengl) = opengl() else { return };
    let stream = opengl.cuda().stream().unwrap();
    let extent = [64, 48];
    let mut plate = Heat::new(&opengl, [64, 48]).unwrap();
    let mut field = heat::first(extent);
    for _ in 0..3 {
        plate.frame(2, &stream).unwrap();
        for _ in 0..2 {
            let places = 0..extent[0] * extent[1];
            field = places
                .map(|i| heat::next(&field, extent, i % extent[0], i / extent[0]))
                .collect();
        }
    }
    let picture = plate.picture().unwrap();
    drop(plate);
    let differs = |(pixel, t): (&[u8; 4], &f32)| {
        let wanted = heat::colour_of(*t);
        (0..3).any(|i| pixel[i].abs_diff(wanted[i]) > 1)
    };
    let pixels = picture.pixels.iter().zip(&field);
    assert_eq!(pixels.filter(|both| differs(*both)).count(), 0);
    assert_silent(&opengl);
}
