//! Arithmetic between LLVM's instructions, by its operation.

use super::ffi::Nullable as _;
use super::{Builder, Module, Op, Predicate, Type, Value};
use std::ffi::c_int;

impl<'ctx> Value<'ctx> {
    /// The base and the number of an element's address.
    pub(crate) fn as_gep(self) -> Option<(Value<'ctx>, Value<'ctx>)> {
        // SAFETY: a live value.
        let is_address =
            unsafe { !(self.context.llvm.LLVMIsAGetElementPtrInst)(self.raw).is_null() };
        match self
            .block()
            .filter(|_| is_address)
            .map(|_| self.operands())?[..]
        {
            [base, number] => Some((base, number)),
            _ => None,
        }
    }

    /// Whether a difference is poison where it is negative.
    pub(crate) fn is_poison_below_zero(self) -> bool {
        if self.block().is_none() || self.op() != Op::Sub {
            return false;
        }
        // SAFETY: a live subtraction.
        unsafe { (self.context.llvm.LLVMGetNUW)(self.raw) != 0 }
    }

    /// Whether a sum is poison where it wraps around, as a signed number or as an unsigned one.
    pub(crate) fn is_poison_on_wrap(self) -> bool {
        if self.block().is_none() || self.op() != Op::Add {
            return false;
        }
        let llvm = self.context.llvm;
        // SAFETY: a live addition.
        let unsigned = unsafe { (llvm.LLVMGetNUW)(self.raw) } != 0;
        // SAFETY: a live addition.
        unsigned || unsafe { (llvm.LLVMGetNSW)(self.raw) } != 0
    }

    pub(crate) fn has_one_use(self) -> bool {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        let first = unsafe { (llvm.LLVMGetFirstUse)(self.raw) };
        // SAFETY: a use of a live value, which is not null.
        !first.is_null() && unsafe { (llvm.LLVMGetNextUse)(first) }.is_null()
    }
}

impl<'ctx> Builder<'ctx> {
    /// An operation of two numbers of one type.
    pub(crate) fn operation(&self, op: Op, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        debug_assert!(a.ty().kind() == b.ty().kind());
        let build = self.context.llvm.LLVMBuildBinOp;
        // SAFETY: a positioned builder, an operation of two numbers, and two live ones of one type.
        let raw = unsafe { build(self.raw, op.number(), a.raw, b.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// An addition, multiplication or shift whose result is never cut off.
    pub(crate) fn without_wrapping(&self, op: Op, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        let result = self.operation(op, a, b);
        if result.block().is_some() {
            // SAFETY: an instruction that can have the mark: constants, which have none, are sorted out above.
            unsafe { (self.context.llvm.LLVMSetNUW)(result.raw, 1) };
        }
        result
    }

    /// A number with zeros before it, in 32 or 64 bits.
    pub(crate) fn extended(&self, value: Value<'ctx>, bits: u32) -> Value<'ctx> {
        if bits == 64 {
            return self.widened(value);
        }
        let llvm = self.context.llvm;
        // SAFETY: a live context.
        let ty = unsafe { (llvm.LLVMInt32TypeInContext)(self.context.raw) };
        // SAFETY: a positioned builder and a live number of less than 32 bits.
        let raw = unsafe { (llvm.LLVMBuildZExt)(self.raw, value.raw, ty, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// A signed number of less than 32 bits in 32.
    pub(crate) fn sign_extended(&self, value: Value<'ctx>) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live context.
        let ty = unsafe { (llvm.LLVMInt32TypeInContext)(self.context.raw) };
        // SAFETY: a positioned builder and a live number of less than 32 bits.
        let raw = unsafe { (llvm.LLVMBuildSExt)(self.raw, value.raw, ty, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// A signed number of 32 bits in 64.
    pub(crate) fn sign_widened(&self, value: Value<'ctx>) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live context.
        let ty = unsafe { (llvm.LLVMInt64TypeInContext)(self.context.raw) };
        // SAFETY: a positioned builder and a live number of 32 bits.
        let raw = unsafe { (llvm.LLVMBuildSExt)(self.raw, value.raw, ty, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// A comparison, of signed numbers too.
    pub(crate) fn compare_as(&self, how: Predicate, a: Value<'ctx>, b: Value<'ctx>) -> Value<'ctx> {
        let build = self.context.llvm.LLVMBuildICmp;
        // SAFETY: a positioned builder and two live numbers of one type.
        let raw = unsafe { build(self.raw, how as c_int, a.raw, b.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// Whether a floating-point number is not NaN.
    pub(crate) fn is_ordered(&self, number: Value<'ctx>) -> Value<'ctx> {
        const ORDERED: c_int = 7; // `LLVMRealORD`
        let build = self.context.llvm.LLVMBuildFCmp;
        // SAFETY: a positioned builder, and a live floating-point number, twice.
        let raw = unsafe { build(self.raw, ORDERED, number.raw, number.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }

    /// The lower bits of a number, as a smaller type.
    pub(crate) fn truncated(&self, value: Value<'ctx>, ty: Type<'ctx>) -> Value<'ctx> {
        let build = self.context.llvm.LLVMBuildTrunc;
        // SAFETY: a positioned builder, a live number, and a type of fewer bits.
        let raw = unsafe { build(self.raw, value.raw, ty.raw, c"".as_ptr()) };
        Value::new(raw, self.context)
    }
}

impl<'ctx> Module<'ctx> {
    /// The declaration of an intrinsic that comes for several types, for one of them; `None` if LLVM does not know it.
    pub(crate) fn intrinsic_of(&mut self, name: &str, ty: Type<'ctx>) -> Option<Value<'ctx>> {
        let context = self.context();
        if !self.is_overloaded_intrinsic(name) {
            return None;
        }
        let (llvm, mut types) = (context.llvm, [ty.raw]);
        // SAFETY: a text with its length.
        let id = unsafe { (llvm.LLVMLookupIntrinsicID)(name.as_ptr().cast(), name.len()) };
        let declare = llvm.LLVMGetIntrinsicDeclaration;
        // SAFETY: a live module, an id that LLVM just gave of an intrinsic for several types, and one type.
        let raw = unsafe { declare(self.raw, id, types.as_mut_ptr(), types.len()) };
        Some(Value::new(raw, context))
    }
}
