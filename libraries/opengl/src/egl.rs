//! EGL, found when the program runs: its devices, and contexts of OpenGL on them without a window.
//!
//! Bindings of our own, since those of others unwrap what EGL answers.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use crate::error::OpenGlError;

const NONE: i32 = 0x3038;
const EXTENSIONS: i32 = 0x3055;
const SURFACE_TYPE: i32 = 0x3033;
const PBUFFER_BIT: i32 = 1;
const RENDERABLE_TYPE: i32 = 0x3040;
const OPENGL_BIT: i32 = 8;
const OPENGL_API: u32 = 0x30A2;
const PLATFORM_DEVICE: u32 = 0x313F;
const CUDA_DEVICE: i32 = 0x323A;
const CONTEXT_ATTRIBUTES: [i32; 9] = [
    0x3098, 4, // EGL_CONTEXT_MAJOR_VERSION
    0x30FB, 5, // EGL_CONTEXT_MINOR_VERSION
    0x30FD, 1,      // EGL_CONTEXT_OPENGL_PROFILE_MASK: core
    0x31B0, // EGL_CONTEXT_OPENGL_DEBUG
    0, NONE,
];

/// A device of EGL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EglDevice(*mut c_void);

/// An initialised connection to a device. It stays until the process ends: all contexts on the device have the same one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Display(*mut c_void);

/// A context of OpenGL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawContext(*mut c_void);

macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions that are used here.
        #[allow(non_snake_case, reason = "names are EGL's own")]
        pub(crate) struct Egl {
            $($name: unsafe extern "system" fn($($arg),*) $(-> $result)?,)*
        }

        impl Egl {
            /// Finds all functions, or names the first that is missing.
            fn find(address: impl Fn(&'static str) -> *const c_void) -> Result<Egl, OpenGlError> {
                Ok(Egl {
                    $($name: {
                        let found = address(stringify!($name));
                        // SAFETY: the type is that of the documented function of this name, and a null pointer is `None`.
                        let found = unsafe { std::mem::transmute::<*const c_void, Option<unsafe extern "system" fn($($arg),*) $(-> $result)?>>(found) };
                        found.ok_or_else(|| OpenGlError::TooOld { lacking: stringify!($name).to_owned() })?
                    },)*
                })
            }
        }
    };
}

functions! {
    eglGetError: fn() -> i32;
    eglGetProcAddress: fn(*const c_char) -> *const c_void;
    eglInitialize: fn(*mut c_void, *mut i32, *mut i32) -> u32;
    eglQueryString: fn(*mut c_void, i32) -> *const c_char;
    eglBindAPI: fn(u32) -> u32;
    eglChooseConfig: fn(*mut c_void, *const i32, *mut *mut c_void, i32, *mut i32) -> u32;
    eglCreateContext: fn(*mut c_void, *mut c_void, *mut c_void, *const i32) -> *mut c_void;
    eglDestroyContext: fn(*mut c_void, *mut c_void) -> u32;
    eglMakeCurrent: fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void) -> u32;
    eglGetCurrentContext: fn() -> *mut c_void;
    eglQueryDevicesEXT: fn(i32, *mut *mut c_void, *mut i32) -> u32;
    eglQueryDeviceStringEXT: fn(*mut c_void, i32) -> *const c_char;
    eglQueryDeviceAttribEXT: fn(*mut c_void, i32, *mut isize) -> u32;
    eglGetPlatformDisplayEXT: fn(u32, *mut c_void, *const i32) -> *mut c_void;
}

