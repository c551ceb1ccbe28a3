//! From a coordinate to texels along one dimension, and their weights.

use super::Address;

/// Units of weights: what the two of a dimension add up to.
pub(super) const ONE: u32 = 256;

/// Fraction bits of a normalized coordinate that count.
const NORMALIZED_BITS: i32 = 21;

/// The texels that a filter reads along one dimension; `None` is outside, where the border is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Axis {
    /// Of the lower and of the upper one.
    pub(super) texels: [Option<u32>; 2],
    /// Weight of the upper one, below [`ONE`].
    pub(super) weight: u32,
}

impl Axis {
    /// One texel.
    pub(super) const fn at(texel: Option<u32>) -> Self {
        Axis {
            texels: [texel; 2],
            weight: 0,
        }
    }
}

impl Axis {
    /// A weight without texels.
    pub(super) const fn weighing(weight: u32) -> Self {
        Axis {
            texels: [None; 2],
            weight,
        }
    }
}

/// What the hardware makes of a coordinate: what is no number, and what is subnormal, is 0.
pub(super) fn coordinate(given: f32) -> f64 {
    match given.is_normal() || given.is_infinite() {
        true => f64::from(given),
        false => 0.0,
    }
}

/// The texel whose centre is below a position, and how far the position is from there in 256ths, to the nearest, halves up.
fn fixed(position: f64) -> (i64, u32) {
    let fixed = ((position - 0.5) * f64::from(ONE) + 0.5).floor() as i64;
    (fixed >> 8, (fixed & 0xff) as u32)
}

/// How coordinates of a dimension are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Along {
    /// Texels.
    pub(super) extent: u32,
    /// Outside of them.
    pub(super) address: Address,
    /// Whether 0 to 1 span the image.
    pub(super) normalized: bool,
    /// What is added to the number of a texel.
    pub(super) offset: i32,
    /// Whether a filter counts from half a texel inside the edges, for what does not clamp as for what does.
    pub(super) clamps: bool,
}

impl Along {
    /// The texel at a coordinate.
    pub(super) fn nearest(self, coordinate: f64) -> Option<u32> {
        let at = self.position(coordinate).floor();
        self.texel(at as i64 + i64::from(self.offset))
    }

    /// The two texels around a coordinate.
    pub(super) fn around(self, coordinate: f64) -> Axis {
        let (at, offset) = (self.position(coordinate), f64::from(self.offset));
        let inside = match self.address {
            Address::Clamp => true,
            Address::Wrap | Address::Mirror => !self.normalized && self.clamps,
            Address::Border => false,
        };
        let at = match inside {
            true => at.clamp(0.5 - offset, f64::from(self.extent) - 0.5 - offset),
            false => at,
        };
        let (lower, weight) = fixed(at);
        let lower = lower + i64::from(self.offset);
        Axis {
            texels: [self.texel(lower), self.texel(lower + 1)],
            weight,
        }
    }

    /// The number of the lower of the two texels around a coordinate, also beyond the edges, and the weight of the upper one.
    pub(super) fn unbounded(self, coordinate: f64) -> (i64, u32) {
        fixed(self.position(coordinate))
    }

    /// The two texels that a filter would have around a coordinate, at edges, too.
    pub(super) fn gathered(self, coordinate: f64) -> [Option<u32>; 2] {
        let (lower, _) = fixed(self.position(coordinate));
        let lower = lower + i64::from(self.offset);
        [self.texel(lower), self.texel(lower + 1)]
    }

    /// In texels from the edge, without the offset: within the period of what repeats.
    fn position(self, coordinate: f64) -> f64 {
        let extent = f64::from(self.extent);
        // Also with an offset no texel of the image is that far away.
        let wide = 4.0 * extent + 64.0;
        if !self.normalized {
            return coordinate.clamp(-wide, wide);
        }
        let unit = f64::from(NORMALIZED_BITS).exp2();
        let coordinate = (coordinate * unit).floor() / unit;
        let within = match self.address {
            Address::Wrap | Address::Mirror if coordinate.is_infinite() => 0.0,
            Address::Wrap => coordinate - coordinate.floor(),
            Address::Mirror => coordinate - 2.0 * (coordinate / 2.0).floor(),
            Address::Clamp | Address::Border => coordinate,
        };
        (within * extent).clamp(-wide, wide)
    }

    /// The texel of this number.
    fn texel(self, at: i64) -> Option<u32> {
        let extent = i64::from(self.extent);
        let inside = match self.address {
            Address::Border => return u32::try_from(at).ok().filter(|at| *at < self.extent),
            Address::Wrap if self.normalized => at.rem_euclid(extent),
            Address::Mirror if self.normalized => {
                let at = at.rem_euclid(2 * extent);
                at.min(2 * extent - 1 - at)
            }
            Address::Wrap | Address::Mirror | Address::Clamp => at.clamp(0, extent - 1),
        };
        u32::try_from(inside).ok()
    }
}
