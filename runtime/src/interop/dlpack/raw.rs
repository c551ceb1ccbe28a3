//! The structures of other libraries become tensors, and tensors become structures.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

use super::{DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, Tensor, VERSION};
use crate::interop::error::InteropError;

impl Tensor {
    /// Takes a tensor of the form before version 1 (capsule `dltensor`) from another library. Its deleter is called once: when nothing needs
    /// the memory any more, or before an error is returned.
    ///
    /// # Errors
    /// [`InteropError::NullTensor`], [`InteropError::Malformed`].
    ///
    /// # Safety
    /// `managed` is null, or a structure of a producer that no other code takes. Its fields are right, its deleter may be called on any
    /// thread, and no other code uses the memory until it is called, except in work that streams order with that of this library.
    pub unsafe fn from_raw(managed: *mut DLManagedTensor) -> Result<Tensor, InteropError> {
        let managed = NonNull::new(managed).ok_or(InteropError::NullTensor)?;
        // SAFETY: the caller promises the structure.
        let DLManagedTensor {
            dl_tensor, deleter, ..
        } = *unsafe { managed.as_ref() };
        let owner = Theirs { managed, deleter };
        // SAFETY: the caller promises the fields until the deleter is called, which the owner does.
        unsafe { read(dl_tensor, 0, Box::new(owner)) }
    }

    /// Takes a tensor of version 1 (capsule `dltensor_versioned`) from another library; see [`from_raw`](Tensor::from_raw).
    ///
    /// # Errors
    /// [`InteropError::NullTensor`], [`InteropError::Malformed`]; [`InteropError::Version`] if the structure is one of a later version.
    ///
    /// # Safety
    /// As [`from_raw`](Tensor::from_raw); if the version is another one, for version and deleter.
    pub unsafe fn from_raw_versioned(
        managed: *mut DLManagedTensorVersioned,
    ) -> Result<Tensor, InteropError> {
        let managed = NonNull::new(managed).ok_or(InteropError::NullTensor)?;
        let structure = managed.as_ptr();
        // SAFETY: the caller promises the structure, of which all versions have the deleter at one place.
        let deleter = unsafe { (*structure).deleter };
        let owner = Theirs { managed, deleter };
        // SAFETY: as above, and the version likewise.
        let DLPackVersion { major, minor } = unsafe { (*structure).version };
        if major != VERSION.major {
            return Err(InteropError::Version { major, minor });
        }
        // SAFETY: the caller promises all fields of a structure of this version.
        let DLManagedTensorVersioned {
            dl_tensor, flags, ..
        } = *unsafe { managed.as_ref() };
        // SAFETY: the caller promises the fields until the deleter is called, which the owner does.
        unsafe { read(dl_tensor, flags, Box::new(owner)) }
    }

    /// Gives the tensor to another library, in the form before version 1 (capsule `dltensor`). The receiver calls the deleter, or the
    /// memory is never freed.
    ///
    /// That form cannot say that a tensor is read-only: such a tensor can be given away in version 1 only.
    ///
    /// # Errors
    /// [`InteropError::ReadOnly`].
    pub fn into_raw(self) -> Result<*mut DLManagedTensor, InteropError> {
        if self.is_read_only() {
            return Err(InteropError::ReadOnly);
        }
        let (described, _) = self.describe();
        let managed = Box::into_raw(Box::new(DLManagedTensor {
            dl_tensor: described.tensor,
            manager_ctx: Box::into_raw(described.ours).cast(),
            deleter: Some(delete),
        }));
        Ok(managed)
    }

