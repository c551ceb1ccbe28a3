//! Instrumented code: the kernels of one crate target as code for the host's processor, which says what it does to memory.
//!
//! Travels as an object file of its own. Its section [`SECTION`] holds one [`Record`] per crate target; the text that it points to is
//! an [`Instrumented`] as JSON.

use crate::{Location, Space};
#[cfg(not(warploom_device))]
use serde::{Deserialize, Serialize};

/// Name of the section that holds the records; a C identifier, so that linkers define `__start_` and `__stop_` for it.
pub const SECTION: &str = "warploom_instrumented";

/// Name of the section that holds the functions, and nothing else; likewise.
pub const CODE_SECTION: &str = "warploom_instrumented_code";

/// The first word of a record: the number changes with its layout.
pub const MAGIC: u64 = u64::from_le_bytes(*b"wlinstr1");

/// Where the parts of one crate target's instrumented code are. All pointers are valid for the life of the program.
#[repr(C)]
#[derive(Debug)]
pub struct Record {
    /// [`MAGIC`].
    pub magic: u64,
    /// The JSON text, and its length.
    pub text: *const u8,
    /// Bytes of the text.
    pub text_bytes: u64,
    /// A place for the address of each of [`Instrumented::symbols`], to be written before any of the code runs.
    pub symbols: *mut *const (),
    /// A place for the number of the first of [`Instrumented::sites`], likewise.
    pub first_site: *mut u32,
    /// The functions of [`Instrumented::entries`], of type [`Entry`].
    pub entries: *const *const (),
    /// The memory of [`Instrumented::globals`].
    pub globals: *const *mut u8,
}

/// A kernel's body for one thread; takes the addresses of its parameters' values, as `cuLaunchKernel` does.
pub type Entry = unsafe extern "C-unwind" fn(*const *const u8);

/// What a record's text says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Instrumented {
    /// The crate target, as in the manifest.
    pub target: String,
    /// What the code calls: hooks of the emulator (`check.…`) and symbols of the device library (`__warploom.…`).
    pub symbols: Vec<String>,
    /// The kernels.
    pub entries: Vec<Kernel>,
    /// The folder that the compiler ran in: names of source files are relative to it, as far as they lie there.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub folder: String,
    /// Source files.
    pub files: Vec<String>,
    /// Functions' names.
    pub functions: Vec<String>,
    /// Places in the source.
    pub sites: Vec<Site>,
    /// Variables of the code.
    pub globals: Vec<Global>,
}

/// A kernel in instrumented code.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Kernel {
    /// The entry's name, as in the manifest.
    pub entry: String,
    /// Source file and line of the kernel, as in the manifest: two versions of a crate have one target's name, and may have one entry's.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub at: (String, u32),
    /// The places that only its own code has: numbers of the first, and of the one after the last.
    pub sites: [u32; 2],
    /// Why this kernel has to run as native code.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub unsupported: Option<String>,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Site {
    /// The place first, then where it was inlined: numbers of file and function (from 0), line, column.
    #[cfg_attr(not(warploom_device), serde(rename = "f"))]
    pub frames: Vec<(u32, u32, u32, u32)>,
    /// Which of the frames a reader wants to see; their number: none, all are of libraries.
    #[cfg_attr(
        not(warploom_device),
        serde(rename = "s", default, skip_serializing_if = "is_zero")
    )]
    pub shown: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A variable in instrumented code.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Global {
    /// What people call it: its path, without what symbols add.
    pub name: String,
    /// Bytes.
    pub bytes: u64,
    /// Whether nothing writes it.
    pub constant: bool,
    /// Of a static that the host can ask for: what kind, and which.
    #[cfg_attr(not(warploom_device), serde(default))]
    pub of: Option<Static>,
}

/// Which static a variable stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(warploom_device), derive(Serialize, Deserialize))]
pub struct Static {
    /// In which memory.
    pub space: Space,
    /// Whether the variable holds the address of the value, and not the value.
    pub place: bool,
    /// Its module and name.
    pub name: String,
    /// Where it is declared.
    pub at: Location,
}

impl Instrumented {
    /// Reads a record's text.
    ///
    /// # Errors
    /// The text is none of this version's; says why.
    pub fn from_json(text: &[u8]) -> Result<Instrumented, String> {
        crate::read(text)
    }
}
