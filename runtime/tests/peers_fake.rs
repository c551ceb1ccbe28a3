//! Several GPUs that are not there: peers and copies between them, on the fake driver. Each test runs in a process of its own.

#![cfg(target_os = "linux")]

use warploom_fake_driver::testing::{fake_driver, nothing_is_left};
use warploom_runtime::device::PeerAttribute;
use warploom_runtime::module::{Code, ForeignKernel};
use warploom_runtime::{
    Device, DeviceBuffer, DeviceError, Graph, Launch, LaunchError, MemoryError, Result, Stream,
};

/// Work is not done until a thread waits for it: a missing wait is found.
const QUEUED: &str = "devices=3,queued=1";

//@ rows: TM-13
#[test]
fn copies_wait_for_both_buffers_and_hold_up_what_comes_later() -> Result<()> {
    let test = "copies_wait_for_both_buffers_and_hold_up_what_comes_later";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let ones = a.upload(&[1u32; 100])?;
    let mut x = a.zeroed::<u32>(100)?;
    let mut y = b.zeroed::<u32>(101)?;
    x.copy_from_device(0, &ones, &on_a)?; // queued: `x` is still zero
    y.copy_from_peer(1, &x, &on_b)?;
    let zeroes = a.zeroed::<u32>(100)?;
    x.copy_from_device(0, &zeroes, &on_a)?; // after the copy, although on a stream of the other device
    on_a.synchronize()?;
    let all = y.to_vec(&on_b)?;
    assert_eq!((all[0], &all[1..]), (0, &[1; 100][..]));
    drop((ones, x, y, zeroes, on_a, on_b, a, b));
    nothing_is_left(&fake);
    Ok(())
}

