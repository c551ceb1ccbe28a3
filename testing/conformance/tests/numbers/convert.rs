//! Conversions between numbers and integers, and of `f64` to `f32`, in four roundings.

use warploom::device_std::round::{Mode, Rd, Rn, Rounding, Ru, Rz};
use warploom::prelude::*;
use warploom_harness::device_test::check_map;

use crate::model::{self, Real};
use crate::values::{MANY, Noise, special_f32, special_f64};

/// The results of all conversions of one number to integers: `i32`, `u32`, `i64`, `u64`, with the bits widened.
type Integers = [u64; 4];

#[kernel]
fn integers_of_singles<R: Rounding + 'static>(
    i: Index1D,
    x: &[f32],
    mut y: DisjointSlice<Integers>,
) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            R::to_integer::<i32, _>(x) as u64,
            R::to_integer::<u32, _>(x).into(),
            R::to_integer::<i64, _>(x) as u64,
            R::to_integer::<u64, _>(x),
        ];
    }
}

#[kernel]
fn integers_of_doubles<R: Rounding + 'static>(
    i: Index1D,
    x: &[f64],
    mut y: DisjointSlice<Integers>,
) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        *y = [
            R::to_integer::<i32, _>(x) as u64,
            R::to_integer::<u32, _>(x).into(),
            R::to_integer::<i64, _>(x) as u64,
            R::to_integer::<u64, _>(x),
        ];
    }
}

#[kernel]
fn numbers_of_integers<R: Rounding + 'static>(
    i: Index1D,
    x: &[u64],
    mut y: DisjointSlice<[u64; 8]>,
) {
    if let Some(y) = y.get_mut(i) {
        let x = x[i.get()];
        let single = |x: f32| u64::from(x.to_bits());
        *y = [
            single(R::from_integer(x as i32)),
            single(R::from_integer(x as u32)),
            single(R::from_integer(x as i64)),
            single(R::from_integer(x)),
            R::from_integer::<f64, _>(x as i32).to_bits(),
            R::from_integer::<f64, _>(x as u32).to_bits(),
            R::from_integer::<f64, _>(x as i64).to_bits(),
            R::from_integer::<f64, _>(x).to_bits(),
        ];
    }
}

#[kernel]
fn narrowed<R: Rounding + 'static>(i: Index1D, x: &[f64], mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        let x = R::narrow(x[i.get()]);
        // What is no number may have any payload.
        *y = if x.is_nan() { 0x7fff_ffff } else { x.to_bits() };
    }
}

/// `nan` are the results for what is no number.
fn integers(mode: Mode, x: f64, nan: Integers) -> Integers {
    if x.is_nan() {
        return nan;
    }
    let whole = match mode {
        Mode::Nearest => x.round_ties_even(),
        Mode::TowardZero => x.trunc(),
        Mode::Up => x.ceil(),
        Mode::Down => x.floor(),
    };
    let whole = whole as i128; // saturates
    let within = |least: i128, most: i128| whole.clamp(least, most) as u64;
    [
        within(i32::MIN.into(), i32::MAX.into()),
        within(0, u32::MAX.into()),
        within(i64::MIN.into(), i64::MAX.into()),
        within(0, u64::MAX.into()),
    ]
}

fn nearest_of<F: Real>(mode: Mode, n: i128, nearest: F) -> F {
    model::round(nearest, mode, |r| n.cmp(&(r.wide() as i128)))
}

/// Numbers around the ends of all integer types, halves, and noise of all sizes.
fn around_integers() -> Vec<f64> {
    let mut all = special_f64();
    all.extend([31, 32, 63, 64].iter().flat_map(|&n| {
        let end = 2f64.powi(n);
        [
            end,
            end.next_down(),
            end - 0.5,
            end - 1.5,
            end + 0.5,
            end.next_up(),
        ]
    }));
    all.extend((0..20).map(|k| f64::from(k) / 4.0));
    all.extend(all.clone().iter().map(|x| -x));
    let mut noise = Noise(11);
    while all.len() < MANY {
        let bits = noise.next();
        let exponent = 1023 - 4 + bits % 72;
        all.push(f64::from_bits(
            noise.next() & 0x800f_ffff_ffff_ffff | exponent << 52,
        ));
    }
    all
}

