//! Static shared memory: one object per block, place in the source, and instance of what is generic.

use warploom::model::{Emulator, Mode};
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

/// All threads of a block see what its first thread wrote, and nothing of another block's.
#[kernel]
fn say_block(i: Index1D, block: Block, mut y: DisjointSlice<u32>) {
    let cell = shared_array!(u32, 1);
    if block.thread() == 0 {
        // SAFETY: one thread writes, before the barrier.
        unsafe { cell.set(0, 1000 + block.index() as u32) };
    }
    block.sync();
    // SAFETY: no thread writes after the barrier.
    let seen = unsafe { cell.get(0) };
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: MS-5, GVAR-3, GVAR-9
#[test]
fn each_block_has_its_own() {
    let expected = Vec::from_iter((0..40 * 70).map(|i| 1000 + i / 70));
    check(&expected, |device, stream| {
        let mut y = device.zeroed(40 * 70)?;
        say_block::launch(stream, (40, 70), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// A cell of its own for each `T` and each `K`, although all have the same size and stand at one place.
fn own_cell<T: Plain, const K: usize>() -> *mut T {
    shared_array!(T, 1).as_ptr()
}

#[kernel]
fn addresses<T: Plain>(i: Index1D, mut y: DisjointSlice<[u64; 8]>, like: T) {
    let _ = like;
    let first = |k: usize| shared_array!(T, 4).as_ptr().wrapping_add(k);
    let second = |k: usize| shared_array!(T, 4).as_ptr().wrapping_add(k);
    let (a, b) = (shared_array!(T, 4), shared_array!(T, 4));
    let all = [
        a.as_ptr(),
        b.as_ptr(),
        first(0),
        second(0),
        own_cell::<T, 0>(),
        own_cell::<T, 1>(),
        own_cell::<[u8; 4], 0>().cast(),
        own_cell::<[i8; 4], 0>().cast(),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = all.map(|p| p.expose_provenance() as u64);
    }
}

//@ rows: MS-5, GVAR-9
#[test]
fn each_place_and_instance_has_its_own() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(96)?;
        addresses::launch(stream, (1, 96), &mut y, 0u32)?;
        one_memory_each(&y.to_vec(stream)?);
        addresses::launch(stream, (1, 96), &mut y, 0.5f32)?;
        one_memory_each(&y.to_vec(stream)?);
        Ok(())
    });
}

/// All threads agree on eight addresses, and these are different.
#[track_caller]
fn one_memory_each(seen: &[[u64; 8]]) {
    assert!(seen.iter().all(|s| *s == seen[0]), "{seen:?}");
    let mut sorted = seen[0];
    sorted.sort_unstable();
    let apart = sorted.windows(2).all(|w| w[1] - w[0] >= 4);
    assert!(apart, "two arrays share memory: {sorted:?}");
}

/// One place is one memory, however often a thread comes there.
#[kernel]
fn come_again(i: Index1D, block: Block, mut y: DisjointSlice<[u32; 2]>) {
    let add = |v: u32| {
        let sum = shared_array!(u32, 1);
        sum.atomic(0)
            // warploom: allow(WL0020, reason = "whatever is there at first, the kernel takes it away again")
            .fetch_add(v, std::sync::atomic::Ordering::Relaxed)
    };
    let zero = shared_array!(u32, 1);
    for round in 0..3 {
        if block.thread() == 0 && round == 0 {
            // The value at first is anything.
            add(0u32.wrapping_sub(add(0)));
            zero.atomic(0)
                .store(7, std::sync::atomic::Ordering::Relaxed);
        }
        block.sync();
        add(round);
        block.sync();
    }
    if let Some(y) = y.get_mut(i) {
        *y = [
            add(0),
            zero.atomic(0).load(std::sync::atomic::Ordering::Relaxed),
        ];
    }
}

//@ rows: MS-5, GVAR-9
#[test]
fn a_place_that_is_passed_twice_is_one_memory() {
    check(&[[3 * 45, 7]; 2 * 45], |device, stream| {
        let mut y = device.zeroed(90)?;
        come_again::launch(stream, (2, 45), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// `float tile[16][17]`, its rows one element longer than needed.
#[kernel(block(16, 16))]
fn transpose(block: Block, n: u32, x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = shared_array!([f32; 17], 16);
    let (row, column) = (thread_idx().y as usize, thread_idx().x as usize);
    let (top, left) = (16 * block_idx().y as usize, 16 * block_idx().x as usize);
    let n = n as usize;
    let value = x[(top + row) * n + left + column];
    // SAFETY: within the tile.
    let own = unsafe { tile.as_ptr().add(row) };
    // SAFETY: each thread writes an element of its own.
    unsafe { own.cast::<f32>().wrapping_add(column).write(value) };
    block.sync();
    // SAFETY: within the tile.
    let other = unsafe { tile.as_ptr().add(column) };
    // SAFETY: written before the barrier.
    let value = unsafe { other.cast::<f32>().wrapping_add(row).read() };
    let at = (left + row) * n + top + column;
    assert!(at < y.len());
    // SAFETY: within `y`, of which each element has one thread.
    unsafe { y.raw().wrapping_add(at).write(value) };
}

//@ rows: GVAR-4
#[test]
fn a_matrix_of_shared_memory() {
    let n = 48;
    let x = Vec::from_iter((0..n * n).map(|i| i as f32));
    let expected = Vec::from_iter((0..n * n).map(|i| x[i % n * n + i / n]));
    check(&expected, |device, stream| {
        let mut y = device.zeroed(n * n)?;
        let shape = Launch::new((3, 3), (16, 16));
        transpose::launch(stream, shape, n as u32, &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// `C = A * B` by tiles of 16 by 16, the way of the textbooks.
#[kernel(block(16, 16))]
fn multiply(block: Block, n: u32, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let (left, right) = (shared_array!([f32; 16], 16), shared_array!([f32; 16], 16));
    let (y, x) = (thread_idx().y as usize, thread_idx().x as usize);
    let (row, column) = (
        16 * block_idx().y as usize + y,
        16 * block_idx().x as usize + x,
    );
    let n = n as usize;
    let mut sum = 0.0;
    for k in (0..n).step_by(16) {
        let to = |tile: *mut [f32; 16]| tile.wrapping_add(y).cast::<f32>().wrapping_add(x);
        // SAFETY: each thread writes its own element.
        unsafe { to(left.as_ptr()).write(a[row * n + k + x]) };
        // SAFETY: as above.
        unsafe { to(right.as_ptr()).write(b[(k + y) * n + column]) };
        block.sync();
        for j in 0..16 {
            // SAFETY: written before the barrier.
            let left = unsafe { left.get(y) };
            // SAFETY: as above.
            let right = unsafe { right.get(j) };
            sum += left[j] * right[x];
        }
        block.sync();
    }
    let at = row * n + column;
    assert!(at < c.len());
    // SAFETY: within the slice.
    let element = unsafe { c.raw().add(at) };
    // SAFETY: each element has one thread.
    unsafe { element.write(sum) };
}

//@ rows: GVAR-4
#[test]
fn matrices_are_multiplied_by_tiles() {
    let n = 32;
    let a = Vec::from_iter((0..n * n).map(|i| (i * 7 % 11) as f32));
    let b = Vec::from_iter((0..n * n).map(|i| (i * 5 % 13) as f32 - 6.0));
    let at = |i: usize| {
        (0..n)
            .map(|k| a[i / n * n + k] * b[k * n + i % n])
            .sum::<f32>()
    };
    let expected = Vec::from_iter((0..n * n).map(at));
    check(&expected, |device, stream| {
        let (a, b, mut c) = (
            device.upload(&a)?,
            device.upload(&b)?,
            device.zeroed(n * n)?,
        );
        multiply::launch(
            stream,
            Launch::new((2, 2), (16, 16)),
            n as u32,
            &a,
            &b,
            &mut c,
        )?;
        Ok(c.to_vec(stream)?)
    });
}

#[kernel]
fn read_unwritten(i: Index1D, mut y: DisjointSlice<u32>) {
    let cells = shared_array!(u32, 32);
    if let Some(y) = y.get_mut(i) {
        // SAFETY: no thread writes.
        *y = unsafe { cells.get(i.get() % 32) };
    }
}

/// Its value on a GPU is unspecified.
//@ rows: MS-5, GPM-9
#[test]
fn the_emulator_shows_a_read_of_what_was_never_written() {
    let device = Emulator::new().mode(Mode::Fast).device();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(64).unwrap();
    read_unwritten::launch(&stream, (2, 32), &mut y).unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [0xa5a5_a5a5; 64]);

    let device = Emulator::new().mode(Mode::Checked).device();
    let stream = device.stream().unwrap();
    let mut y = device.zeroed(64).unwrap();
    read_unwritten::launch(&stream, (2, 32), &mut y).unwrap();
    let text = stream.synchronize().unwrap_err().to_string();
    assert!(text.contains("error[WL0020]"), "{text}");
    assert!(text.contains("cells[0]"), "{text}");
}
