//! The one table of intrinsics: every operation that the hardware offers and Rust has no word for.
//!
//! A line gives the document, the signature and the symbol. In the device pass the function calls that symbol: `__warploom.llvm.nvvm.…`
//! is replaced by the LLVM intrinsic of that name and type, `__warploom.asm:flags|text` by the PTX of the text (flags: `volatile`,
//! `memory`, `convergent`, `pure`, `sm90`, `ptx83`, joined by `+`; `$0` is the result, then come the arguments), `__warploom.registers:flags|operands|text`
//! by PTX whose operands are arrays of registers (`=f4,r4` are four registers that are written and four that are read, `@0` and `@1` in the text), any
//! other `__warploom.…` by a body of the device linker. Elsewhere it calls the emulator's function of the same name and signature. Only scalars and
//! pointers cross this boundary.
//!
//! Kernels rarely need this module: [`crate::Block`], [`crate::Warp`] and the free functions of [`crate::index`] are the same
//! operations with their obligations checked. [`TABLES`] lists the lines for documents and tests.
//!
//! Functions that take a mask of lanes are `unsafe`, as `Warp::…_mask` are: a GPU does not check the mask.
//! ```
//! # use warploom_emulator::{run, Shape};
//! use warploom_device_std::intrinsics as raw;
//! # run(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
//! // SAFETY: all lanes of the warp make this call.
//! let lanes = unsafe { raw::vote_ballot(u32::MAX, true) };
//! assert_eq!(lanes, u32::MAX);
//! # })?;
//! # Ok::<(), warploom_emulator::Fault>(())
//! ```
//! Without `unsafe`:
//! ```compile_fail,E0133
//! use warploom_device_std::intrinsics as raw;
//! fn lanes() -> u32 {
//!     raw::vote_ballot(u32::MAX, true)
//! }
//! ```

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intrinsic {
    /// The Rust function of this module.
    pub name: &'static str,
    /// What the device pass calls.
    pub symbol: &'static str,
    /// Whether the lanes of a warp or block meet in it, so that no compiler may move it into or out of a branch.
    pub convergent: bool,
}

/// What instrumented code calls on the emulator in the place of a symbol, in C's convention.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Shim {
    /// What the device pass calls.
    pub symbol: &'static str,
    /// Its address.
    pub address: *const (),
}

// SAFETY: names and addresses of functions.
unsafe impl Sync for Shim {}

macro_rules! intrinsics {
    (@convergent convergent) => { true };
    (@convergent scalar) => { false };
    ($(
        $(#[$doc:meta])*
        $kind:ident fn $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $symbol:literal;
    )*) => {
        /// Every line of the table whose function is safe to call.
        pub(crate) const TABLE: &[Intrinsic] = &[$(Intrinsic {
            name: stringify!($name),
            symbol: concat!("__warploom.", $symbol),
            convergent: intrinsics!(@convergent $kind),
        }),*];
        /// The same lines, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const SHIMS: &[crate::intrinsics::Shim] = &[$({
            extern "C-unwind" fn shim($($arg: $ty),*) $(-> $out)? {
                $name($($arg),*)
            }
            crate::intrinsics::Shim { symbol: concat!("__warploom.", $symbol), address: shim as *const () }
        }),*];
        $(
            $(#[$doc])*
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)] // the emulator says where a stuck lane waits
            pub fn $name($($arg: $ty),*) $(-> $out)? {
                #[cfg(warploom_device)]
                {
                    unsafe extern "C" {
                        #[link_name = concat!("__warploom.", $symbol)]
                        fn device($($arg: $ty),*) $(-> $out)?;
                    }
                    // SAFETY: the device linker gives this symbol the type declared here; it touches no memory of the caller.
                    unsafe { device($($arg),*) }
                }
                #[cfg(not(warploom_device))]
                warploom_emulator::intrinsics::$name($($arg),*)
            }
        )*
    };
}

/// Lines whose lanes meet, with a promise about the mask that is the same for all.
macro_rules! lane_intrinsics {
    ($(
        $(#[$doc:meta])*
        unsafe convergent fn $name:ident(mask: u32 $(, $arg:ident: $ty:ty)*) $(-> $out:ty)? = $symbol:literal;
    )*) => {
        /// Every line of the table whose function asks only for the lanes of its mask to meet.
        pub(crate) const LANE_TABLE: &[Intrinsic] = &[$(Intrinsic {
            name: stringify!($name),
            symbol: concat!("__warploom.", $symbol),
            convergent: true,
        }),*];
        /// The same lines, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const LANE_SHIMS: &[crate::intrinsics::Shim] = &[$({
            unsafe extern "C-unwind" fn shim(mask: u32 $(, $arg: $ty)*) $(-> $out)? {
                // SAFETY: instrumented code calls it where the kernel called the function.
                unsafe { $name(mask $(, $arg)*) }
            }
            crate::intrinsics::Shim { symbol: concat!("__warploom.", $symbol), address: shim as *const () }
        }),*];
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// The caller's lane is in `mask`, and every lane of `mask` that has not returned makes this call with the same `mask`.
            /// A GPU does not check it; the emulator does.
            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)] // the emulator says where a stuck lane waits
            pub unsafe fn $name(mask: u32 $(, $arg: $ty)*) $(-> $out)? {
                #[cfg(warploom_device)]
                {
                    unsafe extern "C" {
                        #[link_name = concat!("__warploom.", $symbol)]
                        fn device(mask: u32 $(, $arg: $ty)*) $(-> $out)?;
                    }
                    // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                    unsafe { device(mask $(, $arg)*) }
                }
                #[cfg(not(warploom_device))]
                warploom_emulator::intrinsics::$name(mask $(, $arg)*)
            }
        )*
    };
}

