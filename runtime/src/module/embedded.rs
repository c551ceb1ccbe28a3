//! Device code that the program carries: where it is, which of it a launch means, and loading it.

mod identity; // which kernel is meant

use std::ffi::CStr;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

use warploom_device_std::panic_record::PanicRecord;
use warploom_manifest as manifest;
use warploom_manifest::container::{Container, unpack};

use crate::cuda::module::{Function, LoadError, Module};
use crate::cuda::stream::Stream as CudaStream;
use crate::cuda::{Context, DriverError};
use crate::device::{Device, Gpu};
use crate::kernel::{Kernel, Param};
use crate::launch::error::LaunchError;
use crate::model::image_for;
use crate::panics::{MappedRecord, Reported};
use crate::symbol::Placed;

pub(crate) use identity::is_at;
use identity::{is_at_place, is_same_file, other_kernel};

/// Module variable that holds the record's device address, and [`PanicRecord::FREE`] until a thread panics.
const RECORD: &CStr = c"__warploom_panic_record";

/// The section of the program's file into which every crate with kernels puts its device code.
#[cfg(all(target_os = "linux", not(warploom_device)))]
mod section {
    use warploom_manifest::container::SECTION;

    const _: () = assert!(matches!(SECTION.as_bytes(), b"warploom_images"));

    /// Makes the section, and with it the linker's two symbols, exist in programs without device code. `unpack` skips zeros.
    #[used]
    #[unsafe(link_section = "warploom_images")]
    static EMPTY: [u64; 2] = [0; 2];

    unsafe extern "C" {
        #[link_name = "__start_warploom_images"]
        static START: u8;
        #[link_name = "__stop_warploom_images"]
        static STOP: u8;
    }

    pub(super) fn bytes() -> &'static [u8] {
        let (start, stop) = (&raw const START, &raw const STOP);
        // SAFETY: the linker puts the two symbols around one section, which is read-only for the life of the program.
        unsafe { std::slice::from_raw_parts(start, stop.addr() - start.addr()) }
    }
}

#[cfg(not(all(target_os = "linux", not(warploom_device))))]
mod section {
    pub(super) fn bytes() -> &'static [u8] {
        &[]
    }
}

/// What the program carries, read once. For tests of device code.
#[doc(hidden)]
pub fn embedded() -> Result<&'static [Container<'static>], LaunchError> {
    static FOUND: OnceLock<Result<Vec<Container<'static>>, String>> = OnceLock::new();
    match FOUND.get_or_init(|| unpack(section::bytes())) {
        Ok(found) => Ok(found),
        Err(reason) => Err(LaunchError::DamagedImages {
            reason: reason.clone(),
        }),
    }
}

/// The modules that one device has loaded.
#[derive(Default)]
pub(crate) struct Modules {
    loaded: Vec<Loaded>,
    /// Managed statics, which several modules may use.
    pub(crate) placed: Vec<Placed>,
    /// Statics in device memory, each at the one place that all modules use.
    pub(crate) known: Vec<(&'static manifest::Symbol, u64)>,
}

struct Loaded {
    container: &'static Container<'static>,
    module: Arc<Module>,
    /// `None` if the module cannot panic.
    panics: Option<Panics>,
}

struct Panics {
    record: MappedRecord,
    /// The address of the module's variable.
    variable: u64,
}

impl Panics {
    /// What the variable holds when no panic waits.
    fn free(&self) -> u64 {
        self.record.device_address() | PanicRecord::FREE
    }

