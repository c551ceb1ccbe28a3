//! Turns between two APIs, and what is refused, on the emulator.

use std::error::Error as _;
use std::os::fd::OwnedFd;

use super::{
    Acquired, ExternalError, ExternalPlace, Handover, HostMemory, HostSemaphore, HostTimeline,
    Released, SemaphoreKind, Turn,
};
use crate::{ArrayShape, Device, DeviceBuffer, Graph, Stream};

/// What the other API made: memory and a timeline.
struct Other {
    memory: HostMemory,
    semaphore: HostSemaphore,
}

impl Other {
    fn new(bytes: usize) -> Other {
        Other {
            memory: HostMemory::new(bytes).unwrap(),
            semaphore: HostSemaphore::new().unwrap(),
        }
    }

    fn fd(&self) -> OwnedFd {
        self.memory.fd().unwrap()
    }

    fn place(&self) -> ExternalPlace {
        ExternalPlace::new(self.memory.bytes() as u64)
    }

    fn handover(&self, device: &Device) -> Handover {
        Handover::timeline(import(device, &self.semaphore, SemaphoreKind::Timeline), 0)
    }

    /// A buffer in all of the memory.
    fn buffer(&self, device: &Device) -> Released<DeviceBuffer<u32>> {
        let (len, handover) = (self.memory.bytes() / 4, self.handover(device));
        // SAFETY: the tests keep to the turns.
        unsafe { device.import_buffer(self.fd(), self.place(), len, handover) }.unwrap()
    }

    /// An element, in the other API's turn.
    fn read(&self, at: usize) -> u32 {
        // SAFETY: within the memory; nothing else uses it meanwhile.
        unsafe { self.memory.start().cast::<u32>().wrapping_add(at).read() }
    }

    fn write(&self, at: usize, value: u32) {
        // SAFETY: as above.
        unsafe {
            self.memory
                .start()
                .cast::<u32>()
                .wrapping_add(at)
                .write(value)
        }
    }
}

fn import(
    device: &Device,
    semaphore: &HostSemaphore,
    kind: SemaphoreKind,
) -> super::ExternalSemaphore {
    // SAFETY: a semaphore of the emulator.
    unsafe { device.import_semaphore(semaphore.fd().unwrap(), kind) }.unwrap()
}

fn emulator() -> (Device, Stream) {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    (device, stream)
}

//@ rows: GGX-1, GGX-2
#[test]
fn both_sides_see_what_the_other_wrote() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let other = Other::new(16);
    let mut shared = other.buffer(&device);
    assert_eq!(
        shared.turn(),
        Turn {
            wait: None,
            signal: 0
        }
    );
    for frame in 0..4 {
        let mut ours = shared.acquire(&stream).unwrap();
        let sum = ours.to_vec(&stream).unwrap()[3] + 1;
        ours.as_slice_mut().copy_from(0, &[sum], &stream).unwrap();
        shared = ours.release(&stream).unwrap();
        let turn = shared.turn();
        assert_eq!(
            (turn.wait, turn.signal),
            (Some(2 * frame + 1), 2 * frame + 2)
        );
        assert_eq!(Some(other.semaphore.value()), turn.wait);
        other.write(3, other.read(0) * 10);
        other.semaphore.signal(turn.signal).unwrap();
    }
    assert_eq!((other.read(0), other.read(3)), (1111, 11_110));
}

#[test]
fn binary_semaphores_are_signalled_and_taken_in_turn() {
    let (device, stream) = emulator();
    let other = Other::new(8);
    let [done, ready] = [(); 2].map(|()| HostSemaphore::new().unwrap());
    let kind = SemaphoreKind::Binary;
    let handover = Handover::binary(import(&device, &done, kind), import(&device, &ready, kind));
    // SAFETY: the test keeps to the turns.
    let shared = unsafe { device.import_buffer::<u32>(other.fd(), other.place(), 2, handover) };
    let refused = shared.unwrap().acquire(&stream).unwrap_err();
    assert!(matches!(
        refused.error,
        ExternalError::NotSignalled {
            found: 0,
            wanted: 1
        }
    ));
    let mut shared = refused.resource;
    for frame in 0..3 {
        let wait = (frame > 0).then_some(1);
        assert_eq!(shared.turn(), Turn { wait, signal: 1 });
        if wait.is_some() {
            ready.take().unwrap();
        }
        done.signal(1).unwrap();
        let ours = shared.acquire(&stream).unwrap();
        assert_eq!((done.value(), ready.value()), (0, 0));
        shared = ours.release(&stream).unwrap();
        assert_eq!((done.value(), ready.value()), (0, 1));
    }
}

