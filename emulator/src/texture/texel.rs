//! What the bits of channels become.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering};

use super::axis::ONE;
use super::filter::{self, Part, Quad};
use super::sample::{Plane, Texel};
use super::{Format, Image, Read, TextureObject, srgb};
use crate::exact::{self, Number, Rounding};

/// The bits of the channels of a texel, 0 for those that it lacks.
///
/// # Safety
/// The texel at this address must be readable.
pub(super) unsafe fn read(image: &Image, address: *mut u8) -> Texel {
    std::array::from_fn(|channel| {
        if channel >= image.channels as usize {
            return 0;
        }
        let at = address.wrapping_add(channel * image.format.bytes());
        // Atomic, since other threads may write the texel meanwhile, in error.
        match image.format.bytes() {
            // SAFETY: the caller promises that the texel is readable; bytes are aligned.
            1 => unsafe { AtomicU8::from_ptr(at) }
                .load(Ordering::Relaxed)
                .into(),
            // SAFETY: the same, and images are aligned to their texels.
            2 => unsafe { AtomicU16::from_ptr(at.cast()) }
                .load(Ordering::Relaxed)
                .into(),
            // SAFETY: the same.
            _ => unsafe { AtomicU32::from_ptr(at.cast()) }.load(Ordering::Relaxed),
        }
    })
}

/// Whether a linear filter has an effect: on floating-point numbers and normalized integers.
pub(super) fn is_filtered(texture: &TextureObject) -> bool {
    texture.image.format.is_float() || is_normalized(texture)
}

fn is_normalized(texture: &TextureObject) -> bool {
    let format = texture.image.format;
    texture.sampling.read == Read::NormalizedFloat && format.bytes() < 4 && !format.is_float()
}

fn is_srgb(texture: &TextureObject, channel: usize) -> bool {
    texture.sampling.srgb && texture.image.format == Format::Unsigned8 && channel < 3
}

/// A texel that has no influence on a sum: zeros, of floating-point numbers negative ones.
pub(super) const fn nothing(texture: &TextureObject) -> Texel {
    match texture.image.format {
        Format::Float16 => [0x8000; 4],
        Format::Float32 => [0x8000_0000; 4],
        _ => [0; 4],
    }
}

/// What a fetch without filter makes of the bits of a channel.
pub(super) fn converted(texture: &TextureObject, channel: usize, bits: u32) -> u32 {
    let image = &texture.image;
    if channel >= image.channels as usize {
        return 0;
    }
    match image.format {
        Format::Float16 => widened(bits),
        Format::Signed8 if is_normalized(texture) => {
            (f32::from(bits as i8) / 127.0).max(-1.0).to_bits()
        }
        Format::Unsigned8 | Format::Unsigned16 | Format::Signed16 if is_normalized(texture) => {
            normalized(texture, channel, &[Part::whole(bits)])
        }
        Format::Unsigned8 => bits & 0xff,
        Format::Unsigned16 => bits & 0xffff,
        Format::Signed8 => i32::from(bits as i8).cast_unsigned(),
        Format::Signed16 => i32::from(bits as i16).cast_unsigned(),
        Format::Float32 | Format::Unsigned32 | Format::Signed32 => bits,
    }
}

/// The same, as gathers give it: what is no number loses its payload, and sRGB is not converted.
pub(super) fn gathered(texture: &TextureObject, channel: usize, bits: u32) -> u32 {
    let value = match channel < texture.image.channels as usize && is_normalized(texture) {
        true => unit(texture.image.format, &[Part::whole(bits)]),
        false => converted(texture, channel, bits),
    };
    match texture.image.format {
        Format::Float16 if f32::from_bits(value).is_nan() => filter::F16.nan(),
        Format::Float32 if f32::from_bits(value).is_nan() => filter::F32.nan(),
        _ => value,
    }
}

