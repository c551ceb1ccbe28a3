//! What Vulkan draws is what kernels computed.

use warploom_scenes::{heat, wave};
use warploom_vulkan_tests::heat::Heat;
use warploom_vulkan_tests::wave::{MemoryOf, Wave};

use crate::{assert_silent, vulkan};

const EXTENT: [usize; 2] = [48, 40];

#[track_caller]
fn vertices_are_drawn(memory: MemoryOf) {
    let Some(vulkan) = vulkan() else { return };
    let stream = vulkan.cuda().stream().unwrap();
    let mut sheet = Wave::new(&vulkan, memory, EXTENT, [320, 240]).unwrap();
    for t in [0.0, 0.4, 0.8] {
        sheet.frame(t, &stream).unwrap();
    }
    let picture = sheet.picture().unwrap();
    drop(sheet);
    let [seen, all] = wave::vertices_drawn(&picture, EXTENT, 0.8);
    assert!(all > 1000, "{all} vertices are in the picture");
    assert!(f64::from(seen) / f64::from(all) > 0.99, "{seen} of {all}");
    assert_silent(&vulkan);
}

#[test]
fn vertices_of_a_kernel_are_drawn() {
    vertices_are_drawn(MemoryOf::Vulkan);
}

#[test]
fn vertices_in_memory_of_cuda_are_drawn() {
    vertices_are_drawn(MemoryOf::Cuda);
}

#[test]
fn every_pixel_has_the_temperature_of_its_place() {
    let Some(vulkan) = vulkan() else { return };
    let stream = vulkan.cuda().stream().unwrap();
    let mut plate = Heat::new(&vulkan, [64, 48]).unwrap();
    for _ in 0..3 {
        plate.frame(2, &stream).unwrap();
    }
    let picture = plate.picture().unwrap();
    drop(plate);
    let differing = heat::pixels_that_differ(&picture, &heat::after(6, [64, 48]));
    assert_eq!(differing, 0);
    assert_silent(&vulkan);
}
