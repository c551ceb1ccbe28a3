//! Columns of strings, one after the other with an offset for each: their lengths in characters, and letters to capitals.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::mix;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cudf",
    name: "strings",
    run,
};

/// Bytes that begin a character of UTF-8.
#[kernel]
fn count_characters(i: Index1D, offsets: &[i32], bytes: &[u8], mut lengths: DisjointSlice<i32>) {
    if let Some(length) = lengths.get_mut(i) {
        let string = &bytes[offsets[i.get()] as usize..offsets[i.get() + 1] as usize];
        *length = string.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as i32;
    }
}

// A thread writes the bytes of its string: raw.
#[kernel]
fn to_upper(i: Index1D, offsets: &[i32], bytes: &[u8], mut result: DisjointSlice<u8>) {
    let (Some(&start), Some(&end)) = (offsets.get(i.get()), offsets.get(i.get() + 1)) else {
        return;
    };
    for at in start as usize..end as usize {
        let upper = bytes[at].to_ascii_uppercase();
        assert!(at < result.len());
        // SAFETY: within the slice; strings do not overlap.
        unsafe { *result.raw().add(at) = upper };
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [500, 1 << 20][scale as usize];
    let mut offsets = vec![0];
    let mut text = String::new();
    for i in 0..n {
        for k in 0..mix(i, 1) % 40 {
            text.push(match mix(i * 64 + k as usize, 2) {
                word if word % 8 == 0 => 'é',
                word if word % 64 == 1 => '語',
                word => char::from(b'A' + (word >> 8) as u8 % 58),
            });
        }
        offsets.push(text.len() as i32);
    }
    let string = |i: usize| &text[offsets[i] as usize..offsets[i + 1] as usize];
    let (d_offsets, d_bytes) = (side.upload(&offsets)?, side.upload(text.as_bytes())?);
    let blocks = n.div_ceil(256) as u32;
    let shape = Launch::new(blocks, 256);

    let mut lengths = side.sampled(&vec![-1; n], |i| string(i).chars().count() as i32, 0.0)?;
    let arguments = arguments![&d_offsets, &d_bytes, &lengths.buffer, n as i32];
    // SAFETY: where strings start and the last one ends, their bytes, a number for each, how many there are.
    let twin = unsafe { Call::new("count_characters", blocks, 256, arguments) };
    side.kernel(
        "count_characters",
        vec![twin],
        &mut lengths,
        |stream, lengths| {
            Ok(count_characters::launch(
                stream,
                shape,
                &d_offsets,
                &d_bytes,
                &mut lengths.buffer,
            )?)
        },
    )?;

    let upper = text.to_ascii_uppercase().into_bytes();
    let mut result = side.output(&vec![0; text.len()], upper, 0.0)?;
    let arguments = arguments![&d_offsets, &d_bytes, &result.buffer, n as i32];
    // SAFETY: where strings start and the last one ends, their bytes, as many bytes, how many strings there are.
    let twin = unsafe { Call::new("to_upper", blocks, 256, arguments) };
    side.kernel("to_upper", vec![twin], &mut result, |stream, result| {
        Ok(to_upper::launch(
            stream,
            shape,
            &d_offsets,
            &d_bytes,
            &mut result.buffer,
        )?)
    })
}
