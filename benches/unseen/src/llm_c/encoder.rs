//! llm.c `encoder_forward`: embeddings of tokens and of their positions, added.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, noise};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "llm_c",
    name: "encoder",
    run,
};

#[kernel]
fn encoder_forward(
    i: Index1D,
    tokens: &[i32],
    by_token: &[f32],
    by_position: &[f32],
    time: u32,
    channels: u32,
    mut output: DisjointSlice<f32>,
) {
    if let Some(output) = output.get_mut(i) {
        let (time, channels) = (time as usize, channels as usize);
        let (row, c) = (i.get() / channels, i.get() % channels);
        let token = tokens[row] as usize;
        *output = by_token[token * channels + c] + by_position[row % time * channels + c];
    }
}

const VOCABULARY: usize = 500;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (batch, time, channels) = [(2, 10, 48), (8, 1024, 768)][scale as usize];
    let rows = batch * time;
    let tokens: Vec<i32> = below(rows, VOCABULARY as u32, 1)
        .iter()
        .map(|&t| t as i32)
        .collect();
    let (by_token, by_position) = (noise(VOCABULARY * channels, 2), noise(time * channels, 3));
    let expected = |at: usize| {
        let (row, c) = (at / channels, at % channels);
        by_token[tokens[row] as usize * channels + c] + by_position[row % time * channels + c]
    };
    let n = rows * channels;
    let mut output = side.sampled(&vec![f32::NAN; n], expected, 0.0)?;
    let (d_tokens, d_by_token) = (side.upload(&tokens)?, side.upload(&by_token)?);
    let d_by_position = side.upload(&by_position)?;
    let blocks = n.div_ceil(512) as u32;
    let (t, c) = (time as u32, channels as u32);
    let arguments = arguments![
        &output.buffer,
        &d_tokens,
        &d_by_token,
        &d_by_position,
        batch as i32,
        t as i32,
        c as i32
    ];
    // SAFETY: a row for each token, tokens, rows by token and by position, batches, positions, length of rows.
    let twin = unsafe { Call::new("encoder_forward", blocks, 512, arguments) };
    side.kernel(
        "encoder_forward",
        vec![twin],
        &mut output,
        |stream, output| {
            let shape = Launch::new(blocks, 512);
            let output = &mut output.buffer;
            Ok(encoder_forward::launch(
                stream,
                shape,
                &d_tokens,
                &d_by_token,
                &d_by_position,
                t,
                c,
                output,
            )?)
        },
    )
}
