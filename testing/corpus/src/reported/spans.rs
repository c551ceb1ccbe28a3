//! Tables, tails and rows that are read beyond their end, or at an address that is not aligned.

use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// gittensor-ai-lab/sparkinfer#152: the number of a page that is not there is -1, and is multiplied as an unsigned number.
#[kernel]
fn page_of_minus_one<const BUG: bool>(
    i: Index1D,
    table: &[i32],
    pool: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let page = table[i.get() / 4];
        if BUG || page >= 0 {
            let place = (page as isize) * 4 + (i.get() % 4) as isize;
            // SAFETY: within the pool. The bug is the point.
            *y = unsafe { *pool.as_ptr().wrapping_offset(place) }; //~ WL0001
        }
    }
}

/// gittensor-ai-lab/sparkinfer#41: the position of a sequence has passed the pages that its row of the table has room for.
#[kernel]
fn position_behind_the_row<const BUG: bool>(
    i: Index1D,
    positions: &[u32],
    pages: u32,
    table: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let page = positions[i.get()] / 16;
        *y = 99;
        if BUG || page < pages {
            let place = i.get() * pages as usize + page as usize;
            // SAFETY: within the table. The bug is the point.
            *y = unsafe { *table.as_ptr().add(place) }; //~ WL0001
        }
    }
}

/// vllm-project/flash-attention#42: the last tile of a sequence has fewer pages than a tile, and all threads look theirs up.
#[kernel]
fn last_tile_has_fewer_pages<const BUG: bool>(
    block: Block,
    i: Index1D,
    table: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let row = 8 * block.index() + block.thread() / 4;
    let row = if BUG { row } else { row.min(table.len() - 1) };
    // SAFETY: within the table. The bug is the point.
    let page = unsafe { *table.as_ptr().add(row) }; //~ WL0001
    if let Some(y) = y.get_mut(i) {
        *y = page;
    }
}

/// vllm-project/vllm#53982: tokens are masked by whether they are valid, not by whether their column is in the row of a group with a narrower table.
#[kernel]
fn table_narrower_than_the_sequence<const BUG: bool>(
    i: Index1D,
    tokens: u32,
    columns: u32,
    table: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let at = i.get();
    if at >= tokens as usize {
        return;
    }
    let column = at / 4;
    let mut slot = u32::MAX;
    if BUG || column < columns as usize {
        // SAFETY: within the last row. The bug is the point.
        let page = unsafe { *table.as_ptr().add(columns as usize + column) }; //~ WL0001
        slot = 4 * page + (at % 4) as u32;
    }
    if let Some(y) = y.get_mut(i) {
        *y = slot;
    }
}

/// flagos-ai/FlagGems#5230: the mask of the tail is on the store, not on the load.
#[kernel]
fn tail_is_loaded<const BUG: bool>(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let at = i.get();
    let mut value = 0;
    if BUG || at < x.len() {
        // SAFETY: within the input. The bug is the point.
        value = unsafe { *x.as_ptr().add(at) }; //~ WL0001
    }
    let above = warp.shuffle_down(value, 1);
    if let Some(y) = y.get_mut(i) {
        *y = if at + 1 < x.len() && warp.lane() < 31 {
            value.max(above)
        } else {
            value
        };
    }
}

/// ROCm/rocMLIR#2447: a reduction has fewer slots than the block has threads, and those without a slot access the memory behind.
#[kernel]
fn threads_without_a_slot<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let slots = shared_array!(u32, 48);
    let t = block.thread();
    // SAFETY: a slot for each thread that writes, a barrier before others read. The bug is the point.
    unsafe {
        if BUG || t < 48 {
            *slots.as_ptr().cast::<u32>().add(t) = x[i.get()]; //~ WL0002
        }
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = slots.get(t % 12) + slots.get(t % 12 + 12);
        }
    }
}

/// alicevision/popsift#109: a kernel with arrays in dynamic shared memory is launched with none.
#[kernel]
fn launched_without_shared_memory<const BUG: bool>(
    block: Block,
    i: Index1D,
    shared: DynamicShared<u32>,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (t, s) = (block.thread(), shared.as_ptr());
    // SAFETY: the launch gives four bytes for each thread; a barrier before others read. The bug is the point.
    unsafe {
        *s.add(t) = x[i.get()]; //~ WL0002
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = *s.add(31 - t); //~? WL0002
        }
    }
}

/// openmm/openmm#2825: what is left in a full buffer is moved to its start, from behind its end.
#[kernel]
fn rest_of_a_full_buffer<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    stored: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let buffer = shared_array!(u32, 64);
    let (lane, tiles) = (warp.lane() as usize, stored as usize / 32);
    // SAFETY: barriers of the warp between writing and reading. The bug is the point.
    unsafe {
        buffer.set(lane, x[lane]);
        buffer.set(lane + 32, x[lane + 32]);
        warp.sync();
        let mut rest = 0;
        if BUG || tiles < 2 {
            rest = *buffer.as_ptr().cast::<u32>().add(lane + 32 * tiles); //~ WL0002
        }
        if let Some(y) = y.get_mut(i) {
            *y = rest;
        }
    }
}

