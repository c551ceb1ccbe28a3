//! Maps of tensors, as the driver encodes them.

use std::ffi::{c_int, c_uint, c_void};

use warploom_emulator::tensor::{MOST_DIMENSIONS, TensorMap};

use super::context::Context;
use super::result::DriverError;
use super::sys::memory::CUtensorMap;

/// What `cuTensorMapEncodeTiled` is told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tiled {
    pub(crate) map: TensorMap,
    /// The driver's number for what the second cache fetches at least.
    pub(crate) promotion: u32,
}

impl Tiled {
    /// The map as kernels get it.
    pub(crate) fn encode(&self, context: &Context) -> Result<[u64; 16], DriverError> {
        context.bind()?;
        let map = &self.map;
        let mut encoded = CUtensorMap::default();
        let base = std::ptr::without_provenance_mut::<c_void>(map.base as usize);
        // The driver takes the strides from the second dimension on.
        let strides: [u64; MOST_DIMENSIONS - 1] = std::array::from_fn(|i| map.strides[i + 1]);
        // SAFETY: the arrays have as many elements as dimensions, but one less of strides; the map is aligned to 64 bytes; the address is that of memory of the context.
        unsafe {
            context.driver.cuTensorMapEncodeTiled(
                &raw mut encoded,
                map.element as c_int,
                map.rank as c_uint,
                base,
                map.dims.as_ptr(),
                strides.as_ptr(),
                map.extents.as_ptr(),
                map.steps.as_ptr(),
                0, // no interleaving
                map.swizzle as c_int,
                self.promotion as c_int,
                map.fill as c_int,
            )?;
        }
        Ok(encoded.0)
    }
}
