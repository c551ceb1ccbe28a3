//! How a line of the tables becomes code: in device code an instruction, elsewhere a call of the emulator.

/// Device code calls the instruction `$symbol`; elsewhere the emulator's `$emulated` gets `$what` in front of the arguments.
macro_rules! call {
    ($symbol:expr, $emulated:ident($what:expr), $($arg:ident: $ty:ty = $value:expr),*) => {{
        #[cfg(warploom_device)]
        {
            unsafe extern "C" {
                #[link_name = $symbol]
                fn device($($arg: $ty),*);
            }
            // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the promises of the function around this.
            unsafe { device($($value),*) }
        }
        #[cfg(not(warploom_device))]
        // SAFETY: the caller keeps the promises of the function around this.
        unsafe {
            $emulated($what, $($value),*)
        }
    }};
}

/// What instrumented code calls in the place of `$symbol`.
#[cfg(not(warploom_device))]
macro_rules! shim {
    ($symbol:expr, $emulated:ident($what:expr), $($arg:ident: $ty:ty),*) => {{
        unsafe extern "C-unwind" fn shim($($arg: $ty),*) {
            // SAFETY: instrumented code calls it where the kernel called the function.
            unsafe { $emulated($what, $($arg),*) }
        }
        Shim { symbol: $symbol, address: shim as *const () }
    }};
}

pub(super) use call;
#[cfg(not(warploom_device))]
pub(super) use shim;
