//! The macros that are called in kernels: each hands the macro of `warploom-macros` the path of this crate, which a crate that depends on
//! another one's re-export could not name as `::warploom`.

/// Prints a line from a kernel: `println!`'s format strings, every thread that comes here for itself.
///
/// The host makes the text, so the format string must be a literal; its errors are rustc's own. What can be printed: integers, floats,
/// `bool`, `char`, `str`, `String`, pointers and references to these; at most 32 values. The value of the call is the number of its
/// arguments, a `u32`. Nothing is printed outside kernels.
///
/// Lines go to a buffer of 1 MiB (`Device::set_print_buffer`), whose oldest lines give way when it is full. The host prints it whole
/// lines at a time, in no particular order between threads, when it next launches a kernel on the device, waits for a stream, an event
/// or a copy, or drops the device's last handle: to the standard output, or to what `Device::on_print` names. Programs that exit
/// without any of these lose what is left. CUDA: `printf`.
///
/// ```
/// use warploom::prelude::*;
///
/// #[kernel]
/// fn show(i: Index1D, x: &[f32], mut counts: DisjointSlice<u32>) {
///     if let Some(count) = counts.get_mut(i) {
///         *count = gpu_println!("thread {:>3}: {:.2e}", i.get(), x[i.get()]);
///     }
/// }
///
/// # fn main() -> warploom::Result<()> {
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// let x = device.upload(&[0.5f32; 40])?;
/// let mut counts = device.zeroed::<u32>(40)?;
/// show::launch(&stream, Launch::covering(40), &x, &mut counts)?;
/// assert_eq!(counts.to_vec(&stream)?, [2; 40]); // arguments of each call
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! gpu_println {
    ($($input:tt)*) => {
        $crate::__macros::gpu_println!(crate = $crate; $($input)*)
    };
}

/// [`gpu_println!`] without the end of the line. What two calls print may have other threads' output between.
#[macro_export]
macro_rules! gpu_print {
    ($($input:tt)*) => {
        $crate::__macros::gpu_print!(crate = $crate; $($input)*)
    };
}

/// Inline PTX with a CPU body beside it; the value is that of the outputs: nothing, one value, or a tuple.
///
/// Operands are `name = in(type) value` and `name = out(type)`; the text names them in braces, and writes PTX's own braces
/// twice. Types: `u16 i16 u32 i32 u64 i64 f32 f64`. The CPU's body sees the inputs under their names. Options: `volatile` (the
/// default), `pure` (depends on the inputs alone, has no effect), `memory` (reads or writes memory), `convergent` (the warp
/// works together). CUDA: `asm volatile`.
///
/// # Safety
/// Needs an `unsafe` block: neither the text's agreement with the types nor its agreement with the CPU's body is checked.
///
/// ```
/// use warploom::prelude::*;
///
/// #[kernel]
/// fn fused(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
///     if let Some(y) = y.get_mut(i) {
///         // SAFETY: the CPU's body rounds once, as the instruction does.
///         *y = unsafe {
///             ptx!("fma.rn.f32 {d}, {a}, {b}, {c};", d = out(f32), a = in(f32) x[i.get()], b = in(f32) 2.0, c = in(f32) *y,
///                  pure, cpu = { a.mul_add(b, c) })
///         };
///     }
/// }
///
/// # fn main() -> warploom::Result<()> {
/// let device = Device::open()?;
/// let stream = device.stream()?;
/// let x = device.upload(&[1.5f32; 300])?;
/// let mut y = device.upload(&[1.0f32; 300])?;
/// fused::launch(&stream, Launch::covering(300), &x, &mut y)?;
/// assert_eq!(y.to_vec(&stream)?, [4.0; 300]);
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! ptx {
    ($($input:tt)*) => {
        $crate::__macros::ptx!(crate = $crate; $($input)*)
    };
}
