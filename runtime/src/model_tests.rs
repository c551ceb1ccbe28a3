use super::*;

fn image(sm: u32, exact: bool) -> Image {
    Image {
        sm,
        exact,
        offset: 0,
        len: 0,
    }
}

//@ rows: GCO-5
#[test]
fn the_newest_image_that_runs_is_chosen() {
    let images = [
        image(75, false),
        image(90, true),
        image(90, false),
        image(80, false),
    ];
    let sm = |cc| choose(&images, cc).map(|image| (image.sm, image.exact));
    assert_eq!(sm((7, 0)), None);
    assert_eq!(sm((7, 5)), Some((75, false)));
    assert_eq!(sm((8, 9)), Some((80, false)));
    assert_eq!(sm((9, 0)), Some((90, true)));
    assert_eq!(sm((12, 0)), Some((90, false)));
    assert_eq!(
        available(&images[..2]),
        "sm_75 and newer, sm_90a (compute capability 9.0 only)"
    );
}

//@ rows: GCO-8
#[test]
fn a_kernel_runs_on_the_models_that_its_images_are_for() {
    let models = |images: &[Image]| -> Vec<String> {
        Model::all()
            .map(Device::emulator_of)
            .filter(|device| image_for(images, "scale", device).is_ok())
            .map(|device| {
                let (major, minor) = device.compute_capability();
                format!("{major}.{minor}")
            })
            .collect()
    };
    assert_eq!(models(&[image(75, false)]).len(), Model::all().len());
    assert_eq!(
        models(&[image(80, false)]),
        ["8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "12.0", "12.1"]
    );
    assert_eq!(models(&[image(90, false)]), ["9.0", "10.0", "12.0", "12.1"]);
    assert_eq!(models(&[image(90, true)]), ["9.0"]);
    assert_eq!(models(&[]), [""; 0]);
}

//@ rows: GCO-8
#[test]
fn the_refusal_says_what_a_gpu_says() {
    let device = Device::emulator_of(Model::CC_8_6);
    let images = [image(90, false), image(100, true)];
    let error = image_for(&images, "scale", &device).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no device code of kernel `scale` runs on emulated 8.6 (A10) (compute capability 8.6): the program has it for sm_90 and newer, sm_100a (compute capability 10.0 only); build for this GPU too"
    );
}

//@ rows: GCC-40
#[test]
fn limits_are_those_of_the_model() {
    for model in Model::all() {
        let device = Device::emulator_of(model);
        assert_eq!(device.limits(), Limits::of(model));
        assert_eq!(
            device.compute_capability(),
            model.limits().compute_capability
        );
        assert_eq!(device.name(), format!("emulated {model}"));
        let clusters = device.limits().cluster_blocks > 0;
        assert_eq!(clusters, device.compute_capability() >= (9, 0));
    }
    assert_eq!(Device::emulator().limits(), Limits::of(Model::CC_9_0));
    assert_eq!(Device::emulator().compute_capability(), (9, 0));
}

#[test]
fn the_variable_names_a_model() {
    assert_eq!(Emulator::from_value(None), Ok(Emulator::new()));
    let chosen = Emulator::from_value(Some("12.0"));
    assert_eq!(chosen, Ok(Emulator::new().model(Model::CC_12_0)));
    let text = Emulator::from_value(Some("86")).unwrap_err().to_string();
    assert!(text.starts_with("WARPLOOM_EMULATE: `86` is no"), "{text}");
}
