//! Lennard-Jones forces from lists of neighbours: a thread per atom.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, noise};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "shoc",
    name: "md",
    run,
};

const LJ1: f32 = 1.5;
const LJ2: f32 = 2.0;

/// A thread per atom; neighbour `k` of all atoms lies in row `k` of the list.
#[kernel(fma)]
fn compute_lj_force(
    i: Index1D,
    cutoff2: f32,
    positions: &[[f32; 4]],
    neighbours: &[u32],
    mut forces: DisjointSlice<[f32; 4]>,
) {
    let own = i.get();
    let Some(force) = forces.get_mut(i) else {
        return;
    };
    let [x, y, z, _] = positions[own];
    let mut sum = [0.0; 3];
    for row in neighbours.chunks_exact(positions.len()) {
        let other = positions[row[own] as usize];
        let apart = [x - other[0], y - other[1], z - other[2]];
        let r2: f32 = apart.iter().map(|d| d * d).sum();
        if r2 < cutoff2 {
            let r2 = 1.0 / r2;
            let r6 = r2 * r2 * r2;
            let strength = r2 * r6 * (LJ1 * r6 - LJ2);
            for (sum, d) in sum.iter_mut().zip(apart) {
                *sum += d * strength;
            }
        }
    }
    *force = [sum[0], sum[1], sum[2], 0.0];
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (atoms, count) = [(300, 16), (73_728, 128)][scale as usize];
    // Atoms of a lattice, each a little off its place, so that none are very near.
    let edge = (atoms as f64).cbrt().ceil() as usize;
    let off = noise(3 * atoms, 1);
    let position = |at: usize| {
        let lattice = [at % edge, at / edge % edge, at / edge / edge];
        let place = |k: usize| lattice[k] as f32 * 1.2 + 0.15 * off[3 * at + k];
        [place(0), place(1), place(2), 0.0]
    };
    let positions: Vec<[f32; 4]> = (0..atoms).map(position).collect();
    // Neighbours within some planes of the lattice, some beyond the cutoff; never the atom itself.
    let steps = below(atoms * count, (2 * edge * edge).min(atoms - 1) as u32, 2);
    let neighbour = |k: usize| (k % atoms + 1 + steps[k] as usize) % atoms;
    let neighbours: Vec<u32> = (0..atoms * count).map(|k| neighbour(k) as u32).collect();
    let cutoff2 = 16.0f32;
    let expected = |own: usize| {
        let mut force = [0.0f64; 3];
        for k in 0..count {
            let other = positions[neighbours[k * atoms + own] as usize];
            let apart = [0, 1, 2].map(|axis| f64::from(positions[own][axis] - other[axis]));
            let r2: f64 = apart.iter().map(|d| d * d).sum();
            if r2 < f64::from(cutoff2) {
                let r6 = r2.powi(-3);
                let strength = r6 / r2 * (f64::from(LJ1) * r6 - f64::from(LJ2));
                for axis in 0..3 {
                    force[axis] += apart[axis] * strength;
                }
            }
        }
        [force[0] as f32, force[1] as f32, force[2] as f32, 0.0]
    };
    let mut forces = side.sampled(&vec![[f32::NAN; 4]; atoms], expected, 1e-3)?;
    let (d_positions, d_neighbours) = (side.upload(&positions)?, side.upload(&neighbours)?);
    let blocks = atoms.div_ceil(256) as u32;
    let (list, out) = (&d_neighbours, &forces.buffer);
    let arguments = arguments![cutoff2, &d_positions, list, out, atoms as i32, count as i32];
    // SAFETY: a cutoff, places of four floats, a list, forces of four floats, and how many atoms and neighbours there are.
    let twin = unsafe { Call::new("compute_lj_force", blocks, 256, arguments) };
    side.kernel(
        "compute_lj_force",
        vec![twin],
        &mut forces,
        |stream, forces| {
            let (shape, forces) = (Launch::new(blocks, 256), &mut forces.buffer);
            Ok(compute_lj_force::launch(
                stream,
                shape,
                cutoff2,
                &d_positions,
                &d_neighbours,
                forces,
            )?)
        },
    )
}
