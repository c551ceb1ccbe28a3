//! Which devices there are, and which of them a program gets.

use crate::cuda::{INVALID_DEVICE, PhysicalDevice, UNAVAILABLE};
use crate::device::{
    Attribute, ComputeMode, Device, DeviceError, DeviceOptions, DeviceProperties, PciId, Uuid,
};
use crate::model::Emulator;

/// The variable that chooses what [`Device::open`] opens.
const CHOICE: &str = "WARPLOOM_DEVICE";

/// The variable that says how many devices the emulator stands for.
const EMULATED: &str = "WARPLOOM_EMULATED_DEVICES";

/// Most devices that the variable can ask for.
const MOST_EMULATED: u32 = 64;

/// What `WARPLOOM_DEVICE` asks for.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Any,
    Emulator(u32),
    Gpu(Which),
}

/// A GPU, or any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Which {
    First,
    Ordinal(u32),
    /// The start of a UUID's text.
    Uuid(String),
    Pci(PciId),
}

fn choice(value: Option<&str>) -> Result<Choice, DeviceError> {
    let Some(text) = value else {
        return Ok(Choice::Any);
    };
    let (kind, number) = text
        .split_once(':')
        .map_or((text, None), |(kind, n)| (kind, Some(n)));
    let choice = match (kind, number) {
        ("emulator", None) => Some(Choice::Emulator(0)),
        ("emulator", Some(number)) => decimal(number).map(Choice::Emulator),
        ("cuda", None) => Some(Choice::Gpu(Which::First)),
        ("cuda", Some(which)) => which_of(which).map(Choice::Gpu),
        _ => None,
    };
    choice.ok_or_else(|| DeviceError::UnknownChoice {
        value: text.to_owned(),
    })
}

fn which_of(text: &str) -> Option<Which> {
    let is_uuid = ["GPU-", "MIG-"].iter().any(|start| text.starts_with(start)) && text.len() > 4;
    if is_uuid {
        return Some(Which::Uuid(text.to_ascii_lowercase()));
    }
    decimal(text)
        .map(Which::Ordinal)
        .or_else(|| text.parse().ok().map(Which::Pci))
}