//@ rows: GGX-1, GGX-5
#[test]
fn a_resource_that_the_other_api_still_has_is_refused_and_kept() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let other = Other::new(16);
    let ours = other.buffer(&device).acquire(&stream).unwrap();
    let refused = ours.release(&stream).unwrap().acquire(&stream).unwrap_err();
    assert!(matches!(
        refused.error,
        ExternalError::NotSignalled {
            found: 1,
            wanted: 2
        }
    ));
    assert!(refused.source().is_some());
    other.semaphore.signal(2).unwrap();
    let ours = refused.resource.acquire(&stream).unwrap();
    assert_eq!(ours.len(), 4);
}

#[test]
fn places_are_checked_before_anything_is_imported() {
    let (device, _) = emulator();
    let other = Other::new(64);
    let import = |place: ExternalPlace, len| {
        // SAFETY: refused.
        unsafe { device.import_buffer::<u32>(other.fd(), place, len, other.handover(&device)) }
            .unwrap_err()
    };
    let whole = other.place();
    assert!(matches!(
        import(whole.offset(32), 9),
        ExternalError::OutOfRange {
            offset: 32,
            bytes: 36,
            allocation_bytes: 64
        }
    ));
    for (offset, len) in [
        (u64::MAX - 3, 1),
        (64, 1),
        (0, usize::MAX),
        (0, usize::MAX / 4),
    ] {
        let error = import(whole.offset(offset), len);
        assert!(matches!(error, ExternalError::OutOfRange { .. }), "{error}");
    }
    assert!(matches!(
        import(whole.offset(2), 1),
        ExternalError::Misaligned {
            offset: 2,
            align: 4,
            element: "u32"
        }
    ));
    assert!(matches!(import(whole, 0), ExternalError::Empty));
    assert!(matches!(
        import(whole.offset(4).dedicated(), 1),
        ExternalError::DedicatedOffset { offset: 4 }
    ));
    assert!(matches!(
        import(ExternalPlace::new(65), 1),
        ExternalError::FileTooShort {
            found: 64,
            wanted: 65
        }
    ));
}

#[test]
fn semaphores_of_the_wrong_kind_or_device_are_refused() {
    let ((device, stream), (elsewhere, other_stream)) = (emulator(), emulator());
    let other = Other::new(16);
    let import_with = |handover| {
        // SAFETY: refused.
        unsafe { device.import_buffer::<u32>(other.fd(), other.place(), 4, handover) }.unwrap_err()
    };
    let binary = import(&device, &other.semaphore, SemaphoreKind::Binary);
    assert!(matches!(
        import_with(Handover::timeline(binary, 0)),
        ExternalError::SemaphoreKind {
            wanted: SemaphoreKind::Timeline,
            found: SemaphoreKind::Binary
        }
    ));
    let timeline = || import(&device, &other.semaphore, SemaphoreKind::Timeline);
    assert!(matches!(
        import_with(Handover::binary(timeline(), timeline())),
        ExternalError::SemaphoreKind { .. }
    ));
    assert!(matches!(
        import_with(other.handover(&elsewhere)),
        ExternalError::WrongDevice {
            what: "semaphore",
            ..
        }
    ));
    let wrong = timeline().signal(1, &other_stream).unwrap_err();
    assert!(matches!(
        wrong,
        ExternalError::WrongDevice { what: "stream", .. }
    ));
    let refused = other.buffer(&device).acquire(&other_stream).unwrap_err();
    assert!(matches!(refused.error, ExternalError::WrongDevice { .. }));
    let ours: Acquired<_> = refused.resource.acquire(&stream).unwrap();
    let refused = ours.release(&other_stream).unwrap_err();
    assert!(matches!(refused.error, ExternalError::WrongDevice { .. }));
}

#[test]
fn a_buffer_that_a_graph_has_is_not_released() {
    let (device, stream) = emulator();
    let other = Other::new(16);
    let mut ours = other.buffer(&device).acquire(&stream).unwrap();
    let graph = Graph::capture(&device, |s| ours.as_slice_mut().fill(7, s)).unwrap();
    let refused = ours.release(&stream).unwrap_err();
    assert!(matches!(refused.error, ExternalError::InGraph));
    drop(graph);
    let theirs = refused.resource.release(&stream).unwrap();
    assert_eq!(theirs.turn().signal, 2);
}

#[test]
fn graphs_have_no_hand_overs() {
    let (device, stream) = emulator();
    let other = Other::new(16);
    let mut ours = Some(other.buffer(&device).acquire(&stream).unwrap());
    let error = Graph::capture(&device, |s| {
        let ours = ours.take().unwrap().release(s)?;
        drop(ours);
        Ok::<(), crate::Error>(())
    });
    let text = error.unwrap_err().to_string();
    assert!(text.contains("cannot give memory to another API"), "{text}");
}

#[test]
fn the_memory_outlives_the_other_apis_hold_on_it() {
    let (device, stream) = emulator();
    let other = Other::new(16);
    let shared = other.buffer(&device);
    drop(other);
    let mut ours = shared.acquire(&stream).unwrap();
    ours.as_slice_mut().fill(3, &stream).unwrap();
    assert_eq!(ours.to_vec(&stream).unwrap(), [3; 4]);
}

