//! Which GPU the emulator stands for: limits, name, and which kernels it can load.

use std::sync::Arc;

use warploom_emulator::check::{self, Control};
pub use warploom_emulator::check::{Mode, Schedule};
pub use warploom_emulator::{Model, ModelLimits, UnknownModel};

use crate::device::DeviceError;
use crate::device::{Backend, Device, DeviceOptions, Emulated, Limits, Shared};
use crate::heap::HeapLimit;
use crate::launch::blocking::LaunchBlocking;
use crate::launch::error::LaunchError;
use crate::module::images::{Arch, Form};
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
    step_limit: Option<u64>,
    stack_bytes: Option<usize>,
    options: DeviceOptions,
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

    /// The same with or without performance checks; it goes before the variable `WARPLOOM_LINTS`.
    pub fn lints(self, wanted: bool) -> Emulator {
        Emulator {
            lints: Some(wanted),
            ..self
        }
    }

    /// The same with another limit on the accesses and calls that a thread may make before it is taken for endless (`WL0224`), at least 1;
    /// in [`Mode::Checked`]. It goes before the variable `WARPLOOM_STEP_LIMIT`.
    pub fn step_limit(self, steps: u64) -> Emulator {
        Emulator {
            step_limit: Some(steps.max(1)),
            ..self
        }
    }

    /// The same with stacks of another size for its threads, at least 64 KiB; 256 KiB without it. It goes before the variable
    /// `WARPLOOM_STACK_BYTES`. A stack overflow is a panic of its thread in [`Mode::Checked`]; in [`Mode::Fast`], where kernels are native
    /// code, it ends the process after a message that names kernel, block and thread. On Linux; elsewhere the operating system ends the process.
    pub fn stack_bytes(self, bytes: usize) -> Emulator {
        Emulator {
            stack_bytes: Some(bytes),
            ..self
        }
    }

    /// The same with what is said when a device is opened; the emulator remembers it.
    pub fn options(self, options: DeviceOptions) -> Emulator {
        Emulator { options, ..self }
    }

    /// As this device was opened.
    pub(crate) fn of(emulated: &Emulated) -> Emulator {
        Emulator {
            model: emulated.model,
            schedule: emulated.schedule,
            mode: emulated.mode,
            lints: emulated.lints,
            step_limit: emulated.step_limit,
            stack_bytes: emulated.stack_bytes,
            options: emulated.options,
        }
    }

    /// Opens it.
    #[must_use]
    pub fn device(self) -> Device {
        self.device_number(0)
    }

    /// Opens several devices of this kind. Each has memory, streams and settings of its own, and all reach each other's memory, as GPUs do
    /// that are [peers](Device::enable_peer_access): a program for several GPUs runs without any.
    ///
    /// ```
    /// use warploom_runtime::model::Emulator;
    /// let devices = Emulator::new().devices(4);
    /// let names: Vec<_> = devices.iter().map(|device| device.name()).collect();
    /// assert_eq!(names, ["emulator", "emulator:1", "emulator:2", "emulator:3"]);
    /// ```
    #[must_use]
    pub fn devices(self, count: u32) -> Vec<Device> {
        (0..count)
            .map(|number| self.device_number(number))
            .collect()
    }

    pub(crate) fn device_number(self, ordinal: u32) -> Device {
        self.open(ordinal, None)
    }

    /// Opens it for an exploration, which chooses the thread at each atomic access.
    pub(crate) fn controlled(self, control: Control) -> Device {
        self.mode(Mode::Checked).open(0, Some(control))
    }

    fn open(self, ordinal: u32, control: Option<Control>) -> Device {
        if self.mode == Some(Mode::Checked) {
            check::keep_freed_memory();
        }
        let kind = self.model.map_or_else(
            || "emulator".to_owned(),
            |model| format!("emulated {model}"),
        );
        let name = match ordinal {
            0 => kind,
            number => format!("{kind}:{number}"),
        };
        Device(Arc::new(Shared {
            name,
            limits: Limits::of(self.model.unwrap_or_default()),
            prints: Prints::default(),
            heap: HeapLimit::default(),
            usage: Arc::default(),
            backend: Backend::Emulator(Box::new(Emulated {
                ordinal,
                model: self.model,
                schedule: self.schedule,
                mode: self.mode,
                lints: self.lints,
                step_limit: self.step_limit,
                stack_bytes: self.stack_bytes,
                options: self.options,
                control,
                ..Emulated::default()
            })),
            blocking: LaunchBlocking::default(),
            host_panics: Arc::default(),
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

fn choose(images: &[Image], device: (u32, u32)) -> Option<&Image> {
    let arches: Vec<_> = images
        .iter()
        .map(|image| {
            let (major, minor) = (image.sm / 10, image.sm % 10);
            let arch = if image.exact {
                Arch::exact(major, minor)
            } else {
                Arch::new(major, minor)
            };
            (Form::Ptx, arch)
        })
        .collect();
    crate::module::images::choose(&arches, device).map(|at| &images[at])
}

fn available(images: &[Image]) -> String {
    let names: Vec<_> = images
        .iter()
        .map(|image| {
            let sm = image.sm;
            match image.exact {
                true => format!("sm_{sm}a (compute capability {}.{} only)", sm / 10, sm % 10),
                false => format!("sm_{sm} and newer"),
            }
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
