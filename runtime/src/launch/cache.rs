//! Kernels that are ready to be launched: found again without comparing texts, and with what the latest launch of each was found to be.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;
use std::sync::Arc;

use crate::cuda::DriverError;
use crate::cuda::module::Function;
use crate::kernel::{Contract, Kernel, Param};
use crate::launch_config::Launch;
use crate::launch_shape::CheckedShape;
use crate::limits::Limits;

/// Kernels that were launched before, by the lines that launch them.
pub(crate) struct LaunchCache {
    loaded: Vec<(Key, LoadedKernel)>,
    /// Places in `loaded`.
    places: HashMap<Key, usize, BuildHasherDefault<AddressHasher>>,
    /// The latest of the places that fall on each of these, so that most launches compare one key.
    latest: [usize; LATEST],
}

/// A power of two.
const LATEST: usize = 64;

impl Default for LaunchCache {
    fn default() -> LaunchCache {
        LaunchCache {
            loaded: vec![],
            places: HashMap::default(),
            latest: [usize::MAX; LATEST],
        }
    }
}

impl LaunchCache {
    /// The kernel that this line launched before, if it is the latest that falls on its place.
    #[inline]
    pub(super) fn latest(
        &mut self,
        kernel: &Kernel<'_>,
        caller: &'static Location<'static>,
    ) -> Option<&mut LoadedKernel> {
        let key = Key::new(kernel, caller);
        let (known, kernel) = self.loaded.get_mut(self.latest[key.slot()])?;
        (*known == key).then_some(kernel)
    }

    /// Where the kernel, with its parameters, is.
    pub(super) fn find(
        &mut self,
        kernel: &Kernel<'_>,
        caller: &'static Location<'static>,
    ) -> Option<usize> {
        let key = Key::new(kernel, caller);
        let at = *self.places.get(&key)?;
        if *self.loaded[at].1.params != *kernel.params {
            return None;
        }
        self.latest[key.slot()] = at;
        Some(at)
    }

    /// The kernel that [`find`](Self::find) or [`keep`](Self::keep) gave this number.
    pub(super) fn at(&mut self, at: usize) -> &mut LoadedKernel {
        &mut self.loaded[at].1
    }

    /// Keeps a kernel in the place of another that this line launched, or in a new one.
    pub(super) fn keep(
        &mut self,
        kernel: &Kernel<'_>,
        caller: &'static Location<'static>,
        loaded: LoadedKernel,
    ) -> usize {
        let key = Key::new(kernel, caller);
        let next = self.loaded.len();
        let at = *self.places.entry(key).or_insert(next);
        match self.loaded.get_mut(at) {
            Some(old) => *old = (key, loaded),
            None => self.loaded.push((key, loaded)),
        }
        self.latest[key.slot()] = at;
        at
    }
}

/// A kernel that can be launched.
#[derive(Debug)]
pub(crate) struct LoadedKernel {
    pub(super) function: Function,
    pub(super) params: Arc<[Param]>,
    pub(super) max_threads: u32,
    pub(super) static_shared_bytes: u32,
    /// Dynamic shared memory that launches may have without asking the driver.
    pub(super) dynamic_shared_bytes: u32,
    /// The latest launch that was checked and can be repeated.
    pub(super) validated: Option<ValidatedLaunch>,
    /// Where the latest launch was noted as one whose end is not known.
    pub(super) recent_index: usize,
}

/// A launch and the contract that it was checked against, with what it comes to on the device of a [`LoadedKernel`].
#[derive(Debug)]
pub(super) struct ValidatedLaunch {
    pub(super) launch: Launch,
    pub(super) contract: Contract,
    pub(super) shape: CheckedShape,
}

impl ValidatedLaunch {
    /// Whether it is this launch.
    #[inline]
    pub(super) fn is(&self, launch: &Launch, contract: &Contract) -> bool {
        self.launch == *launch && self.contract.is(contract)
    }
}

impl LoadedKernel {
    /// Asks the driver what a launch has to know.
    pub(crate) fn new(
        function: Function,
        params: &[Param],
        limits: &Limits,
    ) -> Result<LoadedKernel, DriverError> {
        let static_shared_bytes = function.static_shared_bytes()?;
        let without_asking = limits.shared_bytes;
        Ok(LoadedKernel {
            max_threads: function.max_threads()?,
            static_shared_bytes,
            dynamic_shared_bytes: without_asking.saturating_sub(static_shared_bytes),
            params: params.into(),
            function,
            validated: None,
            recent_index: 0,
        })
    }
}

/// Addresses of the name, of the package and of the launching line. Equal texts may have several addresses; that costs an entry each. Kernels
/// of two versions of a package may share name and, by a macro, line.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    name: usize,
    name_len: usize,
    package: usize,
    package_len: usize,
    caller: usize,
}

impl Key {
    #[inline]
    fn new(kernel: &Kernel<'_>, caller: &'static Location<'static>) -> Key {
        let Kernel { name, package, .. } = kernel;
        Key {
            name: name.as_ptr().addr(),
            name_len: name.len(),
            package: package.as_ptr().addr(),
            package_len: package.len(),
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
