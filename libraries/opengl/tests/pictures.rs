//! What OpenGL draws is what kernels computed.

use warploom_gl_tests::heat::Heat;
use warploom_gl_tests::wave::Wave;
use warploom_scenes::{heat, wave};

use crate::{assert_silent, opengl};

const EXTENT: [usize; 2] = [48, 40];

#[test]
fn vertices_of_a_kernel_are_drawn() {
    let Some(opengl) = opengl() else { return };
    let stream = opengl.cuda().stream().unwrap();
    let mut sheet = Wave::new(&opengl, EXTENT, [320, 240]).unwrap();
    for t in [0.0, 0.4, 0.8] {
        sheet.frame(t, &stream).unwrap();
    }
    let picture = sheet.picture().unwrap();
    drop(sheet);
    let [seen, all] = wave::vertices_drawn(&picture, EXTENT, 0.8);
    assert!(all > 1000, "{all} vertices are in the picture");
    assert!(f64::from(seen) / f64::from(all) > 0.99, "{seen} of {all}");
    assert_silent(&opengl);
}

#[test]
fn every_pixel_has_the_temperature_of_its_place() {
    let Some(opengl) = opengl() else { return };
    let stream = opengl.cuda().stream().unwrap();
    let mut plate = Heat::new(&opengl, [64, 48]).unwrap();
    for _ in 0..3 {
        plate.frame(2, &stream).unwrap();
    }
    let picture = plate.picture().unwrap();
    drop(plate);
    let differing = heat::pixels_that_differ(&picture, &heat::after(6, [64, 48]));
    assert_eq!(differing, 0);
    assert_silent(&opengl);
}
