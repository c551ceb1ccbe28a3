//! The same kernels where there is no Vulkan: the test is the other side, in memory of the host. On the emulator, which alone takes such memory.

use warploom::interop::external::{
    ExternalPlace, Handover, HostMemory, HostSemaphore, SemaphoreKind,
};
use warploom::{ArrayShape, Device};
use warploom_scenes::heat::{self, Plate};
use warploom_scenes::wave::{self, Vertex, vertex_at};

const EXTENT: [usize; 2] = [37, 23];

/// A timeline of the test, as the kernels' side has it.
fn handover(device: &Device, semaphore: &HostSemaphore) -> Handover {
    // SAFETY: a semaphore of the emulator; the tests keep to the turns.
    let imported =
        unsafe { device.import_semaphore(semaphore.fd().unwrap(), SemaphoreKind::Timeline) };
    Handover::timeline(imported.unwrap(), 0)
}

/// The host's sine may differ from the device's in the last bits, and so a colour by one.
fn is_near(a: Vertex, b: Vertex) -> bool {
    let near = |at: usize| (a.place[at] - b.place[at]).abs() <= 1e-6;
    let (one, two) = (a.colour.to_le_bytes(), b.colour.to_le_bytes());
    (0..3).all(near) && (0..4).all(|i| one[i].abs_diff(two[i]) <= 1)
}

#[test]
fn vertices_are_where_the_other_side_reads_them() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let (len, semaphore) = (EXTENT[0] * EXTENT[1], HostSemaphore::new().unwrap());
    let memory = HostMemory::new(len * size_of::<Vertex>()).unwrap();
    let place = ExternalPlace::new(memory.bytes() as u64);
    let turns = handover(&device, &semaphore);
    // SAFETY: the test reads the memory in its turns alone.
    let shared = unsafe { device.import_buffer(memory.fd().unwrap(), place, len, turns) };
    let mut shared = shared.unwrap();
    for t in [0.0, 0.3, 0.6] {
        let mut sheet = shared.acquire(&stream).unwrap();
        wave::compute(sheet.as_slice_mut(), EXTENT, t, &stream).unwrap();
        shared = sheet.release(&stream).unwrap();
        // SAFETY: it is the test's turn; the memory holds so many vertices.
        let found = unsafe { std::slice::from_raw_parts(memory.start().cast::<Vertex>(), len) };
        let wanted = (0..len).map(|i| vertex_at(i % EXTENT[0], i / EXTENT[0], EXTENT, t));
        let far = found.iter().zip(wanted).filter(|(a, b)| !is_near(**a, *b));
        assert_eq!(far.count(), 0, "at {t}");
        semaphore.signal(shared.turn().signal).unwrap();
    }
}

#[test]
fn temperatures_are_in_the_image_of_the_other_side() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let (len, semaphore) = (EXTENT[0] * EXTENT[1], HostSemaphore::new().unwrap());
    let memory = HostMemory::new(len * 4).unwrap();
    let place = ExternalPlace::new(memory.bytes() as u64);
    let turns = handover(&device, &semaphore);
    let shape = ArrayShape::Plane {
        width: EXTENT[0],
        height: EXTENT[1],
    };
    // SAFETY: the test reads the memory in its turn alone.
    let shared = unsafe {
        let fd = memory.fd().unwrap();
        device.import_mipmapped_array::<f32>(fd, place, shape.with_surface(), 1, turns)
    };
    let mut plate = Plate::new(&device, EXTENT).unwrap();
    plate.advance(2, &stream).unwrap();
    let mut image = shared.unwrap().acquire(&stream).unwrap();
    plate
        .write_to(image.level_mut(0).unwrap(), &stream)
        .unwrap();
    let shared = image.release(&stream).unwrap();
    assert_eq!(shared.turn().wait, Some(semaphore.value()));
    // SAFETY: it is the test's turn; the memory holds so many texels.
    let found = unsafe { std::slice::from_raw_parts(memory.start().cast::<f32>(), len) };
    assert_eq!(found, heat::after(2, EXTENT));
}
