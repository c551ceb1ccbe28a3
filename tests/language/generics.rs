//! Type parameters with operator traits, operator types, associated items, const generics.

use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Index, Mul, Neg, Sub};

use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::{N, agree, floats, noise};

#[kernel]
fn axpy<T: Plain + Add<Output = T> + Mul<Output = T>>(
    i: Index1D,
    a: T,
    x: &[T],
    mut y: DisjointSlice<T>,
) {
    if let Some(y) = y.get_mut(i) {
        *y = a * x[i.get()] + a;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Complex {
    re: f32,
    im: f32,
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[track_caller]
fn axpy_agrees<T>(a: T, x: Vec<T>)
where
    T: Plain + Add<Output = T> + Mul<Output = T> + PartialEq + std::fmt::Debug,
{
    check_map(
        &x,
        |stream, x, y| axpy::launch(stream, Launch::new(9, 113), a, x, y),
        |i| a * x[i] + a,
    );
}

//@ rows: GCX-5, GCX-8
#[test]
fn operators_of_numbers() {
    axpy_agrees(1.5f32, floats(N));
    axpy_agrees(-2.25f64, floats(N).into_iter().map(f64::from).collect());
    axpy_agrees(3u64, noise(N).into_iter().map(u64::from).collect());
    axpy_agrees(-3i64, noise(N).into_iter().map(i64::from).collect());
}

//@ rows: GCX-3, GCX-8
#[test]
fn operators_of_a_type_of_ones_own() {
    let x = floats(N);
    let complex = |i: usize| Complex {
        re: x[i],
        im: x[(i + 7) % N],
    };
    axpy_agrees(Complex { re: 0.5, im: -2.0 }, (0..N).map(complex).collect());
}

/// A choice that is a type: it has no value at run time.
trait Combine {
    const START: u32;
    fn combine(a: u32, b: u32) -> u32;
}

enum Largest {}
impl Combine for Largest {
    const START: u32 = 0;
    fn combine(a: u32, b: u32) -> u32 {
        a.max(b)
    }
}

enum Parity {}
impl Combine for Parity {
    const START: u32 = 1;
    fn combine(a: u32, b: u32) -> u32 {
        a ^ (b & 1)
    }
}

#[kernel]
fn combine_ahead<C: Combine + 'static, const AHEAD: usize>(
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let ahead = x.iter().skip(i.get()).take(AHEAD);
        *y = ahead.fold(C::START, |a, &b| C::combine(a, b));
    }
}

//@ rows: GCX-5, GCX-7
#[test]
fn operator_types_and_const_generics() {
    let x = noise(N);
    let shape = Launch::covering(N);
    let expected = |i: usize, ahead: usize, start, f: fn(u32, u32) -> u32| {
        x[i..N.min(i + ahead)].iter().fold(start, |a, &b| f(a, b))
    };
    check_map(
        &x,
        |stream, x, y| combine_ahead::<Largest, 5>::launch(stream, shape, x, y),
        |i| expected(i, 5, 0, |a, b| a.max(b)),
    );
    check_map(
        &x,
        |stream, x, y| combine_ahead::<Largest, 17>::launch(stream, shape, x, y),
        |i| expected(i, 17, 0, |a, b| a.max(b)),
    );
    check_map(
        &x,
        |stream, x, y| combine_ahead::<Parity, 17>::launch(stream, shape, x, y),
        |i| expected(i, 17, 1, |a, b| a ^ (b & 1)),
    );
}

#[kernel]
fn polynomial<const DEGREE: usize>(
    i: Index1D,
    coefficients: [f32; DEGREE],
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(i) {
        *y = horner(&coefficients, x[i.get()]);
    }
}

fn horner<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[test]
fn arrays_of_a_const_generic_length_by_value() {
    let x = floats(N);
    check_map(
        &x,
        |stream, x, y| polynomial::launch(stream, Launch::covering(N), [1.0, -0.5, 0.25], x, y),
        |i| horner(&[1.0, -0.5, 0.25], x[i]),
    );
    check_map(
        &x,
        |stream, x, y| polynomial::launch(stream, Launch::covering(N), [2.0; 9], x, y),
        |i| horner(&[2.0; 9], x[i]),
    );
}

/// A number with `FRACTION` binary digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fixed<const FRACTION: u32>(i32);

impl<const F: u32> Mul for Fixed<F> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Fixed(((i64::from(self.0) * i64::from(other.0)) >> F) as i32)
    }
}
impl<const F: u32> Sub for Fixed<F> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Fixed(self.0.wrapping_sub(other.0))
    }
}
impl<const F: u32> Neg for Fixed<F> {
    type Output = Self;
    fn neg(self) -> Self {
        Fixed(self.0.wrapping_neg())
    }
}
impl<const F: u32> AddAssign for Fixed<F> {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

fn fixed_point(x: &[u32], i: usize) -> [i32; 2] {
    fn newton<const F: u32>(v: u32) -> i32 {
        // One step towards 1 / v from 1: y = y * (2 - v * y), and some more operators.
        let (v, one) = (Fixed::<F>((v >> 16) as i32), Fixed::<F>(1 << F));
        let mut y = one * (-v - -one);
        y += one;
        y.0
    }
    [newton::<8>(x[i]), newton::<14>(x[i])]
}

//@ rows: GCX-6
#[test]
fn const_generics_of_a_type() {
    agree(&noise(N), fixed_point);
}

/// Rows of a matrix that is not there: `Index`, an associated type, a default method, `PhantomData`.
struct Hilbert<T>(PhantomData<T>);

trait Matrix {
    type Element: Copy + Into<f64>;
    fn at(&self, row: usize, column: usize) -> Self::Element;
    fn trace(&self, n: usize) -> f64 {
        (0..n).map(|k| self.at(k, k).into()).sum()
    }
}

impl Matrix for Hilbert<f32> {
    type Element = f32;
    fn at(&self, row: usize, column: usize) -> f32 {
        1.0 / (row + column + 1) as f32
    }
}

impl Matrix for Hilbert<u8> {
    type Element = u8;
    fn at(&self, row: usize, column: usize) -> u8 {
        (row * column) as u8
    }
    fn trace(&self, n: usize) -> f64 {
        self.at(n, n).into()
    }
}

struct Every3<'a>(&'a [u32]);
impl Index<usize> for Every3<'_> {
    type Output = u32;
    fn index(&self, i: usize) -> &u32 {
        &self.0[(3 * i) % self.0.len()]
    }
}

fn associated_items(x: &[u32], i: usize) -> [f64; 3] {
    let (n, every) = (i % 19, Every3(x));
    [
        Hilbert::<f32>(PhantomData).trace(n),
        Hilbert::<u8>(PhantomData).trace(n),
        f64::from(every[i]),
    ]
}

//@ rows: GCX-1, GCX-5, GCX-6
#[test]
fn associated_types_and_default_methods() {
    agree(&noise(N), associated_items);
}
