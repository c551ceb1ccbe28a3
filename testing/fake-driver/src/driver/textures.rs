//! Textures and surfaces: the checks of the driver's manual. The driver of an H100 (580.159) makes fewer: it takes filters of integers, levels without normalised coordinates, surfaces of arrays
//! that were not made for them, and linear memory that is not there. No kernel of the fake reads through them.

use crate::code::Code;
use crate::state::{Held, State, driver, not_null, put};

/// `CU_RESOURCE_TYPE_ARRAY` and so on.
const ARRAY: u32 = 0;
const MIPMAPPED: u32 = 1;
const LINEAR: u32 = 2;
const PITCH2D: u32 = 3;

/// `CU_TRSF_READ_AS_INTEGER` and `CU_TRSF_NORMALIZED_COORDINATES`, and all flags.
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED: u32 = 2;
const SEAMLESS: u32 = 0x40;
const FLAGS: u32 = 0x73;

/// What the device's attributes say of linear memory.
const START_ALIGN: u64 = 512;
const PITCH_ALIGN: u64 = 32;
const MOST_LINEAR: u64 = 1 << 30;
/// The most bytes.
const MOST_LINEAR_BYTES: u64 = 1 << 32;
const MOST_ROWS: [u64; 3] = [131_072, 65_000, 2_097_120];

/// A texture or surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object {
    pub(crate) context: u64,
    /// Where its memory is among the regions.
    start: u64,
}

