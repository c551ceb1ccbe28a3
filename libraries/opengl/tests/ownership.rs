//! Who has an object, and what is refused.

use glow::HasContext;
use warploom::interop::graphics::GraphicsError;
use warploom::{ArrayShape, Device, DeviceBuffer, Graph, Stream};
use warploom_gl::{OpenGl, OpenGlError, OpenGlOptions, ReadOnly, ReadWrite, Shared, glow};

use crate::{assert_silent, opengl};

fn buffer(opengl: &OpenGl) -> Shared<DeviceBuffer<u32>> {
    opengl.shared_buffer(64, ReadWrite).unwrap()
}

fn stream(opengl: &OpenGl) -> Stream {
    opengl.cuda().stream().unwrap()
}

#[test]
fn objects_are_dropped_in_every_state() {
    let Some(opengl) = opengl() else { return };
    let stream = stream(&opengl);
    drop(buffer(&opengl));
    let mut ours = buffer(&opengl).map(&stream).unwrap();
    ours.as_slice_mut().fill(7, &stream).unwrap();
    drop(ours); // with work that is not done
    let ours = buffer(&opengl).map(&stream).unwrap();
    drop(ours.unmap(&stream).unwrap());
    let shape = ArrayShape::from((64, 4)).with_surface();
    let image = || opengl.shared_texture::<f32, _>(shape, ReadWrite).unwrap();
    drop(image());
    drop(image().map(&stream).unwrap());
    drop(image().map(&stream).unwrap().unmap(&stream).unwrap());
    let image = opengl.shared_renderbuffer::<[u8; 4], _>(16, 16, ReadOnly);
    drop(image.unwrap().map(&stream).unwrap());
    assert_silent(&opengl);
}

#[test]
fn objects_outlive_the_context_that_was_dropped_first() {
    let Some(opengl) = opengl() else { return };
    let stream = stream(&opengl);
    let (one, two) = (buffer(&opengl), buffer(&opengl).map(&stream).unwrap());
    drop(opengl);
    drop(two.unmap(&stream).unwrap());
    drop(one);
}

#[test]
fn another_device_is_refused_and_the_object_stays() {
    let Some(opengl) = opengl() else { return };
    let other = Device::emulator().stream().unwrap();
    let stream = stream(&opengl);
    let refused = buffer(&opengl).map(&other).unwrap_err();
    let wrong = |error: &OpenGlError| {
        let wrong = OpenGlError::Graphics(GraphicsError::WrongDevice {
            found: String::new(),
            wanted: String::new(),
        });
        std::mem::discriminant(error) == std::mem::discriminant(&wrong)
    };
    assert!(wrong(&refused.error), "{}", refused.error);
    assert!(refused.error.to_string().contains("use one device"));
    let ours = refused.resource.map(&stream).unwrap();
    let refused = ours.unmap(&other).unwrap_err();
    assert!(refused.error.to_string().contains("use one device"));
    drop(refused.resource.unmap(&stream).unwrap());
    assert_silent(&opengl);
}

#[test]
fn what_a_graph_has_is_not_unmapped() {
    let Some(opengl) = opengl() else { return };
    let stream = stream(&opengl);
    let ours = buffer(&opengl).map(&stream).unwrap();
    let mut target = opengl.cuda().zeroed::<u32>(64).unwrap();
    let graph = Graph::capture(opengl.cuda(), |recording| {
        target.copy_from_device(0, ours.as_slice(), recording)
    });
    let graph = graph.unwrap();
    let refused = ours.unmap(&stream).unwrap_err();
    assert!(refused.error.to_string().contains("a graph has the memory"));
    drop(graph);
    drop(refused.resource.unmap(&stream).unwrap());
    let ours = buffer(&opengl).map(&stream).unwrap();
    let graph = Graph::capture(opengl.cuda(), |recording| {
        target.copy_from_device(0, ours.as_slice(), recording)
    });
    drop(ours); // the graph keeps the memory
    drop(graph);
    assert_silent(&opengl);
}

#[test]
fn objects_of_two_contexts_are_used_in_turn_on_one_thread() {
    let Some(one) = opengl() else { return };
    let two = OpenGl::open(one.cuda(), OpenGlOptions::new().debug()).unwrap();
    let stream = stream(&one);
    let (mut a, mut b) = (buffer(&one), buffer(&two));
    for turn in 0..5 {
        for (opengl, shared, value) in [(&one, &mut a, turn), (&two, &mut b, turn + 100)] {
            let taken = std::mem::replace(shared, buffer(opengl));
            let mut ours = taken.map(&stream).unwrap();
            ours.as_slice_mut().fill(value, &stream).unwrap();
            *shared = ours.unmap(&stream).unwrap();
        }
    }
    let found = |shared: Shared<DeviceBuffer<u32>>| {
        let ours = shared.map(&stream).unwrap();
        ours.to_vec(&stream).unwrap()
    };
    assert_eq!((found(a), found(b)), (vec![4; 64], vec![104; 64]));
    assert_silent(&one);
    assert_silent(&two);
}

