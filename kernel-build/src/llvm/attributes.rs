//! What passes may assume of a function or an instruction, and may do with it.

use super::ffi::Nullable as _;
use super::value::copied_text;
use super::{Attribute, Context, Op, Type, Value};
use std::ffi::c_uint;

impl Attribute {
    /// An attribute that LLVM has as text.
    pub(crate) fn text(context: &Context, key: &str, value: &str) -> Attribute {
        // SAFETY: two texts with their lengths, which LLVM copies.
        let raw = unsafe {
            (context.llvm.LLVMCreateStringAttribute)(
                context.raw,
                key.as_ptr().cast(),
                key.len() as c_uint,
                value.as_ptr().cast(),
                value.len() as c_uint,
            )
        };
        Attribute { raw }
    }
}

impl<'ctx> Value<'ctx> {
    /// The value of a string attribute at an index.
    pub(crate) fn string_attribute(self, index: u32, key: &str) -> Option<String> {
        let llvm = self.context.llvm;
        let (text, length) = (key.as_ptr().cast(), key.len() as c_uint);
        // SAFETY: a live function and a text with its length.
        let found = unsafe { (llvm.LLVMGetStringAttributeAtIndex)(self.raw, index, text, length) };
        if found.is_null() {
            return None;
        }
        let mut len = 0;
        // SAFETY: a live attribute with a text as its value.
        let start = unsafe { (llvm.LLVMGetStringAttributeValue)(found, &raw mut len) };
        // SAFETY: the value with its length.
        Some(unsafe { copied_text(start, len as usize) })
    }

    /// Adds a string attribute to a function.
    pub(crate) fn add_text_attribute(self, key: &str, value: &str) {
        let attribute = Attribute::text(self.context, key, value);
        self.add_attribute(Attribute::FUNCTION, attribute);
    }

    /// Keeps passes from changing or inlining a function until [`remove_optnone`](Self::remove_optnone), unless it has attributes that exclude this.
    pub(crate) fn add_optnone(self) {
        let contrary = ["alwaysinline", "optsize", "minsize"];
        if contrary.iter().any(|name| self.has_attribute(name)) {
            return;
        }
        for name in ["noinline", "optnone"] {
            if let Some(attribute) = Attribute::named(self.context, name, 0) {
                self.add_attribute(Attribute::FUNCTION, attribute);
            }
        }
    }

    /// Lets passes change a function again. It stays `noinline`: everything that was to be inlined has been.
    pub(crate) fn remove_optnone(self) {
        self.remove_attribute(Attribute::FUNCTION, "optnone");
    }

    pub(crate) fn has_attribute(self, name: &str) -> bool {
        self.has_attribute_at(Attribute::FUNCTION, name)
    }

    /// Whether the result of a function (0) or a parameter (1 is the first) has an attribute.
    pub(crate) fn has_attribute_at(self, index: u32, name: &str) -> bool {
        let get = self.context.llvm.LLVMGetEnumAttributeAtIndex;
        Attribute::kind(self.context, name).is_some_and(|kind| {
            // SAFETY: a live function and a kind that LLVM just gave.
            unsafe { !get(self.raw, index, kind).is_null() }
        })
    }

    pub(crate) fn add_call_attribute(self, index: u32, attribute: Attribute) {
        // SAFETY: a live call and an attribute of its context.
        unsafe { (self.context.llvm.LLVMAddCallSiteAttribute)(self.raw, index, attribute.raw) }
    }

    pub(crate) fn remove_call_attribute(self, index: u32, name: &str) {
        if let Some(kind) = Attribute::kind(self.context, name) {
            // SAFETY: a live call and a kind that LLVM just gave.
            unsafe { (self.context.llvm.LLVMRemoveCallSiteEnumAttribute)(self.raw, index, kind) }
        }
    }

    /// The alignment that a call promises of an argument; 1 if it says nothing.
    pub(crate) fn alignment_of_argument(self, index: u32) -> u64 {
        let llvm = self.context.llvm;
        Attribute::kind(self.context, "align").map_or(1, |kind| {
            // SAFETY: called on calls only, with a kind that LLVM just gave.
            let found = unsafe { (llvm.LLVMGetCallSiteEnumAttribute)(self.raw, index + 1, kind) };
            if found.is_null() {
                1
            } else {
                // SAFETY: an attribute that is there, of a kind with a number.
                unsafe { (llvm.LLVMGetEnumAttributeValue)(found) }.max(1)
            }
        })
    }

