//! Attention: what is described, checked and launched.

use warploom::device_std::mma::{A, B, D, M16N8, M16N8K16};
use warploom::device_std::tma::TensorElement;
use warploom::device_std::wgmma::{Multiply, SixteenBits};
use warploom::device_std::{Bf16, Bf16x2, F16, F16x2, Plain, Warp};
use warploom::tensor::{L2Promotion, Swizzle};
use warploom::{DeviceBuffer, DeviceSliceMut, Launch, Stream, TensorMap};

use crate::Error;
use crate::kernels::attention::warp_groups;
use crate::kernels::attention::work::Problem;
use crate::kernels::attention::{attention_forward, block_rows, shared_bytes};
use crate::matrix::IntoElementsMut;

mod heads; // where the rows of heads are
mod sequences; // packed sequences: what is checked, and which block has which queries

pub use heads::{HeadExtents, Heads, HeadsMut};

mod sealed {
    pub trait Sealed {}
    impl Sealed for warploom::Stream {}
    impl Sealed for warploom::device_std::F16 {}
    impl Sealed for warploom::device_std::Bf16 {}
}

/// Elements of attention: [`F16`] or [`Bf16`].
#[diagnostic::on_unimplemented(
    message = "there is no attention of `{Self}`",
    note = "elements are `F16` or `Bf16`"
)]
pub trait HalfFloat:
    Plain + sealed::Sealed + TensorElement + SixteenBits + Multiply<Self, f32>
{
    /// Two neighbours, the nearest of these numbers.
    #[doc(hidden)]
    fn pair(low: f32, high: f32) -> u32;
    /// `a · b + c` of a warp.
    #[doc(hidden)]
    fn multiply(warp: Warp<'_>, a: [u32; 4], b: [u32; 2], c: [f32; 4]) -> [f32; 4];
}

macro_rules! half_floats {
    ($($ty:ident $pair:ident)*) => {$(
        impl HalfFloat for $ty {
            #[inline(always)]
            fn pair(low: f32, high: f32) -> u32 {
                $pair::from_f32s(low, high).to_bits()
            }

            #[inline(always)]
            fn multiply(warp: Warp<'_>, a: [u32; 4], b: [u32; 2], c: [f32; 4]) -> [f32; 4] {
                let (a, b) = (A::<M16N8K16, Self>::from_registers(a), B::<M16N8K16, Self>::from_registers(b));
                warp.mma(a, b, D::<M16N8, f32>::from_registers(c)).registers()
            }
        }
    )*};
}

half_floats!(F16 F16x2 Bf16 Bf16x2);

/// Attention, as a method of a [`Stream`].
pub trait Attends: sealed::Sealed {
    /// `O = softmax(scale · Q · Kᵀ) · V` of each head, in one launch. PyTorch: `scaled_dot_product_attention`.
    ///
    /// Queries, keys and values have rows of 64 or 128 elements. There may be fewer heads of keys and values than of queries: head `h` of the queries then has that
    /// of number `h / (heads of queries / heads of keys)`. Any number of tokens, heads and batches is possible, also none; a query that sees no key has a result of zeros.
    ///
    /// - [`causal`](Attention::causal): query `i` of `m` sees key `j` of `n` if `j + m <= i + n`: both are counted from the end.
    /// - [`scale`](Attention::scale): `1 / sqrt(dimension)` unless given.
    /// - [`sequences`](Attention::sequences): several sequences of various lengths, one after the other.
    /// - [`log_sums`](Attention::log_sums): also gives `ln Σ exp(scale · Q · Kᵀ)` of each query.
    ///
    /// **Arithmetic**: products on tensor cores, added up in `f32`; probabilities are rounded to the type of the elements before they are multiplied with values, results to
    /// nearest. A NaN or an infinity among the values of a key may reach queries that do not see the key, where they see one of 128 neighbours of it; of packed sequences also queries of the sequence beside. Equal inputs give equal bits.
    ///
    /// **Speed**: by `wgmma` on compute capability 9.0, where rows that all begin at multiples of 16 bytes are copied by tensor maps; else by `mma.sync`, where such rows are copied
    /// 16 bytes at a time. Other rows are gathered by elements, several times slower.
    ///
    /// **Memory**: none; 16 bytes for every 128 queries with [`sequences`](Attention::sequences), from the device's pool. **Minimum compute capability**: 8.0.
    ///
    /// ```
    /// # use warploom::prelude::*;
    /// use warploom_linalg::prelude::*;
    /// use warploom_linalg::HeadExtents;
    /// # let device = Device::emulator();
    /// # let stream = device.stream()?;
    /// let extents = HeadExtents { batches: 1, heads: 2, tokens: 3, dimension: 64 };
    /// let len = 2 * 3 * 64;
    /// let (q, k) = (device.zeroed::<Bf16>(len)?, device.zeroed::<Bf16>(len)?);
    /// let v = device.filled(len, Bf16::from_f32(0.5))?;
    /// let mut o = device.zeroed::<Bf16>(len)?;
    /// let [q, k, v] = [&q, &k, &v].map(|x| Heads::head_major(x, extents));
    /// stream.attention(q, k, v).causal().into(HeadsMut::head_major(&mut o, extents))?;
    /// assert!(o.to_vec(&stream)?.iter().all(|x| x.to_f32() == 0.5));
    /// # Ok::<(), warploom_linalg::Error>(())
    /// ```
    fn attention<'a, T: HalfFloat>(
        &'a self,
        q: Heads<'a, T>,
        k: Heads<'a, T>,
        v: Heads<'a, T>,
    ) -> Attention<'a, T>;
}

