//! LLVM, rustc's own or another one that reads its bitcode, opened at run time: one type per LLVM object, raw handles only inside this folder.
//!
//! Must not know: cargo, kernels, Rust symbols. Start at [`Context`] and [`Module`].

mod address;
mod arithmetic;
mod attributes;
mod block;
mod control_flow;
mod debug;
mod ffi;
mod inline_ptx;
mod library;
mod loop_metadata;
mod module;
mod operation;
mod predicate;
mod search;
mod target;
mod types;
mod value;

pub(crate) use block::{Block, Builder, Compare};
pub(crate) use debug::Subprogram;
pub(crate) use library::{Library, LoadError};
pub(crate) use module::Module;
pub(crate) use operation::Op;
pub(crate) use predicate::Predicate;
pub(crate) use search::{NAMED, Search, SearchError};
pub(crate) use target::{Machine, Passes};
pub(crate) use types::{Type, TypeKind};
pub(crate) use value::{Attribute, Linkage, Value};

use crate::hash::HashMap;
use crate::versions;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::sync::OnceLock;

/// What differs from LLVM's defaults for NVPTX, as command line (the first word is a program's name).
const ARGUMENTS: [&CStr; 9] = [
    c"warploom",
    // NVPTX has no arithmetic on vectors of bytes, but says that its registers have room for four: the least of some bytes would take three `prmt` for
    // each, and as many more versions of its loop.
    c"-vectorize-loops=0",
    // NVPTX says nothing of conversions between floats and more than 64 bits: LLVM is to spell them out.
    c"-expand-fp-convert-bits=64",
    // Loops that are not unrolled whole are unrolled about as far as nvcc does (4 times in the n-body kernel instead of 2).
    c"-unroll-partial-threshold=160",
    // `a && b` is one branch where `b` takes no more than this to compute: in a loop's condition a second one costs more (LLVM's own limit
    // is 1).
    c"-bonus-inst-threshold=4",
    // ptxas unrolls by four what it finds, so that four times four rounds have their loads under way; of eight times four it schedules two
    // loads at a time, for want of registers.
    c"-unroll-max-count=4",
    // The rounds that are left over come before the unrolled loop, or the values with which they begin stay in registers all through it.
    c"-unroll-runtime-epilog=0",
    // Loops whose checks were decided before them are doubled up to this size (`opt/bounds_check_hoisting.rs`); nothing else doubles loops for
    // GPUs.
    c"-unswitch-threshold=400",
    // LLVM 22's straight-line strength reduction, which NVPTX runs, takes `44 - 4 * !p` for `40 - 4 * p`: sorting 24 numbers went wrong
    // (pipeline/tests.rs: addresses_that_move_apart_stay_apart). There is no switch for the pass, but for how often it may act.
    c"-debug-counter=slsr-counter=999999999",
];

/// Options of passes whose time grows faster than the size of a function, for large ones, and LLVM's own values of them:
/// - InstCombine sinks an instruction into the only block that uses it, one block further per step, past the end of a bounds check each time, and a
///   load only after reading all instructions to the end of its block;
/// - ConstraintElimination decides each comparison by a system of inequalities with as many rows as comparisons dominate it;
/// - the analysis of memory dependences, which GVN asks for each load, visits this many blocks.
const FOR_LARGE_FUNCTIONS: [(&CStr, &CStr); 3] = [
    (
        c"-instcombine-code-sinking=0",
        c"-instcombine-code-sinking=1",
    ),
    (
        c"-constraint-elimination-max-rows=60",
        c"-constraint-elimination-max-rows=500",
    ),
    (
        c"-memdep-block-number-limit=20",
        c"-memdep-block-number-limit=200",
    ),
];

/// Sets options of the process; what was set before keeps its value. An unknown one ends the process.
///
/// # Safety
/// No other thread runs passes of LLVM, which read these options.
unsafe fn parse_options(functions: &ffi::Functions, arguments: &[&CStr]) {
    let texts: Vec<_> = arguments.iter().map(|text| text.as_ptr()).collect();
    // SAFETY: zero-ended texts, read once, and no overview; the caller runs nothing else.
    unsafe {
        (functions.LLVMParseCommandLineOptions)(
            texts.len() as std::ffi::c_int,
            texts.as_ptr(),
            std::ptr::null(),
        );
    }
}

