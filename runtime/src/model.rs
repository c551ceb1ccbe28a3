//! Which GPU the emulator stands for: limits, name, and which kernels it can load.

use std::sync::Arc;

pub use warploom_emulator::check::{Mode, Schedule};
pub use warploom_emulator::{Model, ModelLimits, UnknownModel};

use crate::device::{Backend, Device, Emulated, Limits, Shared};
use crate::error::DeviceError;
use crate::heap::HeapLimit;
use crate::launch::{LaunchBlocking, LaunchError};
use crate::memory::Alive;
use crate::print::Prints;
use warploom_manifest::Image;

/// The variable that chooses the model of the emulator that [`Device::open`] opens.
const EMULATE: &str = "WARPLOOM_EMULATE";

/// An emulator to be: which GPU it stands for, in which order threads run, what is checked.
///
/// ```
/// use warploom_runtime::model::{Emulator, Model, Schedule};
///
/// let device = Emulator::new().model(Model::CC_8_6).schedule(Schedule::Reverse).device();
/// assert_eq!(device.name(), "emulated 8.6 (A10)");
/// assert_eq!(device.compute_capability(), (8, 6));
/// assert_eq!(device.limits().shared_bytes_opt_in, 99 * 1024);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use]
pub struct Emulator {
    model: Option<Model>,
    schedule: Option<Schedule>,
    mode: Option<Mode>,
    lints: Option<bool>,
}

impl Emulator {
    /// As [`Device::emulator`].
    pub fn new() -> Emulator {
        Emulator::default()
    }

    /// With the compute capability that the environment variable `WARPLOOM_EMULATE` names, such as `8.6`, if it is set.
    ///
    /// # Errors
    /// [`DeviceError::UnknownModel`] for another value of the variable.
    pub fn from_env() -> Result<Emulator, DeviceError> {
        let value = std::env::var_os(EMULATE).map(|value| value.to_string_lossy().into_owned());
        Emulator::from_value(value.as_deref())
    }

    fn from_value(value: Option<&str>) -> Result<Emulator, DeviceError> {
        let model = value.map(str::parse).transpose();
        Ok(Emulator {
            model: model.map_err(DeviceError::UnknownModel)?,
            ..Emulator::default()
        })
    }

    /// The same with the limits of a compute capability. Kernels that the program has device code for are refused if none of it runs
    /// on such a GPU, with the error that the GPU gives. Kernels without device code run.
    pub fn model(self, model: Model) -> Emulator {
        Emulator {
            model: Some(model),
            ..self
        }
    }

    /// The same with another order of blocks, warps and lanes; it goes before the variable `WARPLOOM_SCHEDULE`.
    pub fn schedule(self, schedule: Schedule) -> Emulator {
        Emulator {
            schedule: Some(schedule),
            ..self
        }
    }

    /// The same with or without checks; it goes before the variable `WARPLOOM_EMULATOR`. In [`Mode::Fast`] kernels are functions of the
    /// host's program: they can be debugged, and what stands behind `cfg(not(warploom_device))` runs.
    pub fn mode(self, mode: Mode) -> Emulator {
        Emulator {
            mode: Some(mode),
            ..self
        }
    }

    /// The same with or without a look at performance; it goes before the variable `WARPLOOM_LINTS`.
    pub fn lints(self, wanted: bool) -> Emulator {
        Emulator {
            lints: Some(wanted),
            ..self
        }
    }

    /// Opens it.
    #[must_use]
    pub fn device(self) -> Device {
        let name = self.model.map_or_else(
            || "emulator".to_owned(),
            |model| format!("emulated {model}"),
        );
        Device(Arc::new(Shared {
            name,
            limits: Limits::of(self.model.unwrap_or_default()),
            prints: Prints::default(),
            heap: HeapLimit::default(),
            alive: Alive::default(),
            backend: Backend::Emulator(Emulated {
                model: self.model,
                schedule: self.schedule,
                mode: self.mode,
                lints: self.lints,
                ..Emulated::default()
            }),
            blocking: LaunchBlocking::default(),
        }))
    }
}

impl Limits {
    /// Those of a compute capability, with as many multiprocessors as the model's board has.
    ///
    /// ```
    /// use warploom_runtime::{Limits, model::Model};
    /// assert_eq!(Limits::of(Model::CC_7_5).cluster_blocks, 0);
    /// ```
    #[must_use]
    pub fn of(model: Model) -> Limits {
        let limits = model.limits();
        Limits {
            threads_per_block: ModelLimits::THREADS_PER_BLOCK,
            block: ModelLimits::BLOCK,
            grid: ModelLimits::GRID,
            shared_bytes: ModelLimits::SHARED_BYTES,
            shared_bytes_opt_in: limits.shared_bytes_opt_in,
            parameter_bytes: ModelLimits::PARAMETER_BYTES,
            constant_bytes: ModelLimits::CONSTANT_BYTES,
            warp: ModelLimits::WARP,
            cluster_blocks: limits.cluster_blocks,
            multiprocessors: limits.multiprocessors,
            threads_per_multiprocessor: limits.threads_per_multiprocessor,
            blocks_per_multiprocessor: limits.blocks_per_multiprocessor,
            shared_bytes_per_multiprocessor: limits.shared_bytes_per_multiprocessor,
            shared_bytes_reserved: limits.shared_bytes_reserved,
        }
    }
}

/// The image that a GPU of this compute capability loads: made for exactly this one, else the newest that is not newer.
///
/// # Errors
/// [`LaunchError::NoImage`]: all are for other GPUs.
pub(crate) fn image_for<'i>(
    images: &'i [Image],
    kernel: &'static str,
    device: &Device,
) -> Result<&'i Image, LaunchError> {
    let (major, minor) = device.compute_capability();
    choose(images, (major, minor)).ok_or_else(|| LaunchError::NoImage {
        kernel,
        device: device.name().to_owned(),
        capability: format!("{major}.{minor}"),
        available: available(images),
    })
}

fn choose(images: &[Image], (major, minor): (u32, u32)) -> Option<&Image> {
    let sm = 10 * major + minor;
    let exact = images.iter().find(|image| image.exact && image.sm == sm);
    let general = images.iter().filter(|image| !image.exact && image.sm <= sm);
    exact.or_else(|| general.max_by_key(|image| image.sm))
}

fn available(images: &[Image]) -> String {
    let names: Vec<_> = images
        .iter()
        .map(|image| {
            let only = if image.exact { " only" } else { " and newer" };
            format!("sm_{}{only}", image.sm)
        })
        .collect();
    match &*names {
        [] => "no GPU at all".to_owned(),
        names => names.join(", "),
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
