//! Loads and stores: PTX ISA, `wmma.load` and `wmma.store`.
//!
//! A line of `factors!` is a type of factors in a shape, one of `packed_factors!` a type with fewer than 8 bits, one of `sums!` a type of sums in a shape, with the
//! numbers of registers of a lane. Each implements the traits of `traits.rs`, and adds what instrumented code calls on the emulator.

use super::call::call;
#[cfg(not(warploom_device))]
use super::call::shim;
use super::elements::Elements;
#[cfg(not(warploom_device))]
use super::emulated::tile;
use super::shapes::{
    Accumulator, ColMajor, Layout, M8N8K4, M8N8K32, M8N8K128, M8N32K16, M16N16K8, M16N16K16,
    M32N8K16, MatrixA, MatrixB, RowMajor, Shape,
};
use super::traits::{Factor, Fragments, Sum};
use super::{B1, S4, Tf32, U4};
#[cfg(not(warploom_device))]
use crate::intrinsics::Shim;
use crate::{Bf16, F16};
#[cfg(not(warploom_device))]
use warploom_emulator::intrinsics::{wmma_load, wmma_store};

macro_rules! load_symbol {
    ($needs:literal, $register:literal $count:literal, $letter:literal, $layout:literal, $shape:literal, $ty:literal) => {
        concat!(
            "__warploom.registers:volatile+memory+convergent+",
            $needs,
            "|=",
            $register,
            $count,
            ",,|wmma.load.",
            $letter,
            ".sync.aligned.",
            $layout,
            ".",
            $shape,
            ".",
            $ty,
            " @0, [@1], @2;"
        )
    };
}

macro_rules! store_symbol {
    ($needs:literal, $register:literal $count:literal, $layout:literal, $shape:literal, $ty:literal) => {
        concat!(
            "__warploom.registers:memory+convergent+",
            $needs,
            "|",
            $register,
            $count,
            ",,|wmma.store.d.sync.aligned.",
            $layout,
            ".",
            $shape,
            ".",
            $ty,
            " [@1], @0, @2;"
        )
    };
}

/// One role and layout of a line of `factors!`.
macro_rules! factor {
    ($ty:ident $kind:ident $name:literal $shape:ident $shape_name:literal $needs:literal $wide:literal:
        $role:ident $letter:literal $layout:ident $layout_name:literal $count:literal [$lines:ident $length:ident]) => {
        impl Fragments<$role, $shape, $layout> for $ty {
            type Registers = [<$ty as Elements>::Word; $count];
        }
        impl Factor<$role, $shape, $layout> for $ty {
            const LINES: [usize; 2] = [<$shape as Shape>::$lines, <$shape as Shape>::$length];

            #[inline(always)]
            #[cfg_attr(not(warploom_device), track_caller)]
            unsafe fn load(from: *const Self::Value, stride: u32) -> Self::Registers {
                let mut registers = [0; $count];
                call!(
                    load_symbol!($needs, $wide $count, $letter, $layout_name, $shape_name, $name),
                    wmma_load(tile!(load $role $shape $kind $count $name $layout_name <$layout as Layout>::IS_ROW_MAJOR)),
                    registers: *mut u32 = registers.as_mut_ptr().cast(), from: *const u8 = from.cast(), stride: u32 = stride
                );
                registers
            }
        }
    };
    (shim $kind:ident $name:literal $shape:ident $shape_name:literal $needs:literal $wide:literal:
        $role:ident $letter:literal $layout:ident $layout_name:literal $count:literal) => {
        shim!(
            load_symbol!($needs, $wide $count, $letter, $layout_name, $shape_name, $name),
            wmma_load(tile!(load $role $shape $kind $count $name $layout_name <$layout as Layout>::IS_ROW_MAJOR)),
            registers: *mut u32, from: *const u8, stride: u32
        )
    };
}

