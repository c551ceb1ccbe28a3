//! Errors of objects of OpenGL, one for each variant.

use super::driver_error;
use crate::Unsupported;
use crate::interop::InteropError as I;
use crate::interop::graphics::GraphicsError as R;
use crate::memory::MemoryError as M;
use crate::stream::StreamError as S;

pub(super) fn errors() -> Vec<R> {
    let device = || "NVIDIA H200".to_owned();
    vec![
        R::Length { len: 0, size: 4 },
        R::TooShort {
            found: 64,
            wanted: 128,
        },
        R::NoName,
        R::Shape {
            target: "renderbuffer",
            shape: crate::ArrayShape::from((4, 4, 4)),
        },
        R::WrongDevice {
            found: "emulator".into(),
            wanted: device(),
        },
        R::InGraph,
        R::Host {
            what: "read a buffer of OpenGL",
            reason: "glGetBufferSubData failed: GL_OUT_OF_MEMORY".into(),
        },
        R::Driver(driver_error()),
        R::Memory(M::InGraph),
        R::Stream(S::InsideHostFunction),
        R::Interop(I::NullAddress { elements: 3 }),
        R::Unsupported(Unsupported {
            what: "objects of OpenGL in place",
            device: "emulator".into(),
            reason:
                "its memory is the host's; use `Device::copied_buffer` or `Device::copied_image`"
                    .into(),
        }),
    ]
}
