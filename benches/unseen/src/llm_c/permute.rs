//! llm.c `permute` and `unpermute` of attention: from rows of three times all heads to a matrix per head, and back.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llm_c",
    name: "permute",
    run,
};

// One index is split into four; three outputs of the same index.
#[kernel]
fn permute(
    i: Index1D,
    time: u32,
    heads: u32,
    size: u32,
    input: &[f32],
    mut q: DisjointSlice<f32>,
    mut k: DisjointSlice<f32>,
    mut v: DisjointSlice<f32>,
) {
    let (time, heads, size) = (time as usize, heads as usize, size as usize);
    let b = i.get() / (heads * time * size);
    let rest = i.get() % (heads * time * size);
    let head = rest / (time * size);
    let rest = rest % (time * size);
    let (t, d) = (rest / size, rest % size);
    if let (Some(q), Some(k), Some(v)) = (q.get_mut(i), k.get_mut(i), v.get_mut(i)) {
        let channels = heads * size;
        let from = (b * time + t) * 3 * channels + head * size + d;
        *q = input[from];
        *k = input[from + channels];
        *v = input[from + 2 * channels];
    }
}

// The original reads in order and scatters; so does this, raw.
#[kernel]
fn unpermute(
    i: Index1D,
    time: u32,
    heads: u32,
    size: u32,
    input: &[f32],
    mut output: DisjointSlice<f32>,
) {
    let (time, heads, size) = (time as usize, heads as usize, size as usize);
    let Some(&value) = input.get(i.get()) else {
        return;
    };
    let b = i.get() / (heads * time * size);
    let rest = i.get() % (heads * time * size);
    let head = rest / (time * size);
    let rest = rest % (time * size);
    let (t, d) = (rest / size, rest % size);
    let place = ((b * time + t) * heads + head) * size + d;
    assert!(place < output.len());
    // SAFETY: within the slice; the order of four indices changes, so places of two threads differ.
    unsafe { output.raw().add(place).write(value) };
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (batch, time, heads, size) = [(2, 10, 3, 8), (8, 1024, 12, 64)][scale as usize];
    let (channels, n) = (heads * size, batch * time * heads * size);
    let input = noise(3 * n, 1);
    // Batch, head, time and place in a head of an element of the permuted arrays.
    let split = |at: usize| {
        (
            at / (heads * time * size),
            at / (time * size) % heads,
            at / size % time,
            at % size,
        )
    };
    let of = |part: usize| {
        let input = &input;
        move |at: usize| {
            let (b, head, t, d) = split(at);
            input[((b * time + t) * 3 + part) * channels + head * size + d]
        }
    };
    let blank = vec![f32::NAN; n];
    let mut outputs = (
        side.sampled(&blank, of(0), 0.0)?,
        side.sampled(&blank, of(1), 0.0)?,
        side.sampled(&blank, of(2), 0.0)?,
    );
    let d_input = side.upload(&input)?;
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);
    let (t, h, s) = (time as u32, heads as u32, size as u32);
    let (q, k, v) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![
        q,
        k,
        v,
        &d_input,
        batch as i32,
        t as i32,
        h as i32,
        s as i32
    ];
    // SAFETY: three arrays, one three times as large, four extents.
    let twin = unsafe { Call::new("permute", blocks, 256, arguments) };
    side.kernel("permute", vec![twin], &mut outputs, |stream, (q, k, v)| {
        let (q, k, v) = (&mut q.buffer, &mut k.buffer, &mut v.buffer);
        Ok(permute::launch(stream, shape, t, h, s, &d_input, q, k, v)?)
    })?;

    let q = &outputs.0.buffer;
    let back = |at: usize| input[at / channels * 3 * channels + at % channels];
    let mut output = side.sampled(&blank, back, 0.0)?;
    let arguments = arguments![
        q,
        &output.buffer,
        batch as i32,
        t as i32,
        h as i32,
        s as i32
    ];
    // SAFETY: two arrays, four extents.
    let twin = unsafe { Call::new("unpermute", blocks, 256, arguments) };
    side.kernel("unpermute", vec![twin], &mut output, |stream, output| {
        Ok(unpermute::launch(
            stream,
            shape,
            t,
            h,
            s,
            q,
            &mut output.buffer,
        )?)
    })
}
