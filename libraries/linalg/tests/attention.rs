//! Attention against the same in `f64`, at sizes with edges.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "that is how a test fails"
)]

use warploom::Graph;
use warploom::model::Model;
use warploom::prelude::*;
use warploom_harness::device_test::devices;
use warploom_linalg::prelude::*;
use warploom_linalg::{Error, HalfFloat, HeadExtents, Heads, HeadsMut};

use crate::reference::{Number, noise};

/// Attention of a test.
#[derive(Clone, Copy, Debug)]
struct Case {
    batches: usize,
    heads: usize,
    kv_heads: usize,
    queries: usize,
    keys: usize,
    dimension: usize,
    causal: bool,
    scale: Option<f32>,
    /// Elements beside each row of a token.
    beside: usize,
    /// Whether heads are beside each other.
    token_major: bool,
}

const CASE: Case = Case {
    batches: 1,
    heads: 1,
    kv_heads: 1,
    queries: 1,
    keys: 1,
    dimension: 64,
    causal: false,
    scale: None,
    beside: 0,
    token_major: false,
};

/// Where rows are.
#[derive(Clone, Copy)]
struct Places {
    extents: HeadExtents,
    strides: [usize; 3],
    len: usize,
}

impl Places {
    fn new(case: Case, heads: usize, tokens: usize) -> Places {
        let row = case.dimension + case.beside;
        let strides = if case.token_major {
            [row * heads, row, row * heads * tokens]
        } else {
            [row, row * tokens, row * tokens * heads]
        };
        let extents = HeadExtents {
            batches: case.batches,
            heads,
            tokens,
            dimension: case.dimension,
        };
        Places {
            extents,
            strides,
            len: row * heads * tokens * case.batches,
        }
    }

    fn at(self, batch: usize, head: usize, token: usize) -> usize {
        let [of_token, of_head, of_batch] = self.strides;
        batch * of_batch + head * of_head + token * of_token
    }

    fn heads<T: Plain>(self, x: &DeviceBuffer<T>) -> Heads<'_, T> {
        let [token, head, batch] = self.strides;
        Heads::head_major(x, self.extents).strides(token, head, batch)
    }

    fn heads_mut<T: Plain>(self, x: &mut DeviceBuffer<T>) -> HeadsMut<'_, T> {
        let [token, head, batch] = self.strides;
        HeadsMut::head_major(x, self.extents).strides(token, head, batch)
    }
}

/// Packed sequences: their starts.
type Starts<'s> = Option<(&'s [u32], &'s [u32])>;

