//! Which threads an atomic operation is atomic and ordered for, as types.
//!
//! Operations on one place are atomic towards each other only where the scope of each includes the thread of the other: a counter that
//! threads of two blocks add to at [`Block`] scope loses additions on a GPU. The emulator makes no difference.

use sealed::Sealed;

mod sealed {
    pub trait Sealed {}
}

/// One of [`Block`], [`Cluster`], [`Device`], [`System`].
///
/// ```
/// use warploom_device_std::atomic::{Atomic, Relaxed, Scope, scope};
/// fn increase<S: Scope>(x: &Atomic<u32, S>) -> u32 {
///     x.fetch_add(1, Relaxed)
/// }
/// let x = Atomic::<u32>::new(7);
/// assert_eq!([increase(&x), increase(x.at::<scope::Block>())], [7, 8]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the scope of an atomic operation",
    note = "the scopes are the types of `warploom::device_std::atomic::scope`: `Block`, `Cluster`, `Device`, `System`"
)]
pub trait Scope: Copy + Sealed + 'static {
    /// The scope's number: block 0, cluster 1, device 2, system 3.
    #[doc(hidden)]
    const CODE: u32;
}

macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name;
        impl Sealed for $name {}
        impl Scope for $name {
            const CODE: u32 = $code;
        }
    )*};
}

scopes! {
    /// The threads of the own block. CUDA: `thread_scope_block`, the suffix `_block`. PTX: `.cta`.
    Block = 0;
    /// The threads of the own cluster; compute capability 9.0. CUDA: `__NV_THREAD_SCOPE_CLUSTER`. PTX: `.cluster`, 7.8.
    Cluster = 1;
    /// All threads of the device. CUDA: `thread_scope_device`, no suffix. PTX: `.gpu`.
    Device = 2;
    /// All threads of the device, of other devices and of the host. CUDA: `thread_scope_system`, the suffix `_system`. PTX: `.sys`.
    System = 3;
}
