//! Checks of what textures and surfaces are made of, then the calls of the driver; or what the emulator needs.
//!
//! Drivers check less than their manual asks for: that of an H100 (580.159) takes filters of integers, coordinates that repeat without being normalised, levels of detail without normalised
//! coordinates, any anisotropy, sRGB of any format, bounds of levels that are no numbers, surfaces of arrays that were not made for them, and rows longer than their pitch. What is read then no
//! document says, so all of it is refused here. It does refuse misaligned memory, rows and pitches beyond the limits, and seamless filters of what is no cube.

use std::any::type_name;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr;

use warploom_device_std::texture::{D2, ReadMode, Texel};
use warploom_emulator::texture::{
    self as emulated, Address, Dimensions, Filter, Format, Image, Layout, Level, Read, Sampling,
};

use super::dimension::{ImageDimension, of_shape};
use super::view::Whole;
use super::{Bound, Sampler, SurfaceObject, TextureError, TextureObject};
use crate::buffer::{Buffer, Object, ObjectKey, PitchedRegion, Region};
use crate::cuda::array::ArrayHandle;
use crate::cuda::texture::{Object as CudaObject, Resource, Settings, View};
use crate::device::{Attribute, Backend, Device};
use crate::memory::{ArrayElement, ArrayShape, ChannelFormat, Place};

const AXES: [&str; 3] = ["x", "y", "z"];

/// What a texture shows of an array.
pub(super) struct Part<'p, 'a> {
    /// The levels, the finest first.
    pub(super) places: &'p [Place<'a>],
    pub(super) layers: Range<usize>,
    pub(super) whole: Whole,
}

impl Part<'_, '_> {
    /// Slices of the third extent that are shown of a level: layers, or faces of layers; all of them where there are no layers.
    fn slices(&self, shape: ArrayShape) -> Range<usize> {
        let slices = shape.extent().depth;
        match shape.is_layered() {
            true => {
                let each = slices / shape.n_layers().max(1);
                self.layers.start * each..self.layers.end * each
            }
            false => 0..slices,
        }
    }

    /// Whether this is all of the array with its own elements.
    fn is_whole<T: ArrayElement>(&self) -> bool {
        let Whole {
            shape,
            n_levels,
            elements,
            ..
        } = self.whole;
        self.places.len() == n_levels
            && self.layers == (0..shape.n_layers())
            && elements == (T::FORMAT, T::CHANNELS)
    }

    /// What the driver is told, if this is not all of the array with its own elements.
    fn view<T: ArrayElement>(&self, first: &Place<'_>) -> Option<View> {
        let Whole {
            shape, mipmapped, ..
        } = self.whole;
        if self.is_whole::<T>() {
            return None;
        }
        let (slices, first_level) = (self.slices(shape), first.level);
        Some(View {
            format: T::FORMAT.view_number(T::CHANNELS),
            extents: shape.for_driver(),
            levels: match mipmapped {
                true => [first_level, first_level + self.places.len() - 1],
                false => [0; 2],
            }
            .map(|level| level as u32),
            layers: match shape.is_layered() {
                true => [slices.start, slices.end.saturating_sub(1)],
                false => [0; 2],
            }
            .map(|slice| slice as u32),
        })
    }
}