fn decimal(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|digit| digit.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// How many devices the emulator stands for; `None` if the variable is unset.
fn emulated(value: Option<&str>) -> Result<Option<u32>, DeviceError> {
    value
        .map(|text| {
            decimal(text)
                .filter(|count| (1..=MOST_EMULATED).contains(count))
                .ok_or_else(|| DeviceError::UnknownCount {
                    value: text.to_owned(),
                    most: MOST_EMULATED,
                })
        })
        .transpose()
}

/// What the environment asks for.
struct Asked {
    choice: Choice,
    emulator: Emulator,
    /// Devices of the emulator.
    count: u32,
    /// Whether a GPU is tried first.
    gpu_first: bool,
}

impl Asked {
    fn from_env(options: DeviceOptions) -> Result<Asked, DeviceError> {
        let variable =
            |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let choice = choice(variable(CHOICE).as_deref())?;
        let emulator = Emulator::from_env()?;
        let count = emulated(variable(EMULATED).as_deref())?;
        Ok(Asked {
            gpu_first: choice == Choice::Any && emulator == Emulator::new() && count.is_none(),
            choice,
            emulator: emulator.options(options),
            count: count.unwrap_or(1),
        })
    }

    /// A device of the emulator.
    fn emulated(&self, number: u32) -> Result<Device, DeviceError> {
        if number < self.count {
            return Ok(self.emulator.device_number(number));
        }
        Err(DeviceError::NoSuchEmulated {
            given: number,
            count: self.count,
        })
    }
}

/// The work of [`Device::open`].
pub(super) fn choose(options: DeviceOptions) -> Result<Device, DeviceError> {
    let asked = Asked::from_env(options)?;
    match &asked.choice {
        Choice::Gpu(Which::First) => first_gpu(options),
        Choice::Gpu(which) => Device::open_gpu(resolve(which)?, options),
        Choice::Emulator(number) => asked.emulated(*number),
        Choice::Any if asked.gpu_first => first_gpu(options).or_else(|_| asked.emulated(0)),
        Choice::Any => asked.emulated(0),
    }
}

/// The number of a GPU.
fn resolve(which: &Which) -> Result<u32, DeviceError> {
    let seen = PhysicalDevice::all()?.into_iter().map(|found| {
        let ask = |a: Attribute| {
            found
                .attribute(a.number())
                .map(|n| n.unwrap_or(0).unsigned_abs())
        };
        let pci = PciId {
            domain: ask(Attribute::PCI_DOMAIN_ID)?,
            bus: ask(Attribute::PCI_BUS_ID)?,
            slot: ask(Attribute::PCI_DEVICE_ID)?,
        };
        Ok((Uuid(found.uuid()?), pci))
    });
    let seen: Result<Vec<_>, crate::DriverError> = seen.collect();
    match which {
        Which::First => Ok(0),
        Which::Ordinal(number) => Ok(*number),
        Which::Uuid(start) => the_one(start, &seen?, |(uuid, _)| {
            // A part of a GPU says `MIG`, and has its own number.
            let text = uuid.to_string().to_ascii_lowercase();
            start
                .get(4..)
                .is_some_and(|digits| text[4..].starts_with(digits))
        }),
        Which::Pci(id) => the_one(&id.to_string(), &seen?, |(_, pci)| pci == id),
    }
}

fn the_one(
    wanted: &str,
    seen: &[(Uuid, PciId)],
    is_it: impl Fn(&(Uuid, PciId)) -> bool,
) -> Result<u32, DeviceError> {
    let mut found = (0..).zip(seen).filter(|(_, gpu)| is_it(gpu));
    match (found.next(), found.next()) {
        (Some((number, _)), None) => Ok(number),
        (first, _) => Err(DeviceError::NoSuchId {
            wanted: wanted.to_owned(),
            fits: if first.is_some() { "several" } else { "none" },
            seen: seen
                .iter()
                .map(|(uuid, pci)| format!("{uuid} at {pci}"))
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}

/// The first GPU that opens.
fn first_gpu(options: DeviceOptions) -> Result<Device, DeviceError> {
    let order = 0..PhysicalDevice::count()?;
    first(order.map(|n| (n, mode_of(n))), |number| {
        Device::open_gpu(number, options)
    })
}

fn mode_of(ordinal: u32) -> ComputeMode {
    let mode = PhysicalDevice::new(ordinal).ok().and_then(|found| {
        found
            .attribute(Attribute::COMPUTE_MODE.number())
            .ok()
            .flatten()
    });
    ComputeMode::of(mode.unwrap_or(0))
}

/// The first of these that opens: those in mode Prohibited are passed over, those in use by another process are tried and passed over.
fn first<T>(
    order: impl Iterator<Item = (u32, ComputeMode)>,
    mut open: impl FnMut(u32) -> Result<T, DeviceError>,
) -> Result<T, DeviceError> {
    let mut refusals = Vec::new();
    for (number, mode) in order {
        if mode == ComputeMode::Prohibited {
            refusals.push(DeviceError::Prohibited { given: number });
            continue;
        }
        match open(number) {
            Ok(device) => return Ok(device),
            Err(error) => refusals.push(error),
        }
    }
    match refusals.pop() {
        None => Err(DeviceError::NoDevice),
        Some(only) if refusals.is_empty() => Err(only),
        Some(last) => {
            refusals.push(last);
            let texts: Vec<_> = refusals.iter().map(DeviceError::to_string).collect();
            Err(DeviceError::NoneOpens {
                reasons: texts.join("; "),
            })
        }
    }
}

impl Device {
    /// Opens the device that the environment variable `WARPLOOM_DEVICE` names. If it is unset, the first GPU that can be used, else the
    /// emulator.
    ///
    /// | value | device |
    /// |---|---|
    /// | `emulator`, `emulator:1` | the emulator; one of its devices |
    /// | `cuda` | the first GPU that opens: those in compute mode "Prohibited" are passed over, and those that another process has for itself |
    /// | `cuda:1` | the GPU of this number |
    /// | `cuda:GPU-8932f937-…` | the GPU of this UUID, or of the only one that starts so |
    /// | `cuda:0000:65:00.0` | the GPU at this place of the PCI bus |
    ///
    /// The variable `WARPLOOM_EMULATE` says which GPU the emulator stands for, a compute capability such as `8.6`;
    /// `WARPLOOM_EMULATED_DEVICES` says how many devices it has. Both choose the emulator, unless `WARPLOOM_DEVICE` asks for a GPU.
    ///
    /// # Errors
    /// [`DeviceError::UnknownChoice`], [`DeviceError::UnknownModel`], [`DeviceError::UnknownCount`] for other values of the variables,
    /// [`DeviceError::NoSuchEmulated`] and [`DeviceError::NoSuchId`] for devices that are not there. If a GPU is asked for: the errors of
    /// [`cuda`](Device::cuda), [`DeviceError::NoneOpens`] if none of several opens. None if all variables are unset.
    pub fn open() -> Result<Device, DeviceError> {
        choose(DeviceOptions::new())
    }

    /// Opens all devices: the GPUs that can be used, or, where [`open`](Device::open) would give the emulator, all of its devices; one if
    /// `WARPLOOM_DEVICE` names it. A program that works on several devices so runs everywhere.
    ///
    /// # Errors
    /// Those of [`open`](Device::open).
    ///
    /// ```
    /// use warploom_runtime::Device;
    /// for device in Device::all()? {
    ///     let stream = device.stream()?;
    ///     let x = device.upload(&[device.ordinal()])?;
    ///     assert_eq!(x.to_vec(&stream)?, [device.ordinal()]);
    /// }
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn all() -> Result<Vec<Device>, DeviceError> {
        let options = DeviceOptions::new();
        let asked = Asked::from_env(options)?;
        let gpus = || -> Result<Vec<Device>, DeviceError> {
            let first = first_gpu(options)?;
            let later = first.ordinal() + 1..PhysicalDevice::count()?;
            let later = later.filter_map(|number| Device::open_gpu(number, options).ok());
            Ok(std::iter::once(first).chain(later).collect())
        };
        match &asked.choice {
            Choice::Gpu(Which::First) => gpus(),
            Choice::Any if asked.gpu_first => {
                gpus().or_else(|_| Ok(asked.emulator.devices(asked.count)))
            }
            Choice::Any | Choice::Emulator(0) => Ok(asked.emulator.devices(asked.count)),
            Choice::Gpu(_) | Choice::Emulator(_) => choose(options).map(|device| vec![device]),
        }
    }

    /// How many devices there are to open, counted as [`all`](Device::all) does, but without opening any: a GPU that another process has
    /// for itself counts. CUDA: `cuDeviceGetCount`.
    ///
    /// # Errors
    /// Those of [`list`](Device::list).
    pub fn count() -> Result<usize, DeviceError> {
        let open = |p: &&DeviceProperties| p.compute_mode != ComputeMode::Prohibited;
        Ok(Device::list()?.iter().filter(open).count())
    }

    /// What the devices that are there say about themselves, prohibited ones too. Opens none: GPUs keep no memory for this program.
    ///
    /// # Errors
    /// As [`open`](Device::open) for the variables; [`DeviceError::Query`] if the driver refuses. A machine without GPUs has the emulator.
    ///
    /// ```
    /// for device in warploom_runtime::Device::list()? {
    ///     println!("{}: {}, {} MiB, {}", device.ordinal, device.name, device.total_memory >> 20, device.uuid);
    /// }
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    pub fn list() -> Result<Vec<DeviceProperties>, DeviceError> {
        let asked = Asked::from_env(DeviceOptions::new())?;
        let gpus = || {
            PhysicalDevice::all()?
                .into_iter()
                .map(DeviceProperties::of_gpu)
                .collect()
        };
        let emulated = || {
            let devices = asked.emulator.devices(asked.count);
            devices.iter().map(Device::properties).collect()
        };
        match &asked.choice {
            Choice::Gpu(Which::First) => gpus(),
            Choice::Gpu(which) => Ok(vec![DeviceProperties::of_gpu(PhysicalDevice::new(
                resolve(which)?,
            )?)?]),
            Choice::Emulator(0) => emulated(),
            Choice::Emulator(number) => Ok(vec![asked.emulated(*number)?.properties()?]),
            Choice::Any if asked.gpu_first => {
                let gpus: Result<Vec<_>, _> = gpus();
                gpus.ok()
                    .filter(|gpus| !gpus.is_empty())
                    .map_or_else(emulated, Ok)
            }
            Choice::Any => emulated(),
        }
    }

    /// The GPU of this UUID, wherever the driver counts it.
    ///
    /// # Errors
    /// [`DeviceError::NoSuchId`] if there is none; those of [`cuda`](Device::cuda).
    pub fn cuda_uuid(uuid: Uuid) -> Result<Device, DeviceError> {
        let which = Which::Uuid(uuid.to_string().to_ascii_lowercase());
        Device::open_gpu(resolve(&which)?, DeviceOptions::new())
    }

    /// The GPU at this place of the PCI bus. CUDA: `cuDeviceGetByPCIBusId`.
    ///
    /// # Errors
    /// [`DeviceError::NoSuchId`] if there is none; those of [`cuda`](Device::cuda).
    pub fn cuda_pci(id: PciId) -> Result<Device, DeviceError> {
        Device::open_gpu(resolve(&Which::Pci(id))?, DeviceOptions::new())
    }

    /// The first of these GPUs that opens; those in compute mode "Prohibited" are passed over, and those that another process has for
    /// itself. CUDA: `cudaSetValidDevices`.
    ///
    /// # Errors
    /// [`DeviceError::NoneOpens`] with the reason of each; for one number those of [`cuda`](Device::cuda).
    pub fn cuda_first(order: &[u32]) -> Result<Device, DeviceError> {
        let order = order.iter().map(|number| (*number, mode_of(*number)));
        first(order, |number| {
            Device::open_gpu(number, DeviceOptions::new())
        })
    }
}

/// What a driver's refusal to open a GPU means.
pub(super) fn why_not(ordinal: u32, error: DeviceError) -> DeviceError {
    refusal(ordinal, mode_of(ordinal), error)
}

fn refusal(given: u32, mode: ComputeMode, error: DeviceError) -> DeviceError {
    let exclusive = [ComputeMode::ExclusiveProcess, ComputeMode::ExclusiveThread].contains(&mode);
    match &error {
        DeviceError::Driver(source)
            // Older drivers call the GPU invalid. Where GPUs are shared, another process is not the reason.
            if exclusive && [UNAVAILABLE, INVALID_DEVICE].contains(&source.code) =>
        {
            DeviceError::Busy { given, mode }
        }
        // A context that is lost before it is made: a kernel of an earlier one failed.
        DeviceError::Driver(source) if source.is_fault_of_a_kernel() => DeviceError::LostToProcess {
            ordinal: given,
            source: source.clone(),
        },
        _ => error,
    }
}

/// Refuses a GPU in mode Prohibited.
pub(super) fn check_mode(ordinal: u32) -> Result<(), DeviceError> {
    if mode_of(ordinal) == ComputeMode::Prohibited {
        return Err(DeviceError::Prohibited { given: ordinal });
    }
    Ok(())
}

#[cfg(test)]
#[path = "select_tests.rs"]
mod tests;
