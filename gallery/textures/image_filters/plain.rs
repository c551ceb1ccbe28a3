//! What is drawn, with and without noise, the cubic filter's weights, and what it should give.

use super::SIDE;

/// Weights of four neighbours, of the cubic B-spline: `t` is the place between the middle two.
pub(crate) fn spline(t: f32) -> [f32; 4] {
    let s = 1.0 - t;
    [
        s * s * s / 6.0,
        (4.0 - 3.0 * t * t * (2.0 - t)) / 6.0,
        (4.0 - 3.0 * s * s * (2.0 - s)) / 6.0,
        t * t * t / 6.0,
    ]
}

/// Rings and a square.
pub(crate) fn drawing(i: usize) -> [u8; 4] {
    let scale = 2.0 / SIDE as f32;
    let (x, y) = (
        (i % SIDE) as f32 * scale - 1.0,
        (i / SIDE) as f32 * scale - 1.0,
    );
    let ring = (((x * x + y * y).sqrt() * 5.0) as u32).is_multiple_of(2);
    let square = (0.2..0.8).contains(&x) && (0.2..0.8).contains(&y);
    match (square, ring) {
        (true, _) => [230, 80, 50, 255],
        (_, true) => [50, 90 + (60.0 * x) as u8, 170, 255],
        (_, false) => [220, 210, 150, 255],
    }
}

/// From 15 less to 15 more in each colour.
pub(crate) fn noisy(i: usize, [r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let mut z = i as u32;
    let [r, g, b] = [r, g, b].map(|c| {
        z = (z ^ z >> 16)
            .wrapping_mul(0x7feb_352d)
            .wrapping_add(0x9e37_79b9);
        z = (z ^ z >> 15).wrapping_mul(0x846c_a68b);
        let noise = (z >> 16) as u8 % 31;
        (c - 15) + noise // colours are from 50 to 230
    });
    [r, g, b, a]
}

/// What a filter of the host gives at a pixel of the detail: 16 elements.
pub(crate) fn plain_bicubic(image: &[[u8; 4]], x: f32, y: f32) -> [f32; 4] {
    let (left, above) = ((x - 0.5).floor(), (y - 0.5).floor());
    let (right, down) = (spline(x - 0.5 - left), spline(y - 0.5 - above));
    let mut sum = [0.0; 4];
    for (j, down) in down.iter().enumerate() {
        for (i, right) in right.iter().enumerate() {
            let pixel = image[(above as usize + j - 1) * SIDE + left as usize + i - 1];
            for c in 0..4 {
                sum[c] += down * right * f32::from(pixel[c]);
            }
        }
    }
    sum
}
