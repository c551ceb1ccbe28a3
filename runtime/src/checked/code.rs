//! Instrumented kernels: where the program carries them, and which of them a launch on the emulator means.
//!
//! A record of each crate target lies in a section that the linker puts together, as with device code (`module.rs`). What the code
//! calls is looked up by name once, before any of it runs: hooks of the emulator, and the device library's table of intrinsics.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::panic::Location;
use std::sync::{Mutex, OnceLock};

use warploom_emulator::check::{self, Birth, Frame, HOOKS, HOST, Kind, SiteInfo, Sources};
use warploom_manifest::instrumented::{Entry, Instrumented, Record};

use super::statics;
use crate::kernel::Kernel;
use crate::launch::error::LaunchError;
use crate::module::embedded;
use crate::sync::lock;

#[cfg(all(target_os = "linux", not(warploom_device)))]
mod section {
    use std::ops::Range;

    use warploom_manifest::instrumented::{CODE_SECTION, MAGIC, Record, SECTION};

    const _: () = assert!(matches!(SECTION.as_bytes(), b"warploom_instrumented"));
    const _: () = assert!(matches!(
        CODE_SECTION.as_bytes(),
        b"warploom_instrumented_code"
    ));

    /// Makes the section, and with it the linker's two symbols, exist in programs without instrumented code. A zero is skipped.
    #[used]
    #[unsafe(link_section = "warploom_instrumented")]
    static EMPTY: u64 = 0;

    /// Likewise, of the section with the code.
    #[used]
    static NO_CODE: extern "C" fn() = no_code;

    #[unsafe(link_section = "warploom_instrumented_code")]
    extern "C" fn no_code() {}

    unsafe extern "C" {
        #[link_name = "__start_warploom_instrumented"]
        static START: u64;
        #[link_name = "__stop_warploom_instrumented"]
        static STOP: u64;
        #[link_name = "__start_warploom_instrumented_code"]
        static CODE_START: u8;
        #[link_name = "__stop_warploom_instrumented_code"]
        static CODE_STOP: u8;
    }

    /// Where all instrumented functions are.
    pub(super) fn code() -> Range<*const ()> {
        (&raw const CODE_START).cast()..(&raw const CODE_STOP).cast()
    }

    /// The records, one after the other; zeros may stand between them.
    pub(super) fn records() -> Vec<&'static Record> {
        let (mut at, stop) = (&raw const START, &raw const STOP);
        let mut found = vec![];
        while at < stop {
            // SAFETY: the linker puts the two symbols around one section of words, which stays for the life of the program.
            let magic = unsafe { at.read() };
            if magic == MAGIC {
                // SAFETY: a record starts with this word, and all of it lies in the section.
                found.push(unsafe { &*at.cast::<Record>() });
                at = at.wrapping_add(size_of::<Record>() / size_of::<u64>());
            } else {
                at = at.wrapping_add(1);
            }
        }
        found
    }
}

#[cfg(not(all(target_os = "linux", not(warploom_device))))]
mod section {
    pub(super) fn records() -> Vec<&'static super::Record> {
        vec![]
    }

    pub(super) fn code() -> std::ops::Range<*const ()> {
        std::ptr::null()..std::ptr::null()
    }
}

/// Instrumented code that can run.
struct Loaded {
    text: Instrumented,
    first_site: u32,
    record: &'static Record,
}

// SAFETY: what a record points to is written once, before this is shared, and only read afterwards.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// A kernel's instrumented body.
#[derive(Clone, Copy)]
pub(crate) struct Body {
    /// Takes the addresses of the parameters' values.
    pub(crate) entry: Entry,
    /// The numbers of its own places: the first, and the one after the last.
    pub(crate) sites: (u32, u32),
}

/// Why there is no instrumented body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The program carries none of this kernel.
    NotBuilt,
    /// There is some, and it cannot run; why.
    Unsupported(Cow<'static, str>),
}

