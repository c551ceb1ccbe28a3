//! LLVM's C functions that the device linker calls, by LLVM's own names and types, found at run time in rustc's libLLVM.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(super) struct $name(pub(super) *mut c_void);
    )*};
}

handles! {
    ContextRef;
    ModuleRef;
    ValueRef;
    TypeRef;
    BlockRef;
    BuilderRef;
    UseRef;
    AttributeRef;
    MemoryBufferRef;
    TargetRef;
    TargetMachineRef;
    TargetDataRef;
    PassOptionsRef;
    ErrorRef;
    DiagnosticRef;
    MetadataRef;
}

/// The handles that LLVM answers with null when there is nothing.
pub(super) trait Nullable {
    fn is_null(&self) -> bool;
}

macro_rules! nullable {
    ($($name:ident)*) => {$(
        impl Nullable for $name {
            fn is_null(&self) -> bool { self.0.is_null() }
        }
    )*};
}

nullable! { AttributeRef MetadataRef ModuleRef ValueRef BlockRef UseRef TargetMachineRef ErrorRef }

pub(super) type FatalErrorHandler = extern "C" fn(*const c_char);
pub(super) type Bool = c_int;
pub(super) type DiagnosticHandler = extern "C" fn(DiagnosticRef, *mut c_void);

macro_rules! functions {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        /// The functions, once the library is loaded.
        #[allow(non_snake_case, reason = "LLVM's own names")]
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($ty),*) $(-> $ret)?,)*
        }

        impl Functions {
            #[allow(non_snake_case, reason = "LLVM's own names")]
            /// Finds every function, or names all that are missing.
            pub(super) fn find(library: &libloading::Library) -> Result<Functions, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    // SAFETY: the types below are those of the C API headers of LLVM 22 and 23; `load` refuses older versions. LLVM gives a
                    // function of its C API another name when its type changes, and newer versions go through the self-test first.
                    let $name = unsafe { library.get::<unsafe extern "C" fn($($ty),*) $(-> $ret)?>(stringify!($name).as_bytes()) };
                    if $name.is_err() { missing.push(stringify!($name)); }
                )*
                match ($($name,)*) {
                    ($(Ok($name),)*) => Ok(Functions { $($name: *$name,)* }),
                    _ => Err(missing),
                }
            }
        }
    };
}

