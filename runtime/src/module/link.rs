//! Several pieces of device code into one.

use std::fmt;
use std::sync::Arc;

use crate::cuda::Context;
use crate::cuda::link::{Input, Link};
use crate::module::error::ModuleError;
use crate::module::{Code, CodeKind, JitOptions, refused};

/// A link under way: made by [`Device::linker`](crate::Device::linker). Code added later may call functions of code added before, and
/// the other way round: `.extern` and `.visible` in PTX, `nvcc -rdc=true` for CUDA C++. CUDA: `CUlinkState`.
///
/// ```no_run
/// # use warploom_runtime::{Device, module::Code};
/// # let device = Device::cuda(0)?;
/// let mut linker = device.linker()?;
/// linker.add(&Code::file("kernels.ptx")?)?;
/// linker.add(&Code::file("helpers.cubin")?)?;
/// let linked = linker.complete()?;
/// let module = device.load(&linked.code()?)?;
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct Linker {
    link: Link,
    /// The names of what was added.
    names: Vec<String>,
}

/// What a link gives: a cubin for the device, or for the options' target.
#[derive(Clone, PartialEq, Eq)]
pub struct Linked {
    name: String,
    cubin: Vec<u8>,
    log: String,
}

impl Linker {
    pub(super) fn new(context: Arc<Context>, options: &JitOptions) -> Result<Linker, ModuleError> {
        Ok(Linker {
            link: Link::new(context, options.link()?)?,
            names: Vec::new(),
        })
    }

    /// Adds a piece of code; PTX is compiled now. CUDA: `cuLinkAddData`.
    ///
    /// # Errors
    /// [`ModuleError::Refused`] with the compiler's log and its first line with an error.
    pub fn add(&mut self, code: &Code<'_>) -> Result<(), ModuleError> {
        let input = match code.kind() {
            CodeKind::Ptx => Input::Ptx,
            CodeKind::Cubin => Input::Cubin,
            CodeKind::FatBinary => Input::FatBinary,
        };
        // SAFETY: `Code` is whole: PTX ends with a zero byte, and headers name no byte behind the end.
        let added = unsafe { self.link.add(input, code.name(), code.bytes()) };
        added.map_err(|error| refused(code.name(), code.as_ptx(), error))?;
        self.names.push(code.name().to_owned());
        Ok(())
    }

    /// Links what was added. CUDA: `cuLinkComplete`, `cuLinkDestroy`.
    ///
    /// # Errors
    /// [`ModuleError::NothingToLink`]; [`ModuleError::Refused`] with the linker's log, which names what is missing or there twice.
    pub fn complete(self) -> Result<Linked, ModuleError> {
        if self.names.is_empty() {
            return Err(ModuleError::NothingToLink);
        }
        let name = format!("the link of {}", self.names.join(", "));
        match self.link.complete() {
            Ok((cubin, jit)) => Ok(Linked {
                name,
                cubin,
                log: jit.logs().info,
            }),
            Err(error) => Err(refused(&name, None, error)),
        }
    }
}

impl Linked {
    /// The code, to be loaded.
    ///
    /// # Errors
    /// [`ModuleError::NotCode`] if the driver gave something else than a cubin.
    pub fn code(&self) -> Result<Code<'_>, ModuleError> {
        Ok(Code::binary(&self.cubin)?.named(&*self.name))
    }

    /// The cubin's bytes, to be kept for other runs of the program on such a GPU.
    #[must_use]
    pub fn into_cubin(self) -> Vec<u8> {
        self.cubin
    }

    /// What the linker said.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }
}

impl fmt::Debug for Linker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linker")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Linked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linked")
            .field("name", &self.name)
            .field("bytes", &self.cubin.len())
            .finish_non_exhaustive()
    }
}
