//! Numbers of 32 bits as formatted stores of surfaces write them.

use super::Format;

impl Format {
    /// The bits of a channel that a number of 32 bits becomes: integers of the format's sign saturate, `f32` is rounded towards zero.
    #[must_use]
    pub fn converted(self, word: u32) -> u32 {
        let signed = |least: i32, most: i32| word.cast_signed().clamp(least, most).cast_unsigned();
        match self {
            Self::Unsigned8 => word.min(u8::MAX.into()),
            Self::Unsigned16 => word.min(u16::MAX.into()),
            Self::Signed8 => signed(i8::MIN.into(), i8::MAX.into()) & 0xff,
            Self::Signed16 => signed(i16::MIN.into(), i16::MAX.into()) & 0xffff,
            Self::Float16 => half_towards_zero(word),
            Self::Unsigned32 | Self::Signed32 | Self::Float32 => word,
        }
    }
}

/// The bits of the 16-bit number that an `f32` of these bits has without its last bits.
fn half_towards_zero(bits: u32) -> u32 {
    const MOST: u32 = 0x7bff;
    const INFINITY: u32 = 0x7c00;
    let (sign, exponent, mantissa) = (bits >> 16 & 0x8000, bits >> 23 & 255, bits & 0x7f_ffff);
    let magnitude = match exponent {
        // A NaN stays one.
        255 if mantissa != 0 => INFINITY | (mantissa >> 13).max(1),
        255 => INFINITY,
        143.. => MOST, // 2^16 and more
        113.. => (exponent - 112) << 10 | mantissa >> 13,
        102.. => (mantissa | 0x80_0000) >> (126 - exponent), // subnormal: units of 2^-24
        _ => 0,
    };
    sign | magnitude
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// As an H100 writes them (driver 580.159).
    #[test]
    fn floats_become_halves_as_on_a_gpu() {
        for (given, expected) in [
            (0x3f00_0001, 0x3800),
            (0x3f7f_ffff, 0x3bff),
            (0x477f_f000, 0x7bff),
            (0x4780_0000, 0x7bff),
            (0xc974_2400, 0xfbff),
            (0x7f80_0000, 0x7c00),
            (0xff80_0000, 0xfc00),
            (0x7f80_0001, 0x7c01),
            (0x7fc0_0000, 0x7e00),
            (0xffc0_1234, 0xfe00),
            (0x7fa0_0000, 0x7d00),
            (0xffff_ffff, 0xffff),
            (0x387f_ffff, 0x03ff),
            (0x3880_0000, 0x0400),
            (0x3380_0001, 0x0001),
            (0x3300_0000, 0x0000),
            (0x3420_0000, 0x0002),
            (0xb512_3456, 0x8009),
            (0x8000_0001, 0x8000),
            (0x4049_0fdb, 0x4248),
        ] {
            assert_eq!(Format::Float16.converted(given), expected, "{given:08x}");
        }
    }

    #[test]
    fn integers_saturate_by_the_sign_of_the_format() {
        let words = [0x181, 0xffff_ffff, 0x1234_5678, 0x8000_0000];
        let all = |format: Format| words.map(|word| format.converted(word));
        assert_eq!(all(Format::Unsigned8), [0xff; 4]);
        assert_eq!(all(Format::Signed8), [0x7f, 0xff, 0x7f, 0x80]);
        assert_eq!(all(Format::Unsigned16), [0x181, 0xffff, 0xffff, 0xffff]);
        assert_eq!(all(Format::Signed16), [0x181, 0xffff, 0x7fff, 0x8000]);
        assert_eq!(all(Format::Float32), words);
    }
}