impl Attends for Stream {
    fn attention<'a, T: HalfFloat>(
        &'a self,
        q: Heads<'a, T>,
        k: Heads<'a, T>,
        v: Heads<'a, T>,
    ) -> Attention<'a, T> {
        Attention {
            stream: self,
            q,
            k,
            v,
            causal: false,
            scale: None,
            sequences: None,
            log_sums: None,
            block_rows: None,
        }
    }
}

/// Attention that was described and has not run; see [`Attends::attention`].
#[must_use = "nothing runs before `into`"]
pub struct Attention<'a, T: HalfFloat> {
    stream: &'a Stream,
    q: Heads<'a, T>,
    k: Heads<'a, T>,
    v: Heads<'a, T>,
    causal: bool,
    scale: Option<f32>,
    sequences: Option<[&'a [u32]; 2]>,
    log_sums: Option<DeviceSliceMut<'a, f32>>,
    block_rows: Option<usize>,
}

/// What the blocks of a launch do.
struct Work {
    blocks: u32,
    problem: Problem,
    /// What each block does, if sequences are packed.
    items: DeviceBuffer<[u32; 4]>,
}

/// Scores times this are exponents of 2 if they were exponents of e.
const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// The scales that are possible: with others, exponents are not normal numbers.
const SCALES: [f32; 2] = [1e-30, 1e30];
/// Bytes of keys and values that blocks which run at the same time should share: a part of the second cache.
const SHARED_KEYS_BYTES: usize = 16 << 20;

impl<'a, T: HalfFloat> Attention<'a, T> {
    /// A query sees keys up to its own place only. With other numbers of keys than of queries, both are counted from the end: the last query sees all keys.
    pub fn causal(mut self) -> Self {
        self.causal = true;
        self
    }

    /// What scores are multiplied with before the softmax: between 1e-30 and 1e30.
    pub fn scale(mut self, scale: f32) -> Self {
        self.scale = Some(scale);
        self
    }

    /// The only batch has several sequences, one after the other: queries of sequence `i` are those from `queries[i]` to before `queries[i + 1]`, and so are
    /// its keys and values. Each slice has an element more than there are sequences; rows of queries before the first and behind the last are not written.
    pub fn sequences(mut self, queries: &'a [u32], keys: &'a [u32]) -> Self {
        self.sequences = Some([queries, keys]);
        self
    }

    /// Also stores the natural logarithm of the sum of `exp(score)` over all keys that a query sees, −∞ if there are none: `[batch][head][query]`.
    pub fn log_sums(mut self, to: impl IntoElementsMut<'a, f32>) -> Self {
        self.log_sums = Some(to.elements_mut());
        self
    }

    /// A block has 64 queries, or else 128, by `mma.sync`; 0 stands for the kernel of warp groups, where there is one: for tests and measurements.
    #[doc(hidden)]
    pub fn block_rows(mut self, rows: usize) -> Self {
        self.block_rows = Some(rows);
        self
    }

