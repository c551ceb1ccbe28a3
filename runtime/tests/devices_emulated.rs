//! Devices of the emulator: how many, which, what they say, what can be set, and how they end. `tests/devices.rs` does with GPUs
//! what GPUs can do.

use std::process::Command;

use warploom_runtime::device::{Attribute, ContextLimit, DeviceOptions, PciId, Uuid, Wait};
use warploom_runtime::model::{Emulator, Model, Schedule};
use warploom_runtime::{Device, DeviceError, Result};

const VARIABLES: [&str; 3] = [
    "WARPLOOM_DEVICE",
    "WARPLOOM_EMULATE",
    "WARPLOOM_EMULATED_DEVICES",
];

/// Which devices a program opens that has these variables: the names of all; or the error.
#[track_caller]
#[expect(
    clippy::unwrap_used,
    reason = "a helper of tests may fail as the tests do"
)]
fn opened_with(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["a_program_of_its_own", "--exact", "--nocapture"]);
    for name in VARIABLES {
        command.env_remove(name);
    }
    let command = command.env("DEVICES_CHILD", "1");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    let start = text.find("opened: ").unwrap() + 8;
    text[start..].lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_program_of_its_own() {
    if std::env::var_os("DEVICES_CHILD").is_none() {
        return; // `opened_with` runs it
    }
    let names = || -> Result<String> {
        let names: Vec<_> = Device::all()?.iter().map(|d| d.name().to_owned()).collect();
        let listed: Vec<_> = Device::list()?.into_iter().map(|d| d.name).collect();
        assert_eq!(names, listed);
        assert_eq!(names.len(), Device::count()?);
        assert_eq!(
            names.first().map(String::as_str),
            Some(Device::open()?.name())
        );
        Ok(names.join(", "))
    };
    println!(
        "\nopened: {}",
        names().unwrap_or_else(|error| error.to_string())
    );
}

//@ rows: GDV-1, GDV-2
#[test]
fn the_variables_give_a_program_several_devices() {
    let emulated = |count| ("WARPLOOM_EMULATED_DEVICES", count);
    assert_eq!(
        opened_with(&[emulated("3")]),
        "emulator, emulator:1, emulator:2"
    );
    assert_eq!(
        opened_with(&[emulated("2"), ("WARPLOOM_EMULATE", "8.6")]),
        "emulated 8.6 (A10), emulated 8.6 (A10):1"
    );
    assert_eq!(opened_with(&[("WARPLOOM_DEVICE", "emulator")]), "emulator");
    let second = ("WARPLOOM_DEVICE", "emulator:1");
    assert_eq!(opened_with(&[emulated("3"), second]), "emulator:1");
}

//@ rows: GDV-1, GDV-2
#[test]
fn devices_that_are_not_there_are_errors() {
    let text = opened_with(&[("WARPLOOM_DEVICE", "emulator:1")]);
    assert!(
        text.contains("emulator:1") && text.contains("there are 1"),
        "{text}"
    );
    let text = opened_with(&[("WARPLOOM_EMULATED_DEVICES", "many")]);
    assert!(
        text.contains("`many`") && text.contains("1 to 64"),
        "{text}"
    );
    let text = opened_with(&[("WARPLOOM_DEVICE", "cuda:GPU-no")]);
    assert!(
        text.contains("GPU-no") || text.contains("gpu-no") || text.contains("NVIDIA driver"),
        "{text}"
    );
}

//@ rows: GDV-1
#[test]
fn devices_of_one_emulator_are_told_apart() -> Result<()> {
    let devices = Emulator::new().model(Model::CC_8_0).devices(3);
    let said: Vec<_> = devices
        .iter()
        .map(|d| d.properties())
        .collect::<Result<_, _>>()?;
    let ordinals: Vec<_> = said.iter().map(|p| p.ordinal).collect();
    assert_eq!(ordinals, [0, 1, 2]);
    assert_ne!(said[0].uuid, said[1].uuid);
    assert_ne!(said[0].pci, said[1].pci);
    assert_eq!(said[0].uuid.to_string().parse(), Ok(said[0].uuid));
    assert_eq!(said[2].pci.to_string(), "e000:02:00.0");
    Ok(())
}

//@ rows: GDV-1, GDV-6, GPL-6
#[test]
fn the_emulator_says_what_it_has() -> Result<()> {
    let hopper = Device::emulator().properties()?;
    assert!(hopper.cluster_launch && hopper.cooperative_launch && hopper.managed_memory);
    assert!(hopper.can_map_host_memory && hopper.unified_addressing && !hopper.integrated);
    assert_eq!(
        (hopper.async_engines, hopper.concurrent_kernels),
        (0, false)
    );
    assert_eq!(
        (hopper.clock_khz, hopper.l2_bytes, hopper.multiprocessors),
        (None, None, 132)
    );
    let turing = Device::emulator_of(Model::CC_7_5).properties()?;
    assert!(!turing.cluster_launch && turing.registers_per_block == 65_536);
    assert!(Device::emulator_of(Model::CC_8_7).properties()?.integrated);
    if cfg!(target_os = "linux") {
        assert_eq!(hopper.total_memory, Device::emulator().memory_info()?.total);
    }
    Ok(())
}