static LIBRARY: OnceLock<Result<ffi::Functions, LoadError>> = OnceLock::new();

fn functions(path: &Path) -> Result<&'static ffi::Functions, LoadError> {
    LIBRARY
        .get_or_init(|| {
            let (_, functions) = library::load(path, versions::OLDEST_LLVM)?;
            // SAFETY: a function that may be called from any thread at any time.
            unsafe { (functions.LLVMInstallFatalErrorHandler)(Some(fatal_error)) };
            // SAFETY: no other thread uses LLVM yet.
            unsafe { parse_options(&functions, &ARGUMENTS) };
            for initialise in [
                functions.LLVMInitializeNVPTXTargetInfo,
                functions.LLVMInitializeNVPTXTarget,
                functions.LLVMInitializeNVPTXTargetMC,
                functions.LLVMInitializeNVPTXAsmPrinter,
                functions.LLVMInitializeX86TargetInfo,
                functions.LLVMInitializeX86Target,
                functions.LLVMInitializeX86TargetMC,
                functions.LLVMInitializeX86AsmPrinter,
                // Instrumented code keeps assembly of the host that only its own kernels turn out not to reach.
                functions.LLVMInitializeX86AsmParser,
                functions.LLVMInitializeAArch64TargetInfo,
                functions.LLVMInitializeAArch64Target,
                functions.LLVMInitializeAArch64TargetMC,
                functions.LLVMInitializeAArch64AsmPrinter,
                functions.LLVMInitializeAArch64AsmParser,
            ] {
                // SAFETY: a target's initialiser may run any number of times.
                unsafe { initialise() };
            }
            Ok(functions)
        })
        .as_ref()
        .map_err(Clone::clone)
}

type LastWords = Box<dyn Fn(&str) -> i32 + Send + Sync>;
static FATAL: OnceLock<LastWords> = OnceLock::new();

/// Says what to do when LLVM finds itself in a state that it cannot report otherwise; the process ends after it, with the code that it returns.
pub(crate) fn on_fatal_error(last_words: impl Fn(&str) -> i32 + Send + Sync + 'static) {
    let _ = FATAL.set(Box::new(last_words));
}

extern "C" fn fatal_error(reason: *const c_char) {
    // SAFETY: LLVM hands over a zero-ended text that stays valid during the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    let code = FATAL.get().map_or(1, |last_words| last_words(&reason));
    #[expect(
        clippy::exit,
        reason = "LLVM would abort otherwise, and its reason would be lost"
    )]
    std::process::exit(code);
}

/// An error in LLVM's own words.
#[derive(Debug, Clone, thiserror::Error)]
#[error("LLVM: {what}: {message}")]
pub(crate) struct LlvmError {
    pub(crate) what: &'static str,
    pub(crate) message: String,
}

/// Owns types, constants and diagnostics of all modules made in it.
pub(crate) struct Context {
    llvm: &'static ffi::Functions,
    raw: ffi::ContextRef,
    diagnostics: Box<RefCell<Vec<String>>>,
    /// Attributes `range` of results, as [`Value::result_range`] has read them.
    ranges: RefCell<HashMap<ffi::AttributeRef, Option<(u64, u64)>>>,
}

impl Context {
    /// A new context over the LLVM library at `path`.
    pub(crate) fn new(path: &Path) -> Result<Context, LoadError> {
        let llvm = functions(path)?;
        let diagnostics = Box::new(RefCell::new(Vec::new()));
        // SAFETY: no preconditions.
        let raw = unsafe { (llvm.LLVMContextCreate)() };
        let context = Context {
            llvm,
            raw,
            diagnostics,
            ranges: RefCell::default(),
        };
        let data: *const RefCell<Vec<String>> = &raw const *context.diagnostics;
        // SAFETY: the cell is boxed, so it stays at its place until the context is disposed of in `drop`.
        unsafe {
            (llvm.LLVMContextSetDiagnosticHandler)(
                raw,
                Some(collect_diagnostic),
                data.cast_mut().cast(),
            );
        }
        Ok(context)
    }

