//! Rodinia `nn`: the distance of each record to a place.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "nn",
    run,
};

/// A place on the map.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Place {
    latitude: f32,
    longitude: f32,
}

#[kernel(fma)]
fn euclid(
    i: Index1D,
    places: &[Place],
    latitude: f32,
    longitude: f32,
    mut distances: DisjointSlice<f32>,
) {
    if let Some(distance) = distances.get_mut(i) {
        let place = places[i.get()];
        let (dy, dx) = (latitude - place.latitude, longitude - place.longitude);
        *distance = (dy * dy + dx * dx).sqrt();
    }
}

const LATITUDE: f32 = 30.0;
const LONGITUDE: f32 = 90.0;

fn reference(places: &[Place]) -> Vec<f32> {
    let distance = |place: &Place| {
        let dy = f64::from(LATITUDE) - f64::from(place.latitude);
        let dx = f64::from(LONGITUDE) - f64::from(place.longitude);
        dy.hypot(dx) as f32
    };
    places.iter().map(distance).collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [1000, 1 << 24][scale as usize];
    let (latitudes, longitudes) = (uniform(n, 1), uniform(n, 2));
    let place = |(y, x): (&f32, &f32)| Place {
        latitude: 60.0 * y,
        longitude: 180.0 * x,
    };
    let places: Vec<Place> = latitudes.iter().zip(&longitudes).map(place).collect();
    let expected = reference(&places);
    let places = side.upload(&places)?;
    let mut distances = side.output(&vec![f32::NAN; n], expected, 1e-5)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![&places, n as i32, LATITUDE, LONGITUDE, &distances.buffer];
    // SAFETY: places and how many they are, two numbers, and as many distances.
    let twin = unsafe { Call::new("euclid", blocks, 256, arguments) };
    side.kernel("euclid", vec![twin], &mut distances, |stream, distances| {
        let shape = Launch::new(blocks, 256);
        let distances = &mut distances.buffer;
        Ok(euclid::launch(
            stream, shape, &places, LATITUDE, LONGITUDE, distances,
        )?)
    })
}
