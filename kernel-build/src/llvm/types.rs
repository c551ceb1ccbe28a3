//! Types: handles that live as long as the context.

use super::ffi::TypeRef;
use super::{Context, Value};
use std::ffi::c_uint;

/// The types that the linker tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypeKind {
    Void,
    Half,
    Float,
    Double,
    Integer(u32),
    Pointer(u32),
    Other,
}

/// A type of the context.
#[derive(Clone, Copy)]
pub(crate) struct Type<'ctx> {
    pub(super) raw: TypeRef,
    context: &'ctx Context,
}

impl PartialEq for Type<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<'ctx> Type<'ctx> {
    pub(super) fn new(raw: TypeRef, context: &'ctx Context) -> Type<'ctx> {
        Type { raw, context }
    }

    pub(crate) fn kind(self) -> TypeKind {
        let llvm = self.context.llvm;
        // SAFETY: a live type.
        match unsafe { (llvm.LLVMGetTypeKind)(self.raw) } {
            0 => TypeKind::Void,
            1 => TypeKind::Half,
            2 => TypeKind::Float,
            3 => TypeKind::Double,
            // SAFETY: a live type of integers.
            8 => TypeKind::Integer(unsafe { (llvm.LLVMGetIntTypeWidth)(self.raw) }),
            // SAFETY: a live type of pointers.
            12 => TypeKind::Pointer(unsafe { (llvm.LLVMGetPointerAddressSpace)(self.raw) }),
            _ => TypeKind::Other,
        }
    }

    /// What a vector has several of; the type itself if it is no vector.
    pub(crate) fn scalar(self) -> Type<'ctx> {
        const VECTOR: i32 = 13;
        let llvm = self.context.llvm;
        // SAFETY: a live type.
        if unsafe { (llvm.LLVMGetTypeKind)(self.raw) } != VECTOR {
            return self;
        }
        // SAFETY: a live type of vectors.
        Type::new(unsafe { (llvm.LLVMGetElementType)(self.raw) }, self.context)
    }

    /// How many bytes an array of bytes has; `None` for all other types.
    pub(crate) fn byte_array(self) -> Option<u64> {
        const ARRAY: i32 = 11;
        let llvm = self.context.llvm;
        // SAFETY: a live type.
        if unsafe { (llvm.LLVMGetTypeKind)(self.raw) } != ARRAY {
            return None;
        }
        // SAFETY: a live type of arrays.
        let element = unsafe { (llvm.LLVMGetElementType)(self.raw) };
        let is_bytes = Type::new(element, self.context).kind() == TypeKind::Integer(8);
        // SAFETY: as above.
        is_bytes.then(|| unsafe { (llvm.LLVMGetArrayLength2)(self.raw) })
    }

    pub(crate) fn to_text(self) -> String {
        // SAFETY: a live type; the text is ours.
        let text = unsafe { (self.context.llvm.LLVMPrintTypeToString)(self.raw) };
        self.context.owned_message(text).unwrap_or_default()
    }

    /// Result and parameters of a function type.
    pub(crate) fn signature(self) -> (Type<'ctx>, Vec<Type<'ctx>>) {
        let llvm = self.context.llvm;
        // SAFETY: called on function types only.
        let ret = unsafe { (llvm.LLVMGetReturnType)(self.raw) };
        // SAFETY: as above.
        let count = unsafe { (llvm.LLVMCountParamTypes)(self.raw) } as usize;
        let mut list = vec![TypeRef(std::ptr::null_mut()); count];
        // SAFETY: a function type, and room for all its parameters.
        unsafe { (llvm.LLVMGetParamTypes)(self.raw, list.as_mut_ptr()) };
        let params = list.into_iter().map(|raw| Type::new(raw, self.context));
        (Type::new(ret, self.context), params.collect())
    }

    /// The type of functions that return this and take `params`.
    pub(crate) fn function(self, params: &[Type<'ctx>]) -> Type<'ctx> {
        let mut raw: Vec<TypeRef> = params.iter().map(|p| p.raw).collect();
        // SAFETY: first-class types of one context; LLVM copies the list.
        let ty = unsafe {
            (self.context.llvm.LLVMFunctionType)(self.raw, raw.as_mut_ptr(), raw.len() as c_uint, 0)
        };
        Type::new(ty, self.context)
    }

    pub(crate) fn array(self, count: u64) -> Type<'ctx> {
        // SAFETY: a sized element type.
        Type::new(
            unsafe { (self.context.llvm.LLVMArrayType2)(self.raw, count) },
            self.context,
        )
    }

    pub(crate) fn vector(self, count: u32) -> Type<'ctx> {
        // SAFETY: an integer type and a number above zero.
        Type::new(
            unsafe { (self.context.llvm.LLVMVectorType)(self.raw, count) },
            self.context,
        )
    }

    pub(crate) fn undef(self) -> Value<'ctx> {
        // SAFETY: a first-class type.
        Value::new(
            unsafe { (self.context.llvm.LLVMGetUndef)(self.raw) },
            self.context,
        )
    }

    pub(crate) fn integer(self, value: u64) -> Value<'ctx> {
        // SAFETY: an integer type.
        Value::new(
            unsafe { (self.context.llvm.LLVMConstInt)(self.raw, value, 0) },
            self.context,
        )
    }
}