/// ggml-org/llama.cpp#25671: long rows are read as vectors, and the stride of rows is no multiple of one.
#[kernel]
fn vectors_of_unaligned_rows<const BUG: bool>(
    i: Index1D,
    stride: u32,
    x: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let row = x.as_ptr().wrapping_add(i.get() * stride as usize);
    if let Some(y) = y.get_mut(i) {
        // SAFETY: two elements of the row, aligned to eight bytes. The bug is the point.
        *y = unsafe {
            if BUG || row.addr().is_multiple_of(8) {
                let two = *row.cast::<u64>(); //~ WL0004
                f32::from_bits(two as u32) + f32::from_bits((two >> 32) as u32)
            } else {
                *row + *row.add(1)
            }
        };
    }
}

/// NVIDIA/cccl#431: a load of vectors takes any pointer to the elements.
#[kernel]
unsafe fn vectors_from_any_pointer<const BUG: bool>(
    i: Index1D,
    x: *const u32,
    mut y: DisjointSlice<u32>,
) {
    let items = x.wrapping_add(4 * i.get());
    if let Some(y) = y.get_mut(i) {
        // SAFETY: four elements, aligned to sixteen bytes. The bug is the point.
        *y = unsafe {
            if BUG {
                let four = *items.cast::<u128>(); //~ WL0004
                (four >> 96) as u32
            } else {
                *items.add(3)
            }
        };
    }
}

cases!("spans.rs":
    case!(page_of_minus_one, "gittensor-ai-lab/sparkinfer#152", |run| {
        let (table, pool) = ([2_i32, 0, -1, 1], noise(12));
        let (pages, input, mut y) = (run.upload(&table)?, run.upload(&pool)?, run.zeroed::<u32>(16)?);
        launch!(run, page_of_minus_one, (1, 16), &pages, &input, &mut y);
        run.expect(&y, |i| usize::try_from(table[i / 4]).map_or(0, |page| pool[4 * page + i % 4]))
    }),
    case!(position_behind_the_row, "gittensor-ai-lab/sparkinfer#41", |run| {
        let (positions, table) = ([5_u32, 31, 17, 64], count::<u32>(8));
        let (at, pages, mut y) = (run.upload(&positions)?, run.upload(&table)?, run.zeroed::<u32>(4)?);
        launch!(run, position_behind_the_row, (1, 4), &at, 2, &pages, &mut y);
        run.expect(&y, |i| if i == 3 { 99 } else { 2 * i as u32 + positions[i] / 16 })
    }),
    case!(last_tile_has_fewer_pages, "vllm-project/flash-attention#42", |run| {
        let table = noise(13);
        let (pages, mut y) = (run.upload(&table)?, run.zeroed::<u32>(64)?);
        launch!(run, last_tile_has_fewer_pages, (2, 32), &pages, &mut y);
        run.expect(&y, |i| table[(i / 4).min(12)])
    }),
    case!(table_narrower_than_the_sequence, "vllm-project/vllm#53982", |run| {
        let table = count::<u32>(8);
        let (pages, mut y) = (run.upload(&table)?, run.zeroed::<u32>(32)?);
        launch!(run, table_narrower_than_the_sequence, (1, 32), 27, 4, &pages, &mut y);
        run.expect(&y, |i| match i {
            0..16 => 4 * (4 + i as u32 / 4) + i as u32 % 4,
            16..27 => u32::MAX,
            _ => 0,
        })
    }),
    case!(tail_is_loaded, "flagos-ai/FlagGems#5230", |run| {
        let x = noise(45);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(45)?);
        launch!(run, tail_is_loaded, (2, 32), &input, &mut y);
        run.expect(&y, |i| if i == 44 || i == 31 { x[i] } else { x[i].max(x[i + 1]) })
    }),
    case!(threads_without_a_slot, "ROCm/rocMLIR#2447", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, threads_without_a_slot, (1, 64), &input, &mut y);
        run.expect(&y, |i| x[i % 12] + x[i % 12 + 12])
    }),
    case!(launched_without_shared_memory, "alicevision/popsift#109", |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        let shape = Launch::new(2, 32).dynamic_shared(run.pick(0, 128));
        launch!(run, launched_without_shared_memory, shape, &input, &mut y);
        run.expect(&y, |i| x[i / 32 * 32 + 31 - i % 32])
    }),
    case!(rest_of_a_full_buffer, "openmm/openmm#2825", |run| {
        let (x, mut y) = (run.upload(&noise(64))?, run.zeroed::<u32>(32)?);
        launch!(run, rest_of_a_full_buffer, (1, 32), 64, &x, &mut y);
        run.expect(&y, |_| 0)
    }),
    case!(vectors_of_unaligned_rows, "ggml-org/llama.cpp#25671", |run| {
        let x = floats(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(8)?);
        launch!(run, vectors_of_unaligned_rows, (1, 8), 7, &input, &mut y);
        run.expect(&y, |i| x[7 * i] + x[7 * i + 1])
    }),
    case!(vectors_from_any_pointer, "NVIDIA/cccl#431", |run| {
        let x = noise(40);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(8)?);
        let second = std::ptr::with_exposed_provenance(input.raw_ptr() as usize + 4);
        // SAFETY: 33 elements from the first on; the bug is intended.
        unsafe { launch!(run, vectors_from_any_pointer, (1, 8), second, &mut y) };
        run.expect(&y, |i| x[4 * i + 4])
    }),
);
