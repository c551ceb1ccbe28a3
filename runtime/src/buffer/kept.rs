//! A value that several keep, and mostly one.
//!
//! What `Arc` does for values without weak references, but for the drop of the last one: if nobody else has the value, nobody can get it
//! meanwhile, and a load says so, where `Arc` pays for two atomic changes.

use std::alloc::Layout;
use std::marker::PhantomData;
use std::ops::Deref;
use std::process::abort;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use super::spare;

/// Clones are the same value; it goes with the last.
pub(super) struct Kept<T> {
    at: NonNull<Counted<T>>,
    /// Drops a `T`.
    owns: PhantomData<Counted<T>>,
}

struct Counted<T> {
    /// How many have it.
    keepers: AtomicUsize,
    value: T,
}

// SAFETY: who has one can reach the value from his thread, and drop it there.
unsafe impl<T: Send + Sync> Send for Kept<T> {}
// SAFETY: as above, since a shared one can be cloned.
unsafe impl<T: Send + Sync> Sync for Kept<T> {}

impl<T> Kept<T> {
    /// How much room it takes.
    const LAYOUT: Layout = Layout::new::<Counted<T>>();

    /// Keeps what `make` makes, in its place: nothing large is moved.
    #[inline]
    pub(super) fn new(make: impl FnOnce() -> T) -> Kept<T> {
        let at = spare::take(Self::LAYOUT).cast::<Counted<T>>();
        let keepers = AtomicUsize::new(1);
        // SAFETY: room for it, which nobody else has.
        unsafe {
            at.write(Counted {
                keepers,
                value: make(),
            });
        }
        Kept {
            at,
            owns: PhantomData,
        }
    }

    fn counted(&self) -> &Counted<T> {
        // SAFETY: it is there while somebody has it, and is only written through `get_mut`, which borrows the only one exclusively.
        unsafe { self.at.as_ref() }
    }

    /// Whether nobody else has it. What others did with it before they dropped theirs is seen then.
    #[inline]
    pub(super) fn is_alone(&self) -> bool {
        self.counted().keepers.load(Ordering::Acquire) == 1
    }

    /// The value, if nobody else has it.
    pub(super) fn get_mut(&mut self) -> Option<&mut T> {
        if !self.is_alone() {
            return None;
        }
        // SAFETY: this is the only one, borrowed exclusively: nobody can clone it meanwhile.
        Some(unsafe { &mut self.at.as_mut().value })
    }

    pub(super) fn is_same(&self, other: &Kept<T>) -> bool {
        self.at == other.at
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.counted().value
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Kept<T> {
        let keepers = self.counted().keepers.fetch_add(1, Ordering::Relaxed);
        if keepers > usize::MAX / 2 {
            abort(); // somebody forgets clones without end, and the count would begin anew
        }
        Kept {
            at: self.at,
            owns: PhantomData,
        }
    }
}

impl<T> Drop for Kept<T> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_alone() {
            let keepers = &self.counted().keepers;
            // Release: the last one sees what was done through this one.
            if keepers.fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        // SAFETY: nobody else has it.
        unsafe { self.at.drop_in_place() };
        // SAFETY: taken with this layout, and nothing is in it any more.
        unsafe { spare::put(self.at.cast(), Self::LAYOUT) };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread;

    use super::*;

    /// Notes what was written to it when it goes.
    struct Noted<'a>(Mutex<u32>, &'a Mutex<Vec<u32>>);

    impl Drop for Noted<'_> {
        fn drop(&mut self) {
            self.1.lock().unwrap().push(*self.0.get_mut().unwrap());
        }
    }

    #[test]
    fn it_goes_once_with_the_last_on_whatever_thread() {
        let gone = Mutex::new(vec![]);
        for round in 0..200 {
            let kept = Kept::new(|| Noted(Mutex::new(0), &gone));
            thread::scope(|scope| {
                for _ in 0..3 {
                    let kept = kept.clone();
                    scope.spawn(move || *kept.0.lock().unwrap() += 1);
                }
                drop(kept);
            });
            assert_eq!(*gone.lock().unwrap(), vec![3; round + 1]);
        }
    }

    #[test]
    fn one_that_is_alone_can_be_changed_and_others_cannot() {
        let mut kept = Kept::new(|| 1);
        let other = kept.clone();
        assert!(!kept.is_alone() && kept.get_mut().is_none() && kept.is_same(&other));
        drop(other);
        *kept.get_mut().unwrap() = 2;
        assert!(kept.is_alone() && *kept == 2 && !kept.is_same(&Kept::new(|| 2)));
    }
}