impl Missing {
    /// The reason, as messages give it.
    pub(crate) fn reason(&self) -> &str {
        match self {
            Missing::Unsupported(reason) => reason,
            Missing::NotBuilt => "the program carries no instrumented code of it",
        }
    }
}

/// The instrumented body of the kernel that a launch means.
pub(crate) fn body(
    kernel: &Kernel<'_>,
    caller: &'static Location<'static>,
) -> Result<Result<Body, Missing>, LaunchError> {
    let (container, described) = match embedded::find(embedded()?, kernel, caller) {
        Ok(found) => found,
        Err(error @ LaunchError::Ambiguous { .. }) => {
            return Ok(Err(Missing::Unsupported(error.to_string().into())));
        }
        Err(_) => return Ok(Err(Missing::NotBuilt)),
    };
    embedded::check_described(kernel, described)?;
    let target = &*container.manifest.target;
    let found = loaded().iter().find_map(|code| {
        let is_it = |k: &warploom_manifest::instrumented::Kernel| {
            k.entry == described.entry && (&k.at.0, k.at.1) == (&described.file, described.line)
        };
        (code.text.target == target)
            .then(|| code.text.entries.iter().position(is_it))?
            .map(|at| (code, at))
    });
    let Some((code, at)) = found else {
        return Ok(Err(match damaged() {
            Some(reason) => Missing::Unsupported(reason.into()),
            None => Missing::NotBuilt,
        }));
    };
    let said = &code.text.entries[at];
    if let Some(reason) = &said.unsupported {
        return Ok(Err(Missing::Unsupported(reason.as_str().into())));
    }
    // SAFETY: the record has a function of this type for each entry of its text.
    let address = unsafe { *code.record.entries.wrapping_add(at) };
    // SAFETY: as above, a function of this type.
    let entry = unsafe { std::mem::transmute::<*const (), Entry>(address) };
    let [from, to] = said.sites.map(|place| code.first_site + place);
    let sites = (from, to);
    Ok(Ok(Body { entry, sites }))
}

/// All instrumented code of the program, ready to run.
fn loaded() -> &'static [Loaded] {
    &all().0
}

/// Why some instrumented code of the program cannot be read, if that is so.
fn damaged() -> Option<&'static str> {
    all().1.as_deref()
}

fn all() -> &'static (Vec<Loaded>, Option<String>) {
    static LOADED: OnceLock<(Vec<Loaded>, Option<String>)> = OnceLock::new();
    LOADED.get_or_init(|| {
        // SAFETY: the device linker puts nothing but instrumented functions there. They have no landing pads and tables for each
        // instruction, and only instrumented code and the emulator's calls of kernels and formatting functions call them.
        unsafe { check::instrumented_code(section::code()) };
        let symbols = symbols();
        let (mut read, mut damaged) = (vec![], None);
        for record in section::records() {
            match load(record, &symbols) {
                Ok(code) => read.push(code),
                Err(error) => {
                    damaged.get_or_insert_with(|| {
                        format!(
                            "some of the program's instrumented code is not of this version of warploom ({error}); build the program and its build scripts with one version"
                        )
                    });
                }
            }
        }
        (read, damaged)
    })
}

/// What instrumented code may call, by name.
fn symbols() -> HashMap<&'static str, *const ()> {
    use warploom_device_std::{intrinsics, surface, wmma};
    let tables = intrinsics::SHIMS
        .iter()
        .chain(wmma::SHIMS)
        .chain(surface::SHIMS.iter().copied().flatten());
    let tables = tables.copied().flatten();
    let tables = tables.map(|shim| (shim.symbol, shim.address));
    let hooks = HOOKS.iter().chain(HOST);
    tables
        .chain(hooks.map(|hook| (hook.name, hook.address)))
        .collect()
}

