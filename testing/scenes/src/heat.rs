//! Heat that spreads over a plate, computed by kernels and written through a surface to an image that another API draws.

use warploom::ArrayLevelMut;
use warploom::prelude::*;

use crate::picture::Picture;

/// The temperature of each place after a step: a little nearer to that of its four neighbours. The edge stays as it is.
#[kernel]
fn step(at: Index2D, width: usize, before: &[f32], mut after: DisjointSlice2D<f32>) {
    let height = before.len() / width;
    if let Some(after) = after.get_mut(at) {
        *after = next(before, [width, height], at.x(), at.y());
    }
}

/// Writes temperatures to an image.
#[kernel]
fn show(at: Index2D, width: usize, field: &[f32], mut image: Surface2d<f32>) {
    if at.x() < width
        && let Some(t) = field.get(at.y() * width + at.x())
    {
        image.write(at, *t);
    }
}

/// What the kernel computes for one place.
fn next(field: &[f32], [width, height]: [usize; 2], x: usize, y: usize) -> f32 {
    let at = |x: usize, y: usize| field[y * width + x];
    if x == 0 || y == 0 || x + 1 >= width || y + 1 >= height {
        return at(x, y);
    }
    let around = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
    at(x, y) + (around - at(x, y) * 4.0) * 0.25
}

/// The plate at the beginning: hot in two discs, cold elsewhere.
fn first([width, height]: [usize; 2]) -> Vec<f32> {
    let hot = |x: f32, y: f32| (x - 0.4).hypot(y - 0.5) < 0.25 || (x - 0.8).hypot(y - 0.3) < 0.1;
    let place = |i: usize| {
        let (x, y) = (i % width, i / width);
        hot(x as f32 / width as f32, y as f32 / height as f32)
    };
    (0..width * height)
        .map(|i| f32::from(u8::from(place(i))))
        .collect()
}

/// The plate after so many steps, computed on the host.
#[must_use]
pub fn after(steps: usize, extent: [usize; 2]) -> Vec<f32> {
    let [width, height] = extent;
    let mut field = first(extent);
    for _ in 0..steps {
        let places = 0..width * height;
        field = places
            .map(|i| next(&field, extent, i % width, i / width))
            .collect();
    }
    field
}

/// The pixels that differ by more than one from the colours that the tests' fragment shaders give the temperatures.
#[must_use]
pub fn pixels_that_differ(picture: &Picture, field: &[f32]) -> usize {
    let colour = |t: f32| [t, 1.0 - (2.0 * t - 1.0).abs(), 1.0 - t];
    let differs = |(pixel, t): &(&[u8; 4], &f32)| {
        let wanted = colour(**t).map(|channel| (channel * 255.0).round() as u8);
        (0..3).any(|i| pixel[i].abs_diff(wanted[i]) > 1)
    };
    picture.pixels.iter().zip(field).filter(differs).count()
}

/// The temperatures of a plate, in device memory.
#[derive(Debug)]
pub struct Plate {
    field: DeviceBuffer<f32>,
    other: DeviceBuffer<f32>,
    width: usize,
}

impl Plate {
    /// A plate of so many places.
    ///
    /// # Errors
    /// Those of the device's memory.
    pub fn new(device: &Device, extent: [usize; 2]) -> Result<Plate, warploom::Error> {
        Ok(Plate {
            field: device.upload(&first(extent))?,
            other: device.zeroed(extent[0] * extent[1])?,
            width: extent[0],
        })
    }

    /// Computes so many steps.
    ///
    /// # Errors
    /// Those of the launches.
    pub fn advance(&mut self, steps: usize, stream: &Stream) -> Result<(), warploom::Error> {
        let (width, height) = (self.width, self.field.len() / self.width);
        for _ in 0..steps {
            let after = self.other.as_slice_mut().into_rows(width)?;
            let shape = Launch::covering_2d(width, height);
            step::launch(stream, shape, width, &self.field, after)?;
            std::mem::swap(&mut self.field, &mut self.other);
        }
        Ok(())
    }

    /// Writes the temperatures to a level of an image that has as many texels.
    ///
    /// # Errors
    /// Those of the surface and the launch.
    pub fn write_to(
        &self,
        image: ArrayLevelMut<'_, f32>,
        stream: &Stream,
    ) -> Result<(), warploom::Error> {
        let extent = image.shape().extent();
        let mut surface = image.into_surface()?;
        let shape = Launch::covering_2d(extent.width, extent.height);
        show::launch(stream, shape, self.width, &self.field, &mut surface)?;
        Ok(())
    }
}
