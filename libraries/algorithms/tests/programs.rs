//! Small programs of several algorithms each; the book shows them.

use warploom::prelude::*;
use warploom::{Device, Stream};
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, counting};

use crate::{check, noise};

// ANCHOR: group_by
/// `SELECT key, SUM(value) GROUP BY key`: by a sort, and a reduction of each run.
fn sums_by_key(
    stream: &Stream,
    keys: &DeviceBuffer<u32>,
    values: &DeviceBuffer<u32>,
) -> Result<(Vec<u32>, Vec<u32>), Error> {
    let (device, n) = (stream.device(), keys.len());
    let (mut sorted, mut moved) = (device.zeroed(n)?, device.zeroed(n)?);
    stream
        .sort_pairs(keys, values)
        .into(&mut sorted, &mut moved)?;
    let (mut groups, mut sums) = (device.zeroed(n)?, device.zeroed(n)?);
    let pairs = sorted.input().zip(&moved);
    let count = stream
        .by_key(pairs, u32::wrapping_add)
        .reduce_count(&mut groups, &mut sums)?;
    let groups = groups.slice(..count)?.to_vec(stream)?;
    Ok((groups, sums.slice(..count)?.to_vec(stream)?))
}
// ANCHOR_END: group_by

#[test]
fn values_are_summed_by_key() {
    let (keys, values): (Vec<u32>, _) =
        (noise(9000).iter().map(|x| x % 777).collect(), noise(9000));
    let mut expected = vec![[0u32; 2]; 777];
    for (&key, &value) in keys.iter().zip(&values) {
        let [group, sum] = &mut expected[key as usize];
        (*group, *sum) = (key, sum.wrapping_add(value));
    }
    check(&expected, |device, stream| {
        let (keys, values) = (device.upload(&keys)?, device.upload(&values)?);
        let (groups, sums) = sums_by_key(stream, &keys, &values)?;
        Ok(groups
            .into_iter()
            .zip(sums)
            .map(|(group, sum)| [group, sum])
            .collect())
    });
}

// ANCHOR: compaction
/// A particle: position, velocity, and how long it is still there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
struct Particle {
    at: [f32; 2],
    velocity: [f32; 2],
    life: f32,
}

/// Moves all particles; those whose time is over are left out.
fn step(
    stream: &Stream,
    particles: &DeviceBuffer<Particle>,
    alive: &mut DeviceBuffer<Particle>,
    dt: f32,
) -> Result<usize, Error> {
    let moved = move |p: Particle| {
        let at = [p.at[0] + p.velocity[0] * dt, p.at[1] + p.velocity[1] * dt];
        let life = p.life - dt;
        (life > 0.0).then_some(Particle { at, life, ..p })
    };
    stream.filter_map(particles, moved).count(alive)
}
// ANCHOR_END: compaction

#[test]
fn particles_that_are_over_are_left_out() {
    let particle = |i: u32| Particle {
        at: [i as f32, 0.5],
        velocity: [1.0, -2.0],
        life: (i % 5) as f32,
    };
    let particles: Vec<Particle> = (0..5000).map(particle).collect();
    let expected: Vec<u32> = (0..5000).filter(|i| i % 5 > 2).collect();
    check(&expected, |device, stream| {
        let (particles, mut alive) = (device.upload(&particles)?, device.zeroed(5000)?);
        let count = step(stream, &particles, &mut alive, 2.0)?;
        let alive = alive.slice(..count)?.to_vec(stream)?;
        assert!(alive.iter().all(|p| p.at[1] == -3.5), "all have moved");
        Ok(alive.iter().map(|p| p.at[0] as u32 - 2).collect())
    });
}

