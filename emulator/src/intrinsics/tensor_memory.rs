//! Tensor memory, which the emulator does not have: each of these ends the run with an error that says what has it.

use super::{fail, inside};

/// Says that the emulator does not compute `instruction`.
#[track_caller]
fn refuse(function: &str, instruction: &str) -> ! {
    inside(function, |_| ());
    fail(&format!(
        "`{instruction}` needs a GPU of compute capability 10.0, and the emulator does not calculate it: run the kernel on such a GPU, or put the code behind `if feature_set() == FeatureSet::Specific(100)` with other code beside it"
    ))
}

macro_rules! refused {
    ($($name:ident($($arg:ident: $ty:ty),*) = $instruction:literal;)*) => {$(
        #[doc = concat!("PTX: `", $instruction, "`. Compute capability: 10.0a. The emulator does not calculate it.")]
        ///
        /// # Panics
        /// Always.
        ///
        /// # Safety
        /// None here.
        #[track_caller]
        pub unsafe fn $name($($arg: $ty),*) {
            let _ = ($($arg,)*);
            refuse(stringify!($name), $instruction)
        }
    )*};
}

refused! {
    tcgen05_alloc(to: *mut u32, columns: u32) = "tcgen05.alloc";
    tcgen05_dealloc(address: u32, columns: u32) = "tcgen05.dealloc";
    tcgen05_relinquish() = "tcgen05.relinquish_alloc_permit";
    tcgen05_commit(at: *mut u64) = "tcgen05.commit";
    tcgen05_wait_loads() = "tcgen05.wait::ld";
    tcgen05_wait_stores() = "tcgen05.wait::st";
    tcgen05_before_sync() = "tcgen05.fence::before_thread_sync";
    tcgen05_after_sync() = "tcgen05.fence::after_thread_sync";
    tcgen05_copy(address: u32, matrix: u64) = "tcgen05.cp";
    tcgen05_shift(address: u32) = "tcgen05.shift";
    tcgen05_load(d: *mut u32, address: u32, number: u32) = "tcgen05.ld";
    tcgen05_loaded(d: *mut u32, number: u32) = "tcgen05.wait::ld";
    tcgen05_store(from: *const u32, address: u32, number: u32) = "tcgen05.st";
    tcgen05_product(d: u32, a: u32, matrix_a: u64, matrix_b: u64, instruction: u32, number: u32) = "tcgen05.mma";
}