/// A texture of some layers of a level of an array, or of levels that follow each other of one that is mipmapped.
///
/// # Safety
/// The levels have elements of the size of `T`, which nothing writes during `'a`.
pub(super) unsafe fn array_texture<'a, D: ImageDimension, T: ArrayElement + Texel, R>(
    part: &Part<'_, 'a>,
    sampler: Sampler,
) -> Result<TextureObject<'a, D, T, R>, TextureError>
where
    R: ReadMode<T>,
{
    let places = part.places;
    let first = places.first().ok_or(TextureError::Empty)?;
    check_dimensions::<D>(first)?;
    check_sampler::<D, T, R>(&sampler)?;
    if part.whole.mipmapped && !sampler.sampling.normalized_coordinates {
        return Err(TextureError::UnnormalizedLevels);
    }
    // In a view of them an H100 reads behind the last layer, and behind the array.
    if D::DIMENSIONS == Dimensions::CubeLayered && !part.is_whole::<T>() {
        return Err(TextureError::ViewOfCubes {
            shape: first.options.shape(),
        });
    }
    let buffer = first.buffer;
    let read = Reading::new::<T, R>(sampler, D::AXES);
    let mut key = read.key();
    let (format, channels) = format::<T>();
    key.extend([0, first.level as u64, places.len() as u64]);
    key.extend([part.whole.mipmapped.into(), format as u64, channels.into()]);
    key.extend([part.layers.start as u64, part.layers.end as u64]);
    let object = buffer.object(key, || match &buffer.device().0.backend {
        Backend::Emulator(_) => {
            let slices = |shape| part.slices(shape);
            let image = image_of_levels::<T>(buffer, places, D::DIMENSIONS, Some(&slices));
            Ok(read.emulated(image))
        }
        Backend::Cuda(gpu) => {
            let array = buffer.array().ok_or(TextureError::Empty)?;
            let resource = match part.whole.mipmapped {
                true => Resource::Mipmapped(array),
                false => Resource::Array(handle(first)?),
            };
            let (settings, view) = (read.settings(), part.view::<T>(first));
            let made = CudaObject::texture(&gpu.context, resource, &settings, view)?;
            Ok::<_, TextureError>(Object::Cuda(made))
        }
    })?;
    Ok(TextureObject {
        bound: Bound::new(buffer, object),
        elements: PhantomData,
        types: PhantomData,
    })
}

/// A surface of a level of an array.
///
/// # Safety
/// The level has elements `T`; during `'a` nothing writes them, or, if `A` is `Writable`, nothing else uses them.
pub(super) unsafe fn surface<'a, D: ImageDimension, T: ArrayElement, A>(
    place: Place<'a>,
) -> Result<SurfaceObject<'a, D, T, A>, TextureError> {
    check_dimensions::<D>(&place)?;
    if !place.options.is_surface() {
        return Err(TextureError::NotForSurfaces {
            shape: place.options.shape(),
        });
    }
    let buffer = place.buffer;
    let key = vec![1, place.level as u64];
    let object = buffer.object(key, || match &buffer.device().0.backend {
        Backend::Emulator(_) => {
            let image = image_of_levels::<T>(buffer, &[place], D::DIMENSIONS, None);
            Ok(Object::EmulatedSurface(Box::new(emulated::SurfaceObject {
                image,
            })))
        }
        Backend::Cuda(gpu) => {
            let made = CudaObject::surface(&gpu.context, handle(&place)?)?;
            Ok::<_, TextureError>(Object::Cuda(made))
        }
    })?;
    Ok(SurfaceObject {
        bound: Bound::new(buffer, object),
        elements: PhantomData,
        types: PhantomData,
    })
}

/// A texture of elements side by side.
///
/// # Safety
/// There are `len` elements `T` at `start` in the buffer, which nothing writes during `'a`.
pub(super) unsafe fn linear_texture<'a, D, T: ArrayElement + Texel, R: ReadMode<T>>(
    buffer: &'a Buffer,
    start: *mut u8,
    len: usize,
) -> Result<TextureObject<'a, D, T, R>, TextureError> {
    if len == 0 {
        return Err(TextureError::Empty);
    }
    let device = buffer.device();
    check_start(buffer, start)?;
    let limit = most_linear_elements::<T>(device)?;
    check_extent(device, "linear memory", "length", len, limit)?;
    let read = Reading::new::<T, R>(Sampler::new(), 0);
    let mut key = read.key();
    let (format, channels) = format::<T>();
    key.extend([2, start.addr() as u64, len as u64]);
    key.extend([format as u64, channels.into()]);
    let bytes = len * size_of::<T>();
    let object = buffer.object(key, || match &device.0.backend {
        Backend::Emulator(_) => {
            let level = Level {
                offset: 0,
                width: len as u32,
                height: 1,
                depth: 1,
                row_pitch: bytes,
                slice_pitch: bytes,
            };
            let image = image::<T>(start, Dimensions::Linear, Layout::Rows, vec![level]);
            Ok(read.emulated(image))
        }
        Backend::Cuda(gpu) => {
            let resource = Resource::Linear {
                start: start.addr() as u64,
                format,
                channels,
                bytes,
            };
            let made = CudaObject::texture(&gpu.context, resource, &read.settings(), None)?;
            Ok::<_, TextureError>(Object::Cuda(made))
        }
    })?;
    Ok(TextureObject {
        bound: Bound::new(buffer, object),
        elements: PhantomData,
        types: PhantomData,
    })
}

