//! A link of several pieces of device code into one.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use super::callback::run_outside_callback;
use super::context::Context;
use super::jit::Jit;
use super::module::LoadError;
use super::result::DriverError;
use super::sys::{CUlinkState, modules as sys};

/// What a piece of code is to the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    Cubin,
    Ptx,
    FatBinary,
}

/// A link under way.
#[derive(Debug)]
pub(crate) struct Link {
    context: Arc<Context>,
    raw: CUlinkState,
    /// The driver writes into it until the link is destroyed.
    jit: Box<Jit>,
}

impl Link {
    pub(crate) fn new(context: Arc<Context>, jit: Jit) -> Result<Link, DriverError> {
        context.bind()?;
        let mut jit = Box::new(jit);
        let mut raw = CUlinkState::NULL;
        let (count, keys, values) = jit.parts();
        // SAFETY: as many keys as values; they and the logs that they name live as long as the link.
        unsafe {
            context
                .driver
                .cuLinkCreate_v2(count, keys, values, &raw mut raw)?;
        }
        Ok(Link { context, raw, jit })
    }

    /// Compiles one more piece of code, if it is PTX, and adds it.
    ///
    /// # Safety
    /// `code` is whole: PTX ends with a zero byte, and the headers of binaries name no byte behind the end.
    pub(crate) unsafe fn add(
        &mut self,
        input: Input,
        name: &str,
        code: &[u8],
    ) -> Result<(), LoadError> {
        self.context.bind()?;
        let name = CString::new(name).unwrap_or_default();
        let kind = match input {
            Input::Cubin => sys::CU_JIT_INPUT_CUBIN,
            Input::Ptx => sys::CU_JIT_INPUT_PTX,
            Input::FatBinary => sys::CU_JIT_INPUT_FATBINARY,
        };
        let data = code.as_ptr().cast_mut().cast::<c_void>();
        // SAFETY: the driver reads `code` during the call, as the caller promises; no options of its own.
        let added = unsafe {
            self.context.driver.cuLinkAddData_v2(
                self.raw,
                kind,
                data,
                code.len(),
                name.as_ptr(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        added.map_err(|error| self.failed(error))
    }

    /// Links what was added. The bytes are a cubin for the GPU of the context, unless the options name another target.
    pub(crate) fn complete(self) -> Result<(Vec<u8>, Box<Jit>), LoadError> {
        self.context.bind()?;
        let (mut cubin, mut bytes) = (std::ptr::null_mut::<c_void>(), 0);
        // SAFETY: writes an address and a size to where we point; the link is alive.
        let completed = unsafe {
            self.context
                .driver
                .cuLinkComplete(self.raw, &raw mut cubin, &raw mut bytes)
        };
        completed.map_err(|error| self.failed(error))?;
        let linked = if cubin.is_null() {
            Vec::new()
        } else {
            // SAFETY: the driver's own memory of so many bytes, valid until the link is destroyed.
            unsafe { std::slice::from_raw_parts(cubin.cast::<u8>(), bytes) }.to_vec()
        };
        // The logs outlive the link, which the driver writes them from.
        let mut link = self;
        let jit = std::mem::replace(&mut link.jit, Box::new(Jit::errors_only(0)));
        drop(link);
        Ok((linked, jit))
    }

    fn failed(&self, error: DriverError) -> LoadError {
        LoadError {
            error,
            log: self.jit.logs().errors,
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let (context, raw) = (Arc::clone(&self.context), self.raw);
        let jit = std::mem::replace(&mut self.jit, Box::new(Jit::errors_only(0)));
        run_outside_callback(move || {
            let _ = context.bind();
            // SAFETY: destroyed once. Errors: the driver is shut down already.
            let _ = unsafe { context.driver.cuLinkDestroy(raw) };
            drop(jit); // the driver wrote into it until now
        });
    }
}
