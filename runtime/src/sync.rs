//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks although another thread panicked meanwhile: our own code between lock and unlock leaves no half-done state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
