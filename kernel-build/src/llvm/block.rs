//! Blocks of instructions, and a builder that puts new instructions between them.

use super::ffi::{BlockRef, BuilderRef, Nullable as _, ValueRef};
use super::{Context, Op, Type, Value};
use std::ffi::c_int;

/// A basic block.
#[derive(Clone, Copy)]
pub(crate) struct Block<'ctx> {
    pub(super) raw: BlockRef,
    pub(super) context: &'ctx Context,
}

impl PartialEq for Block<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl Eq for Block<'_> {}
impl std::hash::Hash for Block<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

/// How unsigned numbers are compared; the numbers are LLVM's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Eq = 32,
    Ne = 33,
    Ugt = 34,
    Uge = 35,
    Ult = 36,
    Ule = 37,
}

impl Compare {
    /// For exchanged operands.
    pub(crate) fn swapped(self) -> Compare {
        match self {
            Compare::Ugt => Compare::Ult,
            Compare::Uge => Compare::Ule,
            Compare::Ult => Compare::Ugt,
            Compare::Ule => Compare::Uge,
            same => same,
        }
    }

    /// What holds where this does not.
    pub(crate) fn inverse(self) -> Compare {
        match self {
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
            Compare::Ugt => Compare::Ule,
            Compare::Uge => Compare::Ult,
            Compare::Ult => Compare::Uge,
            Compare::Ule => Compare::Ugt,
        }
    }
}

impl<'ctx> Block<'ctx> {
    /// The blocks of a function, its entry first.
    pub(crate) fn all(function: Value<'ctx>) -> Vec<Block<'ctx>> {
        let (llvm, context) = (function.context.llvm, function.context);
        let mut all = Vec::new();
        // SAFETY: a live function.
        let mut raw = unsafe { (llvm.LLVMGetFirstBasicBlock)(function.raw) };
        while !raw.is_null() {
            all.push(Block { raw, context });
            // SAFETY: a live block of the function.
            raw = unsafe { (llvm.LLVMGetNextBasicBlock)(raw) };
        }
        all
    }

    /// The last instruction.
    pub(crate) fn terminator(self) -> Value<'ctx> {
        // SAFETY: blocks of a verified function have one.
        let raw = unsafe { (self.context.llvm.LLVMGetBasicBlockTerminator)(self.raw) };
        Value::new(raw, self.context)
    }

