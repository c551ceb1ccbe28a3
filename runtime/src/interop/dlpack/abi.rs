//! The structures of DLPack 1, as in its C header.

use std::ffi::c_void;
use std::fmt;
use std::mem::offset_of;

use crate::device::Device;

/// The version of the structures here.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// Flag: the elements must not be written.
pub const READ_ONLY: u64 = 1;

/// Flag: the producer made a copy, which is not shared.
pub const IS_COPIED: u64 = 2;

/// A version of DLPack. Another major version has other structures behind the deleter and the flags.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Structures.
    pub major: u32,
    /// Numbers in them.
    pub minor: u32,
}

/// Where a tensor lies.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DLDevice {
    /// A number of [`DeviceType`].
    pub device_type: i32,
    /// Which of them; 0 for memory of the host.
    pub device_id: i32,
}

/// What one element is.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DLDataType {
    /// 0: signed integer, 1: unsigned integer, 2: IEEE float, 4: bfloat16, 5: complex, 6: bool; others are small floats.
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// Lanes; 1 for all but vectors.
    pub lanes: u16,
}

/// A tensor, without its owner.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DLTensor {
    /// The memory; null if there are no elements.
    pub data: *mut c_void,
    /// Where it lies.
    pub device: DLDevice,
    /// Number of dimensions.
    pub ndim: i32,
    /// What the elements are.
    pub dtype: DLDataType,
    /// Extents.
    pub shape: *mut i64,
    /// Steps from element to element, in elements; null: row-major, without gaps.
    pub strides: *mut i64,
    /// Where the first element is, in bytes from `data`.
    pub byte_offset: u64,
}

/// A tensor and what ends it; the form before version 1.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Ends the tensor, and this structure with it. To be called once.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor and what ends it, with version and flags.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version of this structure.
    pub version: DLPackVersion,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Ends the tensor, and this structure with it. To be called once.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// [`READ_ONLY`], [`IS_COPIED`].
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

// The layout of the C header on 64-bit machines.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(
        size_of::<DLDevice>() == 8
            && size_of::<DLDataType>() == 4
            && size_of::<DLPackVersion>() == 8
    );
    assert!(size_of::<DLTensor>() == 48 && align_of::<DLTensor>() == 8);
    assert!(
        offset_of!(DLTensor, device) == 8
            && offset_of!(DLTensor, ndim) == 16
            && offset_of!(DLTensor, dtype) == 20
    );
    assert!(
        offset_of!(DLTensor, shape) == 24
            && offset_of!(DLTensor, strides) == 32
            && offset_of!(DLTensor, byte_offset) == 40
    );
    assert!(size_of::<DLManagedTensor>() == 64);
    assert!(
        offset_of!(DLManagedTensor, manager_ctx) == 48
            && offset_of!(DLManagedTensor, deleter) == 56
    );
    assert!(size_of::<DLManagedTensorVersioned>() == 80);
    assert!(
        offset_of!(DLManagedTensorVersioned, manager_ctx) == 8
            && offset_of!(DLManagedTensorVersioned, deleter) == 16
    );
    assert!(
        offset_of!(DLManagedTensorVersioned, flags) == 24
            && offset_of!(DLManagedTensorVersioned, dl_tensor) == 32
    );
};

/// The kinds of memory that this library shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[repr(i32)]
pub enum DeviceType {
    /// Memory of the host: the emulator's. `kDLCPU`.
    Cpu = 1,
    /// Memory of a GPU. `kDLCUDA`.
    Cuda = 2,
    /// Page-locked memory of the host. `kDLCUDAHost`.
    CudaHost = 3,
    /// Managed memory. `kDLCUDAManaged`.
    CudaManaged = 13,
}

impl DeviceType {
    /// The kind of this number; `None` for memory that is not shared.
    #[must_use]
    pub fn from_number(number: i32) -> Option<DeviceType> {
        let all = [
            DeviceType::Cpu,
            DeviceType::Cuda,
            DeviceType::CudaHost,
            DeviceType::CudaManaged,
        ];
        all.into_iter().find(|kind| *kind as i32 == number)
    }

    /// That of a device's buffers.
    pub(crate) fn of(device: &Device) -> DeviceType {
        match device.is_gpu() {
            true => DeviceType::Cuda,
            false => DeviceType::Cpu,
        }
    }
}

impl fmt::Display for DLDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DLDevice {
            device_type,
            device_id,
        } = *self;
        match DeviceType::from_number(device_type) {
            Some(DeviceType::Cpu) => write!(f, "host memory"),
            Some(DeviceType::Cuda) => write!(f, "memory of GPU {device_id}"),
            Some(DeviceType::CudaHost) => write!(f, "page-locked host memory"),
            Some(DeviceType::CudaManaged) => write!(f, "managed memory"),
            None => write!(f, "memory of device {device_id} of type {device_type}"),
        }
    }
}

impl fmt::Display for DLDataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DLDataType { code, bits, lanes } = *self;
        match code {
            0 => write!(f, "i{bits}")?,
            1 => write!(f, "u{bits}")?,
            2 => write!(f, "f{bits}")?,
            4 => write!(f, "bf{bits}")?,
            5 => write!(f, "complex{bits}")?,
            6 => write!(f, "bool{bits}")?,
            _ => write!(f, "{bits} bits with code {code}")?,
        }
        match lanes {
            1 => Ok(()),
            _ => write!(f, "x{lanes}"),
        }
    }
}