    /// Queues what lets the next panic be written: the lower half of the variable, so that no thread sees a part of the address.
    fn give_free(&self, stream: &CudaStream) -> Result<(), DriverError> {
        // SAFETY: the variable has eight bytes (checked when it was found), and the module stays loaded.
        unsafe { stream.set(self.variable, 4, self.free() as u32, 1) }
    }
}

/// What a panicking thread wrote.
pub(crate) struct TakenPanic {
    pub(crate) reported: Reported,
    /// The kernel's full name, if the module knows its number.
    pub(crate) name: Option<&'static str>,
}

impl Modules {
    /// The device function that a launch means, loaded.
    pub(crate) fn function(
        &mut self,
        gpu: &Gpu,
        device: &Device,
        kernel: &Kernel<'_>,
        caller: &'static Location<'static>,
    ) -> Result<Function, LaunchError> {
        let (container, described) = find(embedded()?, kernel, caller)?;
        check_described(kernel, described)?;
        let module = self.loaded(gpu, device, kernel.base, container)?;
        let refused = |source| LaunchError::Driver {
            kernel: kernel.base,
            source,
        };
        let mut function = module.function(&described.entry).map_err(refused)?;
        // Images for older architectures have no such instruction: their launches start when the kernels ahead have ended.
        let image = image_for(&container.manifest.images, kernel.base, device)?;
        if described.contract.is_some_and(|c| c.waits_in(image.sm)) {
            // SAFETY: the device pass lets all threads begin with the wait there.
            function = unsafe { function.dependent() };
        }
        let host: Vec<u64> = kernel.params.iter().flat_map(Param::device_sizes).collect();
        let sizes = function.parameter_sizes(host.len() + 1).map_err(refused)?;
        check_parameters(kernel, &host, sizes)?;
        Ok(function)
    }

    /// The module of a container; loads it if need be. `base` is what needs it: a kernel or a static.
    pub(crate) fn loaded(
        &mut self,
        gpu: &Gpu,
        device: &Device,
        base: &'static str,
        container: &'static Container<'static>,
    ) -> Result<&Arc<Module>, LaunchError> {
        let is_it = |loaded: &Loaded| std::ptr::eq(loaded.container, container);
        let at = match self.loaded.iter().position(is_it) {
            Some(at) => at,
            None => {
                for owner in self.missing_owners(container)? {
                    self.loaded(gpu, device, base, owner)?;
                }
                let loaded = load(gpu, device, base, container)?;
                let known = self.known.len();
                let placed = self
                    .place_statics(gpu, base, (&loaded.module, container))
                    .and_then(|()| {
                        self.place_managed(gpu, device, base, (&loaded.module, container))
                    });
                if let Err(error) = placed {
                    // The module goes, and with it the statics that it brought.
                    self.known.truncate(known);
                    return Err(error);
                }
                self.loaded.push(loaded);
                self.loaded.len() - 1
            }
        };
        Ok(&self.loaded[at].module)
    }

