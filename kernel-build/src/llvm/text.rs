//! PTX between LLVM's instructions.

use super::Builder;

impl Builder<'_> {
    /// A line of PTX without operands that stays where it is.
    pub(crate) fn ptx_line(&self, text: &str) {
        let llvm = self.context.llvm;
        // SAFETY: a positioned builder and a live context; texts with their lengths, which LLVM copies; no parameters.
        unsafe {
            let void = (llvm.LLVMVoidTypeInContext)(self.context.raw);
            let ty = (llvm.LLVMFunctionType)(void, std::ptr::null_mut(), 0, 0);
            let (start, len) = (text.as_ptr().cast(), text.len());
            let none = c"".as_ptr();
            let asm = (llvm.LLVMGetInlineAsm)(ty, start, len, none, 0, 1, 0, 0, 0);
            (llvm.LLVMBuildCall2)(self.raw, ty, asm, std::ptr::null_mut(), 0, none);
        }
    }
}
