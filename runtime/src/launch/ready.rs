//! Kernels that are ready to be launched: found again without comparing texts, and with what the latest launch of each was found to be.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;
use std::sync::{Arc, MutexGuard};

use crate::cuda::DriverError;
use crate::cuda::module::Function;
use crate::device::{Device, Gpu, Submission};
use crate::launch::check::{check_shape, check_shared, check_threads};
use crate::launch::together::check_resident;
use crate::launch::{CheckedShape, Contract, Kernel, Launch, LaunchError, Param};

/// Kernels that were launched before, by the lines that launch them.
pub(crate) struct Cache {
    ready: Vec<(Key, Ready)>,
    /// Places in `ready`.
    places: HashMap<Key, usize, BuildHasherDefault<AddressHasher>>,
    /// The latest of the places that fall on each of these, so that most launches look at one.
    latest: [usize; LATEST],
}

/// A power of two.
const LATEST: usize = 64;

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            ready: vec![],
            places: HashMap::default(),
            latest: [usize::MAX; LATEST],
        }
    }
}

impl Cache {
    /// The kernel that this line launched before, if it is the latest that falls on its place.
    #[inline]
    pub(super) fn latest(
        &mut self,
        name: &'static str,
        caller: &'static Location<'static>,
    ) -> Option<&mut Ready> {
        let key = Key::new(name, caller);
        let (known, ready) = self.ready.get_mut(self.latest[key.slot()])?;
        (*known == key).then_some(ready)
    }

    /// Where a kernel with these parameters is.
    fn place(&mut self, key: Key, params: &[Param]) -> Option<usize> {
        let at = *self.places.get(&key)?;
        if *self.ready[at].1.params != *params {
            return None;
        }
        self.latest[key.slot()] = at;
        Some(at)
    }

    /// Keeps a kernel in the place of another that this line launched, or in a new one.
    fn keep(&mut self, key: Key, ready: Ready) -> usize {
        let next = self.ready.len();
        let at = *self.places.entry(key).or_insert(next);
        match self.ready.get_mut(at) {
            Some(old) => *old = (key, ready),
            None => self.ready.push((key, ready)),
        }
        self.latest[key.slot()] = at;
        at
    }
}

/// The device's code of a kernel (`loaded`, if somebody else loaded it) and the shape of the launch, for which it is prepared; `None` if
/// there is nothing to cover.
pub(super) fn find<'s>(
    (gpu, device): (&Gpu, &Device),
    submission: &'s mut Submission,
    loaded: &'s mut Option<MutexGuard<'_, Ready>>,
    launch: &Launch,
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<Option<(&'s mut Ready, CheckedShape)>, LaunchError> {
    let Submission { modules, cache, .. } = submission;
    let found = match loaded {
        Some(loaded) => &mut **loaded,
        None => {
            let key = Key::new(kernel.name, caller);
            let known = cache.place(key, kernel.params);
            let at = match known {
                Some(at) => at,
                None => {
                    // A shape that is wrong is told before anything is loaded, and nothing is loaded for no threads.
                    if check_shape(launch, kernel, device)?.is_none() {
                        return Ok(None);
                    }
                    cache.keep(key, load(gpu, modules, device, kernel, caller)?)
                }
            };
            &mut cache.ready[at].1
        }
    };
    let shape = found.admit(launch, kernel, device)?;
    Ok(shape.map(|shape| (found, shape)))
}

/// A kernel that can be launched.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(super) function: Function,
    pub(super) params: Arc<[Param]>,
    max_threads: u32,
    static_shared_bytes: u32,
    /// Dynamic shared memory that launches may have without asking the driver.
    dynamic_shared_bytes: u32,
    /// The latest launch that was checked and can be repeated.
    pub(super) passed: Option<Passed>,
    /// Where the latest launch was noted as one whose end is not known.
    pub(super) noted: usize,
}

/// A launch and the contract that it was checked against, with what it comes to on the device of a [`Ready`].
#[derive(Debug)]
pub(super) struct Passed {
    launch: Launch,
    contract: Contract,
    pub(super) shape: CheckedShape,
}

impl Passed {
    /// Whether it is this launch.
    #[inline]
    pub(super) fn is(&self, launch: &Launch, contract: &Contract) -> bool {
        self.launch == *launch && self.contract.is(contract)
    }
}

