//! Fetches of texture units and accesses of surfaces: which bytes they read and write, for the checks, and their values.

use super::atomics::{
    atomic_fetch_add_u32, atomic_fetch_and_u32, atomic_fetch_max_i32, atomic_fetch_max_u32,
    atomic_fetch_min_i32, atomic_fetch_min_u32, atomic_fetch_or_u32,
};
use super::fail;
use crate::detector;
use crate::texture::{Boundary, Layout, Place, Request, SurfaceObject, TextureObject};

/// Leaves at `out` what a fetch gives. PTX: `tex`, `tld4`.
///
/// # Safety
/// `handle` is the address of a [`TextureObject`], whose elements are valid for reads and which no thread writes meanwhile. `out` is valid for writes of four words.
#[track_caller]
pub unsafe fn texture_fetch(out: *mut u32, handle: u64, request: &Request) {
    // SAFETY: the caller's promise.
    let texture: &TextureObject = unsafe { object(handle) };
    let result = match texture.image.layout {
        // Sectors are those of other reads of memory in rows.
        Layout::Rows => {
            let mut reads = |at: *const u8, bytes: usize| checked_read(at, bytes);
            // SAFETY: the caller's promise.
            unsafe { texture.sample(request, &mut reads) }
        }
        Layout::Tiles => detector::fetches(|| {
            let (mut first, mut elements) = (None, 0);
            let mut reads = |at: *const u8, bytes: usize| {
                first.get_or_insert((at, bytes));
                elements += 1;
                checked_read(at, bytes);
            };
            // SAFETY: the caller's promise.
            let result = unsafe { texture.sample(request, &mut reads) };
            let counted =
                first.and_then(|(at, bytes)| texture.image.fetched(at, bytes, elements > 1));
            (result, counted)
        }),
    };
    // SAFETY: the caller's promise.
    unsafe { out.cast::<[u32; 4]>().write(result) }
}

macro_rules! sizes {
    ($($texture:ident $surface:ident $number:literal $what:literal;)*) => {$(
        #[doc = concat!($what, " of a level of a texture. PTX: `txq.level`.")]
        ///
        /// # Safety
        /// `handle` is the address of a [`TextureObject`].
        #[must_use]
        pub unsafe fn $texture(handle: u64, level: u32) -> u32 {
            // SAFETY: the caller's promise.
            let texture: &TextureObject = unsafe { object(handle) };
            texture.size(level)[$number]
        }

        #[doc = concat!($what, " of a surface. PTX: `suq`.")]
        ///
        /// # Safety
        /// `handle` is the address of a [`SurfaceObject`].
        #[must_use]
        pub unsafe fn $surface(handle: u64) -> u32 {
            // SAFETY: the caller's promise.
            let surface: &SurfaceObject = unsafe { object(handle) };
            surface.size()[$number]
        }
    )*};
}

sizes! {
    texture_width surface_width 0 "The width";
    texture_height surface_height 1 "The height";
    texture_depth surface_depth 2 "The depth";
}

/// Leaves at `out` the numbers of an element, of `bytes` bytes each, each in a word. PTX: `suld.b`.
///
/// # Safety
/// `handle` is the address of a [`SurfaceObject`], whose elements are valid for reads and which no thread writes meanwhile. `out` is valid for writes of so many words.
#[track_caller]
pub unsafe fn surface_load(
    out: *mut u32,
    handle: u64,
    at: [i32; 3],
    [bytes, count]: [usize; 2],
    boundary: Boundary,
) {
    // SAFETY: the caller's promise.
    let place = place(unsafe { object(handle) }, at, bytes * count, boundary);
    let mut value = [0_u8; 16];
    if let Some(from) = place {
        checked_read(from, bytes * count);
        // SAFETY: the caller's promise, and within the image.
        unsafe { from.copy_to_nonoverlapping(value.as_mut_ptr(), bytes * count) };
    }
    for k in 0..count {
        let mut word = [0; 4];
        word[..bytes].copy_from_slice(&value[k * bytes..(k + 1) * bytes]);
        // SAFETY: the caller's promise.
        unsafe { out.wrapping_add(k).write(u32::from_le_bytes(word)) };
    }
}

/// Writes the numbers of an element, of which each is in a word at `from`. PTX: `sust.b`.
///
/// # Safety
/// `handle` is the address of a [`SurfaceObject`], whose elements are valid for writes and which no other thread accesses meanwhile. `from` is valid for reads of so many words.
#[track_caller]
pub unsafe fn surface_store(
    from: *const u32,
    handle: u64,
    at: [i32; 3],
    [bytes, count]: [usize; 2],
    boundary: Boundary,
) {
    // SAFETY: the caller's promise.
    let Some(to) = place(unsafe { object(handle) }, at, bytes * count, boundary) else {
        return;
    };
    let mut value = [0_u8; 16];
    for k in 0..count {
        // SAFETY: the caller's promise.
        let word = unsafe { from.wrapping_add(k).read() }.to_le_bytes();
        value[k * bytes..(k + 1) * bytes].copy_from_slice(&word[..bytes]);
    }
    checked_write(to, bytes * count, &value);
    // SAFETY: the caller's promise, and within the image.
    unsafe { to.copy_from_nonoverlapping(value.as_ptr(), bytes * count) };
}