macro_rules! factors {
    ($($ty:ident $kind:ident $name:literal $shape:ident $shape_name:literal $needs:literal $wide:literal: $a:literal $b:literal;)*) => {
        $(
            factor!($ty $kind $name $shape $shape_name $needs $wide: MatrixA "a" RowMajor "row" $a [M K]);
            factor!($ty $kind $name $shape $shape_name $needs $wide: MatrixA "a" ColMajor "col" $a [K M]);
            factor!($ty $kind $name $shape $shape_name $needs $wide: MatrixB "b" RowMajor "row" $b [K N]);
            factor!($ty $kind $name $shape $shape_name $needs $wide: MatrixB "b" ColMajor "col" $b [N K]);
        )*
        /// What instrumented code calls for the loads of factors.
        #[cfg(not(warploom_device))]
        pub(super) const FACTOR_SHIMS: &[Shim] = &[$(
            factor!(shim $kind $name $shape $shape_name $needs $wide: MatrixA "a" RowMajor "row" $a),
            factor!(shim $kind $name $shape $shape_name $needs $wide: MatrixA "a" ColMajor "col" $a),
            factor!(shim $kind $name $shape $shape_name $needs $wide: MatrixB "b" RowMajor "row" $b),
            factor!(shim $kind $name $shape $shape_name $needs $wide: MatrixB "b" ColMajor "col" $b),
        )*];
    };
}

factors! {
    F16 F16 "f16" M16N16K16 "m16n16k16" "sm70+ptx60" "r": 8 8;
    F16 F16 "f16" M32N8K16 "m32n8k16" "sm70+ptx61" "r": 8 8;
    F16 F16 "f16" M8N32K16 "m8n32k16" "sm70+ptx61" "r": 8 8;
    Bf16 Bf16 "bf16" M16N16K16 "m16n16k16" "sm80+ptx70" "r": 4 4;
    Bf16 Bf16 "bf16" M32N8K16 "m32n8k16" "sm80+ptx70" "r": 8 2;
    Bf16 Bf16 "bf16" M8N32K16 "m8n32k16" "sm80+ptx70" "r": 2 8;
    Tf32 Tf32 "tf32" M16N16K8 "m16n16k8" "sm80+ptx70" "r": 4 4;
    f64 F64 "f64" M8N8K4 "m8n8k4" "sm80+ptx70" "d": 1 1;
    i8 I8 "s8" M16N16K16 "m16n16k16" "sm72+ptx63" "r": 2 2;
    i8 I8 "s8" M32N8K16 "m32n8k16" "sm72+ptx63" "r": 4 1;
    i8 I8 "s8" M8N32K16 "m8n32k16" "sm72+ptx63" "r": 1 4;
    u8 U8 "u8" M16N16K16 "m16n16k16" "sm72+ptx63" "r": 2 2;
    u8 U8 "u8" M32N8K16 "m32n8k16" "sm72+ptx63" "r": 4 1;
    u8 U8 "u8" M8N32K16 "m8n32k16" "sm72+ptx63" "r": 1 4;
}

macro_rules! packed_factors {
    ($($ty:ident $kind:ident $name:literal $shape:ident $shape_name:literal $needs:literal;)*) => {
        $(
            factor!($ty $kind $name $shape $shape_name $needs "r": MatrixA "a" RowMajor "row" 1 [M K]);
            factor!($ty $kind $name $shape $shape_name $needs "r": MatrixB "b" ColMajor "col" 1 [N K]);
        )*
        /// What instrumented code calls for the loads of factors with fewer than 8 bits.
        #[cfg(not(warploom_device))]
        pub(super) const PACKED_FACTOR_SHIMS: &[Shim] = &[$(
            factor!(shim $kind $name $shape $shape_name $needs "r": MatrixA "a" RowMajor "row" 1),
            factor!(shim $kind $name $shape $shape_name $needs "r": MatrixB "b" ColMajor "col" 1),
        )*];
    };
}

packed_factors! {
    S4 S4 "s4" M8N8K32 "m8n8k32" "sm75+ptx63+below90";
    U4 U4 "u4" M8N8K32 "m8n8k32" "sm75+ptx63+below90";
    B1 B1 "b1" M8N8K128 "m8n8k128" "sm75+ptx63";
}