    /// Whether threads that make a call together have to do so.
    pub(crate) fn is_convergent(self) -> bool {
        let llvm = self.context.llvm;
        let Some(kind) = Attribute::kind(self.context, "convergent") else {
            return true;
        };
        let called = self.callee().as_function();
        // SAFETY: called on calls only, with a kind that LLVM just gave.
        let of_call =
            unsafe { (llvm.LLVMGetCallSiteEnumAttribute)(self.raw, Attribute::FUNCTION, kind) };
        let of_function = |f: Value<'ctx>| {
            // SAFETY: a live function, and a kind that LLVM just gave.
            !unsafe { (llvm.LLVMGetEnumAttributeAtIndex)(f.raw, Attribute::FUNCTION, kind) }
                .is_null()
        };
        !of_call.is_null() || called.is_some_and(of_function)
    }

    /// Whether a function has NVPTX's calling convention of kernels.
    pub(crate) fn is_kernel(self) -> bool {
        const PTX_KERNEL: c_uint = 71;
        // SAFETY: a live function.
        unsafe { (self.context.llvm.LLVMGetFunctionCallConv)(self.raw) == PTX_KERNEL }
    }

    pub(crate) fn has_personality(self) -> bool {
        // SAFETY: a live function.
        unsafe { (self.context.llvm.LLVMHasPersonalityFn)(self.raw) != 0 }
    }

    /// What a function returns.
    pub(crate) fn return_type(self) -> Type<'ctx> {
        let get = self.context.llvm.LLVMGetReturnType;
        // SAFETY: the type of a live function, which is a function type.
        let raw = unsafe { get(self.value_type().raw) };
        Type::new(raw, self.context)
    }

    /// Whether a function contains an `invoke` or a landing pad.
    pub(crate) fn unwinds(self) -> bool {
        let instructions = self.instructions().into_iter();
        instructions
            .map(Value::op)
            .any(|op| matches!(op, Op::Invoke | Op::LandingPad | Op::Resume))
    }

    /// The first value and the one after the last that a call of type `i32` is said to return; `None` if it wraps around.
    ///
    /// From the printed instruction: the C API of LLVM 22 can make a `range` attribute, but not read one.
    pub(crate) fn result_range(self) -> Option<(u64, u64)> {
        let llvm = self.context.llvm;
        let kind = Attribute::kind(self.context, "range")?;
        // SAFETY: called on calls only, with a kind that LLVM just gave.
        let attribute = unsafe { (llvm.LLVMGetCallSiteEnumAttribute)(self.raw, 0, kind) };
        if attribute.is_null() {
            return None;
        }
        // LLVM's C interface shows ranges in text only, and printing one instruction numbers the values of its whole module. A context has each attribute once.
        let known = self.context.ranges.borrow().get(&attribute).copied();
        known.unwrap_or_else(|| {
            let range = self.printed_range();
            self.context.ranges.borrow_mut().insert(attribute, range);
            range
        })
    }

    fn printed_range(self) -> Option<(u64, u64)> {
        let text = self.to_text();
        let (_, range) = text.split_once("range(i32 ")?;
        let (from, rest) = range.split_once(", ")?;
        let (from, to): (i64, i64) = (from.parse().ok()?, rest.split_once(')')?.0.parse().ok()?);
        // A range that wraps around, or ends above 2^31, is printed with a sign.
        (0 <= from && from < to).then(|| (from.cast_unsigned(), to.cast_unsigned()))
    }

    /// Allows LLVM to fuse this multiplication or addition with its neighbour.
    pub(crate) fn allow_contraction(self) {
        const CONTRACT: c_uint = 1 << 5;
        self.add_fast_math_flags(CONTRACT);
    }

    /// Allows LLVM to approximate this division or function.
    pub(crate) fn allow_approximation(self) {
        const APPROXIMATE_FUNCTIONS: c_uint = 1 << 6;
        self.add_fast_math_flags(APPROXIMATE_FUNCTIONS);
    }

    fn add_fast_math_flags(self, more: c_uint) {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMCanValueUseFastMathFlags)(self.raw) } != 0 {
            // SAFETY: an instruction that can have such flags.
            let flags = unsafe { (llvm.LLVMGetFastMathFlags)(self.raw) };
            // SAFETY: as above.
            unsafe { (llvm.LLVMSetFastMathFlags)(self.raw, flags | more) };
        }
    }
}
