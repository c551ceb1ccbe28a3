//! Accesses of 128 bits: whole or not at all.

use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, AtomicValue, Relaxed, Release, SeqCst, scope,
};
use warploom::prelude::*;
use warploom_harness::device_test::{check, devices};

/// Whether a device has these instructions.
fn able(device: &Device) -> bool {
    device.compute_capability() >= (9, 0)
}

/// A value whose halves belong together.
fn pair(v: u64) -> u128 {
    u128::from(v) << 64 | u128::from(!v)
}

fn is_pair(v: u128) -> bool {
    v == pair((v >> 64) as u64)
}

/// Even blocks write pairs in three ways, odd ones read; halves of two pairs are counted as a torn read.
#[kernel]
fn write_and_read(
    i: Index1D,
    block: Block,
    cells: &[Atomic<u128>],
    torn: &[Atomic<u32>],
    rounds: u32,
) {
    for round in 0..rounds {
        let cell = &cells[(i.get() + round as usize) % cells.len()];
        let new = pair(i.get() as u64 * 0x1_0000_0001 + u64::from(round));
        let seen = if block.index().is_multiple_of(2) {
            match round % 3 {
                0 => cell.swap(new, Relaxed),
                1 => {
                    cell.store(new, Release);
                    new
                }
                _ => match cell.compare_exchange(cell.load(Relaxed), new, AcqRel, Acquire) {
                    Ok(before) | Err(before) => before,
                },
            }
        } else if round % 2 == 0 {
            cell.load(Acquire)
        } else {
            cell.at::<scope::System>().load(SeqCst)
        };
        if !is_pair(seen) {
            torn[0].fetch_add(1, Relaxed);
        }
    }
}

//@ rows: AT-10, AT-11, NA-8, NA-9, NA-10, NA-11, E-16, E-23
#[test]
fn no_read_is_torn() {
    for device in devices().into_iter().filter(able) {
        let run = || -> warploom::Result<()> {
            let stream = device.stream()?;
            let mut cells = device.upload(&[pair(0); 5])?;
            let mut count = device.zeroed::<u32>(1)?;
            let rounds = if device.is_gpu() { 300 } else { 10 };
            write_and_read::launch(
                &stream,
                (24, 70),
                cells.as_atomics(),
                count.as_atomics(),
                rounds,
            )?;
            assert_eq!(
                count.to_vec(&stream)?,
                [0],
                "torn reads on {}",
                device.name()
            );
            let cells = cells.to_vec(&stream)?;
            assert!(cells.into_iter().all(is_pair), "on {}", device.name());
            Ok(())
        };
        run().unwrap();
    }
}

/// The best of all threads: a number and the thread that had it, exchanged as one.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C, align(16))]
struct Best {
    score: f64,
    index: u64,
}
// SAFETY: 16 bytes without padding, each pattern of bits is a value.
unsafe impl Plain for Best {}
// SAFETY: 16 bytes, aligned to 16.
unsafe impl AtomicValue for Best {
    type Bits = u128;
}

#[kernel]
fn argmax(i: Index1D, x: &[f64], best: &[Atomic<Best>]) {
    if let Some(score) = x.get(i.get()).copied() {
        let index = i.get() as u64;
        let _ = best[0].fetch_update(AcqRel, Acquire, |b| {
            (score > b.score).then_some(Best { score, index })
        });
    }
}

//@ rows: AT-11, NA-9, E-23
#[test]
fn a_struct_is_exchanged_as_one() {
    let x: Vec<f64> = (0..500).map(|i| f64::from(i * 7919 % 5003)).collect();
    let (index, score) = x
        .iter()
        .copied()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap();
    let index = index as u64;
    let expected = Best { score, index };
    check(&[expected], |device, stream| {
        if !able(device) {
            return Ok(vec![expected]);
        }
        let (x, mut best) = (
            device.upload(&x)?,
            device.upload(&[Best {
                score: -1.0,
                index: 0,
            }])?,
        );
        argmax::launch(stream, (8, 70), &x, best.as_atomics())?;
        Ok(best.to_vec(stream)?)
    });
}
