//! Reductions and scans of floats, by key too, have the same bits in every order of threads.

use warploom::Device;
use warploom::model::Emulator;
use warploom::testing::every_schedule;
use warploom_algorithms::input::{Fetch, NoMemory};
use warploom_algorithms::prelude::*;
use warploom_algorithms::{ByKeyPlan, Error, Input, ScanPlan, counting};
use warploom_harness::device_test::devices;

use crate::{LENGTHS, check, noise};

/// Elements of 16 bytes in a tile of a scan.
const TILE: usize = 7 * 256;

/// Numbers of which sums depend on how they are grouped.
fn summand(i: usize) -> f64 {
    1.0 / (1 + i % 1009) as f64
}

#[test]
fn reductions_of_floats_on_each_device() -> Result<(), Error> {
    let mut found = vec![];
    let orders = every_schedule(1).map(|order| Emulator::new().schedule(order).device());
    for device in devices().into_iter().chain(orders) {
        let x = counting(300_007).map(summand);
        let sum: f64 = device.stream()?.sum(x).to_host()?;
        found.push(sum.to_bits());
    }
    assert!(found.iter().all(|&bits| bits == found[0]), "{found:?}");
    Ok(())
}

/// Pairs of numbers. The block of element `slow` is late.
fn summands(
    n: usize,
    slow: usize,
) -> Input<'static, NoMemory, impl Fetch<NoMemory, Item = [f64; 2]>> {
    counting(n).map(move |i| {
        let mut z = i;
        if i == slow {
            for _ in 0..3_000_000 {
                z = z.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            }
        }
        // Never so, which compilers do not find out.
        let late = if z == 1 << 63 { 1.0 } else { 0.0 };
        [summand(i), summand(i / 3) + late]
    })
}

fn add([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a + c, b + d]
}

fn bits(sums: Vec<[f64; 2]>) -> Vec<[u64; 2]> {
    sums.into_iter()
        .map(|pair| pair.map(f64::to_bits))
        .collect()
}

/// Sums of pairs of numbers.
fn scan(device: &Device, n: usize, slow: usize) -> Result<Vec<[u64; 2]>, Error> {
    let stream = device.stream()?;
    let mut y = device.alloc_uninit(n)?;
    let sums = stream.inclusive_scan(summands(n, slow), add);
    sums.deterministic().into(&mut y)?;
    Ok(bits(y.to_vec(&stream)?))
}

#[test]
fn scans_of_floats_on_each_device() -> Result<(), Error> {
    let n = 300 * TILE + 5;
    let expected = scan(&Device::emulator(), n, n)?;
    check(&expected, |device, _| scan(device, n, n));
    Ok(())
}

#[test]
fn scans_of_floats_whichever_block_is_late() -> Result<(), Error> {
    // Later blocks then find what single tiles have, and not what all up to one have.
    let n = 40 * TILE + 5;
    for slow in [0, 3 * TILE, 20 * TILE] {
        let expected = scan(&Device::emulator(), n, n)?;
        check(&expected, |device, _| scan(device, n, slow));
    }
    Ok(())
}

/// `x -> a x + b` modulo 2^32: composition is associative and not commutative.
fn compose([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

#[test]
fn scans_combine_from_left_to_right() {
    for n in LENGTHS.into_iter().chain([258 * 11 * 256 + 5]) {
        let x: Vec<_> = noise(2 * n).chunks(2).map(|x| [x[0] | 1, x[1]]).collect();
        let mut sum = [3, 4];
        let mut expected = vec![];
        for &x in &x {
            expected.push(sum);
            sum = compose(sum, x);
        }
        check(&expected, |device, stream| {
            let (x, mut y) = (device.upload(&x)?, device.zeroed(n)?);
            let mut plan = ScanPlan::new(device, n)?;
            // Twice with one plan, but for the length that takes long.
            for _ in 0..if n < 100_000 { 2 } else { 1 } {
                let scan = stream.exclusive_scan(&x, [3, 4], compose).deterministic();
                scan.plan(&mut plan).into(&mut y)?;
            }
            Ok(y.to_vec(stream)?)
        });
    }
}

/// Elements in a tile of pairs of a key of 4 and a value of 16 bytes.
const PAIRS: usize = 2 * 256;

/// Sums of the runs of keys, of which some are longer than others, then sums up to each element and before each.
fn by_key(device: &Device, n: usize, slow: usize) -> Result<Vec<[u64; 2]>, Error> {
    let stream = device.stream()?;
    let key = |i: usize| match i as u32 {
        i if i % 20_000 < 3_000 => i / 7,
        i => u32::MAX - i / 20_000,
    };
    let runs = || {
        let pairs = counting(n).map(key).zip(summands(n, slow));
        stream.by_key(pairs, add).deterministic()
    };
    let (mut keys, mut sums) = (device.zeroed(n)?, device.zeroed(n)?);
    let count = runs().reduce_count(&mut keys, &mut sums)?;
    let mut found = sums.slice(..count)?.to_vec(&stream)?;
    let mut plan = ByKeyPlan::new(device, n)?;
    runs().plan(&mut plan).inclusive_scan(&mut sums)?;
    found.extend(sums.to_vec(&stream)?);
    runs().exclusive_scan([0.5, 0.25], &mut sums)?;
    found.extend(sums.to_vec(&stream)?);
    Ok(bits(found))
}

#[test]
fn runs_of_floats_on_each_device() -> Result<(), Error> {
    let n = 270 * PAIRS + 5;
    let expected = by_key(&Device::emulator(), n, n)?;
    check(&expected, |device, _| by_key(device, n, n));
    let n = 9 * PAIRS;
    let expected = by_key(&Device::emulator(), n, n)?;
    for order in every_schedule(1) {
        let found = by_key(&Emulator::new().schedule(order).device(), n, n)?;
        assert!(found == expected, "other sums in another order of threads");
    }
    Ok(())
}

#[test]
fn runs_of_floats_whichever_block_is_late() -> Result<(), Error> {
    let n = 40 * PAIRS + 5;
    for slow in [0, 3 * PAIRS, 20 * PAIRS] {
        let expected = by_key(&Device::emulator(), n, n)?;
        check(&expected, |device, _| by_key(device, n, slow));
    }
    Ok(())
}

#[test]
fn runs_combine_from_left_to_right() {
    // Groups of tiles, in each of which runs end.
    let n = 600 * 5 * 256 + 3;
    let x: Vec<_> = noise(2 * n).chunks(2).map(|x| [x[0] | 1, x[1]]).collect();
    let key = |i: usize| i as u32 / 300_000;
    let mut expected: Vec<[u32; 2]> = vec![];
    for (i, &x) in x.iter().enumerate() {
        match expected.last_mut() {
            Some(sum) if i % 300_000 > 0 => *sum = compose(*sum, x),
            _ => expected.push(x),
        }
    }
    check(&expected, |device, stream| {
        let pairs = device.upload(&x)?;
        let (mut keys, mut sums) = (device.zeroed(n)?, device.zeroed(n)?);
        let runs = stream.by_key(counting(n).map(key).zip(&pairs), compose);
        let count = runs.deterministic().reduce_count(&mut keys, &mut sums)?;
        sums.slice(..count)?.to_vec(stream).map_err(Error::from)
    });
}