// A tuple pattern of this many elements compiles (no trait is asked of it); the struct literal keeps the names checked.
#[rustfmt::skip]
functions! {
    fn LLVMContextCreate() -> ContextRef;
    fn LLVMContextDispose(context: ContextRef);
    fn LLVMContextSetDiagnosticHandler(context: ContextRef, handler: Option<DiagnosticHandler>, data: *mut c_void);
    fn LLVMGetDiagInfoDescription(info: DiagnosticRef) -> *mut c_char;
    fn LLVMGetDiagInfoSeverity(info: DiagnosticRef) -> c_int;
    fn LLVMDisposeMessage(message: *mut c_char);
    fn LLVMInstallFatalErrorHandler(handler: Option<FatalErrorHandler>);
    fn LLVMParseCommandLineOptions(
        count: c_int,
        texts: *const *const c_char,
        overview: *const c_char,
    );
    fn LLVMCreateMemoryBufferWithMemoryRangeCopy(data: *const c_char, len: usize, name: *const c_char) -> MemoryBufferRef;
    fn LLVMDisposeMemoryBuffer(buffer: MemoryBufferRef);
    fn LLVMGetBufferStart(buffer: MemoryBufferRef) -> *const c_char;
    fn LLVMGetBufferSize(buffer: MemoryBufferRef) -> usize;
    fn LLVMParseBitcodeInContext2(context: ContextRef, buffer: MemoryBufferRef, module: *mut ModuleRef) -> Bool;
    fn LLVMGetBitcodeModuleInContext2(context: ContextRef, buffer: MemoryBufferRef, module: *mut ModuleRef) -> Bool;
    fn LLVMParseIRInContext(context: ContextRef, buffer: MemoryBufferRef, module: *mut ModuleRef, message: *mut *mut c_char) -> Bool;
    fn LLVMModuleCreateWithNameInContext(name: *const c_char, context: ContextRef) -> ModuleRef;
    fn LLVMDisposeModule(module: ModuleRef);
    fn LLVMCloneModule(module: ModuleRef) -> ModuleRef;
    fn LLVMLinkModules2(into: ModuleRef, from: ModuleRef) -> Bool;
    fn LLVMWriteBitcodeToMemoryBuffer(module: ModuleRef) -> MemoryBufferRef;
    fn LLVMPrintModuleToString(module: ModuleRef) -> *mut c_char;
    fn LLVMVerifyModule(module: ModuleRef, action: c_int, message: *mut *mut c_char) -> Bool;
    fn LLVMSetTarget(module: ModuleRef, triple: *const c_char);
    fn LLVMSetDataLayout(module: ModuleRef, layout: *const c_char);
    fn LLVMGetFirstFunction(module: ModuleRef) -> ValueRef;
    fn LLVMGetNextFunction(function: ValueRef) -> ValueRef;
    fn LLVMGetNamedFunction(module: ModuleRef, name: *const c_char) -> ValueRef;
    fn LLVMAddFunction(module: ModuleRef, name: *const c_char, ty: TypeRef) -> ValueRef;
    fn LLVMGetFirstGlobal(module: ModuleRef) -> ValueRef;
    fn LLVMGetNextGlobal(global: ValueRef) -> ValueRef;
    fn LLVMAddGlobalInAddressSpace(module: ModuleRef, ty: TypeRef, name: *const c_char, space: c_uint) -> ValueRef;
    fn LLVMDeleteGlobal(global: ValueRef);
    fn LLVMGetFirstGlobalAlias(module: ModuleRef) -> ValueRef;
    fn LLVMGetNextGlobalAlias(alias: ValueRef) -> ValueRef;
    fn LLVMAliasGetAliasee(alias: ValueRef) -> ValueRef;
    fn LLVMStripModuleDebugInfo(module: ModuleRef) -> Bool;
    fn LLVMSetModuleInlineAsm2(module: ModuleRef, text: *const c_char, len: usize);

    fn LLVMGetValueName2(value: ValueRef, len: *mut usize) -> *const c_char;
    fn LLVMSetValueName2(value: ValueRef, name: *const c_char, len: usize);
    fn LLVMTypeOf(value: ValueRef) -> TypeRef;
    fn LLVMGlobalGetValueType(global: ValueRef) -> TypeRef;
    fn LLVMIsDeclaration(global: ValueRef) -> Bool;
    fn LLVMGetLinkage(global: ValueRef) -> c_int;
    fn LLVMSetLinkage(global: ValueRef, linkage: c_int);
    fn LLVMSetVisibility(global: ValueRef, visibility: c_int);
    fn LLVMSetDLLStorageClass(global: ValueRef, class: c_int);
    fn LLVMGetSection(global: ValueRef) -> *const c_char;
    fn LLVMSetSection(global: ValueRef, section: *const c_char);
    fn LLVMSetComdat(global: ValueRef, comdat: *mut c_void);
    fn LLVMGetAlignment(value: ValueRef) -> c_uint;
    fn LLVMSetAlignment(value: ValueRef, bytes: c_uint);
    fn LLVMGetInitializer(global: ValueRef) -> ValueRef;
    fn LLVMSetInitializer(global: ValueRef, value: ValueRef);
    fn LLVMIsThreadLocal(global: ValueRef) -> Bool;
    fn LLVMIsGlobalConstant(global: ValueRef) -> Bool;
    fn LLVMSetGlobalConstant(global: ValueRef, constant: Bool);
    fn LLVMSetExternallyInitialized(global: ValueRef, externally: Bool);
    fn LLVMReplaceAllUsesWith(old: ValueRef, new: ValueRef);
    fn LLVMGetFirstUse(value: ValueRef) -> UseRef;
    fn LLVMIsAFunction(value: ValueRef) -> ValueRef;
    fn LLVMIsAGlobalVariable(value: ValueRef) -> ValueRef;
    fn LLVMIsACallInst(value: ValueRef) -> ValueRef;
    fn LLVMIsAAllocaInst(value: ValueRef) -> ValueRef;
    fn LLVMGetAllocatedType(variable: ValueRef) -> TypeRef;
    fn LLVMIsAGetElementPtrInst(value: ValueRef) -> ValueRef;
    fn LLVMIsInBounds(address: ValueRef) -> Bool;
    fn LLVMIsAConstantExpr(value: ValueRef) -> ValueRef;
    fn LLVMConstStringInContext2(context: ContextRef, text: *const c_char, len: usize, bare: Bool) -> ValueRef;
    fn LLVMVoidTypeInContext(context: ContextRef) -> TypeRef;
    fn LLVMInt64TypeInContext(context: ContextRef) -> TypeRef;
    fn LLVMIsAArgument(value: ValueRef) -> ValueRef;
    fn LLVMIsAConstant(value: ValueRef) -> ValueRef;
    fn LLVMIsNull(value: ValueRef) -> Bool;
    fn LLVMIsAConstantInt(value: ValueRef) -> ValueRef;
    fn LLVMIsAConstantDataArray(value: ValueRef) -> ValueRef;
    fn LLVMGetInlineAsm(ty: TypeRef, text: *const c_char, len: usize, constraints: *const c_char, constraints_len: usize, effects: Bool, align: Bool, dialect: c_int, throws: Bool) -> ValueRef;
    fn LLVMIsAMDNode(value: ValueRef) -> ValueRef;
    fn LLVMIsAInlineAsm(value: ValueRef) -> ValueRef;
    fn LLVMGetInlineAsmAsmString(asm: ValueRef, len: *mut usize) -> *const c_char;
    fn LLVMGetInlineAsmDialect(asm: ValueRef) -> c_int;
    fn LLVMGetInlineAsmConstraintString(asm: ValueRef, len: *mut usize) -> *const c_char;
    fn LLVMConstIntGetZExtValue(value: ValueRef) -> u64;
    fn LLVMGetNumOperands(value: ValueRef) -> c_int;
    fn LLVMGetOperand(value: ValueRef, index: c_uint) -> ValueRef;
    fn LLVMSetOperand(user: ValueRef, index: c_uint, value: ValueRef);
    fn LLVMIsConstantString(constant: ValueRef) -> Bool;
    fn LLVMGetAsString(constant: ValueRef, len: *mut usize) -> *const c_char;
    fn LLVMGetUndef(ty: TypeRef) -> ValueRef;
    fn LLVMConstInt(ty: TypeRef, value: u64, sign: Bool) -> ValueRef;
    fn LLVMConstAddrSpaceCast(value: ValueRef, ty: TypeRef) -> ValueRef;
    fn LLVMConstStructInContext(context: ContextRef, values: *const ValueRef, count: c_uint, packed: Bool) -> ValueRef;

    fn LLVMVectorType(ty: TypeRef, count: c_uint) -> TypeRef;
    fn LLVMGetTypeKind(ty: TypeRef) -> c_int;
    fn LLVMGetElementType(ty: TypeRef) -> TypeRef;
    fn LLVMGetArrayLength2(ty: TypeRef) -> u64;
    fn LLVMGetIntTypeWidth(ty: TypeRef) -> c_uint;
    fn LLVMGetPointerAddressSpace(ty: TypeRef) -> c_uint;
    fn LLVMGetReturnType(ty: TypeRef) -> TypeRef;

    fn LLVMCountParamTypes(ty: TypeRef) -> c_uint;
    fn LLVMGetParamTypes(ty: TypeRef, types: *mut TypeRef);
    fn LLVMPrintTypeToString(ty: TypeRef) -> *mut c_char;
    fn LLVMPrintValueToString(value: ValueRef) -> *mut c_char;
    fn LLVMFunctionType(ret: TypeRef, params: *mut TypeRef, count: c_uint, variadic: Bool) -> TypeRef;
    fn LLVMArrayType2(ty: TypeRef, count: u64) -> TypeRef;
    fn LLVMInt1TypeInContext(context: ContextRef) -> TypeRef;
    fn LLVMInt8TypeInContext(context: ContextRef) -> TypeRef;
    fn LLVMIntTypeInContext(context: ContextRef, bits: c_uint) -> TypeRef;
    fn LLVMInt32TypeInContext(context: ContextRef) -> TypeRef;
    fn LLVMPointerTypeInContext(context: ContextRef, space: c_uint) -> TypeRef;

    fn LLVMCountParams(function: ValueRef) -> c_uint;
    fn LLVMGetParam(function: ValueRef, index: c_uint) -> ValueRef;
    fn LLVMGetParamParent(argument: ValueRef) -> ValueRef;
    fn LLVMSetPersonalityFn(function: ValueRef, personality: ValueRef);
    fn LLVMHasPersonalityFn(function: ValueRef) -> Bool;
    fn LLVMGetFunctionCallConv(function: ValueRef) -> c_uint;
    fn LLVMGetFirstBasicBlock(function: ValueRef) -> BlockRef;
    fn LLVMGetNextBasicBlock(block: BlockRef) -> BlockRef;
    fn LLVMGetFirstInstruction(block: BlockRef) -> ValueRef;
    fn LLVMGetNextInstruction(instruction: ValueRef) -> ValueRef;
    fn LLVMGetInstructionOpcode(instruction: ValueRef) -> c_int;
    fn LLVMGetBasicBlockTerminator(block: BlockRef) -> ValueRef;
    fn LLVMGetNumSuccessors(terminator: ValueRef) -> c_uint;
    fn LLVMGetSuccessor(terminator: ValueRef, index: c_uint) -> BlockRef;
    fn LLVMGetSwitchCaseValue(switch: ValueRef, successor: c_uint) -> ValueRef;
    fn LLVMIsConditional(branch: ValueRef) -> Bool;
    fn LLVMGetCondition(branch: ValueRef) -> ValueRef;
    fn LLVMSetCondition(branch: ValueRef, condition: ValueRef);
    fn LLVMIsAInstruction(value: ValueRef) -> ValueRef;
    fn LLVMGetInstructionParent(instruction: ValueRef) -> BlockRef;
    fn LLVMCountIncoming(phi: ValueRef) -> c_uint;
    fn LLVMGetIncomingValue(phi: ValueRef, index: c_uint) -> ValueRef;
    fn LLVMGetIncomingBlock(phi: ValueRef, index: c_uint) -> BlockRef;
    fn LLVMIsAICmpInst(value: ValueRef) -> ValueRef;
    fn LLVMGetICmpPredicate(comparison: ValueRef) -> c_int;
    fn LLVMGetIsDisjoint(or: ValueRef) -> Bool;
    fn LLVMInstructionEraseFromParent(instruction: ValueRef);
    fn LLVMInstructionRemoveFromParent(instruction: ValueRef);
    fn LLVMInsertIntoBuilder(builder: BuilderRef, instruction: ValueRef);
    fn LLVMGetGEPSourceElementType(element: ValueRef) -> TypeRef;
    fn LLVMGetCalledValue(call: ValueRef) -> ValueRef;
    fn LLVMGetNumArgOperands(call: ValueRef) -> c_uint;
    fn LLVMGetOrdering(instruction: ValueRef) -> c_int;
    fn LLVMGetAtomicRMWBinOp(instruction: ValueRef) -> c_int;
    fn LLVMGetAtomicSyncScopeID(instruction: ValueRef) -> c_uint;
    fn LLVMGetCmpXchgSuccessOrdering(instruction: ValueRef) -> c_int;
    fn LLVMGetCmpXchgFailureOrdering(instruction: ValueRef) -> c_int;
    fn LLVMGetSyncScopeID(context: ContextRef, name: *const c_char, len: usize) -> c_uint;
    fn LLVMGetSubprogram(function: ValueRef) -> MetadataRef;
    fn LLVMSetSubprogram(function: ValueRef, subprogram: MetadataRef);
    fn LLVMGetDebugLocLine(value: ValueRef) -> c_uint;
    fn LLVMGetDebugLocColumn(value: ValueRef) -> c_uint;
    fn LLVMGetDebugLocFilename(value: ValueRef, len: *mut c_uint) -> *const c_char;
    fn LLVMCanValueUseFastMathFlags(value: ValueRef) -> Bool;
    fn LLVMGetFastMathFlags(value: ValueRef) -> c_uint;
    fn LLVMSetFastMathFlags(value: ValueRef, flags: c_uint);

    fn LLVMCreateBuilderInContext(context: ContextRef) -> BuilderRef;
    fn LLVMDisposeBuilder(builder: BuilderRef);
    fn LLVMPositionBuilderBefore(builder: BuilderRef, instruction: ValueRef);
    fn LLVMBuildAdd(builder: BuilderRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildSub(builder: BuilderRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildMul(builder: BuilderRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildUDiv(builder: BuilderRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildAnd(builder: BuilderRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildBinOp(builder: BuilderRef, operation: c_int, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMGetNextUse(before: UseRef) -> UseRef;
    fn LLVMBuildOr(builder: BuilderRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildXor(builder: BuilderRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildTrunc(builder: BuilderRef, value: ValueRef, ty: TypeRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildICmp(builder: BuilderRef, predicate: c_int, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildFCmp(builder: BuilderRef, predicate: c_int, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildSelect(builder: BuilderRef, which: ValueRef, a: ValueRef, b: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildZExt(builder: BuilderRef, value: ValueRef, ty: TypeRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildSExt(builder: BuilderRef, value: ValueRef, ty: TypeRef, name: *const c_char) -> ValueRef;
    fn LLVMSetNUW(arithmetic: ValueRef, flag: Bool);
    fn LLVMGetNUW(arithmetic: ValueRef) -> Bool;
    fn LLVMGetNSW(arithmetic: ValueRef) -> Bool;
    fn LLVMSetNSW(arithmetic: ValueRef, flag: Bool);
    fn LLVMSetNNeg(widening: ValueRef, flag: Bool);
    fn LLVMSetIsDisjoint(or: ValueRef, flag: Bool);
    fn LLVMSetICmpSameSign(comparison: ValueRef, flag: Bool);
    fn LLVMBuildBr(builder: BuilderRef, to: BlockRef) -> ValueRef;
    fn LLVMBuildCondBr(builder: BuilderRef, condition: ValueRef, when_true: BlockRef, when_false: BlockRef) -> ValueRef;
    fn LLVMAppendBasicBlockInContext(context: ContextRef, function: ValueRef, name: *const c_char) -> BlockRef;
    fn LLVMInsertBasicBlockInContext(context: ContextRef, before: BlockRef, name: *const c_char) -> BlockRef;
    fn LLVMPositionBuilderAtEnd(builder: BuilderRef, block: BlockRef);
    fn LLVMSetSuccessor(terminator: ValueRef, index: c_uint, block: BlockRef);
    fn LLVMInstructionClone(instruction: ValueRef) -> ValueRef;
    fn LLVMGetMDKindIDInContext(context: ContextRef, name: *const c_char, len: c_uint) -> c_uint;
    fn LLVMGetMetadata(instruction: ValueRef, kind: c_uint) -> ValueRef;
    fn LLVMGetMDNodeNumOperands(node: ValueRef) -> c_uint;
    fn LLVMGetMDNodeOperands(node: ValueRef, operands: *mut ValueRef);
    fn LLVMGetMDString(text: ValueRef, length: *mut c_uint) -> *const c_char;
    fn LLVMSetMetadata(instruction: ValueRef, kind: c_uint, node: ValueRef);
    fn LLVMMDStringInContext2(context: ContextRef, text: *const c_char, len: usize) -> MetadataRef;
    fn LLVMMDNodeInContext2(context: ContextRef, operands: *mut MetadataRef, count: usize) -> MetadataRef;
    fn LLVMTemporaryMDNode(context: ContextRef, operands: *mut MetadataRef, count: usize) -> MetadataRef;
    fn LLVMMetadataReplaceAllUsesWith(temporary: MetadataRef, new: MetadataRef);
    fn LLVMMetadataAsValue(context: ContextRef, metadata: MetadataRef) -> ValueRef;
    fn LLVMBuildGEP2(builder: BuilderRef, ty: TypeRef, base: ValueRef, indices: *mut ValueRef, count: c_uint, name: *const c_char) -> ValueRef;
    fn LLVMBuildPhi(builder: BuilderRef, ty: TypeRef, name: *const c_char) -> ValueRef;
    fn LLVMAddIncoming(phi: ValueRef, values: *const ValueRef, blocks: *const BlockRef, count: c_uint);
    fn LLVMBuildFreeze(builder: BuilderRef, value: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildLoad2(builder: BuilderRef, ty: TypeRef, from: ValueRef, name: *const c_char) -> ValueRef;
    fn LLVMBuildStore(builder: BuilderRef, value: ValueRef, to: ValueRef) -> ValueRef;
    fn LLVMBuildInBoundsGEP2(builder: BuilderRef, ty: TypeRef, base: ValueRef, indices: *mut ValueRef, count: c_uint, name: *const c_char) -> ValueRef;
    fn LLVMBuildCall2(builder: BuilderRef, ty: TypeRef, function: ValueRef, args: *mut ValueRef, count: c_uint, name: *const c_char) -> ValueRef;
    fn LLVMLookupIntrinsicID(name: *const c_char, len: usize) -> c_uint;
    fn LLVMGetIntrinsicDeclaration(module: ModuleRef, id: c_uint, types: *mut TypeRef, count: usize) -> ValueRef;
    fn LLVMIntrinsicIsOverloaded(id: c_uint) -> Bool;

    fn LLVMGetEnumAttributeKindForName(name: *const c_char, len: usize) -> c_uint;
    fn LLVMCreateEnumAttribute(context: ContextRef, kind: c_uint, value: u64) -> AttributeRef;
    fn LLVMCreateStringAttribute(context: ContextRef, key: *const c_char, key_length: c_uint, value: *const c_char, value_length: c_uint) -> AttributeRef;
    fn LLVMCreateConstantRangeAttribute(context: ContextRef, kind: c_uint, bits: c_uint, lower: *const u64, upper: *const u64) -> AttributeRef;
    fn LLVMAddAttributeAtIndex(function: ValueRef, index: c_uint, attribute: AttributeRef);
    fn LLVMGetEnumAttributeAtIndex(function: ValueRef, index: c_uint, kind: c_uint) -> AttributeRef;
    fn LLVMGetAttributeCountAtIndex(function: ValueRef, index: c_uint) -> c_uint;
    fn LLVMGetAttributesAtIndex(function: ValueRef, index: c_uint, attributes: *mut AttributeRef);
    fn LLVMIsStringAttribute(attribute: AttributeRef) -> Bool;
    fn LLVMGetStringAttributeAtIndex(function: ValueRef, index: c_uint, key: *const c_char, len: c_uint) -> AttributeRef;
    fn LLVMGetStringAttributeValue(attribute: AttributeRef, len: *mut c_uint) -> *const c_char;
    fn LLVMGetStringAttributeKind(attribute: AttributeRef, len: *mut c_uint) -> *const c_char;
    fn LLVMRemoveStringAttributeAtIndex(function: ValueRef, index: c_uint, key: *const c_char, len: c_uint);
    fn LLVMRemoveEnumAttributeAtIndex(function: ValueRef, index: c_uint, kind: c_uint);
    fn LLVMGetCallSiteEnumAttribute(call: ValueRef, index: c_uint, kind: c_uint) -> AttributeRef;
    fn LLVMGetEnumAttributeValue(attribute: AttributeRef) -> u64;
    fn LLVMRemoveCallSiteEnumAttribute(call: ValueRef, index: c_uint, kind: c_uint);
    fn LLVMAddCallSiteAttribute(call: ValueRef, index: c_uint, attribute: AttributeRef);

    fn LLVMInstructionGetDebugLoc(instruction: ValueRef) -> MetadataRef;
    fn LLVMDILocationGetLine(location: MetadataRef) -> c_uint;
    fn LLVMDILocationGetColumn(location: MetadataRef) -> c_uint;
    fn LLVMDILocationGetScope(location: MetadataRef) -> MetadataRef;
    fn LLVMDILocationGetInlinedAt(location: MetadataRef) -> MetadataRef;
    fn LLVMDIScopeGetFile(scope: MetadataRef) -> MetadataRef;
    fn LLVMDIFileGetFilename(file: MetadataRef, len: *mut c_uint) -> *const c_char;
    fn LLVMDIFileGetDirectory(file: MetadataRef, len: *mut c_uint) -> *const c_char;
    fn LLVMGetVolatile(access: ValueRef) -> Bool;
    fn LLVMGetModuleDataLayout(module: ModuleRef) -> TargetDataRef;
    fn LLVMStoreSizeOfType(layout: TargetDataRef, ty: TypeRef) -> u64;
    fn LLVMABISizeOfType(layout: TargetDataRef, ty: TypeRef) -> u64;
    fn LLVMGetTarget(module: ModuleRef) -> *const c_char;
    fn LLVMGetDataLayoutStr(module: ModuleRef) -> *const c_char;

    fn LLVMInitializeX86TargetInfo();
    fn LLVMInitializeX86Target();
    fn LLVMInitializeX86TargetMC();
    fn LLVMInitializeX86AsmPrinter();
    fn LLVMInitializeX86AsmParser();
    fn LLVMInitializeAArch64TargetInfo();
    fn LLVMInitializeAArch64Target();
    fn LLVMInitializeAArch64TargetMC();
    fn LLVMInitializeAArch64AsmPrinter();
    fn LLVMInitializeAArch64AsmParser();
    fn LLVMInitializeNVPTXTargetInfo();
    fn LLVMInitializeNVPTXTarget();
    fn LLVMInitializeNVPTXTargetMC();
    fn LLVMInitializeNVPTXAsmPrinter();
    fn LLVMGetTargetFromTriple(triple: *const c_char, target: *mut TargetRef, message: *mut *mut c_char) -> Bool;
    fn LLVMCreateTargetMachine(target: TargetRef, triple: *const c_char, cpu: *const c_char, features: *const c_char, level: c_int, reloc: c_int, model: c_int) -> TargetMachineRef;
    fn LLVMDisposeTargetMachine(machine: TargetMachineRef);
    fn LLVMCreateTargetDataLayout(machine: TargetMachineRef) -> TargetDataRef;
    fn LLVMCopyStringRepOfTargetData(layout: TargetDataRef) -> *mut c_char;
    fn LLVMDisposeTargetData(layout: TargetDataRef);
    fn LLVMTargetMachineEmitToMemoryBuffer(machine: TargetMachineRef, module: ModuleRef, kind: c_int, message: *mut *mut c_char, buffer: *mut MemoryBufferRef) -> Bool;
    fn LLVMCreatePassBuilderOptions() -> PassOptionsRef;
    fn LLVMDisposePassBuilderOptions(options: PassOptionsRef);
    fn LLVMRunPasses(module: ModuleRef, passes: *const c_char, machine: TargetMachineRef, options: PassOptionsRef) -> ErrorRef;
    fn LLVMGetErrorMessage(error: ErrorRef) -> *mut c_char;
    fn LLVMDisposeErrorMessage(message: *mut c_char);
}

/// The major version of an opened library, if it is LLVM at all.
pub(super) fn version(library: &libloading::Library) -> Option<u32> {
    type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint);
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: this function has had this type since LLVM 16.
    let get = unsafe { library.get::<GetVersion>(b"LLVMGetVersion") }.ok()?;
    // SAFETY: three valid places for the three numbers.
    unsafe { get(&raw mut major, &raw mut minor, &raw mut patch) };
    Some(major)
}

/// Whether an opened library was built with the target NVPTX.
pub(super) fn has_nvptx(library: &libloading::Library) -> bool {
    // SAFETY: the type of all initialisers of targets; it is not called.
    unsafe { library.get::<unsafe extern "C" fn()>(b"LLVMInitializeNVPTXTarget") }.is_ok()
}

/// Opens the library for the rest of the process.
pub(super) fn open(path: &Path) -> Result<&'static libloading::Library, libloading::Error> {
    // SAFETY: libLLVM's initialisers only register passes and options, each library's in itself: a search may open several, whose symbols are
    // not visible to one another.
    let library = unsafe { libloading::Library::new(path) }?;
    Ok(Box::leak(Box::new(library)))
}
