//! The same picture work as plain CPU code in f64, written without a look at the kernels: what they are checked against.

/// Grey value of each pixel: 0.2126 R + 0.7152 G + 0.0722 B (BT.709), the weights in 1/65536, rounded to the nearest level.
pub(crate) fn luminance(rgb: &[[u8; 3]]) -> Vec<u8> {
    let weights = [0.2126_f64, 0.7152, 0.0722].map(|w| (w * 65536.0).round() / 65536.0);
    rgb.iter()
        .map(|pixel| {
            let sum: f64 = pixel
                .iter()
                .zip(weights)
                .map(|(&v, w)| f64::from(v) * w)
                .sum();
            (sum + 0.5).floor() as u8
        })
        .collect()
}

/// The weights of a Gaussian blur: `2 * radius + 1` of them, their sum is 1.
pub(crate) fn gaussian(radius: u32, sigma: f64) -> Vec<f64> {
    let radius = i64::from(radius);
    let bell = |x: i64| (-((x * x) as f64) / (2.0 * sigma * sigma)).exp();
    let sum: f64 = (-radius..=radius).map(bell).sum();
    (-radius..=radius).map(|x| bell(x) / sum).collect()
}

/// Blurs with the square of all products of two weights, in two dimensions at once. Beyond the border its pixels repeat.
pub(crate) fn blur(grey: &[u8], width: u32, weights: &[f64]) -> Vec<f64> {
    let plane = Plane::new(grey, width);
    let radius = (weights.len() / 2) as i64;
    plane.map(|x, y| {
        let mut sum = 0.0;
        for (row, wy) in (-radius..).zip(weights) {
            for (column, wx) in (-radius..).zip(weights) {
                sum += wy * wx * f64::from(plane.at(x + column, y + row));
            }
        }
        sum
    })
}

/// Length of the Sobel gradient. Beyond the border its pixels repeat.
pub(crate) fn sobel(grey: &[f64], width: u32) -> Vec<f64> {
    const ACROSS: [[f64; 3]; 3] = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
    let plane = Plane::new(grey, width);
    plane.map(|x, y| {
        let (mut gx, mut gy) = (0.0, 0.0);
        for (row, line) in (-1..).zip(ACROSS) {
            for (column, weight) in (-1..).zip(line) {
                gx += weight * plane.at(x + column, y + row);
                gy += weight * plane.at(x + row, y + column);
            }
        }
        f64::hypot(gx, gy)
    })
}

/// How many pixels have each grey value.
pub(crate) fn histogram(grey: &[u8]) -> Vec<u32> {
    let mut bins = vec![0; 256];
    for &v in grey {
        bins[usize::from(v)] += 1;
    }
    bins
}

/// Spreads the grey values so that each is as far from black as its rank among all pixels; one grey value alone stays.
pub(crate) fn equalise(grey: &[u8]) -> Vec<u8> {
    let mut sorted = grey.to_vec();
    sorted.sort_unstable();
    let up_to = |v: u8| sorted.partition_point(|&other| other <= v) as u64;
    let darkest = sorted.first().map_or(0, |&v| up_to(v));
    let others = sorted.len() as u64 - darkest;
    let level = |v: u8| match others {
        0 => v,
        _ => ((up_to(v) - darkest) as f64 * 255.0 / others as f64 + 0.5).floor() as u8,
    };
    let levels: Vec<u8> = (0..=u8::MAX)
        .map(|v| if v < sorted[0] { 0 } else { level(v) })
        .collect();
    grey.iter().map(|&v| levels[usize::from(v)]).collect()
}

/// Pixels with their width; reads beyond the border give the nearest pixel.
struct Plane<'a, T> {
    pixels: &'a [T],
    width: i64,
    height: i64,
}

impl<'a, T: Copy> Plane<'a, T> {
    fn new(pixels: &'a [T], width: u32) -> Self {
        let width = i64::from(width);
        let height = pixels.len() as i64 / width;
        Self {
            pixels,
            width,
            height,
        }
    }

    fn at(&self, x: i64, y: i64) -> T {
        let (x, y) = (x.clamp(0, self.width - 1), y.clamp(0, self.height - 1));
        self.pixels[(y * self.width + x) as usize]
    }

    fn map(&self, pixel: impl Fn(i64, i64) -> f64) -> Vec<f64> {
        let rows = 0..self.height;
        rows.flat_map(|y| (0..self.width).map(move |x| (x, y)))
            .map(|(x, y)| pixel(x, y))
            .collect()
    }
}