//@ rows: GDV-1
#[test]
fn what_is_not_modelled_says_so() {
    let error = Device::emulator()
        .attribute(Attribute::GPU_PCI_DEVICE_ID)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("GPU_PCI_DEVICE_ID") && text.contains("does not model"),
        "{text}"
    );
    assert!(matches!(error, DeviceError::Unsupported(_)));
}

//@ rows: GDR-12
#[test]
fn limits_belong_to_a_device() -> Result<()> {
    let devices = Emulator::new().devices(2);
    assert_eq!(
        devices[0].set_context_limit(ContextLimit::PrintfBuffer, 5 << 20)?,
        5 << 20
    );
    assert_eq!(
        devices[1].context_limit(ContextLimit::PrintfBuffer)?,
        1 << 20
    );
    Ok(())
}

//@ rows: GDR-12
#[test]
fn limits_that_a_device_cannot_have_name_the_value() -> Result<()> {
    let hopper = Device::emulator();
    let text = hopper
        .context_limit(ContextLimit::LaunchDepth)
        .unwrap_err()
        .to_string();
    assert!(text.contains("9.0"), "{text}");
    assert_eq!(
        Device::emulator_of(Model::CC_8_0).context_limit(ContextLimit::LaunchDepth)?,
        2
    );
    let error = hopper
        .set_context_limit(ContextLimit::PersistingL2, 1 << 20)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("1048576") && text.contains("no L2 cache"),
        "{text}"
    );
    assert!(matches!(
        error,
        DeviceError::Limit {
            given: 0x10_0000,
            ..
        }
    ));
    Ok(())
}

//@ rows: GAS-13
#[test]
fn the_emulator_remembers_how_to_wait() -> Result<()> {
    for wait in [Wait::Auto, Wait::Spin, Wait::Yield, Wait::Block] {
        let device = DeviceOptions::new()
            .wait(wait)
            .keep_local_memory(true)
            .emulator();
        let options = device.reopen()?.options()?;
        assert_eq!(
            (options.waits(), options.keeps_local_memory()),
            (wait, true)
        );
        assert!(options.maps_host_memory());
    }
    Ok(())
}

//@ rows: GDV-2
#[test]
fn a_gpu_that_is_not_there_is_named() {
    let unknown = Uuid([0xEE; 16]);
    let no_place = PciId {
        domain: 0xFFFF,
        bus: 0xEE,
        slot: 1,
    };
    for (error, what) in [
        (Device::cuda_uuid(unknown).unwrap_err(), "eeeeeeee-eeee"),
        (Device::cuda_pci(no_place).unwrap_err(), "ffff:ee:01.0"),
        (
            Device::cuda_first(&[4_000_000_000]).unwrap_err(),
            "4000000000",
        ),
    ] {
        let text = error.to_string();
        // Without a driver nothing is looked for.
        assert!(
            text.contains(what) || text.contains("NVIDIA driver"),
            "{text}"
        );
    }
    assert_eq!(Device::cuda_first(&[]).unwrap_err(), DeviceError::NoDevice);
}

//@ rows: GDV-4, GDR-6
#[test]
fn a_reset_waits_for_what_is_still_there() -> Result<()> {
    let device = Emulator::new()
        .model(Model::CC_8_9)
        .schedule(Schedule::Reverse)
        .devices(2)
        .remove(1);
    device.set_context_limit(ContextLimit::Stack, 9000)?;
    let (stream, x) = (device.stream()?, device.zeroed::<u8>(16)?);
    let error = device.clone().reset().unwrap_err();
    assert!(
        matches!(error, DeviceError::StillUsed { others: 3, .. }),
        "{error}"
    );
    drop(stream);
    assert!(device.clone().reset().is_err());
    drop(x);
    let fresh = device.reset()?;
    assert_eq!(
        (fresh.name(), fresh.ordinal()),
        ("emulated 8.9 (L40S):1", 1)
    );
    assert_eq!(fresh.schedule(), Some(Schedule::Reverse));
    assert_eq!(fresh.context_limit(ContextLimit::Stack)?, 1024);
    Ok(())
}

//@ rows: GDR-7
#[test]
fn a_device_opened_again_is_another_one() -> Result<()> {
    let device = Device::emulator();
    let again = device.reopen()?;
    let x = device.zeroed::<u8>(16)?;
    assert!(
        x.to_vec(&again.stream()?)
            .unwrap_err()
            .to_string()
            .contains("another device")
    );
    assert_eq!(device.lost(), None);
    Ok(())
}