/// `CUDA_RESOURCE_DESC`: the kind, the union as words, the flags.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Resource {
    kind: u32,
    place: [u64; 16],
    flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    address: [u32; 3],
    filter: u32,
    flags: u32,
    max_anisotropy: u32,
    mip_filter: u32,
    numbers: [f32; 7],
    reserved: [i32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct View {
    format: u32,
    extents: [usize; 3],
    levels: [u32; 2],
    layers: [u32; 2],
    reserved: [u32; 16],
}

const _: () = assert!(size_of::<Resource>() == 144 && size_of::<Settings>() == 104);
const _: () = assert!(size_of::<View>() == 112);

/// What is known of the elements of a resource.
struct Elements {
    start: u64,
    /// Whether they are integers, and of 32 bits.
    integer: [bool; 2],
    mipmapped: bool,
    cube: bool,
}

fn channel_bytes(format: u32) -> Option<u64> {
    match format {
        0x01 | 0x08 => Some(1),
        0x02 | 0x09 | 0x10 => Some(2),
        0x03 | 0x0A | 0x20 => Some(4),
        _ => None,
    }
}

impl Resource {
    fn elements(&self, state: &State) -> Result<Elements, Code> {
        if self.flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let first = self.place[0];
        match self.kind {
            ARRAY => {
                let array = state.arrays.get(first)?;
                Ok(Elements {
                    start: array.start,
                    integer: array.described.is_integer(),
                    mipmapped: false,
                    cube: array.described.is_cube(),
                })
            }
            MIPMAPPED => {
                let array = state.mipmapped.get(first)?;
                Ok(Elements {
                    start: array.start,
                    integer: array.described.is_integer(),
                    mipmapped: true,
                    cube: array.described.is_cube(),
                })
            }
            LINEAR | PITCH2D => self.in_memory(state),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    fn in_memory(&self, state: &State) -> Result<Elements, Code> {
        let [start, format, a, b, c, ..] = self.place;
        // Two numbers of 32 bits: the format, and the channels behind it.
        let (format, channels) = (format as u32, format >> 32);
        let channel = channel_bytes(format).ok_or(Code::INVALID_VALUE)?;
        if !matches!(channels, 1 | 2 | 4) || !start.is_multiple_of(START_ALIGN) {
            return Err(Code::INVALID_VALUE);
        }
        let size = channel * channels;
        let bytes = if self.kind == LINEAR {
            if a / size > MOST_LINEAR || a > MOST_LINEAR_BYTES {
                return Err(Code::INVALID_VALUE);
            }
            a
        } else {
            let [width, height, pitch] = [a, b, c];
            let sides = [width, height, pitch].into_iter().zip(MOST_ROWS);
            let too_long = sides.into_iter().any(|(given, most)| given > most);
            if too_long || !pitch.is_multiple_of(PITCH_ALIGN) || pitch < width * size {
                return Err(Code::INVALID_VALUE);
            }
            pitch * height.saturating_sub(1) + width * size
        };
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = usize::try_from(bytes).map_err(|_| Code::INVALID_VALUE)?;
        state.addressed(start, bytes)?;
        Ok(Elements {
            start,
            integer: [format < 0x10, matches!(format, 0x03 | 0x0A)],
            mipmapped: false,
            cube: false,
        })
    }
}

impl View {
    /// What it makes of the elements of a resource.
    fn seen(&self, resource: &Resource, own: Elements, state: &State) -> Result<Elements, Code> {
        let (array, n_levels) = match resource.kind {
            ARRAY => (state.arrays.get(resource.place[0])?.described, 1),
            MIPMAPPED => {
                let array = state.mipmapped.get(resource.place[0])?;
                (array.described, array.levels.len())
            }
            _ => return Err(Code::INVALID_VALUE),
        };
        // One, two and four channels of each type follow each other.
        let (channel, integer) = match self.format {
            0x01..=0x06 => (1, [true, false]),
            0x07..=0x0C => (2, [true, false]),
            0x0D..=0x12 => (4, [true, true]),
            0x13..=0x15 => (2, [false; 2]),
            0x16..=0x18 => (4, [false; 2]),
            _ => return Err(Code::INVALID_VALUE),
        };
        let bytes = channel << ((self.format - 1) % 3);
        let [first, last] = self.levels.map(|level| level as usize);
        if bytes != array.element_bytes()
            || first > last
            || last >= n_levels
            || self.reserved != [0; 16]
        {
            return Err(Code::INVALID_VALUE);
        }
        array.check_view(self.extents, self.layers)?;
        Ok(Elements { integer, ..own })
    }
}

impl Settings {
    fn check(&self, elements: &Elements) -> Result<(), Code> {
        let known = self.address.iter().all(|mode| *mode <= 3)
            && self.filter <= 1
            && self.mip_filter <= 1
            && self.flags & !FLAGS == 0
            && self.reserved == [0; 12];
        let [integer, wide] = elements.integer;
        let gives_integers = integer && (wide || self.flags & READ_AS_INTEGER != 0);
        let mixes = self.filter == 1 || elements.mipmapped && self.mip_filter == 1;
        let counts_elements = self.flags & NORMALIZED == 0;
        let seamless = self.flags & SEAMLESS != 0;
        if !known
            || seamless && !elements.cube
            || gives_integers && mixes
            || elements.mipmapped && counts_elements
        {
            return Err(Code::INVALID_VALUE);
        }
        Ok(())
    }
}

impl State {
    /// Complains if an array goes before its textures and surfaces.
    pub(crate) fn check_no_objects(&mut self, call: &str, start: u64) {
        let objects = self.textures.iter().chain(self.surfaces.iter());
        let region = self
            .regions
            .get(&start)
            .map_or(0, |region| region.bytes as u64);
        let within = |object: &Object| (start..start + region).contains(&object.start);
        let left = objects.filter(|(_, object)| within(object)).count();
        if left > 0 {
            self.complain(format!(
                "{call} of an array with {left} textures or surfaces"
            ));
        }
    }

    /// The object of a call that destroys it, which no queued work uses.
    fn going(&mut self, call: &str, object: u64) {
        self.check_unused(call, object, 1);
    }
}

fn made(state: &Held, start: u64) -> Result<Object, Code> {
    Ok(Object {
        context: state.current()?,
        start,
    })
}

driver! {
    /// Makes a texture. Views of formats that are compressed in blocks are not modelled.
    fn cuTexObjectCreate(state; texture: *mut u64, resource: *const Resource, settings: *const Settings, view: *const View) needs Context {
        not_null(texture)?;
        let (resource, settings) = (*not_null(resource)?, *not_null(settings)?);
        let own = resource.elements(state)?;
        // SAFETY: a view of the caller's, or null.
        let elements = match unsafe { view.as_ref() } {
            Some(view) => view.seen(&resource, own, state)?,
            None => own,
        };
        settings.check(&elements)?;
        let object = made(state, elements.start)?;
        let handle = state.textures.add(object);
        put(texture, handle)
    }

    /// Destroys a texture, and complains if queued work uses it.
    fn cuTexObjectDestroy(state; texture: u64) needs Context {
        state.textures.get(texture)?;
        state.going("cuTexObjectDestroy", texture);
        state.textures.remove(texture).map(|_| ())
    }

    /// Makes a surface of an array that was made for that.
    fn cuSurfObjectCreate(state; surface: *mut u64, resource: *const Resource) needs Context {
        not_null(surface)?;
        let resource = *not_null(resource)?;
        if resource.kind != ARRAY || resource.flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let array = *state.arrays.get(resource.place[0])?;
        if !array.described.is_for_surfaces() {
            return Err(Code::INVALID_VALUE);
        }
        let object = made(state, array.start)?;
        let handle = state.surfaces.add(object);
        put(surface, handle)
    }

    /// Destroys a surface, and complains if queued work uses it.
    fn cuSurfObjectDestroy(state; surface: u64) needs Context {
        state.surfaces.get(surface)?;
        state.going("cuSurfObjectDestroy", surface);
        state.surfaces.remove(surface).map(|_| ())
    }

    /// The most elements of a texture of linear memory.
    fn cuDeviceGetTexture1DLinearMaxWidth(state; width: *mut usize, format: i32, channels: u32, device: i32) needs Init {
        state.gpu(device)?;
        if !matches!(channels, 1 | 2 | 4) {
            return Err(Code::INVALID_VALUE);
        }
        let size = u64::from(channels) * channel_bytes(format as u32).ok_or(Code::INVALID_VALUE)?;
        let most = MOST_LINEAR.min(MOST_LINEAR_BYTES / size);
        put(width, usize::try_from(most).unwrap_or(usize::MAX))
    }
}