fn modes(check: [fn(); 4]) {
    for check in check {
        check();
    }
}

//@ rows: C2-__float2int, C2-__float2uint, C2-__float2ll, C2-__float2ull
#[test]
fn singles_become_integers() {
    fn agree<R: Rounding + 'static>() {
        let mut x = special_f32();
        x.extend(around_integers().iter().map(|&x| x as f32));
        check_map(
            &x,
            |stream, x, y| {
                integers_of_singles::<R>::launch(stream, Launch::covering(x.len()), x, y)
            },
            |i| integers(R::MODE, x[i].into(), [0, 0, 1 << 63, 1 << 63]),
        );
    }
    modes([agree::<Rn>, agree::<Rz>, agree::<Ru>, agree::<Rd>]);
}

//@ rows: C2-__double2int, C2-__double2uint, C2-__double2ll, C2-__double2ull
#[test]
fn doubles_become_integers() {
    fn agree<R: Rounding + 'static>() {
        let x = around_integers();
        let nan = [i32::MIN as u64, 1 << 31, 1 << 63, 1 << 63];
        check_map(
            &x,
            |stream, x, y| {
                integers_of_doubles::<R>::launch(stream, Launch::covering(x.len()), x, y)
            },
            |i| integers(R::MODE, x[i], nan),
        );
    }
    modes([agree::<Rn>, agree::<Rz>, agree::<Ru>, agree::<Rd>]);
}

//@ rows: C2-__int2float, C2-__uint2float, C2-__ll2float, C2-__ull2float, C2-__int2double, C2-__uint2double, C2-__ll2double, C2-__ull2double
#[test]
fn integers_become_numbers() {
    fn agree<R: Rounding + 'static>() {
        let ends = [
            0,
            1,
            2,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            1 << 63,
            u64::MAX >> 1,
            u64::MAX,
            u64::MAX - 1,
        ];
        let ties =
            (0..63).flat_map(|n| [(1u64 << n) + 1, (3 << n) - 1, 0x0100_0001u64.rotate_left(n)]);
        let mut x: Vec<u64> = ends.into_iter().chain(ties).collect();
        let mut noise = Noise(5);
        while x.len() < MANY {
            let shift = noise.next() % 64;
            x.push(noise.next() >> shift);
        }
        check_map(
            &x,
            |stream, x, y| {
                numbers_of_integers::<R>::launch(stream, Launch::covering(x.len()), x, y)
            },
            |i| {
                let n = x[i];
                let single = |n: i128| u64::from(nearest_of(R::MODE, n, n as f32).to_bits());
                let double = |n: i128| nearest_of(R::MODE, n, n as f64).to_bits();
                [
                    single((n as i32).into()),
                    single((n as u32).into()),
                    single((n as i64).into()),
                    single(n.into()),
                    double((n as i32).into()),
                    double((n as u32).into()),
                    double((n as i64).into()),
                    double(n.into()),
                ]
            },
        );
    }
    modes([agree::<Rn>, agree::<Rz>, agree::<Ru>, agree::<Rd>]);
}

//@ rows: C2-__double2float
#[test]
fn doubles_become_singles() {
    fn agree<R: Rounding + 'static>() {
        let mut x = special_f64();
        x.extend(special_f32().iter().map(|&x| f64::from(x)));
        x.extend(
            x.clone()
                .iter()
                .flat_map(|x| [x.next_up(), x.next_down(), x / 2.0, x * 1.5]),
        );
        let mut noise = Noise(6);
        while x.len() < MANY {
            let bits = noise.next();
            let exponent = 1023 - 155 + noise.next() % 290;
            x.push(f64::from_bits(
                bits & 0x800f_ffff_ffff_ffff | exponent << 52,
            ));
        }
        check_map(
            &x,
            |stream, x, y| narrowed::<R>::launch(stream, Launch::covering(x.len()), x, y),
            |i| match x[i] {
                x if x.is_nan() => 0x7fff_ffff,
                x if x.is_infinite() => (x as f32).to_bits(),
                x => {
                    let compare = |r: f32| x.total_cmp(&f64::from(r));
                    model::round(x as f32, R::MODE, compare).to_bits()
                }
            },
        );
    }
    modes([agree::<Rn>, agree::<Rz>, agree::<Ru>, agree::<Rd>]);
}