impl Ready {
    /// Asks the driver what a launch has to know.
    pub(crate) fn new(
        function: Function,
        params: &[Param],
        device: &Device,
    ) -> Result<Ready, DriverError> {
        let static_shared_bytes = function.static_shared_bytes()?;
        let without_asking = device.0.limits.shared_bytes;
        Ok(Ready {
            max_threads: function.max_threads()?,
            static_shared_bytes,
            dynamic_shared_bytes: without_asking.saturating_sub(static_shared_bytes),
            params: params.into(),
            function,
            passed: None,
            noted: 0,
        })
    }

    /// The shape of a launch, if device, contract and code allow it; `None` if there is nothing to cover.
    fn admit(
        &mut self,
        launch: &Launch,
        kernel: &Kernel<'_>,
        device: &Device,
    ) -> Result<Option<CheckedShape>, LaunchError> {
        if let Some(passed) = &self.passed
            && passed.is(launch, &kernel.contract)
        {
            return Ok(Some(passed.shape));
        }
        let Some(shape) = check_shape(launch, kernel, device)? else {
            return Ok(None);
        };
        prepare(self, device, &shape, kernel)?;
        // Whether blocks that wait for each other have room is asked for anew each time.
        if !(shape.cluster.told || shape.cooperative) {
            self.passed = Some(Passed {
                launch: *launch,
                contract: kernel.contract,
                shape,
            });
        }
        Ok(Some(shape))
    }
}

/// Prepares a kernel for a launch of this shape, or refuses it.
fn prepare(
    found: &mut Ready,
    device: &Device,
    shape: &CheckedShape,
    kernel: &Kernel<'_>,
) -> Result<(), LaunchError> {
    check_threads(kernel, shape, found.max_threads)?;
    if shape.dynamic_shared_bytes > found.dynamic_shared_bytes {
        check_shared(kernel, device, shape, found.static_shared_bytes)?;
        let allowed = found
            .function
            .allow_dynamic_shared(shape.dynamic_shared_bytes);
        allowed.map_err(|source| LaunchError::Driver {
            kernel: kernel.base,
            source,
        })?;
        found.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    }
    if shape.cluster.told || shape.cooperative {
        prepare_together(device, kernel, shape, &found.function)?;
    }
    Ok(())
}

/// Asks for what clusters and cooperative grids need.
#[cold]
fn prepare_together(
    device: &Device,
    kernel: &Kernel<'_>,
    shape: &CheckedShape,
    function: &Function,
) -> Result<(), LaunchError> {
    let refused = |source: DriverError| LaunchError::Driver {
        kernel: kernel.base,
        source,
    };
    if shape.cluster.large {
        function.allow_large_clusters().map_err(refused)?;
    }
    // How clusters share the multiprocessors only the driver knows: it refuses what has no place.
    if shape.cooperative && shape.cluster.extents == [1; 3] {
        let (threads, shared) = (shape.threads_per_block(), shape.dynamic_shared_bytes);
        let blocks = function
            .blocks_per_multiprocessor(threads, shared)
            .map_err(refused)?;
        let limit = u64::from(blocks) * u64::from(device.0.limits.multiprocessors);
        check_resident(kernel, device, shape, limit)?;
    }
    Ok(())
}

#[cold]
fn load(
    gpu: &Gpu,
    modules: &mut crate::module::Modules,
    device: &Device,
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<Ready, LaunchError> {
    let function = modules.function(gpu, device, kernel, caller)?;
    Ready::new(function, kernel.params, device).map_err(|source| LaunchError::Driver {
        kernel: kernel.base,
        source,
    })
}

/// Addresses of the name and of the launching line. Equal texts may have several addresses; that costs an entry each.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    name: usize,
    name_len: usize,
    caller: usize,
}

impl Key {
    #[inline]
    fn new(name: &'static str, caller: &'static Location<'static>) -> Key {
        Key {
            name: name.as_ptr().addr(),
            name_len: name.len(),
            caller: std::ptr::from_ref(caller).addr(),
        }
    }

    /// Where it falls among [`LATEST`]: mixed as below.
    #[inline]
    fn slot(self) -> usize {
        let mixed = ((self.name as u64).rotate_left(26) ^ self.caller as u64).wrapping_mul(SPREAD);
        (mixed >> (u64::BITS - LATEST.trailing_zeros())) as usize
    }
}

/// An odd multiplier close to 2^64 divided by the golden ratio spreads neighbouring addresses.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes addresses; std's default would cost more than the rest of a launch's checks.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, word: usize) {
        self.0 = (self.0.rotate_left(26) ^ word as u64).wrapping_mul(SPREAD);
    }
}
