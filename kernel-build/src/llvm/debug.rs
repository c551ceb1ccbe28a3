//! What debug information says: which function, which line.

use super::ffi::{MetadataRef, Nullable as _};
use super::value::{Value, copied_text};
use std::ffi::{c_char, c_uint};

/// A function in debug information.
#[derive(Clone, Copy)]
pub(crate) struct Subprogram(MetadataRef);

impl Value<'_> {
    /// What debug information says of a function, if anything. Of the context: it outlives the function.
    pub(crate) fn subprogram(self) -> Option<Subprogram> {
        // SAFETY: called on functions only.
        let found = unsafe { (self.context.llvm.LLVMGetSubprogram)(self.raw) };
        (!found.is_null()).then_some(Subprogram(found))
    }

    /// Lets the lines of this function's instructions count. At most one function has a subprogram.
    pub(crate) fn set_subprogram(self, subprogram: Subprogram) {
        // SAFETY: called on functions only, with a subprogram of the same context.
        unsafe { (self.context.llvm.LLVMSetSubprogram)(self.raw, subprogram.0) }
    }

    /// File, line and column of an instruction, if debug information has them.
    pub(crate) fn debug_location(self) -> Option<(String, u32, u32)> {
        let mut len = 0;
        let llvm = self.context.llvm;
        // SAFETY: a live instruction.
        let start = unsafe { (llvm.LLVMGetDebugLocFilename)(self.raw, &raw mut len) };
        if start.is_null() {
            return None;
        }
        // SAFETY: a text with its length, which stays as long as the context.
        let file = unsafe { copied_text(start, len as usize) };
        // SAFETY: a live instruction.
        let line = unsafe { (llvm.LLVMGetDebugLocLine)(self.raw) };
        // SAFETY: a live instruction.
        let column = unsafe { (llvm.LLVMGetDebugLocColumn)(self.raw) };
        Some((file, line, column))
    }

    /// File (with its folder), line and column of an instruction, then of each call around it that was inlined; empty if debug information
    /// says nothing.
    pub(crate) fn debug_chain(self) -> Vec<(String, u32, u32)> {
        let llvm = self.context.llvm;
        let mut chain = Vec::new();
        // SAFETY: a live instruction.
        let mut at = unsafe { (llvm.LLVMInstructionGetDebugLoc)(self.raw) };
        while !at.is_null() {
            // SAFETY: a location, which stays as long as the context.
            let scope = unsafe { (llvm.LLVMDILocationGetScope)(at) };
            // SAFETY: the scope of a location, likewise.
            let file = unsafe { (llvm.LLVMDIScopeGetFile)(scope) };
            let text = |get: unsafe extern "C" fn(MetadataRef, *mut c_uint) -> *const c_char| {
                let mut len = 0;
                // SAFETY: `get` is one of the two functions below, and `file` is not null where it is called.
                let start = unsafe { get(file, &raw mut len) };
                // SAFETY: null or a text with its length, which stays as long as the context.
                unsafe { copied_text(start, len as usize) }
            };
            let name = if file.is_null() {
                String::new()
            } else {
                let folder = text(llvm.LLVMDIFileGetDirectory);
                let whole = std::path::Path::new(&folder).join(text(llvm.LLVMDIFileGetFilename));
                whole.to_string_lossy().into_owned()
            };
            // SAFETY: a location, as above.
            let line = unsafe { (llvm.LLVMDILocationGetLine)(at) };
            // SAFETY: as above.
            chain.push((name, line, unsafe { (llvm.LLVMDILocationGetColumn)(at) }));
            // SAFETY: as above.
            at = unsafe { (llvm.LLVMDILocationGetInlinedAt)(at) };
        }
        chain
    }
}
