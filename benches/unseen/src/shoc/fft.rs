//! Transforms of 512 complex numbers: three passes of radix 8, exchanged through shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side, Value};

pub(crate) const CASE: Case = Case {
    suite: "shoc",
    name: "fft",
    run,
};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

impl std::ops::Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        let (re, im) = (self.re + other.re, self.im + other.im);
        Complex { re, im }
    }
}

impl std::ops::Sub for Complex {
    type Output = Complex;
    fn sub(self, other: Complex) -> Complex {
        let (re, im) = (self.re - other.re, self.im - other.im);
        Complex { re, im }
    }
}

impl std::ops::Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        let re = self.re * other.re - self.im * other.im;
        let im = self.re * other.im + self.im * other.re;
        Complex { re, im }
    }
}

/// `exp(i angle)`.
fn turn(angle: f32) -> Complex {
    let (im, re) = angle.sin_cos();
    Complex { re, im }
}

/// By `-i`.
fn quarter(a: Complex) -> Complex {
    let (re, im) = (a.im, -a.re);
    Complex { re, im }
}

fn fft2(a: &mut [Complex; 8], i: usize, j: usize) {
    (a[i], a[j]) = (a[i] + a[j], a[i] - a[j]);
}

fn fft4(a: &mut [Complex; 8], [i, j, k, l]: [usize; 4]) {
    fft2(a, i, k);
    fft2(a, j, l);
    a[l] = quarter(a[l]);
    fft2(a, i, j);
    fft2(a, k, l);
}

/// The transform of eight numbers; number `k` of it is at place `REVERSED[k]`.
fn fft8(a: &mut [Complex; 8]) {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    for k in 0..4 {
        fft2(a, k, k + 4);
    }
    a[5] = a[5]
        * Complex {
            re: half,
            im: -half,
        };
    a[6] = quarter(a[6]);
    a[7] = a[7]
        * Complex {
            re: -half,
            im: -half,
        };
    fft4(a, [0, 1, 2, 3]);
    fft4(a, [4, 5, 6, 7]);
}

const REVERSED: [usize; 8] = [0, 4, 2, 6, 1, 5, 3, 7];

/// Number `k` of the transform, turned by `k` times an angle.
fn twiddle8(a: &mut [Complex; 8], angle: f32) {
    for k in 1..8 {
        a[REVERSED[k]] = a[REVERSED[k]] * turn(angle * k as f32);
    }
}

/// A block of 64 threads transforms 512 numbers, eight per thread.
#[kernel(fma, block(64))]
fn fft512(block: Block, mut work: DisjointSlice<Complex>) {
    let shared = shared_array!(f32, 512 + 64);
    let (thread, first) = (block.thread(), block.index() * 512);
    let (high, low) = (thread >> 3, thread & 7);
    let work = work.raw();
    // SAFETY: the grid covers the data, and each thread has its own eight. No output type has elements that are 64 apart within a block.
    let mut a: [Complex; 8] =
        core::array::from_fn(|k| unsafe { *work.add(first + thread + 64 * k) });
    let full = -std::f32::consts::TAU;
    // Real parts, then imaginary parts: each thread writes eight of its own places, and after the barrier reads eight of other threads'.
    let exchange =
        |a: &mut [Complex; 8], to: usize, to_step: usize, from: usize, from_step: usize| {
            for part in 0..2 {
                for k in 0..8 {
                    let value = a[REVERSED[k]];
                    let value = if part == 0 { value.re } else { value.im };
                    // SAFETY: places of the pattern are distinct, and a barrier separates them from the reads. Tiles have no such patterns.
                    unsafe { shared.set(to + k * to_step, value) };
                }
                block.sync();
                let read: [f32; 8] = core::array::from_fn(|k| {
                    // SAFETY: all are written, and none is written before the next barrier.
                    unsafe { shared.get(from + k * from_step) }
                });
                block.sync();
                // The imaginary parts are still where they were: real ones are kept aside.
                if part == 0 {
                    for k in 0..8 {
                        a[REVERSED[k]].re = read[k];
                    }
                } else {
                    for k in 0..8 {
                        a[REVERSED[k]].im = read[k];
                    }
                }
            }
            *a = core::array::from_fn(|k| a[REVERSED[k]]);
        };
    fft8(&mut a);
    twiddle8(&mut a, full / 512.0 * thread as f32);
    exchange(&mut a, thread, 66, high * 66 + low, 8);
    fft8(&mut a);
    twiddle8(&mut a, full / 64.0 * low as f32);
    exchange(&mut a, high * 72 + low, 8, low * 72 + high * 8, 1);
    fft8(&mut a);
    for k in 0..8 {
        // SAFETY: as for the loads.
        unsafe { *work.add(first + thread + 64 * k) = a[REVERSED[k]] };
    }
}

impl Value for Complex {
    fn error(self, expected: Self) -> f64 {
        [self.re, self.im].error([expected.re, expected.im])
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let batch = [3, 1 << 14][scale as usize];
    let (re, im) = (noise(512 * batch, 1), noise(512 * batch, 2));
    let parts = re.iter().zip(&im);
    let input: Vec<Complex> = parts.map(|(&re, &im)| Complex { re, im }).collect();
    let expected = |at: usize| {
        let (first, frequency) = (at / 512 * 512, at % 512);
        let (mut re, mut im) = (0.0f64, 0.0f64);
        for (k, x) in input[first..first + 512].iter().enumerate() {
            let angle = -std::f64::consts::TAU * (k * frequency % 512) as f64 / 512.0;
            let (sin, cos) = angle.sin_cos();
            re += f64::from(x.re) * cos - f64::from(x.im) * sin;
            im += f64::from(x.re) * sin + f64::from(x.im) * cos;
        }
        let (re, im) = (re as f32, im as f32);
        Complex { re, im }
    };
    let mut work = side.sampled(&input, expected, 1e-3)?;
    // SAFETY: complex numbers that the grid covers.
    let twin = unsafe { Call::new("fft512", batch as u32, 64, arguments![&work.buffer]) };
    side.kernel("fft512", vec![twin], &mut work, |stream, work| {
        Ok(fft512::launch(
            stream,
            Launch::new(batch as u32, 64),
            &mut work.buffer,
        )?)
    })
}