fn load(
    record: &'static Record,
    known: &HashMap<&'static str, *const ()>,
) -> Result<Loaded, String> {
    // SAFETY: a record's text is as long as it says, and stays.
    let text = unsafe { std::slice::from_raw_parts(record.text, record.text_bytes as usize) };
    let mut text: Instrumented = Instrumented::from_json(text)?;
    for (at, symbol) in text.symbols.iter().enumerate() {
        let address = known.get(&**symbol).copied().unwrap_or_else(|| {
            // Code that calls a missing function is never run.
            for kernel in &mut text.entries {
                kernel
                    .unsupported
                    .get_or_insert_with(|| format!("the emulator has no `{symbol}`"));
            }
            std::ptr::null()
        });
        // SAFETY: the table has a place for each symbol; nothing runs yet.
        unsafe { record.symbols.wrapping_add(at).write(address) };
    }
    Sources::built_in(&text.folder);
    let sites = text
        .sites
        .iter()
        .map(|site| site_info(&text, site))
        .collect();
    let first = check::register(sites);
    // SAFETY: as above.
    unsafe { record.first_site.write(first) };
    for (at, global) in text.globals.iter().enumerate() {
        // SAFETY: the record has an address for each variable.
        let start = unsafe { *record.globals.wrapping_add(at) };
        let kind = match &global.of {
            // SAFETY: this address, and the code does not run yet.
            Some(of) => unsafe { statics::connect(of, global, start) }.unwrap_or_else(|reason| {
                for kernel in &mut text.entries {
                    kernel.unsupported.get_or_insert_with(|| reason.clone());
                }
                Kind::Static
            }),
            None if global.constant => Kind::Constant,
            None => Kind::Static,
        };
        let bytes = global.bytes as usize;
        check::allocate(start, bytes, 1, 1, kind, Birth::Initialised, &global.name);
    }
    Ok(Loaded {
        text,
        first_site: first,
        record,
    })
}

fn site_info(text: &Instrumented, site: &warploom_manifest::instrumented::Site) -> SiteInfo {
    let name = |list: &[String], at: u32| list.get(at as usize).cloned().unwrap_or_default();
    let frame = |(file, function, line, column): &(u32, u32, u32, u32)| Frame {
        file: name(&text.files, *file),
        line: *line,
        column: *column,
        function: name(&text.functions, *function),
    };
    SiteInfo {
        frames: site.frames.iter().map(frame).collect(),
        shown: site.shown as usize,
    }
}

/// Says once per kernel that it runs unchecked although its crate has instrumented code, or although checks were `asked` for.
pub(crate) fn note_unchecked(kernel: &Kernel<'_>, missing: &Missing, asked: bool) {
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let asked = asked || std::env::var("WARPLOOM_EMULATOR").as_deref() == Ok("checked");
    // Examples in documentation never have any; a user who asks for checks is told.
    if *missing == Missing::NotBuilt && !asked {
        return;
    }
    let reason = missing.reason();
    if lock(&SAID).insert(kernel.name) {
        eprintln!(
            "warploom: the accesses of kernel `{}` are not checked: {reason}",
            kernel.base
        );
    }
}

/// What the environment asks of the emulator. `WARPLOOM_EMULATOR=fast` or `checked`; programs with debug assertions are checked if it says
/// nothing.
///
/// # Errors
/// What is wrong with a variable, and what it may say.
pub(crate) fn options() -> Result<check::Options, String> {
    static OPTIONS: OnceLock<Result<check::Options, String>> = OnceLock::new();
    OPTIONS.get_or_init(read_options).clone()
}

fn read_options() -> Result<check::Options, String> {
    let mut options = check::Options::from_env().map_err(|error| error.to_string())?;
    let value = std::env::var_os("WARPLOOM_EMULATOR").map(|v| v.to_string_lossy().into_owned());
    options.mode = match value.as_deref() {
        Some("checked") => check::Mode::Checked,
        Some("fast") => check::Mode::Fast,
        None if cfg!(debug_assertions) => check::Mode::Checked,
        None => check::Mode::Fast,
        Some(other) => {
            return Err(format!(
                "WARPLOOM_EMULATOR is `{other}`; it may be `fast` or `checked`"
            ));
        }
    };
    let lints = std::env::var_os("WARPLOOM_LINTS");
    options.lints = lints.is_some_and(|value| !value.is_empty() && value != "0");
    Ok(options)
}