    /// Where the last instruction may go.
    pub(crate) fn successors(self) -> Vec<Block<'ctx>> {
        let (llvm, last) = (self.context.llvm, self.terminator().raw);
        // SAFETY: a live terminator.
        let count = unsafe { (llvm.LLVMGetNumSuccessors)(last) };
        let block = |i| Block {
            // SAFETY: a live terminator and an index below its count.
            raw: unsafe { (llvm.LLVMGetSuccessor)(last, i) },
            context: self.context,
        };
        (0..count).map(block).collect()
    }

    /// What decides between the two successors; `None` if the block does not end in such a branch.
    pub(crate) fn condition(self) -> Option<Value<'ctx>> {
        let (llvm, last) = (self.context.llvm, self.terminator().raw);
        // SAFETY: a live terminator, which is a branch.
        let conditional = || unsafe { (llvm.LLVMIsConditional)(last) } != 0;
        if self.terminator().op() != Op::Branch || !conditional() {
            return None;
        }
        // SAFETY: a conditional branch.
        let condition = unsafe { (llvm.LLVMGetCondition)(last) };
        Some(Value::new(condition, self.context))
    }

    /// Puts another truth value in the condition's place.
    pub(crate) fn set_condition(self, condition: Value<'ctx>) {
        let llvm = self.context.llvm;
        debug_assert!(self.condition().is_some());
        // SAFETY: the terminator is a conditional branch, and the value a truth value that its block can see (the verifier checks it).
        unsafe { (llvm.LLVMSetCondition)(self.terminator().raw, condition.raw) }
    }

    /// The values at its head that depend on where control comes from.
    pub(crate) fn phis(self) -> Vec<Value<'ctx>> {
        let llvm = self.context.llvm;
        let mut phis = Vec::new();
        // SAFETY: a live block.
        let mut raw = unsafe { (llvm.LLVMGetFirstInstruction)(self.raw) };
        while !raw.is_null() && Value::new(raw, self.context).op() == Op::Phi {
            phis.push(Value::new(raw, self.context));
            // SAFETY: a live instruction of the block.
            raw = unsafe { (llvm.LLVMGetNextInstruction)(raw) };
        }
        phis
    }

    /// The first instruction behind those values.
    pub(crate) fn first(self) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live block of a verified function, which has instructions.
        let mut raw = unsafe { (llvm.LLVMGetFirstInstruction)(self.raw) };
        while Value::new(raw, self.context).op() == Op::Phi {
            // SAFETY: a live phi, which does not end its block.
            raw = unsafe { (llvm.LLVMGetNextInstruction)(raw) };
        }
        Value::new(raw, self.context)
    }

    /// All of its instructions, as they are now.
    pub(crate) fn instructions(self) -> Vec<Value<'ctx>> {
        let llvm = self.context.llvm;
        let mut all = Vec::new();
        // SAFETY: a live block.
        let mut raw = unsafe { (llvm.LLVMGetFirstInstruction)(self.raw) };
        while !raw.is_null() {
            all.push(Value::new(raw, self.context));
            // SAFETY: a live instruction of the block.
            raw = unsafe { (llvm.LLVMGetNextInstruction)(raw) };
        }
        all
    }

    /// Whether control never leaves it.
    pub(crate) fn is_unreachable(self) -> bool {
        self.terminator().op() == Op::Unreachable
    }
}

impl<'ctx> Value<'ctx> {
    /// The block of an instruction; `None` for what is none.
    pub(crate) fn block(self) -> Option<Block<'ctx>> {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMIsAInstruction)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: a live instruction.
        let raw = unsafe { (llvm.LLVMGetInstructionParent)(self.raw) };
        let context = self.context;
        Some(Block { raw, context })
    }

    /// The values that come together in a phi, each with the block that it comes from.
    pub(crate) fn incoming(self) -> Vec<(Value<'ctx>, Block<'ctx>)> {
        let (llvm, context) = (self.context.llvm, self.context);
        // SAFETY: called on phis only.
        let count = unsafe { (llvm.LLVMCountIncoming)(self.raw) };
        let pair = |i| {
            // SAFETY: a phi and an index below its count.
            let value = unsafe { (llvm.LLVMGetIncomingValue)(self.raw, i) };
            // SAFETY: as above.
            let raw = unsafe { (llvm.LLVMGetIncomingBlock)(self.raw, i) };
            (Value::new(value, context), Block { raw, context })
        };
        (0..count).map(pair).collect()
    }

    /// What a phi is where control comes from `block`.
    pub(crate) fn add_incoming(self, value: Value<'ctx>, block: Block<'ctx>) {
        debug_assert!(self.op() == Op::Phi && self.ty().kind() == value.ty().kind());
        // SAFETY: a live phi, and a live value of its type.
        unsafe {
            (self.context.llvm.LLVMAddIncoming)(
                self.raw,
                &raw const value.raw,
                &raw const block.raw,
                1,
            );
        }
    }

    /// How a comparison of unsigned numbers, or for equality, compares; `None` for all else.
    pub(crate) fn comparison(self) -> Option<Compare> {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMIsAICmpInst)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: a comparison of integers.
        let predicate = unsafe { (llvm.LLVMGetICmpPredicate)(self.raw) };
        match predicate {
            n if n == Compare::Eq as c_int => Some(Compare::Eq),
            n if n == Compare::Ne as c_int => Some(Compare::Ne),
            n if n == Compare::Ugt as c_int => Some(Compare::Ugt),
            n if n == Compare::Uge as c_int => Some(Compare::Uge),
            n if n == Compare::Ult as c_int => Some(Compare::Ult),
            n if n == Compare::Ule as c_int => Some(Compare::Ule),
            _ => None,
        }
    }

    /// Whether the operands of an `or` have no bit in common, so that it is an addition.
    pub(crate) fn is_disjoint(self) -> bool {
        // SAFETY: called on `or` only.
        unsafe { (self.context.llvm.LLVMGetIsDisjoint)(self.raw) != 0 }
    }
}

