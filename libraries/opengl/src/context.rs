//! OpenGL without a window, on the kernels' GPU or elsewhere.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use glow::HasContext;
use warploom::Device;

use crate::egl::{Display, Egl, EglDevice, RawContext};
use crate::error::OpenGlError;

/// How many messages are kept.
const MOST_MESSAGES: usize = 1000;

/// How OpenGL is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenGlOptions {
    debug: bool,
    allow_copies: bool,
}

impl OpenGlOptions {
    /// On the GPU of the kernels, without messages.
    #[must_use]
    pub fn new() -> OpenGlOptions {
        OpenGlOptions::default()
    }

    /// With a debug context, whose messages [`OpenGl::messages`] has (`GL_DEBUG_OUTPUT`).
    #[must_use]
    pub fn debug(mut self) -> OpenGlOptions {
        self.debug = true;
        self
    }

    /// On another device where OpenGL does not render on the kernels' GPU: contents of shared objects are copied there when they are mapped and unmapped. On the
    /// emulator it is so anyway.
    #[must_use]
    pub fn allow_copies(mut self) -> OpenGlOptions {
        self.allow_copies = true;
        self
    }
}

/// A context of OpenGL 4.5, core profile, without a window, for one thread.
///
/// Clones are the same. It stays while anything that was made of it is there.
#[derive(Clone)]
pub struct OpenGl {
    opened: Rc<Opened>,
    /// Not for other threads: the context is current on this one.
    _here: PhantomData<*mut ()>,
}

struct Opened {
    cuda: Device,
    /// Freed after the context is destroyed, which calls its function for messages.
    gl: glow::Context,
    egl: &'static Egl,
    display: Display,
    context: RawContext,
    name: String,
    in_place: bool,
    messages: Arc<Mutex<Vec<String>>>,
    /// What `glGetError` said of calls that were not ours.
    errors: RefCell<Vec<String>>,
}

impl OpenGl {
    /// Opens OpenGL on the GPU of `cuda`. For an emulated device: on any device, the CPU if EGL has it. The context is current on this thread then, and
    /// stays so until another one is.
    ///
    /// CUDA: `cuGLGetDevices`.
    ///
    /// # Errors
    /// [`OpenGlError::LoaderNotFound`], [`OpenGlError::TooOld`], [`OpenGlError::NoDevice`].
    pub fn open(cuda: &Device, options: OpenGlOptions) -> Result<OpenGl, OpenGlError> {
        let egl = Egl::get()?;
        let mut refused = vec![];
        let number = cuda.raw_device();
        let mut all = egl.devices()?;
        let any = options.allow_copies || !cuda.is_gpu();
        // The GPU first; then the CPU, which is everywhere the same.
        let is_it = |device: &EglDevice| number.is_some() && egl.cuda_number(*device) == number;
        all.sort_by_key(|device| (!is_it(device), !egl.is_software(*device)));
        for (at, device) in all.into_iter().enumerate() {
            if !any && !is_it(&device) {
                refused.push(format!("device {at} (another device)"));
                continue;
            }
            match Opened::new(cuda, egl, device, options) {
                Ok(opened) if opened.in_place || any => {
                    return Ok(OpenGl {
                        opened: Rc::new(opened),
                        _here: PhantomData,
                    });
                }
                Ok(opened) => refused.push(format!("{} (another device)", opened.name)),
                Err(reason) => refused.push(format!("device {at} ({reason})")),
            }
        }
        Err(OpenGlError::NoDevice {
            wanted: match any {
                true => "without a window".to_owned(),
                false => format!("on {}", cuda.name()),
            },
            found: match refused.is_empty() {
                true => "none".to_owned(),
                false => refused.join(", "),
            },
        })
    }

    /// The functions of OpenGL, after making the context current on this thread.
    ///
    /// To call them is unsafe: a caller uses a shared object only while a [`Shared`](crate::Shared) is there, neither deletes it nor gives it other storage, and orders
    /// stores of shaders to it by `glMemoryBarrier` before it is mapped.
    ///
    /// # Errors
    /// [`OpenGlError::NotCurrent`] if another window system's context is current.
    pub fn functions(&self) -> Result<&glow::Context, OpenGlError> {
        let opened = &*self.opened;
        opened.egl.make_current(opened.display, opened.context)?;
        Ok(&opened.gl)
    }

