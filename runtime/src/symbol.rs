//! Statics of device code, as the host reaches them: copies in and out, and managed memory.

use std::ffi::CString;
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::sync::Arc;

use warploom_device_std::statics::{Static, StaticName, StaticValue};
use warploom_device_std::{ManagedStatic, Plain};
use warploom_manifest::container::Container;
use warploom_manifest::{self as manifest, Space};

use crate::cuda::DriverError;
use crate::cuda::memory::ManagedMemory;
use crate::cuda::module::Module;
use crate::device::{Backend, Device, Gpu};
use crate::launch::error::LaunchError;
use crate::module::embedded::{Modules, embedded, is_at, no_device_code};
use crate::stream::{Stream, StreamError};

/// A static of device code on one device: made by [`Device::symbol`].
///
/// CUDA: `cudaGetSymbolAddress`, `cudaGetSymbolSize`, `cudaMemcpyToSymbol`, `cudaMemcpyFromSymbol`; `cuModuleGetGlobal`.
///
/// ```
/// use std::sync::atomic::AtomicU32;
/// warploom_device_std::device_static! {
///     static COUNT: AtomicU32 = AtomicU32::new(4);
/// }
/// # let device = warploom_runtime::Device::emulator();
/// # let stream = device.stream()?;
/// let count = device.symbol(&COUNT)?;
/// assert_eq!((count.read(&stream)?, count.size()), (4, 4));
/// count.write(&stream, &0)?;
/// # assert_eq!(count.read(&stream)?, 0);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Symbol<T: Plain> {
    of: &'static dyn Static<Plain = T>,
    device: Device,
    /// On a GPU, of each image that has it; one but for constants.
    addresses: Vec<u64>,
}

/// A managed static on one device: made by [`Device::managed`]. Derefs to the value, which kernels may use at the same time.
///
/// CUDA: `cuMemAllocManaged`.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// warploom_device_std::managed_static! {
///     static TOTAL: AtomicU32 = AtomicU32::new(10);
/// }
/// # let device = warploom_runtime::Device::emulator();
/// let total = device.managed(&TOTAL)?;
/// assert_eq!(total.fetch_add(1, Relaxed), 10);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Managed<T: StaticValue> {
    value: *const T,
    device: Device,
}

// SAFETY: gives out shared references to a value that is `Sync`, and keeps the memory as long as it lives.
unsafe impl<T: StaticValue> Send for Managed<T> {}
// SAFETY: as above.
unsafe impl<T: StaticValue> Sync for Managed<T> {}

/// Why the host cannot reach a static of device code.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolError {
    /// The static has no memory on a GPU, because no device code uses it.
    #[error(
        "static `{name}` has no memory on {device}: no kernel of this program uses it; use it in a kernel, or make it an ordinary static of the host"
    )]
    Unused {
        /// The static's module and name.
        name: &'static str,
        /// The device's name.
        device: String,
    },
    /// Host and device disagree about the static.
    #[error(
        "static `{name}` has {host} bytes on the host, but {device} in the device code; rebuild the crate, and give its type `#[repr(C)]`"
    )]
    SizeMismatch {
        /// The static's module and name.
        name: &'static str,
        /// Bytes as the host sees it.
        host: u64,
        /// Bytes as the device sees it.
        device: u64,
    },
    /// The device code that has the static cannot be loaded.
    #[error("cannot load the device code that has static `{name}`: {source}")]
    Load {
        /// The static's module and name.
        name: &'static str,
        /// Why not.
        source: Box<LaunchError>,
    },
    /// Static and stream belong to different devices.
    #[error(
        "static `{name}` was asked of another device ({symbol}) than the stream's ({stream}); make both from the same `Device` or its clones"
    )]
    WrongDevice {
        /// The static's module and name.
        name: &'static str,
        /// The static's device.
        symbol: String,
        /// The stream's device.
        stream: String,
    },
    /// Earlier work failed: a kernel panicked, for example.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// The driver refused a call.
    #[error("cannot reach a static of the GPU: {0}")]
    Driver(#[from] DriverError),
}

