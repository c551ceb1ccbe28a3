//! The launches of a sort.

use warploom::prelude::*;
use warploom::{DeviceSlice, DeviceSliceMut};

use super::RadixKey;
use super::histogram::{self, Counted, radix_histogram};
use super::one_tile::{self, radix_tile};
use super::onesweep::{self, Sweep, radix_sweep, radix_sweep_3};
use super::plan::{Layout, SortPlan};
use super::rank::{Order, THREADS};
use crate::Error;
use crate::tuning::sort_tunings;

/// Bytes of a key and a value, as the table of tunings has them: 0 for no value.
const fn sizes<K, V>(pairs: bool) -> (usize, usize) {
    (size_of::<K>(), if pairs { size_of::<V>() } else { 0 })
}

macro_rules! items_by_sizes {
    ($($sizes:pat => ($items:literal, $blocks:literal);)*) => {
        /// Items of a thread, for a key and a value of so many bytes.
        const fn items_of(sizes: (usize, usize)) -> usize {
            match sizes {
                $($sizes => $items,)*
            }
        }
    };
}
sort_tunings!(items_by_sizes! {});

/// Items of a thread.
pub(super) const fn items<K, V>(pairs: bool) -> usize {
    items_of(sizes::<K, V>(pairs))
}

/// Calls [`Job::tiles`] with the numbers of the row for the sizes, and instantiates it with those alone.
macro_rules! tiles_by_sizes {
    ($job:ident, $plan:ident, $pairs:ident, $_last:pat => ($items:literal, $blocks:literal);) => {
        $job.tiles::<$items, $blocks, $pairs>($plan)
    };
    ($job:ident, $plan:ident, $pairs:ident, $sizes:pat => ($items:literal, $blocks:literal); $($rows:tt)*) => {
        if const { matches!(sizes::<K, V>($pairs), $sizes) } {
            $job.tiles::<$items, $blocks, $pairs>($plan)
        } else {
            tiles_by_sizes!($job, $plan, $pairs, $($rows)*)
        }
    };
}

/// What is sorted into what.
pub(super) struct Job<'s, 'i, 'o, K, V> {
    pub(super) stream: &'s Stream,
    pub(super) order: Order,
    /// Keys and values; `None` if those of the output are to be sorted in place.
    pub(super) input: Option<(DeviceSlice<'i, K>, DeviceSlice<'i, V>)>,
    /// As long as the input; no values if there are none.
    pub(super) keys_out: DeviceSliceMut<'o, K>,
    pub(super) values_out: DeviceSliceMut<'o, V>,
    /// Items of a launch at most.
    pub(super) portion: usize,
}

