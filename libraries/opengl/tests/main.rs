//! Kernels and OpenGL on the same memory: on the emulator with any OpenGL, on a GPU with its own. Where OpenGL is not installed each test says so and does
//! nothing.
#![expect(
    clippy::expect_used,
    clippy::multiple_unsafe_ops_per_block,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what fails in a test's own functions fails the test"
)]

mod contents; // what each side finds
mod ownership; // who has an object, and what is refused
mod pictures; // what OpenGL draws is what kernels computed

use warploom::Device;
use warploom_gl::{OpenGl, OpenGlError, OpenGlOptions};

/// OpenGL with a debug context, or `None`, and a line that says why, where there is none.
fn opengl() -> Option<OpenGl> {
    let device = Device::open().expect("a device");
    match OpenGl::open(&device, OpenGlOptions::new().debug()) {
        Ok(opengl) => Some(opengl),
        Err(
            error @ (OpenGlError::LoaderNotFound { .. }
            | OpenGlError::TooOld { .. }
            | OpenGlError::NoDevice { .. }),
        ) => {
            eprintln!("SKIPPED, because OpenGL is not here: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// OpenGL has nothing to say: no debug output, no error.
#[track_caller]
fn assert_silent(opengl: &OpenGl) {
    assert_eq!(opengl.messages().unwrap(), Vec::<String>::new());
}
