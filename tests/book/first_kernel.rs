//! First kernel: one thread for each element, and for each pixel.

use warploom::prelude::*;

// ANCHOR: kernel
/// Each thread converts one temperature.
#[kernel]
fn to_fahrenheit(i: Index1D, celsius: &[f32], mut fahrenheit: DisjointSlice<f32>) {
    if let Some(f) = fahrenheit.get_mut(i) {
        *f = celsius[i.get()] * 1.8 + 32.0;
    }
}
// ANCHOR_END: kernel

// ANCHOR: launch
fn convert(device: &Device, celsius: &[f32]) -> warploom::Result<Vec<f32>> {
    let stream = device.stream()?;
    let input = device.upload(celsius)?;
    let mut output = device.zeroed::<f32>(celsius.len())?;
    to_fahrenheit::launch(
        &stream,
        Launch::covering(celsius.len()),
        &input,
        &mut output,
    )?;
    Ok(output.to_vec(&stream)?)
}
// ANCHOR_END: launch

// ANCHOR: test
#[test]
fn water_freezes_and_boils() -> warploom::Result<()> {
    let device = Device::open()?;
    let mut celsius = vec![20.0; 1000];
    (celsius[0], celsius[999]) = (0.0, 100.0);
    let fahrenheit = convert(&device, &celsius)?;
    assert_eq!(
        (fahrenheit[0], fahrenheit[1], fahrenheit[999]),
        (32.0, 68.0, 212.0)
    );
    Ok(())
}
// ANCHOR_END: test

// ANCHOR: two_dimensions
/// Each thread computes one pixel of a picture that is as wide as `picture.width()`.
#[kernel]
fn gradient(at: Index2D, mut picture: DisjointSlice2D<u8>) {
    let width = picture.width();
    if let Some(pixel) = picture.get_mut(at) {
        *pixel = (255 * at.x() / (width - 1)) as u8;
    }
}

#[test]
fn the_right_edge_is_white() -> warploom::Result<()> {
    let (width, height) = (100, 30);
    let device = Device::open()?;
    let stream = device.stream()?;
    let mut pixels = device.zeroed::<u8>(width * height)?;
    gradient::launch(
        &stream,
        Launch::covering_2d(width, height),
        pixels.view_2d_mut(width)?,
    )?;
    let pixels = pixels.to_vec(&stream)?;
    assert!(
        pixels
            .chunks(width)
            .all(|row| row[0] == 0 && row[width - 1] == 255)
    );
    Ok(())
}
// ANCHOR_END: two_dimensions