#[test]
fn exported_memory_is_imported_again() {
    let (device, stream) = emulator();
    let (here, there) = (HostSemaphore::new().unwrap(), HostSemaphore::new().unwrap());
    let handover =
        |semaphore| Handover::timeline(import(&device, semaphore, SemaphoreKind::Timeline), 0);
    // SAFETY: the two sides use the memory one after the other.
    let (ours, exported) = unsafe { device.export_buffer::<u32>(4, handover(&here)) }.unwrap();
    let place = ExternalPlace::new(exported.allocation_bytes);
    let mut ours = ours.acquire(&stream).unwrap();
    ours.as_slice_mut().fill(9, &stream).unwrap();
    let ours = ours.release(&stream).unwrap();
    // SAFETY: as above.
    let theirs =
        unsafe { device.import_buffer::<u32>(exported.fd, place, 4, handover(&there)) }.unwrap();
    assert_eq!(
        theirs.acquire(&stream).unwrap().to_vec(&stream).unwrap(),
        [9; 4]
    );
    drop(ours);
    // SAFETY: refused.
    let empty = unsafe { device.export_buffer::<u32>(0, handover(&here)) }.unwrap_err();
    assert!(matches!(empty, ExternalError::Empty));
}

//@ rows: GGX-2
#[test]
fn levels_of_an_image_lie_behind_each_other() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let other = Other::new(128);
    let shape = ArrayShape::from((4, 2)).with_surface();
    let import_array = |place, levels| {
        let handover = other.handover(&device);
        // SAFETY: the test keeps to the turns.
        unsafe { device.import_mipmapped_array::<u32>(other.fd(), place, shape, levels, handover) }
    };
    let error = import_array(other.place().offset(96), 3).unwrap_err();
    assert!(matches!(error, ExternalError::OutOfRange { bytes: 44, .. }));
    assert!(matches!(
        import_array(other.place(), 4).unwrap_err(),
        ExternalError::Memory(_)
    ));
    let array = import_array(other.place().offset(16), 3).unwrap();
    let mut array = array.acquire(&stream).unwrap();
    for (mut level, (value, len)) in array.levels_mut().into_iter().zip([(1, 8), (2, 2), (3, 1)]) {
        let elements = vec![value; len];
        level.as_slice_mut().copy_from(&elements, &stream).unwrap();
    }
    drop(array.release(&stream).unwrap());
    let found: Vec<u32> = (4..15).map(|at| other.read(at)).collect();
    assert_eq!(found, [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3]);
}

#[test]
fn timelines_of_the_host_are_for_the_emulator() {
    struct Counts;
    impl HostTimeline for Counts {
        fn wait(&self, value: u64) -> Result<(), ExternalError> {
            Err(ExternalError::NotSignalled {
                found: 0,
                wanted: value,
            })
        }
        fn signal(&self, _value: u64) -> Result<(), ExternalError> {
            Ok(())
        }
    }
    let (device, stream) = emulator();
    // SAFETY: nothing is shared.
    let semaphore = unsafe { super::ExternalSemaphore::of_host(&device, Counts) }.unwrap();
    semaphore.signal(1, &stream).unwrap();
    let error = semaphore.wait(5, &stream).unwrap_err();
    assert!(matches!(
        error,
        ExternalError::NotSignalled { wanted: 5, .. }
    ));
}

#[test]
fn a_file_that_can_become_shorter_is_no_semaphore() {
    let (device, _) = emulator();
    let path = std::env::temp_dir().join(format!("warploom-semaphore-{}", std::process::id()));
    std::fs::write(&path, [0; 8]).unwrap();
    let file = std::fs::File::options()
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    // SAFETY: refused.
    let error = unsafe { device.import_semaphore(file.into(), SemaphoreKind::Timeline) };
    let text = error.unwrap_err().to_string();
    assert!(text.contains("can become shorter"), "{text}");
}

#[test]
fn a_semaphore_cannot_become_shorter() {
    let semaphore = HostSemaphore::new().unwrap();
    let file = std::fs::File::from(semaphore.fd().unwrap());
    assert!(file.set_len(0).is_err());
    semaphore.signal(1).unwrap();
    assert_eq!(semaphore.value(), 1);
}

#[test]
fn a_timeline_ends() {
    let (device, stream) = emulator();
    let other = Other::new(16);
    other.semaphore.signal(u64::MAX - 1).unwrap();
    let semaphore = import(&device, &other.semaphore, SemaphoreKind::Timeline);
    let handover = Handover::timeline(semaphore, u64::MAX - 1);
    // SAFETY: the test keeps to the turns.
    let shared = unsafe { device.import_buffer::<u32>(other.fd(), other.place(), 4, handover) };
    let ours = shared.unwrap().acquire(&stream).unwrap();
    let refused = ours.release(&stream).unwrap_err();
    assert!(matches!(refused.error, ExternalError::TimelineEnds));
}
