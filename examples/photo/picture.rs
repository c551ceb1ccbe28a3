//! Reads the user's picture (PNG or JPEG) and writes PNGs. Every file ends as a [`Picture`] or as a [`PictureError`].

use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Most pixels that are accepted: 2^28 of them are 805 MB as RGB.
const MOST_PIXELS: u64 = 1 << 28;
const PNG_MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG_MAGIC: &[u8] = b"\xff\xd8\xff";

/// A colour picture: `rgb[y * width + x]`, eight bits per channel, never empty.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgb: Vec<[u8; 3]>,
}

/// Why a file did not become a picture, or a picture no file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PictureError {
    /// The file cannot be opened or read.
    #[error("cannot read the picture {path}: {source}")]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file has no bytes at all.
    #[error("{path} is empty; a PNG or a JPEG is needed")]
    Empty { path: PathBuf },
    /// The first bytes are those of no format that is known here.
    #[error(
        "{path} is neither a PNG nor a JPEG: it begins with {begin:02x?}; convert it to one of the two"
    )]
    UnknownFormat { path: PathBuf, begin: Vec<u8> },
    /// The file is a PNG, but a broken one.
    #[error("{path} is a PNG that cannot be decoded: {source}; is it complete?")]
    Png {
        path: PathBuf,
        source: png::DecodingError,
    },
    /// The file is a JPEG, but a broken one, or of a kind that the decoder lacks.
    #[error("{path} is a JPEG that cannot be decoded: {reason}; is it complete?")]
    Jpeg { path: PathBuf, reason: String },
    /// The picture has more pixels than this program takes.
    #[error(
        "{path} has {width} x {height} pixels; at most {MOST_PIXELS} are taken: scale it down first"
    )]
    TooLarge {
        path: PathBuf,
        width: u32,
        height: u32,
    },
    /// A result cannot be written.
    #[error("cannot write {path}: {reason}")]
    Unwritable { path: PathBuf, reason: String },
}

/// Reads `path`: PNG (any bit depth, grey, RGB, palette, alpha blended over white) or JPEG (grey, YCbCr, CMYK).
pub(crate) fn load(path: &Path) -> Result<Picture, PictureError> {
    let bytes = fs::read(path).map_err(|source| PictureError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    if bytes.is_empty() {
        Err(PictureError::Empty {
            path: path.to_owned(),
        })
    } else if bytes.starts_with(PNG_MAGIC) {
        decode_png(path, &bytes)
    } else if bytes.starts_with(JPEG_MAGIC) {
        decode_jpeg(path, &bytes)
    } else {
        Err(PictureError::UnknownFormat {
            path: path.to_owned(),
            begin: bytes.iter().copied().take(8).collect(),
        })
    }
}

/// Writes `grey[y * width + x]` as an eight-bit grey PNG.
pub(crate) fn save_grey(path: &Path, width: u32, grey: &[u8]) -> Result<(), PictureError> {
    let unwritable = |reason: String| PictureError::Unwritable {
        path: path.to_owned(),
        reason,
    };
    let rows = grey.len().checked_div(width as usize).unwrap_or(0);
    let height = u32::try_from(rows).map_err(|error| unwritable(error.to_string()))?;
    let file = fs::File::create(path).map_err(|error| unwritable(error.to_string()))?;
    let mut encoder = png::Encoder::new(io::BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder
        .write_header()
        .map_err(|error| unwritable(error.to_string()))?;
    writer
        .write_image_data(grey)
        .and_then(|()| writer.finish())
        .map_err(|error| unwritable(error.to_string()))
}

fn decode_png(path: &Path, bytes: &[u8]) -> Result<Picture, PictureError> {
    let broken = |source| PictureError::Png {
        path: path.to_owned(),
        source,
    };
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    // Before `read_info`, which allocates by the header's size.
    let header = decoder.read_header_info().map_err(broken)?;
    let (width, height) = (header.width, header.height);
    check_size(path, width, height)?;
    let mut reader = decoder.read_info().map_err(broken)?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| PictureError::TooLarge {
            path: path.to_owned(),
            width,
            height,
        })?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(broken)?;
    pixels.truncate(frame.buffer_size());
    let rgb = match frame.color_type {
        png::ColorType::Grayscale => pixels.iter().map(|&v| [v; 3]).collect(),
        png::ColorType::GrayscaleAlpha => pixels
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&[v, a]| [over_white(v, a); 3])
            .collect(),
        png::ColorType::Rgba => pixels
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&[r, g, b, a]| [r, g, b].map(|v| over_white(v, a)))
            .collect(),
        // The transformation above turns palettes into RGB.
        png::ColorType::Rgb | png::ColorType::Indexed => pixels.as_chunks::<3>().0.to_vec(),
    };
    Ok(Picture { width, height, rgb })
}

fn decode_jpeg(path: &Path, bytes: &[u8]) -> Result<Picture, PictureError> {
    let broken = |reason: String| PictureError::Jpeg {
        path: path.to_owned(),
        reason: reason.trim_matches('"').replace("\\n", "; "),
    };
    if !has_end(bytes) {
        return Err(broken("its end is missing".to_owned()));
    }
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(bytes, options);
    decoder
        .decode_headers()
        .map_err(|error| broken(error.to_string()))?;
    let info = decoder
        .info()
        .ok_or_else(|| broken("it has no frame header".to_owned()))?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    check_size(path, width, height)?;
    let pixels = decoder
        .decode()
        .map_err(|error| broken(error.to_string()))?;
    let rgb: Vec<[u8; 3]> = match decoder.get_output_colorspace() {
        Some(ColorSpace::Luma) => pixels.iter().map(|&v| [v; 3]).collect(),
        Some(ColorSpace::RGB) => pixels.as_chunks::<3>().0.to_vec(),
        other => return Err(broken(format!("its colours are {other:?}"))),
    };
    if rgb.len() as u64 != u64::from(width) * u64::from(height) {
        return Err(broken(format!(
            "{} of {width} x {height} pixels are there",
            rgb.len()
        )));
    }
    Ok(Picture { width, height, rgb })
}

/// Whether an end-of-image marker follows the last scan. The decoder fills what is missing with grey and says nothing.
///
/// A 0xff within the data of a scan is never followed by the bytes of a marker; those of a thumbnail come before the first scan.
fn has_end(bytes: &[u8]) -> bool {
    let last = |marker: [u8; 2]| bytes.windows(2).rposition(|pair| pair == marker);
    match (last([0xff, 0xda]), last([0xff, 0xd9])) {
        (Some(scan), Some(end)) => scan < end,
        _ => false,
    }
}

fn check_size(path: &Path, width: u32, height: u32) -> Result<(), PictureError> {
    if u64::from(width) * u64::from(height) <= MOST_PIXELS {
        return Ok(());
    }
    Err(PictureError::TooLarge {
        path: path.to_owned(),
        width,
        height,
    })
}

/// `value` with opacity `alpha` (of 255) in front of white.
fn over_white(value: u8, alpha: u8) -> u8 {
    let (value, alpha) = (u32::from(value), u32::from(alpha));
    let blended = (value * alpha + 255 * (255 - alpha) + 127) / 255;
    // A weighted mean of two values of 0..=255 is one itself.
    u8::try_from(blended).unwrap_or(u8::MAX)
}
