//! Inline assembly: PTX between LLVM's instructions, and what the host's says of its operands.

use super::ffi::Nullable as _;
use super::value::copied_text;
use super::{Builder, Type, Value};

impl<'ctx> Builder<'ctx> {
    /// A line of PTX without operands that stays where it is.
    pub(crate) fn ptx_line(&self, text: &str) -> Value<'ctx> {
        let llvm = self.context.llvm;
        let (start, len) = (text.as_ptr().cast(), text.len());
        let none = c"".as_ptr();
        // SAFETY: a live context.
        let void = unsafe { (llvm.LLVMVoidTypeInContext)(self.context.raw) };
        // SAFETY: a live type, and no parameters.
        let ty = unsafe { (llvm.LLVMFunctionType)(void, std::ptr::null_mut(), 0, 0) };
        // SAFETY: a live type of a function, and texts with their lengths, which LLVM copies.
        let asm = unsafe { (llvm.LLVMGetInlineAsm)(ty, start, len, none, 0, 1, 0, 0, 0) };
        // SAFETY: a positioned builder, and a callee of this type without parameters.
        let raw =
            unsafe { (llvm.LLVMBuildCall2)(self.raw, ty, asm, std::ptr::null_mut(), 0, none) };
        Value::new(raw, self.context)
    }
}

impl<'ctx> Builder<'ctx> {
    /// The result of PTX that computes it from one operand, and does nothing else. `constraints` are of both.
    pub(crate) fn ptx_value(
        &self,
        text: &str,
        constraints: &str,
        result: Type<'ctx>,
        operand: Value<'ctx>,
    ) -> Value<'ctx> {
        let (llvm, ty) = (self.context.llvm, result.function(&[operand.ty()]));
        let (start, len) = (text.as_ptr().cast(), text.len());
        let (of_operands, of_operands_len) = (constraints.as_ptr().cast(), constraints.len());
        let get = llvm.LLVMGetInlineAsm;
        // SAFETY: a live type of a function, and texts with their lengths, which LLVM copies.
        let asm = unsafe { get(ty.raw, start, len, of_operands, of_operands_len, 0, 0, 0, 0) };
        let mut operands = [operand.raw];
        let build = llvm.LLVMBuildCall2;
        // SAFETY: a positioned builder, a callee of this type, and a live value for its parameter.
        let raw = unsafe {
            build(
                self.raw,
                ty.raw,
                asm,
                operands.as_mut_ptr(),
                1,
                c"".as_ptr(),
            )
        };
        Value::new(raw, self.context)
    }
}

impl Value<'_> {
    /// The constraints of inline assembly, if this is such.
    pub(crate) fn asm_constraints(self) -> Option<String> {
        let mut len = 0;
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMIsAInlineAsm)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: live inline assembly.
        let start = unsafe { (llvm.LLVMGetInlineAsmConstraintString)(self.raw, &raw mut len) };
        // SAFETY: the text with its length.
        Some(unsafe { copied_text(start, len) })
    }
}
