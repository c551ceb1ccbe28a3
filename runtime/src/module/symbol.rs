//! Variables of modules that other compilers made.

use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

use warploom_device_std::Plain;

use crate::module::error::ModuleError;
use crate::module::{Loaded, Module};
use crate::stream::{Stream, reject_in_host_callback};

/// A variable of a loaded module, as a `T`: made by [`Module::symbol`]. Keeps the module loaded.
///
/// ```no_run
/// # use warploom_runtime::{Device, module::Code};
/// # let device = Device::cuda(0)?;
/// # let stream = device.stream()?;
/// let module = device.load(&Code::file("filter.ptx")?)?;
/// let table = module.symbol::<[f32; 256]>("table")?; // __constant__ float table[256];
/// table.write(&stream, &[0.5; 256])?;
/// assert_eq!(table.read(&stream)?[7], 0.5);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct ModuleSymbol<T> {
    name: String,
    address: u64,
    loaded: Arc<Loaded>,
    value: PhantomData<fn() -> T>,
}

impl Module {
    /// The variable of this name, in device or constant memory. CUDA: `cuModuleGetGlobal`.
    ///
    /// # Errors
    /// [`ModuleError::NoSymbol`]; [`ModuleError::SymbolSize`] if it has another size than `T`.
    pub fn symbol<T: Plain>(&self, name: &str) -> Result<ModuleSymbol<T>, ModuleError> {
        let (address, found) = self.symbol_address(name)?;
        let given = size_of::<T>();
        if found != given {
            return Err(ModuleError::SymbolSize {
                name: name.to_owned(),
                given,
                found,
            });
        }
        Ok(ModuleSymbol {
            name: name.to_owned(),
            address,
            loaded: Arc::clone(&self.0),
            value: PhantomData,
        })
    }

    /// Address on the device, and bytes, of the variable of this name. Valid while the module is loaded. CUDA: `cuModuleGetGlobal`.
    ///
    /// # Errors
    /// [`ModuleError::NoSymbol`]; what the driver reports.
    pub fn symbol_address(&self, name: &str) -> Result<(u64, usize), ModuleError> {
        let found = match CString::new(name) {
            Ok(name) => self.0.module.global(&name)?,
            Err(_) => None, // no name has a zero byte
        };
        found.ok_or_else(|| ModuleError::NoSymbol {
            module: self.0.name.clone(),
            name: name.to_owned(),
        })
    }
}

impl<T: Plain> ModuleSymbol<T> {
    /// The variable's address on the device. Of one in constant memory only the driver may make use of it.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes of the variable.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of::<T>()
    }

    /// Copies the value out, in order with the work on `stream`. CUDA: `cudaMemcpyFromSymbol`.
    ///
    /// Kernels on other streams may be changing it meanwhile; each word is then an old or a new one.
    ///
    /// # Errors
    /// [`ModuleError::WrongDevice`]. A kernel's panic and a GPU's failure, as [`Stream::synchronize`] reports them.
    pub fn read(&self, stream: &Stream) -> Result<T, ModuleError> {
        self.check(stream, "read a variable")?;
        let mut value = MaybeUninit::<T>::zeroed();
        if let (Some(gpu), Some(cuda)) = (self.loaded.gpu(), stream.queue().cuda()) {
            let _order = gpu.submission();
            // SAFETY: the variable has as many bytes as `T` (checked when it was found) and lives as long as the module; `value` lives
            // until the wait is over.
            unsafe { cuda.download(value.as_mut_ptr().cast(), self.address, size_of::<T>())? };
        }
        stream.synchronize()?;
        // SAFETY: all bytes are set, and any bytes are a value of a plain type.
        Ok(unsafe { value.assume_init() })
    }

    /// Copies `value` in, in order with the work on `stream`; returns when the copy is done. CUDA: `cudaMemcpyToSymbol`.
    ///
    /// It is written when no kernel of the device runs: the variable may be in constant memory, so the call waits for all streams first.
    ///
    /// # Errors
    /// [`ModuleError::WrongDevice`]; nothing is written then. A kernel's panic and a GPU's failure, as [`Stream::synchronize`]
    /// reports them.
    pub fn write(&self, stream: &Stream, value: &T) -> Result<(), ModuleError> {
        self.check(stream, "write a variable")?;
        if let (Some(gpu), Some(cuda)) = (self.loaded.gpu(), stream.queue().cuda()) {
            // Under the lock to the end: no kernel starts before the copy is complete.
            let _order = gpu.submission();
            gpu.context.synchronize()?;
            let from = std::ptr::from_ref(value).cast();
            // SAFETY: the variable has as many bytes as `T` (checked when it was found) and lives as long as the module; `value` is
            // borrowed until the wait is over, and no kernel runs meanwhile.
            unsafe { cuda.upload(self.address, from, size_of::<T>())? };
            cuda.synchronize()?;
        }
        Ok(stream.synchronize()?)
    }

    fn check(&self, stream: &Stream, what: &'static str) -> Result<(), ModuleError> {
        reject_in_host_callback()?;
        stream.refuse_recording(what)?;
        let device = &self.loaded.device;
        if device.is_same(stream.device()) {
            return Ok(());
        }
        Err(ModuleError::WrongDevice {
            module: self.loaded.name.clone(),
            device: device.name().to_owned(),
            stream: stream.device().name().to_owned(),
        })
    }
}

impl<T> Clone for ModuleSymbol<T> {
    fn clone(&self) -> Self {
        ModuleSymbol {
            name: self.name.clone(),
            address: self.address,
            loaded: Arc::clone(&self.loaded),
            value: PhantomData,
        }
    }
}

impl<T> fmt::Debug for ModuleSymbol<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleSymbol")
            .field("name", &self.name)
            .field("module", &self.loaded.name)
            .finish_non_exhaustive()
    }
}