    /// Takes a panic out of a module that had one.
    pub(crate) fn take_panic(
        &self,
        stream: &CudaStream,
    ) -> Result<Option<TakenPanic>, DriverError> {
        for loaded in &self.loaded {
            let Some(panics) = &loaded.panics else {
                continue;
            };
            let Some(record) = panics.record.take() else {
                continue;
            };
            let reported =
                Reported::of(&record, &|address, bytes| constant(stream, address, bytes));
            if let Err(error) = panics.give_free(stream) {
                // The variable stays taken, so no thread writes the record: the next wait finds it.
                panics.record.put_back(&record);
                return Err(error);
            }
            // The panic came first. If the device is broken, the next wait says so.
            let _ = stream.synchronize();
            let kernels = &loaded.container.manifest.kernels;
            let name = kernels.iter().find(|kernel| kernel.id == reported.kernel);
            return Ok(Some(TakenPanic {
                reported,
                name: name.map(|kernel| &*kernel.name),
            }));
        }
        Ok(None)
    }
}

/// What stands at an address of a module's constants, which a panicked thread has told.
fn constant(stream: &CudaStream, address: u64, bytes: usize) -> Result<Vec<u8>, DriverError> {
    let mut content = vec![0; bytes];
    // SAFETY: the driver refuses addresses that are not the GPU's; the wait below ends before `content` does.
    unsafe { stream.download(content.as_mut_ptr(), address, bytes)? };
    stream.synchronize()?;
    Ok(content)
}

/// Refuses a kernel that no GPU like this device can load, by what the program carries. Kernels without device code are left alone.
///
/// # Errors
/// [`LaunchError::NoImage`].
pub(crate) fn check_capability(
    kernel: &Kernel<'_>,
    device: &Device,
    caller: &'static Location<'static>,
) -> Result<(), LaunchError> {
    let Ok((container, _)) = embedded().and_then(|all| find(all, kernel, caller)) else {
        return Ok(());
    };
    image_for(&container.manifest.images, kernel.base, device).map(drop)
}

/// The container and the kernel in it that a launch means: by name, package with version, and place, also if there is only one of the name.
pub(crate) fn find<'c>(
    containers: &'c [Container<'c>],
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<(&'c Container<'c>, &'c manifest::Kernel), LaunchError> {
    let named: Vec<_> = containers
        .iter()
        .flat_map(|container| {
            container
                .manifest
                .kernels
                .iter()
                .map(move |k| (container, k))
        })
        .filter(|(_, described)| described.name == kernel.name)
        .collect();
    let is_it = |(_, described): &(_, &manifest::Kernel)| {
        described.package == kernel.package && is_at_place(described, kernel)
    };
    let mut found: Vec<_> = named.iter().copied().filter(is_it).collect();
    if found.is_empty()
        && let Some((_, other)) = named.first()
    {
        let same_package = named.iter().find(|(_, k)| k.package == kernel.package);
        let other = same_package.map_or(*other, |(_, described)| *described);
        return Err(other_kernel(kernel, other));
    }
    // A library and the program beside it may have kernels of one name in files of one name.
    narrow(&mut found, |(_, described)| {
        is_same_file(&described.file, kernel.file)
    });
    // Two closures of one function have one name: the line tells them apart, then the layout.
    narrow(&mut found, |(_, described)| {
        let caller = (caller.file(), caller.line(), caller.column());
        described.launched_at.iter().any(|at| is_at(at, caller))
    });
    narrow(&mut found, |(_, described)| {
        differing(kernel.params, &described.params).is_none()
    });
    match &*found {
        [] => Err(no_device_code(containers, kernel.name)),
        [first] => Ok(*first),
        // A library's kernel may be in the library's container and in that of a program that uses it: the same code. Two of one
        // target are two instances.
        [first, rest @ ..]
            if rest
                .iter()
                .all(|(other, _)| other.manifest.target != first.0.manifest.target) =>
        {
            Ok(*first)
        }
        all => Err(LaunchError::Ambiguous {
            kernel: kernel.name,
            count: all.len(),
            caller,
        }),
    }
}

/// Keeps what `wanted` accepts, if there is a choice and it accepts any.
fn narrow<T>(found: &mut Vec<T>, wanted: impl Fn(&T) -> bool) {
    if found.len() > 1 && found.iter().any(&wanted) {
        found.retain(wanted);
    }
}

