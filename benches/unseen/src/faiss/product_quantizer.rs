//! A scan of product-quantised codes: the distance of each code is a sum of entries of the query's table, one for each byte of the code.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{bytes, noise};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "faiss",
    name: "product_quantizer",
    run,
};

/// Bytes of a code, and values of a byte.
const PARTS: usize = 8;
const VALUES: usize = 256;

/// The table of a query: the distance of each part to each of its centres.
#[kernel(fma, block(256))]
fn distance_table(
    block: Block,
    query: &[f32],
    centres: &[[f32; 4]],
    mut table: DisjointSlice<f32>,
    i: Index1D,
) {
    if let Some(entry) = table.get_mut(i) {
        let part = &query[block.index() * 4..(block.index() + 1) * 4];
        *entry = part
            .iter()
            .zip(centres[i.get()])
            .map(|(q, c)| (q - c) * (q - c))
            .sum();
    }
}

#[kernel(block(256))]
fn scan_codes(
    i: Index1D,
    block: Block,
    table: &[f32],
    codes: &[[u8; PARTS]],
    mut tile: SharedTile<f32, { PARTS * VALUES }>,
    mut distances: DisjointSlice<f32, GridStride>,
) {
    tile.fill(|slot| table[slot]);
    let tile = tile.publish(&block);
    for (at, distance) in distances.iter_mut(i) {
        let parts = tile.chunks_exact(VALUES).zip(&codes[at]);
        *distance = parts.map(|(part, &code)| part[usize::from(code)]).sum();
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [2000, 1 << 23][scale as usize];
    let (query, centres) = (noise(PARTS * 4, 1), noise(PARTS * VALUES * 4, 2));
    let codes: Vec<[u8; PARTS]> = bytes(PARTS * n, 3)
        .chunks(PARTS)
        .map(|code| std::array::from_fn(|k| code[k]))
        .collect();
    let entry = |at: usize| -> f32 {
        let square = |k: usize| (query[at / VALUES * 4 + k] - centres[4 * at + k]).powi(2);
        (0..4).map(square).sum()
    };
    let entries: Vec<f32> = (0..PARTS * VALUES).map(entry).collect();
    let expected = |at: usize| {
        codes[at]
            .iter()
            .enumerate()
            .map(|(part, &code)| entries[part * VALUES + usize::from(code)])
            .sum()
    };
    let centres: Vec<[f32; 4]> = centres
        .chunks(4)
        .map(|c| std::array::from_fn(|k| c[k]))
        .collect();
    let (query, centres) = (side.upload(&query)?, side.upload(&centres)?);

    let mut table = side.output(&vec![f32::NAN; entries.len()], entries.clone(), 1e-6)?;
    let arguments = arguments![&query, &centres, &table.buffer];
    // SAFETY: four numbers for each block, four for each thread, one for each thread.
    let twin = unsafe { Call::new("distance_table", PARTS as u32, 256, arguments) };
    side.kernel("distance_table", vec![twin], &mut table, |stream, table| {
        let shape = Launch::new(PARTS as u32, 256);
        Ok(distance_table::launch(
            stream,
            shape,
            &query,
            &centres,
            &mut table.buffer,
        )?)
    })?;

    let table = &table.buffer;
    let d_codes = side.upload(&codes)?;
    let mut distances = side.sampled(&vec![f32::NAN; n], expected, 1e-5)?;
    let blocks = n.div_ceil(256).min(1056) as u32;
    let arguments = arguments![table, &d_codes, &distances.buffer, n as i32];
    // SAFETY: a table of 8 by 256 numbers, codes of eight bytes, a number for each, how many there are.
    let twin = unsafe { Call::new("scan_codes", blocks, 256, arguments) };
    side.kernel(
        "scan_codes",
        vec![twin],
        &mut distances,
        |stream, distances| {
            let shape = Launch::new(blocks, 256);
            Ok(scan_codes::launch(
                stream,
                shape,
                table,
                &d_codes,
                &mut distances.buffer,
            )?)
        },
    )
}