macro_rules! unsafe_intrinsics {
    ($(
        $(#[$doc:meta])*
        unsafe fn $name:ident($($arg:ident: $ty:ty),*) $(-> $out:ty)? = $symbol:literal;
    )*) => {
        /// Every line, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const UNSAFE_SHIMS: &[crate::intrinsics::Shim] = &[$({
            unsafe extern "C-unwind" fn shim($($arg: $ty),*) $(-> $out)? {
                // SAFETY: instrumented code calls it where the kernel called the function.
                unsafe { $name($($arg),*) }
            }
            crate::intrinsics::Shim { symbol: concat!("__warploom.", $symbol), address: shim as *const () }
        }),*];
        $(
        $(#[$doc])*
        #[inline(always)]
        #[cfg_attr(not(warploom_device), track_caller)]
        pub unsafe fn $name($($arg: $ty),*) $(-> $out)? {
            #[cfg(warploom_device)]
            {
                unsafe extern "C" {
                    #[link_name = concat!("__warploom.", $symbol)]
                    fn device($($arg: $ty),*) $(-> $out)?;
                }
                // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                unsafe { device($($arg),*) }
            }
            #[cfg(not(warploom_device))]
            // SAFETY: the emulator's function of the same name asks for no more than the section above, which the caller keeps.
            unsafe { warploom_emulator::intrinsics::$name($($arg),*) }
        }
        )*
    };
}

/// Lines with arrays of registers, which are pointers here and registers in the instruction: the symbol says how many. On the emulator the
/// expression behind `else` is evaluated. The symbol is that of all its parts.
macro_rules! register_intrinsics {
    ($(
        $(#[$doc:meta])*
        unsafe fn $name:ident($($arg:ident: $ty:ty),*) = $($symbol:literal)+ else $emulated:expr;
    )*) => {
        /// Every line, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const REGISTER_SHIMS: &[crate::intrinsics::Shim] = &[$({
            unsafe extern "C-unwind" fn shim($($arg: $ty),*) {
                // SAFETY: instrumented code calls it where the kernel called the function.
                unsafe { $name($($arg),*) }
            }
            crate::intrinsics::Shim { symbol: concat!("__warploom.", $($symbol),+), address: shim as *const () }
        }),*];
        $(
        $(#[$doc])*
        ///
        /// # Safety
        /// Each pointer is that of as many registers as the instruction has, or what its documentation says. All lanes of the warp make this call together.
        #[inline(always)]
        #[cfg_attr(not(warploom_device), track_caller)]
        pub unsafe fn $name($($arg: $ty),*) {
            #[cfg(warploom_device)]
            {
                unsafe extern "C" {
                    #[link_name = concat!("__warploom.", $($symbol),+)]
                    fn device($($arg: $ty),*);
                }
                // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                unsafe { device($($arg),*) }
            }
            #[cfg(not(warploom_device))]
            // SAFETY: the emulator's function asks for no more than the section above, which the caller keeps.
            unsafe { $emulated }
        }
        )*
    };
}

/// Lines whose last argument is a number that the device linker reads: it says which instruction it is.
macro_rules! coded_intrinsics {
    ($(
        $(#[$doc:meta])*
        unsafe fn $name:ident($($arg:ident: $ty:ty),*) = $symbol:literal;
    )*) => {
        /// Every line, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const CODED_SHIMS: &[crate::intrinsics::Shim] = &[$({
            unsafe extern "C-unwind" fn shim($($arg: $ty,)* code: u32) {
                // SAFETY: instrumented code calls it where the kernel called the function.
                unsafe { warploom_emulator::intrinsics::$name($($arg,)* code) }
            }
            crate::intrinsics::Shim { symbol: concat!("__warploom.", $symbol), address: shim as *const () }
        }),*];
        $(
        $(#[$doc])*
        #[inline(always)]
        #[cfg_attr(not(warploom_device), track_caller)]
        pub(crate) unsafe fn $name<C: $crate::intrinsics::Code>($($arg: $ty),*) {
            #[cfg(warploom_device)]
            {
                unsafe extern "C" {
                    #[link_name = concat!("__warploom.", $symbol)]
                    fn device($($arg: $ty,)* code: u32);
                }
                // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                unsafe { device($($arg,)* C::CODE) }
            }
            #[cfg(not(warploom_device))]
            // SAFETY: the emulator's function asks for no more than the section above, which the caller keeps.
            unsafe { warploom_emulator::intrinsics::$name($($arg,)* C::CODE) }
        }
        )*
    };
}

