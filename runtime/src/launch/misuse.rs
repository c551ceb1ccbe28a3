//! What rustc says of a kernel that is used as a function is. Each kernel has a function of its name that nothing can call.

/// That a kernel is a function, which is never true.
///
/// A trait, for its message: the function demands it of [`AsFunction`].
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a kernel is called as a function; a kernel is launched",
    label = "to launch the kernel `name`, write `name::launch(&stream, shape, arguments..)`",
    note = "a kernel cannot call a kernel, nor itself: move what they share to a function without `#[kernel]`, which both call"
)]
pub trait Callable {}

/// A kernel, where a function is expected.
#[doc(hidden)]
#[derive(Debug)]
pub enum AsFunction {}

/// For no function; a trait without any is said to be missing one.
#[diagnostic::do_not_recommend]
impl Callable for () {}
