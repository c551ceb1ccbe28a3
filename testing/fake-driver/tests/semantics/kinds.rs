//! Memory of all kinds: rows, pools, registered and managed memory.

use super::*;

#[test]
fn rows_have_a_pitch_and_their_copies_bounds() {
    let _guard = context();
    unsafe {
        let (mut rows, mut pitch, mut start, mut bytes) = (0, 0, 0, 0);
        assert_eq!(
            cuMemAllocPitch_v2(&raw mut rows, &raw mut pitch, 100, 3, 5),
            1
        );
        assert_eq!(
            cuMemAllocPitch_v2(&raw mut rows, &raw mut pitch, 0, 3, 4),
            1
        );
        assert_eq!(
            cuMemAllocPitch_v2(&raw mut rows, &raw mut pitch, 100, 3, 4),
            0
        );
        assert_eq!(
            cuMemGetAddressRange_v2(&raw mut start, &raw mut bytes, rows + 600),
            0
        );
        assert_eq!((pitch, start, bytes), (512, rows, 1536));
        assert_eq!(cuMemsetD2D32Async(rows, 512, 7, 25, 3, 0), 0);
        assert_eq!(
            cuMemsetD2D32Async(rows + 2, 512, 7, 25, 3, 0),
            1,
            "misaligned"
        );
        assert_eq!(
            cuMemsetD2D8Async(rows, 512, 7, 512, 4, 0),
            1,
            "a row too many"
        );
        assert_eq!(
            cuMemsetD2D16Async(rows, 99, 7, 50, 2, 0),
            1,
            "rows that overlap"
        );
        let mut host = [0u32; 8];
        let mut words = [0usize; 16];
        // From the device: memory type 2, address, pitch. To the host: 1, address, pitch. Then width and height.
        (words[2], words[4], words[6]) = (2, usize::try_from(rows).unwrap() + 512, 512);
        (words[9], words[10], words[13]) = (1, host.as_mut_ptr().expose_provenance(), 16);
        (words[14], words[15]) = (16, 2);
        assert_eq!(cuMemcpy2DAsync_v2((&raw const words).cast(), 0), 0);
        assert_eq!(host, [7; 8]);
        words[15] = 3;
        assert_eq!(
            cuMemcpy2DAsync_v2((&raw const words).cast(), 0),
            1,
            "beyond the last row"
        );
        words[13] = 15;
        assert_eq!(
            cuMemcpy2DAsync_v2((&raw const words).cast(), 0),
            1,
            "a pitch below the width"
        );
        assert_eq!(cuMemFree_v2(rows), 0);
    }
}

#[test]
fn pools_count_and_registered_memory_is_refused_twice() {
    let _guard = context();
    unsafe {
        let (mut pool, mut other, mut memory, mut number) = (0, 0, 0, 0u64);
        let properties = [1u64, 1, 0, 1000, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(cuMemPoolCreate(&raw mut pool, &raw const properties), 0);
        assert_eq!(cuMemPoolCreate(&raw mut other, &[0; 11]), 1);
        assert_eq!(
            cuMemAllocFromPoolAsync(&raw mut memory, 1001, pool, 0),
            2,
            "its limit"
        );
        assert_eq!(cuMemAllocFromPoolAsync(&raw mut memory, 1000, pool, 0), 0);
        assert_eq!(cuMemPoolGetAttribute(pool, 7, (&raw mut number).cast()), 0);
        assert_eq!(number, 1000);
        assert_eq!(cuMemFreeAsync(memory, 0), 0);
        assert_eq!(cuMemPoolGetAttribute(pool, 7, (&raw mut number).cast()), 0);
        assert_eq!(number, 0);
        assert_eq!(cuDeviceGetDefaultMemPool(&raw mut other, 0), 0);
        assert_eq!(cuMemPoolDestroy(other), 1, "the GPU's own");
        assert_eq!(
            (count(c"pools"), cuMemPoolDestroy(pool), count(c"pools")),
            (1, 0, 0)
        );
        assert_eq!(cuMemPoolTrimTo(pool, 0), 1, "it is gone");

        let mut bytes = [0u8; 100];
        let start: *mut c_void = bytes.as_mut_ptr().cast();
        assert_eq!(cuMemHostRegister_v2(start, 0, 0), 1);
        assert_eq!(cuMemHostRegister_v2(start, 100, 3), 0);
        assert_eq!(
            cuMemHostRegister_v2(start.wrapping_byte_add(50), 10, 0),
            712
        );
        assert_eq!(cuMemHostUnregister(start), 0);
        assert_eq!(cuMemHostUnregister(start), 1);
    }
}

#[test]
fn advice_is_for_managed_memory_alone() {
    let _guard = context();
    unsafe {
        let (mut device, mut managed, mut answer) = (0, 0, 0i32);
        assert_eq!(cuMemAlloc_v2(&raw mut device, 100), 0);
        assert_eq!(cuMemAllocManaged(&raw mut managed, 100, 1), 0);
        assert_eq!(cuMemAdvise(device, 100, 1, 0), 1);
        assert_eq!(cuMemAdvise(managed, 101, 1, 0), 1);
        assert_eq!(cuMemAdvise(managed, 100, 3, 7), 101);
        assert_eq!(cuMemAdvise(managed, 100, 3, -1), 0);
        let to: *mut c_void = (&raw mut answer).cast();
        assert_eq!(cuMemRangeGetAttribute(to, 4, 2, managed, 100), 0);
        assert_eq!(answer, -1);
        assert_eq!(cuMemPrefetchAsync(managed, 100, 0, 0), 0);
        assert_eq!(cuMemPrefetchAsync(device, 100, 0, 0), 1);
        assert_eq!((cuMemFree_v2(device), cuMemFree_v2(managed)), (0, 0));
    }
}
