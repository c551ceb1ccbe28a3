//! Relaxed stores that come before a relaxed load which stands before them in the program: load buffering (README 27).
//!
//! A lane is a native call stack: a load has to be given a value when it is made. So the store comes earlier instead, which is the same. Instrumented code asks before a load whether the store
//! behind it comes first; it does where what the store writes, and where, depends on nothing from the load on, and where nothing lies between the two that orders them.

use super::atomic::{Does, around};
use super::state::{self, current};
use super::weak::put;
use crate::site::Site;

/// A relaxed store that instrumented code makes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relaxed {
    pub(super) at: *const u8,
    /// At most 8.
    pub(super) bytes: usize,
    pub(super) value: u64,
    /// 4 × order + scope.
    pub(super) how: u32,
    pub(super) site: u32,
}

/// The lane that runs makes a relaxed load of these bytes next, and the store behind it; whether it has made the store already.
pub(super) fn comes_first(load: (*const u8, usize), store: Relaxed) -> bool {
    let Some((running, checks)) = current() else {
        return false;
    };
    let Some(control) = &running.set.launch.options.control else {
        return false;
    };
    let is_of_load =
        store.at.addr() < load.0.addr() + load.1 && load.0.addr() < store.at.addr() + store.bytes;
    if !checks.has_weak_memory() || is_of_load || !running.may_wait() {
        return false;
    }
    running.choice_access(Site::of_site(store.site));
    if !control.0.stores_early() {
        return false;
    }
    makes(store);
    true
}

/// The lane that runs makes the store.
pub(super) fn makes(store: Relaxed) {
    let Relaxed { at, bytes, .. } = store;
    state::at(store.site);
    around(at, bytes, Does::Stores, store.how, || {
        put(at.expose_provenance(), bytes, store.value);
        ((), true)
    });
}
