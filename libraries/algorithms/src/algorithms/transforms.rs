//! Transformations: elements computed from elements, or moved to other places.

use warploom::device_std::Plain;

use super::OnStream;
use crate::for_each::ForEachMut;
use crate::input::{
    Adjacent, Concat, Counting, Fetch, Input, IntoInput, Item, NoMemory, Place, Shuffled, counting,
};
use crate::output::IntoOutput;
use crate::scatter::{Scatter, ScatterOf};
use crate::transform::{Gather, Transform};

/// Transformations: elements computed from elements, or moved to other places. Methods of a [`Stream`](warploom::Stream); each describes an algorithm, which runs when its output is named.
pub trait Transforms: OnStream {
    /// Stores the elements of an input. So `map` of an input is a transformation, `counting` is a sequence, and `constant` fills (as
    /// [`DeviceBuffer::fill`](warploom::DeviceBuffer::fill) does).
    ///
    /// Time O(n), one launch, no workspace; deterministic. A closure has no effect but its result, since it cannot hold
    /// memory of the device: so there is no `for_each`, but for memory that it may change there is [`for_each_mut`](Self::for_each_mut). CUDA: `cub::DeviceTransform`,
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

    /// Calls `f` with each element of `elements`, which it may change, and the element's number.
    ///
    /// Time O(n), one launch, no workspace; deterministic. An element belongs to one thread, so calls cannot disturb each other; nothing is promised of their order. If `f` panics,
    /// elements of that thread may be unchanged. CUDA: `cub::DeviceFor::ForEach`, `thrust::for_each`. Compute capability: 7.5.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let mut x = device.upload(&[1.0f32, -2.0, 3.0])?;
    /// stream.for_each_mut(&mut x, |x, i| if *x < 0.0 { *x = i as f32 }).run()?;
    /// assert_eq!(x.to_vec(&stream)?, [1.0, 1.0, 3.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn for_each_mut<'s, 'a, T, G>(
        &'s self,
        elements: impl IntoOutput<T> + 'a,
        f: G,
    ) -> ForEachMut<'s, 'a, 'static, T, NoMemory, Counting, G>
    where
        T: Plain,
        G: Fn(&mut T, usize) + Copy + Send + Sync + 'static,
    {
        let elements = elements.output();
        ForEachMut {
            stream: self.stream(),
            input: counting(elements.len()),
            elements,
            f,
        }
    }

    /// Calls `f` with each element of `elements`, which it may change, and the element of `input` with the same number; else as [`for_each_mut`](Self::for_each_mut). CUDA:
    /// `thrust::for_each` with `zip_iterator`.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_algorithms::prelude::*;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let (x, mut y) = (device.upload(&[1.0f32, 2.0])?, device.upload(&[10.0f32, 20.0])?);
    /// let a = 3.0;
    /// stream.for_each_mut_with(&mut y, &x, move |y, x| *y += a * x).run()?;
    /// assert_eq!(y.to_vec(&stream)?, [13.0, 26.0]);
    /// # Ok::<(), warploom_algorithms::Error>(())
    /// ```
    fn for_each_mut_with<'s, 'a, 'b, T, I, G>(
        &'s self,
        elements: impl IntoOutput<T> + 'a,
        input: I,
        f: G,
    ) -> ForEachMut<'s, 'a, 'b, T, I::Memory, I::Fetch, G>
    where
        T: Plain,
        I: IntoInput<'b>,
        G: Fn(&mut T, Item<'b, I>) + Copy + Send + Sync + 'static,
    {
        ForEachMut {
            stream: self.stream(),
            elements: elements.output(),
            input: input.input(),
            f,
        }
    }
}

impl<S: OnStream> Transforms for S {}
