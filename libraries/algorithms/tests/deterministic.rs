//! Reductions and scans of floats have the same bits in every order of threads.

use warploom::Device;
use warploom::model::Emulator;
use warploom::testing::every_schedule;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, ScanPlan, counting};
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

/// Sums of pairs of numbers, as bits. The block of element `slow` is late.
fn scan(device: &Device, n: usize, slow: usize) -> Result<Vec<[u64; 2]>, Error> {
    let stream = device.stream()?;
    let x = counting(n).map(move |i| {
        let mut z = i;
        if i == slow {
            for _ in 0..3_000_000 {
                z = z.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            }
        }
        // Never so, which compilers do not find out.
        let late = if z == 1 << 63 { 1.0 } else { 0.0 };
        [summand(i), summand(i / 3) + late]
    });
    let mut y = device.alloc_uninit(n)?;
    let sums = stream.inclusive_scan(x, |[a, b], [c, d]| [a + c, b + d]);
    sums.deterministic().into(&mut y)?;
    let bits = |pair: [f64; 2]| pair.map(f64::to_bits);
    Ok(y.to_vec(&stream)?.into_iter().map(bits).collect())
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
