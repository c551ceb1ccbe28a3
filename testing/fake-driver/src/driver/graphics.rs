//! Objects of OpenGL. There is no OpenGL: the name of a buffer is its bytes, and the name of an image says what it is, see `Form`.

use super::arrays::Array;
use crate::code::Code;
use crate::memory::Kind;
use crate::state::{Held, driver, not_null, put};

/// `CU_GRAPHICS_REGISTER_FLAGS_…`: all of images; of buffers the first two.
const ALL_FLAGS: u32 = 15;
const BUFFER_FLAGS: u32 = 3;
const SURFACE_LDST: u32 = 4;
const READ_ONLY_AND_WRITE_DISCARD: u32 = 3;
/// `GL_TEXTURE_2D`, `GL_TEXTURE_3D`, `GL_RENDERBUFFER`.
const TARGETS: [u32; 3] = [0x0DE1, 0x806F, 0x8D41];

/// A registered object.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) context: u64,
    is_mapped: bool,
    /// Where its memory is.
    start: u64,
    bytes: usize,
    /// Of an image; 0 of a buffer.
    array: u64,
}

/// The image of a name, as digits of 16: a channel's format (2), channels (1), depth (1, 0 for a plane), height (2), width (2).
#[derive(Debug, Clone, Copy)]
struct Form {
    format: i32,
    channels: u32,
    depth: usize,
    height: usize,
    width: usize,
}

impl Form {
    fn of(name: u32) -> Form {
        let digits = |at: u32, mask: u32| (name >> at & mask) as usize;
        Form {
            format: digits(24, 0xFF) as i32,
            channels: digits(20, 0xF) as u32,
            depth: digits(16, 0xF),
            height: digits(8, 0xFF),
            width: digits(0, 0xFF),
        }
    }
}

/// Registers memory for an object.
fn register(
    state: &mut Held,
    kind: Kind,
    bytes: usize,
    array: impl FnOnce(u64, u64) -> Option<Array>,
) -> Result<u64, Code> {
    let start = state.allocate(kind, bytes, 0)?;
    let context = state.current()?;
    let array = array(context, start).map_or(0, |array| state.arrays.add(array));
    Ok(state.graphics.add(Resource {
        context,
        is_mapped: false,
        start,
        bytes,
        array,
    }))
}

/// Maps or unmaps; all of them or none.
unsafe fn set_mapped(
    state: &mut Held,
    count: u32,
    resources: *const u64,
    stream: u64,
    mapped: bool,
) -> Result<(), Code> {
    let resources = not_null(resources)?;
    if count == 0 {
        return Err(Code::INVALID_VALUE);
    }
    state.stream(stream)?;
    // SAFETY: the caller promises so many handles.
    let resources = unsafe { std::slice::from_raw_parts(resources, count as usize) };
    for resource in resources {
        let found = state.graphics.get(*resource)?;
        if found.context != state.current()? {
            return Err(Code::INVALID_CONTEXT);
        }
        match (found.is_mapped, mapped) {
            (true, true) => return Err(Code::ALREADY_MAPPED),
            (false, false) => return Err(Code::NOT_MAPPED),
            _ => {}
        }
    }
    for resource in resources {
        state.graphics.get_mut(*resource)?.is_mapped = mapped;
    }
    Ok(())
}

driver! {
    /// Registers a buffer.
    fn cuGraphicsGLRegisterBuffer(state; resource: *mut u64, buffer: u32, flags: u32) needs Context {
        not_null(resource)?;
        let both = flags & READ_ONLY_AND_WRITE_DISCARD == READ_ONLY_AND_WRITE_DISCARD;
        if buffer == 0 || flags & !BUFFER_FLAGS != 0 || both {
            return Err(Code::INVALID_VALUE);
        }
        let made = register(state, Kind::External, buffer as usize, |_, _| None)?;
        put(resource, made)
    }

    /// Registers an image.
    fn cuGraphicsGLRegisterImage(state; resource: *mut u64, image: u32, target: u32, flags: u32) needs Context {
        not_null(resource)?;
        let both = flags & READ_ONLY_AND_WRITE_DISCARD == READ_ONLY_AND_WRITE_DISCARD;
        let form = Form::of(image);
        let is_deep = form.depth != 0;
        if image == 0 || flags & !ALL_FLAGS != 0 || both || !TARGETS.contains(&target) || is_deep != (target == TARGETS[1]) {
            return Err(Code::INVALID_VALUE);
        }
        let surface = if flags & SURFACE_LDST != 0 { 2 } else { 0 };
        let extent = [form.width, form.height, form.depth];
        let (described, rows) = super::arrays::described(extent, form.format, form.channels, surface)?;
        let bytes = rows.iter().product::<usize>();
        let made = register(state, Kind::Array, bytes, |context, start| {
            // A level of another array, so that it is not destroyed by itself.
            Some(Array { context, start, extent: rows, of: u64::MAX, described })
        })?;
        put(resource, made)
    }

    /// Forgets an object.
    fn cuGraphicsUnregisterResource(state; resource: u64) needs Context {
        let found = state.graphics.get(resource)?;
        let (is_mapped, start, array) = (found.is_mapped, found.start, found.array);
        if is_mapped {
            state.complain("cuGraphicsUnregisterResource of a resource that is mapped".to_owned());
        }
        state.check_no_objects("cuGraphicsUnregisterResource", start);
        super::memory::before_freeing(state, "cuGraphicsUnregisterResource", start)?;
        state.graphics.remove(resource)?;
        state.arrays.retain(|handle, _| *handle != array);
        state.free(start, &[Kind::External, Kind::Array])
    }

    /// Lets the device use objects.
    fn cuGraphicsMapResources(state; count: u32, resources: *mut u64, stream: u64) needs Context {
        set_mapped(state, count, resources, stream, true)
    }

    /// Lets OpenGL use objects.
    fn cuGraphicsUnmapResources(state; count: u32, resources: *mut u64, stream: u64) needs Context {
        set_mapped(state, count, resources, stream, false)
    }

    /// Where a mapped buffer is.
    fn cuGraphicsResourceGetMappedPointer_v2(state; address: *mut u64, bytes: *mut usize, resource: u64) needs Context {
        not_null(address)?;
        not_null(bytes)?;
        let found = state.graphics.get(resource)?;
        match (found.array, found.is_mapped) {
            (0, true) => {
                put(address, found.start)?;
                put(bytes, found.bytes)
            }
            (0, false) => Err(Code::NOT_MAPPED),
            _ => Err(Code::NOT_MAPPED_AS_POINTER),
        }
    }

    /// The array that a mapped image is.
    fn cuGraphicsSubResourceGetMappedArray(state; array: *mut u64, resource: u64, index: u32, level: u32) needs Context {
        not_null(array)?;
        let found = state.graphics.get(resource)?;
        match (found.array, found.is_mapped, index, level) {
            (0, ..) => Err(Code::NOT_MAPPED_AS_ARRAY),
            (_, false, ..) => Err(Code::NOT_MAPPED),
            (image, true, 0, 0) => put(array, image),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// The GPUs of the current context of OpenGL: the first, always.
    fn cuGLGetDevices_v2(state; count: *mut u32, devices: *mut i32, most: u32, list: u32) needs Context {
        not_null(count)?;
        let _ = state.current()?;
        if list != 1 || most == 0 {
            return Err(Code::INVALID_VALUE);
        }
        put(devices, 0)?;
        put(count, 1)
    }
}
