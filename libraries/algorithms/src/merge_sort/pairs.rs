//! Sorting keys with their values.

use warploom::prelude::*;

use super::{MergeSortPlan, sort};
use crate::Error;
use crate::input::{Fetch, Input, IntoInput, Item};
use crate::output::IntoOutput;

/// A sort of pairs that was described and has not run; see [`crate::Sorts::merge_sort_pairs`](crate::Sorts::merge_sort_pairs).
#[must_use = "nothing runs before `into`"]
pub struct MergeSortPairs<'s, 'a, 'b, I, J, L>
where
    I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Plain>>,
{
    pub(crate) stream: &'s Stream,
    pub(crate) keys: Input<'a, I::Memory, I::Fetch>,
    pub(crate) values: Input<'b, J::Memory, J::Fetch>,
    pub(crate) less: L,
    pub(crate) plan: Option<&'s mut MergeSortPlan<Item<'a, I>, Item<'b, J>>>,
}

impl<'s, 'a, 'b, I, J, L> MergeSortPairs<'s, 'a, 'b, I, J, L>
where
    I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    J: IntoInput<'b, Fetch: Fetch<J::Memory, Item: Plain>>,
    L: Fn(Item<'a, I>, Item<'a, I>) -> bool + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan`, made by [`MergeSortPlan::with_values`], instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut MergeSortPlan<Item<'a, I>, Item<'b, J>>) -> Self {
        MergeSortPairs {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the sort; keys and values will be the first elements of the outputs. Does not wait.
    ///
    /// # Errors
    /// [`Error::DifferentLengths`] if keys and values are not as many; else as [`MergeSort::into`](super::MergeSort::into).
    #[track_caller]
    pub fn into(
        self,
        keys_out: impl IntoOutput<Item<'a, I>>,
        values_out: impl IntoOutput<Item<'b, J>>,
    ) -> Result<(), Error> {
        let (stream, n) = (self.stream, self.keys.len());
        if self.values.len() != n {
            return Err(Error::DifferentLengths {
                first: "the keys of a sort",
                first_len: n,
                second: "its values",
                second_len: self.values.len(),
            });
        }
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = MergeSortPlan::with_values_on(stream, n)?;
                &mut own
            }
        };
        let out = (keys_out.output(), values_out.output());
        sort::<_, _, _, _, _, _, _, true>(stream, self.keys, self.values, self.less, plan, out)
    }
}
