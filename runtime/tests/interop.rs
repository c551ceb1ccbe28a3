//! Memory and handles of others on the emulator: what is taken, what is refused, and when the owner is released.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may fail as the tests do"
)]

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use warploom_runtime::{Device, DeviceBuffer, InteropError, Result};

/// Counts the calls of a release function.
#[derive(Clone, Default)]
struct ReleaseCount(Arc<AtomicUsize>);

impl ReleaseCount {
    fn once(&self) -> impl FnOnce() + Send + 'static {
        let count = Arc::clone(&self.0);
        move || {
            count.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// # Safety
/// As [`DeviceBuffer::from_raw_parts`].
unsafe fn adopt(
    device: &Device,
    memory: &mut [u32],
    told: &ReleaseCount,
) -> Result<DeviceBuffer<u32>, InteropError> {
    let address = memory.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: the caller's promise.
    unsafe { DeviceBuffer::from_raw_parts(device, address, memory.len(), told.once()) }
}

//@ rows: GMX-3
#[test]
fn memory_of_others_is_used_in_place_and_given_back() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let (mut theirs, told) = (vec![1, 2, 3, 4], ReleaseCount::default());
    // SAFETY: `theirs` is not touched until the buffer is dropped.
    let mut x = unsafe { adopt(&device, &mut theirs, &told)? };
    let ours = device.upload(&[7, 8])?;
    x.copy_from_device(1, &ours, &stream)?;
    assert_eq!(x.to_vec(&stream)?, [1, 7, 8, 4]);
    assert_eq!(told.count(), 0);
    drop(x);
    assert_eq!((told.count(), theirs), (1, vec![1, 7, 8, 4]));
    Ok(())
}

#[test]
fn the_address_that_goes_in_comes_out() -> Result<()> {
    let device = Device::emulator();
    let (mut theirs, told) = (vec![0; 8], ReleaseCount::default());
    let address = theirs.as_ptr().addr() as u64;
    // SAFETY: `theirs` is not touched until the buffer is dropped.
    let x = unsafe { adopt(&device, &mut theirs, &told)? };
    assert_eq!(x.raw_ptr(), address);
    Ok(())
}

fn refused(address: u64, len: usize) -> (InteropError, usize) {
    let told = ReleaseCount::default();
    // SAFETY: it is refused before any use.
    let given = unsafe {
        DeviceBuffer::<u32>::from_raw_parts(&Device::emulator(), address, len, told.once())
    };
    (given.unwrap_err(), told.count())
}

#[test]
fn elements_without_an_address_are_refused_and_given_back() {
    let (error, told) = refused(0, 3);
    assert!(
        matches!(error, InteropError::NullAddress { elements: 3 }),
        "{error}"
    );
    assert_eq!(told, 1);
}

#[test]
fn misaligned_memory_is_refused_and_given_back() {
    let (error, told) = refused(0x1002, 3);
    let right = matches!(
        error,
        InteropError::Misaligned {
            address: 0x1002,
            align: 4,
            ..
        }
    );
    assert!(right, "{error}");
    assert_eq!(told, 1);
}

#[test]
fn more_than_all_addresses_is_refused_and_given_back() {
    for (address, len) in [
        (0x1000, usize::MAX / 2),
        (0x1000, usize::MAX / 4),
        (u64::MAX - 15, 5),
    ] {
        let (error, told) = refused(address, len);
        assert!(matches!(error, InteropError::TooLarge { .. }), "{error}");
        assert_eq!(told, 1);
    }
}

#[test]
fn nothing_may_have_no_address() -> Result<()> {
    let device = Device::emulator();
    let told = ReleaseCount::default();
    // SAFETY: there are no elements.
    let x = unsafe { DeviceBuffer::<u32>::from_raw_parts(&device, 0, 0, told.once())? };
    assert_eq!(x.to_vec(&device.stream()?)?, [0; 0]);
    drop(x);
    assert_eq!(told.count(), 1);
    Ok(())
}

#[test]
fn a_forgotten_buffer_keeps_the_memory() -> Result<()> {
    let device = Device::emulator();
    let (theirs, told) = (Vec::leak(vec![1, 2]), ReleaseCount::default());
    // SAFETY: `theirs` is not used any more.
    std::mem::forget(unsafe { adopt(&device, theirs, &told)? });
    assert_eq!(told.count(), 0);
    Ok(())
}

//@ rows: GMX-1, GMX-2, HX-10
#[test]
fn the_emulator_has_no_handles() -> Result<()> {
    let device = Device::emulator();
    assert!(device.raw_context().is_null() && device.raw_device().is_none());
    assert!(device.stream()?.raw().is_null() && device.event()?.raw().is_null());
    // SAFETY: null is the legacy default stream.
    let error = unsafe { warploom_runtime::Stream::from_raw(&device, ptr::null_mut()) };
    let error = error.unwrap_err();
    assert!(matches!(error, InteropError::Unsupported(_)), "{error}");
    Ok(())
}

#[test]
fn a_buffer_is_ordered_on_streams_of_its_own_device() -> Result<()> {
    let (device, other) = (Device::emulator(), Device::emulator());
    let x = device.zeroed::<u32>(3)?;
    x.order_on(&device.stream()?)?;
    let error = x.order_on(&other.stream()?).unwrap_err();
    assert!(error.to_string().contains("another device"), "{error}");
    Ok(())
}