#[test]
fn a_stream_of_the_source_does_it_as_well() -> Result<()> {
    let Some(fake) = fake_driver("a_stream_of_the_source_does_it_as_well", QUEUED, &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let (x, mut y) = (a.upload(&[1u8, 2, 3])?, b.zeroed::<u8>(3)?);
    y.copy_from_peer(0, &x, &on_a)?;
    drop(x); // waits for the copy
    assert_eq!(y.to_vec(&on_b)?, [1, 2, 3]);
    let mut back = a.zeroed::<u8>(3)?;
    back.copy_from_peer(0, &y, &on_b)?;
    drop(y);
    assert_eq!(back.to_vec(&on_a)?, [1, 2, 3]);
    let error = back
        .copy_from_peer(0, &b.upload(&[1u8])?, &Device::cuda(2)?.stream()?)
        .unwrap_err();
    assert!(matches!(error, MemoryError::WrongDevice { .. }), "{error}");
    drop((back, on_a, on_b, a, b));
    nothing_is_left(&fake);
    Ok(())
}

#[test]
fn threads_that_copy_both_ways_do_not_wait_in_a_circle() -> Result<()> {
    let test = "threads_that_copy_both_ways_do_not_wait_in_a_circle";
    let Some(fake) = fake_driver(test, "devices=2", &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    std::thread::scope(|scope| {
        for (from, to) in [(&a, &b), (&b, &a), (&a, &b), (&b, &a)] {
            scope.spawn(move || {
                let (stream, x) = (to.stream().unwrap(), from.upload(&[9u8; 50]).unwrap());
                let mut y = to.zeroed::<u8>(50).unwrap();
                for _ in 0..200 {
                    y.copy_from_peer(0, &x, &stream).unwrap();
                }
                assert_eq!(y.to_vec(&stream).unwrap(), [9; 50]);
            });
        }
    });
    drop((a, b));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: TM-13
#[test]
fn access_is_allowed_once_and_ended_once() -> Result<()> {
    let Some(fake) = fake_driver("access_is_allowed_once_and_ended_once", "devices=2", &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    assert!(a.can_access_peer(&b)? && !a.can_access_peer(&a)?);
    fake.start_log();
    for _ in 0..2 {
        a.enable_peer_access(&b)?;
    }
    for _ in 0..2 {
        a.disable_peer_access(&b)?;
    }
    let calls = fake.log();
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!(
        (
            count("cuCtxEnablePeerAccess"),
            count("cuCtxDisablePeerAccess")
        ),
        (2, 2)
    );
    assert_eq!(a.peer_attribute(PeerAttribute::Access, &b)?, 1);
    assert_eq!(a.peer_attribute(PeerAttribute::PerformanceRank, &b)?, 0);
    // Another handle of the same GPU is no other GPU.
    let error = a
        .enable_peer_access(&Device::cuda(0)?)
        .unwrap_err()
        .to_string();
    assert!(error.contains("one device"), "{error}");
    Ok(())
}

//@ rows: TM-13
#[test]
fn gpus_that_are_not_joined_copy_all_the_same() -> Result<()> {
    let test = "gpus_that_are_not_joined_copy_all_the_same";
    let Some(_fake) = fake_driver(test, "devices=2,alone=1", &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    assert!(!a.can_access_peer(&b)?);
    let error = a.enable_peer_access(&b).unwrap_err();
    assert!(matches!(&error, DeviceError::Peer { .. }), "{error}");
    assert!(
        error.to_string().contains("PEER_ACCESS_UNSUPPORTED"),
        "{error}"
    );
    let mut y = b.zeroed::<u8>(2)?;
    y.copy_from_peer(0, &a.upload(&[4u8, 5])?, &b.stream()?)?;
    assert_eq!(y.to_vec(&b.stream()?)?, [4, 5]);
    Ok(())
}

#[test]
fn a_gpu_and_the_emulator_are_no_peers() -> Result<()> {
    let Some(_fake) = fake_driver("a_gpu_and_the_emulator_are_no_peers", "", &[]) else {
        return Ok(());
    };
    let (gpu, emulator) = (Device::cuda(0)?, Device::emulator());
    assert!(!gpu.can_access_peer(&emulator)?);
    assert!(matches!(
        gpu.enable_peer_access(&emulator),
        Err(DeviceError::Peer { .. })
    ));
    let mut x = gpu.zeroed::<u8>(1)?;
    let error = x
        .copy_from_peer(0, &emulator.upload(&[1u8])?, &gpu.stream()?)
        .unwrap_err();
    assert!(matches!(&error, MemoryError::Unsupported(_)), "{error}");
    assert!(error.to_string().contains("through the host"), "{error}");
    Ok(())
}

//@ rows: GER-1
#[test]
fn the_loss_of_one_gpu_leaves_the_others() -> Result<()> {
    let Some(fake) = fake_driver("the_loss_of_one_gpu_leaves_the_others", "devices=2", &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let (mut x, mut y) = (a.upload(&[1u8; 4])?, b.zeroed::<u8>(4)?);
    y.copy_from_peer(0, &x, &on_b)?; // the lost one has used `x` last
    fake.break_context(1, 700);
    assert!(on_b.synchronize().is_err());
    assert!(y.copy_from_peer(0, &x, &on_b).is_err());
    x.copy_from(0, &[2], &on_a)?;
    assert_eq!((x.to_vec(&on_a)?, a.lost()), (vec![2, 1, 1, 1], None));
    drop((x, y, on_a, on_b, a, b));
    nothing_is_left(&fake);
    Ok(())
}

type Add = (*const f32, *const f32, *mut f32, u32);

fn adder(device: &Device) -> Result<ForeignKernel<Add>> {
    let module = device.load(&Code::ptx(include_str!("modules.ptx"))?)?;
    Ok(module.kernel::<Add>("add")?)
}

fn add(
    kernel: &ForeignKernel<Add>,
    stream: &Stream,
    [x, y]: [&DeviceBuffer<f32>; 2],
    sum: &mut DeviceBuffer<f32>,
) -> std::result::Result<(), LaunchError> {
    let len = sum.len() as u32;
    // SAFETY: `add` has these parameters; all buffers are of one length.
    unsafe { kernel.launch(stream, Launch::covering(sum.len()), (x, y, sum, len)) }
}

//@ rows: TM-13
#[test]
fn kernels_use_a_peers_memory_in_order_with_its_own_work() -> Result<()> {
    let test = "kernels_use_a_peers_memory_in_order_with_its_own_work";
    let Some(fake) = fake_driver(test, QUEUED, &[]) else {
        return Ok(());
    };
    let (a, b, c) = (Device::cuda(1)?, Device::cuda(0)?, Device::cuda(2)?);
    assert!(a.can_access_peer(&b)? && a.can_access_peer(&c)?);
    let (add_a, add_b) = (adder(&a)?, adder(&b)?);
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let (ones, twos) = (b.upload(&[1.0f32; 100])?, c.upload(&[2.0f32; 100])?);
    let (mut x, mut y) = (b.zeroed::<f32>(100)?, a.zeroed::<f32>(100)?);
    let error = add(&add_a, &on_a, [&ones, &twos], &mut y).unwrap_err();
    assert!(
        matches!(&error, LaunchError::WrongDevice { argument: 1, .. })
            && error.to_string().contains("enable_peer_access"),
        "{error}"
    );
    a.enable_peer_access(&b)?;
    let error = add(&add_a, &on_a, [&ones, &twos], &mut y).unwrap_err();
    assert!(
        matches!(&error, LaunchError::WrongDevice { argument: 2, .. }),
        "{error}"
    );
    a.enable_peer_access(&c)?;
    add(&add_b, &on_b, [&ones, &ones], &mut x)?; // queued: `x` is still zero
    add(&add_a, &on_a, [&x, &twos], &mut y)?;
    let zeroes = b.zeroed::<f32>(100)?;
    x.copy_from_device(0, &zeroes, &on_b)?; // after the kernel of the other GPU
    assert_eq!(y.to_vec(&on_a)?, [4.0; 100]);
    assert_eq!(x.to_vec(&on_b)?, [0.0; 100]);
    add(&add_a, &on_a, [&ones, &y], &mut x)?; // writes there
    drop(twos);
    assert_eq!(x.to_vec(&on_b)?, [5.0; 100]);

    // Memory of pools, and nodes of graphs, stay with their device.
    let pooled = b.pool()?.filled(100, 1.0f32, &on_b)?;
    let error = add(&add_a, &on_a, [&pooled, &ones], &mut y).unwrap_err();
    assert!(error.to_string().contains("copy_from_peer"), "{error}");
    let error = Graph::capture(&a, |s| add(&add_a, s, [&ones, &ones], &mut y)).unwrap_err();
    assert!(
        error.to_string().contains("which a graph can record"),
        "{error}"
    );

    // The end of it comes after what is queued, for all owners of the GPU.
    add(&add_a, &on_a, [&ones, &ones], &mut y)?;
    let again = Device::cuda(1)?;
    again.disable_peer_access(&b)?;
    assert_eq!(y.to_vec(&on_a)?, [2.0; 100]);
    assert!(add(&add_a, &on_a, [&ones, &ones], &mut y).is_err());
    drop((ones, x, y, zeroes, pooled, on_a, on_b, add_a, add_b));
    drop((a, b, c, again));
    nothing_is_left(&fake);
    Ok(())
}

//@ rows: TM-13
#[test]
fn access_never_ends_between_the_check_of_a_launch_and_the_launch() -> Result<()> {
    let test = "access_never_ends_between_the_check_of_a_launch_and_the_launch";
    let Some(fake) = fake_driver(test, "devices=2", &[]) else {
        return Ok(());
    };
    // Two devices of one GPU have nothing in common here but its context.
    let (a, b, again) = (Device::cuda(0)?, Device::cuda(1)?, Device::cuda(0)?);
    a.enable_peer_access(&b)?;
    let (add_a, stream) = (adder(&a)?, a.stream()?);
    let ones = b.upload(&[1.0f32; 100])?;
    let mut y = a.zeroed::<f32>(100)?;
    fake.start_log();
    fake.slow("cuLaunchKernel", 300);
    std::thread::scope(|scope| -> Result<()> {
        let launched = scope.spawn(|| add(&add_a, &stream, [&ones, &ones], &mut y));
        while !launched.is_finished() && !fake.log().iter().any(|call| call == "cuLaunchKernel") {
            std::thread::yield_now();
        }
        again.disable_peer_access(&b)?;
        launched.join().unwrap()?;
        Ok(())
    })?;
    assert_eq!(y.to_vec(&stream)?, [2.0; 100]);
    assert_eq!(fake.count("launches"), 1);
    let error = add(&add_a, &stream, [&ones, &ones], &mut y).unwrap_err();
    assert!(error.to_string().contains("enable_peer_access"), "{error}");
    drop((ones, y, add_a, stream, a, b, again));
    nothing_is_left(&fake);
    Ok(())
}

#[test]
fn what_is_advised_for_foreign_arguments_can_be_done() -> Result<()> {
    let test = "what_is_advised_for_foreign_arguments_can_be_done";
    let Some(_fake) = fake_driver(test, "devices=2", &[]) else {
        return Ok(());
    };
    let (a, b) = (Device::cuda(0)?, Device::cuda(1)?);
    let (kernel, on_a) = (adder(&a)?, a.stream()?);
    let mut y = a.zeroed::<f32>(4)?;
    let of_peer = b.zeroed::<f32>(4)?;
    // A graph's launches take none of it, whether or not access is allowed.
    for _ in 0..2 {
        let error =
            Graph::capture(&a, |s| add(&kernel, s, [&of_peer, &of_peer], &mut y)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("`copy_from_peer`, which a graph can record")
                && !text.contains("enable_peer_access"),
            "{text}"
        );
        a.enable_peer_access(&b)?;
    }
    // Between a GPU and the emulator nothing works but copies through the host; of a pool's memory, too.
    let emulator = Device::emulator();
    let emulated = emulator.zeroed::<f32>(4)?;
    let pooled = emulator.pool()?.filled(4, 1.0f32, &emulator.stream()?)?;
    for buffer in [&emulated, &pooled] {
        let error = add(&kernel, &on_a, [buffer, buffer], &mut y).unwrap_err();
        let recorded =
            Graph::capture(&a, |s| add(&kernel, s, [buffer, buffer], &mut y)).unwrap_err();
        for text in [error.to_string(), recorded.to_string()] {
            assert!(
                text.contains("`to_vec` and `copy_from`") && !text.contains("peer"),
                "{text}"
            );
        }
    }
    let text = a.enable_peer_access(&emulator).unwrap_err().to_string();
    assert!(
        text.contains("`to_vec` and `copy_from`") && !text.contains("between GPUs"),
        "{text}"
    );
    let text = a.enable_peer_access(&a.clone()).unwrap_err().to_string();
    assert!(
        text.ends_with("they are one device, which reaches its own memory anyway"),
        "{text}"
    );
    Ok(())
}
