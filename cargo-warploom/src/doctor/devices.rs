//! The driver and the GPUs, as programs will find them.

use super::Line;
use warploom_runtime::Device;
use warploom_runtime::device::{DeviceError, DeviceProperties};

/// The least compute capability that runs our code.
const LEAST: (u32, u32) = (7, 5);

pub(super) fn lines() -> Vec<Line> {
    let found = Device::list();
    let has_gpu = found
        .as_ref()
        .is_ok_and(|all| all.iter().any(|device| device.is_gpu));
    // The list has the emulator where there is no GPU, and says no reason.
    let (driver, why) = match Device::cuda(0) {
        Ok(device) => (device.driver_version(), None),
        Err(error) => (None, Some(error)),
    };
    let of_gpu = |device: &DeviceProperties| Gpu {
        number: device.ordinal,
        name: device.name.clone(),
        capability: device.compute_capability,
        memory: device.total_memory,
    };
    let gpus = match &found {
        Ok(all) if has_gpu => all.iter().filter(|d| d.is_gpu).map(of_gpu).collect(),
        _ => vec![],
    };
    lines_of(found.err().as_ref(), driver, &gpus, why.as_ref())
}

struct Gpu {
    number: u32,
    name: String,
    capability: (u32, u32),
    /// Bytes.
    memory: u64,
}

/// `wrong`: what is wrong with the variables; `driver`: the CUDA version that it supports; `why`: why the first GPU does not open.
fn lines_of(
    wrong: Option<&DeviceError>,
    driver: Option<(u32, u32)>,
    gpus: &[Gpu],
    why: Option<&DeviceError>,
) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(wrong) = wrong {
        lines.push(Line::error(
            wrong.to_string(),
            "change or unset the variable: programs fail with this error",
        ));
    }
    if let Some((major, minor)) = driver {
        lines.push(Line::ok(format!("NVIDIA driver for CUDA {major}.{minor}")));
    }
    for gpu in gpus {
        let (major, minor) = gpu.capability;
        let text = format!(
            "GPU {}: {}, compute capability {major}.{minor}, {} MiB",
            gpu.number,
            gpu.name,
            gpu.memory >> 20
        );
        lines.push(match gpu.capability < LEAST {
            false => Line::ok(text),
            true => Line::warning(
                text,
                "it runs no code of warploom, which needs 7.5 or newer: kernels run on the emulator",
            ),
        });
    }
    if let Some(why) = why {
        let remedy = match why {
            DeviceError::DriverNotFound { .. } | DeviceError::NoDevice => {
                "none is needed for the emulator; a GPU needs NVIDIA's driver, and not the toolkit"
            }
            _ => "see the error; kernels run on the emulator until then",
        };
        lines.push(Line::warning(format!("no GPU is used: {why}"), remedy));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    fn gpu(capability: (u32, u32)) -> Gpu {
        Gpu {
            number: 0,
            name: "NVIDIA H200".into(),
            capability,
            memory: 143_771 << 20,
        }
    }

    #[test]
    fn gpus_are_listed() {
        let lines = lines_of(None, Some((13, 0)), &[gpu((9, 0))], None);
        let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
        let expected = [
            "NVIDIA driver for CUDA 13.0",
            "GPU 0: NVIDIA H200, compute capability 9.0, 143771 MiB",
        ];
        assert_eq!(texts, expected);
        assert!(lines.iter().all(|line| line.state == State::Ok));
        let old = lines_of(None, Some((12, 2)), &[gpu((7, 0))], None);
        assert_eq!(old[1].state, State::Warning);
    }

    #[test]
    fn without_a_driver_the_emulator_is_what_there_is() {
        let why = DeviceError::DriverNotFound {
            tried: "libcuda.so.1 (no such file)".into(),
        };
        let lines = lines_of(None, None, &[], Some(&why));
        assert_eq!((lines.len(), lines[0].state), (1, State::Warning));
        assert!(lines[0].text.contains("libcuda.so.1"), "{}", lines[0].text);
        assert!(
            lines[0]
                .remedy
                .as_deref()
                .unwrap()
                .contains("NVIDIA's driver")
        );
    }

    #[test]
    fn a_wrong_variable_is_an_error() {
        let wrong = DeviceError::UnknownChoice {
            value: "gpu".into(),
        };
        let lines = lines_of(Some(&wrong), None, &[], None);
        assert_eq!(lines[0].state, State::Error);
        assert!(
            lines[0].text.contains("WARPLOOM_DEVICE is `gpu`"),
            "{}",
            lines[0].text
        );
    }
}