/// Makes instructions before another.
pub(crate) struct Builder<'ctx> {
    pub(super) raw: BuilderRef,
    pub(super) context: &'ctx Context,
}

pub(super) type Binary =
    unsafe extern "C" fn(BuilderRef, ValueRef, ValueRef, *const std::ffi::c_char) -> ValueRef;

impl<'ctx> Builder<'ctx> {
    /// Before an instruction of a live function.
    pub(crate) fn before(instruction: Value<'ctx>) -> Builder<'ctx> {
        let (llvm, context) = (instruction.context.llvm, instruction.context);
        // SAFETY: a live context; the builder is disposed of in `drop`.
        let raw = unsafe { (llvm.LLVMCreateBuilderInContext)(context.raw) };
        // SAFETY: the builder made above and a live instruction in a block.
        unsafe { (llvm.LLVMPositionBuilderBefore)(raw, instruction.raw) };
        Builder { raw, context }
    }

    pub(super) fn binary(&self, build: Binary, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        debug_assert!(a.ty().kind() == b.ty().kind());
        // SAFETY: a positioned builder and two live numbers of one type.
        let raw = unsafe { build(self.raw, a.raw, b.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    pub(crate) fn add(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.binary(self.context.llvm.LLVMBuildAdd, a, b)
    }

    pub(crate) fn sub(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.binary(self.context.llvm.LLVMBuildSub, a, b)
    }

    pub(crate) fn mul(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.binary(self.context.llvm.LLVMBuildMul, a, b)
    }

    /// Of unsigned numbers; `b` is not zero.
    pub(crate) fn divide(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.binary(self.context.llvm.LLVMBuildUDiv, a, b)
    }

    pub(crate) fn and(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.binary(self.context.llvm.LLVMBuildAnd, a, b)
    }

    pub(crate) fn or(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.binary(self.context.llvm.LLVMBuildOr, a, b)
    }

    pub(crate) fn xor(&self, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        self.binary(self.context.llvm.LLVMBuildXor, a, b)
    }

    /// An address so many bytes further, in the same piece of memory.
    pub(crate) fn byte_offset_inbounds(&self, base: Value<'ctx>, bytes: u64) -> Value<'ctx> {
        let llvm = self.context.llvm;
        let mut index = self.number(bytes, 64).raw;
        let indices = &raw mut index;
        // SAFETY: a live context.
        let ty = unsafe { (llvm.LLVMInt8TypeInContext)(self.context.raw) };
        // SAFETY: a positioned builder, a live pointer and one index.
        let raw = unsafe {
            (llvm.LLVMBuildInBoundsGEP2)(self.raw, ty, base.raw, indices, 1, c"".as_ptr())
        };
        Value::new(raw, self.context)
    }

    /// What memory holds; `align` is known of the address.
    pub(crate) fn load(&self, ty: Type<'ctx>, from: Value<'ctx>, align: u32) -> Value<'ctx> {
        let build = self.context.llvm.LLVMBuildLoad2;
        // SAFETY: a positioned builder, a sized type and a live pointer.
        let raw = unsafe { build(self.raw, ty.raw, from.raw, c"".as_ptr()) };
        let value = Value::new(raw, self.context);
        value.set_alignment(align);
        value
    }

    /// Writes to memory; `align` is known of the address.
    pub(crate) fn store(&self, value: Value<'ctx>, to: Value<'ctx>, align: u32) {
        let build = self.context.llvm.LLVMBuildStore;
        // SAFETY: a positioned builder, a live value and a live pointer.
        let raw = unsafe { build(self.raw, value.raw, to.raw) };
        Value::new(raw, self.context).set_alignment(align);
    }

    /// A comparison of unsigned numbers.
    pub(crate) fn compare(&self, how: Compare, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        let build = self.context.llvm.LLVMBuildICmp;
        // SAFETY: a positioned builder and two live numbers of one type.
        let raw = unsafe { build(self.raw, how as c_int, a.raw, b.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    pub(crate) fn select(&self, which: Value<'ctx>, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        let build = self.context.llvm.LLVMBuildSelect;
        // SAFETY: a positioned builder, a truth value and two live values of one type.
        let raw = unsafe { build(self.raw, which.raw, a.raw, b.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// The address of the element at `index` from `base`, of elements as those of `like`, which is such an address.
    pub(crate) fn element(
        &self,
        like: Value<'ctx>,
        base: Value<'ctx>,
        index: Value<'ctx>,
    ) -> Value<'ctx> {
        let llvm = self.context.llvm;
        debug_assert!(like.op() == Op::GetElementPtr);
        let mut index = index.raw;
        // SAFETY: a live address instruction.
        let ty = unsafe { (llvm.LLVMGetGEPSourceElementType)(like.raw) };
        // SAFETY: a positioned builder, a live pointer and one live number.
        let raw = unsafe {
            (llvm.LLVMBuildGEP2)(self.raw, ty, base.raw, &raw mut index, 1, c"".as_ptr())
        };
        Value::new(raw, self.context)
    }

    /// A phi, still without values.
    pub(crate) fn phi(&self, ty: Type<'ctx>) -> Value<'ctx> {
        // SAFETY: a builder behind the phis of a block, and a type of its context.
        let raw = unsafe { (self.context.llvm.LLVMBuildPhi)(self.raw, ty.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// The same number in 64 bits.
    pub(crate) fn widened(&self, value: Value<'ctx>) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live context.
        let ty = unsafe { (llvm.LLVMInt64TypeInContext)(self.context.raw) };
        // SAFETY: a positioned builder and a live number of at most 64 bits.
        let raw = unsafe { (llvm.LLVMBuildZExt)(self.raw, value.raw, ty, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// The lower 32 bits of a number of 64.
    pub(crate) fn trunc32(&self, value: Value<'ctx>) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live context.
        let ty = unsafe { (llvm.LLVMInt32TypeInContext)(self.context.raw) };
        // SAFETY: a positioned builder and a live number of 64 bits.
        let raw = unsafe { (llvm.LLVMBuildTrunc)(self.raw, value.raw, ty, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// Some value where this one is none in particular: a branch on it is defined.
    pub(crate) fn freeze(&self, value: Value<'ctx>) -> Value<'ctx> {
        let build = self.context.llvm.LLVMBuildFreeze;
        // SAFETY: a positioned builder and a live value.
        let raw = unsafe { build(self.raw, value.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// True or false.
    pub(crate) fn boolean(&self, value: bool) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live context.
        let ty = unsafe { (llvm.LLVMInt1TypeInContext)(self.context.raw) };
        // SAFETY: a live type of integers.
        let raw = unsafe { (llvm.LLVMConstInt)(ty, u64::from(value), 0) };
        Value::new(raw, self.context)
    }

    /// A number of so many bits, 32 or 64.
    pub(crate) fn number(&self, value: u64, bits: u32) -> Value<'ctx> {
        let llvm = self.context.llvm;
        let (make, value) = if bits == 32 {
            (llvm.LLVMInt32TypeInContext, value & 0xffff_ffff)
        } else {
            (llvm.LLVMInt64TypeInContext, value)
        };
        // SAFETY: a live context.
        let ty = unsafe { make(self.context.raw) };
        // SAFETY: a live type of integers; what does not fit into 32 bits is cut off above.
        let raw = unsafe { (llvm.LLVMConstInt)(ty, value, 0) };
        Value::new(raw, self.context)
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `before`, disposed of once.
        unsafe { (self.context.llvm.LLVMDisposeBuilder)(self.raw) }
    }
}
