//! Values and attributes: handles that live as long as the context.
//!
//! A value that was erased must not be used again; the two methods that erase are `unsafe` and say so.

use super::ffi::{AttributeRef, Nullable as _, ValueRef};
use super::{Context, Op, Type, TypeKind, module};
use std::ffi::{CStr, c_uint};
use std::fmt;

/// A function, global, instruction, argument or constant.
#[derive(Clone, Copy)]
pub(crate) struct Value<'ctx> {
    pub(super) raw: ValueRef,
    pub(super) context: &'ctx Context,
}

/// The visibility of a global value. The numbers are LLVM's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub(crate) enum Linkage {
    External = 0,
    LinkOnceOdr = 3,
    WeakOdr = 6,
    Internal = 8,
}

/// A copy of a text that LLVM keeps; empty for null.
///
/// # Safety
///
/// `start` is null or points to `len` bytes.
pub(super) unsafe fn copied_text(start: *const std::ffi::c_char, len: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl Eq for Value<'_> {}
impl std::hash::Hash for Value<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// LLVM's numbers of memory orders.
const ACQUIRE: i32 = 4;
const RELEASE: i32 = 5;
const BOTH: i32 = 6;

impl<'ctx> Value<'ctx> {
    pub(super) fn new(raw: ValueRef, context: &'ctx Context) -> Value<'ctx> {
        Value { raw, context }
    }

    fn some(self, raw: ValueRef) -> Option<Value<'ctx>> {
        (!raw.is_null()).then_some(Value {
            raw,
            context: self.context,
        })
    }

    pub(crate) fn name(self) -> String {
        let mut len = 0;
        // SAFETY: a live value.
        let start = unsafe { (self.context.llvm.LLVMGetValueName2)(self.raw, &raw mut len) };
        // SAFETY: the name with its length, copied before anything can change it.
        unsafe { copied_text(start, len) }
    }

    pub(crate) fn set_name(self, name: &str) {
        // SAFETY: a live value and a text with its length, which LLVM copies.
        unsafe {
            (self.context.llvm.LLVMSetValueName2)(self.raw, name.as_ptr().cast(), name.len());
        }
    }

    pub(crate) fn to_text(self) -> String {
        // SAFETY: a live value; the text is ours.
        let text = unsafe { (self.context.llvm.LLVMPrintValueToString)(self.raw) };
        self.context.owned_message(text).unwrap_or_default()
    }

    pub(crate) fn ty(self) -> Type<'ctx> {
        // SAFETY: a live value.
        Type::new(
            unsafe { (self.context.llvm.LLVMTypeOf)(self.raw) },
            self.context,
        )
    }

    /// The type of a global's content, or of a function.
    pub(crate) fn value_type(self) -> Type<'ctx> {
        // SAFETY: called on globals and functions only.
        Type::new(
            unsafe { (self.context.llvm.LLVMGlobalGetValueType)(self.raw) },
            self.context,
        )
    }

    // ---- globals and functions

    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: a live global value.
        unsafe { (self.context.llvm.LLVMIsDeclaration)(self.raw) != 0 }
    }

    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: a live global variable.
        unsafe { (self.context.llvm.LLVMIsThreadLocal)(self.raw) != 0 }
    }

    pub(crate) fn has_local_linkage(self) -> bool {
        const INTERNAL: i32 = 8;
        const PRIVATE: i32 = 9;
        // SAFETY: a live global value.
        let linkage = unsafe { (self.context.llvm.LLVMGetLinkage)(self.raw) };
        linkage == INTERNAL || linkage == PRIVATE
    }

    pub(crate) fn set_linkage(self, linkage: Linkage) {
        const DEFAULT_VISIBILITY: i32 = 0;
        // SAFETY: a live global value; default visibility fits every linkage.
        unsafe { (self.context.llvm.LLVMSetVisibility)(self.raw, DEFAULT_VISIBILITY) };
        // SAFETY: a live global value; the default class fits every linkage.
        unsafe { (self.context.llvm.LLVMSetDLLStorageClass)(self.raw, 0) };
        // SAFETY: a live global value of default visibility, which local linkage wants.
        unsafe { (self.context.llvm.LLVMSetLinkage)(self.raw, linkage as i32) };
    }

    /// Removes what only host object files have: section and comdat.
    pub(crate) fn clear_host_placement(self) {
        self.set_section(c"");
        // SAFETY: a live function or global variable with a body; null is no comdat.
        unsafe { (self.context.llvm.LLVMSetComdat)(self.raw, std::ptr::null_mut()) };
    }

    /// Places it into the section of this name.
    pub(crate) fn set_section(self, name: &CStr) {
        // SAFETY: a live function or global variable with a body; LLVM copies the name.
        unsafe { (self.context.llvm.LLVMSetSection)(self.raw, name.as_ptr()) };
    }

    pub(crate) fn section(self) -> String {
        // SAFETY: a live global value.
        let text = unsafe { (self.context.llvm.LLVMGetSection)(self.raw) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: a zero-ended text, copied at once.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }

    pub(crate) fn initializer(self) -> Option<Value<'ctx>> {
        // SAFETY: a live global variable.
        self.some(unsafe { (self.context.llvm.LLVMGetInitializer)(self.raw) })
    }

    pub(crate) fn set_initializer(self, value: Value<'ctx>) {
        // SAFETY: a live global variable and a constant of its value type.
        unsafe { (self.context.llvm.LLVMSetInitializer)(self.raw, value.raw) }
    }

    pub(crate) fn alignment(self) -> u32 {
        // SAFETY: a live global value.
        unsafe { (self.context.llvm.LLVMGetAlignment)(self.raw) }
    }

    pub(crate) fn set_alignment(self, bytes: u32) {
        // SAFETY: a live global variable, load or store, and a power of two.
        unsafe { (self.context.llvm.LLVMSetAlignment)(self.raw, bytes) }
    }

    /// Others may write the global before the program starts, so LLVM must not rely on its initial value.
    pub(crate) fn set_externally_initialized(self) {
        // SAFETY: a live global variable.
        unsafe { (self.context.llvm.LLVMSetExternallyInitialized)(self.raw, 1) }
    }

    pub(crate) fn is_constant_global(self) -> bool {
        // SAFETY: a live global variable.
        unsafe { (self.context.llvm.LLVMIsGlobalConstant)(self.raw) != 0 }
    }

    /// The program writes it while it runs.
    pub(crate) fn set_variable_global(self) {
        // SAFETY: a live global variable.
        unsafe { (self.context.llvm.LLVMSetGlobalConstant)(self.raw, 0) }
    }

    pub(crate) fn set_constant_global(self) {
        // SAFETY: a live global variable.
        unsafe { (self.context.llvm.LLVMSetGlobalConstant)(self.raw, 1) }
    }

    pub(crate) fn replace_all_uses_with(self, new: Value<'ctx>) {
        // SAFETY: two live values of one type (all pointers of one address space have one type).
        unsafe { (self.context.llvm.LLVMReplaceAllUsesWith)(self.raw, new.raw) }
    }

    /// Puts other values in the places of some operands of an instruction; they must be known there.
    pub(crate) fn replace_operands(self, replacements: &[(Value<'ctx>, Value<'ctx>)]) {
        for (index, operand) in (0..).zip(self.operands()) {
            if let Some((_, new)) = replacements.iter().find(|(old, _)| *old == operand) {
                self.set_operand(index, *new);
            }
        }
    }

    pub(crate) fn is_used(self) -> bool {
        // SAFETY: a live value.
        unsafe { !(self.context.llvm.LLVMGetFirstUse)(self.raw).is_null() }
    }

    /// # Safety
    /// The global has no uses, and no copy of this handle is used again.
    pub(crate) unsafe fn delete_global(self) {
        // SAFETY: promised by the caller.
        unsafe { (self.context.llvm.LLVMDeleteGlobal)(self.raw) }
    }

    /// # Safety
    /// The instruction's result is not used, and no copy of this handle is used again.
    pub(crate) unsafe fn erase_instruction(self) {
        // SAFETY: promised by the caller.
        unsafe { (self.context.llvm.LLVMInstructionEraseFromParent)(self.raw) }
    }

    /// The function that an alias stands for.
    pub(crate) fn aliasee(self) -> Option<Value<'ctx>> {
        // SAFETY: called on aliases only.
        self.some(unsafe { (self.context.llvm.LLVMAliasGetAliasee)(self.raw) })
    }

    // ---- functions

    pub(crate) fn instructions(self) -> Vec<Value<'ctx>> {
        module::instructions(self.raw, self.context)
    }

    pub(crate) fn params(self) -> Vec<Value<'ctx>> {
        // SAFETY: a live function.
        let count = unsafe { (self.context.llvm.LLVMCountParams)(self.raw) };
        // SAFETY: a live function and an index below its count.
        let param = |i| unsafe { (self.context.llvm.LLVMGetParam)(self.raw, i) };
        (0..count)
            .map(|i| Value::new(param(i), self.context))
            .collect()
    }

    pub(crate) fn clear_personality(self) {
        let llvm = self.context.llvm;
        // SAFETY: a live function.
        if unsafe { (llvm.LLVMHasPersonalityFn)(self.raw) } != 0 {
            // SAFETY: a live function; a null personality removes it.
            unsafe { (llvm.LLVMSetPersonalityFn)(self.raw, ValueRef(std::ptr::null_mut())) };
        }
    }

    /// Keys of the string attributes at an index ([`Attribute::FUNCTION`] or a parameter's).
    pub(crate) fn string_attributes(self, index: u32) -> Vec<String> {
        let llvm = self.context.llvm;
        // SAFETY: a live function.
        let count = unsafe { (llvm.LLVMGetAttributeCountAtIndex)(self.raw, index) } as usize;
        let mut list = vec![AttributeRef(std::ptr::null_mut()); count];
        // SAFETY: a live function, and room for as many attributes as LLVM says.
        unsafe { (llvm.LLVMGetAttributesAtIndex)(self.raw, index, list.as_mut_ptr()) };
        list.into_iter()
            // SAFETY: a live attribute.
            .filter(|a| unsafe { (llvm.LLVMIsStringAttribute)(*a) } != 0)
            .map(|a| {
                let mut len = 0;
                // SAFETY: a live attribute with a text as its key.
                let start = unsafe { (llvm.LLVMGetStringAttributeKind)(a, &raw mut len) };
                // SAFETY: the key with its length.
                unsafe { copied_text(start, len as usize) }
            })
            .collect()
    }

    pub(crate) fn remove_string_attribute(self, index: u32, key: &str) {
        // SAFETY: a live function and a text with its length.
        unsafe {
            (self.context.llvm.LLVMRemoveStringAttributeAtIndex)(
                self.raw,
                index,
                key.as_ptr().cast(),
                key.len() as c_uint,
            );
        }
    }

    pub(crate) fn remove_attribute(self, index: u32, name: &str) {
        if let Some(kind) = Attribute::kind(self.context, name) {
            // SAFETY: a live function and a kind that LLVM just gave.
            unsafe { (self.context.llvm.LLVMRemoveEnumAttributeAtIndex)(self.raw, index, kind) }
        }
    }

    pub(crate) fn add_attribute(self, index: u32, attribute: Attribute) {
        // SAFETY: a live function and an attribute of its context.
        unsafe { (self.context.llvm.LLVMAddAttributeAtIndex)(self.raw, index, attribute.raw) }
    }

    // ---- instructions and constants

    pub(crate) fn op(self) -> Op {
        // SAFETY: called on instructions only.
        Op::of_number(unsafe { (self.context.llvm.LLVMGetInstructionOpcode)(self.raw) })
    }

    /// The function, pointer or assembly that a call calls.
    pub(crate) fn callee(self) -> Value<'ctx> {
        // SAFETY: called on calls only.
        Value::new(
            unsafe { (self.context.llvm.LLVMGetCalledValue)(self.raw) },
            self.context,
        )
    }

    /// The arguments of a call.
    pub(crate) fn args(self) -> Vec<Value<'ctx>> {
        // SAFETY: called on calls only.
        let count = unsafe { (self.context.llvm.LLVMGetNumArgOperands)(self.raw) };
        self.operands().into_iter().take(count as usize).collect()
    }

    pub(crate) fn operands(self) -> Vec<Value<'ctx>> {
        // SAFETY: a live user.
        let count = unsafe { (self.context.llvm.LLVMGetNumOperands)(self.raw) }.max(0);
        (0..count as c_uint)
            // SAFETY: a live user and an index below its count.
            .map(|i| unsafe { (self.context.llvm.LLVMGetOperand)(self.raw, i) })
            .filter(|raw| !raw.is_null())
            .map(|raw| Value::new(raw, self.context))
            .collect()
    }

    pub(crate) fn set_operand(self, index: u32, value: Value<'ctx>) {
        // SAFETY: a live user, an index below its operand count, a value of the old one's type.
        unsafe { (self.context.llvm.LLVMSetOperand)(self.raw, index, value.raw) }
    }

    pub(crate) fn as_function(self) -> Option<Value<'ctx>> {
        // SAFETY: a live value.
        self.some(unsafe { (self.context.llvm.LLVMIsAFunction)(self.raw) })
    }

    pub(crate) fn as_global(self) -> Option<Value<'ctx>> {
        // SAFETY: a live value.
        self.some(unsafe { (self.context.llvm.LLVMIsAGlobalVariable)(self.raw) })
    }

    pub(crate) fn as_call(self) -> Option<Value<'ctx>> {
        // SAFETY: a live value.
        self.some(unsafe { (self.context.llvm.LLVMIsACallInst)(self.raw) })
    }

    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: a live value.
        unsafe { !(self.context.llvm.LLVMIsAConstant)(self.raw).is_null() }
    }

    /// The function and the index, if this is a parameter.
    pub(crate) fn as_param(self) -> Option<(Value<'ctx>, usize)> {
        // SAFETY: a live value.
        if unsafe { (self.context.llvm.LLVMIsAArgument)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: a live argument, whose parent is its function.
        let function = unsafe { (self.context.llvm.LLVMGetParamParent)(self.raw) };
        let function = Value::new(function, self.context);
        let index = function.params().iter().position(|p| *p == self)?;
        Some((function, index))
    }

    /// Whether this is the null pointer, of generic memory or cast to another address space.
    pub(crate) fn is_null_pointer(self) -> bool {
        let llvm = self.context.llvm;
        if !self.is_constant() || !matches!(self.ty().kind(), TypeKind::Pointer(_)) {
            return false;
        }
        // SAFETY: a live value.
        if !unsafe { (llvm.LLVMIsAConstantExpr)(self.raw) }.is_null() {
            // Of the expressions that make pointers only a cast has one operand.
            return matches!(self.operands()[..], [cast] if cast.is_null_pointer());
        }
        // SAFETY: a live constant.
        unsafe { (llvm.LLVMIsNull)(self.raw) != 0 }
    }

    pub(crate) fn as_integer(self) -> Option<u64> {
        // SAFETY: a live value.
        if unsafe { (self.context.llvm.LLVMIsAConstantInt)(self.raw) }.is_null() {
            return None;
        }
        match self.ty().kind() {
            TypeKind::Integer(width) if width <= 64 => {
                // SAFETY: a live constant of at most 64 bits.
                Some(unsafe { (self.context.llvm.LLVMConstIntGetZExtValue)(self.raw) })
            }
            _ => None,
        }
    }

    /// The text of inline assembly, if this is such.
    pub(crate) fn asm_text(self) -> Option<String> {
        let mut len = 0;
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMIsAInlineAsm)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: live inline assembly.
        let start = unsafe { (llvm.LLVMGetInlineAsmAsmString)(self.raw, &raw mut len) };
        // SAFETY: the text with its length.
        Some(unsafe { copied_text(start, len) })
    }

    /// Whether this is inline assembly in Intel's syntax.
    pub(crate) fn is_intel_asm(self) -> bool {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMIsAInlineAsm)(self.raw) }.is_null() {
            return false;
        }
        // SAFETY: live inline assembly. 1 is `LLVMInlineAsmDialectIntel`.
        unsafe { (llvm.LLVMGetInlineAsmDialect)(self.raw) == 1 }
    }

    /// The bytes of a constant array of `i8`.
    pub(crate) fn as_bytes(self) -> Option<Vec<u8>> {
        let mut len = 0;
        let llvm = self.context.llvm;
        // SAFETY: a live constant.
        if unsafe { (llvm.LLVMIsAConstantDataArray)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: a live array of constants.
        if unsafe { (llvm.LLVMIsConstantString)(self.raw) } == 0 {
            return None;
        }
        // SAFETY: a live string.
        let start = unsafe { (llvm.LLVMGetAsString)(self.raw, &raw mut len) };
        // SAFETY: the bytes with their length, copied at once.
        Some(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) }.to_vec())
    }

    /// The size of a pointer or an array of bytes that is all zero or undefined; `None` for other constants.
    pub(crate) fn zero_size(self) -> Option<usize> {
        // SAFETY: a live value.
        let is_zero = unsafe { (self.context.llvm.LLVMIsNull)(self.raw) != 0 };
        if !is_zero && self != self.ty().undef() {
            return None;
        }
        if self.ty().kind() == TypeKind::Pointer(0) {
            return Some(8);
        }
        usize::try_from(self.ty().byte_array()?).ok()
    }

    /// Of a load, store or atomic: whether it is volatile.
    pub(crate) fn is_volatile(self) -> bool {
        // SAFETY: called on accesses only.
        unsafe { (self.context.llvm.LLVMGetVolatile)(self.raw) != 0 }
    }

    /// Whether this is a local variable.
    pub(crate) fn is_alloca(self) -> bool {
        // SAFETY: a live value.
        self.some(unsafe { (self.context.llvm.LLVMIsAAllocaInst)(self.raw) })
            .is_some()
    }

    /// The type of a local variable; `None` for what is none.
    pub(crate) fn local_type(self) -> Option<Type<'ctx>> {
        let get = self.context.llvm.LLVMGetAllocatedType;
        // SAFETY: a live local variable.
        self.is_alloca()
            .then(|| Type::new(unsafe { get(self.raw) }, self.context))
    }

    /// What an address was computed from, if this is such a computation.
    pub(crate) fn base_of_address(self) -> Option<Value<'ctx>> {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        let element = !unsafe { (llvm.LLVMIsAGetElementPtrInst)(self.raw) }.is_null();
        // SAFETY: a live value.
        let constant = !unsafe { (llvm.LLVMIsAConstantExpr)(self.raw) }.is_null();
        // SAFETY: an address instruction or a constant expression, which has operands.
        let base = || Value::new(unsafe { (llvm.LLVMGetOperand)(self.raw, 0) }, self.context);
        (element || constant && matches!(base().ty().kind(), TypeKind::Pointer(_))).then(base)
    }

    /// Memory order of an atomic instruction, as LLVM numbers it: 2 relaxed, 4 acquire, 5 release, 6 both, 7 sequentially consistent.
    ///
    /// 0 for loads and stores that are not atomic; of a compare-exchange that of success and failure together, which PTX has one for.
    pub(crate) fn ordering(self) -> i32 {
        if self.op() == Op::CmpXchg {
            // SAFETY: a live compare-exchange.
            let success = unsafe { (self.context.llvm.LLVMGetCmpXchgSuccessOrdering)(self.raw) };
            // SAFETY: as above.
            let failure = unsafe { (self.context.llvm.LLVMGetCmpXchgFailureOrdering)(self.raw) };
            match (success, failure) {
                (RELEASE, ACQUIRE) => BOTH,
                _ => success.max(failure),
            }
        } else {
            // SAFETY: called on loads, stores, fences and read-modify-writes only.
            unsafe { (self.context.llvm.LLVMGetOrdering)(self.raw) }
        }
    }

    pub(crate) fn rmw_operation(self) -> i32 {
        // SAFETY: called on `atomicrmw` only.
        unsafe { (self.context.llvm.LLVMGetAtomicRMWBinOp)(self.raw) }
    }

    /// Number of the synchronisation scope; 1 is the whole system.
    pub(crate) fn sync_scope(self) -> u32 {
        // SAFETY: called on atomic instructions only.
        unsafe { (self.context.llvm.LLVMGetAtomicSyncScopeID)(self.raw) }
    }

    /// This constant pointer as one into the generic address space.
    pub(crate) fn cast_to_generic(self) -> Value<'ctx> {
        let llvm = self.context.llvm;
        // SAFETY: a live context.
        let generic = unsafe { (llvm.LLVMPointerTypeInContext)(self.context.raw, 0) };
        // SAFETY: a constant pointer and a type of pointers.
        let cast = unsafe { (llvm.LLVMConstAddrSpaceCast)(self.raw, generic) };
        Value::new(cast, self.context)
    }

    /// The constant packed struct of these fields.
    pub(crate) fn packed_struct(fields: &[Value<'ctx>]) -> Option<Value<'ctx>> {
        let context = fields.first()?.context;
        let raw: Vec<ValueRef> = fields.iter().map(|f| f.raw).collect();
        // SAFETY: constants of one context.
        let value = unsafe {
            (context.llvm.LLVMConstStructInContext)(
                context.raw,
                raw.as_ptr(),
                raw.len() as c_uint,
                1,
            )
        };
        Some(Value::new(value, context))
    }
}

/// An attribute of a function, call or parameter.
#[derive(Clone, Copy)]
pub(crate) struct Attribute {
    pub(super) raw: AttributeRef,
}

impl Attribute {
    /// Index of attributes of the function itself; parameter `i` has index `i + 1`.
    pub(crate) const FUNCTION: u32 = u32::MAX;

    /// Index of attributes of what a call or function returns.
    pub(crate) const RETURN: u32 = 0;

    /// That a 32-bit result lies in `from..to`.
    pub(crate) fn range(context: &Context, from: u64, to: u64) -> Option<Attribute> {
        let kind = Attribute::kind(context, "range")?;
        // SAFETY: a kind that LLVM just gave; one word each for 32 bits, which LLVM copies.
        let raw = unsafe {
            (context.llvm.LLVMCreateConstantRangeAttribute)(
                context.raw,
                kind,
                32,
                &raw const from,
                &raw const to,
            )
        };
        Some(Attribute { raw })
    }

    pub(super) fn kind(context: &Context, name: &str) -> Option<c_uint> {
        // SAFETY: a text with its length.
        let kind = unsafe {
            (context.llvm.LLVMGetEnumAttributeKindForName)(name.as_ptr().cast(), name.len())
        };
        (kind != 0).then_some(kind)
    }

    /// An attribute by LLVM's name, with a number where it takes one; `None` if LLVM does not know it.
    pub(crate) fn named(context: &Context, name: &str, value: u64) -> Option<Attribute> {
        let kind = Attribute::kind(context, name)?;
        // SAFETY: a kind that LLVM just gave.
        let raw = unsafe { (context.llvm.LLVMCreateEnumAttribute)(context.raw, kind, value) };
        Some(Attribute { raw })
    }
}