    /// Queues the work; the results are written. Does not wait.
    ///
    /// # Errors
    /// [`Error::DifferentSizes`], [`Error::HeadDimension`], [`Error::UnevenHeads`], [`Error::HeadsTooShort`], [`Error::RowsOverlap`], [`Error::TooLarge`], [`Error::Scale`],
    /// [`Error::Sequences`], [`Error::TooOld`], before anything is launched; what launches and allocations report, such as memory of another device.
    pub fn into(mut self, mut out: HeadsMut<'_, T>) -> Result<(), Error> {
        self.check(&out)?;
        let q = self.q.extents();
        if out.arranged.is_empty() {
            return Ok(());
        }
        if self.block_rows.is_none_or(|rows| rows == 0)
            && self.stream.device().compute_capability() == (9, 0)
            && let Some(maps) = self.maps()
        {
            return self.launch_groups(&maps, &mut out);
        }
        let rows = self.block_rows.unwrap_or_else(|| {
            // A warp that has 32 queries instead of 16 reads keys and values half as often; but all multiprocessors should have two blocks.
            let blocks = (q.heads * q.batches).saturating_mul(q.tokens.div_ceil(128));
            let multiprocessors = self.stream.device().limits().multiprocessors as usize;
            if blocks < 2 * multiprocessors {
                64
            } else {
                128
            }
        });
        match (q.dimension, rows) {
            (64, 64) => self.launch::<4, 1>(&mut out),
            (64, _) => self.launch::<4, 2>(&mut out),
            (_, 64) => self.launch::<8, 1>(&mut out),
            _ => self.launch::<8, 2>(&mut out),
        }
    }

    fn launch<const DP: usize, const MT: usize>(
        &mut self,
        out: &mut HeadsMut<'_, T>,
    ) -> Result<(), Error> {
        let Some(Work {
            blocks,
            problem,
            items,
        }) = self.work(out, block_rows(MT))?
        else {
            return Ok(());
        };
        let mut none = self.stream.device().alloc_uninit::<f32>(0)?;
        let mut log_sums = match &mut self.log_sums {
            Some(log_sums) => log_sums.reborrow(),
            None => none.as_slice_mut(),
        };
        let shape = Launch::new(blocks, 128).dynamic_shared(shared_bytes(DP, MT) as u32);
        attention_forward::<T, DP, MT>::launch(
            self.stream,
            shape,
            self.q.elements,
            self.k.elements,
            self.v.elements,
            &items,
            problem,
            &mut out.elements,
            &mut log_sums,
        )?;
        Ok(())
    }