/// Writes numbers that are converted to those of the surface, of which each is in a word at `from`; outside of the surface nothing. x counts elements. PTX: `sust.p`.
///
/// # Safety
/// As [`surface_store`].
#[track_caller]
pub unsafe fn surface_store_converted(
    from: *const u32,
    handle: u64,
    [x, y, z]: [i32; 3],
    count: usize,
) {
    // SAFETY: the caller's promise.
    let surface: &SurfaceObject = unsafe { object(handle) };
    let (format, bytes) = (surface.image.format, surface.image.format.bytes());
    let size = surface.image.texel_bytes();
    let x = x.saturating_mul(size as i32) / size as i32 * size as i32; // aligned also where it is cut off
    let Some(to) = place(surface, [x, y, z], size, Boundary::Zero) else {
        return;
    };
    let mut value = [0_u8; 16]; // channels that are not given are zeros
    for k in 0..count.min(size / bytes) {
        // SAFETY: the caller's promise.
        let word = unsafe { from.wrapping_add(k).read() };
        let number = format.converted(word).to_le_bytes();
        value[k * bytes..(k + 1) * bytes].copy_from_slice(&number[..bytes]);
    }
    checked_write(to, size, &value);
    // SAFETY: the caller's promise, and within the image.
    unsafe { to.copy_from_nonoverlapping(value.as_ptr(), size) };
}

/// What a reduction makes of an element and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SurfaceReduction {
    /// Their sum, which wraps around.
    Add,
    /// The smaller of two `u32`.
    MinUnsigned,
    /// The smaller of two `i32`.
    MinSigned,
    /// The larger of two `u32`.
    MaxUnsigned,
    /// The larger of two `i32`.
    MaxSigned,
    /// The bits of both.
    And,
    /// The bits of either.
    Or,
}

/// Relaxed, for the whole system: 4 × order + scope.
const RELAXED_SYSTEM: u32 = 3;

/// Changes an element of 32 bits in one step; outside of the surface nothing. x counts bytes. PTX: `sured.b`.
///
/// # Safety
/// `handle` is the address of a [`SurfaceObject`] with elements of 32 bits, which are valid for reads and writes and which no thread accesses meanwhile other than so.
#[track_caller]
pub unsafe fn surface_reduce(handle: u64, at: [i32; 3], value: u32, reduction: SurfaceReduction) {
    // SAFETY: the caller's promise.
    let surface = unsafe { object(handle) };
    let Some(to) = place(surface, at, size_of::<u32>(), Boundary::Zero) else {
        return;
    };
    let how = RELAXED_SYSTEM;
    let unsigned = |change: unsafe fn(*mut u32, u32, u32) -> u32| {
        // SAFETY: within the image, whose elements are aligned; the rest is the caller's promise.
        unsafe { change(to.cast(), value, how) };
    };
    let signed = |change: unsafe fn(*mut i32, i32, u32) -> i32| {
        // SAFETY: as above.
        unsafe { change(to.cast(), value.cast_signed(), how) };
    };
    match reduction {
        SurfaceReduction::Add => unsigned(atomic_fetch_add_u32),
        SurfaceReduction::MinUnsigned => unsigned(atomic_fetch_min_u32),
        SurfaceReduction::MaxUnsigned => unsigned(atomic_fetch_max_u32),
        SurfaceReduction::MinSigned => signed(atomic_fetch_min_i32),
        SurfaceReduction::MaxSigned => signed(atomic_fetch_max_i32),
        SurfaceReduction::And => unsigned(atomic_fetch_and_u32),
        SurfaceReduction::Or => unsigned(atomic_fetch_or_u32),
    }
}

/// Where an access of a surface goes; `None`: nowhere. Outside of the surface, where the instruction says so, it ends the lane.
#[track_caller]
fn place(
    surface: &SurfaceObject,
    at: [i32; 3],
    bytes: usize,
    boundary: Boundary,
) -> Option<*mut u8> {
    match surface.place(at, bytes, boundary) {
        Place::Inside(address) => Some(address),
        Place::Nowhere => None,
        Place::Fault => {
            let level = &surface.image.levels[0];
            let extents = [level.width, level.height, level.depth];
            detector::outside_surface(at, bytes, extents);
            let [x, y, z] = at;
            let [width, height, depth] = extents;
            fail(&format!(
                "an access of {bytes} bytes at byte {x} of row {y} of slice {z} of a surface of {width} by {height} by {depth} elements of {} bytes",
                surface.image.texel_bytes()
            ))
        }
    }
}

/// What a handle is the address of.
///
/// # Safety
/// It is the address of a `T`, which is there as long as the reference.
unsafe fn object<'a, T>(handle: u64) -> &'a T {
    let object = std::ptr::with_exposed_provenance::<T>(handle as usize);
    // SAFETY: the caller's promise.
    unsafe { &*object }
}

fn checked_read(at: *const u8, bytes: usize) {
    match bytes {
        1 => detector::reads::<1>(at),
        2 => detector::reads::<2>(at),
        4 => detector::reads::<4>(at),
        8 => detector::reads::<8>(at),
        _ => detector::reads::<16>(at),
    }
}

fn checked_write(at: *const u8, bytes: usize, value: &[u8; 16]) {
    let value = u128::from_le_bytes(*value) as u64;
    match bytes {
        1 => detector::writes::<1>(at, Some(value)),
        2 => detector::writes::<2>(at, Some(value)),
        4 => detector::writes::<4>(at, Some(value)),
        8 => detector::writes::<8>(at, Some(value)),
        _ => detector::writes::<16>(at, None),
    }
}