/// The number of an instruction: `kernel-build/src/lower/warp_group.rs` and `tensor_memory.rs` beside it say what its bits mean.
pub(crate) trait Code {
    const CODE: u32;
}

mod asynchronous; // barriers in memory, copies under way
mod atomic; // atomic reads and writes
mod barrier; // what the threads of a block do together
mod bulk; // copies of many bytes, and of boxes of tensors
mod cluster; // what the blocks of a cluster do together
mod conversion; // between numbers and integers, in four roundings
mod debug; // the end of a kernel that cannot go on
mod double; // arithmetic of f64, and seeds of reciprocals
#[macro_use]
mod fetch; // what fetches of texture units have in common
mod fence; // the order in which others see a thread's accesses
mod float; // arithmetic of f32, and what the hardware approximates
mod gather; // four texels at once
mod half; // 16-bit floating point
mod integer; // what Rust has no operator for
mod launch; // where the thread is
mod matrix; // products of matrices that a warp holds
mod matrix_rows; // rows of matrices between shared memory and a warp
mod matrix_sparse; // products with a sparse matrix
mod memory; // caches and address spaces
mod pair; // two 16-bit integers at once
mod rounding; // arithmetic in four roundings
mod shared; // the memory of the block
mod tensor_memory; // products whose sums are in tensor memory
mod texture; // fetches of texture units
mod texture_offset; // fetches beside the coordinates
mod time; // clocks, sleep, and what profilers and debuggers see
mod warp; // what the lanes of a warp do together
mod warp_group; // products that four warps begin together

pub use asynchronous::*;
pub use atomic::*;
pub use barrier::*;
pub use bulk::*;
pub use cluster::*;
pub use conversion::*;
pub use debug::*;
pub use double::*;
pub use fence::*;
pub use float::*;
pub use gather::*;
pub use half::*;
pub use integer::*;
pub use launch::*;
pub use matrix::*;
pub use matrix_rows::*;
pub use matrix_sparse::*;
pub use memory::*;
pub use pair::*;
pub use rounding::*;
pub use shared::*;
pub use tensor_memory::*;
pub use texture::*;
pub use texture_offset::*;
pub use time::*;
pub use warp::*;
pub use warp_group::*;

/// Every line whose function is safe to call, or asks only for its lanes to meet.
#[allow(
    unused_qualifications,
    reason = "the lint takes the first glob import for the only one"
)]
pub const TABLES: &[&[Intrinsic]] = &[
    asynchronous::TABLE,
    atomic::TABLE,
    bulk::TABLE,
    cluster::TABLE,
    conversion::TABLE,
    double::TABLE,
    fence::TABLE,
    float::TABLE,
    half::TABLE,
    integer::TABLE,
    launch::TABLE,
    memory::TABLE,
    pair::TABLE,
    rounding::TABLE,
    time::TABLE,
    warp::LANE_TABLE,
    warp::TABLE,
];

/// What instrumented code calls for each symbol of the table.
#[cfg(not(warploom_device))]
#[doc(hidden)]
#[allow(
    unused_qualifications,
    reason = "the lint takes the first glob import for the only one"
)]
pub static SHIMS: &[&[Shim]] = &[
    asynchronous::SHIMS,
    asynchronous::UNSAFE_SHIMS,
    atomic::SHIMS,
    atomic::UNSAFE_SHIMS,
    barrier::SHIMS,
    barrier::UNSAFE_SHIMS,
    bulk::BULK_SHIMS,
    bulk::SHIMS,
    bulk::UNSAFE_SHIMS,
    cluster::SHIMS,
    cluster::UNSAFE_SHIMS,
    conversion::SHIMS,
    debug::SHIMS,
    double::SHIMS,
    fence::SHIMS,
    float::SHIMS,
    half::SHIMS,
    integer::SHIMS,
    launch::SHIMS,
    matrix::REGISTER_SHIMS,
    matrix_rows::REGISTER_SHIMS,
    matrix_sparse::REGISTER_SHIMS,
    memory::SHIMS,
    memory::UNSAFE_SHIMS,
    pair::SHIMS,
    rounding::SHIMS,
    shared::UNSAFE_SHIMS,
    tensor_memory::CODED_SHIMS,
    tensor_memory::UNSAFE_SHIMS,
    gather::FETCH_SHIMS,
    texture::FETCH_SHIMS,
    texture_offset::FETCH_SHIMS,
    texture::UNSAFE_SHIMS,
    time::SHIMS,
    warp::LANE_SHIMS,
    warp::SHIMS,
    warp_group::CODED_SHIMS,
    warp_group::UNSAFE_SHIMS,
];

/// Device code calls its instructions itself.
#[cfg(warploom_device)]
#[doc(hidden)]
pub static SHIMS: &[&[Shim]] = &[];