impl<K: RadixKey, V: Plain> Job<'_, '_, '_, K, V> {
    /// Queues all launches.
    pub(super) fn run<const PAIRS: bool>(
        self,
        plan: Option<&mut SortPlan<K, V>>,
    ) -> Result<(), Error> {
        const {
            assert!(
                size_of::<K>() <= 16,
                "keys of a radix sort have at most 16 bytes; sort pairs of a key and a value"
            );
        }
        let job = self;
        sort_tunings!(tiles_by_sizes! { job, plan, PAIRS, })
    }

    /// Queues all launches, with kernels for `ITEMS` items of a thread and `BLOCKS` blocks of a multiprocessor.
    pub(super) fn tiles<const ITEMS: usize, const BLOCKS: usize, const PAIRS: bool>(
        mut self,
        plan: Option<&mut SortPlan<K, V>>,
    ) -> Result<(), Error> {
        let (n, passes) = (self.keys_out.len(), self.order.passes());
        if n == 0 {
            return Ok(());
        }
        if passes == 0 {
            return self.copy::<PAIRS>();
        }
        let layout = Layout::new(n, ITEMS * THREADS, passes, self.portion);
        let one_tile = n <= layout.tile;
        // A single launch from input to output needs no memory in between.
        let between = if self.input.is_some() && (one_tile || passes == 1) {
            0
        } else {
            n
        };
        let values = if PAIRS { between } else { 0 };
        let mut own;
        let plan = match plan {
            Some(plan) => {
                plan.check(between, values, &layout)?;
                plan
            }
            None => {
                own = SortPlan::on(self.stream, between, values, &layout)?;
                &mut own
            }
        };
        if one_tile {
            return self.one_tile::<ITEMS, PAIRS>(plan);
        }
        self.count(plan, &layout)?;
        for pass in 0..passes {
            self.pass::<ITEMS, BLOCKS, PAIRS>(plan, &layout, pass)?;
        }
        if self.input.is_none() && passes % 2 == 1 {
            self.copy_back::<PAIRS>(plan)?;
        }
        Ok(())
    }

    /// The output is the input.
    fn copy<const PAIRS: bool>(mut self) -> Result<(), Error> {
        if let Some((keys, values)) = self.input {
            self.keys_out.copy_from_device(0, keys, self.stream)?;
            if PAIRS {
                self.values_out.copy_from_device(0, values, self.stream)?;
            }
        }
        Ok(())
    }

    /// The output is what lies in the plan.
    fn copy_back<const PAIRS: bool>(&mut self, plan: &SortPlan<K, V>) -> Result<(), Error> {
        let n = self.keys_out.len();
        let keys = plan.keys.slice(..n)?;
        self.keys_out.copy_from_device(0, keys, self.stream)?;
        if PAIRS {
            let values = plan.values.slice(..n)?;
            self.values_out.copy_from_device(0, values, self.stream)?;
        }
        Ok(())
    }

    fn one_tile<const ITEMS: usize, const PAIRS: bool>(
        mut self,
        plan: &mut SortPlan<K, V>,
    ) -> Result<(), Error> {
        let shape = shape(
            1,
            const { one_tile::memory_bytes(ITEMS, size_of::<K>(), PAIRS) },
        );
        let (stream, order) = (self.stream, self.order);
        if let Some((keys, values)) = self.input {
            let (keys_out, values_out) = (self.keys_out, self.values_out);
            return Ok(radix_tile::<K, V, ITEMS, PAIRS>::launch(
                stream, shape, keys, values, order, keys_out, values_out,
            )?);
        }
        let (keys, values) = (self.keys_out.as_slice(), self.values_out.as_slice());
        radix_tile::<K, V, ITEMS, PAIRS>::launch(
            stream,
            shape,
            keys,
            values,
            order,
            &mut plan.keys,
            &mut plan.values,
        )?;
        self.copy_back::<PAIRS>(plan)
    }

    /// The sums over digits of all passes.
    fn count(&self, plan: &mut SortPlan<K, V>, layout: &Layout) -> Result<(), Error> {
        plan.state
            .slice_mut(..layout.cleared())?
            .fill(0, self.stream)?;
        let keys = match self.input {
            Some((keys, _)) => keys,
            None => self.keys_out.as_slice(),
        };
        let tiles = keys.len().div_ceil(histogram::THREADS * histogram::ITEMS);
        let blocks = tiles.min(histogram::BLOCKS);
        let counted = Counted {
            order: self.order,
            done: Layout::DONE,
            counts: layout.starts(0, 0),
            stride: layout.stride(),
        };
        Ok(radix_histogram::<K>::launch(
            self.stream,
            Launch::new(blocks as u32, histogram::THREADS as u32),
            keys,
            counted,
            plan.state.as_atomics(),
        )?)
    }

    /// One pass, in as many launches as there are portions.
    fn pass<const ITEMS: usize, const BLOCKS: usize, const PAIRS: bool>(
        &mut self,
        plan: &mut SortPlan<K, V>,
        layout: &Layout,
        pass: u32,
    ) -> Result<(), Error> {
        let (n, passes) = (self.keys_out.len(), self.order.passes());
        let to_output = match self.input {
            Some(_) => (passes - pass) % 2 == 1,
            None => pass % 2 == 1,
        };
        let plan_values = if PAIRS { n } else { 0 };
        let (mut keys_out, mut values_out) = (
            plan.keys.slice_mut(..n.min(plan.keys.len()))?,
            plan.values
                .slice_mut(..plan_values.min(plan.values.len()))?,
        );
        let (mut keys_in, mut values_in) = (self.keys_out.reborrow(), self.values_out.reborrow());
        if to_output {
            std::mem::swap(&mut keys_in, &mut keys_out);
            std::mem::swap(&mut values_in, &mut values_out);
        }
        let (keys, values) = match self.input {
            Some(input) if pass == 0 => input,
            _ => (keys_in.as_slice(), values_in.as_slice()),
        };
        let last = passes as usize * layout.portions - 1;
        for portion in 0..layout.portions {
            let launch = pass as usize * layout.portions + portion;
            let first = portion * layout.portion;
            let range = first..(first + layout.portion).min(n);
            let tiles = range.len().div_ceil(layout.tile) as u32;
            let sweep = Sweep {
                digit: self.order.digit(pass),
                counter: layout.counter(launch),
                starts: layout.starts(pass as usize, portion),
                next_starts: layout.starts(pass as usize, portion + 1),
                words: layout.words(launch),
                next_words: layout.words(launch + 1),
                next_tiles: if launch < last { layout.tiles } else { 0 },
            };
            let values = if PAIRS {
                values.slice(range.clone())?
            } else {
                values
            };
            let shape = shape(tiles, const { sweep_bytes(ITEMS, sizes::<K, V>(PAIRS)) });
            let (keys, state) = (keys.slice(range)?, plan.state.as_atomics());
            match const { BLOCKS } {
                3 => radix_sweep_3::<K, V, ITEMS, PAIRS>::launch(
                    self.stream,
                    shape,
                    keys,
                    values,
                    sweep,
                    state,
                    &mut keys_out,
                    &mut values_out,
                )?,
                _ => radix_sweep::<K, V, ITEMS, PAIRS>::launch(
                    self.stream,
                    shape,
                    keys,
                    values,
                    sweep,
                    state,
                    &mut keys_out,
                    &mut values_out,
                )?,
            }
        }
        Ok(())
    }
}

