//! Fetches: coordinates to texels, texels to a result.

use super::axis::{Along, Axis, ONE, coordinate};
use super::filter::{self, Quad};
use super::{Coordinates, Dimensions, Filter, Format, Level, Request, TextureObject, cube, texel};

/// The bits of a texel's channels, as they are in memory.
pub(super) type Texel = [u32; 4];

/// Told address and bytes of each texel before it is read.
type Reads<'a> = &'a mut dyn FnMut(*const u8, usize);

/// Texels of one plane of one level, and how much of the result is due to each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plane {
    /// The level, by its number.
    pub(super) level: u32,
    /// In 256ths; those of all planes add up to a whole.
    pub(super) weights: Quad<u32>,
    /// Texels without a part in the filter are zeros.
    pub(super) texels: Quad<Texel>,
}

impl TextureObject {
    /// What a fetch gives: four `u32`, `i32` or `f32`, as bits, whatever the type in the instruction. `reads` is called with address and bytes of each texel before it is read.
    ///
    /// # Safety
    /// The texels of the image must be readable.
    #[must_use]
    pub unsafe fn sample(
        &self,
        request: &Request,
        reads: &mut dyn FnMut(*const u8, usize),
    ) -> [u32; 4] {
        match request.at {
            // SAFETY: the caller's promise.
            Coordinates::Integer(at) => unsafe { self.texel_at(at, request.layer, reads) },
            // SAFETY: the same.
            Coordinates::Float(at) => unsafe { self.filtered(at, request, reads) },
        }
    }

    /// A fetch by number: zeros outside, whatever the sampler says. There is none from arrays of one dimension, which the instruction takes for empty.
    ///
    /// # Safety
    /// As of [`Self::sample`].
    unsafe fn texel_at(&self, at: [i32; 3], layer: u32, reads: Reads<'_>) -> [u32; 4] {
        use Dimensions::{Cube, CubeLayered, D1, D1Layered, D2, D2Layered, D3, Linear};
        let level = &self.image.levels[0];
        let [x, y, z] = at.map(i32::cast_unsigned);
        let at = match self.image.dimensions {
            D1 | D1Layered | Cube | CubeLayered => return [0; 4],
            Linear => [x, 0, 0],
            D2 => [x, y, 0],
            D2Layered => [x, y, layer],
            D3 => [x, y, z],
        };
        if at[0] >= level.width || at[1] >= level.height || at[2] >= level.depth {
            return [0; 4];
        }
        // SAFETY: the caller's promise; the texel is inside.
        self.converted(unsafe { self.read(at, level, reads) })
    }

    /// # Safety
    /// As of [`Self::sample`].
    unsafe fn filtered(&self, at: [f32; 3], request: &Request, reads: Reads<'_>) -> [u32; 4] {
        if self.image.dimensions == Dimensions::Linear {
            return [0; 4];
        }
        let levels = self.levels(request.detail);
        let offset = self.offset(request);
        let is_linear = self.sampling.filter == Filter::Linear && texel::is_filtered(self);
        let mut planes = [Plane::default(); 4];
        let mut count = 0;
        let parts = filter::planes(ONE, levels.coarse);
        for (number, part) in (levels.fine..).zip(parts) {
            let Some(level) = self.image.levels.get(number as usize).filter(|_| part > 0) else {
                continue;
            };
            let (slice, at) = self.slice(at, request.layer, level);
            if let Some(channel) = request.gather {
                let channel = channel as usize;
                if self.is_seamless() {
                    // SAFETY: the caller's promise.
                    return unsafe { self.gather_across_edges(channel, at, slice, level, reads) };
                }
                // SAFETY: the caller's promise.
                return unsafe { self.gather(channel, at, offset, slice, level, reads) };
            }
            if is_linear && self.is_seamless() {
                // SAFETY: the caller's promise.
                let plane = unsafe { self.across_edges(part, at, slice, level, reads) };
                planes[count] = Plane {
                    level: number,
                    ..plane
                };
                count += 1;
                continue;
            }
            let [x, y, z] = self.axes(at, offset, level, is_linear);
            let slices = match self.image.dimensions {
                Dimensions::D3 => z.texels,
                _ => [Some(slice); 2],
            };
            let parts = filter::planes(part, z.weight);
            for upper in 0..=usize::from(z.weight > 0) {
                // One whose part was rounded to 0 is not read.
                if parts[upper] == 0 {
                    continue;
                }
                let weights = filter::quad(parts[upper], x, y);
                let texels = match slices[upper] {
                    // SAFETY: the caller's promise.
                    Some(slice) => unsafe { self.quad([x, y], slice, level, reads) },
                    None => [texel::border(self); 4],
                };
                planes[count] = Plane {
                    level: number,
                    weights,
                    texels,
                };
                count += 1;
            }
        }
        // As measured: a texel of `f16` is a sum of one where levels are filtered, even if there is one level. That tells in the bits of a NaN.
        let is_half = self.image.format == Format::Float16;
        let is_sum = is_linear || count > 1;
        match is_sum || is_half && self.sampling.mip_filter == Filter::Linear {
            true => texel::filtered(self, &planes[..count]),
            false => self.converted(planes[0].texels[0]),
        }
    }

