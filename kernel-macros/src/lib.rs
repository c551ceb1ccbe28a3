//! `#[kernel]` and its companions: turns a function into a typed launch handle, a CPU body and a device entry.
//!
//! Takes the user's tokens; gives back items that name `::warploom::…` alone. Must not know: CUDA, LLVM, how a launch works.
//! Start at `kernel_attribute`: it reads the model (`kernel`), checks the rules (`check`), expands (`expand`).

use proc_macro::{Span, TokenStream};

mod arguments; // what stands in `#[kernel(..)]`
mod check; // the rules, one function each
mod derive; // `Plain` and `KernelArg`
mod enclosing; // the block that a kernel stands in
mod errors; // all mistakes of one invocation, together
mod expand; // the items that replace the function
mod fragments; // what `macro_rules!` has put into the input
mod kernel; // the model: parameters and what they are
mod kernel_attribute; // read, check, expand
mod pass; // host or device
mod print; // `gpu_println!`
mod ptx; // inline PTX
mod root; // where the crate has `warploom`
mod spans; // where errors in generated code are shown

/// Makes a function a GPU kernel: `name::launch(&stream, shape, arguments…)` runs it once per thread.
///
/// The body is ordinary Rust. Parameters are of four sorts:
///
/// | parameter | what `launch` takes for it |
/// |---|---|
/// | `Index1D` to `Index3D`, `Block`, `Warp`, `Grid`, `Cluster`, `SharedTile<T, N>`, `DoubleTile<T, N>`, `SharedPatches<T, ..>`, `DynamicShared<T>` | nothing: each thread gets its own |
/// | `CooperativeGrid`, in a `cooperative` kernel | nothing |
/// | `x: &[T]` | a buffer or a part of one, to read |
/// | `mut y: DisjointSlice<T>`, `DisjointSlice2D<T>` | a buffer or a part of one, to write |
/// | `mut y: AppendSlice<T>` | an `AppendBuffer<T>`, to append to |
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
/// | `dependent_launch` | may start before the kernel ahead of it in the stream has ended, if that one allows it (`launch_dependents`); before its first instruction it waits for that kernel and sees all that it wrote. From compute capability 9.0 on; before, and in graphs, it starts as any kernel | `cudaLaunchAttributeProgrammaticStreamSerialization`, `cudaGridDependencySynchronize` |
/// | `launch_bounds(256, 2, 4)`, `launch_bounds(max_threads = 256, min_blocks = 2, max_blocks_per_cluster = 4)` | at most 256 threads in a block; leave room for 2 blocks; at most 4 blocks in a cluster | `__launch_bounds__` |
/// | `max_registers(64)` | at most 64 registers per thread | `__maxnreg__` |
/// | `fma` | `a * b + c` may be rounded once | `-fmad=true` |
/// | `fast_math` | on a GPU, `f32` in the kernel and in all that it calls: subnormal numbers are zero, `/`, `sqrt`, `sin`, `cos`, `tan`, `tanh`, `exp`, `exp2`, `ln`, `log2`, `log10` and `powf` are approximations, `a * b + c` is rounded once | `-use_fast_math` |
/// | `requires(x.len() == y.len())` | refuses launches where it is false; the device takes it for granted | |
/// | `crate = ::my_library::warploom` | where this crate has `warploom`, if another crate hands it on; default: `::warploom` | |
///
/// Beside `launch` a kernel has `name::attributes(&device)`, what the driver says of it, and, with `block` or `launch_bounds`, the constant
/// `name::MAX_THREADS`.
///
/// A kernel is a free function: in a module or in the body of a function, not in an `impl` or a trait. A method launches it. (Where another macro
/// writes the `impl`, the error is rustc's: "struct is not supported in `trait`s or `impl`s".)
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
    let at = Span::call_site();
    let enclosing = at
        .local_file()
        .and_then(|file| enclosing::of_file(&file, at.line(), at.column()));
    let pass = pass::Pass::current();
    let [arguments, item] =
        [arguments, item].map(|tokens| fragments::in_parentheses(tokens.into()));
    kernel_attribute::kernel(arguments, item, enclosing, pass).into()
}

/// `warploom::ptx!`, with or without `crate = path;` before its input.
#[proc_macro]
pub fn ptx(input: TokenStream) -> TokenStream {
    call(input, |input| ptx::ptx(input, pass::Pass::current()))
}

/// `warploom::gpu_println!`, with or without `crate = path;` before its input.
#[proc_macro]
pub fn gpu_println(input: TokenStream) -> TokenStream {
    call(input, |input| {
        print::print(input, "\n", pass::Pass::current())
    })
}

/// `warploom::gpu_print!`, with or without `crate = path;` before its input.
#[proc_macro]
pub fn gpu_print(input: TokenStream) -> TokenStream {
    call(input, |input| {
        print::print(input, "", pass::Pass::current())
    })
}

/// Makes a `#[repr(C)]` or `#[repr(transparent)]` struct an element of buffers: all fields plain, no padding.
///
/// The struct must be `Copy`. rustc's error names the field that is not plain, or says that there is padding. `#[warploom(crate = path)]` says where
/// this crate has `warploom`, as `crate = path` of a kernel does.
#[proc_macro_derive(Plain, attributes(warploom))]
pub fn derive_plain(input: TokenStream) -> TokenStream {
    derive::plain(fragments::in_parentheses(input.into())).into()
}

/// Lets a `Copy` struct or enum be passed to a kernel by value: all fields are arguments themselves.
///
/// Not for types that are `Plain`: those are arguments already. `#[warploom(crate = path)]` says where this crate has `warploom`.
#[proc_macro_derive(KernelArg, attributes(warploom))]
pub fn derive_kernel_arg(input: TokenStream) -> TokenStream {
    derive::kernel_arg(fragments::in_parentheses(input.into())).into()
}

/// Expands a call that may begin with `crate = path;`, which the macros of the facade put there.
fn call(
    input: TokenStream,
    expand: impl Fn(proc_macro2::TokenStream) -> proc_macro2::TokenStream,
) -> TokenStream {
    match syn::parse2::<root::Call>(fragments::in_parentheses(input.into())) {
        Ok(call) => root::rebase(expand(call.tokens), call.root.as_ref()).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
