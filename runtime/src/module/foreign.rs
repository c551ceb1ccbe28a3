//! Kernels that other compilers made, with types, and their launches.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Arc, Mutex};

use crate::cuda;
use crate::kernel::{Contract, Kernel, Param};
use crate::launch::cache::LoadedKernel;
use crate::launch::error::LaunchError;
use crate::launch::submit::submit_loaded;
use crate::launch_config::Launch;
use crate::module::error::ModuleError;
use crate::module::function::Function;
use crate::module::{Arguments, Loaded, Module, Signature};
use crate::stream::Stream;
use crate::sync::lock;

/// A kernel of a loaded module, with the types `P` of its parameters: made by [`Module::kernel`]. Keeps the module loaded.
///
/// What the kernel does with its arguments cannot be checked, so a launch is `unsafe`:
///
/// ```compile_fail,E0133
/// # use warploom_runtime::{Launch, Stream, module::ForeignKernel};
/// fn start(kernel: &ForeignKernel<(u32,)>, stream: &Stream) {
///     kernel.launch(stream, Launch::new(1, 32), (5,)).unwrap();
/// }
/// ```
///
/// Types and borrows are checked all the same:
///
/// ```compile_fail,E0277
/// # use warploom_runtime::{Launch, Stream, module::ForeignKernel};
/// unsafe fn start(kernel: &ForeignKernel<(u32,)>, stream: &Stream) {
///     unsafe { kernel.launch(stream, Launch::new(1, 32), (5.0f32,)).unwrap() };
/// }
/// ```
/// ```compile_fail,E0502
/// # use warploom_runtime::{DeviceBuffer, Launch, Stream, module::ForeignKernel};
/// unsafe fn start(kernel: &ForeignKernel<(*const f32, *mut f32)>, stream: &Stream, x: &mut DeviceBuffer<f32>) {
///     unsafe { kernel.launch(stream, Launch::new(1, 32), (&*x, x)).unwrap() };
/// }
/// ```
pub struct ForeignKernel<P> {
    function: Function,
    contract: Contract,
    params: Arc<[Param]>,
    ready: Arc<Mutex<LoadedKernel>>,
    loaded: Arc<Loaded>,
    types: PhantomData<fn(P)>,
}

impl Module {
    /// The kernel of this name, to be asked and told more. Its name is that in the code: `extern "C"` in CUDA C++, or the mangled one.
    /// CUDA: `cuModuleGetFunction`.
    ///
    /// # Errors
    /// [`ModuleError::NoKernel`] names those that there are, if the driver can tell.
    pub fn function(&self, name: &str) -> Result<Function, ModuleError> {
        let (function, _) = self.find(name)?;
        Ok(function)
    }

    /// The kernel of this name, with the types of its parameters: a tuple such as `(*const f32, *mut f32, i32)`, as
    /// [`ForeignParam`](super::ForeignParam) lists them.
    ///
    /// The number of parameters and their sizes are compared with those of the code, if the driver (12.4) can tell. Their meaning cannot be
    /// checked.
    ///
    /// # Errors
    /// [`ModuleError::NoKernel`], [`ModuleError::Signature`]; what the driver reports.
    pub fn kernel<P: Signature>(&self, name: &str) -> Result<ForeignKernel<P>, ModuleError> {
        let (function, raw) = self.find(name)?;
        let params = P::params();
        let given: Vec<u64> = params.iter().flat_map(Param::device_sizes).collect();
        check_sizes(name, &given, raw.parameter_sizes(given.len() + 1)?)?;
        let ready = LoadedKernel::new(raw, &params, &self.device().0.limits)?;
        Ok(ForeignKernel {
            contract: function.contract(),
            function,
            params: params.into(),
            ready: Arc::new(Mutex::new(ready)),
            loaded: Arc::clone(&self.0),
            types: PhantomData,
        })
    }

    fn find(&self, name: &str) -> Result<(Function, cuda::module::Function), ModuleError> {
        let raw = self.0.module.function(name);
        let raw = raw.map_err(|error| match error.code {
            // A name that is not there has an error of its own.
            NOT_FOUND => self.no_kernel(name),
            _ => error.into(),
        })?;
        let (cluster_at_launch, cluster) = match self.device().driver_version() {
            Some(version) if version >= CLUSTERS => raw.cluster()?,
            _ => (false, [0; 3]),
        };
        let contract = Contract {
            max_threads: raw.max_threads()?,
            cluster_at_launch,
            cluster,
            ..Contract::ANY
        };
        let function = Function::new(self.device(), keep(name), contract, Some(raw.clone()));
        Ok((function, raw))
    }

    fn no_kernel(&self, name: &str) -> ModuleError {
        let names = self.kernel_names();
        ModuleError::NoKernel {
            module: self.0.name.clone(),
            name: name.to_owned(),
            known: names.map_or_else(
                || {
                    "give the name that it has in PTX; C++ mangles names without `extern \"C\"`"
                        .to_owned()
                },
                |names| known(&names),
            ),
        }
    }
}

/// The first driver that knows clusters.
const CLUSTERS: (u32, u32) = (11, 8);

/// `CUDA_ERROR_NOT_FOUND`.
const NOT_FOUND: i32 = 500;

fn known(names: &[String]) -> String {
    match names {
        [] => "it has none at all".to_owned(),
        names => format!("it has {}", names.join(", ")),
    }
}