    /// What is added to the numbers of texels along each dimension. As measured: `tex` takes four bits for each, in one word; the row of one dimension gets the next bits along y, where
    /// they tell with a border. `tld4` takes six.
    fn offset(&self, request: &Request) -> [i32; 3] {
        let lowest = |offset: i32, bits: u32| offset << (32 - bits) >> (32 - bits);
        let [x, y, z] = request.offset;
        match (request.gather, self.image.dimensions) {
            (Some(_), _) => [lowest(x, 6), lowest(y, 6), 0],
            (None, Dimensions::D1) => [lowest(x, 4), lowest(x >> 4, 4), 0],
            (None, _) => [lowest(x, 4), lowest(y, 4), lowest(z, 4)],
        }
    }

    /// One channel of the four texels around a coordinate: lower left, lower right, upper right, upper left, where y grows downwards.
    ///
    /// # Safety
    /// As of [`Self::sample`].
    unsafe fn gather(
        &self,
        channel: usize,
        at: [f64; 3],
        offset: [i32; 3],
        slice: u32,
        level: &Level,
        reads: Reads<'_>,
    ) -> [u32; 4] {
        let axis = |i: usize, extent: u32| Axis {
            texels: self.along(i, extent, offset[i]).gathered(at[i]),
            weight: ONE / 2,
        };
        let axes = [axis(0, level.width), axis(1, level.height)];
        // SAFETY: the caller's promise.
        let texels = unsafe { self.quad(axes, slice, level, reads) };
        [2, 3, 1, 0].map(|corner: usize| texel::gathered(self, channel, texels[corner][channel]))
    }

    /// The same four texels around a place on a face, of which those beyond its edges are on other faces. In the place of the one that is missing at a corner comes the filter's sum of the others.
    ///
    /// # Safety
    /// As of [`Self::sample`].
    unsafe fn gather_across_edges(
        &self,
        channel: usize,
        at: [f64; 3],
        slice: u32,
        level: &Level,
        reads: Reads<'_>,
    ) -> [u32; 4] {
        let [(x, _), (y, _)] = [0, 1].map(|i| self.along(i, level.width, 0).unbounded(at[i]));
        let places = around_on_faces(slice, [x, y], level);
        let bits = places.map(|place| match place {
            // SAFETY: the caller's promise; the texel is on a face.
            Some(place) => unsafe { self.read(place, level, reads)[channel] },
            None => texel::nothing(self)[channel],
        });
        let missing = places.iter().position(Option::is_none);
        let shared = missing.map(|missing| {
            let mut weights = [0; 4];
            weights[missing] = ONE;
            filter::share(&mut weights, missing);
            texel::gathered_sum(self, channel, weights, bits)
        });
        [2, 3, 1, 0].map(|corner: usize| match shared {
            Some(shared) if missing == Some(corner) => shared,
            _ => texel::gathered(self, channel, bits[corner]),
        })
    }

    /// The slice of a level, and coordinates within it.
    fn slice(&self, at: [f32; 3], layer: u32, level: &Level) -> (u32, [f64; 3]) {
        let given = at.map(coordinate);
        let layer_of = |layers: u32| layer.min(layers.max(1) - 1);
        match self.image.dimensions {
            Dimensions::D1 => (0, [given[0], 0.0, 0.0]),
            Dimensions::D1Layered => (layer_of(level.depth), [given[0], 0.0, 0.0]),
            Dimensions::D2Layered => (layer_of(level.depth), given),
            Dimensions::Cube | Dimensions::CubeLayered => {
                let on = cube::face(at);
                let first = 6 * layer_of(level.depth / 6);
                (first + on.face, [on.at[0], on.at[1], 0.0])
            }
            Dimensions::Linear | Dimensions::D2 | Dimensions::D3 => (0, given),
        }
    }

    fn along(&self, i: usize, extent: u32, offset: i32) -> Along {
        Along {
            extent,
            offset,
            address: self.sampling.address[i],
            normalized: self.sampling.normalized_coordinates || self.is_cube(),
            // As measured: not the second of three dimensions.
            clamps: self.image.dimensions != Dimensions::D3 || i != 1,
        }
    }

