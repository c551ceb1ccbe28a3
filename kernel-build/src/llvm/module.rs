//! A module: code under construction.

use super::ffi::{BlockRef, MemoryBufferRef, ModuleRef, Nullable as _, ValueRef};
use super::{Block, Context, LlvmError, Machine, Passes, Type, Value, c_string, ffi};
use std::ffi::c_uint;
use std::mem::ManuallyDrop;
use std::ptr::null_mut;

/// LLVM IR under construction; its types and constants belong to the context.
pub(crate) struct Module<'ctx> {
    pub(super) raw: ModuleRef,
    pub(super) context: &'ctx Context,
}

impl<'ctx> Module<'ctx> {
    /// An empty module.
    pub(crate) fn new(context: &'ctx Context, name: &str) -> Module<'ctx> {
        let name = c_string(name);
        // SAFETY: a live context and a zero-ended name, which LLVM copies.
        let raw =
            unsafe { (context.llvm.LLVMModuleCreateWithNameInContext)(name.as_ptr(), context.raw) };
        Module { raw, context }
    }

    /// Reads bitcode.
    pub(crate) fn from_bitcode(
        context: &'ctx Context,
        bitcode: &[u8],
    ) -> Result<Module<'ctx>, LlvmError> {
        let buffer = memory_buffer(context, bitcode);
        let mut raw = ModuleRef(null_mut());
        // SAFETY: live context and buffer; this call leaves the buffer to us.
        let failed =
            unsafe { (context.llvm.LLVMParseBitcodeInContext2)(context.raw, buffer, &raw mut raw) };
        // SAFETY: our buffer, not used again.
        unsafe { (context.llvm.LLVMDisposeMemoryBuffer)(buffer) };
        if failed != 0 {
            return Err(context.error("cannot read bitcode", None));
        }
        Ok(Module { raw, context })
    }

