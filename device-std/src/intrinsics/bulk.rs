//! Copies of many bytes, and of boxes of tensors, that go on beside the threads.

use super::Intrinsic;
#[cfg(not(warploom_device))]
use warploom_emulator::tensor::Reduction;

/// Lines with addresses in shared memory; on the emulator the expression behind `else` is evaluated.
macro_rules! bulk_intrinsics {
    ($(
        $(#[$doc:meta])*
        unsafe fn $name:ident($($arg:ident: $ty:ty),*) = $symbol:literal else $emulated:expr;
    )*) => {
        /// Every line, for instrumented code on the emulator.
        #[cfg(not(warploom_device))]
        pub(crate) const BULK_SHIMS: &[crate::intrinsics::Shim] = &[$({
            unsafe extern "C-unwind" fn shim($($arg: $ty),*) {
                // SAFETY: instrumented code calls it where the kernel called the function.
                unsafe { $name($($arg),*) }
            }
            crate::intrinsics::Shim { symbol: concat!("__warploom.", $symbol), address: shim as *const () }
        }),*];
        $(
        $(#[$doc])*
        ///
        /// # Safety
        /// Addresses are aligned as PTX asks: of boxes to 128 bytes in shared memory, of other bytes to 16, of maps to 64. What is read and written is there, and is not touched by
        /// threads until the copy has ended or, what is read, has been read. A barrier is one; a map is that of a tensor with as many dimensions as there are coordinates, which a
        /// launch has passed.
        #[inline(always)]
        #[cfg_attr(not(warploom_device), track_caller)]
        #[allow(clippy::too_many_arguments, reason = "the operands of one instruction")]
        pub unsafe fn $name($($arg: $ty),*) {
            #[cfg(warploom_device)]
            {
                unsafe extern "C" {
                    #[link_name = concat!("__warploom.", $symbol)]
                    fn device($($arg: $ty),*);
                }
                // SAFETY: the device linker gives this symbol the type declared here; the caller keeps the section above.
                unsafe { device($($arg),*) }
            }
            #[cfg(not(warploom_device))]
            {
                use warploom_emulator::intrinsics as emulated;
                // SAFETY: the emulator's function asks for no more than the section above, which the caller keeps.
                unsafe { $emulated }
            }
        }
        )*
    };
}

bulk_intrinsics! {
    /// Begins to copy a box of a tensor of 1 dimension into shared memory; ends at `barrier`. PTX `cp.async.bulk.tensor.1d.shared::cluster.global`, 8.0 · sm_90.
    unsafe fn tensor_load_1d(to: *mut u8, map: *const u8, barrier: *mut u64, x: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,|cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [@0], [@1, {@3}], [@2];" else emulated::tensor_load(to, map, barrier, &[x], None);
    /// The same, into the shared memory of all blocks of the cluster in `blocks`, each with a barrier of its own. PTX `….multicast::cluster`, 8.0 · sm_90.
    unsafe fn tensor_load_multicast_1d(to: *mut u8, map: *const u8, barrier: *mut u64, blocks: u16, x: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,|cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [@0], [@1, {@4}], [@2], @3;" else emulated::tensor_load(to, map, barrier, &[x], Some(blocks));
    /// Begins to copy a box from shared memory to a tensor of 1 dimension. PTX `cp.async.bulk.tensor.1d.global.shared::cta`, 8.0 · sm_90.
    unsafe fn tensor_store_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], None);
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.add`, 8.0 · sm_90.
    unsafe fn tensor_add_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::Add));
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.min`, 8.0 · sm_90.
    unsafe fn tensor_min_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.min.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::Min));
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.max`, 8.0 · sm_90.
    unsafe fn tensor_max_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.max.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::Max));
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.inc`, 8.0 · sm_90.
    unsafe fn tensor_inc_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.inc.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::Inc));
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.dec`, 8.0 · sm_90.
    unsafe fn tensor_dec_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.dec.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::Dec));
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.and`, 8.0 · sm_90.
    unsafe fn tensor_and_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.and.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::And));
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.or`, 8.0 · sm_90.
    unsafe fn tensor_or_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.or.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::Or));
    /// Changes elements of a tensor of 1 dimension by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.1d.global.shared::cta.xor`, 8.0 · sm_90.
    unsafe fn tensor_xor_1d(map: *const u8, from: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,s,|cp.reduce.async.bulk.tensor.1d.global.shared::cta.xor.tile.bulk_group [@0, {@2}], [@1];" else emulated::tensor_store(map, from, &[x], Some(Reduction::Xor));
    /// Asks for a box of a tensor of 1 dimension to be brought to the second cache. PTX `cp.async.bulk.prefetch.tensor.1d.L2.global`, 8.0 · sm_90.
    unsafe fn tensor_prefetch_1d(map: *const u8, x: i32) = "registers:volatile+memory+sm90+ptx80|,|cp.async.bulk.prefetch.tensor.1d.L2.global.tile [@0, {@1}];" else emulated::tensor_prefetch(map, &[x]);
    /// Begins to copy a box of a tensor of 2 dimensions into shared memory; ends at `barrier`. PTX `cp.async.bulk.tensor.2d.shared::cluster.global`, 8.0 · sm_90.
    unsafe fn tensor_load_2d(to: *mut u8, map: *const u8, barrier: *mut u64, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,|cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [@0], [@1, {@3, @4}], [@2];" else emulated::tensor_load(to, map, barrier, &[x, y], None);
    /// The same, into the shared memory of all blocks of the cluster in `blocks`, each with a barrier of its own. PTX `….multicast::cluster`, 8.0 · sm_90.
    unsafe fn tensor_load_multicast_2d(to: *mut u8, map: *const u8, barrier: *mut u64, blocks: u16, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,,|cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [@0], [@1, {@4, @5}], [@2], @3;" else emulated::tensor_load(to, map, barrier, &[x, y], Some(blocks));
    /// Begins to copy a box from shared memory to a tensor of 2 dimensions. PTX `cp.async.bulk.tensor.2d.global.shared::cta`, 8.0 · sm_90.
    unsafe fn tensor_store_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], None);
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.add`, 8.0 · sm_90.
    unsafe fn tensor_add_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::Add));
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.min`, 8.0 · sm_90.
    unsafe fn tensor_min_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::Min));
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.max`, 8.0 · sm_90.
    unsafe fn tensor_max_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::Max));
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc`, 8.0 · sm_90.
    unsafe fn tensor_inc_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::Inc));
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.dec`, 8.0 · sm_90.
    unsafe fn tensor_dec_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.dec.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::Dec));
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.and`, 8.0 · sm_90.
    unsafe fn tensor_and_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::And));
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.or`, 8.0 · sm_90.
    unsafe fn tensor_or_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::Or));
    /// Changes elements of a tensor of 2 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor`, 8.0 · sm_90.
    unsafe fn tensor_xor_2d(map: *const u8, from: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,s,,|cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group [@0, {@2, @3}], [@1];" else emulated::tensor_store(map, from, &[x, y], Some(Reduction::Xor));
    /// Asks for a box of a tensor of 2 dimensions to be brought to the second cache. PTX `cp.async.bulk.prefetch.tensor.2d.L2.global`, 8.0 · sm_90.
    unsafe fn tensor_prefetch_2d(map: *const u8, x: i32, y: i32) = "registers:volatile+memory+sm90+ptx80|,,|cp.async.bulk.prefetch.tensor.2d.L2.global.tile [@0, {@1, @2}];" else emulated::tensor_prefetch(map, &[x, y]);
    /// Begins to copy a box of a tensor of 3 dimensions into shared memory; ends at `barrier`. PTX `cp.async.bulk.tensor.3d.shared::cluster.global`, 8.0 · sm_90.
    unsafe fn tensor_load_3d(to: *mut u8, map: *const u8, barrier: *mut u64, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,,|cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [@0], [@1, {@3, @4, @5}], [@2];" else emulated::tensor_load(to, map, barrier, &[x, y, z], None);
    /// The same, into the shared memory of all blocks of the cluster in `blocks`, each with a barrier of its own. PTX `….multicast::cluster`, 8.0 · sm_90.
    unsafe fn tensor_load_multicast_3d(to: *mut u8, map: *const u8, barrier: *mut u64, blocks: u16, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,,,|cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [@0], [@1, {@4, @5, @6}], [@2], @3;" else emulated::tensor_load(to, map, barrier, &[x, y, z], Some(blocks));
    /// Begins to copy a box from shared memory to a tensor of 3 dimensions. PTX `cp.async.bulk.tensor.3d.global.shared::cta`, 8.0 · sm_90.
    unsafe fn tensor_store_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], None);
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.add`, 8.0 · sm_90.
    unsafe fn tensor_add_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::Add));
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.min`, 8.0 · sm_90.
    unsafe fn tensor_min_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.min.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::Min));
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.max`, 8.0 · sm_90.
    unsafe fn tensor_max_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.max.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::Max));
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.inc`, 8.0 · sm_90.
    unsafe fn tensor_inc_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.inc.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::Inc));
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.dec`, 8.0 · sm_90.
    unsafe fn tensor_dec_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.dec.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::Dec));
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.and`, 8.0 · sm_90.
    unsafe fn tensor_and_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.and.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::And));
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.or`, 8.0 · sm_90.
    unsafe fn tensor_or_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.or.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::Or));
    /// Changes elements of a tensor of 3 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor`, 8.0 · sm_90.
    unsafe fn tensor_xor_3d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,|cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.tile.bulk_group [@0, {@2, @3, @4}], [@1];" else emulated::tensor_store(map, from, &[x, y, z], Some(Reduction::Xor));
    /// Asks for a box of a tensor of 3 dimensions to be brought to the second cache. PTX `cp.async.bulk.prefetch.tensor.3d.L2.global`, 8.0 · sm_90.
    unsafe fn tensor_prefetch_3d(map: *const u8, x: i32, y: i32, z: i32) = "registers:volatile+memory+sm90+ptx80|,,,|cp.async.bulk.prefetch.tensor.3d.L2.global.tile [@0, {@1, @2, @3}];" else emulated::tensor_prefetch(map, &[x, y, z]);
    /// Begins to copy a box of a tensor of 4 dimensions into shared memory; ends at `barrier`. PTX `cp.async.bulk.tensor.4d.shared::cluster.global`, 8.0 · sm_90.
    unsafe fn tensor_load_4d(to: *mut u8, map: *const u8, barrier: *mut u64, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,,,|cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [@0], [@1, {@3, @4, @5, @6}], [@2];" else emulated::tensor_load(to, map, barrier, &[x, y, z, u], None);
    /// The same, into the shared memory of all blocks of the cluster in `blocks`, each with a barrier of its own. PTX `….multicast::cluster`, 8.0 · sm_90.
    unsafe fn tensor_load_multicast_4d(to: *mut u8, map: *const u8, barrier: *mut u64, blocks: u16, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,,,,|cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [@0], [@1, {@4, @5, @6, @7}], [@2], @3;" else emulated::tensor_load(to, map, barrier, &[x, y, z, u], Some(blocks));
    /// Begins to copy a box from shared memory to a tensor of 4 dimensions. PTX `cp.async.bulk.tensor.4d.global.shared::cta`, 8.0 · sm_90.
    unsafe fn tensor_store_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], None);
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.add`, 8.0 · sm_90.
    unsafe fn tensor_add_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::Add));
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.min`, 8.0 · sm_90.
    unsafe fn tensor_min_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.min.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::Min));
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.max`, 8.0 · sm_90.
    unsafe fn tensor_max_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.max.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::Max));
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.inc`, 8.0 · sm_90.
    unsafe fn tensor_inc_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.inc.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::Inc));
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.dec`, 8.0 · sm_90.
    unsafe fn tensor_dec_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.dec.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::Dec));
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.and`, 8.0 · sm_90.
    unsafe fn tensor_and_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.and.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::And));
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.or`, 8.0 · sm_90.
    unsafe fn tensor_or_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.or.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::Or));
    /// Changes elements of a tensor of 4 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.4d.global.shared::cta.xor`, 8.0 · sm_90.
    unsafe fn tensor_xor_4d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,|cp.reduce.async.bulk.tensor.4d.global.shared::cta.xor.tile.bulk_group [@0, {@2, @3, @4, @5}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u], Some(Reduction::Xor));
    /// Asks for a box of a tensor of 4 dimensions to be brought to the second cache. PTX `cp.async.bulk.prefetch.tensor.4d.L2.global`, 8.0 · sm_90.
    unsafe fn tensor_prefetch_4d(map: *const u8, x: i32, y: i32, z: i32, u: i32) = "registers:volatile+memory+sm90+ptx80|,,,,|cp.async.bulk.prefetch.tensor.4d.L2.global.tile [@0, {@1, @2, @3, @4}];" else emulated::tensor_prefetch(map, &[x, y, z, u]);
    /// Begins to copy a box of a tensor of 5 dimensions into shared memory; ends at `barrier`. PTX `cp.async.bulk.tensor.5d.shared::cluster.global`, 8.0 · sm_90.
    unsafe fn tensor_load_5d(to: *mut u8, map: *const u8, barrier: *mut u64, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,,,,|cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [@0], [@1, {@3, @4, @5, @6, @7}], [@2];" else emulated::tensor_load(to, map, barrier, &[x, y, z, u, v], None);
    /// The same, into the shared memory of all blocks of the cluster in `blocks`, each with a barrier of its own. PTX `….multicast::cluster`, 8.0 · sm_90.
    unsafe fn tensor_load_multicast_5d(to: *mut u8, map: *const u8, barrier: *mut u64, blocks: u16, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|s,,s,,,,,,|cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [@0], [@1, {@4, @5, @6, @7, @8}], [@2], @3;" else emulated::tensor_load(to, map, barrier, &[x, y, z, u, v], Some(blocks));
    /// Begins to copy a box from shared memory to a tensor of 5 dimensions. PTX `cp.async.bulk.tensor.5d.global.shared::cta`, 8.0 · sm_90.
    unsafe fn tensor_store_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], None);
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.add`, 8.0 · sm_90.
    unsafe fn tensor_add_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::Add));
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.min`, 8.0 · sm_90.
    unsafe fn tensor_min_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.min.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::Min));
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.max`, 8.0 · sm_90.
    unsafe fn tensor_max_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.max.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::Max));
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.inc`, 8.0 · sm_90.
    unsafe fn tensor_inc_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.inc.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::Inc));
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.dec`, 8.0 · sm_90.
    unsafe fn tensor_dec_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.dec.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::Dec));
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.and`, 8.0 · sm_90.
    unsafe fn tensor_and_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.and.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::And));
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.or`, 8.0 · sm_90.
    unsafe fn tensor_or_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.or.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::Or));
    /// Changes elements of a tensor of 5 dimensions by those of a box in shared memory. PTX `cp.reduce.async.bulk.tensor.5d.global.shared::cta.xor`, 8.0 · sm_90.
    unsafe fn tensor_xor_5d(map: *const u8, from: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,s,,,,,|cp.reduce.async.bulk.tensor.5d.global.shared::cta.xor.tile.bulk_group [@0, {@2, @3, @4, @5, @6}], [@1];" else emulated::tensor_store(map, from, &[x, y, z, u, v], Some(Reduction::Xor));
    /// Asks for a box of a tensor of 5 dimensions to be brought to the second cache. PTX `cp.async.bulk.prefetch.tensor.5d.L2.global`, 8.0 · sm_90.
    unsafe fn tensor_prefetch_5d(map: *const u8, x: i32, y: i32, z: i32, u: i32, v: i32) = "registers:volatile+memory+sm90+ptx80|,,,,,|cp.async.bulk.prefetch.tensor.5d.L2.global.tile [@0, {@1, @2, @3, @4, @5}];" else emulated::tensor_prefetch(map, &[x, y, z, u, v]);
    /// Asks for the map of a tensor to be brought to a cache. PTX `prefetch.tensormap`, 8.0 · sm_90.
    unsafe fn tensor_map_prefetch(map: *const u8) = "registers:volatile+memory+sm90+ptx80||prefetch.tensormap [@0];" else emulated::tensor_map_prefetch(map);
    /// Begins to copy bytes from global into shared memory; ends at `barrier`. PTX `cp.async.bulk.shared::cluster.global`, 8.0 · sm_90.
    unsafe fn bulk_load(to: *mut u8, from: *const u8, bytes: u32, barrier: *mut u64) = "registers:volatile+memory+sm90+ptx80|s,,,s|{ .reg .u64 g; cvta.to.global.u64 g, @1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [@0], [g], @2, [@3]; }" else emulated::bulk_load(to, from, bytes, barrier, None);
    /// The same, into the shared memory of all blocks of the cluster in `blocks`, each with a barrier of its own. PTX `….multicast::cluster`, 8.0 · sm_90.
    unsafe fn bulk_load_multicast(to: *mut u8, from: *const u8, bytes: u32, barrier: *mut u64, blocks: u16) = "registers:volatile+memory+sm90+ptx80|s,,,s,|{ .reg .u64 g; cvta.to.global.u64 g, @1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [@0], [g], @2, [@3], @4; }" else emulated::bulk_load(to, from, bytes, barrier, Some(blocks));
    /// Begins to copy bytes from the own shared memory to that of a block of the cluster; ends at `barrier` there. PTX `cp.async.bulk.shared::cluster.shared::cta`, 8.0 · sm_90.
    unsafe fn bulk_to_cluster(to: *mut u8, from: *const u8, bytes: u32, barrier: *mut u64) = "registers:volatile+memory+sm90+ptx80|s,s,,s|cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [@0], [@1], @2, [@3];" else emulated::bulk_to_cluster(to, from, bytes, barrier);
    /// Begins to copy bytes from shared to global memory. PTX `cp.async.bulk.global.shared::cta`, 8.0 · sm_90.
    unsafe fn bulk_store(to: *mut u8, from: *const u8, bytes: u32) = "registers:volatile+memory+sm90+ptx80|,s,|{ .reg .u64 g; cvta.to.global.u64 g, @0; cp.async.bulk.global.shared::cta.bulk_group [g], [@1], @2; }" else emulated::bulk_store(to, from, bytes);
    /// Asks for bytes to be brought to the second cache. PTX `cp.async.bulk.prefetch.L2.global`, 8.0 · sm_90.
    unsafe fn bulk_prefetch(from: *const u8, bytes: u32) = "registers:volatile+memory+sm90+ptx80|,|{ .reg .u64 g; cvta.to.global.u64 g, @0; cp.async.bulk.prefetch.L2.global [g], @1; }" else emulated::bulk_prefetch(from, bytes);
    /// Lets the current phase of a barrier wait for so many bytes of copies. PTX `mbarrier.expect_tx.relaxed.cta.shared::cta.b64`, 8.0 · sm_90.
    unsafe fn mbarrier_expect_tx(at: *mut u64, bytes: u32) = "registers:volatile+memory+sm90+ptx80|s,|mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [@0], @1;" else emulated::mbarrier_expect_tx(at, bytes);
    /// Arrives at a barrier of any block of the cluster. PTX `mbarrier.arrive.release.cluster.shared::cluster.b64`, 8.0 · sm_90.
    unsafe fn mbarrier_arrive_cluster(at: *mut u64) = "registers:volatile+memory+sm90+ptx80|s|mbarrier.arrive.release.cluster.shared::cluster.b64 _, [@0];" else emulated::mbarrier_arrive_cluster(at);
}

unsafe_intrinsics! {
    /// Makes a group of the copies to global memory that this thread has begun since the last group. PTX `cp.async.bulk.commit_group`, 8.0 · sm_90.
    ///
    /// # Safety
    /// All code that counts the thread's groups meanwhile allows for one more.
    unsafe fn bulk_commit() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.commit_group;";
    /// Waits until at most 0 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 0`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_0() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 0;";
    /// Waits until at most 1 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 1`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_1() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 1;";
    /// Waits until at most 2 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 2`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_2() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 2;";
    /// Waits until at most 3 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 3`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_3() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 3;";
    /// Waits until at most 4 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 4`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_4() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 4;";
    /// Waits until at most 5 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 5`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_5() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 5;";
    /// Waits until at most 6 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 6`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_6() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 6;";
    /// Waits until at most 7 of the thread's groups of copies to global memory are under way, the latest. PTX `cp.async.bulk.wait_group 7`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_7() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group 7;";
    /// Waits until at most 0 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 0`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_0() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 0;";
    /// Waits until at most 1 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 1`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_1() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 1;";
    /// Waits until at most 2 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 2`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_2() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 2;";
    /// Waits until at most 3 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 3`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_3() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 3;";
    /// Waits until at most 4 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 4`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_4() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 4;";
    /// Waits until at most 5 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 5`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_5() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 5;";
    /// Waits until at most 6 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 6`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_6() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 6;";
    /// Waits until at most 7 of the thread's groups of copies to global memory may still read their sources, the latest. PTX `cp.async.bulk.wait_group.read 7`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As promised for each copy.
    unsafe fn bulk_wait_read_7() = "asm:volatile+memory+sm90+ptx80|cp.async.bulk.wait_group.read 7;";
    /// Lets the phase wait for so many more bytes of copies, then arrives; gives what [`mbarrier_test_wait`](super::mbarrier_test_wait) wants.
    /// PTX `mbarrier.arrive.expect_tx.shared::cta.b64`, 8.0 · sm_90.
    ///
    /// # Safety
    /// As for [`mbarrier_arrive`](super::mbarrier_arrive). `bytes` is below 2^20.
    unsafe fn mbarrier_arrive_expect_tx(at: *mut u64, bytes: u32) -> u64 = "asm:volatile+memory+sm90+ptx80|{ .reg .u64 s; cvta.to.shared.u64 s, $1; mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 $0, [s], $2; }";
}

intrinsics! {
    /// Orders this thread's accesses before the fence and what bulk copies do that begin after it. PTX `fence.proxy.async`, 8.0 · sm_90.
    scalar fn fence_proxy_async() = "asm:volatile+memory+sm90+ptx80|fence.proxy.async;";
    /// Lets the other blocks of the cluster, and copies, see barriers in memory that this thread has initialised. PTX `fence.mbarrier_init.release.cluster`, 8.0 · sm_90.
    scalar fn fence_mbarrier_init() = "asm:volatile+memory+sm90+ptx80|fence.mbarrier_init.release.cluster;";
}
