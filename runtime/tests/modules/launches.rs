//! Shapes of launches of foreign kernels that are refused.

use warploom_harness::device_test::gpu_or_skip;
use warploom_runtime::{Device, Launch, LaunchError, Result};

use super::load;

//@ rows: GLA-4, GLA-9
#[test]
fn launches_that_cannot_be_name_limit_and_value() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (module, stream, limits) = (load(&device)?, device.stream()?, device.limits());
    let bounded = module.kernel::<(*mut u32,)>("bounded")?;
    let shared = module.kernel::<(*mut u32,)>("shared")?;
    let mut y = device.zeroed::<u32>(1)?;
    let mut refused = |kernel: &warploom_runtime::module::ForeignKernel<(*mut u32,)>,
                       shape: Launch| {
        // SAFETY: both kernels have this parameter, and write one word.
        unsafe { kernel.launch(&stream, shape, (&mut y,)) }.unwrap_err()
    };
    let error = refused(&bounded, Launch::new(1, 65));
    assert!(
        matches!(
            error,
            LaunchError::TooManyThreads {
                given: 65,
                limit: 64,
                ..
            }
        ),
        "{error}"
    );
    let error = refused(&shared, Launch::new(1, 2048));
    assert!(
        matches!(error, LaunchError::BlockTooLarge { given: 2048, .. }),
        "{error}"
    );
    let error = refused(&shared, Launch::new((1, 65_536), 1));
    assert!(
        matches!(error, LaunchError::DimensionTooLarge { given: 65_536, .. }),
        "{error}"
    );
    let too_much = limits.shared_bytes_opt_in + 1;
    let error = refused(&shared, Launch::new(1, 1).dynamic_shared(too_much));
    assert!(
        matches!(error, LaunchError::SharedTooLarge { given, .. } if given == too_much),
        "{error}"
    );
    let places = u64::from(limits.multiprocessors * limits.blocks_per_multiprocessor);
    let error = refused(
        &shared.clone().cooperative(),
        Launch::new(places as u32 + 1, 1),
    );
    assert!(
        matches!(error, LaunchError::GridTooLarge { limit, .. } if limit == places),
        "{error}"
    );
    let foreign = Device::emulator().stream()?;
    // SAFETY: as above.
    let error = unsafe { shared.launch(&foreign, (1, 1), (&mut y,)) }.unwrap_err();
    assert!(matches!(error, LaunchError::WrongStream { .. }), "{error}");
    for bytes in [
        limits.shared_bytes_opt_in,
        60 * 1024,
        limits.shared_bytes_opt_in,
    ] {
        // SAFETY: as above.
        unsafe { shared.launch(&stream, Launch::new(1, 1).dynamic_shared(bytes), (&mut y,))? };
        assert_eq!(y.to_vec(&stream)?, [bytes]);
    }
    Ok(())
}

//@ rows: GLA-4
#[test]
fn a_launch_that_passed_lets_no_other_through() -> Result<()> {
    let Some(device) = gpu_or_skip() else {
        return Ok(());
    };
    let (module, stream, limits) = (load(&device)?, device.stream()?, device.limits());
    let shared = module.kernel::<(*mut u32,)>("shared")?;
    let mut y = device.zeroed::<u32>(1)?;
    let mut launch = |shape: Launch| {
        // SAFETY: the kernel has this parameter, and writes one word.
        unsafe { shared.launch(&stream, shape, (&mut y,)) }
    };
    let good = Launch::new(2, 64).dynamic_shared(1024);
    for wrong in [
        Launch::new(2, 2048).dynamic_shared(1024),
        Launch::new((2, 65_536), 64).dynamic_shared(1024),
        Launch::new(2, 0).dynamic_shared(1024),
        good.dynamic_shared(limits.shared_bytes_opt_in + 1),
        good.cluster(3),
    ] {
        launch(good)?;
        launch(good)?;
        assert!(launch(wrong).is_err(), "{wrong:?}");
        launch(good)?;
    }
    assert_eq!(y.to_vec(&stream)?, [1024]);
    Ok(())
}