/// A texture of rows with a pitch.
///
/// # Safety
/// The region is of elements `T` in the buffer, which nothing writes during `'a`.
pub(super) unsafe fn pitched_texture<'a, T: ArrayElement + Texel, R: ReadMode<T>>(
    buffer: &'a Buffer,
    region: Region<'a>,
    sampler: Sampler,
) -> Result<TextureObject<'a, D2, T, R>, TextureError> {
    let Region::Memory(rows) = region else {
        return Err(TextureError::Empty); // pitched memory is not an array
    };
    check_rows(buffer, &rows)?;
    check_sampler::<D2, T, R>(&sampler)?;
    let PitchedRegion {
        start,
        extent: [width, height, _],
        pitch,
        ..
    } = rows;
    let read = Reading::new::<T, R>(sampler, D2::AXES);
    let mut key = read.key();
    key.extend([3, start.addr() as u64, width as u64, height as u64]);
    let (format, channels) = format::<T>();
    key.extend([pitch as u64, format as u64, channels.into()]);
    let object = buffer.object(key, || match &buffer.device().0.backend {
        Backend::Emulator(_) => {
            let level = Level {
                offset: 0,
                width: width as u32,
                height: height as u32,
                depth: 1,
                row_pitch: pitch,
                slice_pitch: pitch * height,
            };
            let image = image::<T>(start, Dimensions::D2, Layout::Rows, vec![level]);
            Ok(read.emulated(image))
        }
        Backend::Cuda(gpu) => {
            let resource = Resource::Rows {
                start: start.addr() as u64,
                format,
                channels,
                width,
                height,
                pitch,
            };
            let made = CudaObject::texture(&gpu.context, resource, &read.settings(), None)?;
            Ok::<_, TextureError>(Object::Cuda(made))
        }
    })?;
    Ok(TextureObject {
        bound: Bound::new(buffer, object),
        elements: PhantomData,
        types: PhantomData,
    })
}

/// The driver's numbers of the type of a channel and of the channels.
fn format<T: ArrayElement>() -> (i32, u32) {
    (T::FORMAT.number(), T::CHANNELS)
}

/// The driver's array of a level.
fn handle<'a>(place: &Place<'a>) -> Result<&'a ArrayHandle, TextureError> {
    let level = place
        .buffer
        .array()
        .and_then(|array| array.level(place.level));
    level.ok_or(TextureError::Empty) // arrays of GPUs have all their levels
}

/// A sampler, and what becomes of integers.
struct Reading {
    sampler: Sampler,
    read: Read,
}

impl Reading {
    /// Of a texture with so many axes. A GPU takes half of the border along an axis that the texture lacks, if the mode of that axis is a border.
    fn new<T: Texel, R: ReadMode<T>>(sampler: Sampler, axes: usize) -> Reading {
        let mut sampler = sampler;
        let absent = sampler.sampling.address.iter_mut().skip(axes);
        absent.for_each(|mode| *mode = Address::Clamp);
        Reading {
            sampler,
            read: match R::NORMALIZED {
                true => Read::NormalizedFloat,
                false => Read::Element,
            },
        }
    }

    fn emulated(&self, image: Image) -> Object {
        let sampling = Sampling {
            read: self.read,
            ..self.sampler.sampling
        };
        Object::EmulatedTexture(Box::new(emulated::TextureObject { image, sampling }))
    }

