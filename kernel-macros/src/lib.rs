//! `#[kernel]` and its companions: turns a function into a typed launch handle, a CPU body and a device entry.
//!
//! Takes the user's tokens; gives back items that name `::warploom::…` alone. Must not know: CUDA, LLVM, how a launch works.
//! Start at `kernel_attribute`: it reads the model (`kernel`), checks the rules (`check`), expands (`expand`).

use proc_macro::TokenStream;

mod arguments; // what stands in `#[kernel(..)]`
mod check; // the rules, one function each
mod derive; // `Plain` and `KernelArg`
mod errors; // all mistakes of one invocation, together
mod expand; // the items that replace the function
mod kernel; // the model: parameters and what they are
mod kernel_attribute; // read, check, expand
mod pass; // host or device
mod print; // `gpu_println!`
mod ptx; // inline PTX
mod spans; // where errors in generated code are shown

/// Makes a function a GPU kernel: `name::launch(&stream, shape, arguments…)` runs it once per thread.
///
/// The body is ordinary Rust. Parameters are of four sorts:
///
/// | parameter | what `launch` takes for it |
/// |---|---|
/// | `Index1D` to `Index3D`, `Block`, `Warp`, `Grid`, `Cluster`, `SharedTile<T, N>`, `DynamicShared<T>` | nothing: each thread gets its own |
/// | `CooperativeGrid`, in a `cooperative` kernel | nothing |
/// | `x: &[T]` | a buffer or a part of one, to read |
/// | `mut y: DisjointSlice<T>`, `DisjointSlice2D<T>` | a buffer or a part of one, to write |
/// | `GridConst<T>` | a value, which all threads read at one place |
/// | anything else | a value: `T: KernelArg`, or a closure `F: Fn(..) + Copy + Send + Sync + 'static` |
///
/// An `Index1D` makes the kernel one-dimensional: launches of another shape are refused. Arguments of the attribute:
///
/// | argument | meaning | CUDA |
/// |---|---|---|
/// | `dim(1)` | the most dimensions of a launch, for kernels without an index | |
/// | `block(16, 16)` | the exact block | `__block_size__` |
/// | `cluster(2, 1, 1)` | the exact cluster, in blocks | `__cluster_dims__(2, 1, 1)` |
/// | `cluster` | launches must say how large a cluster is | `__cluster_dims__()` |
/// | `cooperative` | all blocks are there at the same time; lets the kernel take a `CooperativeGrid` | `cudaLaunchCooperativeKernel` |
/// | `launch_bounds(256, 2, 4)`, `launch_bounds(max_threads = 256, min_blocks = 2, max_blocks_per_cluster = 4)` | at most 256 threads in a block; leave room for 2 blocks; at most 4 blocks in a cluster | `__launch_bounds__` |
/// | `max_registers(64)` | at most 64 registers per thread | `__maxnreg__` |
/// | `fma` | `a * b + c` may be rounded once | `-fmad=true` |
/// | `requires(x.len() == y.len())` | refuses launches where it is false; the device takes it for granted | |
///
/// Beside `launch` a kernel has `name::attributes(&device)`, what the driver says of it, and, with `block` or `launch_bounds`, the constant
/// `name::MAX_THREADS`.
///
/// `unsafe fn` makes an unsafe `launch`, and may take raw pointers. All mistakes in one kernel are reported together.
///
/// ```text
/// #[kernel]
/// fn saxpy(i: Index1D, a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
///     if let Some(y) = y.get_mut(i) {
///         *y += a * x[i.get()];
///     }
/// }
///
/// saxpy::launch(&stream, Launch::covering(x.len()), 2.0, &x, &mut y)?;
/// ```
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel_attribute::kernel(arguments.into(), item.into(), pass::Pass::current()).into()
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
/// ```text
/// let d = unsafe {
///     ptx!("fma.rn.f32 {d}, {a}, {b}, {c};", d = out(f32), a = in(f32) x, b = in(f32) y, c = in(f32) z,
///          pure, cpu = { a.mul_add(b, c) })
/// };
/// ```
#[proc_macro]
pub fn ptx(input: TokenStream) -> TokenStream {
    ptx::ptx(input.into(), pass::Pass::current()).into()
}

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
/// ```text
/// #[kernel]
/// fn show(i: Index1D, x: &[f32]) {
///     let n = gpu_println!("thread {:>3}: {:.2e}", i.get(), x[i.get()]); // n is 2
/// }
/// ```
#[proc_macro]
pub fn gpu_println(input: TokenStream) -> TokenStream {
    print::print(input.into(), "\n", pass::Pass::current()).into()
}

/// `gpu_println!` without the end of the line. What two calls print may have other threads' output between.
#[proc_macro]
pub fn gpu_print(input: TokenStream) -> TokenStream {
    print::print(input.into(), "", pass::Pass::current()).into()
}

/// Static shared memory of the block, raw: `shared_array!(f32, 256)`; see `warploom::device_std::shared_array`.
///
/// One array per block and place in the program. CUDA: `__shared__ float a[256];`.
#[proc_macro]
pub fn shared_array(input: TokenStream) -> TokenStream {
    let input = proc_macro2::TokenStream::from(input);
    quote::quote!(::warploom::device_std::shared_array!(#input)).into()
}

/// The shared memory whose size the launch decides, raw: `dynamic_shared!(f32)`; see `warploom::device_std::dynamic_shared`.
///
/// CUDA: `extern __shared__ float a[];`.
#[proc_macro]
pub fn dynamic_shared(input: TokenStream) -> TokenStream {
    let input = proc_macro2::TokenStream::from(input);
    quote::quote!(::warploom::device_std::dynamic_shared!(#input)).into()
}

/// Makes a `#[repr(C)]` or `#[repr(transparent)]` struct an element of buffers: all fields plain, no padding.
///
/// The struct must be `Copy`. rustc's error names the field that is not plain, or says that there is padding.
#[proc_macro_derive(Plain)]
pub fn derive_plain(input: TokenStream) -> TokenStream {
    derive::plain(input.into()).into()
}

/// Lets a `Copy` struct or enum be passed to a kernel by value: all fields are arguments themselves.
///
/// Not for types that are `Plain`: those are arguments already.
#[proc_macro_derive(KernelArg)]
pub fn derive_kernel_arg(input: TokenStream) -> TokenStream {
    derive::kernel_arg(input.into()).into()
}
