//! What the bits of a channel become.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering};

use super::{Format, Image, Read, TextureObject};
use crate::exact::{self, Rounding};

/// The bits of the channels of a texel, 0 for those that it lacks.
///
/// # Safety
/// The texel at this address must be readable.
pub(super) unsafe fn read(image: &Image, address: *mut u8) -> [u32; 4] {
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

/// What a fetch without filter makes of the bits of a channel.
pub(super) fn converted(texture: &TextureObject, channel: usize, bits: u32) -> u32 {
    let image = &texture.image;
    let is_absent = channel >= image.channels as usize;
    let scale = |range: i32, value: i32| (value as f32 / range as f32).max(-1.0).to_bits();
    match (image.format, texture.sampling.read) {
        _ if is_absent => 0,
        (Format::Float16, _) => {
            let value = exact::decode(bits.into(), exact::F16);
            exact::encode(value, exact::F32, Rounding::Nearest) as u32
        }
        (Format::Unsigned8, Read::NormalizedFloat) => scale(0xff, bits.cast_signed()),
        (Format::Unsigned16, Read::NormalizedFloat) => scale(0xffff, bits.cast_signed()),
        (Format::Signed8, Read::NormalizedFloat) => scale(0x7f, (bits as i8).into()),
        (Format::Signed16, Read::NormalizedFloat) => scale(0x7fff, (bits as i16).into()),
        (Format::Signed8, Read::Element) => i32::from(bits as i8).cast_unsigned(),
        (Format::Signed16, Read::Element) => i32::from(bits as i16).cast_unsigned(),
        _ => bits,
    }
}
