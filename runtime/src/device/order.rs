//! Locks of several devices: always in order of address, so that two threads never wait for each other.

use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use crate::device::{Backend, Device, Emulated, Gpu, Submission};

/// Submission locks, each with its GPU. It is one almost always, and then no memory is allocated.
pub(crate) enum Submissions<'a> {
    None,
    One(&'a Gpu, MutexGuard<'a, Submission>),
    Several(Vec<(&'a Gpu, MutexGuard<'a, Submission>)>),
}

impl<'a> Submissions<'a> {
    /// Takes the lock of `gpu` out.
    pub(crate) fn take(&mut self, gpu: &Gpu) -> Option<MutexGuard<'a, Submission>> {
        match std::mem::replace(self, Submissions::None) {
            Submissions::One(of, submission) if std::ptr::eq(of, gpu) => return Some(submission),
            Submissions::Several(mut all) => {
                let at = all.iter().position(|(of, _)| std::ptr::eq(*of, gpu));
                let found = at.map(|at| all.swap_remove(at).1);
                *self = Submissions::Several(all);
                return found;
            }
            others => *self = others,
        }
        None
    }
}

/// The submission locks of the GPUs among `devices`, each once.
#[inline]
pub(crate) fn submissions<'a>(devices: impl Iterator<Item = &'a Device>) -> Submissions<'a> {
    let mut gpus = devices.filter_map(|device| match &device.0.backend {
        Backend::Cuda(gpu) => Some(&**gpu),
        Backend::Emulator(_) => None,
    });
    let Some(first) = gpus.next() else {
        return Submissions::None;
    };
    match gpus.find(|gpu| !std::ptr::eq(*gpu, first)) {
        None => Submissions::One(first, first.submission()),
        Some(other) => several([first, other].into_iter().chain(gpus).collect()),
    }
}

#[cold]
fn several(gpus: Vec<&Gpu>) -> Submissions<'_> {
    let lock = |gpu| (gpu, Gpu::submission(gpu));
    Submissions::Several(in_order(gpus.into_iter()).into_iter().map(lock).collect())
}

/// While they live, no graph runs on the emulated ones among `devices`.
pub(crate) fn exclude_graphs<'a>(
    devices: impl Iterator<Item = &'a Device>,
) -> Vec<RwLockReadGuard<'a, ()>> {
    let emulated = devices.filter_map(|device| device.0.backend.emulated());
    in_order(emulated)
        .into_iter()
        .map(Emulated::shared_memory_access)
        .collect()
}

/// While they live, nothing else works on the memory of the emulated ones among `devices`.
pub(crate) fn exclusive_memory_access<'a>(
    devices: impl Iterator<Item = &'a Device>,
) -> Vec<RwLockWriteGuard<'a, ()>> {
    let emulated = devices.filter_map(|device| device.0.backend.emulated());
    in_order(emulated)
        .into_iter()
        .map(Emulated::exclusive_memory_access)
        .collect()
}

/// Each once.
fn in_order<'a, T>(all: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    let mut all: Vec<&T> = all.collect();
    all.sort_by_key(|one| std::ptr::from_ref(*one).addr());
    all.dedup_by_key(|one| std::ptr::from_ref(*one).addr());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_once_and_lower_addresses_first() {
        let all = [7u64; 4];
        let given = [3, 1, 3, 0, 1].map(|i: usize| &all[i]);
        let places: Vec<usize> = in_order(given.into_iter())
            .into_iter()
            .map(|one| (std::ptr::from_ref(one).addr() - all.as_ptr().addr()) / size_of::<u64>())
            .collect();
        assert_eq!(places, [0, 1, 3]);
    }
}