/// What a gather gives for a texel that is not there: a sum of others. As with [`gathered`], sRGB is not converted.
pub(super) fn gathered_sum(
    texture: &TextureObject,
    channel: usize,
    weights: Quad<u32>,
    bits: Quad<u32>,
) -> u32 {
    let image = &texture.image;
    if channel >= image.channels as usize {
        return 0;
    }
    let part = Part {
        level: 0,
        weights,
        bits,
    };
    match image.format {
        Format::Float16 => filter::F16.sum(&[part]),
        Format::Float32 => filter::F32.sum(&[part]),
        _ if is_normalized(texture) => unit(image.format, &[part]),
        format => {
            let whole = part.sum(|bits| match format {
                Format::Signed8 => i64::from(bits as i8),
                Format::Signed16 => i64::from(bits as i16),
                Format::Signed32 => i64::from(bits.cast_signed()),
                _ => i64::from(bits),
            });
            let half = match format.bytes() {
                4 => 0, // those of 32 bits are cut off
                _ => i64::from(ONE / 2),
            };
            ((whole + half) >> 8) as u32
        }
    }
}

/// An `f32` of the value of a 16-bit number. What is no number keeps its payload.
fn widened(bits: u32) -> u32 {
    match exact::decode(bits.into(), exact::F16) {
        Number::Nan => (bits & 0x8000) << 16 | 0x7f80_0000 | (bits & 0x3ff) << 13,
        value => exact::encode(value, exact::F32, Rounding::Nearest) as u32,
    }
}

/// What a linear filter makes of texels.
pub(super) fn filtered(texture: &TextureObject, planes: &[Plane]) -> [u32; 4] {
    let mut parts = [Part::default(); 4];
    let parts = &mut parts[..planes.len()];
    std::array::from_fn(|channel| {
        if channel >= texture.image.channels as usize {
            return 0;
        }
        for (part, plane) in parts.iter_mut().zip(planes) {
            part.level = plane.level;
            part.weights = plane.weights;
            part.bits = plane.texels.map(|texel| texel[channel]);
        }
        match texture.image.format {
            Format::Float16 => filter::F16.sum(parts),
            Format::Float32 => filter::F32.sum(parts),
            _ => normalized(texture, channel, parts),
        }
    })
}

/// The weighted sum of integers as an `f32` of 0 to 1 or −1 to 1.
fn normalized(texture: &TextureObject, channel: usize, parts: &[Part]) -> u32 {
    match is_srgb(texture, channel) {
        true => srgb::sum(parts),
        false => unit(texture.image.format, parts),
    }
}

/// The weighted sum of integers rounded to 16 bits, divided by what those hold at most.
fn unit(format: Format, parts: &[Part]) -> u32 {
    let integer = |bits: u32| match format {
        Format::Unsigned8 => i64::from(bits) * 257,
        Format::Signed8 => i64::from(bits as i8),
        Format::Signed16 => i64::from(bits as i16),
        _ => i64::from(bits),
    };
    let sum: i64 = parts.iter().map(|part| part.sum(integer)).sum();
    let half = i64::from(ONE / 2);
    let (rounded, range) = match format {
        // From 8 to 16 bits by repetition, of the sum instead of the texels; its highest four bits count a third time.
        Format::Signed8 => (sum + ((sum + (sum >> 12 << 4) + half / 2) >> 7), 32_767),
        Format::Signed16 => ((sum + half) >> 8, 32_767),
        _ => ((sum + half) >> 8, 65_535),
    };
    (rounded as f32 / range as f32).max(-1.0).to_bits()
}

/// The border as bits of a texel: numbers in the format of the image, and the bits of the `f32` for integers that are read as such. The hardware's conversion
/// is less exact than this one: it gives the lesser of two neighbours up to 0.53 of the way to the greater one.
pub(super) fn border(texture: &TextureObject) -> Texel {
    let integer = |value: f32, least: f32, most: f32| {
        // The nearest, halves towards zero.
        let value = (value * most).clamp(least, most);
        let magnitude = (value.abs() - 0.5).ceil();
        (magnitude.copysign(value) as i32).cast_unsigned()
    };
    let border = texture.sampling.border;
    std::array::from_fn(|channel| match (texture.image.format, border[channel]) {
        (Format::Float16, value) => {
            let value = exact::decode(value.to_bits().into(), exact::F32);
            exact::encode(value, exact::F16, Rounding::Zero) as u32
        }
        (_, value) if !is_normalized(texture) => value.to_bits(),
        (_, value) if is_srgb(texture, channel) => srgb::nearest(value),
        (Format::Unsigned8, value) => integer(value, 0.0, 255.0),
        (Format::Signed8, value) => integer(value, -127.0, 127.0),
        (Format::Signed16, value) => integer(value, -32_767.0, 32_767.0),
        (_, value) => integer(value, 0.0, 65_535.0),
    })
}