/// Errors name kernels by texts that live as long as the program: each name is kept once.
fn keep(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = lock(&NAMES);
    if let Some(kept) = names.get(name) {
        return kept;
    }
    let kept: &'static str = Box::leak(name.into());
    names.insert(kept);
    kept
}

/// Compares the sizes that the host's types have with those that the driver found.
fn check_sizes(kernel: &str, given: &[u64], found: Option<Vec<usize>>) -> Result<(), ModuleError> {
    let Some(found) = found else {
        return Ok(());
    };
    let found: Vec<u64> = found.into_iter().map(|size| size as u64).collect();
    let differs = |i: &usize| given.get(*i) != found.get(*i);
    let Some(i) = (0..given.len().max(found.len())).find(differs) else {
        return Ok(());
    };
    let text = |sizes: &[u64]| {
        let size = sizes.get(i);
        size.map_or_else(|| "nothing".to_owned(), |size| format!("{size} bytes"))
    };
    Err(ModuleError::Signature {
        kernel: kernel.to_owned(),
        parameter: i + 1,
        given: text(given),
        found: text(&found),
    })
}

impl<P> ForeignKernel<P> {
    /// The kernel without its types, to be asked and told more.
    #[must_use]
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The same for cooperative launches: all blocks are there at the same time, and may wait for each other. A grid that does not fit is
    /// refused. CUDA: `cuLaunchCooperativeKernel`.
    #[must_use]
    pub fn cooperative(mut self) -> ForeignKernel<P> {
        self.contract.cooperative = true;
        self
    }

    /// Starts the kernel on `stream`; returns before it ends. CUDA: `cuLaunchKernel`.
    ///
    /// The shape is checked as for every kernel. Work on other streams that used the buffers is waited for, on the device, as with every
    /// launch; the buffers live until the kernel is done.
    ///
    /// # Errors
    /// [`LaunchError`]; nothing ran then. What goes wrong later, [`Stream::synchronize`] reports.
    ///
    /// # Safety
    /// - The kernel has parameters of the types `P`, in this order.
    /// - With these arguments and in this shape it reads and writes no memory but its own and that of the arguments: elements of
    ///   `*const T` and `&[T]` to read, of `*mut T` and `&mut [T]` to read and write. Addresses in numbers or structs point to memory
    ///   that stays valid until the kernel is done, and that no other code accesses until then.
    /// - Its threads do not race.
    /// - On a stream that records a graph: all of this holds for each run of the graph, whatever runs before it.
    /// - It leaves values of their types in all elements that it writes, which for [`Plain`](warploom_device_std::Plain) types any bytes are.
    #[track_caller]
    pub unsafe fn launch<'a>(
        &self,
        stream: &Stream,
        shape: impl Into<Launch>,
        args: impl Arguments<'a, P>,
    ) -> Result<(), LaunchError> {
        let caller = Location::caller();
        let (name, device) = (self.function.static_name(), self.function.device());
        if !device.is_same(stream.device()) {
            return Err(LaunchError::WrongStream {
                kernel: name,
                module: device.name().to_owned(),
                stream: stream.device().name().to_owned(),
            });
        }
        let kernel = Kernel {
            name,
            base: name,
            package: "",
            contract: self.contract,
            params: &self.params,
            layouts: &[],
            index: 0,
            file: caller.file(),
            line: caller.line(),
        };
        // Before the launch: unloading the module meanwhile waits for it.
        self.loaded.module.note_launch();
        let shape = shape.into();
        // SAFETY: the caller's promise; the description is of the same types as the arguments, and the function of this device.
        args.with(|args| unsafe {
            submit_loaded(stream, shape, &kernel, args, &self.ready, caller)
        })
    }
}

impl<P> Clone for ForeignKernel<P> {
    fn clone(&self) -> Self {
        ForeignKernel {
            function: self.function.clone(),
            contract: self.contract,
            params: Arc::clone(&self.params),
            ready: Arc::clone(&self.ready),
            loaded: Arc::clone(&self.loaded),
            types: PhantomData,
        }
    }
}

impl<P> fmt::Debug for ForeignKernel<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignKernel")
            .field("name", &self.function.name())
            .field("module", &self.loaded.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //@ rows: GLA-15
    #[test]
    fn sizes_of_parameters_are_compared_one_by_one() {
        assert!(
            check_sizes("add", &[8, 4], None).is_ok(),
            "the driver cannot tell"
        );
        assert!(check_sizes("add", &[8, 4], Some(vec![8, 4])).is_ok());
        assert!(check_sizes("add", &[], Some(vec![])).is_ok());
        let text = |given: &[u64], found| {
            check_sizes("add", given, Some(found))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            text(&[8, 4], vec![8, 8]),
            "kernel `add` has 8 bytes as parameter 2, but its types on the host make that 4 bytes; give the types of its source, a pointer for each pointer"
        );
        assert!(
            text(&[8], vec![8, 4]).contains(
                "has 4 bytes as parameter 2, but its types on the host make that nothing"
            )
        );
        assert!(text(&[8, 4], vec![]).contains("has nothing as parameter 1"));
    }

    #[test]
    fn a_name_is_kept_once() {
        let (a, b) = (keep("add"), keep(&String::from("add")));
        assert!(std::ptr::eq(a, b));
        assert!(!std::ptr::eq(a, keep("sub")));
    }

    //@ rows: GDR-9
    #[test]
    fn a_missing_kernel_is_told_of_those_there_are() {
        assert_eq!(known(&[]), "it has none at all");
        assert_eq!(known(&["add".into(), "sub".into()]), "it has add, sub");
    }
}
