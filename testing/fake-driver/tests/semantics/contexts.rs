//! Several contexts and GPUs.

use super::*;

/// [`alone`] with two GPUs and a context of each; the second is current.
fn two_contexts() -> (MutexGuard<'static, ()>, [u64; 2]) {
    let guard = alone();
    let mut contexts = [0; 2];
    unsafe {
        assert_eq!(cuInit(0), 0);
        for (device, context) in (0..).zip(&mut contexts) {
            assert_eq!(cuDevicePrimaryCtxRetain(&raw mut *context, device), 0);
            assert_eq!(cuCtxSetCurrent(*context), 0);
        }
    }
    (guard, contexts)
}

#[test]
fn peers_are_other_gpus_and_become_so_once() {
    let (_guard, [first, second]) = two_contexts();
    unsafe {
        assert_eq!(cuCtxEnablePeerAccess(first, 1), 1, "flags");
        assert_eq!(cuCtxEnablePeerAccess(second, 0), 101, "itself");
        assert_eq!(cuCtxEnablePeerAccess(77, 0), 201, "no context");
        assert_eq!(cuCtxDisablePeerAccess(first), 705);
        assert_eq!(cuCtxEnablePeerAccess(first, 0), 0);
        assert_eq!(cuCtxEnablePeerAccess(first, 0), 704);
        assert_eq!(cuCtxDisablePeerAccess(first), 0);
        let mut value = 7;
        assert_eq!(cuDeviceCanAccessPeer(&raw mut value, 0, 0), 0);
        assert_eq!(value, 0);
        assert_eq!(cuDeviceCanAccessPeer(&raw mut value, 0, 5), 101);
        assert_eq!(cuDeviceGetP2PAttribute(&raw mut value, 9, 0, 1), 1);
        assert_eq!(cuDeviceGetP2PAttribute(&raw mut value, 2, 1, 1), 101);
    }
}

#[test]
fn peer_copies_check_whose_memory_it_is() {
    let (_guard, [first, second]) = two_contexts();
    let (mut to, mut from, mut host) = (0, 0, [1u8; 8]);
    unsafe {
        assert_eq!(cuMemAlloc_v2(&raw mut to, 8), 0);
        assert_eq!(cuCtxSetCurrent(first), 0);
        assert_eq!(cuMemAlloc_v2(&raw mut from, 8), 0);
        assert_eq!(cuMemsetD8Async(from, 9, 8, 0), 0);
        assert_eq!(
            cuMemcpyPeerAsync(to, first, from, first, 8, 0),
            1,
            "the other's memory"
        );
        assert_eq!(
            cuMemcpyPeerAsync(to, second, from, first, 9, 0),
            1,
            "too much"
        );
        assert_eq!(
            cuMemcpyPeerAsync(to, second, from, 5, 8, 0),
            201,
            "no context"
        );
        assert_eq!(cuMemcpyPeerAsync(to, second, from, first, 8, 0), 0);
        assert_eq!(cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), to, 8), 0);
    }
    assert_eq!(host, [9; 8]);
}

#[test]
fn contexts_are_made_pushed_popped_and_destroyed() {
    let _guard = context();
    let (mut primary, mut own, mut top, mut flags) = (0, 0, 0, 0);
    unsafe {
        assert_eq!(cuCtxGetCurrent(&raw mut primary), 0);
        assert_eq!(cuCtxCreate_v2(&raw mut own, 3, 0), 1, "two ways to wait");
        assert_eq!(cuCtxCreate_v2(&raw mut own, 12, 0), 0);
        assert_eq!(cuCtxGetFlags(&raw mut flags), 0);
        assert_eq!((flags, count(c"contexts")), (12, 2));
        assert_eq!(cuCtxPopCurrent_v2(&raw mut top), 0);
        assert_eq!(top, own);
        assert_eq!(cuCtxGetCurrent(&raw mut top), 0);
        assert_eq!(top, primary);
        assert_eq!(cuCtxDestroy_v2(primary), 201, "not made so");
        assert_eq!(cuCtxDestroy_v2(own), 0);
        assert_eq!(cuCtxPushCurrent_v2(own), 201, "destroyed");
        assert_eq!(cuCtxDestroy_v2(own), 201);
        assert_eq!(cuCtxPopCurrent_v2(null_mut()), 0);
    }
}
