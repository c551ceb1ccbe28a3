//! HeCBench `su3`: products of complex 3 by 3 matrices on a lattice: four links of a site by four matrices that all sites share.

use core::ops::{Add, Mul};

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side, Value};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "su3",
    run,
};

/// A complex number.
#[derive(Clone, Copy, Debug, Default, Plain)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// Elements of a matrix, and of the four of a site.
const MATRIX: usize = 9;
const SITE: usize = 4 * MATRIX;

/// An element of the result per thread.
#[kernel(fma)]
fn mult_su3(i: Index1D, a: &[Complex], b: &[Complex], mut c: DisjointSlice<Complex>) {
    if let Some(c) = c.get_mut(i) {
        let site = i.get() / SITE;
        let (link, row, column) = (i.get() % SITE / MATRIX, i.get() % MATRIX / 3, i.get() % 3);
        let mut sum = Complex::default();
        for k in 0..3 {
            let left = a[site * SITE + link * MATRIX + row * 3 + k];
            sum = sum + left * b[link * MATRIX + k * 3 + column];
        }
        *c = sum;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let sites = [30, 1 << 16][scale as usize];
    let numbers = |n: usize, seed| -> Vec<Complex> {
        let values = noise(2 * n, seed);
        values
            .chunks(2)
            .map(|v| Complex { re: v[0], im: v[1] })
            .collect()
    };
    let (a, b) = (numbers(sites * SITE, 1), numbers(SITE, 2));
    let expected = |at: usize| {
        let (row, column) = (at / 3 * 3, at % SITE / MATRIX * MATRIX + at % 3);
        let (mut re, mut im) = (0.0, 0.0);
        for k in 0..3 {
            let (x, y) = (a[row + k], b[column + 3 * k]);
            re += x.re * y.re - x.im * y.im;
            im += x.re * y.im + x.im * y.re;
        }
        Complex { re, im }
    };
    let mut c = side.sampled(&vec![Complex::default(); a.len()], expected, 1e-5)?;
    let (d_a, d_b) = (side.upload(&a)?, side.upload(&b)?);
    let blocks = a.len().div_ceil(256) as u32;
    let arguments = arguments![&d_a, &d_b, &c.buffer, a.len() as i32];
    // SAFETY: matrices, four of them, as many results, and how many elements those have.
    let twin = unsafe { Call::new("mult_su3", blocks, 256, arguments) };
    side.kernel("mult_su3", vec![twin], &mut c, |stream, c| {
        let shape = Launch::new(blocks, 256);
        Ok(mult_su3::launch(stream, shape, &d_a, &d_b, &mut c.buffer)?)
    })
}

impl Value for Complex {
    fn error(self, expected: Self) -> f64 {
        [self.re, self.im].error([expected.re, expected.im])
    }
}
