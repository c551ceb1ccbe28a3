//! Objects whose contents are copied, and what is refused, on the emulator.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::{
    GlImage, GraphicsError, HostSide, Mapped, ReadOnly, ReadWrite, Registered, WriteDiscard,
};
use crate::{ArrayShape, Device, DeviceBuffer, Graph};

/// What OpenGL has.
#[derive(Clone, Default)]
struct Other {
    bytes: Rc<RefCell<Vec<u8>>>,
    reads: Rc<Cell<u32>>,
    writes: Rc<Cell<u32>>,
    refuses: Rc<Cell<bool>>,
}

impl Other {
    fn new(bytes: &[u8]) -> Other {
        let other = Other::default();
        *other.bytes.borrow_mut() = bytes.to_vec();
        other
    }

    fn answer(&self, count: &Cell<u32>) -> Result<(), GraphicsError> {
        count.set(count.get() + 1);
        match self.refuses.get() {
            true => Err(GraphicsError::Host {
                what: "copy",
                reason: "the test says so".into(),
            }),
            false => Ok(()),
        }
    }
}

impl HostSide for Other {
    fn read(&mut self, to: &mut [u8]) -> Result<(), GraphicsError> {
        self.answer(&self.reads)?;
        to.copy_from_slice(&self.bytes.borrow());
        Ok(())
    }

    fn write(&mut self, from: &[u8]) -> Result<(), GraphicsError> {
        self.answer(&self.writes)?;
        self.bytes.borrow_mut().copy_from_slice(from);
        Ok(())
    }
}

fn buffer(device: &Device, other: &Other) -> Registered<DeviceBuffer<u32>> {
    let len = other.bytes.borrow().len() / 4;
    device.copied_buffer(len, ReadWrite, other.clone()).unwrap()
}

//@ rows: GGX-3
#[test]
fn contents_come_when_it_is_mapped_and_go_when_it_is_unmapped() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let other = Other::new(&[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let mut shared = buffer(&device, &other);
    assert!(shared.is_copied());
    for turn in 0..3 {
        let mut ours = shared.map(&stream).unwrap();
        assert_eq!(ours.to_vec(&stream).unwrap(), [1 + turn, 2, 3]);
        let mut all = ours.as_slice_mut();
        all.copy_from(0, &[9], &stream).unwrap();
        assert_eq!(
            other.bytes.borrow()[0],
            1 + turn as u8,
            "before it is unmapped"
        );
        shared = ours.unmap(&stream).unwrap();
        assert_eq!(other.bytes.borrow()[..5], [9, 0, 0, 0, 2]);
        other.bytes.borrow_mut()[0] = 2 + turn as u8;
    }
    assert_eq!((other.reads.get(), other.writes.get()), (3, 3));
}

//@ rows: GGX-3
#[test]
fn what_is_read_or_written_alone_is_copied_one_way() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let other = Other::new(&[5; 8]);
    let shared = device.copied_buffer::<u8, _>(8, ReadOnly, other.clone());
    let ours = shared.unwrap().map(&stream).unwrap();
    assert_eq!(ours.to_vec(&stream).unwrap(), [5; 8]);
    drop(ours.unmap(&stream).unwrap());
    assert_eq!((other.reads.get(), other.writes.get()), (1, 0));

    let shared = device.copied_buffer::<u8, _>(8, WriteDiscard, other.clone());
    let mut ours = shared.unwrap().map(&stream).unwrap();
    ours.as_slice_mut().fill(6, &stream).unwrap();
    drop(ours.unmap(&stream).unwrap());
    assert_eq!((other.reads.get(), other.writes.get()), (1, 1));
    assert_eq!(*other.bytes.borrow(), [6; 8]);
}

//@ rows: GGX-3
#[test]
fn images_are_rows_and_planes_without_gaps() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let bytes: Vec<u8> = (0..5 * 3 * 2 * 4).collect();
    let other = Other::new(&bytes);
    let shared = device.copied_image::<[u8; 4], _>((5, 3, 2), ReadWrite, other.clone());
    let mut ours = shared.unwrap().map(&stream).unwrap();
    let texels = ours.to_vec(&stream).unwrap();
    assert_eq!(texels.concat(), bytes);
    let mut level = ours.as_level_mut();
    level
        .as_slice_mut()
        .copy_from(&[[1; 4]; 30], &stream)
        .unwrap();
    drop(ours.unmap(&stream).unwrap());
    assert_eq!(*other.bytes.borrow(), [1; 120]);
}