// ANCHOR: k_means
/// One step of k-means: the mean of the points that are nearest to each centre.
fn next_centres(
    stream: &Stream,
    points: &DeviceBuffer<[f32; 2]>,
    centres: [[f32; 2]; 3],
) -> Result<[[f32; 2]; 3], Error> {
    let distance = |[x, y]: [f32; 2], [a, b]: [f32; 2]| (x - a) * (x - a) + (y - b) * (y - b);
    let nearest = move |point| {
        (1..3).fold(0, |best, k| {
            let nearer = distance(point, centres[k]) < distance(point, centres[best]);
            if nearer { k } else { best }
        })
    };
    let mut next = centres;
    for (k, next) in next.iter_mut().enumerate() {
        let own = points.input().map(move |[x, y]| {
            let own = f32::from(nearest([x, y]) == k);
            [own * x, own * y, own]
        });
        let [x, y, n] = stream
            .reduce(own, [0.0; 3], |a, b| {
                [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
            })
            .to_host()?;
        if n > 0.0 {
            *next = [x / n, y / n];
        }
    }
    Ok(next)
}
// ANCHOR_END: k_means

#[test]
fn centres_move_to_their_points() {
    let around = [[0.0f32, 0.0], [10.0, 0.0], [0.0, 10.0]];
    let shifted = |i: usize| around[i % 3].map(|x| x + [-0.5, 0.5][i / 3 % 2]);
    let points: Vec<[f32; 2]> = (0..6000).map(shifted).collect();
    check(&around, |device, stream| {
        let points = device.upload(&points)?;
        let mut centres = [[1.0, 2.0], [7.0, 3.0], [-1.0, 8.0]];
        for _ in 0..3 {
            centres = next_centres(stream, &points, centres)?;
        }
        Ok(centres.to_vec())
    });
}

// ANCHOR: equalise
/// Spreads the grey values of a picture, so that each is equally frequent.
fn equalise(stream: &Stream, pixels: &DeviceBuffer<u8>) -> Result<DeviceBuffer<u8>, Error> {
    let (device, n) = (stream.device(), pixels.len() as u64);
    let (mut counts, mut up_to) = (device.zeroed(256)?, device.zeroed::<u32>(256)?);
    stream.histogram(pixels).into(&mut counts)?;
    stream
        .inclusive_scan(&counts, |a, b| a + b)
        .into(&mut up_to)?;
    let mut out = device.zeroed(pixels.len())?;
    // The new value of a pixel stands in the table at the place of the old one.
    let table = up_to
        .input()
        .map(move |count| (u64::from(count) * 255 / n) as u8);
    stream.transform(table.permute(pixels)).into(&mut out)?;
    Ok(out)
}
// ANCHOR_END: equalise

#[test]
fn grey_values_are_spread() {
    let pixels: Vec<u8> = noise(10_000)
        .iter()
        .map(|x| 100 + (x >> 28) as u8)
        .collect();
    let below = |value: u8| pixels.iter().filter(|&&p| p <= value).count() as u64;
    let expected: Vec<u8> = pixels
        .iter()
        .map(|&p| (below(p) * 255 / 10_000) as u8)
        .collect();
    check(&expected, |device, stream| {
        let pixels = device.upload(&pixels)?;
        Ok(equalise(stream, &pixels)?.to_vec(stream)?)
    });
}

// ANCHOR: nonzero
/// The places of all elements that are not zero. PyTorch: `nonzero`.
fn nonzero(device: &Device, stream: &Stream, x: &DeviceBuffer<f32>) -> Result<Vec<u64>, Error> {
    let mut places = device.zeroed(x.len())?;
    let numbered = x.input().zip(counting(x.len()));
    let place = |(x, i): (f32, usize)| (x != 0.0).then_some(i as u64);
    let count = stream.filter_map(numbered, place).count(&mut places)?;
    Ok(places.slice(..count)?.to_vec(stream)?)
}
// ANCHOR_END: nonzero

#[test]
fn places_of_what_is_not_zero() {
    let x: Vec<f32> = noise(7777).iter().map(|x| (x % 3) as f32).collect();
    let expected: Vec<u64> = (0..7777).filter(|&i| x[i as usize] != 0.0).collect();
    check(&expected, |device, stream| {
        nonzero(device, stream, &device.upload(&x)?)
    });
}
