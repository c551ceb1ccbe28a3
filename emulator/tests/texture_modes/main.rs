//! Textures against what a Hopper GPU gave. Each line of `fetches.tsv` is a mode: how many fetches were compared bit for bit on the GPU, and the hash of the first of
//! them, which is compared here.

mod mode;
mod table;

use std::collections::BTreeMap;

use mode::{Mode, hash};

/// The fetches that the hash of a line is of.
const SAMPLE: u64 = 1 << 14;

/// The hash of each mode, in hexadecimal.
fn recorded() -> BTreeMap<&'static str, &'static str> {
    let lines = include_str!("fetches.tsv").lines();
    let cells = lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>());
    cells.map(|cells| (cells[0], cells[2])).collect()
}

fn found(mode: &Mode) -> String {
    let mut texels = mode.texels();
    let texture = mode.texture(&mut texels);
    let mut operands = vec![0; mode.words()];
    let hash = (0..SAMPLE).fold(0, |so_far, number| {
        mode.operands(number, &mut operands);
        // SAFETY: the texels are there as long as the texture.
        let result = unsafe { texture.sample(&mode.request(&operands), &mut |_, _| {}) };
        hash(so_far, &result)
    });
    format!("{hash:016x}")
}

#[test]
fn fetches_are_those_of_a_gpu() {
    let mut recorded = recorded();
    let mut differing = Vec::new();
    for mode in table::all() {
        // Modes without a line were not compared in full, or have single fetches that differ.
        if let Some(hash) = recorded.remove(mode.name.as_str())
            && hash != found(&mode)
        {
            differing.push(mode.name);
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
    assert!(recorded.is_empty(), "no such modes: {recorded:#?}");
}
