//! Tensors out and in: a library written as one in C would be takes them and gives them.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use warploom_runtime::interop::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    DlElement, READ_ONLY, Tensor,
};
use warploom_runtime::{Device, Graph, InteropError, Result};

const CPU: DLDevice = DLDevice {
    device_type: 1,
    device_id: 0,
};

/// A producer's tensor of `f32`: 2 rows of 3, unless a test changes it. Counts the calls of its deleter in `freed`.
struct Theirs {
    data: Vec<f32>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    tensor: DLTensor,
    freed: &'static AtomicUsize,
}

impl Theirs {
    fn new() -> (Theirs, &'static AtomicUsize) {
        let freed: &AtomicUsize = Box::leak(Box::default());
        let tensor = DLTensor {
            data: ptr::null_mut(),
            device: CPU,
            ndim: 2,
            dtype: f32::DATA_TYPE,
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        let theirs = Theirs {
            data: (0..6u8).map(f32::from).collect(),
            shape: vec![2, 3],
            strides: vec![3, 1],
            tensor,
            freed,
        };
        (theirs, freed)
    }

    fn tensor(self) -> (DLTensor, *mut c_void) {
        let this = Box::leak(Box::new(self));
        this.tensor.data = this.data.as_mut_ptr().cast();
        this.tensor.shape = this.shape.as_mut_ptr();
        if !this.strides.is_empty() {
            this.tensor.strides = this.strides.as_mut_ptr();
        }
        (this.tensor, ptr::from_mut(this).cast())
    }

    fn give(self) -> *mut DLManagedTensor {
        let (dl_tensor, manager_ctx) = self.tensor();
        Box::into_raw(Box::new(DLManagedTensor {
            dl_tensor,
            manager_ctx,
            deleter: Some(delete),
        }))
    }

    fn give_versioned(self, major: u32, flags: u64) -> *mut DLManagedTensorVersioned {
        let (dl_tensor, manager_ctx) = self.tensor();
        Box::into_raw(Box::new(DLManagedTensorVersioned {
            version: DLPackVersion { major, minor: 3 },
            manager_ctx,
            deleter: Some(delete_versioned),
            flags,
            dl_tensor,
        }))
    }

    /// As a consumer of `f32` takes it.
    fn take(self) -> Result<warploom_runtime::DeviceBuffer<f32>, InteropError> {
        // SAFETY: a structure of a producer that no other code takes.
        unsafe { Tensor::from_raw(self.give()) }?.into_buffer(&Device::emulator())
    }
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensor) {
    // SAFETY: a structure that was boxed; the consumer calls this once.
    let managed = unsafe { Box::from_raw(managed) };
    // SAFETY: as above: its end is told once.
    unsafe { end(managed.manager_ctx) };
}

unsafe extern "C" fn delete_versioned(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: a structure that was boxed; the consumer calls this once.
    let managed = unsafe { Box::from_raw(managed) };
    // SAFETY: as above: its end is told once.
    unsafe { end(managed.manager_ctx) };
}

unsafe fn end(theirs: *mut c_void) {
    // SAFETY: comes from `Theirs::tensor`, once.
    let theirs = unsafe { Box::from_raw(theirs.cast::<Theirs>()) };
    theirs.freed.fetch_add(1, Ordering::SeqCst);
}

fn count(freed: &AtomicUsize) -> usize {
    freed.load(Ordering::SeqCst)
}

/// What a consumer in C reads of a tensor of floats in host memory.
///
/// # Safety
/// The tensor is one of those, and alive.
unsafe fn read(tensor: &DLTensor) -> (Vec<i64>, Vec<f32>) {
    let ndim = usize::try_from(tensor.ndim).unwrap();
    // SAFETY: the caller's promise.
    let shape = unsafe { std::slice::from_raw_parts(tensor.shape, ndim) }.to_vec();
    let n = usize::try_from(shape.iter().product::<i64>()).unwrap();
    let offset = usize::try_from(tensor.byte_offset).unwrap();
    let first = tensor.data.cast::<u8>().wrapping_add(offset).cast::<f32>();
    // SAFETY: the caller's promise.
    let elements = unsafe { std::slice::from_raw_parts(first, n) };
    (shape, elements.to_vec())
}

//@ rows: GMX-5
#[test]
fn a_consumer_reads_a_buffer_and_ends_it() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let address = x.raw_ptr();
    let given = x.into_dlpack(&[3, 1, 2], &stream)?.into_raw_versioned();
    // SAFETY: a live structure.
    let managed = unsafe { &*given };
    let tensor = &managed.dl_tensor;
    assert_eq!((managed.version.major, managed.flags), (1, 0));
    assert_eq!((tensor.device, tensor.dtype), (CPU, f32::DATA_TYPE));
    assert_eq!(tensor.data.addr() as u64, address, "no copy");
    // SAFETY: one stride for each of the three dimensions.
    assert_eq!(unsafe { *tensor.strides.cast::<[i64; 3]>() }, [2, 2, 1]);
    // SAFETY: a live tensor of floats in host memory.
    let (shape, elements) = unsafe { read(tensor) };
    assert_eq!(
        (shape, elements),
        (vec![3, 1, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    );
    let deleter = managed.deleter.unwrap();
    // SAFETY: the deleter of this structure, called once.
    unsafe { deleter(given) };
    Ok(())
}

#[test]
fn the_older_form_says_the_same() -> Result<()> {
    let device = Device::emulator();
    let x = device.upload(&[1.0f32, 2.0])?;
    let given = x.into_dlpack(&[2], &device.stream()?)?.into_raw()?;
    // SAFETY: a live structure.
    let managed = unsafe { &*given };
    // SAFETY: a live tensor of floats in host memory.
    let read = unsafe { read(&managed.dl_tensor) };
    assert_eq!(read, (vec![2], vec![1.0, 2.0]));
    let deleter = managed.deleter.unwrap();
    // SAFETY: the deleter of this structure, called once.
    unsafe { deleter(given) };
    Ok(())
}

//@ rows: GMX-5
#[test]
fn a_producers_tensor_becomes_a_buffer_in_place() -> Result<()> {
    let (theirs, freed) = Theirs::new();
    let device = Device::emulator();
    let stream = device.stream()?;
    let given = theirs.give();
    // SAFETY: a live structure.
    let address = unsafe { (*given).dl_tensor.data.addr() as u64 };
    // SAFETY: a structure of a producer that no other code takes.
    let tensor = unsafe { Tensor::from_raw(given)? };
    assert_eq!((tensor.shape(), tensor.device()), (&[2, 3][..], CPU));
    let mut x = tensor.into_buffer::<f32>(&device)?;
    assert_eq!(x.raw_ptr(), address);
    x.copy_from(5, &[9.0], &stream)?;
    assert_eq!(x.to_vec(&stream)?, [0.0, 1.0, 2.0, 3.0, 4.0, 9.0]);
    assert_eq!(count(freed), 0);
    drop(x);
    assert_eq!(count(freed), 1);
    Ok(())
}

#[test]
fn a_producers_tensor_can_be_given_on() -> Result<()> {
    let (theirs, freed) = Theirs::new();
    let x = theirs.take()?;
    let stream = x.device().stream()?;
    let given = x.into_dlpack(&[6], &stream)?.into_raw()?;
    // SAFETY: a live structure.
    let managed = unsafe { &*given };
    // SAFETY: a live tensor of floats in host memory.
    assert_eq!(unsafe { read(&managed.dl_tensor) }.0, [6]);
    assert_eq!(count(freed), 0);
    let deleter = managed.deleter.unwrap();
    // SAFETY: the deleter of this structure, called once.
    unsafe { deleter(given) };
    assert_eq!(count(freed), 1);
    Ok(())
}

#[test]
fn a_tensor_that_is_not_taken_is_released_once() -> Result<()> {
    let (theirs, freed) = Theirs::new();
    // SAFETY: a structure of a producer that no other code takes.
    drop(unsafe { Tensor::from_raw(theirs.give())? });
    assert_eq!(count(freed), 1);
    Ok(())
}

#[test]
fn a_producer_without_a_deleter_is_not_called() -> Result<()> {
    let (theirs, freed) = Theirs::new();
    let given = theirs.give();
    // SAFETY: a live structure; what it holds is leaked.
    unsafe { (*given).deleter = None };
    // SAFETY: as above, taken once.
    let tensor = unsafe { Tensor::from_raw(given) }?;
    drop(tensor);
    assert_eq!(count(freed), 0);
    Ok(())
}

#[test]
fn a_byte_offset_moves_the_start() -> Result<()> {
    let (mut theirs, _) = Theirs::new();
    (theirs.tensor.byte_offset, theirs.tensor.ndim) = (8, 1);
    (theirs.shape, theirs.strides) = (vec![4], vec![]);
    let x = theirs.take()?;
    let stream = x.device().stream()?;
    assert_eq!(x.to_vec(&stream)?, [2.0, 3.0, 4.0, 5.0]);
    Ok(())
}

#[test]
fn strides_of_single_elements_and_of_nothing_do_not_matter() -> Result<()> {
    for (shape, strides, len) in [
        (vec![1, 6], vec![77, 1], 6),
        (vec![6, 1], vec![1, -5], 6),
        (vec![0, 6], vec![1, 1], 0),
        (vec![2, 3], vec![], 6),
    ] {
        let (mut theirs, _) = Theirs::new();
        (theirs.shape, theirs.strides) = (shape, strides);
        assert_eq!(theirs.take()?.len(), len);
    }
    Ok(())
}

#[test]
fn a_tensor_without_dimensions_is_one_element() -> Result<()> {
    let (mut theirs, _) = Theirs::new();
    theirs.tensor.ndim = 0;
    assert_eq!(theirs.take()?.len(), 1);
    Ok(())
}

/// What is said of a producer's tensor that was changed like this. Its deleter is called once all the same.
fn refused(change: impl FnOnce(&mut Theirs)) -> InteropError {
    let (mut theirs, freed) = Theirs::new();
    change(&mut theirs);
    let error = theirs.take().unwrap_err();
    assert_eq!(count(freed), 1, "{error}");
    error
}

#[test]
fn columns_first_is_not_contiguous() {
    let error = refused(|theirs| theirs.strides = vec![1, 2]);
    assert!(
        matches!(error, InteropError::NotContiguous { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("[1, 2]"), "{error}");
}

#[test]
fn other_elements_are_refused() {
    for dtype in [
        f64::DATA_TYPE,
        i32::DATA_TYPE,
        DLDataType {
            lanes: 4,
            ..f32::DATA_TYPE
        },
    ] {
        let error = refused(|theirs| theirs.tensor.dtype = dtype);
        assert!(matches!(error, InteropError::ElementType { .. }), "{error}");
        assert!(error.to_string().contains(&dtype.to_string()), "{error}");
    }
}

#[test]
fn memory_that_the_emulator_does_not_reach_is_refused() {
    for device_type in [2, 13, 10, 99] {
        let error = refused(|theirs| theirs.tensor.device.device_type = device_type);
        assert!(matches!(error, InteropError::WrongDevice { .. }), "{error}");
    }
}

#[test]
fn a_stream_of_another_device_is_refused() -> Result<()> {
    let x = Device::emulator().zeroed::<u8>(6)?;
    let error = x.into_dlpack(&[6], &Device::emulator().stream()?);
    assert!(matches!(error, Err(InteropError::Memory(_))), "{error:?}");
    Ok(())
}

#[test]
fn page_locked_memory_stays_what_it_is_when_it_goes_on() -> Result<()> {
    let (mut theirs, _) = Theirs::new();
    theirs.tensor.device.device_type = 3;
    let x = theirs.take()?;
    let stream = x.device().stream()?;
    assert_eq!(x.into_dlpack(&[6], &stream)?.device().device_type, 3);
    Ok(())
}

#[test]
fn misaligned_data_is_refused() {
    let error = refused(|theirs| theirs.tensor.byte_offset = 2);
    assert!(
        matches!(error, InteropError::Misaligned { align: 4, .. }),
        "{error}"
    );
}

#[test]
fn extents_that_nothing_has_are_refused() {
    let error = refused(|theirs| theirs.shape[0] = -1);
    assert!(matches!(error, InteropError::Malformed { .. }), "{error}");
    let error = refused(|theirs| {
        (theirs.shape, theirs.strides) = (vec![1 << 40, 1 << 40], vec![]);
    });
    assert!(matches!(error, InteropError::TooLarge { .. }), "{error}");
}

#[test]
fn a_negative_number_of_dimensions_is_refused() {
    let error = refused(|theirs| theirs.tensor.ndim = -1);
    assert!(matches!(error, InteropError::Malformed { .. }), "{error}");
}

#[test]
fn no_tensor_is_an_error() {
    // SAFETY: null is no structure.
    let old = unsafe { Tensor::from_raw(ptr::null_mut()) };
    // SAFETY: as above.
    let new = unsafe { Tensor::from_raw_versioned(ptr::null_mut()) };
    assert!(matches!(old, Err(InteropError::NullTensor)));
    assert!(matches!(new, Err(InteropError::NullTensor)));
}

#[test]
fn a_later_version_is_ended_unread() {
    let (theirs, freed) = Theirs::new();
    // SAFETY: a structure of a producer that no other code takes.
    let error = unsafe { Tensor::from_raw_versioned(theirs.give_versioned(2, 0)) }.unwrap_err();
    assert!(
        matches!(error, InteropError::Version { major: 2, minor: 3 }),
        "{error}"
    );
    assert_eq!(count(freed), 1);
}

#[test]
fn a_read_only_tensor_is_only_read() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (theirs, freed) = Theirs::new();
    // SAFETY: a structure of a producer that no other code takes.
    let tensor = unsafe { Tensor::from_raw_versioned(theirs.give_versioned(1, READ_ONLY))? };
    let x = tensor.into_read_only::<f32>(&device)?;
    assert_eq!(x.slice(2..4)?.to_vec(&stream)?, [2.0, 3.0]);
    drop(x);
    assert_eq!(count(freed), 1);
    Ok(())
}

#[test]
fn a_read_only_tensor_becomes_no_buffer_and_loses_no_flag() -> Result<()> {
    for older_form in [false, true] {
        let (theirs, freed) = Theirs::new();
        // SAFETY: a structure of a producer that no other code takes.
        let tensor = unsafe { Tensor::from_raw_versioned(theirs.give_versioned(1, READ_ONLY))? };
        let error = match older_form {
            true => tensor.into_raw().unwrap_err(),
            false => tensor.into_buffer::<f32>(&Device::emulator()).unwrap_err(),
        };
        assert!(matches!(error, InteropError::ReadOnly), "{error}");
        assert_eq!(count(freed), 1);
    }
    Ok(())
}

#[test]
fn a_shape_of_another_length_is_refused() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    for shape in [&[2, 3][..], &[], &[usize::MAX, 2], &[0]] {
        let x = device.zeroed::<u8>(7)?;
        let error = x.into_dlpack(shape, &stream).unwrap_err();
        assert!(
            matches!(error, InteropError::WrongShape { len: 7, .. }),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn nothing_goes_out_and_comes_back() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload::<f64>(&[])?;
    let given = x.into_dlpack(&[4, 0], &stream)?.into_raw()?;
    // SAFETY: ours, and alive.
    assert!(unsafe { &*given }.dl_tensor.data.is_null());
    // SAFETY: ours, taken once.
    let tensor = unsafe { Tensor::from_raw(given) }?;
    assert_eq!(tensor.into_buffer::<f64>(&device)?.len(), 0);
    Ok(())
}

#[test]
fn tensors_go_to_other_threads() {
    fn assert_send<T: Send>() {}
    assert_send::<Tensor>();
}

#[test]
fn memory_that_a_graph_has_is_not_given_away() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (x, mut y) = (device.zeroed::<f32>(6)?, device.zeroed::<f32>(6)?);
    let graph = Graph::capture(&device, |stream| y.copy_from_device(0, &x, stream))?;
    let error = y.into_dlpack(&[6], &stream).unwrap_err();
    assert!(matches!(error, InteropError::Memory(_)), "{error}");
    drop(graph);
    Ok(())
}

#[test]
fn page_locked_and_managed_memory_are_tensors_of_the_host_on_the_emulator() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let before = device.memory_in_use();
    let x = device.upload(&[1i16, 2, 3, 4, 5, 6])?;
    let (mut pinned, mut managed) = (device.pinned::<i16>(6)?, device.managed_zeroed::<i16>(6)?);
    x.copy_to_pinned(0, &mut pinned, &stream)?; // waited for
    managed.as_mut_slice()?.fill(7);
    for (tensor, expected) in [
        (pinned.into_dlpack(&[2, 3])?, [1, 2, 3, 4, 5, 6]),
        (managed.into_dlpack(&[2, 3])?, [7; 6]),
    ] {
        assert_eq!((tensor.device(), tensor.shape()), (CPU, &[2, 3][..]));
        assert_eq!(tensor.element(), i16::DATA_TYPE);
        let y = tensor.into_buffer::<i16>(&device)?;
        assert_eq!(y.to_vec(&stream)?, expected);
    }
    drop(x);
    assert_eq!(device.memory_in_use(), before);
    Ok(())
}

#[test]
fn page_locked_memory_of_another_shape_or_in_a_graph_is_no_tensor() -> Result<()> {
    let device = Device::emulator();
    let error = device.pinned::<u8>(6)?.into_dlpack(&[2, 2]).unwrap_err();
    assert!(
        matches!(error, InteropError::WrongShape { len: 6, .. }),
        "{error}"
    );
    let error = device
        .managed_zeroed::<u8>(6)?
        .into_dlpack(&[])
        .unwrap_err();
    assert!(matches!(error, InteropError::WrongShape { .. }), "{error}");
    let (x, mut host) = (device.zeroed::<u8>(6)?, device.managed_zeroed::<u8>(6)?);
    let _graph = Graph::capture(&device, |s| {
        host.device_slice_mut().copy_from_device(0, &x, s)
    })?;
    let error = host.into_dlpack(&[6]).unwrap_err();
    assert!(matches!(error, InteropError::Memory(_)), "{error}");
    Ok(())
}