/// One layout of a line of `sums!`.
macro_rules! sum {
    (load $count:literal $kind:ident $name:literal $shape:ident $shape_name:literal $needs:literal $wide:literal $layout:ident $layout_name:literal $from:ident $stride:ident) => {{
        let mut registers = [0; $count];
        call!(
            load_symbol!($needs, $wide $count, "c", $layout_name, $shape_name, $name),
            wmma_load(tile!(load Accumulator $shape $kind $count $name $layout_name <$layout as Layout>::IS_ROW_MAJOR)),
            registers: *mut u32 = registers.as_mut_ptr().cast(), from: *const u8 = $from.cast(), stride: u32 = $stride
        );
        registers
    }};
    (store $count:literal $kind:ident $name:literal $shape:ident $shape_name:literal $needs:literal $wide:literal $layout:ident $layout_name:literal $registers:ident $to:ident $stride:ident) => {
        call!(
            store_symbol!($needs, $wide $count, $layout_name, $shape_name, $name),
            wmma_store(tile!(store Accumulator $shape $kind $count $name $layout_name <$layout as Layout>::IS_ROW_MAJOR)),
            registers: *const u32 = $registers.as_ptr().cast(), to: *mut u8 = $to.cast(), stride: u32 = $stride
        )
    };
}

macro_rules! sums {
    ($($ty:ident $kind:ident $name:literal $shape:ident $shape_name:literal $needs:literal $wide:literal: $count:literal;)*) => {
        $(
            impl Fragments<Accumulator, $shape, ()> for $ty {
                type Registers = [<$ty as Elements>::Word; $count];
            }
            impl Sum<$shape> for $ty {
                #[inline(always)]
                #[cfg_attr(not(warploom_device), track_caller)]
                unsafe fn load<L: Layout>(from: *const Self::Value, stride: u32) -> Self::Registers {
                    if L::IS_ROW_MAJOR {
                        sum!(load $count $kind $name $shape $shape_name $needs $wide RowMajor "row" from stride)
                    } else {
                        sum!(load $count $kind $name $shape $shape_name $needs $wide ColMajor "col" from stride)
                    }
                }

                #[inline(always)]
                #[cfg_attr(not(warploom_device), track_caller)]
                unsafe fn store<L: Layout>(registers: &Self::Registers, to: *mut Self::Value, stride: u32) {
                    if L::IS_ROW_MAJOR {
                        sum!(store $count $kind $name $shape $shape_name $needs $wide RowMajor "row" registers to stride)
                    } else {
                        sum!(store $count $kind $name $shape $shape_name $needs $wide ColMajor "col" registers to stride)
                    }
                }
            }
        )*
        /// What instrumented code calls for loads and stores of sums.
        #[cfg(not(warploom_device))]
        pub(super) const SUM_SHIMS: &[Shim] = &[$(
            factor!(shim $kind $name $shape $shape_name $needs $wide: Accumulator "c" RowMajor "row" $count),
            factor!(shim $kind $name $shape $shape_name $needs $wide: Accumulator "c" ColMajor "col" $count),
            shim!(
                store_symbol!($needs, $wide $count, "row", $shape_name, $name),
                wmma_store(tile!(store Accumulator $shape $kind $count $name "row" true)),
                registers: *const u32, to: *mut u8, stride: u32
            ),
            shim!(
                store_symbol!($needs, $wide $count, "col", $shape_name, $name),
                wmma_store(tile!(store Accumulator $shape $kind $count $name "col" false)),
                registers: *const u32, to: *mut u8, stride: u32
            ),
        )*];
    };
}

sums! {
    f32 F32 "f32" M16N16K16 "m16n16k16" "sm70+ptx60" "r": 8;
    f32 F32 "f32" M32N8K16 "m32n8k16" "sm70+ptx61" "r": 8;
    f32 F32 "f32" M8N32K16 "m8n32k16" "sm70+ptx61" "r": 8;
    f32 F32 "f32" M16N16K8 "m16n16k8" "sm80+ptx70" "r": 8;
    F16 F16 "f16" M16N16K16 "m16n16k16" "sm70+ptx60" "r": 4;
    F16 F16 "f16" M32N8K16 "m32n8k16" "sm70+ptx61" "r": 4;
    F16 F16 "f16" M8N32K16 "m8n32k16" "sm70+ptx61" "r": 4;
    f64 F64 "f64" M8N8K4 "m8n8k4" "sm80+ptx70" "d": 2;
    i32 I32 "s32" M16N16K16 "m16n16k16" "sm72+ptx63" "r": 8;
    i32 I32 "s32" M32N8K16 "m32n8k16" "sm72+ptx63" "r": 8;
    i32 I32 "s32" M8N32K16 "m8n32k16" "sm72+ptx63" "r": 8;
    i32 I32 "s32" M8N8K32 "m8n8k32" "sm75+ptx63" "r": 2;
    i32 I32 "s32" M8N8K128 "m8n8k128" "sm75+ptx63" "r": 2;
}