    /// Queries, keys and values for bulk copies of 64 columns of a tile; `None` if rows do not begin at multiples of 16 bytes.
    fn maps(&self) -> Option<[TensorMap<'a, T, 4>; 3]> {
        let map = |x: &Heads<'a, T>, rows: usize| {
            let HeadExtents {
                batches,
                heads,
                tokens,
                dimension,
            } = x.extents();
            let [token, head, batch] = x.arranged.byte_strides(size_of::<T>());
            TensorMap::builder(x.elements, [dimension, tokens, heads, batches])
                .strides([size_of::<T>(), token, head, batch])
                .block([64, rows, 1, 1])
                .swizzle(Swizzle::B128)
                .l2_promotion(L2Promotion::B256)
                .build()
                .ok()
        };
        let (rows, keys) = (warp_groups::ROWS, warp_groups::KEYS);
        Some([
            map(&self.q, rows)?,
            map(&self.k, keys)?,
            map(&self.v, keys)?,
        ])
    }

    fn launch_groups(
        &mut self,
        [q, k, v]: &[TensorMap<'_, T, 4>; 3],
        out: &mut HeadsMut<'_, T>,
    ) -> Result<(), Error> {
        let Some(Work {
            blocks,
            problem,
            items,
        }) = self.work(out, warp_groups::ROWS)?
        else {
            return Ok(());
        };
        let mut none = self.stream.device().alloc_uninit::<f32>(0)?;
        let mut log_sums = match &mut self.log_sums {
            Some(log_sums) => log_sums.reborrow(),
            None => none.as_slice_mut(),
        };
        let shape = Launch::new(blocks, 384);
        macro_rules! launch {
            ($kernel:ident $bytes:ident) => {
                warp_groups::$kernel::<T>::launch(
                    self.stream,
                    shape.dynamic_shared(warp_groups::$bytes),
                    q,
                    k,
                    v,
                    &items,
                    problem,
                    &mut out.elements,
                    &mut log_sums,
                )?
            };
        }
        match self.q.extents().dimension {
            64 => launch!(attention_groups_64 BYTES_64),
            _ => launch!(attention_groups_128 BYTES_128),
        };
        Ok(())
    }

    /// What blocks of `rows` queries do; `None` if there are none.
    fn work(&self, out: &HeadsMut<'_, T>, rows: usize) -> Result<Option<Work>, Error> {
        let stream = self.stream;
        let (q, k) = (self.q.extents(), self.k.extents());
        let packed = self
            .sequences
            .map(|[queries, keys]| sequences::items(queries, keys, rows as u32));
        let tiles = q.tokens.div_ceil(rows);
        let per_head = packed.as_ref().map_or(tiles, Vec::len);
        // What was checked fits in memory, so there are fewer heads than bytes.
        let pairs = q.heads * q.batches;
        let blocks = pairs.saturating_mul(per_head);
        if blocks > i32::MAX as usize {
            return Err(Error::TooLarge {
                what: "the number of blocks of all heads",
                value: blocks,
                most: i32::MAX as usize,
            });
        }
        if blocks == 0 {
            return Ok(None);
        }
        let scale = self.scale.unwrap_or(1.0 / (q.dimension as f32).sqrt());
        let share = (q.heads / k.heads.max(1)).max(1);
        let bytes_of_keys = 2 * size_of::<T>() * k.tokens * k.dimension / share;
        let problem = Problem {
            q: self.q.arranged.strides(),
            k: self.k.arranged.strides(),
            v: self.v.arranged.strides(),
            out: out.arranged.strides(),
            queries: q.tokens as u32,
            keys: k.tokens as u32,
            heads: q.heads as u32,
            share: share as u32,
            pairs: pairs as u32,
            tiles: tiles as u32,
            group: (SHARED_KEYS_BYTES / bytes_of_keys.max(1)).clamp(1, pairs) as u32,
            causal: u32::from(self.causal),
            packed: u32::from(packed.is_some()),
            log_sums: u32::from(self.log_sums.is_some()),
            scale: scale * LOG2_E,
            unused: 0,
        };
        let device = stream.device();
        let items = match packed {
            Some(packed) => {
                let mut items = device.pool()?.alloc_uninit(packed.len(), stream)?;
                items.copy_from(0, &packed, stream)?;
                items
            }
            None => device.alloc_uninit(0)?,
        };
        Ok(Some(Work {
            blocks: blocks as u32,
            problem,
            items,
        }))
    }

    /// All that can be wrong.
    fn check(&self, out: &HeadsMut<'_, T>) -> Result<(), Error> {
        let (q, k, v, o) = (
            self.q.extents(),
            self.k.extents(),
            self.v.extents(),
            out.extents(),
        );
        if !matches!(q.dimension, 64 | 128) {
            return Err(Error::HeadDimension { given: q.dimension });
        }
        for (what, other) in [("keys", k), ("values", v), ("results", o)] {
            same(
                "elements of a row",
                ("queries", q.dimension),
                (what, other.dimension),
            )?;
            same("batches", ("queries", q.batches), (what, other.batches))?;
        }
        same("heads", ("queries", q.heads), ("results", o.heads))?;
        same("tokens", ("queries", q.tokens), ("results", o.tokens))?;
        same("heads", ("keys", k.heads), ("values", v.heads))?;
        same("tokens", ("keys", k.tokens), ("values", v.tokens))?;
        if q.heads > 0 && !(k.heads > 0 && q.heads.is_multiple_of(k.heads)) {
            return Err(Error::UnevenHeads {
                queries: q.heads,
                keys: k.heads,
            });
        }
        self.q.check("the buffer of queries")?;
        self.k.check("the buffer of keys")?;
        self.v.check("the buffer of values")?;
        out.check("the buffer of results")?;
        out.check_apart("the results")?;
        if let Some(log_sums) = &self.log_sums {
            let needed = q.batches * q.heads * q.tokens;
            if log_sums.len() < needed {
                return Err(Error::HeadsTooShort {
                    what: "the buffer of logarithms",
                    len: log_sums.len(),
                    needed,
                });
            }
        }
        if let Some(scale) = self.scale
            && !(SCALES[0]..=SCALES[1]).contains(&scale)
        {
            return Err(Error::Scale { given: scale });
        }
        if let Some(starts) = self.sequences {
            sequences::check(starts, (q, k))?;
        }
        let (major, minor) = self.stream.device().compute_capability();
        match major * 10 + minor {
            80.. => Ok(()),
            has => Err(Error::TooOld {
                what: "attention",
                needed: 80,
                has,
            }),
        }
    }
}

/// That two have as many of something.
fn same(
    what: &'static str,
    (first, first_size): (&'static str, usize),
    (second, second_size): (&'static str, usize),
) -> Result<(), Error> {
    if first_size == second_size {
        return Ok(());
    }
    Err(Error::DifferentHeads {
        what,
        first,
        first_size,
        second,
        second_size,
    })
}
