//! Texels that both sides have.

use warploom::{ArrayElement, ChannelFormat};

/// What OpenGL calls a texel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// How the image keeps it.
    pub(crate) internal: u32,
    /// Its channels on the host.
    pub(crate) format: u32,
    /// The type of a channel on the host.
    pub(crate) channel: u32,
}

/// OpenGL's format of these texels: floats as they are, and integers as integers, which CUDA takes.
pub(crate) fn format_of<T: ArrayElement>() -> Option<Format> {
    let (internal, channel, is_integer) = match T::FORMAT {
        ChannelFormat::U8 => (
            [glow::R8UI, glow::RG8UI, glow::RGBA8UI],
            glow::UNSIGNED_BYTE,
            true,
        ),
        ChannelFormat::U16 => (
            [glow::R16UI, glow::RG16UI, glow::RGBA16UI],
            glow::UNSIGNED_SHORT,
            true,
        ),
        ChannelFormat::U32 => (
            [glow::R32UI, glow::RG32UI, glow::RGBA32UI],
            glow::UNSIGNED_INT,
            true,
        ),
        ChannelFormat::I8 => ([glow::R8I, glow::RG8I, glow::RGBA8I], glow::BYTE, true),
        ChannelFormat::I16 => ([glow::R16I, glow::RG16I, glow::RGBA16I], glow::SHORT, true),
        ChannelFormat::I32 => ([glow::R32I, glow::RG32I, glow::RGBA32I], glow::INT, true),
        ChannelFormat::F16 => (
            [glow::R16F, glow::RG16F, glow::RGBA16F],
            glow::HALF_FLOAT,
            false,
        ),
        ChannelFormat::F32 => ([glow::R32F, glow::RG32F, glow::RGBA32F], glow::FLOAT, false),
        _ => return None,
    };
    let channels = [
        (1, glow::RED, glow::RED_INTEGER),
        (2, glow::RG, glow::RG_INTEGER),
        (4, glow::RGBA, glow::RGBA_INTEGER),
    ];
    let found = channels.into_iter().zip(internal);
    let mut found = found.filter(|((count, ..), _)| *count == T::CHANNELS);
    found.next().map(|((_, float, integer), internal)| Format {
        internal,
        format: if is_integer { integer } else { float },
        channel,
    })
}
