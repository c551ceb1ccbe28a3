//! Levels of detail.

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
            Detail::Gradients { dx, dy } => {
                fixed(self.detail_of(dx, dy)) + fixed(self.sampling.lod_bias)
            }
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

    /// The level of detail of gradients.
    fn detail_of(&self, dx: [f32; 3], dy: [f32; 3]) -> f32 {
        let level = &self.image.levels[0];
        let extents = match self.image.dimensions {
            Dimensions::D3 => [level.width, level.height, level.depth],
            Dimensions::D2 | Dimensions::D2Layered => [level.width, level.height, 0],
            _ => [level.width, 0, 0],
        };
        let length = |d: [f32; 3]| {
            (0..3)
                .map(|i| (d[i] * extents[i] as f32).powi(2))
                .sum::<f32>()
                .sqrt()
        };
        length(dx).max(length(dy)).log2()
    }
}