impl Device {
    /// The instance that this device has of a static: of a `device_static!` or a `constant_static!`.
    ///
    /// Each device that was opened has an instance of its own, with the initial value at first; all emulators of the process share
    /// one. CUDA: `cudaGetSymbolAddress`.
    ///
    /// # Errors
    /// On a GPU [`SymbolError::Unused`] if no kernel of the program uses the static, and [`SymbolError::Load`] if the code that does
    /// cannot be loaded. None on the emulator.
    pub fn symbol<S: Static + 'static>(
        &self,
        of: &'static S,
    ) -> Result<Symbol<S::Plain>, SymbolError> {
        let addresses = match &self.0.backend {
            Backend::Emulator(_) => vec![],
            Backend::Cuda(gpu) => {
                let bytes = size_of::<S::Plain>() as u64;
                gpu.submission()
                    .modules
                    .addresses(gpu, self, of.name(), bytes)?
            }
        };
        Ok(Symbol {
            of,
            device: self.clone(),
            addresses,
        })
    }

    /// The memory that host and kernels of this device share under the name of a `managed_static!`.
    ///
    /// # Errors
    /// As [`symbol`](Device::symbol). [`SymbolError::Load`] as well if the GPU cannot be used from both sides at once.
    pub fn managed<T: StaticValue>(
        &self,
        of: &'static ManagedStatic<T>,
    ) -> Result<Managed<T>, SymbolError> {
        let value = match &self.0.backend {
            Backend::Emulator(_) => of.emulated(),
            Backend::Cuda(gpu) => {
                let bytes = size_of::<T>();
                gpu.submission()
                    .modules
                    .managed(gpu, self, of.name(), bytes)?
                    .cast()
            }
        };
        Ok(Managed {
            value,
            device: self.clone(),
        })
    }
}

impl<T: Plain> Symbol<T> {
    /// The static's address on the device, for kernels that take it as a number; a host address on the emulator. Valid while the
    /// device is open.
    ///
    /// Of a static in constant memory only the driver may make use of it. On the emulator it changes with each write of a constant.
    #[must_use]
    pub fn address(&self) -> u64 {
        match self.addresses.first() {
            Some(address) => *address,
            None => self.of.emulated().addr() as u64,
        }
    }

