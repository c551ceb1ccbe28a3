//! What a line of the table is about: an image, a sampler and an instruction, with texels and operands by number.

use warploom_emulator::texture::{
    Coordinates, Detail, Dimensions, Format, Image, Layout, Level, Request, Sampling, TextureObject,
};

/// The instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instruction {
    Sample,
    /// With coordinates of type `s32`.
    Fetch,
    SampleLevel,
    Gather(u8),
}

/// What is added to the numbers of texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offsets {
    /// The instruction has none.
    None,
    /// From −8 to 7.
    Short,
    /// Mostly beyond that.
    Long,
}

pub(crate) struct Mode {
    pub(crate) name: String,
    pub(crate) dimensions: Dimensions,
    pub(crate) format: Format,
    pub(crate) channels: u8,
    /// Width, height, and depth or layers or faces.
    pub(crate) extents: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) sampling: Sampling,
    pub(crate) instruction: Instruction,
    pub(crate) offsets: Offsets,
    pub(crate) numbers: Numbers,
}

/// Which floating-point numbers texels have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Of 32 bits normal ones alone; of 16 bits any.
    Usual,
    /// Of 32 bits some that are infinite, subnormal, or none.
    Special,
    /// Mostly zeros of either sign, and what is subnormal.
    Zeros,
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 32) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(n)) >> 32) as u32
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 24) as f32
    }
}

/// Coordinates and levels that rules of their own may be for.
const SPECIAL: [u32; 16] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x3f80_0000,
    0xbf80_0000,
];

/// Zeros and what may become one; the lowest bits alone make subnormal numbers, of 16 bits, too.
const ZEROS: [u32; 12] = [
    0x8000_0000,
    0x8000_0000,
    0x8000_0000,
    0x8000_0000,
    0x8000_0001,
    0x8000_0001,
    0x8000_0123,
    0,
    1,
    0xc368_5068,
    0xbcab_cc2e,
    0xb1ae_798a,
];

/// A coordinate of a dimension: mostly in or near the image, often beside a step of the weights.
fn coordinate(random: &mut Random, extent: u32, normalized: bool) -> u32 {
    let scale = if normalized { 1.0 / extent as f32 } else { 1.0 };
    let size = extent as f32 * scale;
    match random.below(20) {
        0..=6 => ((random.unit() * 4.0 - 1.5) * size).to_bits(),
        7..=11 => (random.unit() * size).to_bits(),
        12..=16 => {
            let step = random.below((extent + 4) * 512) as f32 / 512.0 - 2.0;
            let beside = random.below(9).wrapping_sub(4);
            (step * scale).to_bits().wrapping_add(beside)
        }
        17 => SPECIAL[random.below(16) as usize],
        18 => random.next(),
        _ => {
            let magnitude = 2f32.powi(random.below(40).cast_signed() - 12);
            ((random.unit() * 2.0 - 1.0) * magnitude * scale).to_bits()
        }
    }
}

/// A direction whose longest component is a power of two: its reciprocal is exact on a GPU, too.
fn direction(random: &mut Random) -> [u32; 3] {
    let length = 2f32.powi(random.below(40).cast_signed() - 20);
    let coarse = random.below(3) == 0;
    let mut components = [0; 3].map(|_: u32| match coarse {
        true => (random.below(129) as f32 - 64.0) / 64.0 * length,
        false => (random.unit() * 2.0 - 1.0) * length,
    });
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    components[random.below(3) as usize] = sign * length;
    components.map(f32::to_bits)
}

impl Mode {
    pub(crate) fn is_cube(&self) -> bool {
        matches!(self.dimensions, Dimensions::Cube | Dimensions::CubeLayered)
    }

    pub(crate) fn is_layered(&self) -> bool {
        use Dimensions::{CubeLayered, D1Layered, D2Layered};
        matches!(self.dimensions, D1Layered | D2Layered | CubeLayered)
    }

    pub(crate) fn coordinates(&self) -> usize {
        use Dimensions::{D1, D1Layered, D2, D2Layered, Linear};
        match self.dimensions {
            Linear | D1 | D1Layered => 1,
            D2 | D2Layered => 2,
            _ => 3,
        }
    }

    /// Words of the operands of one fetch: coordinates, layer, level, offsets.
    pub(crate) fn words(&self) -> usize {
        self.before_offsets()
            + match self.offsets {
                Offsets::None => 0,
                _ => self.coordinates(),
            }
    }

    pub(crate) fn before_offsets(&self) -> usize {
        let level = usize::from(self.instruction == Instruction::SampleLevel);
        self.coordinates() + usize::from(self.is_layered()) + level
    }

    pub(crate) fn extents_of(&self, level: u32) -> [u32; 3] {
        let part = |extent: u32| (extent >> level).max(1);
        let [width, height, depth] = self.extents;
        match self.dimensions {
            Dimensions::D3 => [width, height, depth].map(part),
            _ => [part(width), part(height), depth],
        }
    }