impl Egl {
    /// The library, opened once and never closed: drivers leave functions behind that run when threads end.
    pub(crate) fn get() -> Result<&'static Egl, OpenGlError> {
        static EGL: OnceLock<Result<Egl, OpenGlError>> = OnceLock::new();
        EGL.get_or_init(Egl::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Egl, OpenGlError> {
        // SAFETY: the library of this name is EGL's, whose start-up does nothing to us.
        let library = unsafe { Library::new("libEGL.so.1") };
        let library = library.map_err(|error| OpenGlError::LoaderNotFound {
            reason: error.to_string(),
        })?;
        let library: &'static Library = Box::leak(Box::new(library));
        let symbol = |name: &str| {
            // SAFETY: the symbol's value, an address, is taken; nothing is read through it.
            let symbol = unsafe { library.get::<*const c_void>(name.as_bytes()) };
            symbol.map_or(ptr::null(), |symbol| *symbol)
        };
        let get = symbol("eglGetProcAddress");
        // SAFETY: the documented type of this function; a null pointer is `None`.
        let get = unsafe {
            std::mem::transmute::<
                *const c_void,
                Option<unsafe extern "system" fn(*const c_char) -> *const c_void>,
            >(get)
        };
        Egl::find(|name| {
            let found = symbol(name);
            match (found.is_null(), get, CString::new(name)) {
                // SAFETY: reads a string that ends with zero.
                (true, Some(get), Ok(name)) => unsafe { get(name.as_ptr()) },
                _ => found,
            }
        })
    }

    /// What the last call says went wrong.
    fn error(&self) -> String {
        // SAFETY: reads the calling thread's error.
        let code = unsafe { (self.eglGetError)() };
        let name = match code {
            0x3000 => "EGL_SUCCESS",
            0x3001 => "EGL_NOT_INITIALIZED",
            0x3002 => "EGL_BAD_ACCESS",
            0x3003 => "EGL_BAD_ALLOC",
            0x3004 => "EGL_BAD_ATTRIBUTE",
            0x3005 => "EGL_BAD_CONFIG",
            0x3006 => "EGL_BAD_CONTEXT",
            0x3008 => "EGL_BAD_DISPLAY",
            0x3009 => "EGL_BAD_MATCH",
            0x300C => "EGL_BAD_PARAMETER",
            0x300E => "EGL_CONTEXT_LOST",
            _ => return format!("EGL error {code:#x}"),
        };
        name.to_owned()
    }

    /// All devices.
    pub(crate) fn devices(&self) -> Result<Vec<EglDevice>, OpenGlError> {
        let (mut all, mut count) = ([ptr::null_mut(); 64], 0);
        // SAFETY: writes at most so many handles, and a number, to where we point.
        let done = unsafe { (self.eglQueryDevicesEXT)(64, all.as_mut_ptr(), &raw mut count) };
        if done == 0 {
            return Ok(vec![]); // drivers say so where there is none
        }
        let count = usize::try_from(count).unwrap_or(0);
        Ok(all.into_iter().take(count).map(EglDevice).collect())
    }

    /// The number of CUDA of a device, if it is a GPU of NVIDIA.
    pub(crate) fn cuda_number(&self, device: EglDevice) -> Option<i32> {
        let extensions = self.device_extensions(device);
        if !extensions.split(' ').any(|one| one == "EGL_NV_device_cuda") {
            return None;
        }
        let mut number = 0;
        // SAFETY: writes a number to where we point; the device has the attribute.
        let done =
            unsafe { (self.eglQueryDeviceAttribEXT)(device.0, CUDA_DEVICE, &raw mut number) };
        i32::try_from(number).ok().filter(|_| done != 0)
    }

    /// Whether a device is the CPU.
    pub(crate) fn is_software(&self, device: EglDevice) -> bool {
        let extensions = self.device_extensions(device);
        extensions
            .split(' ')
            .any(|one| one == "EGL_MESA_device_software")
    }

    fn device_extensions(&self, device: EglDevice) -> String {
        // SAFETY: the device is one of `devices`.
        let text = unsafe { (self.eglQueryDeviceStringEXT)(device.0, EXTENSIONS) };
        owned(text)
    }

    /// A connection to a device, which can have contexts without surfaces.
    pub(crate) fn display(&self, device: EglDevice) -> Result<Display, String> {
        let attributes = [NONE];
        // SAFETY: the device is one of `devices`; reads a list that ends with `NONE`.
        let display = unsafe {
            (self.eglGetPlatformDisplayEXT)(PLATFORM_DEVICE, device.0, attributes.as_ptr())
        };
        if display.is_null() {
            return Err(format!("no display: {}", self.error()));
        }
        let (mut major, mut minor) = (0, 0);
        // SAFETY: writes two numbers to where we point. To initialise a display again does nothing.
        if unsafe { (self.eglInitialize)(display, &raw mut major, &raw mut minor) } == 0 {
            return Err(format!("cannot be initialised: {}", self.error()));
        }
        // SAFETY: the display is initialised.
        let extensions = owned(unsafe { (self.eglQueryString)(display, EXTENSIONS) });
        let wanted = "EGL_KHR_surfaceless_context";
        if !extensions.split(' ').any(|one| one == wanted) {
            return Err(format!("lacks {wanted}"));
        }
        Ok(Display(display))
    }

    /// A context of OpenGL 4.5, core profile, which is not current.
    pub(crate) fn context(&self, display: Display, debug: bool) -> Result<RawContext, String> {
        // SAFETY: chooses the interface of this thread's later calls.
        if unsafe { (self.eglBindAPI)(OPENGL_API) } == 0 {
            return Err(format!("has no OpenGL: {}", self.error()));
        }
        let wanted = [SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, OPENGL_BIT, NONE];
        let (mut config, mut count) = (ptr::null_mut(), 0);
        // SAFETY: reads a list that ends with `NONE`; writes one handle at most, and a number, to where we point.
        let done = unsafe {
            let (config, count) = (&raw mut config, &raw mut count);
            (self.eglChooseConfig)(display.0, wanted.as_ptr(), config, 1, count)
        };
        if done == 0 || count < 1 {
            return Err(format!("has no configuration for OpenGL: {}", self.error()));
        }
        let mut attributes = CONTEXT_ATTRIBUTES;
        attributes[7] = i32::from(debug);
        let none = ptr::null_mut();
        // SAFETY: display and configuration are of one another; reads a list that ends with `NONE`.
        let made = unsafe { (self.eglCreateContext)(display.0, config, none, attributes.as_ptr()) };
        match made.is_null() {
            true => Err(format!("has no OpenGL 4.5: {}", self.error())),
            false => Ok(RawContext(made)),
        }
    }

    /// Makes a context current on this thread, unless it is.
    pub(crate) fn make_current(
        &self,
        display: Display,
        context: RawContext,
    ) -> Result<(), OpenGlError> {
        // SAFETY: chooses the interface of this thread's later calls.
        unsafe { (self.eglBindAPI)(OPENGL_API) };
        if self.is_current(context) {
            return Ok(());
        }
        let none = ptr::null_mut();
        // SAFETY: the context is alive and of this display, which lets it have no surfaces.
        match unsafe { (self.eglMakeCurrent)(display.0, none, none, context.0) } {
            0 => Err(OpenGlError::NotCurrent {
                reason: self.error(),
            }),
            _ => Ok(()),
        }
    }

    fn is_current(&self, context: RawContext) -> bool {
        // SAFETY: reads which context is current on this thread.
        unsafe { (self.eglGetCurrentContext)() == context.0 }
    }

    /// Destroys a context; no context is current on this thread then if it was.
    pub(crate) fn destroy(&self, display: Display, context: RawContext) {
        let none = ptr::null_mut();
        if self.is_current(context) {
            // SAFETY: takes the current context away.
            unsafe { (self.eglMakeCurrent)(display.0, none, none, none) };
        }
        // SAFETY: destroyed once, by the thread on which alone it was current.
        unsafe { (self.eglDestroyContext)(display.0, context.0) };
    }

    /// A function of OpenGL, null if there is none.
    pub(crate) fn function(&self, name: &CStr) -> *const c_void {
        // SAFETY: reads a string that ends with zero.
        unsafe { (self.eglGetProcAddress)(name.as_ptr()) }
    }
}

fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: EGL gives strings that end with zero and stay.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