    /// Runs `work` while LLVM's passes have the limits of [`FOR_LARGE_FUNCTIONS`].
    ///
    /// # Safety
    /// No other thread runs passes of LLVM meanwhile: the limits are those of the process.
    pub(crate) unsafe fn with_limits_for_large_functions<T>(&self, work: impl FnOnce() -> T) -> T {
        for (limit, _) in FOR_LARGE_FUNCTIONS {
            // SAFETY: the caller's promise.
            unsafe { parse_options(self.llvm, &[ARGUMENTS[0], limit]) };
        }
        let result = work();
        // SAFETY: the caller's promise.
        unsafe { self.set_usual_limits() };
        result
    }

    /// Sets the limits of [`FOR_LARGE_FUNCTIONS`] to LLVM's own values, which they have unless they were changed. An option that LLVM lacks ends the
    /// process.
    ///
    /// # Safety
    /// As of [`Self::with_limits_for_large_functions`], where that has changed them.
    pub(crate) unsafe fn set_usual_limits(&self) {
        for (_, usual) in FOR_LARGE_FUNCTIONS {
            // SAFETY: the caller's promise.
            unsafe { parse_options(self.llvm, &[ARGUMENTS[0], usual]) };
        }
    }

    /// The number of a named synchronisation scope in this context.
    pub(crate) fn sync_scope(&self, name: &str) -> u32 {
        // SAFETY: a live context and a text with its length, which LLVM copies.
        unsafe { (self.llvm.LLVMGetSyncScopeID)(self.raw, name.as_ptr().cast(), name.len()) }
    }

    /// What LLVM complained about since the last call.
    pub(crate) fn take_diagnostics(&self) -> Vec<String> {
        self.diagnostics.take()
    }

    fn error(&self, what: &'static str, message: Option<String>) -> LlvmError {
        let mut all = self.take_diagnostics();
        all.extend(message.filter(|m| !m.is_empty()));
        LlvmError {
            what,
            message: all.join("; "),
        }
    }

    /// Takes over a message that LLVM allocated.
    fn owned_message(&self, message: *mut c_char) -> Option<String> {
        if message.is_null() {
            return None;
        }
        // SAFETY: LLVM hands out zero-ended strings.
        let text = unsafe { CStr::from_ptr(message) };
        let text = text.to_string_lossy().into_owned();
        // SAFETY: the string is ours to free, once.
        unsafe { (self.llvm.LLVMDisposeMessage)(message) };
        Some(text)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules and values borrow the context, so none is left.
        unsafe { (self.llvm.LLVMContextDispose)(self.raw) }
    }
}

extern "C" fn collect_diagnostic(info: ffi::DiagnosticRef, data: *mut c_void) {
    const ERROR: i32 = 0;
    let Some(Ok(llvm)) = LIBRARY.get() else {
        return;
    };
    // SAFETY: LLVM calls this with a live diagnostic.
    if unsafe { (llvm.LLVMGetDiagInfoSeverity)(info) } != ERROR {
        return;
    }
    // SAFETY: a live diagnostic.
    let message = unsafe { (llvm.LLVMGetDiagInfoDescription)(info) };
    // SAFETY: a zero-ended string.
    let text = unsafe { CStr::from_ptr(message) };
    let text = text.to_string_lossy().into_owned();
    // SAFETY: the string is ours to free, once.
    unsafe { (llvm.LLVMDisposeMessage)(message) };
    // SAFETY: the pointer that `Context::new` gave LLVM, whose cell outlives the context; everything runs on one thread.
    let messages = unsafe { &*data.cast::<RefCell<Vec<String>>>() };
    messages.borrow_mut().push(text);
}

/// A zero-ended copy; a zero byte inside ends the text early, which no name that LLVM or rustc makes has.
fn c_string(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|b| *b != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests;
