//! Transformations: elements computed from elements, or moved to other places.

use warploom::device_std::Plain;

use super::OnStream;
use crate::input::{Adjacent, Concat, Fetch, Input, IntoInput, Item, Place, Shuffled};
use crate::scatter::{Scatter, ScatterOf};
use crate::transform::{Gather, Transform};

/// Transformations: elements computed from elements, or moved to other places. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
pub trait Transforms: OnStream {
    /// Stores the elements of an input. So `map` of an input is a transformation, `counting` is a sequence, and `constant` fills (as
    /// [`DeviceBuffer::fill`](warploom::DeviceBuffer::fill) does).
    ///
    /// Time O(n), one launch, no workspace; deterministic. What a closure would do beside its result is not an element: there is no `for_each`. CUDA: `cub::DeviceTransform`,
    /// `thrust::transform`, `thrust::sequence`, `thrust::tabulate`, `thrust::fill`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, y) = (device.upload(&[1.0f32, 2.0])?, device.upload(&[3.0f32, 4.0])?);
    /// let mut sums = device.zeroed(2)?;
    /// stream.transform(x.input().zip(&y).map(|(x, y)| 2.0 * x + y)).into(&mut sums)?;
    /// assert_eq!(sums.to_vec(&stream)?, [5.0, 8.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn transform<'s, 'a, I>(&'s self, input: I) -> Transform<'s, 'a, I::Memory, I::Fetch>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    {
        Transform {
            stream: self.stream(),
            input: input.input(),
        }
    }

    /// The first element, then each element with the one before it by `op(element, before)`.
    ///
    /// Time O(n), one launch, no workspace; deterministic. The output must be another buffer than the input. CUDA: `cub::DeviceAdjacentDifference::SubtractLeftCopy`,
    /// `thrust::adjacent_difference`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[5i32, 7, 4])?, device.zeroed(3)?);
    /// stream.adjacent_difference(&x, |x, before| x - before).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [5, 2, -3]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn adjacent_difference<'s, 'a, I, O>(
        &'s self,
        input: I,
        op: O,
    ) -> Transform<'s, 'a, I::Memory, Adjacent<I::Fetch, O>>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        O: Fn(Item<'a, I>, Item<'a, I>) -> Item<'a, I> + Copy + Send + Sync + 'static,
    {
        let x = input.input();
        self.transform(Input::new(x.slices, x.len, Adjacent(x.fetch, op)))
    }

    /// The elements in a random order, which depends on `seed` and the number of elements alone: stored, of [`Input::shuffled`].
    ///
    /// Time O(n), one launch, no workspace; deterministic. Each element is read from a random place. CUDA: `thrust::shuffle_copy`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[1u32, 2, 3, 4])?, device.zeroed(4)?);
    /// stream.shuffle(&x, 2024).into(&mut y)?;
    /// let mut y = y.to_vec(&stream)?;
    /// y.sort();
    /// assert_eq!(y, [1, 2, 3, 4]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn shuffle<'s, 'a, I>(
        &'s self,
        input: I,
        seed: u64,
    ) -> Transform<'s, 'a, I::Memory, Shuffled<I::Fetch>>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
    {
        self.transform(input.input().shuffled(seed))
    }

    /// The elements at `places`, in the order of the places. A place that the input does not have is a panic in the kernel.
    ///
    /// Time O(n) for n places, one launch, no workspace; deterministic. CUDA: `thrust::gather`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, places) = (device.upload(&[1.5f32, 2.5, 3.5])?, device.upload(&[2u32, 0])?);
    /// let mut y = device.zeroed(2)?;
    /// stream.gather(&x, &places).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [3.5, 1.5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn gather<'s, 'a, I, J>(&'s self, input: I, places: J) -> Gather<'s, 'a, I, J>
    where
        I: IntoInput<'a, Fetch: Fetch<I::Memory, Item: Plain>>,
        J: IntoInput<'a, Fetch: Fetch<J::Memory, Item: Place>>,
        I::Memory: Concat<J::Memory>,
    {
        Transform {
            stream: self.stream(),
            input: input.input().permute(places),
        }
    }

    /// Stores element `i` at place `places[i]` of the output, whose other elements stay as they are.
    ///
    /// Time O(n), one launch, no workspace. Deterministic if no place comes twice; else any one of its elements is stored. Elements have 1, 2, 4 or 8 bytes; for others there is the
    /// unsafe [`Scatter::into_distinct`]. A place that the output does not have is a panic in the kernel. CUDA: `thrust::scatter`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, places) = (device.upload(&[1.5f32, 2.5])?, device.upload(&[2u32, 0])?);
    /// let mut y = device.zeroed(3)?;
    /// stream.scatter(&x, &places).into(&mut y)?;
    /// assert_eq!(y.to_vec(&stream)?, [2.5, 0.0, 1.5]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn scatter<'s, 'a, I, J>(&'s self, input: I, places: J) -> ScatterOf<'s, 'a, I, J>
    where
        I: IntoInput<'a>,
        J: IntoInput<'a, Fetch: Fetch<J::Memory, Item: Place>>,
        I::Memory: Concat<J::Memory>,
    {
        Scatter {
            stream: self.stream(),
            input: input.input().zip(places),
        }
    }
}

impl<S: OnStream> Transforms for S {}
