//! What kernels take by value and what lies in buffers.

use warploom::prelude::*;
use warploom_harness::device_test::{check, check_map};

use crate::{N, floats, noise};

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Settings {
    shift: u8,
    scale: f64,
    negate: bool,
    letter: char,
    window: Window,
    weights: [f32; 3],
}

#[derive(Clone, Copy, KernelArg)]
enum Window {
    All,
    From { start: usize },
    Between(u16, u64),
}

impl Settings {
    fn apply(&self, i: usize, v: u32) -> f64 {
        let inside = match self.window {
            Window::All => true,
            Window::From { start } => i >= start,
            Window::Between(a, b) => (u64::from(a)..b).contains(&(i as u64)),
        };
        if !inside {
            return self.letter as u32 as f64;
        }
        let v = f64::from(v >> self.shift) * self.scale + f64::from(self.weights[i % 3]);
        if self.negate { -v } else { v }
    }
}

#[kernel]
fn apply(
    i: Index1D,
    small: u8,
    settings: Settings,
    flag: bool,
    x: &[u32],
    mut y: DisjointSlice<f64>,
) {
    let Some(y) = y.get_mut(i) else { return };
    *y = settings.apply(i.get(), x[i.get()]) + f64::from(small) + f64::from(u8::from(flag));
}

#[test]
fn structs_and_enums_by_value() {
    let x = noise(N);
    for window in [
        Window::All,
        Window::From { start: 400 },
        Window::Between(10, 777),
    ] {
        let settings = Settings {
            shift: 5,
            scale: -0.75,
            negate: true,
            letter: 'ß',
            window,
            weights: [0.5, 1.0, 8.0],
        };
        check_map(
            &x,
            |stream, x, y| apply::launch(stream, Launch::covering(N), 200, settings, true, x, y),
            |i| settings.apply(i, x[i]) + 201.0,
        );
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
struct Particle {
    at: [f64; 3],
    id: u64,
    kind: Kind,
    charge: i16,
    flags: [u8; 4],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(transparent)]
struct Kind(u16);

#[kernel]
fn step(i: Index1D, dt: f64, x: &[Particle], mut y: DisjointSlice<Particle>) {
    let Some(y) = y.get_mut(i) else { return };
    *y = x[i.get()].stepped(dt);
    y.flags[3] = 9;
}

impl Particle {
    fn stepped(self, dt: f64) -> Particle {
        Particle {
            at: self.at.map(|a| a + dt * f64::from(self.charge)),
            kind: Kind(self.kind.0.rotate_left(3)),
            flags: [self.flags[2], self.flags[1], self.flags[0], 0],
            ..self
        }
    }
}

#[test]
fn structs_in_buffers() {
    let bits = noise(N);
    let particles: Vec<Particle> = (0..N)
        .map(|i| Particle {
            at: [i as f64, -0.5, f64::from(bits[i])],
            id: u64::from(bits[i]) << 20,
            kind: Kind(bits[i] as u16),
            charge: (bits[i] >> 16) as i16,
            flags: bits[i].to_be_bytes(),
        })
        .collect();
    check_map(
        &particles,
        |stream, x, y| step::launch(stream, Launch::new(17, 60), 0.25, x, y),
        |i| {
            let mut p = particles[i].stepped(0.25);
            p.flags[3] = 9;
            p
        },
    );
}

/// A generic pair, by value only.
#[derive(Clone, Copy, KernelArg)]
struct Pair<A, B> {
    first: A,
    second: B,
}

#[kernel]
fn join<A: KernelArg + Into<f64>>(
    i: Index1D,
    pair: Pair<A, [u8; 3]>,
    wide: u128,
    mut y: DisjointSlice<f64>,
) {
    let Some(y) = y.get_mut(i) else { return };
    *y = pair.first.into() + f64::from(pair.second[i.get() % 3]) + (wide >> 64) as f64;
}

#[test]
fn generic_structs_and_128_bits_by_value() {
    let pair = Pair {
        first: 5u16,
        second: [1, 2, 3],
    };
    let expected: Vec<f64> = (0..40).map(|i| 12.0 + f64::from(i % 3 + 1)).collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(40)?;
        join::launch(stream, (3, 14), pair, 7 << 64 | 1, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn copy_bytes<T: Plain>(i: Index1D, x: &[T], mut y: DisjointSlice<T>) {
    if let Some(y) = y.get_mut(i) {
        *y = x[x.len() - 1 - i.get()];
    }
}

#[track_caller]
fn reversed<T: Plain + PartialEq + std::fmt::Debug>(x: Vec<T>) {
    check_map(
        &x,
        |stream, x, y| copy_bytes::launch(stream, Launch::covering(x.len()), x, y),
        |i| x[x.len() - 1 - i],
    );
}

#[test]
fn elements_of_every_size() {
    let bits = noise(301);
    reversed(bits.iter().map(|v| *v as u8).collect());
    reversed(bits.iter().map(|v| *v as i16).collect());
    reversed(bits.iter().map(|v| u128::from(*v) << 70).collect());
    reversed(bits.iter().map(|v| *v as usize).collect());
    reversed(bits.iter().map(|v| v.to_le_bytes()).collect());
    reversed(bits.iter().map(|v| [*v as u8, 2, 3]).collect());
    reversed(floats(301).into_iter().map(|v| [f64::from(v); 2]).collect());
}

#[kernel]
fn offsets(i: Index1D, a: &[u32], b: &[u32], mut y: DisjointSlice<[u32; 2]>) {
    if let Some(y) = y.get_mut(i) {
        *y = [
            a.get(i.get()).copied().unwrap_or(a.len() as u32),
            b.iter().rev().nth(i.get()).copied().unwrap_or(0),
        ];
    }
}

#[test]
fn parts_of_buffers() {
    let x = noise(N);
    let (a, b) = (&x[5..300], &x[290..]);
    let expected: Vec<[u32; 2]> = (0..400)
        .map(|i| match i {
            0..7 | 350.. => [0; 2],
            _ => {
                let i = i - 7;
                [a.get(i).copied().unwrap_or(295), b[b.len() - 1 - i]]
            }
        })
        .collect();
    check(&expected, |device, stream| {
        let x = device.upload(&x)?;
        let mut y = device.zeroed(400)?;
        let shape = Launch::covering(343);
        offsets::launch(
            stream,
            shape,
            x.slice(5..300)?,
            x.slice(290..)?,
            y.slice_mut(7..350)?,
        )?;
        Ok(y.to_vec(stream)?)
    });
}
