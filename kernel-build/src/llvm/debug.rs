//! What debug information says: which function, which line.

use super::ffi::{MetadataRef, Nullable as _};
use super::value::Value;
use std::ffi::c_uint;

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
        // SAFETY: a live instruction; null or a text with its length, copied at once.
        unsafe {
            let start = (self.context.llvm.LLVMGetDebugLocFilename)(self.raw, &raw mut len);
            if start.is_null() {
                return None;
            }
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), len as usize);
            Some((
                String::from_utf8_lossy(bytes).into_owned(),
                (self.context.llvm.LLVMGetDebugLocLine)(self.raw),
                (self.context.llvm.LLVMGetDebugLocColumn)(self.raw),
            ))
        }
    }

    /// File (with its folder), line and column of an instruction, then of each call around it that was inlined; empty if debug information
    /// says nothing.
    pub(crate) fn debug_chain(self) -> Vec<(String, u32, u32)> {
        let llvm = self.context.llvm;
        let mut chain = Vec::new();
        // SAFETY: a live instruction; metadata lives as long as the context, texts are copied at once.
        unsafe {
            let mut at = (llvm.LLVMInstructionGetDebugLoc)(self.raw);
            while !at.is_null() {
                let scope = (llvm.LLVMDILocationGetScope)(at);
                let file = (llvm.LLVMDIScopeGetFile)(scope);
                let mut len = 0;
                let text = |start: *const std::ffi::c_char, len: c_uint| {
                    if start.is_null() {
                        return String::new();
                    }
                    let bytes = std::slice::from_raw_parts(start.cast::<u8>(), len as usize);
                    String::from_utf8_lossy(bytes).into_owned()
                };
                let name = if file.is_null() {
                    String::new()
                } else {
                    let start = (llvm.LLVMDIFileGetFilename)(file, &raw mut len);
                    let name = text(start, len);
                    let start = (llvm.LLVMDIFileGetDirectory)(file, &raw mut len);
                    let folder = text(start, len);
                    let whole = std::path::Path::new(&folder).join(&name);
                    whole.to_string_lossy().into_owned()
                };
                let line = (llvm.LLVMDILocationGetLine)(at);
                chain.push((name, line, (llvm.LLVMDILocationGetColumn)(at)));
                at = (llvm.LLVMDILocationGetInlinedAt)(at);
            }
        }
        chain
    }
}