#[test]
fn each_thread_has_contexts_of_its_own() {
    let Some(opengl) = opengl() else { return };
    let device = opengl.cuda().clone();
    let shared = buffer(&opengl);
    std::thread::scope(|scope| {
        for value in 0..3u32 {
            let device = &device;
            scope.spawn(move || {
                let own = OpenGl::open(device, OpenGlOptions::new()).unwrap();
                let stream = device.stream().unwrap();
                let mut ours = buffer(&own).map(&stream).unwrap();
                ours.as_slice_mut().fill(value, &stream).unwrap();
                let shared = ours.unmap(&stream).unwrap();
                let ours = shared.map(&stream).unwrap();
                assert_eq!(ours.to_vec(&stream).unwrap(), [value; 64]);
            });
        }
    });
    let stream = stream(&opengl);
    drop(shared.map(&stream).unwrap().unmap(&stream).unwrap());
    assert_silent(&opengl);
}

#[test]
fn sizes_are_checked_before_opengl_is_asked() {
    let Some(opengl) = opengl() else { return };
    for len in [0, 1 << 29, usize::MAX] {
        let error = opengl.shared_buffer::<u32, _>(len, ReadWrite).unwrap_err();
        assert!(matches!(error, OpenGlError::BufferSize { .. }), "{error}");
    }
    for (width, height) in [(0, 4), (4, 0), (1 << 20, 4), (4, usize::MAX)] {
        let error = opengl.shared_texture::<f32, _>((width, height), ReadWrite);
        let error = error.unwrap_err();
        assert!(matches!(error, OpenGlError::Image { .. }), "{error}");
        let error = opengl.shared_renderbuffer::<f32, _>(width, height, ReadWrite);
        let error = error.unwrap_err();
        assert!(matches!(error, OpenGlError::Image { .. }), "{error}");
    }
    let layers = ArrayShape::Planes {
        width: 4,
        height: 4,
        layers: 2,
    };
    for shape in [ArrayShape::from(4), layers, ArrayShape::Cube { side: 4 }] {
        let error = opengl
            .shared_texture::<f32, _>(shape, ReadWrite)
            .unwrap_err();
        let is_shape = matches!(error, OpenGlError::Graphics(GraphicsError::Shape { .. }));
        assert!(is_shape, "{error}");
    }
    assert_silent(&opengl);
}

#[test]
fn a_misuse_of_opengl_is_reported() {
    let Some(opengl) = opengl() else { return };
    // SAFETY: an error of OpenGL, which changes nothing.
    unsafe { opengl.functions().unwrap().enable(0xFFFF) };
    let before = opengl.messages().unwrap();
    assert!(
        before
            .iter()
            .any(|text| text == "glGetError: GL_INVALID_ENUM"),
        "{before:?}"
    );
    assert!(before.len() > 1, "no debug output: {before:?}");
    // SAFETY: as above.
    unsafe { opengl.functions().unwrap().enable(0xFFFF) };
    let shared = buffer(&opengl); // not its error
    assert!(opengl.messages().unwrap().len() > before.len());
    drop(shared);
}

#[test]
fn frames_lose_no_file_descriptors() {
    let Some(opengl) = opengl() else { return };
    let stream = stream(&opengl);
    let once = || {
        let ours = buffer(&opengl).map(&stream).unwrap();
        drop(ours.unmap(&stream).unwrap());
        let other = OpenGl::open(opengl.cuda(), OpenGlOptions::new()).unwrap();
        drop(buffer(&other).map(&stream).unwrap());
    };
    let mut counts = vec![];
    for _ in 0..3 {
        for _ in 0..10 {
            once();
        }
        counts.push(std::fs::read_dir("/proc/self/fd").unwrap().count());
    }
    // Other tests of this process open files, too; what is lost grows each time.
    assert!(counts[2] <= counts[0] + 8, "{counts:?}");
}

#[test]
fn a_name_is_opengls_own() {
    let Some(opengl) = opengl() else { return };
    let shared = buffer(&opengl);
    // SAFETY: the context is current.
    let is_buffer = unsafe { opengl.functions().unwrap().is_buffer(shared.buffer()) };
    let name: glow::Buffer = shared.buffer();
    drop(shared);
    // SAFETY: as above.
    let is_gone = unsafe { !opengl.functions().unwrap().is_buffer(name) };
    assert!(is_buffer && is_gone);
}
