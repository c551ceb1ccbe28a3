//! The functions of two arguments, over pseudo-random and structured pairs.

use warploom::device_std::math::single;
use warploom::prelude::*;
use warploom::{LaunchError, Stream};
use warploom_harness::device_test::on_each_device;
use warploom_harness::math_accuracy::{self, Row};
use warploom_runtime::DeviceBuffer;

use super::ulp::{Worst, worse};

/// Numbers whose pairs no test may leave out.
const LANDMARKS: [f32; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.5,
    -0.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1e-45,
    -1e-45,
    f32::MAX,
    -f32::MAX,
    f32::MIN_POSITIVE,
    16_777_215.0,
    0.999_999_94,
];

/// The pair of an index: first all landmarks with all, then four kinds of random ones in turn.
fn pair(index: u64) -> (f32, f32) {
    const COUNT: u64 = LANDMARKS.len() as u64;
    if index < COUNT * COUNT {
        return (
            LANDMARKS[(index / COUNT) as usize],
            LANDMARKS[(index % COUNT) as usize],
        );
    }
    // The mixing function splitmix64.
    let mut mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let (a, b) = (mixed as u32, (mixed >> 32) as u32);
    let fraction = b as f32 * (1.0 / 4_294_967_296.0) - 0.5;
    match index % 4 {
        0 => (f32::from_bits(a), f32::from_bits(b)),
        // Near 1 to a large power.
        1 => (
            f32::from_bits((a & 0x00ff_ffff) + 0x3f00_0000),
            fraction * 600.0,
        ),
        // Anything to a small power.
        2 => (f32::from_bits(a), fraction * 8.0),
        // Of similar size.
        _ => (
            f32::from_bits((a & 0x83ff_ffff) + 0x3e00_0000),
            f32::from_bits((b & 0x83ff_ffff) + 0x3e00_0000),
        ),
    }
}

struct Binary {
    name: &'static str,
    bound: u32,
    sweep: fn(&Stream, u32, u64, &mut DeviceBuffer<Worst>) -> Result<(), LaunchError>,
}

macro_rules! binary {
    ($($kernel:ident $name:literal $bound:literal |$x:ident, $y:ident| $ours:expr, $reference:expr;)*) => {
        $(
            #[kernel]
            fn $kernel(i: Index1D, count: u64, mut out: DisjointSlice<Worst>) {
                let mut worst: Worst = [0; 2];
                let mut index = i.get() as u64;
                while index < count {
                    let ($x, $y) = pair(index);
                    let value: f32 = $ours;
                    let exact: f64 = $reference(f64::from($x), f64::from($y));
                    worst = worse(worst, value, exact, index as u32);
                    index += i.count() as u64;
                }
                if let Some(out) = out.get_mut(i) {
                    *out = worst;
                }
            }
        )*
        const BINARY: &[Binary] = &[$(Binary {
            name: $name,
            bound: $bound,
            sweep: |stream, threads, count, out| $kernel::launch(stream, Launch::covering(threads as usize), count, out),
        }),*];
    };
}

/// The low three bits of the quotient with its sign, from libm's.
fn quotient(x: f64, y: f64) -> f64 {
    if !x.is_finite() || y == 0.0 || y.is_nan() {
        return 0.0;
    }
    let size = f64::from(libm::remquo(x, y).1.unsigned_abs() & 7);
    if size != 0.0 && (x < 0.0) != (y < 0.0) {
        -size
    } else {
        size
    }
}

/// `fdim` as C has it, rounded as `f32` is.
fn fdim(x: f64, y: f64) -> f64 {
    if x <= y {
        0.0
    } else {
        f64::from(x as f32 - y as f32)
    }
}

fn next_after(x: f64, y: f64) -> f64 {
    f64::from(libm::nextafterf(x as f32, y as f32))
}

fn ldexp(x: f64, y: f64) -> f64 {
    libm::scalbn(x, (y as i32).clamp(-700, 700))
}

binary! {
    pow "powf" 8 |x, y| single::pow(x, y), libm::pow;
    std_pow "std.powf" 8 |x, y| x.powf(y), libm::pow;
    atan2 "atan2f" 3 |x, y| single::atan2(x, y), libm::atan2;
    std_atan2 "std.atan2" 3 |x, y| x.atan2(y), libm::atan2;
    hypot "hypotf" 3 |x, y| single::hypot(x, y), libm::hypot;
    std_hypot "std.hypot" 3 |x, y| x.hypot(y), libm::hypot;
    fmod "fmodf" 0 |x, y| single::fmod(x, y), libm::fmod;
    operator_rem "std.rem" 0 |x, y| x % y, libm::fmod;
    remainder "remainderf" 0 |x, y| single::remainder(x, y), libm::remainder;
    remquo "remquof (quotient)" 0 |x, y| single::remquo(x, y).1 as f32, quotient;
    fdim_kernel "fdimf" 0 |x, y| single::fdim(x, y), fdim;
    nextafter "nextafterf" 0 |x, y| single::nextafter(x, y), next_after;
    ldexp_kernel "ldexpf" 0 |x, y| single::ldexp(x, y as i32), ldexp;
    scalbn "scalbnf" 0 |x, y| single::scalbn(x, y as i32), ldexp;
    scalbln "scalblnf" 0 |x, y| single::scalbln(x, i64::from(y as i32)), ldexp;
}

//@ rows: C1-powf, C1-atan2f, C1-hypotf, C1-fmodf, C1-remainderf, C1-remquof, C1-fdimf, C1-nextafterf, C1-ldexpf, C1-scalbnf, C1-scalblnf
#[test]
fn no_error_of_a_pair_is_above_the_bound() {
    on_each_device(|device, stream| {
        let (threads, count) = match (device.is_gpu(), math_accuracy::is_recorded()) {
            (true, _) => (1 << 20, 1 << 30),
            (false, true) => (1 << 12, 1 << 20),
            (false, false) => (96, 4000),
        };
        let mut failed = String::new();
        for Binary { name, bound, sweep } in BINARY {
            crate::assert_committed(name, *bound);
            let mut out = device.zeroed::<Worst>(threads)?;
            sweep(stream, threads as u32, count, &mut out)?;
            let worst = out
                .to_vec(stream)?
                .into_iter()
                .fold([0; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
            let [(fraction, at), (floats, floats_at)] =
                worst.map(|packed| ((packed >> 32) as u32, pair(packed & 0xffff_ffff)));
            let exact_error = f64::from(fraction) / 1024.0;
            if floats > *bound {
                failed += &format!(
                    "{name}: off by {floats} floats at {floats_at:?}, the bound is {bound}; by {exact_error:.3} ulp at {at:?}\n"
                );
            }
            let row = Row {
                precision: "f32".to_owned(),
                function: (*name).to_owned(),
                kind: "pairs".to_owned(),
                arguments: count,
                off_by: Some(floats),
                exact_error,
                at: format!("{at:?}"),
                bound: *bound,
            };
            math_accuracy::record(device, &row);
        }
        assert!(failed.is_empty(), "on {}:\n{failed}", device.name());
        Ok(())
    });
}
