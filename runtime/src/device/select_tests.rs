use super::*;

//@ rows: GDV-2
#[test]
fn the_variable_names_a_device() {
    assert_eq!(choice(None), Ok(Choice::Any));
    assert_eq!(choice(Some("emulator")), Ok(Choice::Emulator(0)));
    assert_eq!(choice(Some("emulator:3")), Ok(Choice::Emulator(3)));
    let gpu = |which| Ok(Choice::Gpu(which));
    assert_eq!(choice(Some("cuda")), gpu(Which::First));
    assert_eq!(choice(Some("cuda:13")), gpu(Which::Ordinal(13)));
    assert_eq!(
        choice(Some("cuda:GPU-89Ab")),
        gpu(Which::Uuid("gpu-89ab".to_owned()))
    );
    let pci = PciId {
        domain: 0,
        bus: 0x65,
        slot: 0,
    };
    assert_eq!(choice(Some("cuda:0000:65:00.0")), gpu(Which::Pci(pci)));
    assert_eq!(choice(Some("cuda:65:00.0")), gpu(Which::Pci(pci)));
    let wrong = [
        "",
        "gpu",
        "cuda:",
        "cuda:x",
        "cuda:+1",
        "CUDA",
        "cuda:99999999999",
        "cuda:GPU-",
        "emulator:",
        "emulator:-1",
    ];
    for wrong in wrong {
        let text = choice(Some(wrong)).unwrap_err().to_string();
        assert!(text.contains(&format!("`{wrong}`")), "{text}");
        assert!(text.contains("`emulator`, `cuda`, `cuda:N`"), "{text}");
    }
}

#[test]
fn the_number_of_emulated_devices_is_read_or_refused() {
    assert_eq!(emulated(None), Ok(None));
    assert_eq!(emulated(Some("4")), Ok(Some(4)));
    for wrong in ["", "0", "65", "-1", "two"] {
        let text = emulated(Some(wrong)).unwrap_err().to_string();
        assert!(
            text.contains(&format!("`{wrong}`")) && text.contains("1 to 64"),
            "{text}"
        );
    }
}

//@ rows: GDV-2
#[test]
fn a_gpu_is_found_by_its_uuid_and_by_its_place() {
    let gpu = |byte, bus| {
        (
            Uuid([byte; 16]),
            PciId {
                domain: 0,
                bus,
                slot: 0,
            },
        )
    };
    let seen = [gpu(0x11, 1), gpu(0x12, 2), gpu(0x33, 3)];
    let by_start = |start: &str| {
        the_one(start, &seen, |(uuid, _)| {
            uuid.to_string()[4..].starts_with(&start[4..])
        })
    };
    assert_eq!(by_start("gpu-33"), Ok(2));
    let several = by_start("gpu-1").unwrap_err().to_string();
    assert!(
        several.contains("several") && several.contains("GPU-11111111-1111"),
        "{several}"
    );
    let none = the_one("0000:09:00.0", &seen, |(_, pci)| pci.bus == 9)
        .unwrap_err()
        .to_string();
    assert!(
        none.contains("0000:09:00.0") && none.contains("at 0000:03:00.0"),
        "{none}"
    );
}

/// GPUs that are not there: their modes, and which of them another process has.
fn policy(modes: &[ComputeMode], taken: &[u32]) -> (Result<u32, DeviceError>, Vec<u32>) {
    let mut tried = Vec::new();
    let opened = first((0..).zip(modes.iter().copied()), |number| {
        tried.push(number);
        if taken.contains(&number) {
            let mode = modes[number as usize];
            return Err(DeviceError::Busy {
                given: number,
                mode,
            });
        }
        Ok(number)
    });
    (opened, tried)
}

//@ rows: GDV-5
#[test]
fn the_first_gpu_that_opens_is_chosen() {
    use ComputeMode::{Default, ExclusiveProcess, Prohibited};
    assert_eq!(policy(&[Default, Default], &[]), (Ok(0), vec![0]));
    // Not even tried: making a context there would fail.
    assert_eq!(policy(&[Prohibited, Default], &[]), (Ok(1), vec![1]));
    assert_eq!(policy(&[ExclusiveProcess, Default], &[]), (Ok(0), vec![0]));
    assert_eq!(
        policy(&[ExclusiveProcess, Prohibited, Default], &[0]),
        (Ok(2), vec![0, 2])
    );
}

//@ rows: GDV-5
#[test]
fn if_none_opens_the_reasons_are_told() {
    use ComputeMode::{ExclusiveProcess, Prohibited};
    assert_eq!(policy(&[], &[]).0, Err(DeviceError::NoDevice));
    assert_eq!(
        policy(&[Prohibited], &[]).0,
        Err(DeviceError::Prohibited { given: 0 })
    );
    let (opened, tried) = policy(&[Prohibited, ExclusiveProcess], &[1]);
    let text = opened.unwrap_err().to_string();
    assert!(text.contains("cuda:0") && text.contains("cuda:1"), "{text}");
    assert!(
        text.contains("Prohibited") && text.contains("Exclusive_Process"),
        "{text}"
    );
    assert_eq!(tried, [1]);
}

//@ rows: GDV-5
#[test]
fn a_gpu_of_another_process_is_busy() {
    let driver = |code| {
        DeviceError::Driver(crate::DriverError {
            code,
            name: String::new(),
            text: String::new(),
            call: "cuDevicePrimaryCtxRetain",
            launches: Box::default(),
        })
    };
    let exclusive = ComputeMode::ExclusiveProcess;
    let busy = |mode| DeviceError::Busy { given: 1, mode };
    for (code, mode, meant) in [
        (46, exclusive, busy(exclusive)),
        (46, ComputeMode::Default, driver(46)),
        (101, exclusive, busy(exclusive)),
        (101, ComputeMode::Default, driver(101)),
        (2, exclusive, driver(2)),
    ] {
        assert_eq!(refusal(1, mode, driver(code)), meant);
    }
}
