//! What fetches of texture units have in common: their symbols, and what they are on the emulator.
//!
//! Nothing writes what a texture reads during a launch, so fetches are pure: equal ones may become one, and those whose result is not used are left out.

#[cfg(not(warploom_device))]
use warploom_emulator::texture::{Coordinates, Detail, Request};

/// Functions that leave four registers at `out`; on the emulator the expression behind `else` says what is fetched. Three names for the three types of the result.
macro_rules! fetches {
    ($(
        $(#[$doc:meta])*
        $float:ident $unsigned:ident $signed:ident($($arg:ident: $ty:ty),*) = $front:literal $back:literal else $request:expr;
    )*) => {
        /// Every line, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const FETCH_SHIMS: &[crate::intrinsics::Shim] = &[$(
            fetches!(@shim $float($($arg: $ty),*) = $front ".v4.f32" $back),
            fetches!(@shim $unsigned($($arg: $ty),*) = $front ".v4.u32" $back),
            fetches!(@shim $signed($($arg: $ty),*) = $front ".v4.s32" $back),
        )*];
        $(
            fetches!(@function { $(#[$doc])* } "`f32`" $float($($arg: $ty),*) = $front ".v4.f32" $back else $request);
            fetches!(@function { $(#[$doc])* } "`u32`" $unsigned($($arg: $ty),*) = $front ".v4.u32" $back else $request);
            fetches!(@function { $(#[$doc])* } "`i32`" $signed($($arg: $ty),*) = $front ".v4.s32" $back else $request);
        )*
    };
    (@comma $arg:ident) => { "," };
    (@symbol $front:literal $type:literal $back:literal $($arg:ident)*) => {
        concat!(
            "__warploom.registers:pure|=r4,",
            $(fetches!(@comma $arg),)*
            "|",
            $front,
            $type,
            $back
        )
    };
    (@shim $name:ident($($arg:ident: $ty:ty),*) = $front:literal $type:literal $back:literal) => {{
        unsafe extern "C-unwind" fn shim(out: *mut u32, handle: u64 $(, $arg: $ty)*) {
            // SAFETY: instrumented code calls it where the kernel called the function.
            unsafe { $name(out, handle $(, $arg)*) }
        }
        crate::intrinsics::Shim {
            symbol: fetches!(@symbol $front $type $back $($arg)*),
            address: shim as *const (),
        }
    }};
    (@function { $(#[$doc:meta])* } $result:literal $name:ident($($arg:ident: $ty:ty),*) = $front:literal $type:literal $back:literal else $request:expr) => {
        $(#[$doc])*
        #[doc = concat!("The result is four ", $result, ". PTX `", $front, $type, "`.")]
        ///
        /// # Safety
        /// `handle` is that of a texture of these dimensions, which is there, and whose elements give results of this type; nothing writes these during the launch. `out` is valid for
        /// writes of four words.
        #[inline(always)]
        #[cfg_attr(not(warploom_device), track_caller)]
        #[allow(clippy::too_many_arguments, reason = "the operands of one instruction")]
        pub unsafe fn $name(out: *mut u32, handle: u64 $(, $arg: $ty)*) {
            #[cfg(warploom_device)]
            {
                unsafe extern "C" {
                    #[link_name = fetches!(@symbol $front $type $back $($arg)*)]
                    fn device(out: *mut u32, handle: u64 $(, $arg: $ty)*);
                }
                // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                unsafe { device(out, handle $(, $arg)*) }
            }
            #[cfg(not(warploom_device))]
            // SAFETY: the caller keeps the section above.
            unsafe { warploom_emulator::intrinsics::texture_fetch(out, handle, &$request) }
        }
    };
}

/// A fetch at coordinates, from a layer, in a level of detail.
#[cfg(not(warploom_device))]
pub(super) const fn sampled(at: [f32; 3], layer: u32, detail: Detail) -> Request {
    Request {
        layer,
        detail,
        ..Request::new(Coordinates::Float(at))
    }
}

/// The same, from the texels that many further on along each dimension.
#[cfg(not(warploom_device))]
pub(super) const fn beside(at: [f32; 3], layer: u32, detail: Detail, offset: [i32; 3]) -> Request {
    Request {
        offset,
        ..sampled(at, layer, detail)
    }
}

/// A gather of a channel.
#[cfg(not(warploom_device))]
pub(super) const fn gathered(at: [f32; 3], layer: u32, offset: [i32; 2], channel: u8) -> Request {
    Request {
        gather: Some(channel),
        ..beside(at, layer, Detail::Base, [offset[0], offset[1], 0])
    }
}

/// How coordinates change from one point of the picture to the next.
#[cfg(not(warploom_device))]
pub(super) const fn gradients(dx: [f32; 2], dy: [f32; 2]) -> Detail {
    Detail::Gradients {
        dx: [dx[0], dx[1], 0.0],
        dy: [dy[0], dy[1], 0.0],
    }
}