/// Runs attention on all devices and compares all rows and logarithms with `f64`; what is beside the rows must be as before.
#[track_caller]
fn check<T: HalfFloat + Number>(case: Case, starts: Starts<'_>) {
    let (in_q, in_kv) = (
        Places::new(case, case.heads, case.queries),
        Places::new(case, case.kv_heads, case.keys),
    );
    let (q, k, v) = (
        noise::<T>(in_q.len, 1),
        noise::<T>(in_kv.len, 2),
        noise::<T>(in_kv.len, 3),
    );
    let former = noise::<T>(in_q.len, 4);
    for (device, block_rows) in devices()
        .into_iter()
        .flat_map(|device| [0, 64, 128].map(|rows| (device.clone(), rows)))
    {
        let what = format!(
            "{} {case:?} {starts:?}, {block_rows} queries of a block",
            device.name()
        );
        let run = || -> Result<(Vec<T>, Vec<f32>), Error> {
            let stream = device.stream()?;
            let (q, k, v) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
            let mut o = device.upload(&former)?;
            let mut log_sums = device.filled(case.batches * case.heads * case.queries, 7.0f32)?;
            let mut attention = stream
                .attention(in_q.heads(&q), in_kv.heads(&k), in_kv.heads(&v))
                .log_sums(&mut log_sums)
                .block_rows(block_rows);
            if case.causal {
                attention = attention.causal();
            }
            if let Some(scale) = case.scale {
                attention = attention.scale(scale);
            }
            if let Some((queries, keys)) = starts {
                attention = attention.sequences(queries, keys);
            }
            attention.into(in_q.heads_mut(&mut o))?;
            Ok((o.to_vec(&stream)?, log_sums.to_vec(&stream)?))
        };
        let (o, log_sums) = run().unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut expected: Vec<f64> = former.iter().map(|x| x.to_f64()).collect();
        let mut expected_logs = vec![7.0; log_sums.len()];
        let whole = ([0, case.queries as u32], [0, case.keys as u32]);
        let (q_starts, k_starts) = starts.unwrap_or((&whole.0, &whole.1));
        for (batch, head) in (0..case.batches).flat_map(|b| (0..case.heads).map(move |h| (b, h))) {
            for (of_q, of_k) in q_starts.windows(2).zip(k_starts.windows(2)) {
                for query in of_q[0]..of_q[1] {
                    let keys = if case.causal {
                        (query + 1 + of_k[1]).saturating_sub(of_q[1]).max(of_k[0])
                    } else {
                        of_k[1]
                    };
                    let at = in_q.at(batch, head, query as usize);
                    let kv_head = head / (case.heads / case.kv_heads);
                    let rows: Vec<usize> = (of_k[0]..keys)
                        .map(|key| in_kv.at(batch, kv_head, key as usize))
                        .collect();
                    let (row, log) = attend(case, &q[at..], (&k, &v), &rows);
                    expected[at..at + case.dimension].copy_from_slice(&row);
                    expected_logs[(batch * case.heads + head) * case.queries + query as usize] =
                        log;
                }
            }
        }
        for (i, (found, expected)) in o.iter().map(|x| x.to_f64()).zip(&expected).enumerate() {
            // Probabilities are rounded too.
            let most = 2.0 * T::TOLERANCE * (1.0 + expected.abs());
            assert!(
                (found - expected).abs() <= most,
                "{what}: element {i} is {found}, not {expected}"
            );
        }
        for (i, (found, expected)) in log_sums.iter().zip(&expected_logs).enumerate() {
            let found = f64::from(*found);
            assert!(
                found == *expected || (found - expected).abs() <= 1e-4 * (1.0 + expected.abs()),
                "{what}: logarithm {i} is {found}, not {expected}"
            );
        }
    }
}

/// The result of a query and the logarithm of its sum, with keys and values at `rows`.
fn attend<T: Number>(case: Case, q: &[T], (k, v): (&[T], &[T]), rows: &[usize]) -> (Vec<f64>, f64) {
    let scale = case
        .scale
        .map_or(1.0 / (case.dimension as f64).sqrt(), f64::from);
    let scores: Vec<f64> = rows
        .iter()
        .map(|&at| {
            scale
                * (0..case.dimension)
                    .map(|i| q[i].to_f64() * k[at + i].to_f64())
                    .sum::<f64>()
        })
        .collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut result = vec![0.0; case.dimension];
    if rows.is_empty() {
        return (result, f64::NEG_INFINITY);
    }
    let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
    for (score, &at) in scores.iter().zip(rows) {
        let p = (score - most).exp() / sum;
        for (i, to) in result.iter_mut().enumerate() {
            *to += p * v[at + i].to_f64();
        }
    }
    (result, most + sum.ln())
}

macro_rules! tests {
    ($($name:ident: $ty:ident, $case:expr;)*) => {$(
        #[test]
        fn $name() {
            check::<$ty>($case, None);
        }
    )*};
}

tests! {
    one_key: Bf16, Case { heads: 2, kv_heads: 2, queries: 3, ..CASE };
    whole_tiles: Bf16, Case { queries: 128, keys: 128, ..CASE };
    whole_tiles_of_128: F16, Case { queries: 128, keys: 128, dimension: 128, ..CASE };
    odd_lengths: Bf16, Case { batches: 2, heads: 2, kv_heads: 2, queries: 67, keys: 131, ..CASE };
    odd_lengths_of_128: Bf16, Case { queries: 131, keys: 97, dimension: 128, ..CASE };
    odd_lengths_of_f16: F16, Case { queries: 33, keys: 65, ..CASE };
    causal: Bf16, Case { queries: 150, keys: 150, causal: true, ..CASE };
    causal_of_128: F16, Case { queries: 150, keys: 150, dimension: 128, causal: true, ..CASE };
    causal_with_more_keys: Bf16, Case { queries: 70, keys: 201, causal: true, ..CASE };
    causal_with_fewer_keys: Bf16, Case { queries: 201, keys: 70, causal: true, ..CASE };
    grouped_heads: Bf16, Case { batches: 2, heads: 6, kv_heads: 2, queries: 20, keys: 70, ..CASE };
    heads_beside_each_other: Bf16, Case { batches: 2, heads: 4, kv_heads: 2, queries: 66, keys: 30, token_major: true, causal: true, ..CASE };
    wide_rows: F16, Case { heads: 2, kv_heads: 1, queries: 40, keys: 70, beside: 8, ..CASE };
    misaligned_rows: Bf16, Case { heads: 2, kv_heads: 1, queries: 40, keys: 70, beside: 3, ..CASE };
    misaligned_rows_of_128: F16, Case { queries: 70, keys: 130, dimension: 128, beside: 1, causal: true, ..CASE };
    a_scale: Bf16, Case { queries: 20, keys: 70, scale: Some(0.01), ..CASE };
    scores_far_apart: F16, Case { queries: 20, keys: 200, scale: Some(1.5), ..CASE };
    no_keys: Bf16, Case { queries: 5, keys: 0, ..CASE };
    no_queries: Bf16, Case { queries: 0, keys: 5, ..CASE };
    no_batches: Bf16, Case { batches: 0, queries: 5, keys: 5, ..CASE };
}

