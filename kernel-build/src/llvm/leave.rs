//! What passes may do with a function or an instruction.

use super::ffi::Nullable as _;
use super::{Attribute, Value};
use std::ffi::c_uint;

impl Value<'_> {
    /// Keeps passes from changing or inlining a function until [`let_go`](Self::let_go); `false` where that cannot be asked of it.
    pub(crate) fn hold_still(self) -> bool {
        let contrary = ["alwaysinline", "optnone", "optsize", "minsize"];
        if contrary.iter().any(|name| self.has_attribute(name)) {
            return false;
        }
        for name in ["noinline", "optnone"] {
            if let Some(attribute) = Attribute::named(self.context, name, 0) {
                self.add_attribute(Attribute::FUNCTION, attribute);
            }
        }
        true
    }

    /// Lets passes change a function again. Not inlined it stays: what was to be inlined has been.
    pub(crate) fn let_go(self) {
        self.remove_attribute(Attribute::FUNCTION, "optnone");
    }

    fn has_attribute(self, name: &str) -> bool {
        let get = self.context.llvm.LLVMGetEnumAttributeAtIndex;
        Attribute::kind(self.context, name).is_some_and(|kind| {
            // SAFETY: a live function and a kind that LLVM just gave.
            unsafe { !get(self.raw, Attribute::FUNCTION, kind).is_null() }
        })
    }

    /// Allows LLVM to fuse this multiplication or addition with its neighbour.
    pub(crate) fn allow_contraction(self) {
        const CONTRACT: c_uint = 1 << 5;
        let llvm = self.context.llvm;
        // SAFETY: flags are set on instructions that can have them.
        unsafe {
            if (llvm.LLVMCanValueUseFastMathFlags)(self.raw) != 0 {
                let flags = (llvm.LLVMGetFastMathFlags)(self.raw);
                (llvm.LLVMSetFastMathFlags)(self.raw, flags | CONTRACT);
            }
        }
    }
}