    fn settings(&self) -> Settings {
        let sampling = &self.sampler.sampling;
        Settings {
            address: sampling.address.map(|mode| mode as u32),
            linear_filter: sampling.filter == Filter::Linear,
            linear_mip_filter: sampling.mip_filter == Filter::Linear,
            read_as_integer: self.read == Read::Element,
            normalized_coordinates: sampling.normalized_coordinates,
            srgb: sampling.srgb,
            exact_trilinear: self.sampler.exact_trilinear,
            seamless_cube: sampling.seamless_cube,
            lod_bias: sampling.lod_bias,
            lod_clamp: sampling.lod_clamp,
            border: sampling.border,
        }
    }

    /// All of it in bits: two zeros of floating-point numbers differ.
    fn key(&self) -> ObjectKey {
        let settings = self.settings();
        let flags = [
            settings.linear_filter,
            settings.linear_mip_filter,
            settings.read_as_integer,
            settings.normalized_coordinates,
            settings.srgb,
            settings.exact_trilinear,
            settings.seamless_cube,
        ];
        let numbers = [settings.lod_bias].into_iter();
        let numbers = numbers.chain(settings.lod_clamp).chain(settings.border);
        let mut key = vec![0];
        key.extend(settings.address.map(u64::from));
        key.extend(flags.map(u64::from));
        key.extend(numbers.map(|number| u64::from(number.to_bits())));
        key
    }
}

fn check_dimensions<D: ImageDimension>(place: &Place<'_>) -> Result<(), TextureError> {
    let shape = place.options.shape();
    if of_shape(shape) == D::DIMENSIONS {
        return Ok(());
    }
    Err(TextureError::Dimensions {
        wanted: D::TEXT,
        shape,
        remedy: D::SHAPE,
    })
}

/// Refuses settings that do not go together, or with reads of `T` as `R`.
fn check_sampler<D: ImageDimension, T: Texel, R: ReadMode<T>>(
    sampler: &Sampler,
) -> Result<(), TextureError> {
    let Sampling {
        address,
        filter,
        mip_filter,
        normalized_coordinates,
        srgb,
        seamless_cube,
        lod_bias,
        lod_clamp,
        ..
    } = sampler.sampling;
    if sampler.anisotropy > 1 {
        return Err(TextureError::Anisotropy {
            given: sampler.anisotropy,
        });
    }
    let element = type_name::<T>();
    for (setting, filter) in [("filter", filter), ("mip_filter", mip_filter)] {
        if filter == Filter::Linear && !R::FLOAT {
            return Err(TextureError::FilterOfIntegers { setting, element });
        }
    }
    for (axis, given) in AXES.into_iter().zip(address).take(D::AXES) {
        if !normalized_coordinates && matches!(given, Address::Wrap | Address::Mirror) {
            return Err(TextureError::Unnormalized { axis, given });
        }
    }
    if srgb && !(R::NORMALIZED && T::FORMAT == Format::Unsigned8 as u32) {
        let read = match R::NORMALIZED {
            true => "`Normalized`",
            false => "`Element`",
        };
        return Err(TextureError::Srgb { element, read });
    }
    if seamless_cube && D::AXES > 0 {
        return Err(TextureError::Seamless { wanted: D::TEXT });
    }
    let [least, greatest] = lod_clamp;
    let numbers = [
        ("lod_bias", lod_bias),
        ("lod_clamp", least),
        ("lod_clamp", greatest),
    ];
    if let Some((setting, given)) = numbers.into_iter().find(|(_, x)| !x.is_finite()) {
        return Err(TextureError::Lod { setting, given });
    }
    if least > greatest {
        return Err(TextureError::LodClamp { least, greatest });
    }
    Ok(())
}