#[test]
fn packed_sequences_of_various_lengths() {
    let case = Case {
        heads: 4,
        kv_heads: 2,
        queries: 240,
        keys: 200,
        token_major: true,
        ..CASE
    };
    // The first has no queries, the second no keys; rows 0..2 and 238..240 have none.
    let queries = [2, 2, 9, 140, 141, 238];
    let keys = [0, 3, 3, 68, 199, 200];
    check::<Bf16>(case, Some((&queries, &keys)));
    check::<Bf16>(
        Case {
            causal: true,
            ..case
        },
        Some((&queries, &keys)),
    );
}

#[test]
fn attention_runs_in_a_graph() {
    for device in devices() {
        let run = || -> Result<(), Error> {
            let stream = device.stream()?;
            let places = Places::new(CASE, 1, 1);
            let [q, k, v] = [6, 7, 8].map(|seed| noise::<Bf16>(places.len, seed));
            let (q, k, v) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
            let mut o = device.zeroed::<Bf16>(places.len)?;
            let graph = Graph::capture(&device, |stream| {
                stream
                    .attention(places.heads(&q), places.heads(&k), places.heads(&v))
                    .into(places.heads_mut(&mut o))
            })?;
            graph.instantiate()?.launch(&stream)?;
            let bits = |x: Vec<Bf16>| Vec::from_iter(x.iter().map(|x| x.to_bits()));
            // There is one key.
            assert_eq!(bits(o.to_vec(&stream)?), bits(v.to_vec(&stream)?));
            Ok(())
        };
        run().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    }
}

#[test]
fn scores_that_rise_from_tile_to_tile_are_rescaled() {
    // Keys grow, so every tile has larger scores than all before.
    let (n, dimension) = (320, 64);
    let case = Case {
        queries: 1,
        keys: n,
        ..CASE
    };
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let q = vec![F16::from_f32(1.0); dimension];
    let k: Vec<F16> = (0..n * dimension)
        .map(|i| F16::from_f32((i / dimension) as f32 / 64.0))
        .collect();
    let v = noise::<F16>(n * dimension, 5);
    let rows: Vec<usize> = (0..n).map(|key| key * dimension).collect();
    let (expected, _) = attend(
        Case {
            scale: Some(2.0),
            ..case
        },
        &q,
        (&k, &v),
        &rows,
    );
    let (in_q, in_kv) = (Places::new(case, 1, 1), Places::new(case, 1, n));
    let [q, k, v] = [q, k, v].map(|x| device.upload(&x).unwrap());
    let mut o = device.zeroed::<F16>(dimension).unwrap();
    stream
        .attention(in_q.heads(&q), in_kv.heads(&k), in_kv.heads(&v))
        .scale(2.0)
        .into(in_q.heads_mut(&mut o))
        .unwrap();
    for (found, expected) in o.to_vec(&stream).unwrap().iter().zip(expected) {
        assert!(
            (f64::from(found.to_f32()) - expected).abs() < 5e-3,
            "{found} is not {expected}"
        );
    }
}

