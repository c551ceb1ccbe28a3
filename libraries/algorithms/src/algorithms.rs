//! The algorithms as methods of a stream.

use warploom::Stream;
use warploom::device_std::Plain;

use crate::input::{Fetch, IntoInput, Item};
use crate::reduce::Reduce;

/// The algorithms of a [`Stream`]. Each method describes one; it runs when its output is named.
pub trait Algorithms {
    /// Combines `init` and all elements by `op`, which must be associative and commutative. Without elements the value is `init`.
    ///
    /// Time O(n). The order depends on the number of elements alone: equal inputs give equal bits on every device. Elements have at most 16 bytes. CUDA:
    /// `cub::DeviceReduce::Reduce`, `TransformReduce`; `thrust::reduce`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::{Algorithms, IntoInput};
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[3.0f32, -4.0, 1.0])?;
    /// assert_eq!(stream.reduce(&x, f32::MIN, f32::max).to_host()?, 3.0);
    /// assert_eq!(stream.reduce(x.input().map(|x| x * x), 0.0, |a, b| a + b).to_host()?, 26.0);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn reduce<'s, 'a, I, O>(
        &'s self,
        input: I,
        init: Item<'a, I>,
        op: O,
    ) -> Reduce<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, O>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static;
}

impl Algorithms for Stream {
    fn reduce<'s, 'a, I, O>(
        &'s self,
        input: I,
        init: Item<'a, I>,
        op: O,
    ) -> Reduce<'s, 'a, I::Memory, I::Fetch, Item<'a, I>, O>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        Reduce {
            stream: self,
            input: input.input(),
            init,
            op,
            plan: None,
        }
    }
}