    /// Bytes of the static.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of::<T>()
    }

    /// Copies the value out, in order with the work on `stream`. CUDA: `cudaMemcpyFromSymbol`.
    ///
    /// Kernels on other streams may be changing it meanwhile; each word is then an old or a new one.
    ///
    /// # Errors
    /// [`SymbolError::WrongDevice`]. A kernel's panic and a GPU's failure, as [`Stream::synchronize`] reports them.
    pub fn read(&self, stream: &Stream) -> Result<T, SymbolError> {
        self.check_device(stream)?;
        stream.refuse_recording("read a static")?;
        let (Some(address), Backend::Cuda(gpu), Some(cuda)) = (
            self.addresses.first(),
            &self.device.0.backend,
            stream.queue().cuda(),
        ) else {
            let value = self.of.emulated_value();
            stream.synchronize()?;
            return Ok(value);
        };
        let mut value = MaybeUninit::<T>::uninit();
        {
            let _order = gpu.submission();
            // SAFETY: the variable has as many bytes as `T` (checked when it was found) and lives as long as the device; `value` lives
            // until the wait is over.
            unsafe { cuda.download(value.as_mut_ptr().cast(), *address, size_of::<T>())? };
        }
        stream.synchronize()?;
        // SAFETY: all bytes were written, and any bytes are a value of a plain type.
        Ok(unsafe { value.assume_init() })
    }

    /// Copies `value` in, in order with the work on `stream`; returns when the copy is done. CUDA: `cudaMemcpyToSymbol`.
    ///
    /// A static in constant memory is written when no kernel of the device runs: the call waits for all streams first.
    ///
    /// # Errors
    /// [`SymbolError::WrongDevice`]; nothing is written then. A kernel's panic and a GPU's failure, as [`Stream::synchronize`]
    /// reports them.
    pub fn write(&self, stream: &Stream, value: &T) -> Result<(), SymbolError> {
        self.check_device(stream)?;
        stream.refuse_recording("write a static")?;
        if let (Backend::Cuda(gpu), Some(cuda)) = (&self.device.0.backend, stream.queue().cuda()) {
            // Under the lock to the end: no kernel starts before the copy is complete.
            let _order = gpu.submission();
            if self.of.is_constant() {
                gpu.context.synchronize()?;
            }
            for address in &self.addresses {
                let from = std::ptr::from_ref(value).cast();
                // SAFETY: the variable has as many bytes as `T` (checked when it was found) and lives as long as the device; `value`
                // is borrowed until the wait is over. No kernel reads constants meanwhile; other statics change at any time.
                unsafe { cuda.upload(*address, from, size_of::<T>())? };
            }
            cuda.synchronize()?;
        } else {
            self.of
                .set_emulated_value(*value, &|value| Box::leak(Box::new(value)));
        }
        Ok(stream.synchronize()?)
    }

    fn check_device(&self, stream: &Stream) -> Result<(), SymbolError> {
        if self.device.is_same(stream.device()) {
            return Ok(());
        }
        Err(SymbolError::WrongDevice {
            name: self.of.name().path,
            symbol: self.device.name().to_owned(),
            stream: stream.device().name().to_owned(),
        })
    }
}

impl<T: StaticValue> Managed<T> {
    /// The address of the value: the same number on the host and in kernels.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.value.addr() as u64
    }

    /// The device whose kernels use the same memory.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<T: StaticValue> Deref for Managed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: initialised memory of a `T`, which lives as long as the device (kept here), or the program on the emulator. The GPU
        // allows access from both sides at once, and all change goes through atomics or unsafe functions (`StaticValue`).
        unsafe { &*self.value }
    }
}

/// A managed static's memory on one GPU.
pub(crate) struct Placed {
    symbol: &'static manifest::Symbol,
    memory: ManagedMemory,
}