/// Refuses rows that are no texture on their device.
fn check_rows(buffer: &Buffer, rows: &PitchedRegion) -> Result<(), TextureError> {
    let device = buffer.device();
    let [width, height, depth] = rows.extent;
    if [width, height, depth].contains(&0) {
        return Err(TextureError::Empty);
    }
    if depth > 1 {
        return Err(TextureError::Planes { given: depth });
    }
    check_start(buffer, rows.start)?;
    if let Some(align) = asked(device, Attribute::TEXTURE_PITCH_ALIGNMENT)
        && !rows.pitch.is_multiple_of(align.max(1))
    {
        return Err(TextureError::Pitch {
            given: rows.pitch,
            align,
            device: device.name().to_owned(),
        });
    }
    let sides = [
        ("width", width, Attribute::MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
        ("height", height, Attribute::MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
        (
            "pitch",
            rows.pitch,
            Attribute::MAXIMUM_TEXTURE2D_LINEAR_PITCH,
        ),
    ];
    sides.into_iter().try_for_each(|(side, given, limit)| {
        check_extent(device, "pitched memory", side, given, asked(device, limit))
    })
}

/// Refuses memory that starts between the multiples where textures start. Buffers of the emulator start at one, wherever they are.
fn check_start(buffer: &Buffer, start: *mut u8) -> Result<(), TextureError> {
    let device = buffer.device();
    let from = match device.is_gpu() {
        true => ptr::null_mut(),
        false => buffer.start(),
    };
    let bytes = start.addr() - from.addr();
    match asked(device, Attribute::TEXTURE_ALIGNMENT) {
        Some(align) if !bytes.is_multiple_of(align.max(1)) => Err(TextureError::Start {
            given: bytes % align,
            align,
            device: device.name().to_owned(),
        }),
        _ => Ok(()),
    }
}

fn check_extent(
    device: &Device,
    memory: &'static str,
    side: &'static str,
    given: usize,
    limit: Option<usize>,
) -> Result<(), TextureError> {
    match limit {
        Some(limit) if given > limit => Err(TextureError::Extent {
            memory,
            side,
            given,
            limit,
            device: device.name().to_owned(),
        }),
        _ => Ok(()),
    }
}

/// What a device says; where it says nothing, the driver decides.
fn asked(device: &Device, attribute: Attribute) -> Option<usize> {
    let answer = device.attribute(attribute).ok()?;
    usize::try_from(answer).ok()
}

/// The most elements of a texture of linear memory. The driver knows it by the format; the attribute is older.
fn most_linear_elements<T: ArrayElement>(device: &Device) -> Result<Option<usize>, TextureError> {
    if let Backend::Cuda(gpu) = &device.0.backend {
        let (format, channels) = format::<T>();
        let most = gpu.context.most_linear_elements(format, channels)?;
        if most.is_some() {
            return Ok(most);
        }
    }
    if !device.is_gpu() {
        // As a GPU of compute capability 9.0 answers: 2^30, within 4 GiB.
        return Ok(Some((1 << 30).min((1 << 32) / size_of::<T>())));
    }
    Ok(asked(device, Attribute::MAXIMUM_TEXTURE1D_LINEAR_WIDTH))
}

/// Levels of the emulator: memory in rows without gaps. Of each these slices, or all.
fn image_of_levels<T: ArrayElement>(
    buffer: &Buffer,
    places: &[Place<'_>],
    dimensions: Dimensions,
    slices: Option<&dyn Fn(ArrayShape) -> Range<usize>>,
) -> Image {
    let size = size_of::<T>();
    let levels = places.iter().map(|place| {
        let shape = place.options.shape();
        let [width, height, depth] = shape.extent().into();
        let slices = slices.map_or(0..depth, |slices| slices(shape));
        let slice_pitch = width * height * size;
        Level {
            offset: place.before * size + slices.start * slice_pitch,
            width: width as u32,
            height: height as u32,
            depth: slices.len() as u32,
            row_pitch: width * size,
            slice_pitch,
        }
    });
    image::<T>(buffer.start(), dimensions, Layout::Tiles, levels.collect())
}

fn image<T: ArrayElement>(
    base: *mut u8,
    dimensions: Dimensions,
    layout: Layout,
    levels: Vec<Level>,
) -> Image {
    let format = match T::FORMAT {
        ChannelFormat::U8 => Format::Unsigned8,
        ChannelFormat::U16 => Format::Unsigned16,
        ChannelFormat::U32 => Format::Unsigned32,
        ChannelFormat::I8 => Format::Signed8,
        ChannelFormat::I16 => Format::Signed16,
        ChannelFormat::I32 => Format::Signed32,
        ChannelFormat::F16 => Format::Float16,
        ChannelFormat::F32 => Format::Float32,
    };
    Image {
        base,
        format,
        channels: T::CHANNELS as u8,
        dimensions,
        layout,
        levels,
    }
}
