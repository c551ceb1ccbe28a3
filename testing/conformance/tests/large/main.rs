//! Sizes that do not fit into 32 bits: more than 2^32 bytes, 2^31 elements, 2^32 threads. The emulator runs the same bodies with little; a
//! GPU whose memory is too small is named and left out.

use std::io::Write;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

const GIB_4: usize = 1 << 32;
/// Elements of four bytes in twice as much.
const GIB_8: usize = 1 << 31;

/// Runs `body` with `large` on GPUs that have `bytes` of memory free, and with `small` on the emulator.
#[track_caller]
fn on_large_devices(
    (large, small): (usize, usize),
    bytes: usize,
    body: impl Fn(&Device, &Stream, usize) -> warploom::Result<()>,
) {
    on_each_device(|device, stream| {
        if !device.is_gpu() {
            return body(device, stream, small);
        }
        let free = device.memory_info()?.free;
        if free < bytes as u64 {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            let remark = format!(
                "{test} is skipped on {}: {free} bytes are free, {bytes} are needed\n",
                device.name()
            );
            // The runner captures what `eprintln!` writes. If this fails, nothing is lost but the remark.
            drop(std::io::stderr().write_all(remark.as_bytes()));
            return Ok(());
        }
        body(device, stream, large)
    });
}

/// A value that tells each index from its neighbours, and from those 2^31 and 2^32 away.
fn mixed(i: usize) -> u32 {
    ((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

#[kernel]
fn mix_bytes(i: Index1D, mut y: DisjointSlice<u8>) {
    if let Some(y) = y.get_mut(i) {
        *y = mixed(i.get()) as u8;
    }
}

#[kernel]
fn wrong_bytes(i: Index1D, first: usize, x: &[u8], wrong: &[AtomicU32]) {
    if let Some(x) = x.get(i.get())
        && *x != mixed(first + i.get()) as u8
    {
        wrong[0].fetch_add(1, Relaxed);
    }
}

#[kernel]
fn mix_words(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = mixed(i.get());
    }
}

#[kernel]
fn wrong_words(i: Index1D, first: usize, x: &[u32], wrong: &[AtomicU32]) {
    if let Some(x) = x.get(i.get())
        && *x != mixed(first + i.get())
    {
        wrong[0].fetch_add(1, Relaxed);
    }
}

/// Indices around the ends and the powers of two within `n`.
fn edges(n: usize) -> impl Iterator<Item = usize> {
    let powers = (0..63).map(|bit| 1usize << bit);
    [0, n].into_iter().chain(powers).filter_map(move |edge| {
        let start = edge.saturating_sub(5);
        (start + 10 <= n)
            .then_some(start)
            .or_else(|| n.checked_sub(10).filter(|_| edge == n))
    })
}

//@ rows: GDM-1
#[test]
fn buffers_of_more_bytes_than_32_bits_count() {
    on_large_devices(
        (GIB_4 + 12_345, 12_345),
        GIB_4 + (1 << 30),
        |device, stream, n| {
            let mut y = device.zeroed::<u8>(n)?;
            mix_bytes::launch(stream, Launch::covering(n), &mut y)?;
            let mut wrong = device.zeroed::<u32>(1)?;
            wrong_bytes::launch(stream, Launch::covering(n), 0, &y, wrong.as_atomic())?;
            assert_eq!(wrong.to_vec(stream)?, [0], "as kernels see it");
            for at in edges(n) {
                let expected: Vec<u8> = (at..at + 10).map(|i| mixed(i) as u8).collect();
                assert_eq!(y.slice(at..at + 10)?.to_vec(stream)?, expected, "at {at}");
            }
            y.copy_from(n - 7, &[1, 2, 3], stream)?;
            let mut end: Vec<u8> = (n - 10..n).map(|i| mixed(i) as u8).collect();
            end[3..6].copy_from_slice(&[1, 2, 3]);
            assert_eq!(y.slice(n - 10..)?.to_vec(stream)?, end);
            Ok(())
        },
    );
}

//@ rows: GDM-1, GDM-11
#[test]
fn buffers_of_more_elements_than_31_bits_count() {
    on_large_devices(
        (GIB_8 + 777, 777),
        4 * GIB_8 + (1 << 31),
        |device, stream, n| {
            let mut y = device.zeroed::<u32>(n)?;
            mix_words::launch(stream, Launch::covering(n), &mut y)?;
            let mut wrong = device.zeroed::<u32>(1)?;
            wrong_words::launch(stream, Launch::covering(n), 0, &y, wrong.as_atomic())?;
            assert_eq!(wrong.to_vec(stream)?, [0], "as kernels see it");
            // A copy of the last part, which lies beyond 2^31 elements on a GPU, within device memory.
            let mut part = device.zeroed::<u32>(500)?;
            part.copy_from_device(0, y.slice(n - 500..)?, stream)?;
            wrong_words::launch(
                stream,
                Launch::covering(500),
                n - 500,
                &part,
                wrong.as_atomic(),
            )?;
            assert_eq!(wrong.to_vec(stream)?, [0], "after the copy");
            // A fill that ends in the middle of everything.
            y.slice_mut(n / 2..n - 3)?.fill(7, stream)?;
            for (range, value) in [
                (n / 2 - 2..n / 2, None),
                (n / 2..n / 2 + 2, Some(7)),
                (n - 5..n - 3, Some(7)),
                (n - 3..n, None),
            ] {
                let expected: Vec<u32> = range.clone().map(|i| value.unwrap_or(mixed(i))).collect();
                assert_eq!(
                    y.slice(range.clone())?.to_vec(stream)?,
                    expected,
                    "{range:?}"
                );
            }
            Ok(())
        },
    );
}

//@ rows: GDM-1
#[test]
fn vectors_of_more_bytes_than_32_bits_come_and_go() {
    on_large_devices(
        (GIB_4 + 99, 9_999),
        GIB_4 + (1 << 30),
        |device, stream, n| {
            let mut host = vec![0u8; n];
            for at in edges(n) {
                for (i, byte) in host[at..at + 10].iter_mut().enumerate() {
                    *byte = mixed(at + i) as u8 | 1;
                }
            }
            let x = device.upload(&host)?;
            let back = x.to_vec(stream)?;
            let differs = back.iter().zip(&host).position(|(a, b)| a != b);
            assert_eq!((back.len(), differs), (n, None));
            Ok(())
        },
    );
}

#[kernel]
fn mark(at: Index2D, mut m: DisjointSlice2D<u8>) {
    let value = mixed(at.y()) ^ mixed(at.x()).rotate_left(9);
    if let Some(m) = m.get_mut(at) {
        *m = value as u8;
    }
}

//@ rows: GDM-1, GLA-2
#[test]
fn matrices_of_more_elements_than_32_bits_count() {
    on_large_devices((65_539, 131), GIB_4 + (1 << 30), |device, stream, n| {
        let mut m = device.zeroed::<u8>(n * n)?;
        mark::launch(
            stream,
            Launch::covering_2d(n, n),
            m.as_slice_mut().into_rows(n)?,
        )?;
        for row in [0, 1, n / 2, n - 2, n - 1] {
            let expected: Vec<u8> = (0..n)
                .map(|x| (mixed(row) ^ mixed(x).rotate_left(9)) as u8)
                .collect();
            let read = m.slice(row * n..(row + 1) * n)?.to_vec(stream)?;
            let differs = read.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!(differs, None, "row {row}");
        }
        Ok(())
    });
}

/// Counts threads whose index is a multiple of `step`, and keeps the largest index.
#[kernel]
fn survey(i: Index1D, step: usize, counted: &[AtomicU64]) {
    if i.get().is_multiple_of(step) {
        counted[0].fetch_add(1, Relaxed);
    }
    if i.get() == i.count() - 1 {
        counted[1].fetch_max(i.get() as u64, Relaxed);
    }
}

//@ rows: GLA-1, GPM-16
#[test]
fn grids_of_more_threads_than_32_bits_count() {
    for (blocks, threads) in [(1 << 24, 1024), ((1 << 31) - 1, 32)] {
        on_large_devices((blocks, 41), 0, |device, stream, blocks| {
            let mut counted = device.zeroed::<u64>(2)?;
            let (all, step) = (blocks * threads, 1 << 14);
            let grid = u32::try_from(blocks).unwrap_or(u32::MAX);
            survey::launch(stream, (grid, threads as u32), step, counted.as_atomic())?;
            let expected = [all.div_ceil(step) as u64, all as u64 - 1];
            assert_eq!(counted.to_vec(stream)?, expected, "{blocks} x {threads}");
            Ok(())
        });
    }
}
