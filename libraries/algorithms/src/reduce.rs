//! All elements to one value.
//!
//! At most [`BLOCKS`] blocks, each over tiles that are as many tiles apart as there are blocks; then one block over the values of the blocks. So the order in which
//! elements are combined depends on their number, their type and the input's rule alone: equal inputs give equal bits on every GPU and on the emulator.

use warploom::device_std::launch_dependents;
use warploom::prelude::*;
use warploom::{DeviceSliceMut, MemoryError};

use crate::Error;
use crate::input::{Elements, Empty, Fetch, Input, Memory, One};
use crate::output::IntoOutput;
use crate::state::{State, Value};
use crate::tuning::by_size;

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks at most: eight for each of 132 multiprocessors.
const BLOCKS: usize = 8 * 132;

/// A reduction that was described and has not run; see [`crate::Reductions::reduce`](crate::Reductions::reduce).
#[must_use = "nothing runs before `into` or `to_host`"]
pub struct Reduce<'s, 'a, M: Memory, F, T: Plain, O> {
    pub(crate) stream: &'s Stream,
    pub(crate) input: Input<'a, M, F>,
    pub(crate) init: T,
    pub(crate) op: O,
    pub(crate) plan: Option<&'s mut ReducePlan<T>>,
}

/// The memory of a reduction, for use again and again and in graphs: of no more than the elements that it was made for.
///
/// ```
/// # use warploom::prelude::*;
/// use warploom_algorithms::prelude::*;
/// use warploom_algorithms::ReducePlan;
/// # let device = Device::emulator();
/// # let stream = device.stream()?;
/// let (x, mut sum) = (device.filled(1000, 2u32)?, device.zeroed(1)?);
/// let mut plan = ReducePlan::new(&device, x.len())?;
/// for _ in 0..3 {
///     stream.reduce(&x, 0, |a, b| a + b).plan(&mut plan).into(&mut sum)?;
/// }
/// assert_eq!((sum.to_vec(&stream)?, plan.bytes()), (vec![2000], 4));
/// # Ok::<(), warploom_algorithms::Error>(())
/// ```
pub struct ReducePlan<T: Plain> {
    partial: DeviceBuffer<T>,
}

impl<T: Plain> ReducePlan<T> {
    /// Memory for reductions of up to `len` elements.
    ///
    /// # Errors
    /// [`MemoryError::OutOfMemory`]; what the driver reports.
    pub fn new(device: &Device, len: usize) -> Result<Self, MemoryError> {
        Ok(ReducePlan {
            partial: device.alloc_uninit(Self::blocks(len))?,
        })
    }

    fn on(stream: &Stream, len: usize) -> Result<Self, MemoryError> {
        let pool = stream.device().pool()?;
        Ok(ReducePlan {
            partial: pool.alloc_uninit(Self::blocks(len), stream)?,
        })
    }

    /// Bytes of device memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.partial.len() * size_of::<T>()
    }

    fn blocks(len: usize) -> usize {
        len.div_ceil(THREADS * by_size::<T>([16, 16, 16, 8, 4]))
            .min(BLOCKS)
    }
}

impl<'s, M, F, T, O> Reduce<'s, '_, M, F, T, O>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    /// Uses the memory of `plan` instead of some of the device's pool.
    pub fn plan(self, plan: &'s mut ReducePlan<T>) -> Self {
        Reduce {
            plan: Some(plan),
            ..self
        }
    }

    /// Queues the reduction; the value will be the first element of `out`. Does not wait.
    ///
    /// # Errors
    /// [`Error::TooShort`] if `out` has no element or the plan is for fewer elements; what launches and allocations report.
    pub fn into(self, out: impl IntoOutput<T>) -> Result<(), Error> {
        let mut out = out.output();
        Error::check_room("the output of a reduction", out.len(), 1)?;
        let n = self.input.len();
        if n == 0 {
            return Ok(out.slice_mut(..1)?.fill(self.init, self.stream)?);
        }
        let mut own;
        let plan = match self.plan {
            Some(plan) => plan,
            None => {
                own = ReducePlan::on(self.stream, n)?;
                &mut own
            }
        };
        let blocks = ReducePlan::<T>::blocks(n);
        Error::check_room("the plan of a reduction", plan.partial.len(), blocks)?;
        let (stream, op, init) = (self.stream, self.op, self.init);
        let (x, partial) = (self.input, plan.partial.slice_mut(..blocks)?);
        match const { by_size::<T>([16, 16, 16, 8, 4]) } {
            16 => tiles::<M, F, T, O, 16>(stream, x, op, init, partial, out),
            8 => tiles::<M, F, T, O, 8>(stream, x, op, init, partial, out),
            _ => tiles::<M, F, T, O, 4>(stream, x, op, init, partial, out),
        }
    }

    /// Runs the reduction and waits for its value.
    ///
    /// # Errors
    /// As [`into`](Self::into); what the wait reports.
    pub fn to_host(self) -> Result<T, Error> {
        let stream = self.stream;
        let mut out = stream.device().pool()?.alloc_uninit(1, stream)?;
        self.into(out.as_slice_mut())?;
        Ok(out.get(0, stream)?)
    }
}

