//! What the device pass tells the runtime: kernels, their parameters, and the PTX that holds them.
//!
//! Written by `warploom-build`, read by `warploom-runtime`. Must not know: LLVM, CUDA, cargo.
//! Start at [`Manifest`]; [`container`] says how manifest and PTX travel inside a program.

pub mod container;
pub mod instrumented;
mod kernel; // what host and device code say of a kernel
pub mod message;

pub use kernel::{Contract, Param, ParamKind};

#[cfg(not(warploom_device))]
use serde::{Deserialize, Serialize};

/// Everything the device pass says about one crate target (a library, binary, example or test).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Manifest {
    /// The crate target, e.g. `lib saxpy` or `test language`.
    pub target: String,
    /// Why there is no device code for this target; `images` and `kernels` are empty then.
    pub failure: Option<String>,
    /// The kernels that every image of this target holds.
    pub kernels: Vec<Kernel>,
    /// The same code for several architectures.
    pub images: Vec<Image>,
    /// The statics that the host can ask for.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub symbols: Vec<Symbol>,
}

/// A kernel that was compiled: a function, or one instance of a generic function.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Kernel {
    /// `core::any::type_name` of the launch handle, the same in both passes.
    pub name: String,
    /// Name and version of the package that has the kernel: crates of two packages, or of two versions of one, may have one name.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub package: String,
    /// The entry's name in the PTX.
    pub entry: String,
    /// Source file of the kernel, as rustc printed it; empty if unknown. Two crates of one name may have kernels of one name.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub file: String,
    /// Line of the kernel.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub line: u32,
    /// Where launches of this instance stand: told apart by these when two instances (two closures of one function) share a name.
    pub launched_at: Vec<Location>,
    /// The parameters, in order, as the device sees them.
    pub params: Vec<Param>,
    /// Fingerprints of the parameters' types: names and places of fields, variants.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub layouts: Vec<u64>,
    /// What launches must keep to, as the device code takes it for granted; `None` of code that `#[kernel]` did not describe.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub contract: Option<Contract>,
    /// Number that panic records of this kernel carry; 0 is never used.
    pub id: u32,
}

/// A source location.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Location {
    /// Path as rustc printed it.
    pub file: String,
    /// One-based line.
    pub line: u32,
    /// One-based column.
    pub column: u32,
}

/// PTX for one architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Image {
    /// `.target` of the PTX: 75 for `sm_75`.
    pub sm: u32,
    /// Whether the code uses architecture-specific features (`sm_90a`), and so runs on that one architecture only.
    pub exact: bool,
    /// Position of the PTX text in the container's payload.
    pub offset: u64,
    /// Length of the PTX text, without the zero byte that follows it.
    pub len: u64,
}

/// A static in a device's memory that the host can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Symbol {
    /// Its module and name, as the host's code has them.
    pub name: String,
    /// Where it is declared: tells statics of one name apart.
    pub at: Location,
    /// The variable's name in the PTX.
    pub entry: String,
    /// In which memory.
    pub space: Space,
    /// Bytes of the variable. A managed static's variable holds an address, then the initial value at the next multiple of `align`.
    pub size: u64,
    /// Alignment of the variable.
    pub align: u64,
    /// Of a static in device memory that another crate defines: the variable that holds its address, for the runtime to write.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub place: Option<String>,
}

/// A device's kinds of memory for statics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub enum Space {
    /// Global memory.
    Device,
    /// Constant memory.
    Constant,
    /// Memory that host and device both see.
    Managed,
}

#[cfg(not(warploom_device))]
fn read<T: for<'a> Deserialize<'a>>(json: &[u8]) -> Result<T, String> {
    serde_json::from_slice(json).map_err(|error| error.to_string())
}

/// The device pass reads nothing, and need not compile what would.
#[cfg(warploom_device)]
fn read<T>(_: &[u8]) -> Result<T, String> {
    Err("in the device pass".into())
}
