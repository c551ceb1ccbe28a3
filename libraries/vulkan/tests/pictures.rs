//! What Vulkan draws is what kernels computed.

use warploom_vulkan_tests::heat::{self, Heat};
use warploom_vulkan_tests::wave::{MemoryOf, Wave, pixel_of, vertex_at};

use crate::{assert_silent, vulkan};

const EXTENT: [usize; 2] = [48, 40];
const PICTURE: [u32; 2] = [320, 240];

/// The share of vertices in whose pixel, or one beside it, the picture has something other than the background.
fn vertices_seen(memory: MemoryOf) -> Option<f64> {
    let vulkan = vulkan()?;
    let stream = vulkan.cuda().stream().unwrap();
    let mut wave = Wave::new(&vulkan, memory, EXTENT, PICTURE).unwrap();
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
        let pixels = near.map(|(x, y)| picture.pixels[(y * PICTURE[0] + x) as usize]);
        seen += u32::from({ pixels }.any(|pixel| pixel != background));
        all += 1;
    }
    drop(wave);
    assert!(all > 1000, "{all} vertices are in the picture");
    assert_silent(&vulkan);
    Some(f64::from(seen) / f64::from(all))
}

#[test]
fn vertices_of_a_kernel_are_drawn() {
    if let Some(seen) = vertices_seen(MemoryOf::Vulkan) {
        assert!(seen > 0.99, "{seen}");
    }
}

#[test]
fn vertices_in_memory_of_cuda_are_drawn() {
    if let Some(seen) = vertices_seen(MemoryOf::Cuda) {
        assert!(seen > 0.99, "{seen}");
    }
}

#[test]
fn every_pixel_has_the_temperature_of_its_place() {
    let Some(vulkan) = vulkan() else { return };
    let stream = vulkan.cuda().stream().unwrap();
    let extent = [64, 48];
    let mut plate = Heat::new(&vulkan, [64, 48]).unwrap();
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
    let byte = |x: f32| (x * 255.0).round() as i32;
    let colour = |t: f32| [t, 1.0 - (2.0 * t - 1.0).abs(), 1.0 - t].map(byte);
    let differs = |(pixel, t): (&[u8; 4], &f32)| {
        let wanted = colour(*t);
        (0..3).any(|i| (i32::from(pixel[i]) - wanted[i]).abs() > 1)
    };
    let wrong = picture
        .pixels
        .iter()
        .zip(&field)
        .filter(|both| differs(*both));
    assert_eq!(wrong.count(), 0);
    assert_silent(&vulkan);
}