/// One launch for the values of blocks, and one for the value of all.
fn tiles<M, F, T, O, const ITEMS: usize>(
    stream: &Stream,
    x: Input<'_, M, F>,
    op: O,
    init: T,
    mut partial: DeviceSliceMut<'_, T>,
    out: DeviceSliceMut<'_, T>,
) -> Result<(), Error>
where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    let empty = Empty::new(stream.device())?;
    let (a, b, c) = M::arguments(x.slices, &empty);
    let shape = Launch::new(partial.len() as u32, THREADS as u32);
    if partial.len() == 1 {
        return Ok(reduce_tiles::<M, F, T, O, ITEMS, true>::launch(
            stream, shape, a, b, c, x.fetch, x.len, op, init, out,
        )?);
    }
    reduce_tiles::<M, F, T, O, ITEMS, false>::launch(
        stream,
        shape,
        a,
        b,
        c,
        x.fetch,
        x.len,
        op,
        init,
        &mut partial,
    )?;
    let empty = Empty::new(stream.device())?;
    let (a, b, c) = One::arguments((partial.as_slice(),), &empty);
    let one = Launch::new(1, THREADS as u32);
    Ok(reduce_tiles::<One<T>, Elements, T, O, ITEMS, true>::launch(
        stream,
        one,
        a,
        b,
        c,
        Elements,
        partial.len(),
        op,
        init,
        out,
    )?)
}

/// The value of each block's tiles. `LAST`: of one block, with `init` before it.
#[kernel(block(256), dependent_launch)]
pub fn reduce_tiles<M, F, T, O, const ITEMS: usize, const LAST: bool>(
    block: Block,
    a: &[M::A],
    b: &[M::B],
    c: &[M::C],
    fetch: F,
    n: usize,
    op: O,
    init: T,
    mut y: DisjointSlice<T, PerBlock>,
) where
    M: Memory,
    F: Fetch<M, Item = T>,
    T: Plain,
    O: Fn(T, T) -> T + Copy + Send + Sync + 'static,
{
    launch_dependents();
    let view = M::view(a, b, c);
    let (thread, tile, tiles) = (block.thread(), THREADS * ITEMS, grid_dim().x as usize);
    let mut first = block.index() * tile;
    let mut total = None;
    let mut add = |value| {
        total = Some(match total {
            Some(total) => op(total, value),
            None => value,
        });
    };
    while n - first >= tile {
        add(match ITEMS {
            16 => of_share::<M, F, T, 4>((fetch, view), (first, thread), op),
            8 => of_share::<M, F, T, 2>((fetch, view), (first, thread), op),
            _ => of_share::<M, F, T, 1>((fetch, view), (first, thread), op),
        });
        first += tiles * tile;
        if first >= n {
            break;
        }
    }
    if first < n {
        let part = fetch.part(view, first, n - first);
        let mut k = thread;
        while k < n - first {
            add(part(k));
            k += THREADS;
        }
    }
    // A block has an element, so its first thread has a value.
    let Some(total) = of_block(block, total, n - block.index() * tile, op) else {
        return;
    };
    if let Some(y) = block.leader().and_then(|leader| y.get_mut(leader)) {
        *y = if LAST { op(init, total) } else { total };
    }
}

/// What the values of the block's threads come to, of which the first `elements` have one, or all.
#[inline(always)]
fn of_block<T: Plain>(
    block: Block,
    own: Option<T>,
    elements: usize,
    op: impl Fn(T, T) -> T,
) -> Option<T> {
    // The same in all threads of a block.
    if elements >= THREADS || size_of::<T>() > 12 {
        // Of 16 bytes a value has no room beside it for whether it is there: threads without return, which `Block::reduce` leaves out.
        return own.map(|own| block.reduce(own, op));
    }
    let words = |value: T| {
        let [a, b, c, ..] = Value(value).to_words();
        [1, a, b, c]
    };
    let value = |[_, a, b, c]: [u32; 4]| Value::<T>::from_words([a, b, c, 0, 0, 0]).0;
    let all = block.reduce(own.map_or([0; 4], words), |x, y| match (x[0], y[0]) {
        (0, _) => y,
        (_, 0) => x,
        _ => words(op(value(x), value(y))),
    });
    Some(value(all))
}

/// What the thread's share of a tile of `4 * GROUPS` elements of each thread comes to.
#[inline(always)]
fn of_share<M: Memory, F: Fetch<M, Item = T>, T: Copy, const GROUPS: usize>(
    (fetch, view): (F, M::View<'_>),
    (first, thread): (usize, usize),
    op: impl Fn(T, T) -> T + Copy,
) -> T {
    let groups: [[T; 4]; GROUPS] = fetch.fixed_share(view, first, (thread, THREADS));
    sum(groups.map(|group| sum(group, op)), op)
}

/// Pairs first, so that no chain is longer than need be.
#[inline(always)]
fn sum<T: Copy, const N: usize>(mut items: [T; N], op: impl Fn(T, T) -> T) -> T {
    let mut half = N / 2;
    while half > 0 {
        for k in 0..half {
            items[k] = op(items[k], items[k + half]);
        }
        half /= 2;
    }
    items[0]
}
