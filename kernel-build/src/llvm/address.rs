//! How addresses are computed, and instructions in another place.

use super::ffi::Nullable as _;
use super::{Module, Op, Type, Value};

impl<'ctx> Value<'ctx> {
    /// Of an instruction that steps from element to element: the first one's address, the number of the other, and their type.
    pub(crate) fn as_element(self) -> Option<(Value<'ctx>, Value<'ctx>, Type<'ctx>)> {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMIsAGetElementPtrInst)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: an address instruction.
        let element = unsafe { (llvm.LLVMGetGEPSourceElementType)(self.raw) };
        let element = Type::new(element, self.context);
        match self.operands()[..] {
            [first, number] => Some((first, number, element)),
            _ => None,
        }
    }

    /// Whether an element's address is poison unless it is in the same object as the first one's: then it has not wrapped around.
    pub(crate) fn is_inbounds(self) -> bool {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        let is_address = unsafe { !(llvm.LLVMIsAGetElementPtrInst)(self.raw).is_null() };
        // SAFETY: an address instruction.
        is_address && unsafe { (llvm.LLVMIsInBounds)(self.raw) } != 0
    }

    /// Whether this is an instruction that computes with numbers and addresses only, and may stand wherever its operands are known.
    pub(crate) fn is_arithmetic(self) -> bool {
        self.block().is_some()
            && matches!(
                self.op(),
                Op::Add
                    | Op::Sub
                    | Op::Mul
                    | Op::Shl
                    | Op::LShr
                    | Op::AShr
                    | Op::And
                    | Op::Or
                    | Op::Trunc
                    | Op::ZExt
                    | Op::SExt
                    | Op::GetElementPtr
            )
    }

    /// Puts this instruction before another of its function, which knows all of its operands.
    pub(crate) fn move_before(self, other: Value<'ctx>) {
        let (llvm, context) = (self.context.llvm, self.context);
        // SAFETY: a live context.
        let builder = unsafe { (llvm.LLVMCreateBuilderInContext)(context.raw) };
        // SAFETY: the builder made above and a live instruction in a block.
        unsafe { (llvm.LLVMPositionBuilderBefore)(builder, other.raw) };
        // SAFETY: a live instruction in a block; it is inserted again below.
        unsafe { (llvm.LLVMInstructionRemoveFromParent)(self.raw) };
        // SAFETY: a positioned builder and an instruction in no block (the verifier sees whether its operands dominate it there).
        unsafe { (llvm.LLVMInsertIntoBuilder)(builder, self.raw) };
        // SAFETY: the builder made above, not used again.
        unsafe { (llvm.LLVMDisposeBuilder)(builder) };
    }
}

impl<'ctx> Module<'ctx> {
    /// What an address was computed from, and the bytes between the two; `None` if their number is not known.
    pub(crate) fn place_of(&self, address: Value<'ctx>) -> (Value<'ctx>, Option<u64>) {
        let (mut base, mut offset) = (address, Some(0u64));
        loop {
            if let Some((first, number, element)) = base.as_element() {
                let distance = self.distance(element);
                let step = number.as_integer().and_then(|n| n.checked_mul(distance));
                offset = offset
                    .zip(step)
                    .and_then(|(sum, step)| sum.checked_add(step));
                base = first;
            } else if let Some(first) = base.base_of_address() {
                (base, offset) = (first, None);
            } else {
                return (base, offset);
            }
        }
    }

    /// The distance between neighbours of this type in an array.
    pub(crate) fn distance(&self, ty: Type<'ctx>) -> u64 {
        let llvm = self.context.llvm;
        // SAFETY: a live module.
        let layout = unsafe { (llvm.LLVMGetModuleDataLayout)(self.raw) };
        // SAFETY: the layout of a live module, and a sized type of its context.
        unsafe { (llvm.LLVMABISizeOfType)(layout, ty.raw) }
    }
}
