//! The primitives that work across OS threads: std's, or loom's in a model test.

use std::time::Duration;

#[cfg(not(loom))]
mod chosen {
    #[expect(
        clippy::disallowed_types,
        reason = "the one place that chooses between std and loom"
    )]
    pub(crate) type Mutex<T> = std::sync::Mutex<T>;
    #[expect(
        clippy::disallowed_types,
        reason = "the one place that chooses between std and loom"
    )]
    pub(crate) type Condvar = std::sync::Condvar;
    pub(crate) use std::sync::MutexGuard;
    pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
}

#[cfg(loom)]
mod chosen {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

/// A mutex for a `static`. Always std's: loom's objects live only inside a model.
#[expect(
    clippy::disallowed_types,
    reason = "loom's mutex cannot be built in a constant"
)]
pub(crate) type StaticMutex<T> = std::sync::Mutex<T>;

pub(crate) use chosen::{AtomicU64, Condvar, Mutex, MutexGuard, Ordering};

/// Locks, also when a thread died while it held the lock: every user leaves the content valid at each step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Sleeps until it is notified, or for no reason at all; whose content the lock guards is valid, as for [`lock`].
pub(crate) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar
        .wait(guard)
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The same, and not for longer than `timeout`; in loom's models, which have no time, until it is notified.
pub(crate) fn wait_timeout<'a, T>(
    condvar: &Condvar,
    guard: MutexGuard<'a, T>,
    timeout: Duration,
) -> MutexGuard<'a, T> {
    let (guard, _) = condvar
        .wait_timeout(guard, timeout)
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    guard
}
