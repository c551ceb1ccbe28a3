//! An element and the one before it.

use warploom::device_std::KernelArg;

use super::{Fetch, Memory};

/// Each element with the one before it, by a function; see [`crate::Transforms::adjacent_difference`](crate::Transforms::adjacent_difference).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Adjacent<F, O>(pub(crate) F, pub(crate) O);

// SAFETY: a rule, and a closure, which a launch takes by value if it has these bounds; the device pass refuses one with addresses of the host.
unsafe impl<F: KernelArg, O: Copy + Send + Sync + 'static> KernelArg for Adjacent<F, O> {}

impl<M: Memory, F: Fetch<M>, O> Fetch<M> for Adjacent<F, O>
where
    O: Fn(F::Item, F::Item) -> F::Item + Copy + Send + Sync + 'static,
{
    type Item = F::Item;

    #[inline(always)]
    fn get(self, view: M::View<'_>, i: usize) -> F::Item {
        let item = self.0.get(view, i);
        if i == 0 {
            item
        } else {
            (self.1)(item, self.0.get(view, i - 1))
        }
    }

    #[inline(always)]
    fn part<'v>(
        self,
        view: M::View<'v>,
        base: usize,
        len: usize,
    ) -> impl Fn(usize) -> F::Item + Copy + 'v {
        let Adjacent(fetch, op) = self;
        // The part begins one element earlier, if there is one.
        let before = base.min(1);
        let part = fetch.part(view, base - before, len + before);
        move |k| {
            let k = k + before;
            let item = part(k);
            // The first element has none before it: for it `k` is 0 and the element itself is read again.
            let difference = op(item, part(k.saturating_sub(1)));
            if k == 0 { item } else { difference }
        }
    }
}
