//! HeCBench `haversine`: distances between pairs of places on the globe.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "haversine",
    run,
};

/// Two places: latitude and longitude of each, in degrees.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Pair {
    from: [f64; 2],
    to: [f64; 2],
}

#[kernel(fma)]
fn haversine(i: Index1D, pairs: &[Pair], mut distances: DisjointSlice<f64>) {
    if let Some(distance) = distances.get_mut(i) {
        let Pair { from, to } = pairs[i.get()];
        let [lat1, lon1] = from.map(|degrees| degrees * DEGREE);
        let [lat2, lon2] = to.map(|degrees| degrees * DEGREE);
        let x = ((lon2 - lon1) / 2.0).sin();
        let y = ((lat2 - lat1) / 2.0).sin();
        let h = y * y + lat1.cos() * lat2.cos() * (x * x);
        *distance = 2.0 * RADIUS * h.min(1.0).sqrt().asin();
    }
}

const DEGREE: f64 = std::f64::consts::PI / 180.0;
/// Of the Earth, in kilometres.
const RADIUS: f64 = 6371.0;

fn reference(pair: &Pair) -> f64 {
    let [[lat1, lon1], [lat2, lon2]] = [pair.from, pair.to].map(|p| p.map(f64::to_radians));
    let x = ((lon2 - lon1) / 2.0).sin();
    let y = ((lat2 - lat1) / 2.0).sin();
    2.0 * RADIUS
        * (y * y + lat1.cos() * lat2.cos() * x * x)
            .sqrt()
            .min(1.0)
            .asin()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 20][scale as usize];
    let angles = noise(4 * n, 1);
    let pair = |at: &[f32]| Pair {
        from: [f64::from(at[0]) * 90.0, f64::from(at[1]) * 180.0],
        to: [f64::from(at[2]) * 90.0, f64::from(at[3]) * 180.0],
    };
    let pairs: Vec<Pair> = angles.chunks(4).map(pair).collect();
    let mut distances = side.sampled(&vec![f64::NAN; n], |at| reference(&pairs[at]), 1e-9)?;
    let d_pairs = side.upload(&pairs)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&d_pairs, &distances.buffer, n as i32];
    // SAFETY: pairs of places, a distance for each, and how many there are.
    let twin = unsafe { Call::new("haversine", blocks, 256, arguments) };
    side.kernel(
        "haversine",
        vec![twin],
        &mut distances,
        |stream, distances| {
            let shape = Launch::new(blocks, 256);
            Ok(haversine::launch(
                stream,
                shape,
                &d_pairs,
                &mut distances.buffer,
            )?)
        },
    )
}
