//! A hash join: keys of one table into a table with open addressing, then the rows of the other table look for theirs; and a group-by, which adds up
//! values by key in the same way.

use warploom::device_std::atomic::Relaxed;
use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "cudf",
    name: "hash_join",
    run,
};

/// No key.
const EMPTY: u32 = u32::MAX;

fn hash(key: u32) -> usize {
    let mut h = key ^ key >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    (h ^ h >> 16) as usize
}

/// The places at which a key may lie, in the order of the search.
fn places(key: u32, len: usize) -> impl Iterator<Item = usize> {
    let start = hash(key) % len;
    (start..len).chain(0..start)
}

#[kernel]
fn build(i: Index1D, keys: &[u32], slots: &[Atomic<u32>], rows: &[Atomic<u32>]) {
    if let Some(&key) = keys.get(i.get()) {
        for at in places(key, slots.len()) {
            if slots[at]
                .compare_exchange(EMPTY, key, Relaxed, Relaxed)
                .is_ok()
            {
                rows[at].store(i.get() as u32, Relaxed);
                break;
            }
        }
    }
}

#[kernel]
fn probe(i: Index1D, keys: &[u32], slots: &[u32], rows: &[u32], mut matches: DisjointSlice<u32>) {
    if let Some(found) = matches.get_mut(i) {
        let key = keys[i.get()];
        *found = EMPTY;
        for at in places(key, slots.len()) {
            match slots[at] {
                slot if slot == key => {
                    *found = rows[at];
                    break;
                }
                EMPTY => break,
                _ => {}
            }
        }
    }
}

#[kernel]
fn group_by(
    i: Index1D,
    keys: &[u32],
    values: &[i64],
    slots: &[Atomic<u32>],
    sums: &[Atomic<i64>],
    counts: &[Atomic<u32>],
) {
    let (Some(&key), Some(&value)) = (keys.get(i.get()), values.get(i.get())) else {
        return;
    };
    for at in places(key, slots.len()) {
        let found = match slots[at].compare_exchange(EMPTY, key, Relaxed, Relaxed) {
            Ok(_) => key,
            Err(other) => other,
        };
        if found == key {
            sums[at].fetch_add(value, Relaxed);
            counts[at].fetch_add(1, Relaxed);
            break;
        }
    }
}

/// A table of keys that all have another place where the search for them starts, so that the order of insertions does not matter.
fn distinct_places(count: usize, len: usize) -> Vec<u32> {
    let mut taken = vec![false; len];
    let candidates = (0u32..).filter(|&key| !std::mem::replace(&mut taken[hash(key) % len], true));
    candidates.take(count).collect()
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (len, count, n) = [(2048, 700, 3000), (1 << 22, 1 << 20, 1 << 23)][scale as usize];
    let keys = distinct_places(count, len);
    let (mut slots, mut rows) = (vec![EMPTY; len], vec![EMPTY; len]);
    for (row, &key) in keys.iter().enumerate() {
        slots[hash(key) % len] = key;
        rows[hash(key) % len] = row as u32;
    }
    let most = keys.iter().max().map_or(0, |&key| key) * 2;
    let wanted = below(n, most, 1);
    let matches = wanted
        .iter()
        .map(|&key| {
            if slots[hash(key) % len] == key {
                rows[hash(key) % len]
            } else {
                EMPTY
            }
        })
        .collect();
    let blank = vec![EMPTY; len];
    let d_keys = side.upload(&keys)?;
    let mut outputs = (
        side.output(&blank, slots.clone(), 0.0)?,
        side.output(&blank, rows, 0.0)?,
    );
    let blocks = count.div_ceil(256) as u32;
    let arguments = arguments![
        &d_keys,
        count as i32,
        &outputs.0.buffer,
        &outputs.1.buffer,
        len as u32
    ];
    // SAFETY: keys and how many they are, a table of keys and one of rows, and how long those are: longer than the keys are many.
    let twin = unsafe { Call::new("build", blocks, 256, arguments) };
    side.kernel(
        "build",
        vec![twin],
        &mut outputs,
        |stream, (slots, rows)| {
            let shape = Launch::new(blocks, 256);
            let (slots, rows) = (slots.buffer.as_atomics(), rows.buffer.as_atomics());
            Ok(build::launch(stream, shape, &d_keys, slots, rows)?)
        },
    )?;

    let (d_slots, d_rows) = (&outputs.0.buffer, &outputs.1.buffer);
    let d_wanted = side.upload(&wanted)?;
    let mut d_matches = side.output(&vec![0; n], matches, 0.0)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_wanted,
        n as i32,
        d_slots,
        d_rows,
        len as u32,
        &d_matches.buffer
    ];
    // SAFETY: keys and how many they are, a table of keys and one of rows, how long those are, a row for each key.
    let twin = unsafe { Call::new("probe", blocks, 256, arguments) };
    side.kernel("probe", vec![twin], &mut d_matches, |stream, matches| {
        let shape = Launch::new(blocks, 256);
        Ok(probe::launch(
            stream,
            shape,
            &d_wanted,
            d_slots,
            d_rows,
            &mut matches.buffer,
        )?)
    })?;

    let chosen: Vec<u32> = below(n, count as u32, 2)
        .iter()
        .map(|&k| keys[k as usize])
        .collect();
    let values: Vec<i64> = below(n, 1000, 3)
        .iter()
        .map(|&v| i64::from(v) - 500)
        .collect();
    let (mut sums, mut counts, mut groups) = (vec![0; len], vec![0; len], vec![EMPTY; len]);
    for (&key, value) in chosen.iter().zip(&values) {
        let at = hash(key) % len;
        groups[at] = key;
        sums[at] += value;
        counts[at] += 1;
    }
    let mut outputs = (
        side.output(&blank, groups, 0.0)?,
        side.output(&vec![0; len], sums, 0.0)?,
        side.output(&vec![0; len], counts, 0.0)?,
    );
    let (d_chosen, d_values) = (side.upload(&chosen)?, side.upload(&values)?);
    let (a, b, c) = (&outputs.0.buffer, &outputs.1.buffer, &outputs.2.buffer);
    let arguments = arguments![&d_chosen, &d_values, n as i32, a, b, c, len as u32];
    // SAFETY: keys, values, how many they are, three tables, and how long those are: longer than there are different keys.
    let twin = unsafe { Call::new("group_by", blocks, 256, arguments) };
    side.kernel(
        "group_by",
        vec![twin],
        &mut outputs,
        |stream, (slots, sums, counts)| {
            let shape = Launch::new(blocks, 256);
            let (slots, sums) = (slots.buffer.as_atomics(), sums.buffer.as_atomics());
            let counts = counts.buffer.as_atomics();
            Ok(group_by::launch(
                stream, shape, &d_chosen, &d_values, slots, sums, counts,
            )?)
        },
    )
}