    /// Gives the tensor to another library, in version 1 (capsule `dltensor_versioned`). The receiver calls the deleter, or the
    /// memory is never freed.
    #[must_use = "the memory is freed by the structure's deleter alone"]
    pub fn into_raw_versioned(self) -> *mut DLManagedTensorVersioned {
        let (described, flags) = self.describe();
        Box::into_raw(Box::new(DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: Box::into_raw(described.ours).cast(),
            deleter: Some(delete_versioned),
            flags,
            dl_tensor: described.tensor,
        }))
    }

    /// The C side of this tensor, with what keeps it, and the flags.
    fn describe(self) -> (Described, u64) {
        let mut ours = Box::new(Ours {
            shape: self.shape,
            strides: self.strides,
            _owner: self.owner,
        });
        let empty = ours.shape.contains(&0);
        let tensor = DLTensor {
            data: match empty {
                true => ptr::null_mut(),
                false => self.start.cast(),
            },
            device: self.device,
            ndim: i32::try_from(ours.shape.len()).unwrap_or(i32::MAX),
            dtype: self.element,
            shape: ours.shape.as_mut_ptr(),
            strides: ours
                .strides
                .as_mut()
                .map_or(ptr::null_mut(), |strides| strides.as_mut_ptr()),
            byte_offset: 0,
        };
        (Described { tensor, ours }, self.flags)
    }
}

struct Described {
    tensor: DLTensor,
    ours: Box<Ours>,
}

/// What a structure of ours points to.
struct Ours {
    shape: Box<[i64]>,
    strides: Option<Box<[i64]>>,
    _owner: Box<dyn Any + Send>,
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensor) {
    // SAFETY: the receiver calls this once, with what `into_raw` gave.
    let managed = unsafe { Box::from_raw(managed) };
    // SAFETY: as above.
    unsafe { end(managed.manager_ctx) };
}

unsafe extern "C" fn delete_versioned(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: the receiver calls this once, with what `into_raw_versioned` gave.
    let managed = unsafe { Box::from_raw(managed) };
    // SAFETY: as above.
    unsafe { end(managed.manager_ctx) };
}

/// # Safety
/// `ours` is the `Ours` of a structure that is gone.
unsafe fn end(ours: *mut c_void) {
    // SAFETY: made by `Box::into_raw`, and taken back once.
    drop(unsafe { Box::from_raw(ours.cast::<Ours>()) });
}

/// A structure of another library; its deleter is called when this is dropped.
struct Theirs<M> {
    managed: NonNull<M>,
    deleter: Option<unsafe extern "C" fn(*mut M)>,
}

// SAFETY: the structure is ours until the deleter is called, which may happen on any thread, as the caller of `from_raw` promised.
unsafe impl<M> Send for Theirs<M> {}

impl<M> Drop for Theirs<M> {
    fn drop(&mut self) {
        if let Some(deleter) = self.deleter {
            // SAFETY: called once, as the structure belongs to this value.
            unsafe { deleter(self.managed.as_ptr()) };
        }
    }
}

/// # Safety
/// The fields of `tensor` are right until `owner` is dropped: `shape` and `strides` have `ndim` numbers.
unsafe fn read(
    tensor: DLTensor,
    flags: u64,
    owner: Box<dyn Any + Send>,
) -> Result<Tensor, InteropError> {
    let malformed = |what| InteropError::Malformed { what };
    let ndim =
        usize::try_from(tensor.ndim).map_err(|_| malformed("a negative number of dimensions"))?;
    let numbers = |first: *mut i64| -> Option<Box<[i64]>> {
        match (first.is_null(), ndim) {
            (_, 0) => Some(Box::default()),
            (true, _) => None,
            // SAFETY: the caller promises as many numbers.
            (false, _) => Some(unsafe { std::slice::from_raw_parts(first, ndim) }.into()),
        }
    };
    let shape = numbers(tensor.shape).ok_or(malformed("dimensions, but no shape"))?;
    if shape.iter().any(|extent| *extent < 0) {
        return Err(malformed("a negative extent"));
    }
    let offset = usize::try_from(tensor.byte_offset)
        .map_err(|_| malformed("an offset beyond all addresses"))?;
    let start = match tensor.data.is_null() {
        true => ptr::null_mut(),
        false => tensor.data.cast::<u8>().wrapping_add(offset),
    };
    Ok(Tensor {
        start,
        device: tensor.device,
        element: tensor.dtype,
        strides: numbers(tensor.strides),
        shape,
        flags,
        after: None,
        owner,
    })
}
