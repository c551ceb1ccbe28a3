//! The photo example on small and odd pictures, and on files that are none.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test may fail as the test does"
)]

#[path = "../examples/photo/chart.rs"]
mod chart;
#[path = "../examples/photo/checks.rs"]
mod checks;
#[path = "../examples/photo/kernels.rs"]
mod kernels;
#[path = "../examples/photo/picture.rs"]
mod picture;
#[path = "../examples/photo/pipeline.rs"]
mod pipeline;
#[path = "../examples/photo/reference.rs"]
mod reference;

use std::fs;
use std::path::PathBuf;

use picture::{Picture, PictureError};
use warploom::prelude::*;

/// Develops a picture of that size whose channels come from `rgb`, and expects every comparison to pass.
#[track_caller]
fn develops(width: u32, height: u32, rgb: impl Fn(u32, u32) -> [u8; 3]) {
    let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let picture = Picture {
        width,
        height,
        rgb: points.map(|(x, y)| rgb(x, y)).collect(),
    };
    let device = Device::open().unwrap();
    let mut kernels = Vec::new();
    let developed = pipeline::develop(&device, &picture, |kernel, ms| {
        assert!(ms >= 0.0, "{kernel} took {ms} ms");
        kernels.push(kernel.to_owned());
    });
    let developed = developed.unwrap();
    assert_eq!(kernels.len(), 7, "{kernels:?}");
    let mut report = String::new();
    let checks = pipeline::check(&picture, &developed, |check| {
        report += &format!("{check}\n")
    });
    assert_eq!(
        (checks.passed(), checks.failed()),
        (5, 0),
        "{width} x {height} on {}:\n{report}",
        device.name()
    );
    assert_eq!(chart::edges(&developed.edges).len(), developed.grey.len());
    assert_eq!(
        chart::levels(&developed.blurred).len(),
        developed.grey.len()
    );
    assert_eq!(
        chart::histogram(&developed.histogram).len(),
        256 * chart::CHART_WIDTH as usize
    );
}

/// Numbers without a pattern, the same in each run.
fn noise(x: u32, y: u32) -> [u8; 3] {
    let mixed =
        (x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35);
    let [r, g, b, _] = (mixed ^ (mixed >> 15)).to_le_bytes();
    [r, g, b]
}

#[test]
fn one_pixel() {
    develops(1, 1, |_, _| [10, 200, 30]);
}

#[test]
fn one_column() {
    develops(1, 7, noise);
}

#[test]
fn one_row() {
    develops(7, 1, noise);
}

#[test]
fn odd_sizes_in_colour() {
    develops(33, 17, noise);
    develops(65, 9, noise);
}

#[test]
fn odd_sizes_in_grey() {
    develops(33, 17, |x, y| [(x * 7 + y * 3) as u8; 3]);
}

#[test]
fn one_colour_stays_when_equalised() {
    develops(40, 10, |_, _| [99; 3]);
    develops(40, 10, |_, _| [0; 3]);
    develops(40, 10, |_, _| [255; 3]);
}

#[test]
fn black_and_white_are_far_apart_already() {
    develops(32, 8, |x, _| if x % 2 == 0 { [0; 3] } else { [255; 3] });
}