#[cold]
pub(crate) fn no_device_code(containers: &[Container<'_>], name: &'static str) -> LaunchError {
    let failures: Vec<_> = containers
        .iter()
        .filter_map(|container| {
            let failure = container.manifest.failure.as_ref()?;
            Some(format!(
                "the device pass of {} failed: {failure}",
                container.manifest.target
            ))
        })
        .collect();
    let reason = if failures.is_empty() {
        "the crate that launches it needs a build.rs with `warploom_build::compile()`; WARPLOOM_DEVICE=emulator runs it on the CPU".to_owned()
    } else {
        failures.join("; ")
    };
    LaunchError::NoDeviceCode {
        kernel: name,
        reason,
    }
}

/// Position of the first parameter that host and device see differently.
fn differing(host: &[Param], device: &[Param]) -> Option<usize> {
    (0..host.len().max(device.len())).find(|i| host.get(*i) != device.get(*i))
}

pub(crate) fn check_layout(kernel: &Kernel<'_>, device: &[Param]) -> Result<(), LaunchError> {
    let Some(i) = differing(kernel.params, device) else {
        return Ok(());
    };
    let text = |param: Option<Param>| param.map_or_else(|| "absent".to_owned(), |p| p.to_string());
    Err(LaunchError::LayoutMismatch {
        kernel: kernel.base,
        parameter: i + 1,
        host: text(kernel.params.get(i).copied()),
        device: text(device.get(i).copied()),
    })
}

/// Refuses device code that was compiled for other types, conditions or shapes than the host's launch.
pub(crate) fn check_described(
    kernel: &Kernel<'_>,
    described: &manifest::Kernel,
) -> Result<(), LaunchError> {
    check_layout(kernel, &described.params)?;
    let mut layouts = kernel.layouts.iter().zip(&described.layouts);
    if let Some(at) = layouts.position(|(host, device)| host != device) {
        return Err(LaunchError::FieldMismatch {
            kernel: kernel.base,
            parameter: at + 1,
        });
    }
    let device = described.contract.as_ref();
    match device.and_then(|device| kernel.contract.difference(device)) {
        None => Ok(()),
        Some((part, host, device)) => Err(LaunchError::ContractMismatch {
            kernel: kernel.base,
            part,
            host,
            device,
        }),
    }
}

/// Compares with what the driver itself found in the PTX. A wrong count here would make the driver read wild addresses.
fn check_parameters(
    kernel: &Kernel<'_>,
    host: &[u64],
    driver: Option<Vec<usize>>,
) -> Result<(), LaunchError> {
    let Some(driver) = driver else {
        return Ok(());
    };
    let driver: Vec<u64> = driver.into_iter().map(|size| size as u64).collect();
    if host == driver {
        return Ok(());
    }
    let i = (0..host.len().max(driver.len())).find(|i| host.get(*i) != driver.get(*i));
    let text = |size: Option<&u64>| {
        size.map_or_else(
            || "absent".to_owned(),
            |size| format!("a machine parameter of {size} bytes"),
        )
    };
    let i = i.unwrap_or_default();
    Err(LaunchError::LayoutMismatch {
        kernel: kernel.base,
        parameter: i + 1,
        host: text(host.get(i)),
        device: text(driver.get(i)),
    })
}

fn load(
    gpu: &Gpu,
    device: &Device,
    base: &'static str,
    container: &'static Container<'static>,
) -> Result<Loaded, LaunchError> {
    let image = image_for(&container.manifest.images, base, device)?;
    let ptx = container
        .ptx(image)
        .and_then(|ptx| CStr::from_bytes_with_nul(ptx).ok())
        .ok_or_else(|| LaunchError::DamagedImages {
            reason: format!(
                "the sm_{} code of {} is cut off",
                image.sm, container.manifest.target
            ),
        })?;
    let refused = |LoadError { error, log }| LaunchError::Refused {
        kernel: base,
        target: container.manifest.target.clone(),
        log,
        source: Box::new(error),
    };
    let module = Module::load(Arc::clone(&gpu.context), ptx).map_err(refused)?;
    let panics = watch(&module, &gpu.context, &gpu.own_stream)
        .map_err(|error| refused(LoadError::from(error)))?;
    crate::print::connect(&module, gpu, device).map_err(|error| refused(LoadError::from(error)))?;
    Ok(Loaded {
        container,
        module,
        panics,
    })
}

/// Tells a fresh module where to report panics; `None` if it has no such variable because it cannot panic.
fn watch(
    module: &Module,
    context: &Arc<Context>,
    stream: &CudaStream,
) -> Result<Option<Panics>, DriverError> {
    let Some((variable, 8)) = module.global(RECORD)? else {
        return Ok(None);
    };
    let record = MappedRecord::new(Arc::clone(context))?;
    let panics = Panics { record, variable };
    let free = panics.free().to_le_bytes();
    // SAFETY: the variable has eight bytes, as was just checked; `free` is valid until the copy has completed.
    unsafe { stream.upload(variable, free.as_ptr(), free.len())? };
    stream.synchronize()?;
    Ok(Some(panics))
}

#[cfg(test)]
#[path = "embedded_tests.rs"]
mod tests;