    /// Vendor and device.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.opened.name
    }

    /// Whether kernels use objects in place: OpenGL renders on their GPU. Otherwise contents are copied.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.opened.in_place
    }

    /// The device on which kernels run.
    #[must_use]
    pub fn cuda(&self) -> &Device {
        &self.opened.cuda
    }

    /// What OpenGL has to say so far: warnings and errors of a [debug](OpenGlOptions::debug) context, notifications not; and what `glGetError` says. The first
    /// thousand.
    ///
    /// # Errors
    /// [`OpenGlError::NotCurrent`].
    pub fn messages(&self) -> Result<Vec<String>, OpenGlError> {
        let gl = self.functions()?;
        self.opened.drain(gl);
        let said = self.opened.messages.lock();
        let mut all = said.unwrap_or_else(PoisonError::into_inner).clone();
        all.extend(self.opened.errors.borrow().iter().cloned());
        Ok(all)
    }

    /// Does something of which `glGetError` must say nothing.
    pub(crate) fn checked<T>(
        &self,
        call: &'static str,
        act: impl FnOnce(&glow::Context) -> T,
    ) -> Result<T, OpenGlError> {
        let gl = self.functions()?;
        self.opened.drain(gl);
        let done = act(gl);
        // SAFETY: reads and clears the context's error.
        match unsafe { gl.get_error() } {
            glow::NO_ERROR => Ok(done),
            code => Err(OpenGlError::Call {
                call,
                code: error_name(code),
            }),
        }
    }
}

impl Opened {
    fn new(
        cuda: &Device,
        egl: &'static Egl,
        device: EglDevice,
        options: OpenGlOptions,
    ) -> Result<Opened, String> {
        let display = egl.display(device)?;
        let context = egl.context(display, options.debug)?;
        if let Err(error) = egl.make_current(display, context) {
            egl.destroy(display, context);
            return Err(error.to_string());
        }
        // SAFETY: the context is current, and the functions are its own.
        let gl = unsafe { glow::Context::from_loader_function_cstr(|name| egl.function(name)) };
        let messages = Arc::default();
        let mut opened = Opened {
            cuda: cuda.clone(),
            gl,
            egl,
            display,
            context,
            name: String::new(),
            in_place: false,
            messages,
            errors: RefCell::default(),
        };
        let gl = &mut opened.gl;
        // SAFETY: the context is current.
        let text = |gl: &glow::Context, which| unsafe { gl.get_parameter_string(which) };
        let vendor = text(gl, glow::VENDOR);
        opened.name = format!("{} ({vendor})", text(gl, glow::RENDERER));
        if options.debug {
            listen(gl, Arc::clone(&opened.messages));
        }
        if vendor.contains("NVIDIA") {
            let is_here = cuda.is_of_gl_context();
            opened.in_place = is_here.map_err(|error| error.to_string())?;
        }
        Ok(opened)
    }

    /// Keeps errors of calls that were not ours.
    fn drain(&self, gl: &glow::Context) {
        let mut errors = self.errors.borrow_mut();
        // A context that is lost gives errors without end.
        for _ in 0..16 {
            // SAFETY: the context is current; reads and clears its error.
            match unsafe { gl.get_error() } {
                glow::NO_ERROR => return,
                code if errors.len() < MOST_MESSAGES => {
                    errors.push(format!("glGetError: {}", error_name(code)));
                }
                _ => {}
            }
        }
    }
}

/// Keeps warnings and errors of a debug context.
fn listen(gl: &mut glow::Context, to: Arc<Mutex<Vec<String>>>) {
    let keep = move |_, _, id, severity, text: &str| {
        let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
        if severity != glow::DEBUG_SEVERITY_NOTIFICATION && to.len() < MOST_MESSAGES {
            to.push(format!("{id}: {text}"));
        }
    };
    // SAFETY: the context is current; the function stays until the context is destroyed.
    unsafe { gl.debug_message_callback(keep) };
    // SAFETY: as above.
    unsafe { gl.enable(glow::DEBUG_OUTPUT) };
}

fn error_name(code: u32) -> String {
    let name = match code {
        glow::INVALID_ENUM => "GL_INVALID_ENUM",
        glow::INVALID_VALUE => "GL_INVALID_VALUE",
        glow::INVALID_OPERATION => "GL_INVALID_OPERATION",
        glow::OUT_OF_MEMORY => "GL_OUT_OF_MEMORY",
        glow::INVALID_FRAMEBUFFER_OPERATION => "GL_INVALID_FRAMEBUFFER_OPERATION",
        _ => return format!("error {code:#x}"),
    };
    name.to_owned()
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.egl.destroy(self.display, self.context);
    }
}

impl fmt::Debug for OpenGl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenGl")
            .field("name", &self.opened.name)
            .field("cuda", &self.opened.cuda)
            .field("in_place", &self.opened.in_place)
            .finish_non_exhaustive()
    }
}
