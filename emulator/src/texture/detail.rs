//! Levels of detail.

use super::axis::coordinate;
use super::{Detail, Dimensions, Filter, TextureObject};

/// The levels that a fetch reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Levels {
    /// The finer one.
    pub(super) fine: u32,
    /// How much of the next counts, in 256ths.
    pub(super) coarse: u32,
}

impl TextureObject {
    /// The levels of a request.
    pub(super) fn levels(&self, detail: Detail) -> Levels {
        // In 256ths, as all that follows; a bias counts only where there is something that it could change.
        let fixed = |lod: f32| (lod.clamp(-64.0, 64.0) * 256.0) as i32;
        let given = match detail {
            Detail::Base => 0,
            Detail::Level(level) => fixed(level) + fixed(self.sampling.lod_bias),
            Detail::Gradients { dx, dy } => self.level_of(dx, dy) + fixed(self.sampling.lod_bias),
        };
        let [least, most] = self.sampling.lod_clamp.map(fixed);
        let last = self.image.levels.len() as i32 - 1;
        let lod = given.min(most).max(least).clamp(0, last << 8);
        match self.sampling.mip_filter {
            Filter::Point => Levels {
                fine: ((lod + 128) >> 8).min(last).cast_unsigned(),
                coarse: 0,
            },
            Filter::Linear => Levels {
                fine: (lod >> 8).cast_unsigned(),
                coarse: (lod & 0xff).cast_unsigned(),
            },
        }
    }

    /// The level of detail of gradients in 256ths: that of the longest of both, of 11/16 of their sum, and of their difference; a length is the longest component and
    /// 11/32 of the others. As measured, within 2/256 in one and two dimensions; in three the hardware may differ by more.
    fn level_of(&self, dx: [f32; 3], dy: [f32; 3]) -> i32 {
        let level = &self.image.levels[0];
        let extents = match self.image.dimensions {
            Dimensions::D3 => [level.width, level.height, level.depth],
            Dimensions::D2 | Dimensions::D2Layered => [level.width, level.height, 0],
            _ => [level.width, 0, 0],
        };
        let scale = |i: usize| match self.sampling.normalized_coordinates {
            true => f64::from(extents[i]),
            false => f64::from(extents[i].min(1)),
        };
        let scaled = |gradient: [f32; 3]| [0, 1, 2].map(|i| coordinate(gradient[i]) * scale(i));
        let length = |gradient: [f64; 3]| {
            let parts = gradient.map(f64::abs);
            let longest = parts.into_iter().fold(0.0, f64::max);
            longest + 11.0 / 32.0 * (parts.iter().sum::<f64>() - longest)
        };
        let (dx, dy) = (scaled(dx), scaled(dy));
        let between = |sign: f64| [0, 1, 2].map(|i| 11.0 / 16.0 * (dx[i] + sign * dy[i]));
        let all = [dx, dy, between(1.0), between(-1.0)];
        logarithm(all.map(length).into_iter().fold(0.0, f64::max))
    }
}

/// The binary logarithm in 256ths, from the first eight bits of the fraction; a power of two and what is just above it have that of the power.
fn logarithm(value: f64) -> i32 {
    if value.is_nan() || value <= 0.0 {
        return -(64 << 8);
    }
    let exponent = value.log2().floor().clamp(-64.0, 64.0);
    let fraction = ((value / exponent.exp2() - 1.0) * 256.0)
        .floor()
        .clamp(0.0, 255.0);
    let above = match fraction {
        0.0 => 0.0,
        _ => ((1.0 + (fraction + 0.5) / 256.0).log2() * 256.0).round(),
    };
    (exponent * 256.0 + above) as i32
}