/// Runs attention that must be refused, and gives the error's text; the results must not have been written.
#[track_caller]
fn refused(
    device: &Device,
    [q, kv, o]: [HeadExtents; 3],
    len: usize,
    describe: impl FnOnce(warploom_linalg::Attention<'_, F16>) -> warploom_linalg::Attention<'_, F16>,
) -> String {
    let stream = device.stream().unwrap();
    let x = device.filled(len, F16::from_f32(1.0)).unwrap();
    let mut to = device.filled(len, F16::from_f32(7.0)).unwrap();
    let kv = Heads::head_major(&x, kv);
    let attention = describe(stream.attention(Heads::head_major(&x, q), kv, kv));
    let error = attention
        .into(HeadsMut::head_major(&mut to, o))
        .unwrap_err();
    assert!(
        to.to_vec(&stream)
            .unwrap()
            .iter()
            .all(|x| x.to_f32() == 7.0)
    );
    error.to_string()
}

const SMALL: HeadExtents = HeadExtents {
    batches: 1,
    heads: 2,
    tokens: 3,
    dimension: 64,
};

macro_rules! refusals {
    ($($name:ident: $extents:expr, $len:expr, |$attention:ident| $describe:expr, $text:expr;)*) => {$(
        #[test]
        fn $name() {
            let text = refused(&Device::emulator(), $extents, $len, |$attention| $describe);
            assert_eq!(text, $text);
        }
    )*};
}

refusals! {
    heads_without_a_kernel_are_refused: [HeadExtents { dimension: 96, ..SMALL }; 3], 576, |a| a,
        "rows of heads have 96 elements, and attention has kernels for 64 and 128; pad the rows with zeros and give the scale";
    operands_that_do_not_fit_together_are_refused: [SMALL, HeadExtents { dimension: 128, ..SMALL }, SMALL], 768, |a| a,
        "queries have 64 elements of a row and keys have 128; they must be equal";
    results_of_other_lengths_are_refused: [SMALL, SMALL, HeadExtents { tokens: 4, ..SMALL }], 768, |a| a,
        "queries have 3 tokens and results have 4; they must be equal";
    uneven_heads_are_refused: [SMALL, HeadExtents { heads: 3, ..SMALL }, SMALL], 576, |a| a,
        "there are 2 heads of queries and 3 of keys; the one must be a multiple of the other";
    short_buffers_are_refused: [SMALL; 3], 383, |a| a,
        "the buffer of queries has 383 elements, and the last row ends at 384; make the buffer longer";
    scales_of_zero_are_refused: [SMALL; 3], 384, |a| a.scale(0.0),
        "the scale of scores is 0, and 1e-30 to 1e30 are possible; for a negative scale, negate the queries";
    falling_starts_are_refused: [SMALL; 3], 384, |a| a.sequences(&[0, 2, 1], &[0, 1, 3]),
        "start 2 of queries is 1, and 2 to 3 are possible; give rising starts within the tokens, the end of the last sequence included";
    starts_beyond_the_tokens_are_refused: [SMALL; 3], 384, |a| a.sequences(&[0, 3], &[0, 4]),
        "start 1 of keys is 4, and 0 to 3 are possible; give rising starts within the tokens, the end of the last sequence included";
    missing_starts_are_refused: [SMALL; 3], 384, |a| a.sequences(&[0, 3], &[0, 1, 3]),
        "the number of starts of queries is 2 and the number of starts of keys is 3; they must be equal";
    too_many_tokens_are_refused: [HeadExtents { heads: 0, tokens: 1 << 31, ..SMALL }; 3], 0, |a| a,
        "the number of tokens of a batch is 2147483648, and a product takes at most 1073741824; split it";
}

#[test]
fn results_that_overlap_are_refused() {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    let x = device.filled(384, Bf16::from_f32(1.0)).unwrap();
    let mut to = device.filled(384, Bf16::from_f32(7.0)).unwrap();
    let heads = Heads::head_major(&x, SMALL);
    let out = HeadsMut::head_major(&mut to, SMALL).strides(64, 128, 0);
    let error = stream.attention(heads, heads, heads).into(out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rows of the results begin 128 elements apart where 192 elements belong together; take a distance of at least that"
    );
}

#[test]
fn devices_before_8_0_are_refused() {
    let text = refused(&Device::emulator_of(Model::CC_7_5), [SMALL; 3], 384, |a| a);
    assert_eq!(
        text,
        "attention needs compute capability 80, and the device has 75; use another device"
    );
}