    const fn is_cube(&self) -> bool {
        matches!(
            self.image.dimensions,
            Dimensions::Cube | Dimensions::CubeLayered
        )
    }

    const fn is_seamless(&self) -> bool {
        self.is_cube() && self.sampling.seamless_cube
    }

    /// The four texels around a place on a face, of which those beyond its edges are on other faces. The part of the one that is missing at a corner goes to the others, which
    /// are all read then, also those beyond a weight of 0.
    ///
    /// # Safety
    /// As of [`Self::sample`].
    unsafe fn across_edges(
        &self,
        part: u32,
        at: [f64; 3],
        slice: u32,
        level: &Level,
        reads: Reads<'_>,
    ) -> Plane {
        let [x, y] = [0, 1].map(|i| self.along(i, level.width, 0).unbounded(at[i]));
        let [across, up] = [x.1, y.1].map(Axis::weighing);
        let mut plane = Plane {
            level: 0,
            weights: filter::quad(part, across, up),
            texels: [texel::nothing(self); 4],
        };
        let places = around_on_faces(slice, [x.0, y.0], level);
        let missing = places.iter().position(Option::is_none);
        for (corner, place) in places.into_iter().enumerate() {
            if missing.is_none() && self.is_left_out(corner, across, up) {
                continue;
            }
            if let Some(place) = place {
                // SAFETY: the caller's promise; the texel is on a face.
                plane.texels[corner] = unsafe { self.read(place, level, reads) };
            }
        }
        if let Some(missing) = missing {
            filter::share(&mut plane.weights, missing);
        }
        plane
    }

    /// Whether a corner is beyond a weight of 0 along a dimension.
    const fn is_left_out(&self, corner: usize, x: Axis, y: Axis) -> bool {
        corner & 1 == 1 && x.weight == 0 || corner >> 1 == 1 && y.weight == 0
    }

    /// Texels and weights along each dimension. A row without layers is read as an image of one row, at the coordinate 0: with a border, a filter takes half of that.
    fn axes(&self, at: [f64; 3], offset: [i32; 3], level: &Level, is_linear: bool) -> [Axis; 3] {
        let axis = |i: usize, extent: u32| match is_linear {
            true => self.along(i, extent, offset[i]).around(at[i]),
            false => Axis::at(self.along(i, extent, offset[i]).nearest(at[i])),
        };
        let z = match self.image.dimensions {
            Dimensions::D3 => axis(2, level.depth),
            _ => Axis::at(Some(0)),
        };
        let y = match self.image.dimensions {
            Dimensions::D1Layered => Axis::at(Some(0)),
            _ => axis(1, level.height),
        };
        [axis(0, level.width), y, z]
    }

    /// The four texels of a plane. Those beyond a weight of 0 along a dimension are not read.
    ///
    /// # Safety
    /// As of [`Self::sample`].
    unsafe fn quad(
        &self,
        [x, y]: [Axis; 2],
        slice: u32,
        level: &Level,
        reads: Reads<'_>,
    ) -> Quad<Texel> {
        std::array::from_fn(|corner| {
            if self.is_left_out(corner, x, y) {
                return texel::nothing(self);
            }
            match (x.texels[corner & 1], y.texels[corner >> 1]) {
                // SAFETY: the caller's promise; the texel is inside.
                (Some(x), Some(y)) => unsafe { self.read([x, y, slice], level, reads) },
                _ => texel::border(self),
            }
        })
    }

    /// # Safety
    /// The texel must be readable.
    unsafe fn read(&self, at: [u32; 3], level: &Level, reads: Reads<'_>) -> Texel {
        let address = self.image.address(level, at);
        reads(address, self.image.texel_bytes());
        // SAFETY: the caller's promise.
        unsafe { texel::read(&self.image, address) }
    }

    /// The result of one texel.
    fn converted(&self, texel: Texel) -> [u32; 4] {
        std::array::from_fn(|channel| texel::converted(self, channel, texel[channel]))
    }
}

/// Where the four texels around a place on a face of a cube are, with those beyond its edges on other faces; `None` for the one that is missing at a corner.
fn around_on_faces(slice: u32, [x, y]: [i64; 2], level: &Level) -> [Option<[u32; 3]>; 4] {
    let first = slice / 6 * 6;
    std::array::from_fn(|corner| {
        let (right, upper) = (corner as i64 & 1, corner as i64 >> 1);
        let place = cube::beyond(slice - first, [x + right, y + upper], level.width);
        place.map(|[face, x, y]| [x, y, first + face])
    })
}