    /// Reads bitcode whose function bodies are read when they are linked.
    pub(crate) fn lazily_from_bitcode(
        context: &'ctx Context,
        bitcode: &[u8],
    ) -> Result<Module<'ctx>, LlvmError> {
        let buffer = memory_buffer(context, bitcode);
        let mut raw = ModuleRef(null_mut());
        // SAFETY: live context; this call takes the buffer.
        let failed = unsafe {
            (context.llvm.LLVMGetBitcodeModuleInContext2)(context.raw, buffer, &raw mut raw)
        };
        if failed != 0 {
            return Err(context.error("cannot read bitcode", None));
        }
        Ok(Module { raw, context })
    }

    /// Reads textual IR.
    pub(crate) fn from_text(context: &'ctx Context, text: &str) -> Result<Module<'ctx>, LlvmError> {
        let buffer = memory_buffer(context, text.as_bytes());
        let mut raw = ModuleRef(null_mut());
        let mut message = null_mut();
        // SAFETY: live context; this call takes the buffer, also when it fails.
        let failed = unsafe {
            (context.llvm.LLVMParseIRInContext)(context.raw, buffer, &raw mut raw, &raw mut message)
        };
        let message = context.owned_message(message);
        if failed != 0 {
            return Err(context.error("cannot read IR", message));
        }
        Ok(Module { raw, context })
    }

    /// Writes bitcode, the same bytes for the same module.
    pub(crate) fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: a live module; the buffer is ours.
        let buffer = unsafe { (self.context.llvm.LLVMWriteBitcodeToMemoryBuffer)(self.raw) };
        taken(self.context, buffer)
    }

    pub(crate) fn context(&self) -> &'ctx Context {
        self.context
    }

    /// Moves everything of `other` in here. LLVM frees `other` even when it fails.
    pub(crate) fn link(&mut self, other: Module<'ctx>) -> Result<(), LlvmError> {
        assert!(
            std::ptr::eq(self.context, other.context),
            "modules of two contexts"
        );
        let other = ManuallyDrop::new(other);
        // SAFETY: both modules are alive and of one context; `other` is LLVM's from now on and is not dropped here.
        let failed = unsafe { (self.context.llvm.LLVMLinkModules2)(self.raw, other.raw) };
        if failed != 0 {
            return Err(self.context.error("cannot link", None));
        }
        Ok(())
    }

    /// How many instructions the largest function has; 0 without functions.
    pub(crate) fn largest_function(&self) -> usize {
        let functions = self.functions().into_iter();
        functions.map(|f| f.instructions().len()).max().unwrap_or(0)
    }

    /// An independent copy.
    pub(crate) fn duplicate(&self) -> Module<'ctx> {
        // SAFETY: a live module.
        let raw = unsafe { (self.context.llvm.LLVMCloneModule)(self.raw) };
        Module {
            raw,
            context: self.context,
        }
    }

    /// Runs a textual pass pipeline.
    pub(crate) fn run(
        &mut self,
        passes: Passes,
        machine: Option<&Machine>,
    ) -> Result<(), LlvmError> {
        let llvm = self.context.llvm;
        let text = c_string(&passes.0);
        let machine = machine.map_or(ffi::TargetMachineRef(null_mut()), |m| m.raw);
        // SAFETY: takes nothing; the options are disposed of below.
        let options = unsafe { (llvm.LLVMCreatePassBuilderOptions)() };
        // SAFETY: live module and options, a zero-ended text, and a live machine or none.
        let error = unsafe { (llvm.LLVMRunPasses)(self.raw, text.as_ptr(), machine, options) };
        // SAFETY: the options made above, not used again.
        unsafe { (llvm.LLVMDisposePassBuilderOptions)(options) };
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: an error, which this call takes.
        let message = unsafe { (llvm.LLVMGetErrorMessage)(error) };
        // SAFETY: a zero-ended text.
        let text = unsafe { std::ffi::CStr::from_ptr(message) };
        let text = text.to_string_lossy().into_owned();
        // SAFETY: the message is ours, freed once by the call that fits it.
        unsafe { (llvm.LLVMDisposeErrorMessage)(message) };
        Err(self.context.error("a pass failed", Some(text)))
    }

    /// Checks that the IR is well formed.
    pub(crate) fn verify(&self) -> Result<(), LlvmError> {
        const RETURN_STATUS: i32 = 2;
        let mut message = null_mut();
        // SAFETY: a live module and a place for the message.
        let broken = unsafe {
            (self.context.llvm.LLVMVerifyModule)(self.raw, RETURN_STATUS, &raw mut message)
        };
        let message = self.context.owned_message(message);
        if broken != 0 {
            return Err(self
                .context
                .error("the device module is not valid IR", message));
        }
        Ok(())
    }

    pub(crate) fn to_text(&self) -> String {
        // SAFETY: a live module; the text is ours.
        let text = unsafe { (self.context.llvm.LLVMPrintModuleToString)(self.raw) };
        self.context.owned_message(text).unwrap_or_default()
    }

    pub(crate) fn set_target(&mut self, triple: &str, layout: &str) {
        let (triple, layout) = (c_string(triple), c_string(layout));
        // SAFETY: a live module and a zero-ended text, which LLVM copies.
        unsafe { (self.context.llvm.LLVMSetTarget)(self.raw, triple.as_ptr()) };
        // SAFETY: as above.
        unsafe { (self.context.llvm.LLVMSetDataLayout)(self.raw, layout.as_ptr()) };
    }

    /// Removes assembly at module level.
    pub(crate) fn clear_module_asm(&mut self) {
        // SAFETY: a live module; an empty text.
        unsafe { (self.context.llvm.LLVMSetModuleInlineAsm2)(self.raw, c"".as_ptr(), 0) }
    }

    pub(crate) fn strip_debug_info(&mut self) {
        // SAFETY: a live module.
        unsafe { (self.context.llvm.LLVMStripModuleDebugInfo)(self.raw) };
    }

    /// All functions, declarations included, as they are now.
    pub(crate) fn functions(&self) -> Vec<Value<'ctx>> {
        let llvm = self.context.llvm;
        // SAFETY: a live module; the next of a live function.
        self.list(
            unsafe { (llvm.LLVMGetFirstFunction)(self.raw) },
            |f| unsafe { (llvm.LLVMGetNextFunction)(f) },
        )
    }

    /// All global variables, as they are now.
    pub(crate) fn globals(&self) -> Vec<Value<'ctx>> {
        let llvm = self.context.llvm;
        // SAFETY: a live module; the next of a live global.
        self.list(unsafe { (llvm.LLVMGetFirstGlobal)(self.raw) }, |g| unsafe {
            (llvm.LLVMGetNextGlobal)(g)
        })
    }

    /// All aliases, as they are now.
    pub(crate) fn aliases(&self) -> Vec<Value<'ctx>> {
        let llvm = self.context.llvm;
        // SAFETY: a live module; the next of a live alias.
        self.list(
            unsafe { (llvm.LLVMGetFirstGlobalAlias)(self.raw) },
            |a| unsafe { (llvm.LLVMGetNextGlobalAlias)(a) },
        )
    }

    fn list(&self, first: ValueRef, next: impl Fn(ValueRef) -> ValueRef) -> Vec<Value<'ctx>> {
        let mut all = Vec::new();
        let mut at = first;
        while !at.is_null() {
            all.push(Value::new(at, self.context));
            at = next(at);
        }
        all
    }

    pub(crate) fn function(&self, name: &str) -> Option<Value<'ctx>> {
        let name = c_string(name);
        // SAFETY: a live module, a zero-ended name.
        let raw = unsafe { (self.context.llvm.LLVMGetNamedFunction)(self.raw, name.as_ptr()) };
        (!raw.is_null()).then(|| Value::new(raw, self.context))
    }

    /// Declares a function of type `ty`, or returns the one that has this name already.
    pub(crate) fn declare(&mut self, name: &str, ty: Type<'ctx>) -> Value<'ctx> {
        if let Some(found) = self.function(name) {
            return found;
        }
        let name = c_string(name);
        // SAFETY: a live module and a function type of its context.
        let raw = unsafe { (self.context.llvm.LLVMAddFunction)(self.raw, name.as_ptr(), ty.raw) };
        Value::new(raw, self.context)
    }

    /// Whether an intrinsic of this name exists that comes for several types: `llvm.fma.f64`.
    pub(crate) fn is_overloaded_intrinsic(&self, name: &str) -> bool {
        let llvm = self.context.llvm;
        // SAFETY: a text with its length.
        let id = unsafe { (llvm.LLVMLookupIntrinsicID)(name.as_ptr().cast(), name.len()) };
        // SAFETY: an id that LLVM just gave, of an intrinsic.
        id != 0 && unsafe { (llvm.LLVMIntrinsicIsOverloaded)(id) } != 0
    }

    /// The declaration of a (not overloaded) intrinsic; `None` if LLVM does not know it.
    pub(crate) fn intrinsic(&mut self, name: &str) -> Option<Value<'ctx>> {
        let llvm = self.context.llvm;
        // SAFETY: a text with its length.
        let id = unsafe { (llvm.LLVMLookupIntrinsicID)(name.as_ptr().cast(), name.len()) };
        // SAFETY: an id that LLVM just gave, of an intrinsic.
        if id == 0 || unsafe { (llvm.LLVMIntrinsicIsOverloaded)(id) } != 0 {
            return None;
        }
        // SAFETY: a live module, an id that LLVM just gave, and no overload types for an intrinsic that has none.
        let raw = unsafe { (llvm.LLVMGetIntrinsicDeclaration)(self.raw, id, null_mut(), 0) };
        Some(Value::new(raw, self.context))
    }

    /// A new global variable of `ty` in an address space.
    pub(crate) fn add_global(&mut self, name: &str, ty: Type<'ctx>, space: u32) -> Value<'ctx> {
        let name = c_string(name);
        // SAFETY: a live module and a sized type of its context.
        let raw = unsafe {
            (self.context.llvm.LLVMAddGlobalInAddressSpace)(
                self.raw,
                ty.raw,
                name.as_ptr(),
                space as c_uint,
            )
        };
        Value::new(raw, self.context)
    }

    /// PTX for this module; LLVM may change the module while it makes it.
    pub(crate) fn emit(&mut self, machine: &Machine) -> Result<String, LlvmError> {
        const ASSEMBLY: i32 = 0;
        let bytes = self.emit_as(machine, ASSEMBLY, "cannot generate PTX")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// An object file of this module; LLVM may change the module while it makes it.
    pub(crate) fn emit_object(&mut self, machine: &Machine) -> Result<Vec<u8>, LlvmError> {
        const OBJECT: i32 = 1;
        self.emit_as(machine, OBJECT, "cannot generate code for the host")
    }

    fn emit_as(
        &mut self,
        machine: &Machine,
        kind: i32,
        what: &'static str,
    ) -> Result<Vec<u8>, LlvmError> {
        let llvm = self.context.llvm;
        let mut message = null_mut();
        let mut buffer = MemoryBufferRef(null_mut());
        // SAFETY: live module and machine, places for both results.
        let failed = unsafe {
            (llvm.LLVMTargetMachineEmitToMemoryBuffer)(
                machine.raw,
                self.raw,
                kind,
                &raw mut message,
                &raw mut buffer,
            )
        };
        let message = self.context.owned_message(message);
        let diagnostics = self.context.take_diagnostics();
        if failed != 0 || !diagnostics.is_empty() {
            let text = diagnostics.into_iter().chain(message).collect::<Vec<_>>();
            return Err(self.context.error(what, Some(text.join("; "))));
        }
        Ok(taken(self.context, buffer))
    }

    /// The processor and system that this module is for.
    pub(crate) fn triple(&self) -> String {
        // SAFETY: a live module.
        let text = unsafe { (self.context.llvm.LLVMGetTarget)(self.raw) };
        // SAFETY: a zero-ended text of the module, copied at once.
        let text = unsafe { std::ffi::CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }

    /// The layout of data that this module is for.
    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: a live module.
        let text = unsafe { (self.context.llvm.LLVMGetDataLayoutStr)(self.raw) };
        // SAFETY: a zero-ended text of the module, copied at once.
        let text = unsafe { std::ffi::CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }

    /// The bytes that a store of this type writes.
    pub(crate) fn store_size(&self, ty: Type<'ctx>) -> u64 {
        let llvm = self.context.llvm;
        // SAFETY: a live module.
        let layout = unsafe { (llvm.LLVMGetModuleDataLayout)(self.raw) };
        // SAFETY: the layout of a live module, and a sized type of its context.
        unsafe { (llvm.LLVMStoreSizeOfType)(layout, ty.raw) }
    }

    pub(crate) fn i8_type(&self) -> Type<'ctx> {
        // SAFETY: a live context.
        Type::new(
            unsafe { (self.context.llvm.LLVMInt8TypeInContext)(self.context.raw) },
            self.context,
        )
    }

    pub(crate) fn i32_type(&self) -> Type<'ctx> {
        // SAFETY: a live context.
        Type::new(
            unsafe { (self.context.llvm.LLVMInt32TypeInContext)(self.context.raw) },
            self.context,
        )
    }

    pub(crate) fn i64_type(&self) -> Type<'ctx> {
        // SAFETY: a live context.
        Type::new(
            unsafe { (self.context.llvm.LLVMInt64TypeInContext)(self.context.raw) },
            self.context,
        )
    }

    /// Integers of so many bits, more than none.
    pub(crate) fn integer_type(&self, bits: u32) -> Type<'ctx> {
        // SAFETY: a live context.
        Type::new(
            unsafe { (self.context.llvm.LLVMIntTypeInContext)(self.context.raw, bits) },
            self.context,
        )
    }

    pub(crate) fn void_type(&self) -> Type<'ctx> {
        // SAFETY: a live context.
        Type::new(
            unsafe { (self.context.llvm.LLVMVoidTypeInContext)(self.context.raw) },
            self.context,
        )
    }

    /// A constant that holds a text and a zero.
    pub(crate) fn text_constant(&mut self, name: &str, text: &str) -> Value<'ctx> {
        self.constant(name, &[text.as_bytes(), &[0]].concat())
    }

    /// A constant that holds these bytes.
    pub(crate) fn constant(&mut self, name: &str, bytes: &[u8]) -> Value<'ctx> {
        let context = self.context;
        // SAFETY: bytes with their number, which LLVM copies; it adds none.
        let content = unsafe {
            (context.llvm.LLVMConstStringInContext2)(
                context.raw,
                bytes.as_ptr().cast(),
                bytes.len(),
                1,
            )
        };
        let content = Value::new(content, context);
        let global = self.add_global(name, content.ty(), 0);
        global.set_initializer(content);
        global.set_constant_global();
        global.set_linkage(super::Linkage::Internal);
        global
    }

    /// Calls `callee` before every instruction in `before`'s place.
    pub(crate) fn call_before(
        &mut self,
        before: Value<'ctx>,
        callee: Value<'ctx>,
        args: &[Value<'ctx>],
    ) -> Value<'ctx> {
        let llvm = self.context.llvm;
        let mut raw: Vec<ValueRef> = args.iter().map(|a| a.raw).collect();
        // SAFETY: a live context.
        let builder = unsafe { (llvm.LLVMCreateBuilderInContext)(self.context.raw) };
        // SAFETY: the builder made above; `before` is an instruction of this module.
        unsafe { (llvm.LLVMPositionBuilderBefore)(builder, before.raw) };
        // SAFETY: `callee` is a function of this module.
        let ty = unsafe { (llvm.LLVMGlobalGetValueType)(callee.raw) };
        // SAFETY: a positioned builder, a function with its type, and arguments that fit (LLVM's verifier checks the module later).
        let call = unsafe {
            (llvm.LLVMBuildCall2)(
                builder,
                ty,
                callee.raw,
                raw.as_mut_ptr(),
                raw.len() as c_uint,
                c"".as_ptr(),
            )
        };
        // SAFETY: the builder made above, not used again.
        unsafe { (llvm.LLVMDisposeBuilder)(builder) };
        Value::new(call, self.context)
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module was neither linked into another nor disposed of (`link` forgets its argument).
        unsafe { (self.context.llvm.LLVMDisposeModule)(self.raw) }
    }
}

