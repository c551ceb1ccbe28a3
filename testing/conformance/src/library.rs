//! A library with statics, a kernel of its own, and a function that kernels of other crates call.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::prelude::*;
use warploom_device_std::{constant_static, device_static, managed_static};

device_static! {
    /// What [`hit`] counts, from 100.
    pub static HITS: AtomicU32 = AtomicU32::new(100);
}

constant_static! {
    /// By how much.
    pub static STEP: u32 = 3;
}

managed_static! {
    /// How often, and how often a kernel set [`HITS`].
    pub static CALLS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
}

/// Counts; gives the number before.
pub fn hit() -> u32 {
    CALLS[0].fetch_add(1, Relaxed);
    HITS.fetch_add(*STEP, Relaxed)
}

/// Starts anew, from `from + STEP`.
#[kernel]
pub fn restart(i: Index1D, from: u32) {
    if i.get() == 0 {
        CALLS[1].fetch_add(1, Relaxed);
        HITS.store(from + *STEP, Relaxed);
    }
}