/// A file in the temporary folder; gone when dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path =
            std::env::temp_dir().join(format!("warploom-photo-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A PNG with `pixels` as they are in the file.
fn png(
    width: u32,
    height: u32,
    color: png::ColorType,
    depth: png::BitDepth,
    pixels: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == png::ColorType::Indexed {
        encoder.set_palette(vec![1, 2, 3, 40, 50, 60]);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
    bytes
}

#[track_caller]
fn loads(bytes: &[u8], expected: &[[u8; 3]]) {
    let file = File::new(
        &format!("loads-{}.png", std::panic::Location::caller().line()),
        bytes,
    );
    assert_eq!(picture::load(&file.0).unwrap().rgb, expected);
}

#[test]
fn every_kind_of_png_becomes_rgb() {
    use png::BitDepth::{Eight, One, Sixteen};
    use png::ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
    loads(&png(2, 1, Grayscale, Eight, &[7, 9]), &[[7; 3], [9; 3]]);
    loads(
        &png(2, 1, Grayscale, One, &[0b0100_0000]),
        &[[0; 3], [255; 3]],
    );
    loads(
        &png(2, 1, Grayscale, Sixteen, &[7, 200, 9, 1]),
        &[[7; 3], [9; 3]],
    );
    loads(
        &png(1, 2, Rgb, Eight, &[1, 2, 3, 4, 5, 6]),
        &[[1, 2, 3], [4, 5, 6]],
    );
    loads(&png(1, 1, Rgb, Sixteen, &[1, 0, 2, 0, 3, 0]), &[[1, 2, 3]]);
    loads(
        &png(2, 1, Indexed, Eight, &[1, 0]),
        &[[40, 50, 60], [1, 2, 3]],
    );
    // Transparent is white, half-transparent half of it.
    loads(
        &png(2, 1, Rgba, Eight, &[1, 2, 3, 0, 1, 2, 3, 255]),
        &[[255; 3], [1, 2, 3]],
    );
    loads(&png(1, 1, GrayscaleAlpha, Eight, &[0, 51]), &[[204; 3]]);
}

#[test]
fn what_is_saved_can_be_loaded() {
    let file = File::new("saved.png", &[]);
    picture::save_grey(&file.0, 3, &[1, 2, 3, 4, 5, 6]).unwrap();
    let picture = picture::load(&file.0).unwrap();
    assert_eq!((picture.width, picture.height), (3, 2));
    assert_eq!(picture.rgb[5], [6; 3]);
}

/// Loads a file with these bytes and returns the error's text.
#[track_caller]
fn refused(name: &str, bytes: &[u8]) -> String {
    let file = File::new(name, bytes);
    picture::load(&file.0).unwrap_err().to_string()
}

#[test]
fn broken_files_are_errors_that_say_what_is_wrong() {
    let whole = png(
        64,
        64,
        png::ColorType::Rgb,
        png::BitDepth::Eight,
        &[200; 64 * 64 * 3],
    );
    let text = refused("cut.png", &whole[..whole.len() / 2]);
    assert!(text.contains("is a PNG that cannot be decoded: "), "{text}");
    let text = refused("begin.png", &whole[..8]);
    assert!(text.contains("is a PNG that cannot be decoded: "), "{text}");
    let mut damaged = whole.clone();
    damaged[30] ^= 0xff;
    let text = refused("damaged.png", &damaged);
    assert!(text.contains("is a PNG that cannot be decoded: "), "{text}");
    let text = refused("cut.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0");
    assert!(
        text.contains("is a JPEG that cannot be decoded: its end is missing; is it complete?"),
        "{text}"
    );
    let text = refused("empty.png", b"");
    assert!(
        text.ends_with("empty.png is empty; a PNG or a JPEG is needed"),
        "{text}"
    );
    let text = refused("notes.txt", b"hello");
    assert!(text.ends_with("is neither a PNG nor a JPEG: it begins with [68, 65, 6c, 6c, 6f]; convert it to one of the two"), "{text}");
}

#[test]
fn a_header_that_promises_too_much_allocates_nothing() {
    let mut whole = png(1, 1, png::ColorType::Rgb, png::BitDepth::Eight, &[0; 3]);
    whole[16..20].copy_from_slice(&0x7fff_fffe_u32.to_be_bytes());
    // The checksum of the header no longer holds either; whichever is found first, nothing is allocated by its size.
    let text = refused("huge.png", &whole);
    assert!(
        text.contains("cannot be decoded") || text.contains("at most 268435456 are taken"),
        "{text}"
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = picture::load("there/is/no.png".as_ref()).unwrap_err();
    assert!(matches!(error, PictureError::Unreadable { .. }));
    assert!(
        error
            .to_string()
            .starts_with("cannot read the picture there/is/no.png: "),
        "{error}"
    );
}

#[test]
fn a_difference_is_found_and_located() {
    let mut checks = checks::Checks::default();
    let text = checks
        .compare("grey", &[1_u8, 2, 3], &[1_u8, 2, 5], 1.0)
        .to_string();
    assert!(text.starts_with("FAILED grey"), "{text}");
    assert!(
        text.ends_with("largest difference 2.00e0 (allowed 1e0) at 2: device 3, reference 5"),
        "{text}"
    );
    let text = checks
        .compare("blur", &[1.0_f32, f32::NAN, 7.0], &[1.0_f64, 2.0, 3.0], 9.0)
        .to_string();
    assert!(
        text.contains("largest difference NaN (allowed 9e0) at 1: device NaN, reference 2"),
        "{text}"
    );
    let text = checks
        .compare("edges", &[1.0_f32], &[1.0_f64, 2.0], 9.0)
        .to_string();
    assert!(
        text.ends_with("the device made 1 values, the reference 2"),
        "{text}"
    );
    assert!(checks.compare("same", &[1_u8], &[1_u8], 0.0).passed());
    assert_eq!((checks.passed(), checks.failed()), (1, 3));
}