/// The bytes of a buffer of LLVM's, which is disposed of.
fn taken(context: &Context, buffer: MemoryBufferRef) -> Vec<u8> {
    let llvm = context.llvm;
    // SAFETY: a live buffer.
    let start = unsafe { (llvm.LLVMGetBufferStart)(buffer) }.cast::<u8>();
    // SAFETY: a live buffer.
    let len = unsafe { (llvm.LLVMGetBufferSize)(buffer) };
    // SAFETY: the buffer's bytes, copied before it is disposed of.
    let bytes = unsafe { std::slice::from_raw_parts(start, len) }.to_vec();
    // SAFETY: our buffer, not used again.
    unsafe { (llvm.LLVMDisposeMemoryBuffer)(buffer) };
    bytes
}

fn memory_buffer(context: &Context, bytes: &[u8]) -> MemoryBufferRef {
    // SAFETY: LLVM copies the bytes.
    unsafe {
        (context.llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
            bytes.as_ptr().cast(),
            bytes.len(),
            c"input".as_ptr(),
        )
    }
}

/// The instructions of a function, block by block, as they are now.
pub(super) fn instructions<'ctx>(function: ValueRef, context: &'ctx Context) -> Vec<Value<'ctx>> {
    let llvm = context.llvm;
    let mut all = Vec::new();
    // SAFETY: a live function.
    let mut block: BlockRef = unsafe { (llvm.LLVMGetFirstBasicBlock)(function) };
    while !block.is_null() {
        all.extend(
            Block {
                raw: block,
                context,
            }
            .instructions(),
        );
        // SAFETY: a live block of the function.
        block = unsafe { (llvm.LLVMGetNextBasicBlock)(block) };
    }
    all
}