/// Dynamic shared memory of a sweep.
const fn sweep_bytes(items: usize, sizes: (usize, usize)) -> usize {
    onesweep::memory_bytes(items, onesweep::exchanged_bytes(sizes))
}

/// Blocks with `bytes` bytes of memory.
fn shape(blocks: u32, bytes: usize) -> Launch {
    Launch::new(blocks, THREADS as u32).dynamic_shared(bytes as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_of_the_table_fit_into_the_memory_of_every_device() {
        for key in 1..=16 {
            for value in 0..=64 {
                let (sizes, pairs) = ((key, value), value > 0);
                let items = items_of(sizes);
                let sweep = sweep_bytes(items, sizes) + onesweep::OTHER_MEMORY;
                let tile = one_tile::memory_bytes(items, key, pairs) + onesweep::OTHER_MEMORY;
                let most = onesweep::MOST_MEMORY;
                assert!(sweep.max(tile) <= most, "{key} and {value} bytes");
            }
        }
    }

    /// As it is done from 2^30 elements on.
    #[test]
    fn several_launches_for_a_pass() -> Result<(), Error> {
        let tile = items::<u32, u16>(true) * THREADS;
        let keys: Vec<u32> = (0..5 * tile as u32 + 3)
            .map(|i| i.wrapping_mul(0x9e37_79b9) & 0xf0f0_ff0f)
            .collect();
        let mut expected: Vec<_> = keys.iter().copied().zip(0u16..).collect();
        expected.sort_by_key(|&(key, _)| key);
        let (sorted, numbers): (Vec<_>, Vec<_>) = expected.into_iter().unzip();
        let device = Device::emulator();
        let stream = device.stream()?;
        let x = device.upload(&keys)?;
        let v = device.upload(&(0..keys.len() as u16).collect::<Vec<_>>())?;
        for tiles in [1, 2, 5, 6] {
            let mut y = device.zeroed(keys.len())?;
            let mut w = device.zeroed(keys.len())?;
            let job = Job {
                stream: &stream,
                order: Order {
                    start: 0,
                    end: 32,
                    descending: false,
                },
                input: Some((x.as_slice(), v.as_slice())),
                keys_out: y.as_slice_mut(),
                values_out: w.as_slice_mut(),
                portion: tiles * tile + tile / 2,
            };
            job.run::<true>(None)?;
            assert_eq!(y.to_vec(&stream)?, sorted, "portions of {tiles} tiles");
            assert_eq!(w.to_vec(&stream)?, numbers, "portions of {tiles} tiles");
        }
        Ok(())
    }
}
