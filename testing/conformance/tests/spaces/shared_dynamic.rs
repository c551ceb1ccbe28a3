//! Dynamic shared memory: as much as the launch says, from one start, in parts.

use warploom::prelude::*;
use warploom_device_std::{SharedLayout, dynamic_shared};
use warploom_harness::device_test::{check, devices, on_each_device};

/// Every thread writes the bytes that are its turn, and reads those of the last thread.
#[kernel]
fn fill_all(i: Index1D, block: Block, memory: DynamicShared<u8>, mut y: DisjointSlice<[u32; 3]>) {
    let (t, n) = (block.thread(), block.threads());
    for k in (t..memory.len()).step_by(n) {
        // SAFETY: each thread writes bytes of its own.
        unsafe { memory.set(k, (k * 7 + block.index()) as u8) };
    }
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let byte = |k| u32::from(unsafe { memory.get(k) });
    let sum = (0..memory.len()).map(byte).sum();
    if let Some(y) = y.get_mut(i) {
        let [start, len] = [memory.as_ptr().addr() % 128, memory.len()];
        *y = [start as u32, len as u32, sum];
    }
}

//@ rows: MS-6, GVAR-5
#[test]
fn the_launch_gives_exactly_what_it_says() {
    for bytes in [0, 1, 37, 1024, 12_345] {
        let sum = |b: usize| (0..bytes).map(|k| u32::from((k * 7 + b) as u8)).sum();
        let expected = Vec::from_iter((0..3 * 33).map(|i| [0, bytes as u32, sum(i / 33)]));
        check(&expected, |device, stream| {
            let mut y = device.zeroed(99)?;
            let shape = Launch::new(3, 33).dynamic_shared(bytes as u32);
            fill_all::launch(stream, shape, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// More than a block has without asking: a word in every 128 bytes.
#[kernel]
fn touch(i: Index1D, block: Block, words: DynamicShared<u32>, mut y: DisjointSlice<u32>) {
    let (t, n) = (block.thread(), block.threads());
    for k in (t..words.len() / 32).step_by(n) {
        // SAFETY: each thread writes words of its own.
        unsafe { words.set(32 * k, k as u32 ^ 0x5a5a) };
    }
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let is_right = |k: &usize| unsafe { words.get(32 * k) } == *k as u32 ^ 0x5a5a;
    let seen = (0..words.len() / 32).filter(is_right).count();
    if let Some(y) = y.get_mut(i) {
        *y = seen as u32;
    }
}

//@ rows: MS-6, GVAR-5
#[test]
fn a_hundred_kibibytes() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(140)?;
        // Or as much as the device has.
        let bytes = device.limits().shared_bytes_opt_in.min(100 * 1024);
        touch::launch(stream, Launch::new(2, 70).dynamic_shared(bytes), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [bytes / 128; 140]);
        Ok(())
    });
}

//@ rows: MS-6
#[test]
fn more_than_the_device_has_is_refused() {
    for device in devices() {
        let stream = device.stream().unwrap();
        let mut y = device.zeroed(32).unwrap();
        let limit = device.limits().shared_bytes_opt_in;
        let mut launch = |bytes| {
            let shape = Launch::new(1, 32).dynamic_shared(bytes);
            touch::launch(&stream, shape, &mut y)
        };
        for bytes in [limit + 1, u32::MAX] {
            let error = launch(bytes).unwrap_err();
            assert!(
                matches!(error, LaunchError::SharedTooLarge { .. }),
                "{error}"
            );
        }
        launch(limit).unwrap();
        stream.synchronize().unwrap();
    }
}

use warploom::LaunchError;

/// Two views of different types.
#[kernel]
fn two_views(i: Index1D, block: Block, words: DynamicShared<u32>, mut y: DisjointSlice<[u32; 2]>) {
    let bytes = dynamic_shared!(u8);
    let t = block.thread();
    // SAFETY: each thread writes its own word.
    unsafe { words.set(t, 0x0403_0201 + t as u32) };
    // SAFETY: a byte of its own word.
    let second = unsafe { bytes.get(4 * t + 1) };
    if let Some(y) = y.get_mut(i) {
        let same = words.as_ptr().addr() == bytes.as_ptr().addr();
        *y = [u32::from(same), second.into()];
    }
}

//@ rows: MS-6, GVAR-5
#[test]
fn all_views_start_at_one_address() {
    check(&[[1, 2]; 40], |device, stream| {
        let mut y = device.zeroed(40)?;
        two_views::launch(stream, Launch::new(2, 20).dynamic_shared(80), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// `shorts` shorts, 64 floats, 256 ints, in this order.
#[kernel]
fn carve(
    i: Index1D,
    block: Block,
    memory: DynamicShared<u8>,
    shorts: u32,
    mut y: DisjointSlice<[u32; 6]>,
) {
    let mut rest = memory.carve();
    let first = rest.take::<u16>(shorts as usize);
    let second = rest.take::<f32>(64);
    let third = rest.take::<i32>(256);
    let (t, n) = (block.thread(), block.threads());
    for k in (t..first.len()).step_by(n) {
        // SAFETY: each thread writes elements of its own.
        unsafe { first.set(k, k as u16 + 1) };
    }
    for k in (t..second.len()).step_by(n) {
        // SAFETY: as above.
        unsafe { second.set(k, k as f32 * 0.5) };
    }
    for k in (t..third.len()).step_by(n) {
        // SAFETY: as above.
        unsafe { third.set(k, -(k as i32)) };
    }
    block.sync();
    // SAFETY: written before the barrier, as the two below.
    let short = |k| u32::from(unsafe { first.get(k) });
    // SAFETY: as above.
    let float = |k| unsafe { second.get(k) };
    // SAFETY: as above.
    let int = |k| unsafe { third.get(k) };
    let [short, float, int] = [
        (0..first.len()).map(short).sum(),
        (0..second.len()).map(float).sum::<f32>() as u32,
        (0..third.len()).map(int).sum::<i32>().unsigned_abs(),
    ];
    if let Some(y) = y.get_mut(i) {
        let start = memory.as_ptr().addr();
        let [floats, ints] = [second.as_ptr().addr(), third.as_ptr().addr()];
        let offsets = [floats - start, ints - start, rest.left()];
        *y = [
            offsets[0] as u32,
            offsets[1] as u32,
            offsets[2] as u32,
            short,
            float,
            int,
        ];
    }
}

fn layout(shorts: usize) -> u32 {
    SharedLayout::new()
        .with::<u16>(shorts)
        .with::<f32>(64)
        .with::<i32>(256)
        .bytes()
}

//@ rows: GVAR-5
#[test]
fn shorts_floats_and_ints_in_one_block() {
    assert_eq!(layout(128), 1536);
    let sums = [128 * 129 / 2, 63 * 16, 255 * 128];
    let expected = [[256, 512, 0, sums[0], sums[1], sums[2]]; 2 * 45];
    check(&expected, |device, stream| {
        let mut y = device.zeroed(90)?;
        let shape = Launch::new(2, 45).dynamic_shared(layout(128));
        carve::launch(stream, shape, 128, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: GVAR-6
#[test]
fn a_part_after_an_odd_one_is_aligned() {
    assert_eq!(layout(127), 1536, "two bytes of padding");
    let sums = [127 * 128 / 2, 63 * 16, 255 * 128];
    let expected = [[256, 512, 64, sums[0], sums[1], sums[2]]; 33];
    check(&expected, |device, stream| {
        let mut y = device.zeroed(33)?;
        let shape = Launch::new(1, 33).dynamic_shared(layout(127) + 64);
        carve::launch(stream, shape, 127, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

//@ rows: GVAR-6
#[test]
fn parts_beyond_the_end_are_a_panic() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(32)?;
        let shape = Launch::new(1, 32).dynamic_shared(layout(128) - 4);
        carve::launch(stream, shape, 128, &mut y)?;
        let error = stream.synchronize().unwrap_err().to_string();
        let text =
            "256 elements of 4 bytes do not fit into the 1020 bytes of dynamic shared memory";
        assert!(error.contains(text), "{error}");
        Ok(())
    });
}