    /// Random bits; of 32-bit floating-point numbers those of about the same magnitude, so that sums have several terms, and of special ones every eighth.
    pub(crate) fn texels(&self) -> Vec<u32> {
        let mut random = Random(u64::from(self.channels) * 7 + self.format as u64);
        let texels: u32 = (0..self.levels)
            .map(|level| self.extents_of(level).iter().product::<u32>())
            .sum();
        let bytes = texels as usize * self.format.bytes() * self.channels as usize;
        let zero = |random: &mut Random| ZEROS[random.below(ZEROS.len() as u32) as usize];
        let word = |_| match self.format {
            Format::Float32 if self.numbers == Numbers::Zeros => zero(&mut random),
            Format::Float16 if self.numbers == Numbers::Zeros => {
                let halves = [0; 2].map(|_: u32| {
                    let number = zero(&mut random);
                    number >> 16 & 0xfc00 | number & 0x3ff
                });
                halves[0] | halves[1] << 16
            }
            Format::Float32 if self.numbers == Numbers::Special && random.below(8) == 0 => {
                SPECIAL[random.below(16) as usize]
            }
            Format::Float32 => {
                let magnitude = 2f32.powi(random.below(60).cast_signed() - 30);
                let value = (random.unit() + 1.0) * magnitude;
                value.to_bits() | random.below(2) << 31
            }
            _ => random.next(),
        };
        (0..bytes.div_ceil(4)).map(word).collect()
    }

    /// The texture over texels that live as long.
    pub(crate) fn texture(&self, texels: &mut [u32]) -> TextureObject {
        let mut offset = 0;
        let levels = (0..self.levels).map(|level| {
            let [width, height, depth] = self.extents_of(level);
            let row_pitch = width as usize * self.format.bytes() * self.channels as usize;
            let slice_pitch = row_pitch * height as usize;
            let found = Level {
                offset,
                width,
                height,
                depth,
                row_pitch,
                slice_pitch,
            };
            offset += slice_pitch * depth as usize;
            found
        });
        TextureObject {
            image: Image {
                base: texels.as_mut_ptr().cast(),
                format: self.format,
                channels: self.channels,
                dimensions: self.dimensions,
                layout: Layout::Tiles,
                levels: levels.collect(),
            },
            sampling: self.sampling,
        }
    }

    /// Writes the operands of a fetch.
    pub(crate) fn operands(&self, number: u64, into: &mut [u32]) {
        let mut random = Random(number.wrapping_mul(0xd134_2543_de82_ef95));
        let n = self.coordinates();
        let extents = self.extents;
        if self.is_cube() {
            into[..3].copy_from_slice(&direction(&mut random));
        } else {
            for (i, word) in into[..n].iter_mut().enumerate() {
                *word = match self.instruction {
                    Instruction::Fetch => match random.below(8) {
                        0 => random.next(),
                        1 => extents[i],
                        _ => random.below(extents[i] + 2).wrapping_sub(1),
                    },
                    _ => {
                        let normalized = self.sampling.normalized_coordinates;
                        coordinate(&mut random, extents[i], normalized)
                    }
                };
            }
        }
        let mut at = n;
        if self.is_layered() {
            let layers = if self.is_cube() {
                extents[2] / 6
            } else {
                extents[2]
            };
            into[at] = match random.below(8) {
                0 => random.next(),
                _ => random.below(layers + 1),
            };
            at += 1;
        }
        if self.instruction == Instruction::SampleLevel {
            into[at] = match random.below(16) {
                0 => SPECIAL[random.below(16) as usize],
                1 => random.next(),
                2..=7 => (random.below(14 * 512) as f32 / 512.0 - 2.0).to_bits(),
                _ => (random.unit() * (self.levels as f32 + 4.0) - 2.0).to_bits(),
            };
        }
        let words = self.words();
        for word in &mut into[self.before_offsets()..words] {
            *word = match self.offsets {
                Offsets::Long if random.below(4) == 0 => random.next(),
                Offsets::Long => random.below(64).wrapping_sub(32),
                _ => random.below(16).wrapping_sub(8),
            };
        }
    }

    pub(crate) fn request(&self, operands: &[u32]) -> Request {
        let n = self.coordinates();
        let word = |i: usize| if i < n { operands[i] } else { 0 };
        let at = match self.instruction {
            Instruction::Fetch => Coordinates::Integer([0, 1, 2].map(|i| word(i).cast_signed())),
            _ => Coordinates::Float([0, 1, 2].map(|i| f32::from_bits(word(i)))),
        };
        let layered = self.is_layered();
        Request {
            at,
            layer: if layered { operands[n] } else { 0 },
            detail: match self.instruction {
                Instruction::SampleLevel => {
                    Detail::Level(f32::from_bits(operands[n + usize::from(layered)]))
                }
                _ => Detail::Base,
            },
            offset: match self.offsets {
                Offsets::None => [0; 3],
                _ => [0, 1, 2].map(|i| {
                    let word = operands.get(self.before_offsets() + i);
                    word.map_or(0, |word| word.cast_signed())
                }),
            },
            gather: match self.instruction {
                Instruction::Gather(channel) => Some(channel),
                _ => None,
            },
        }
    }
}

/// Mixes words into a hash.
pub(crate) fn hash(hash: u64, words: &[u32]) -> u64 {
    words.iter().fold(hash, |hash, word| {
        let mixed = (hash ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 29
    })
}
