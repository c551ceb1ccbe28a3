//! Compiles a crate's kernels to PTX from its build script, with the LLVM that rustc ships.
//!
//! One line in `build.rs` does it:
//!
//! ```no_run
//! // build.rs
//! warploom_build::compile();
//! ```
//!
//! Takes the package that cargo is building; gives cargo objects with the device code, which the program carries and the runtime
//! finds. Must not know: the runtime, the emulator, the CUDA driver. Start at `pass` (what runs when), then `linker`
//! (the link line and the container), `pipeline` (bitcode to PTX), `lower` (host IR to device IR) and `opt` (faster device IR).

mod agreement; // nested builds that compile what the outer build compiles
mod archive; // rlibs and objects: where bitcode is found
mod builder; // what build.rs may choose
mod call; // rustc's arguments, as cargo writes them
mod cargo; // the nested build: its command, environment and messages
mod elf; // the object file that carries device code into the program
mod embed; // objects with device code, and where cargo links them
mod environment; // variables of the nested build
mod fork; // work in a copy of this process
mod graph; // what a build compiles, and whether two builds agree
mod groups; // what is linked into which targets
mod hash; // maps and sets of handles
mod inputs; // what else the device pass depends on
#[doc(hidden)]
pub mod installation; // what the device pass finds on this machine, for programs that show it
mod instructions; // instructions for cargo
mod instrument; // kernels for the emulator that say what they do to memory
mod jobs; // work in parallel, within cargo's job server
mod linker; // the device linker: link line in, container out
mod llvm; // LLVM, by dlopen
mod lower; // host IR becomes device IR: what correctness needs
mod opt; // device IR becomes faster: what speed needs
mod options; // architectures and options of code generation
mod outer; // the build that runs this script
mod package; // which package, which targets, which workspace
mod pass; // the device pass, from build.rs to cargo's instructions
mod passes; // the table of all passes of the pipeline
mod pipeline; // bitcode to PTX, pass by pass
mod platform; // hosts of the device pass, targets of its code
mod proof; // device code and program agree, in every build
mod reach; // what kernels reach, and what they must not
mod reuse; // what the outer build has compiled for the host is not compiled again
mod roles; // what the nested build starts this executable for
mod roots; // which kernels there are
#[cfg(test)]
mod run_on_host; // IR runs here, so that tests see what lowering does to results
mod sample; // kernels in IR, for the self-test and for tests
mod self_test; // whether an untested rustc or LLVM can be used
mod shim; // a package that depends on the one with kernels
mod sources; // which targets may hold kernels
mod toolchain; // rustc, and the LLVM that reads its bitcode
mod versions; // which rustc and LLVM are known, and what differs between them
mod watch; // who is told how far the pipeline has come
mod wrapper; // flags that only device compilations get

pub use builder::Builder;
pub use options::Arch;

/// Compiles every kernel of this package with the default [`Builder`].
///
/// Belongs at the start of `main` of `build.rs`. The build script's executable also serves as compiler wrapper and as linker of the nested
/// build; in these roles it ends before `main`. The nested build runs the script as well, and what follows `compile()` in `main` is run there too.
///
/// # Errors
/// Problems of kernels are reported to cargo (`cargo::error`), which then fails the build. Where no LLVM can be used, the
/// build goes on without device code after one warning that says why: kernels then run on the emulator only.
pub fn compile() {
    Builder::new().compile();
}
