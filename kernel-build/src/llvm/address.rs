//! How addresses are computed, and instructions in another place.

use super::ffi::Nullable as _;
use super::{Module, Op, Type, Value};

impl<'ctx> Value<'ctx> {
    /// Of an instruction that steps from element to element: the first one's address, the number of the other, and their type.
    pub(crate) fn as_element(self) -> Option<(Value<'ctx>, Value<'ctx>, Type<'ctx>)> {
        let llvm = self.context.llvm;
        // SAFETY: a live value; the type is asked of such instructions only.
        let element = unsafe {
            if (llvm.LLVMIsAGetElementPtrInst)(self.raw).is_null() {
                return None;
            }
            Type::new((llvm.LLVMGetGEPSourceElementType)(self.raw), self.context)
        };
        match self.operands()[..] {
            [first, number] => Some((first, number, element)),
            _ => None,
        }
    }

    /// Whether this is an instruction that computes with numbers and addresses only, and may stand wherever its operands are known.
    pub(crate) fn is_arithmetic(self) -> bool {
        self.block().is_some()
            && match self.op() {
                Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Or | Op::ZExt => true,
                Op::LShr | Op::And | Op::Element | Op::Trunc => true,
                // ashr, sext
                Op::Other(op) => matches!(op, 22 | 32),
                _ => false,
            }
    }

    /// Puts this instruction before another of its function, which knows all of its operands.
    pub(crate) fn move_before(self, other: Value<'ctx>) {
        let (llvm, context) = (self.context.llvm, self.context);
        // SAFETY: two live instructions; the builder is disposed of (the verifier sees whether the operands are known there).
        unsafe {
            let builder = (llvm.LLVMCreateBuilderInContext)(context.raw);
            (llvm.LLVMPositionBuilderBefore)(builder, other.raw);
            (llvm.LLVMInstructionRemoveFromParent)(self.raw);
            (llvm.LLVMInsertIntoBuilder)(builder, self.raw);
            (llvm.LLVMDisposeBuilder)(builder);
        }
    }
}

impl<'ctx> Module<'ctx> {
    /// The distance between neighbours of this type in an array.
    pub(crate) fn distance(&self, ty: Type<'ctx>) -> u64 {
        let llvm = self.context.llvm;
        // SAFETY: a live module, and a sized type of its context.
        unsafe { (llvm.LLVMABISizeOfType)((llvm.LLVMGetModuleDataLayout)(self.raw), ty.raw) }
    }
}
