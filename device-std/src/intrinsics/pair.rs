//! Pairs of 16-bit integers in one word, for machines that calculate with both at once.

use super::Intrinsic;

intrinsics! {
    /// Both halves added, wrapping, no carry between them. PTX `add.u16x2`, sm_90.
    scalar fn add_u16x2(a: u32, b: u32) -> u32 = "asm:sm90+ptx80|add.u16x2 $0, $1, $2;";
    /// The lesser of both halves, signed. PTX `min.s16x2`, sm_90.
    scalar fn min_s16x2(a: u32, b: u32) -> u32 = "asm:sm90+ptx80|min.s16x2 $0, $1, $2;";
    /// The greater of both halves, signed. PTX `max.s16x2`, sm_90.
    scalar fn max_s16x2(a: u32, b: u32) -> u32 = "asm:sm90+ptx80|max.s16x2 $0, $1, $2;";
    /// The lesser of both halves, unsigned. PTX `min.u16x2`, sm_90.
    scalar fn min_u16x2(a: u32, b: u32) -> u32 = "asm:sm90+ptx80|min.u16x2 $0, $1, $2;";
    /// The greater of both halves, unsigned. PTX `max.u16x2`, sm_90.
    scalar fn max_u16x2(a: u32, b: u32) -> u32 = "asm:sm90+ptx80|max.u16x2 $0, $1, $2;";
}
