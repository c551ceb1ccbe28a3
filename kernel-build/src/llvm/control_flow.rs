//! New blocks and branches in a function.

use super::ffi::{Nullable as _, ValueRef};
use super::{Block, Builder, Compare, Op, Type, Value};

impl<'ctx> Block<'ctx> {
    /// A new block before this one in the function's order, without instructions and without ways to it.
    pub(crate) fn new_before(self) -> Block<'ctx> {
        let (llvm, context) = (self.context.llvm, self.context);
        // SAFETY: a live block of this context.
        let raw =
            unsafe { (llvm.LLVMInsertBasicBlockInContext)(context.raw, self.raw, c"".as_ptr()) };
        Block { raw, context }
    }

    /// A new block behind all others of a function, without instructions and without ways to it.
    pub(crate) fn new_last(function: Value<'ctx>) -> Block<'ctx> {
        let (llvm, context) = (function.context.llvm, function.context);
        let append = llvm.LLVMAppendBasicBlockInContext;
        // SAFETY: a live function of this context.
        let raw = unsafe { append(context.raw, function.raw, c"".as_ptr()) };
        Block { raw, context }
    }

    /// Puts a new block before this one on every way to it, and all of its instructions but the last there; that block lacks its last one.
    pub(crate) fn split_off_front(self, all: &[Block<'ctx>]) -> Block<'ctx> {
        self.split_before(self.terminator(), all)
    }

    /// The same with the instructions before one of the block.
    pub(crate) fn split_before(self, first: Value<'ctx>, all: &[Block<'ctx>]) -> Block<'ctx> {
        let llvm = self.context.llvm;
        let front = self.new_before();
        for other in all {
            let last = other.terminator().raw;
            for (index, to) in (0..).zip(other.successors()) {
                if to == self {
                    // SAFETY: a live terminator, an index below its count, a block of the same function.
                    unsafe { (llvm.LLVMSetSuccessor)(last, index, front.raw) };
                }
            }
        }
        let builder = Builder::at_end(front);
        let instructions = self.instructions().into_iter();
        for instruction in instructions.take_while(|i| *i != first) {
            builder.move_here(instruction);
        }
        front
    }

    /// The numbers of a `switch`, each with the block that it leads to; those of no other instruction. What is no such number leads to the first successor.
    pub(crate) fn switch_cases(self) -> Vec<(Value<'ctx>, Block<'ctx>)> {
        let (llvm, last) = (self.context.llvm, self.terminator());
        if last.op() != Op::Switch {
            return Vec::new();
        }
        let number = |successor| {
            // SAFETY: a live `switch`, and the number of a successor that is not its first one.
            let raw = unsafe { (llvm.LLVMGetSwitchCaseValue)(last.raw, successor) };
            Value::new(raw, self.context)
        };
        let cases = (0..).zip(self.successors()).skip(1);
        cases.map(|(at, to)| (number(at), to)).collect()
    }

    /// Lets the last instruction go to other blocks.
    pub(crate) fn redirect(self, to: impl Fn(Block<'ctx>) -> Block<'ctx>) {
        let llvm = self.context.llvm;
        for (index, old) in (0..).zip(self.successors()) {
            let new = to(old);
            // SAFETY: a live terminator, an index below its count, a block of the same function.
            unsafe { (llvm.LLVMSetSuccessor)(self.terminator().raw, index, new.raw) };
        }
    }
}

impl<'ctx> Builder<'ctx> {
    /// Behind the last instruction of a block that is not finished.
    pub(crate) fn at_end(block: Block<'ctx>) -> Builder<'ctx> {
        let (llvm, context) = (block.context.llvm, block.context);
        // SAFETY: a live context; the builder is disposed of in `drop`.
        let raw = unsafe { (llvm.LLVMCreateBuilderInContext)(context.raw) };
        // SAFETY: the builder made above and a live block.
        unsafe { (llvm.LLVMPositionBuilderAtEnd)(raw, block.raw) };
        Builder { raw, context }
    }

    /// The smaller of two unsigned numbers.
    pub(crate) fn umin(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.select(self.compare(Compare::Ult, a, b), a, b)
    }

    /// The larger of two unsigned numbers.
    pub(crate) fn umax(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.select(self.compare(Compare::Ugt, a, b), a, b)
    }

    /// The address so many bytes behind another.
    pub(crate) fn byte_offset(&self, base: Value<'ctx>, bytes: Value<'ctx>) -> Value<'ctx> {
        let llvm = self.context.llvm;
        let mut bytes = bytes.raw;
        // SAFETY: a live context.
        let byte = unsafe { (llvm.LLVMInt8TypeInContext)(self.context.raw) };
        // SAFETY: a positioned builder, a live pointer and one live number.
        let raw = unsafe {
            (llvm.LLVMBuildGEP2)(self.raw, byte, base.raw, &raw mut bytes, 1, c"".as_ptr())
        };
        Value::new(raw, self.context)
    }

    /// The end of a block.
    pub(crate) fn cond_br(
        &self,
        condition: Value<'ctx>,
        when_true: Block<'ctx>,
        when_false: Block<'ctx>,
    ) {
        // SAFETY: a builder at the end of a block, a truth value and two blocks of the same function.
        unsafe {
            (self.context.llvm.LLVMBuildCondBr)(
                self.raw,
                condition.raw,
                when_true.raw,
                when_false.raw,
            );
        }
    }

    /// The end of a block that always goes on to the same one.
    pub(crate) fn br(&self, to: Block<'ctx>) {
        // SAFETY: a builder at the end of a block, and a block of the same function.
        unsafe { (self.context.llvm.LLVMBuildBr)(self.raw, to.raw) };
    }

    /// Moves an instruction here; what it uses must be known here.
    pub(crate) fn move_here(&self, instruction: Value<'ctx>) {
        let llvm = self.context.llvm;
        // SAFETY: a live instruction in a block; it is inserted again below.
        unsafe { (llvm.LLVMInstructionRemoveFromParent)(instruction.raw) };
        // SAFETY: a positioned builder and an instruction in no block.
        unsafe { (llvm.LLVMInsertIntoBuilder)(self.raw, instruction.raw) };
    }

    /// A copy of an instruction, here, with other operands.
    pub(crate) fn copy(
        &self,
        instruction: Value<'ctx>,
        mut operand: impl FnMut(Value<'ctx>) -> Value<'ctx>,
    ) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live instruction that is no phi.
        let raw = unsafe { (llvm.LLVMInstructionClone)(instruction.raw) };
        // SAFETY: a positioned builder and the copy, which is in no block.
        unsafe { (llvm.LLVMInsertIntoBuilder)(self.raw, raw) };
        let copy = Value::new(raw, self.context);
        for (index, old) in (0..).zip(instruction.operands()) {
            copy.set_operand(index, operand(old));
        }
        copy
    }
}

impl<'ctx> Value<'ctx> {
    /// Removes what metadata of these kinds says of an instruction.
    pub(crate) fn remove_metadata(self, kinds: &[&str]) {
        for kind in kinds {
            // SAFETY: null removes.
            unsafe { self.set_metadata(kind, ValueRef(std::ptr::null_mut())) };
        }
    }

    /// # Safety
    /// `node` is null, or metadata of this context.
    pub(super) unsafe fn set_metadata(self, kind: &str, node: ValueRef) {
        let id = self.context.metadata_kind(kind);
        // SAFETY: a live instruction, a kind of its context, and what the caller promises.
        unsafe { (self.context.llvm.LLVMSetMetadata)(self.raw, id, node) };
    }

    /// Removes what an instruction promises of its operands: that it does not wrap around, say.
    pub(crate) fn drop_poison_flags(self) {
        let llvm = self.context.llvm;
        match self.op() {
            Op::Add | Op::Sub | Op::Mul | Op::Shl => {
                // SAFETY: a live instruction of a kind that has this flag.
                unsafe { (llvm.LLVMSetNUW)(self.raw, 0) };
                // SAFETY: as above.
                unsafe { (llvm.LLVMSetNSW)(self.raw, 0) };
            }
            // SAFETY: a live `or`.
            Op::Or => unsafe { (llvm.LLVMSetIsDisjoint)(self.raw, 0) },
            // SAFETY: a live `zext`.
            Op::ZExt => unsafe { (llvm.LLVMSetNNeg)(self.raw, 0) },
            // SAFETY: a live value.
            _ if !unsafe { (llvm.LLVMIsAICmpInst)(self.raw) }.is_null() => {
                // SAFETY: a live comparison of integers.
                unsafe { (llvm.LLVMSetICmpSameSign)(self.raw, 0) };
            }
            _ => {}
        }
    }

    /// The type of the elements that an address instruction counts in.
    pub(crate) fn element_type(self) -> Type<'ctx> {
        // SAFETY: called on such instructions only.
        let raw = unsafe { (self.context.llvm.LLVMGetGEPSourceElementType)(self.raw) };
        Type::new(raw, self.context)
    }
}
