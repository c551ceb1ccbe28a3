//! Which of a program's images a GPU gets: that for its architecture alone, if there is one. Device code written by hand.
//!
//! Skips, and says so, where there is no GPU; the last test runs the other on the fake driver, whose GPU is a 9.0.

use std::panic::Location;

use warploom_harness::device_test::gpu_or_skip;
use warploom_harness::embed_device_code;
use warploom_runtime::launch::{Contract, Kernel, Param, SliceMutArg, submit};
use warploom_runtime::{Launch, Result};

const MANIFEST: &str = r#"{"target":"test exact_images","failure":null,"kernels":[
{"name":"exact_images::which","entry":"which","launched_at":[],"id":7,"params":[{"kind":"SliceMut","size":4,"align":4}]}],
"images":[{"sm":75,"exact":false,"offset":0,"len":511},{"sm":90,"exact":true,"offset":512,"len":511}]}"#;

/// A kernel whose result shows its image: `y[0]` becomes this number.
macro_rules! image {
    ($version:literal, $target:literal, $number:literal) => {
        concat!(
            ".version ",
            $version,
            "\n.target ",
            $target,
            "\n.address_size 64\n.visible .entry which(.param .u64 y, .param .u64 y_len)\n{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\n\
             ld.param.u64 %d1, [y];\nmov.u32 %r1, ",
            $number,
            ";\nst.global.u32 [%d1], %r1;\nret;\n}\n"
        )
    };
}

/// Both images, filled up with line ends; each ends with a zero byte, the last in the container.
const fn images() -> [u8; 1023] {
    let mut bytes = [b'\n'; 1023];
    let texts = [
        image!("7.0", "sm_75", "75"),
        image!("8.0", "sm_90a", "9001"),
    ];
    let mut image = 0;
    while image < texts.len() {
        let text = texts[image].as_bytes();
        let mut i = 0;
        while i < text.len() {
            bytes[512 * image + i] = text[i];
            i += 1;
        }
        image += 1;
    }
    bytes[511] = 0;
    bytes
}

embed_device_code!(MANIFEST, &images(), 1023);

//@ rows: MC-6
#[test]
fn a_gpu_gets_the_image_for_its_architecture() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let stream = device.stream()?;
    let mut y = device.zeroed::<u32>(1)?;
    let params = [Param::slice_mut::<u32>()];
    let kernel = Kernel {
        name: "exact_images::which",
        base: "which",
        package: "",
        contract: Contract::ANY,
        params: &params,
        layouts: &[],
        index: 0,
        file: file!(),
        line: line!(),
    };
    let output = (&mut y).bind();
    let shape = Launch::new(1, 1);
    let at = Location::caller();
    // SAFETY: description and arguments are those of the PTX.
    unsafe { submit(&stream, shape, &kernel, &[output.arg()], &|| {}, at)? };
    let expected = match device.compute_capability() {
        (9, 0) => 9001,
        _ => 75, // one for 9.0 runs on no other GPU
    };
    assert_eq!(y.to_vec(&stream)?, [expected]);
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn all_of_it_runs_on_the_fake_driver() {
    use warploom_fake_driver::testing::{assert_passed, is_child, run_others};
    if is_child() {
        return;
    }
    let output = run_others("all_of_it_runs_on_the_fake_driver", "").unwrap();
    assert_passed(&output);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("skipped"), "{said}");
}
