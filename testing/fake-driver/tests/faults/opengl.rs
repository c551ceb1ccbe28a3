//! Objects of OpenGL while work is in flight, and what is too short. The name of a buffer of the fake's is its bytes.

use warploom_fake_driver::testing::{Fake, assert_passed, is_child, run_child};
use warploom_runtime::interop::graphics::{GraphicsError, ReadWrite, Registered};
use warploom_runtime::{Device, DeviceBuffer, Graph};

/// The fake in a child process; in the parent it starts that one and gives nothing.
fn fake(test: &str, options: &str) -> Option<Fake> {
    if is_child() {
        return Some(Fake::loaded().unwrap());
    }
    assert_passed(&run_child(&format!("opengl::{test}"), options, &[]).unwrap());
    None
}

/// A buffer of 64 bytes, of which this many elements are used.
fn buffer(device: &Device, len: usize) -> Registered<DeviceBuffer<f32>> {
    // SAFETY: the fake has no OpenGL, and so no context that must be current.
    unsafe { device.register_gl_buffer(64, len, ReadWrite) }.unwrap()
}

#[test]
fn a_frame_does_not_wait_on_the_host() {
    let Some(fake) = fake("a_frame_does_not_wait_on_the_host", "queued=1") else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let mut shared = buffer(&device, 16);
    fake.start_log();
    for _ in 0..3 {
        let mut ours = shared.map(&one).unwrap();
        ours.as_slice_mut().fill(1.0, &two).unwrap();
        shared = ours.unmap(&one).unwrap();
    }
    let log = fake.log();
    let calls = |name| log.iter().filter(|called| *called == name).count();
    assert_eq!(calls("cuGraphicsMapResources"), 3);
    assert_eq!(calls("cuGraphicsUnmapResources"), 3);
    assert_eq!(calls("cuStreamSynchronize"), 0, "{log:?}");
    // Each side waits for the other stream: `two` for the mapping, `one` for the work.
    assert!(calls("cuStreamWaitEvent") >= 6, "{log:?}");
    drop(shared);
    drop((one, two, device));
    assert_eq!((fake.live(), fake.complaints()), (vec![], vec![]));
}

#[test]
fn what_is_dropped_while_it_is_mapped_waits_for_its_work() {
    let test = "what_is_dropped_while_it_is_mapped_waits_for_its_work";
    let Some(fake) = fake(test, "queued=1") else {
        return;
    };
    let device = Device::cuda(0).unwrap();
    let (one, two) = (device.stream().unwrap(), device.stream().unwrap());
    let mut ours = buffer(&device, 16).map(&one).unwrap();
    ours.as_slice_mut().fill(1.0, &two).unwrap();
    drop(ours);
    drop((one, two, device));
    assert_eq!((fake.live(), fake.complaints()), (vec![], vec![]));
}

#[test]
fn what_a_graph_has_stays_mapped_when_it_is_dropped() {
    let test = "what_a_graph_has_stays_mapped_when_it_is_dropped";
    let Some(fake) = fake(test, "") else { return };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let mut ours = buffer(&device, 16).map(&stream).unwrap();
    let graph = Graph::capture(&device, |s| ours.as_slice_mut().fill(7.0, s)).unwrap();
    let graph = graph.instantiate().unwrap();
    let refused = ours.unmap(&stream).unwrap_err();
    assert!(matches!(refused.error, GraphicsError::InGraph));
    drop(refused);
    graph.launch(&stream).unwrap();
    stream.synchronize().unwrap();
    drop(graph);
    assert_eq!(fake.count("graphics resources"), 1);
    assert_eq!(fake.complaints(), Vec::<String>::new());
}

#[test]
fn a_buffer_that_is_too_short_is_refused_when_it_is_mapped() {
    let test = "a_buffer_that_is_too_short_is_refused_when_it_is_mapped";
    let Some(fake) = fake(test, "") else { return };
    let device = Device::cuda(0).unwrap();
    let stream = device.stream().unwrap();
    let refused = buffer(&device, 17).map(&stream).unwrap_err();
    let (found, wanted) = match refused.error {
        GraphicsError::TooShort { found, wanted } => (found, wanted),
        other => panic!("{other}"),
    };
    assert_eq!((found, wanted), (64, 68));
    drop(refused.resource);
    // SAFETY: as in `buffer`.
    let no_name = unsafe { device.register_gl_buffer::<f32, _>(0, 16, ReadWrite) };
    assert!(matches!(no_name.unwrap_err(), GraphicsError::NoName));
    drop((stream, device));
    assert_eq!((fake.live(), fake.complaints()), (vec![], vec![]));
}
