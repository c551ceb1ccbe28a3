//! The host side: which kernel runs on which buffer, how long it took, what came out.

use warploom::prelude::*;
use warploom::{Event, LaunchError};

use super::checks::{Check, Checks};
use super::kernels::{
    LEVELS, RADIUS, TAPS, blur_columns, blur_rows, equalisation_table, equalise, histogram,
    luminance, sobel,
};
use super::picture::Picture;
use super::reference;

/// Standard deviation of the blur in pixels.
pub(crate) const SIGMA: f64 = 2.0;
/// Blocks of the histogram kernel: enough to fill a large GPU, few enough that each counts many pixels.
const HISTOGRAM_BLOCKS: usize = 512;

/// All results of one picture, as the device made them.
pub(crate) struct Developed {
    pub(crate) grey: Vec<u8>,
    pub(crate) blurred: Vec<f32>,
    pub(crate) edges: Vec<f32>,
    pub(crate) histogram: Vec<u32>,
    pub(crate) equalised: Vec<u8>,
}

/// The weights of the blur as the kernels take them.
pub(crate) fn blur_weights() -> [f32; TAPS] {
    let weights = reference::gaussian(RADIUS as u32, SIGMA);
    std::array::from_fn(|tap| weights[tap] as f32)
}

/// Runs all kernels on `picture`. `progress` gets the name and the time in milliseconds of each kernel as it ends.
pub(crate) fn develop(
    device: &Device,
    picture: &Picture,
    progress: impl FnMut(&str, f64),
) -> warploom::Result<Developed> {
    let stream = device.stream()?;
    let mut clock = Clock {
        stream: &stream,
        start: device.event()?,
        end: device.event()?,
        progress,
    };
    let pixels = picture.rgb.len();
    let each_pixel = Launch::covering(pixels);
    let (width, columns) = (picture.width, picture.width as usize);
    let by_tiles = Launch::covering_2d(columns, picture.height as usize);
    let weights = blur_weights();

    let rgb = device.upload(&picture.rgb)?;
    let mut grey = device.zeroed::<u8>(pixels)?;
    clock.time("luminance", || {
        luminance::launch(&stream, each_pixel, &rgb, &mut grey)
    })?;

    let mut rows = device.zeroed::<f32>(pixels)?;
    let out = rows.view_2d_mut(columns)?;
    clock.time("blur_rows", || {
        blur_rows::launch(&stream, by_tiles, &grey, width, weights, out)
    })?;
    let mut blurred = device.zeroed::<f32>(pixels)?;
    let out = blurred.view_2d_mut(columns)?;
    clock.time("blur_columns", || {
        blur_columns::launch(&stream, by_tiles, &rows, width, weights, out)
    })?;
    let mut edges = device.zeroed::<f32>(pixels)?;
    let out = edges.view_2d_mut(columns)?;
    clock.time("sobel", || {
        sobel::launch(&stream, by_tiles, &blurred, width, out)
    })?;

    let mut bins = device.zeroed::<u32>(LEVELS)?;
    let few_blocks = Launch::covering(pixels.min(HISTOGRAM_BLOCKS * LEVELS));
    let counts = bins.as_atomic();
    clock.time("histogram", || {
        histogram::launch(&stream, few_blocks, &grey, counts)
    })?;
    let mut table = device.zeroed::<u8>(LEVELS)?;
    let one_block = Launch::new(1, LEVELS as u32);
    clock.time("equalisation_table", || {
        equalisation_table::launch(&stream, one_block, &bins, &mut table)
    })?;
    let mut equalised = device.zeroed::<u8>(pixels)?;
    clock.time("equalise", || {
        equalise::launch(&stream, each_pixel, &grey, &table, &mut equalised)
    })?;

    Ok(Developed {
        grey: grey.to_vec(&stream)?,
        blurred: blurred.to_vec(&stream)?,
        edges: edges.to_vec(&stream)?,
        histogram: bins.to_vec(&stream)?,
        equalised: equalised.to_vec(&stream)?,
    })
}

/// Times kernels by events, so that neither the host nor the copies count.
struct Clock<'s, P> {
    stream: &'s Stream,
    start: Event,
    end: Event,
    progress: P,
}

impl<P: FnMut(&str, f64)> Clock<'_, P> {
    fn time(
        &mut self,
        kernel: &str,
        launch: impl FnOnce() -> Result<(), LaunchError>,
    ) -> warploom::Result<()> {
        self.stream.record(&self.start)?;
        launch()?;
        self.stream.record(&self.end)?;
        (self.progress)(kernel, self.start.elapsed_ms(&self.end)?);
        Ok(())
    }
}

/// Compares everything in `developed` with the CPU reference, and hands each comparison to `report`.
pub(crate) fn check(
    picture: &Picture,
    developed: &Developed,
    mut report: impl FnMut(&Check),
) -> Checks {
    let mut checks = Checks::default();
    let width = picture.width;
    let grey = reference::luminance(&picture.rgb);
    report(checks.compare("luminance", &developed.grey, &grey, 0.0));
    let blurred = reference::blur(&grey, width, &reference::gaussian(RADIUS as u32, SIGMA));
    report(checks.compare("blur", &developed.blurred, &blurred, 1e-3));
    let edges = reference::sobel(&blurred, width);
    report(checks.compare("sobel", &developed.edges, &edges, 1e-2));
    let bins = reference::histogram(&grey);
    report(checks.compare("histogram", &developed.histogram, &bins, 0.0));
    let equalised = reference::equalise(&grey);
    report(checks.compare("equalise", &developed.equalised, &equalised, 0.0));
    checks
}