type Definition = (&'static Container<'static>, &'static manifest::Symbol);

/// All device code that has a static of this name.
fn find(name: StaticName) -> Result<Vec<Definition>, SymbolError> {
    let failed = |source| SymbolError::Load {
        name: name.path,
        source: Box::new(source),
    };
    let containers = embedded().map_err(failed)?;
    if containers.iter().all(|c| c.manifest.kernels.is_empty()) {
        return Err(failed(no_device_code(containers, name.path)));
    }
    let place = (name.file, name.line, name.column);
    let found = containers.iter().flat_map(|container| {
        let symbols = container.manifest.symbols.iter();
        let named = symbols.filter(|s| s.name == name.path && is_at(&s.at, place));
        named.map(move |symbol| (container, symbol))
    });
    Ok(found.collect())
}

/// Whether two images mean one static. Their paths may differ in what stands before the package; two versions of one crate have other sizes at
/// worst, and then each its own memory.
fn same(a: &manifest::Symbol, b: &manifest::Symbol) -> bool {
    let place = (&*b.at.file, b.at.line, b.at.column);
    let kind = |symbol: &manifest::Symbol| (symbol.space, symbol.size);
    a.name == b.name && kind(a) == kind(b) && is_at(&a.at, place)
}

impl Modules {
    /// The code of other crates that this container's statics live in, as far as it is not loaded.
    pub(crate) fn missing_owners(
        &self,
        container: &Container<'_>,
    ) -> Result<Vec<&'static Container<'static>>, LaunchError> {
        let foreign = |s: &&manifest::Symbol| s.place.is_some() && self.known(s).is_none();
        let mut owners = Vec::new();
        for symbol in container.manifest.symbols.iter().filter(foreign) {
            let owns = |s: &manifest::Symbol| s.place.is_none() && same(s, symbol);
            let mut all = embedded()?.iter();
            owners.extend(all.find(|c| c.manifest.symbols.iter().any(owns)));
        }
        Ok(owners)
    }

    /// Settles where a fresh module's statics in device memory are, and tells it of those that are elsewhere.
    pub(crate) fn place_statics(
        &mut self,
        gpu: &Gpu,
        base: &'static str,
        (module, container): (&Module, &'static Container<'static>),
    ) -> Result<(), LaunchError> {
        let refused = |source| LaunchError::Driver {
            kernel: base,
            source,
        };
        let symbols = container.manifest.symbols.iter();
        for symbol in symbols.filter(|s| s.space == Space::Device) {
            let Some((own, _)) = variable(module, symbol).map_err(refused)? else {
                continue;
            };
            let Some(address) = self.known(symbol) else {
                self.known.push((symbol, own));
                continue;
            };
            let place = symbol.place.as_deref().and_then(|p| CString::new(p).ok());
            let place = place.map_or(Ok(None), |place| module.global(&place));
            let Some((place, 8)) = place.map_err(refused)? else {
                continue;
            };
            let address = address.to_le_bytes();
            // SAFETY: the variable has eight bytes, as was just checked. No kernel of the module runs yet; `address` lives until the
            // wait is over.
            unsafe { gpu.own_stream.upload(place, address.as_ptr(), 8) }
                .and_then(|()| gpu.own_stream.synchronize())
                .map_err(refused)?;
        }
        Ok(())
    }

    /// Where the static in device memory of this name is, if an image that has it is loaded.
    fn known(&self, symbol: &manifest::Symbol) -> Option<u64> {
        let known = self.known.iter().find(|(s, _)| same(s, symbol));
        known.map(|(_, address)| *address)
    }

    /// Where a static of device or constant memory is: constants are in each image that uses them.
    fn addresses(
        &mut self,
        gpu: &Gpu,
        device: &Device,
        name: StaticName,
        bytes: u64,
    ) -> Result<Vec<u64>, SymbolError> {
        let mut addresses = Vec::new();
        for (container, symbol) in find(name)? {
            let module = self.loaded(gpu, device, name.path, container);
            let module = module.map_err(|source| SymbolError::Load {
                name: name.path,
                source: Box::new(source),
            })?;
            if symbol.size != bytes {
                return Err(SymbolError::SizeMismatch {
                    name: name.path,
                    host: bytes,
                    device: symbol.size,
                });
            }
            if symbol.space == Space::Device {
                // Loading one image has settled where the static is for all.
                addresses.extend(self.known(symbol));
                break;
            }
            // The code for this architecture may do without it.
            addresses.extend(variable(module, symbol)?.map(|(address, _)| address));
        }
        if addresses.is_empty() {
            return Err(SymbolError::Unused {
                name: name.path,
                device: device.name().to_owned(),
            });
        }
        Ok(addresses)
    }

    /// Where a managed static of at least `bytes` bytes is.
    fn managed(
        &mut self,
        gpu: &Gpu,
        device: &Device,
        name: StaticName,
        bytes: usize,
    ) -> Result<*mut u8, SymbolError> {
        let found = find(name)?;
        for (container, symbol) in found {
            let module = self.loaded(gpu, device, name.path, container);
            module.map_err(|source| SymbolError::Load {
                name: name.path,
                source: Box::new(source),
            })?;
            let Some(placed) = self.placed.iter().find(|p| same(p.symbol, symbol)) else {
                continue;
            };
            if placed.memory.bytes() < bytes {
                return Err(SymbolError::SizeMismatch {
                    name: name.path,
                    host: bytes as u64,
                    device: placed.memory.bytes() as u64,
                });
            }
            return Ok(placed.memory.start());
        }
        Err(SymbolError::Unused {
            name: name.path,
            device: device.name().to_owned(),
        })
    }

    /// Tells a fresh module where the managed statics are; the first module that has one gives it its initial value.
    pub(crate) fn place_managed(
        &mut self,
        gpu: &Gpu,
        device: &Device,
        base: &'static str,
        (module, container): (&Module, &'static Container<'static>),
    ) -> Result<(), LaunchError> {
        let refused = |source| LaunchError::Driver {
            kernel: base,
            source,
        };
        let symbols = container.manifest.symbols.iter();
        for symbol in symbols.filter(|s| s.space == Space::Managed) {
            let Some((variable, size)) = variable(module, symbol).map_err(refused)? else {
                continue;
            };
            let damaged = || LaunchError::DamagedImages {
                reason: format!("static `{}` has {size} bytes", symbol.name),
            };
            let align = usize::try_from(symbol.align).map_err(|_| damaged())?;
            let bytes = size.checked_sub(align).ok_or_else(damaged)?;
            let known = self.placed.iter().find(|p| same(p.symbol, symbol));
            let start = match known {
                Some(placed) => placed.memory.start(),
                None => {
                    if !gpu
                        .context
                        .has_concurrent_managed_access()
                        .map_err(refused)?
                    {
                        return Err(LaunchError::NoManagedMemory {
                            kernel: base,
                            name: symbol.name.clone(),
                            device: device.name().to_owned(),
                        });
                    }
                    let memory = ManagedMemory::new(Arc::clone(&gpu.context), bytes);
                    let memory = memory.map_err(refused)?;
                    let to = memory.start().addr() as u64;
                    // SAFETY: behind the address, at the next multiple of the alignment, the variable has `bytes` bytes, the initial
                    // value; nothing uses the new memory yet.
                    unsafe { gpu.own_stream.copy(to, variable + symbol.align, bytes) }
                        .and_then(|()| gpu.own_stream.synchronize())
                        .map_err(refused)?;
                    let start = memory.start();
                    self.placed.push(Placed { symbol, memory });
                    start
                }
            };
            let address = (start.addr() as u64).to_le_bytes();
            // SAFETY: the variable starts with an address of eight bytes: it is at least as large as its alignment, which is that of
            // an address at least. No kernel of the module runs yet; `address` lives until the wait is over.
            unsafe { gpu.own_stream.upload(variable, address.as_ptr(), 8) }
                .and_then(|()| gpu.own_stream.synchronize())
                .map_err(refused)?;
        }
        Ok(())
    }
}

/// Address and size of a symbol's variable, if the module has it.
fn variable(
    module: &Module,
    symbol: &manifest::Symbol,
) -> Result<Option<(u64, usize)>, DriverError> {
    match CString::new(&*symbol.entry) {
        Ok(entry) => module.global(&entry),
        Err(_) => Ok(None),
    }
}

impl<T: Plain> fmt::Debug for Symbol<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbol")
            .field("name", &self.of.name().path)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

impl<T: StaticValue> fmt::Debug for Managed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Managed")
            .field("address", &self.address())
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_of_another_size_is_another_static() {
        let at = |file: &str, size| manifest::Symbol {
            name: "shop::COUNT".into(),
            at: manifest::Location {
                file: file.into(),
                line: 3,
                column: 1,
            },
            entry: "count".into(),
            space: Space::Device,
            size,
            align: 4,
            place: None,
        };
        let (here, there) = (at("src/lib.rs", 4), at("/registry/shop/src/lib.rs", 4));
        assert!(same(&here, &there));
        assert!(!same(&here, &at("/registry/shop/src/lib.rs", 4000)));
        assert!(!same(&here, &at("src/other.rs", 4)));
    }
}
