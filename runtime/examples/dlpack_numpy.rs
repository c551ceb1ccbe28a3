//! What a Python package around this library would export: functions that give tensors and take them. `tests/numpy_tensors.py` calls them.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use warploom_runtime::interop::dlpack::{DLManagedTensor, DLManagedTensorVersioned, Tensor};
use warploom_runtime::{Device, DeviceBuffer, Result};

/// How many buffers that went out have come to their end.
static ENDED: AtomicI32 = AtomicI32::new(0);

/// Six numbers from 0.5 on, as a tensor of 2 rows. Its end is counted.
fn rows() -> Result<Tensor> {
    let device = Device::emulator();
    let mut numbers = vec![0.5f32, 1.5, 2.5, 3.5, 4.5, 5.5];
    let (address, len) = (numbers.as_mut_ptr().expose_provenance() as u64, 6);
    let release = move || {
        drop(numbers);
        ENDED.fetch_add(1, Ordering::SeqCst);
    };
    // SAFETY: `numbers` is owned by `release`.
    let x = unsafe { DeviceBuffer::<f32>::from_raw_parts(&device, address, len, release)? };
    Ok(x.into_dlpack(&[2, 3], &device.stream()?)?)
}

/// Doubles each element and gives their sum.
fn double(tensor: Tensor) -> Result<f64> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let mut x = tensor.into_buffer::<f64>(&device)?;
    let doubled: Vec<f64> = x.to_vec(&stream)?.iter().map(|x| 2.0 * x).collect();
    x.copy_from(0, &doubled, &stream)?;
    Ok(doubled.iter().sum())
}

/// The sum, or what is wrong: not a number and a line on the error stream.
fn answer(sum: Result<f64>) -> f64 {
    sum.unwrap_or_else(|error| {
        eprintln!("refused: {error}");
        f64::NAN
    })
}

/// A tensor for a capsule named `dltensor`; null on an error.
#[unsafe(no_mangle)]
pub extern "C" fn give() -> *mut DLManagedTensor {
    let given = rows().and_then(|tensor| Ok(tensor.into_raw()?));
    given.unwrap_or(ptr::null_mut())
}

/// A tensor for a capsule named `dltensor_versioned`; null on an error.
#[unsafe(no_mangle)]
pub extern "C" fn give_versioned() -> *mut DLManagedTensorVersioned {
    rows().map_or(ptr::null_mut(), Tensor::into_raw_versioned)
}

/// Takes what was in a capsule named `dltensor`.
///
/// # Safety
/// As [`Tensor::from_raw`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn take(managed: *mut DLManagedTensor) -> f64 {
    // SAFETY: the caller's promise.
    let tensor = unsafe { Tensor::from_raw(managed) };
    answer(tensor.map_err(Into::into).and_then(double))
}

/// Takes what was in a capsule named `dltensor_versioned`.
///
/// # Safety
/// As [`Tensor::from_raw_versioned`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn take_versioned(managed: *mut DLManagedTensorVersioned) -> f64 {
    // SAFETY: the caller's promise.
    let tensor = unsafe { Tensor::from_raw_versioned(managed) };
    answer(tensor.map_err(Into::into).and_then(double))
}

/// How many tensors of [`give`] and [`give_versioned`] have come to their end.
#[unsafe(no_mangle)]
pub extern "C" fn ended() -> c_int {
    ENDED.load(Ordering::SeqCst)
}
