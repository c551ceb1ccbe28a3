//! Several devices of the emulator: threads, peers, copies. `tests/devices.rs` does the same with two GPUs.

use warploom_runtime::device::PeerAttribute;
use warploom_runtime::model::Emulator;
use warploom_runtime::{Device, DeviceError, MemoryError, Result};

#[expect(clippy::unwrap_used, reason = "two were asked for")]
fn two() -> [Device; 2] {
    Emulator::new().devices(2).try_into().unwrap()
}

//@ rows: GDV-3
#[test]
fn each_thread_works_on_a_device_of_its_own() {
    let devices = Emulator::new().devices(4);
    std::thread::scope(|scope| {
        for device in &devices {
            scope.spawn(move || {
                let stream = device.stream().unwrap();
                for round in 0..50u32 {
                    let x = device
                        .upload(&[device.ordinal() * 1000 + round; 100])
                        .unwrap();
                    assert_eq!(
                        x.to_vec(&stream).unwrap(),
                        [device.ordinal() * 1000 + round; 100]
                    );
                }
                device.synchronize().unwrap();
            });
        }
    });
}

//@ rows: GDV-3
#[test]
fn one_thread_works_on_all_devices_in_turn() -> Result<()> {
    let [a, b] = two();
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let (mut x, mut y) = (a.zeroed::<u32>(4)?, b.zeroed::<u32>(4)?);
    for round in 0..4 {
        x.copy_from(round as usize, &[round], &on_a)?;
        y.copy_from(round as usize, &[10 * round], &on_b)?;
    }
    assert_eq!(x.to_vec(&on_a)?, [0, 1, 2, 3]);
    assert_eq!(y.to_vec(&on_b)?, [0, 10, 20, 30]);
    Ok(())
}

//@ rows: GDR-7
#[test]
fn what_is_of_one_device_does_not_go_to_another() -> Result<()> {
    let [a, b] = two();
    let (x, stream) = (a.zeroed::<u32>(4)?, b.stream()?);
    let text = x.to_vec(&stream).unwrap_err().to_string();
    assert!(
        text.contains("(emulator)") && text.contains("(emulator:1)"),
        "{text}"
    );
    assert!(stream.record(&a.event()?).is_err());
    Ok(())
}

//@ rows: TM-13
#[test]
fn copies_take_parts_and_go_both_ways() -> Result<()> {
    let [a, b] = two();
    let (on_a, on_b) = (a.stream()?, b.stream()?);
    let x = a.upload(&[1u64, 2, 3, 4, 5])?;
    let mut y = b.zeroed::<u64>(6)?;
    y.slice_mut(3..)?.copy_from_peer(1, x.slice(3..)?, &on_b)?;
    y.copy_from_peer(0, x.slice(..2)?, &on_a)?; // a stream of the source's device
    assert_eq!(y.to_vec(&on_b)?, [1, 2, 0, 0, 4, 5]);
    let mut back = a.zeroed::<u64>(6)?;
    back.copy_from_peer(0, &y, &on_a)?;
    assert_eq!(back.to_vec(&on_a)?, [1, 2, 0, 0, 4, 5]);
    Ok(())
}

#[test]
fn a_copy_within_one_device_is_an_ordinary_one() -> Result<()> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload(&[7u8; 3])?;
    let mut y = device.zeroed::<u8>(5)?;
    y.copy_from_peer(2, &x, &stream)?;
    assert_eq!(y.to_vec(&stream)?, [0, 0, 7, 7, 7]);
    Ok(())
}

#[test]
fn copies_that_cannot_be_copy_nothing() -> Result<()> {
    let devices = Emulator::new().devices(3);
    let x = devices[0].upload(&[1i32, 2, 3])?;
    let mut y = devices[1].zeroed::<i32>(4)?;
    let stream = devices[1].stream()?;
    let error = y.copy_from_peer(2, &x, &stream).unwrap_err();
    assert!(
        matches!(
            error,
            MemoryError::CopyOutOfRange {
                given: 3,
                at: 2,
                len: 4
            }
        ),
        "{error}"
    );
    let error = y.copy_from_peer(usize::MAX, &x, &stream).unwrap_err();
    assert!(
        matches!(error, MemoryError::CopyOutOfRange { .. }),
        "{error}"
    );
    let error = y.copy_from_peer(0, &x, &devices[2].stream()?).unwrap_err();
    assert!(matches!(error, MemoryError::WrongDevice { .. }), "{error}");
    assert_eq!(y.to_vec(&stream)?, [0; 4]);
    y.copy_from_peer(4, x.slice(3..)?, &stream)?; // nothing, at the end
    Ok(())
}

//@ rows: TM-13
#[test]
fn peers_are_other_devices_of_the_same_kind() -> Result<()> {
    let [a, b] = two();
    assert!(a.can_access_peer(&b)? && b.can_access_peer(&a)? && !a.can_access_peer(&a.clone())?);
    for _ in 0..2 {
        a.enable_peer_access(&b)?;
    }
    for _ in 0..2 {
        a.disable_peer_access(&b)?;
    }
    assert_eq!(a.peer_attribute(PeerAttribute::Access, &b)?, 1);
    let error = a.peer_attribute(PeerAttribute::Access, &a).unwrap_err();
    assert!(
        matches!(&error, DeviceError::Peer { .. }) && error.to_string().contains("one device"),
        "{error}"
    );
    Ok(())
}

#[test]
fn bytes_without_a_value_have_none_after_a_copy() -> Result<()> {
    // The copy takes along what the checks know of the bytes; see `uninitialised.rs`.
    let [a, b] = two();
    let (x, stream) = (a.alloc_uninit::<u8>(4)?, b.stream()?);
    let mut y = b.zeroed::<u8>(4)?;
    y.copy_from_peer(0, &x, &stream)?;
    assert_eq!(y.to_vec(&stream)?, [0xA5; 4]);
    Ok(())
}

//@ rows: GDR-3, GDR-4, GDR-5
#[test]
fn contexts_can_be_made_current_and_nested() -> Result<()> {
    let [a, b] = two();
    let outer = a.make_current()?;
    let inner = b.make_current()?;
    let x = a.upload(&[1u8])?; // calls work under any current context
    assert_eq!((inner.device().ordinal(), outer.device().ordinal()), (1, 0));
    drop((outer, inner));
    assert_eq!(x.to_vec(&a.stream()?)?, [1]);
    Ok(())
}

//@ rows: GDR-5
#[test]
fn work_moves_between_threads() -> Result<()> {
    let device = Device::emulator();
    let (mut stream, mut x) = (device.stream()?, device.zeroed::<u32>(8)?);
    for thread in 0..8 {
        (stream, x) = std::thread::spawn(move || -> Result<_> {
            x.copy_from(thread, &[thread as u32], &stream)?;
            Ok((stream, x))
        })
        .join()
        .unwrap()?;
    }
    assert_eq!(x.to_vec(&stream)?, [0, 1, 2, 3, 4, 5, 6, 7]);
    Ok(())
}
