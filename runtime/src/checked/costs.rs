//! What the accesses of an emulated device's launches cost, until it is taken.

use std::collections::BTreeMap;
use std::sync::Mutex;

use warploom_emulator::Outcome;
use warploom_emulator::check::AccessCosts;

use super::Launched;
use crate::device::{Backend, Device};
use crate::sync::lock;

/// What the accesses of a kernel cost: [`Device::take_access_costs`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct KernelCosts {
    /// The kernel, as findings name it.
    pub kernel: String,
    /// How many launches are counted.
    pub launches: u64,
    /// The sums over these launches.
    pub costs: AccessCosts,
}

/// By kernel.
#[derive(Debug, Default)]
pub(crate) struct Costs(Mutex<BTreeMap<String, KernelCosts>>);

impl Costs {
    /// Adds a launch, if its accesses were counted and it ended as it should.
    pub(crate) fn add(&self, launched: &Launched<'_>, outcome: &Outcome) {
        let (Some(profile), None) = (&outcome.profile, &outcome.fault) else {
            return;
        };
        let kernel = launched.kernel();
        let mut all = lock(&self.0);
        let of = all.entry(kernel.clone()).or_insert_with(|| KernelCosts {
            kernel,
            ..KernelCosts::default()
        });
        of.launches += 1;
        of.costs += profile.access_costs();
    }

    fn take(&self) -> Vec<KernelCosts> {
        std::mem::take(&mut *lock(&self.0)).into_values().collect()
    }
}

impl Device {
    /// What the loads and stores of launches since the last call cost on a GPU, summed by kernel: sectors of global memory, passes over the
    /// banks of shared memory. In the order of the kernels' names.
    ///
    /// Of launches on an emulator with [lints](crate::model::Emulator::lints) that ended without a panic or deadlock. On a GPU nothing is
    /// counted: Nsight Compute reads its counters.
    ///
    /// ```
    /// use warploom_runtime::model::{Emulator, Mode};
    /// let device = Emulator::new().mode(Mode::Checked).lints(true).device();
    /// // Launches.
    /// for of in device.take_access_costs() {
    ///     let (sectors, ideal) = (of.costs.global_loads.sectors, of.costs.global_loads.ideal_sectors);
    ///     assert!(sectors <= 2 * ideal, "{}: {sectors} sectors instead of {ideal}", of.kernel);
    /// }
    /// ```
    #[must_use]
    pub fn take_access_costs(&self) -> Vec<KernelCosts> {
        match &self.0.backend {
            Backend::Emulator(emulated) => emulated.costs.take(),
            Backend::Cuda(_) => vec![],
        }
    }
}
