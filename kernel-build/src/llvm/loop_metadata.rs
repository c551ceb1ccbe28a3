//! What is said of a loop, in metadata of the branch that ends its latch.

use super::ffi::{Nullable as _, ValueRef};
use super::value::copied_text;
use super::{Context, Value, c_string};
use std::ffi::c_uint;
use std::ptr::null_mut;

/// The property of loops that stay as they are.
const KEPT: &str = "warploom.loop.kept";

/// The property of loops that LLVM does not unroll, and that ptxas is told not to.
const NOT_UNROLLED: &str = "llvm.loop.unroll.disable";

impl Value<'_> {
    /// Asks that LLVM unrolls the loop whose latch ends with this branch completely, if it knows the trip count; replaces what was said of the loop.
    pub(crate) fn request_full_unrolling(self) {
        self.set_loop_properties(&["llvm.loop.unroll.full"]);
    }

    /// Asks that the loop whose latch ends with this branch stays as it is, because it is run rarely; replaces what was said of the loop.
    pub(crate) fn keep_loop(self) {
        self.set_loop_properties(&[NOT_UNROLLED, KEPT]);
    }

    /// Whether this branch ends the latch of a loop that stays as it is.
    pub(crate) fn keeps_loop(self) -> bool {
        self.has_loop_property(KEPT)
    }

    /// Whether this branch ends the latch of a loop that is not unrolled, or not further.
    pub(crate) fn forbids_unrolling(self) -> bool {
        self.has_loop_property(NOT_UNROLLED)
    }

    fn has_loop_property(self, name: &str) -> bool {
        let (llvm, kind) = (self.context.llvm, self.context.metadata_kind("llvm.loop"));
        // SAFETY: a live instruction, and a kind of its context.
        let node = unsafe { (llvm.LLVMGetMetadata)(self.raw, kind) };
        let mut properties = operands_of_node(self.context, node).into_iter();
        properties.any(|property| {
            let named = operands_of_node(self.context, property).into_iter().next();
            named.is_some_and(|text| is_text(self.context, text, name))
        })
    }

    fn set_loop_properties(self, names: &[&str]) {
        let (llvm, context) = (self.context.llvm, self.context.raw);
        // SAFETY: a live context, and an empty list.
        let this = unsafe { (llvm.LLVMTemporaryMDNode)(context, null_mut(), 0) };
        let mut all = vec![this];
        for name in names {
            // SAFETY: a live context, and a text with its length.
            let name =
                unsafe { (llvm.LLVMMDStringInContext2)(context, name.as_ptr().cast(), name.len()) };
            // SAFETY: a live context, and a list with its length.
            all.push(unsafe { (llvm.LLVMMDNodeInContext2)(context, [name].as_mut_ptr(), 1) });
        }
        // SAFETY: a live context, and a list with its length.
        let node = unsafe { (llvm.LLVMMDNodeInContext2)(context, all.as_mut_ptr(), all.len()) };
        // A loop is named by a node that refers to itself.
        // SAFETY: the temporary node, which this deletes, and a node of the same context.
        unsafe { (llvm.LLVMMetadataReplaceAllUsesWith)(this, node) };
        // SAFETY: a live context and a node of it.
        let node = unsafe { (llvm.LLVMMetadataAsValue)(context, node) };
        // SAFETY: metadata of this context.
        unsafe { self.set_metadata("llvm.loop", node) };
    }
}

impl Context {
    /// LLVM's number of a kind of metadata.
    pub(super) fn metadata_kind(&self, name: &str) -> c_uint {
        let (text, len) = (c_string(name), name.len() as c_uint);
        // SAFETY: a live context, and a text with its length.
        unsafe { (self.llvm.LLVMGetMDKindIDInContext)(self.raw, text.as_ptr(), len) }
    }
}

/// What a node of metadata has; of other metadata nothing.
fn operands_of_node(context: &Context, node: ValueRef) -> Vec<ValueRef> {
    let llvm = context.llvm;
    // SAFETY: a live value.
    if node.is_null() || unsafe { (llvm.LLVMIsAMDNode)(node) }.is_null() {
        return vec![];
    }
    // SAFETY: a live node.
    let count = unsafe { (llvm.LLVMGetMDNodeNumOperands)(node) } as usize;
    let mut operands = vec![ValueRef(null_mut()); count];
    // SAFETY: a live node, and room for its operands.
    unsafe { (llvm.LLVMGetMDNodeOperands)(node, operands.as_mut_ptr()) };
    operands
}

/// Whether metadata is this text.
fn is_text(context: &Context, metadata: ValueRef, text: &str) -> bool {
    if metadata.is_null() {
        return false;
    }
    let mut length = 0;
    // SAFETY: live metadata; null for what is no text.
    let start = unsafe { (context.llvm.LLVMGetMDString)(metadata, &raw mut length) };
    // SAFETY: the text with its length.
    !start.is_null() && unsafe { copied_text(start, length as usize) } == text
}