#[test]
fn what_the_other_side_refuses_leaves_the_object_as_it_was() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let other = Other::new(&[7; 8]);
    other.refuses.set(true);
    let refused = buffer(&device, &other).map(&stream).unwrap_err();
    assert!(refused.error.to_string().contains("the test says so"));
    other.refuses.set(false);
    let ours = refused.resource.map(&stream).unwrap();
    other.refuses.set(true);
    let refused = ours.unmap(&stream).unwrap_err();
    other.refuses.set(false);
    drop(refused.resource.unmap(&stream).unwrap());
    assert_eq!(*other.bytes.borrow(), [7; 8]);
}

#[test]
fn it_is_dropped_in_every_state_without_a_copy_back() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let other = Other::new(&[7; 8]);
    drop(buffer(&device, &other));
    let mut ours = buffer(&device, &other).map(&stream).unwrap();
    ours.as_slice_mut().fill(0, &stream).unwrap();
    drop(ours);
    assert_eq!((*other.bytes.borrow()).clone(), [7; 8]);
    drop(buffer(&device, &other).map(&stream).unwrap().unmap(&stream));
    assert_eq!(Rc::strong_count(&other.bytes), 1);
}

#[test]
fn streams_of_other_devices_and_those_that_record_are_refused() {
    let (device, elsewhere) = (Device::emulator(), Device::emulator());
    let (stream, other) = (device.stream().unwrap(), Other::new(&[0; 8]));
    let wrong = elsewhere.stream().unwrap();
    let refused = buffer(&device, &other).map(&wrong).unwrap_err();
    let is_wrong = |error: &GraphicsError| matches!(error, GraphicsError::WrongDevice { .. });
    assert!(is_wrong(&refused.error), "{}", refused.error);
    let refused = refused
        .resource
        .map(&stream)
        .unwrap()
        .unmap(&wrong)
        .unwrap_err();
    assert!(is_wrong(&refused.error), "{}", refused.error);
    drop(refused.resource);
    let mut kept = Some(buffer(&device, &other));
    let error = Graph::capture(&device, |recording| {
        let refused = kept.take().unwrap().map(recording).unwrap_err();
        kept = Some(refused.resource);
        Err::<(), _>(refused.error)
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("map an object of OpenGL"), "{error}");
    assert!(kept.is_some());
}

#[test]
fn what_a_graph_has_is_not_unmapped() {
    let device = Device::emulator();
    let (stream, other) = (device.stream().unwrap(), Other::new(&[0; 8]));
    let mut ours: Mapped<_> = buffer(&device, &other).map(&stream).unwrap();
    let graph = Graph::capture(&device, |s| ours.as_slice_mut().fill(7, s)).unwrap();
    assert!(ours.is_in_graph());
    let refused = ours.unmap(&stream).unwrap_err();
    assert!(matches!(refused.error, GraphicsError::InGraph));
    drop(graph);
    drop(refused.resource.unmap(&stream).unwrap());
}

#[test]
fn lengths_shapes_and_devices_are_checked_first() {
    let device = Device::emulator();
    for len in [0, usize::MAX, usize::MAX / 4] {
        let error = device.copied_buffer::<u32, _>(len, ReadWrite, Other::default());
        let error = error.unwrap_err();
        assert!(matches!(error, GraphicsError::Length { .. }), "{error}");
        // SAFETY: nothing is registered: the length is refused.
        let error = unsafe { device.register_gl_buffer::<u32, _>(1, len, ReadWrite) };
        assert!(matches!(error.unwrap_err(), GraphicsError::Length { .. }));
    }
    let layers = ArrayShape::Planes {
        width: 4,
        height: 4,
        layers: 2,
    };
    for shape in [ArrayShape::from(4), layers, ArrayShape::Cube { side: 4 }] {
        let error = device.copied_image::<f32, _>(shape, ReadWrite, Other::default());
        assert!(matches!(error.unwrap_err(), GraphicsError::Shape { .. }));
    }
    let deep = (GlImage::Renderbuffer(1), ArrayShape::from((2, 2, 2)));
    // SAFETY: nothing is registered: the shape is refused.
    let error = unsafe { device.register_gl_image::<f32, _>(deep.0, deep.1, ReadWrite) };
    assert!(matches!(error.unwrap_err(), GraphicsError::Shape { .. }));
    let large = device.copied_image::<f32, _>((1 << 30, 4), ReadWrite, Other::default());
    assert!(matches!(large.unwrap_err(), GraphicsError::Memory(_)));
    // SAFETY: nothing is registered: the emulator has no OpenGL.
    let error = unsafe { device.register_gl_buffer::<u32, _>(1, 4, ReadWrite) };
    let error = error.unwrap_err();
    assert!(
        error.to_string().contains("Device::copied_buffer"),
        "{error}"
    );
}
