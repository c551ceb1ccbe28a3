//! Memory and outputs: which thread may write what, and elements of one's own types.

use warploom::prelude::*;

// ANCHOR: types
/// A particle as it lies in memory: `Plain` allows it as an element.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    speed: [f32; 3],
}

/// What each thread gets by value: `KernelArg` allows it as a parameter.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Step {
    seconds: f32,
    gravity: [f32; 3],
}

#[kernel]
fn advance(i: Index1D, step: Step, mut particles: DisjointSlice<Particle>) {
    if let Some(particle) = particles.get_mut(i) {
        for axis in 0..3 {
            particle.speed[axis] += step.seconds * step.gravity[axis];
            particle.position[axis] += step.seconds * particle.speed[axis];
        }
    }
}
// ANCHOR_END: types

// ANCHOR: types_test
#[test]
fn particles_fall() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let rest = Particle {
        position: [0.0, 0.0, 8.0],
        speed: [1.0, 0.0, 0.0],
    };
    let mut particles = device.upload(&[rest; 100])?;
    let step = Step {
        seconds: 0.5,
        gravity: [0.0, 0.0, -8.0],
    };
    for _ in 0..2 {
        advance::launch(&stream, Launch::covering(100), step, &mut particles)?;
    }
    let after = particles.to_vec(&stream)?;
    assert_eq!(after[99].position, [1.0, 0.0, 2.0]);
    Ok(())
}
// ANCHOR_END: types_test

// ANCHOR: spaces
/// `Chunks<3>`: the three colours of a pixel belong to one thread.
#[kernel]
fn grey(i: Index1D, mut rgb: DisjointSlice<u8, Chunks<3>>) {
    if let Some(pixel) = rgb.get_mut(i) {
        let mean = pixel.iter().map(|c| u32::from(*c)).sum::<u32>() / 3;
        *pixel = [mean as u8; 3];
    }
}

/// `GridStride`: a thread takes elements `i`, `i + threads`, `i + 2 * threads` and so on, whatever the size of the launch.
#[kernel]
fn squares(i: Index1D, x: &[f32], mut y: DisjointSlice<f32, GridStride>) {
    for (at, y) in y.iter_mut(i) {
        *y = x[at] * x[at];
    }
}
// ANCHOR_END: spaces

#[test]
fn pixels_turn_grey() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut rgb = device.upload(&[30u8, 60, 90].repeat(50))?;
    grey::launch(&stream, Launch::covering(50), &mut rgb)?;
    assert_eq!(rgb.to_vec(&stream)?, [60; 150]);
    Ok(())
}

// ANCHOR: views
#[test]
fn part_of_a_buffer_is_an_argument() -> warploom::Result<()> {
    let device = Device::open()?;
    let stream = device.stream()?;
    let x = device.upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let mut y = device.zeroed::<f32>(6)?;
    // Elements 2 to 4 of both; two threads for three elements.
    squares::launch(
        &stream,
        Launch::new(1, 2),
        x.slice(2..5)?,
        y.slice_mut(2..5)?,
    )?;
    assert_eq!(y.to_vec(&stream)?, [0.0, 0.0, 9.0, 16.0, 25.0, 0.0]);
    y.copy_from(4, &[7.0, 8.0], &stream)?;
    assert_eq!(y.to_vec(&stream)?, [0.0, 0.0, 9.0, 16.0, 7.0, 8.0]);
    Ok(())
}
// ANCHOR_END: views

// ANCHOR: windows
const HALO: usize = 8;
const CORE: usize = 256 - 2 * HALO;

/// Eight steps of heat along a rod, whose ends are isolated: the tile's outer slots are wrong after that, and the core is right.
#[kernel(block(256))]
fn eight_steps(
    i: Index1D,
    block: Block,
    x: &[f32],
    mut tile: DoubleTile<f32, 256>,
    mut y: DisjointSlice<f32, Windows<CORE, HALO>>,
) {
    let last = x.len() as isize - 1;
    tile.fill(|slot| x[y.position(i, slot).clamp(0, last) as usize]);
    let (mut tile, t) = (tile.publish(&block), block.thread());
    let position = y.position(i, t);
    let left = if position <= 0 {
        t
    } else {
        t.saturating_sub(1)
    };
    let right = if position >= last {
        t
    } else {
        (t + 1).min(255)
    };
    for _ in 0..8 {
        tile.set_own(0, (tile[left] + tile[right]) * 0.5);
        tile.publish(&block);
    }
    if let Some(y) = y.get_mut(i) {
        *y = tile[t];
    }
}
// ANCHOR_END: windows

#[test]
fn steps_in_windows() -> warploom::Result<()> {
    let x: Vec<f32> = (0..1000).map(|i| (i % 13 * 64) as f32).collect();
    let mut expected = x.clone();
    for _ in 0..8 {
        let of = |at: usize| (expected[at.saturating_sub(1)] + expected[(at + 1).min(999)]) * 0.5;
        expected = (0..1000).map(of).collect();
    }
    let device = Device::open()?;
    let stream = device.stream()?;
    let (input, mut y) = (device.upload(&x)?, device.zeroed::<f32>(1000)?);
    let blocks = 1000usize.div_ceil(CORE) as u32;
    eight_steps::launch(&stream, Launch::new(blocks, 256), &input, &mut y)?;
    assert_eq!(y.to_vec(&stream)?, expected);
    Ok(())
}

// ANCHOR: append
/// The places of the elements that are above a limit.
#[kernel]
fn above(i: Index1D, x: &[f32], limit: f32, mut places: AppendSlice<u32>) {
    if let Some(x) = x.get(i.get())
        && *x > limit
    {
        places.push(i.get() as u32);
    }
}
// ANCHOR_END: append

// ANCHOR: append_test
#[test]
fn places_above_a_limit() -> warploom::Result<()> {
    let x: Vec<f32> = (0..1000).map(|i| (i * 7 % 100) as f32).collect();
    let device = Device::open()?;
    let stream = device.stream()?;
    let (input, mut places) = (device.upload(&x)?, device.append_buffer(100)?);
    above::launch(
        &stream,
        Launch::covering(x.len()),
        &input,
        89.5,
        &mut places,
    )?;
    let mut found = places.to_vec(&stream)?;
    found.sort_unstable();
    assert_eq!(found.len(), 100);
    assert!(found.iter().all(|place| x[*place as usize] > 89.5));

    above::launch(
        &stream,
        Launch::covering(x.len()),
        &input,
        89.5,
        &mut places,
    )?; // behind the others
    let text = places.to_vec(&stream).unwrap_err().to_string();
    assert!(text.starts_with("kernels appended 200 elements to a buffer with room for 100"));
    Ok(())
}
// ANCHOR_END: append_test
