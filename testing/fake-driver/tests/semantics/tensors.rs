//! Maps of tensors: which limits the driver checks.

use super::*;

#[repr(align(64))]
struct Map([u64; 17]);

/// A map of 64 by 32 elements of four bytes, changed by `change`.
struct Told {
    element: i32,
    rank: u32,
    base: u64,
    extents: [u64; 2],
    stride: u64,
    block: [u32; 2],
    steps: [u32; 2],
    swizzle: i32,
    fill: i32,
    offset: usize,
}

fn encode(base: u64, change: impl FnOnce(&mut Told)) -> i32 {
    let mut map = Map([0; 17]);
    let mut told = Told {
        element: 2,
        rank: 2,
        base,
        extents: [64, 32],
        stride: 256,
        block: [32, 8],
        steps: [1; 2],
        swizzle: 3,
        fill: 0,
        offset: 0,
    };
    change(&mut told);
    unsafe {
        cuTensorMapEncodeTiled(
            map.0.as_mut_ptr().wrapping_add(told.offset).cast(),
            told.element,
            told.rank,
            std::ptr::without_provenance_mut(told.base as usize),
            told.extents.as_ptr(),
            &raw const told.stride,
            told.block.as_ptr(),
            told.steps.as_ptr(),
            0,
            told.swizzle,
            0,
            told.fill,
        )
    }
}

#[test]
fn maps_have_limits() {
    let _guard = context();
    let mut base = 0;
    assert_eq!(unsafe { cuMemAlloc_v2(&raw mut base, 64 * 32 * 4) }, 0);
    assert_eq!(encode(base, |_| ()), 0);
    assert_eq!(encode(base, |told| told.element = 13), 1);
    assert_eq!(encode(base, |told| told.rank = 6), 1);
    assert_eq!(encode(base, |told| told.base += 8), 1);
    assert_eq!(encode(base, |told| told.base = 1 << 20), 1);
    assert_eq!(encode(base, |told| told.extents[1] = 0), 1);
    assert_eq!(encode(base, |told| told.extents[0] = (1 << 32) + 1), 1);
    assert_eq!(encode(base, |told| told.stride = 264), 1);
    assert_eq!(encode(base, |told| told.stride = 1 << 40), 1);
    assert_eq!(encode(base, |told| told.block[1] = 257), 1);
    assert_eq!(encode(base, |told| told.block[0] = 33), 1);
    assert_eq!(encode(base, |told| told.block[0] = 64), 1); // longer than what is permuted
    assert_eq!(encode(base, |told| told.steps[1] = 9), 1);
    assert_eq!(encode(base, |told| told.swizzle = 5), 1);
    assert_eq!(encode(base, |told| told.fill = 1), 1); // integers
    assert_eq!(encode(base, |told| told.offset = 1), 1);
    assert_eq!(unsafe { cuMemFree_v2(base) }, 0);
}
