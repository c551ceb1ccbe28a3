//! Rodinia `lavaMD`: forces between particles in boxes; a block has a box and goes through its neighbours, whose particles it puts into shared memory.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side, Value};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "lavamd",
    run,
};

/// Particles of a box; the block has 128 threads, of which these have a particle.
const PARTICLES: usize = 100;
const THREADS: usize = 128;
/// Neighbours of a box at most, itself included.
const NEIGHBOURS: usize = 27;

/// A particle with its potential, or a force.
#[derive(Clone, Copy, Debug, Default, Plain)]
#[repr(C)]
struct Four {
    v: f64,
    x: f64,
    y: f64,
    z: f64,
}

/// A box: its first particle and its neighbours.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Home {
    offset: i32,
    count: i32,
    neighbours: [i32; NEIGHBOURS],
}

// The output is raw: a block of 128 threads has 100 elements.
#[kernel(fma, block(128))]
fn forces_in_boxes(
    block: Block,
    alpha: f64,
    boxes: &[Home],
    positions: &[Four],
    charges: &[f64],
    mut near_positions: SharedTile<Four, PARTICLES>,
    mut near_charges: SharedTile<f64, PARTICLES>,
    mut forces: DisjointSlice<Four>,
) {
    let home = &boxes[block.index()];
    let first = home.offset as usize;
    let a2 = 2.0 * alpha * alpha;
    let tx = block.thread();
    let own = (tx < PARTICLES).then(|| positions[first + tx]);
    let mut force = Four::default();
    for &neighbour in &home.neighbours[..home.count as usize] {
        let start = boxes[neighbour as usize].offset as usize;
        near_positions.fill(|slot| positions[start + slot]);
        near_charges.fill(|slot| charges[start + slot]);
        let (others, other_charges) =
            (near_positions.publish(&block), near_charges.publish(&block));
        if let Some(own) = own {
            for (other, charge) in others.iter().zip(other_charges.iter()) {
                let dot = own.x * other.x + own.y * other.y + own.z * other.z;
                let r2 = own.v + other.v - dot;
                let vij = (-a2 * r2).exp();
                let fs = 2.0 * vij;
                force.v += charge * vij;
                force.x += charge * (fs * (own.x - other.x));
                force.y += charge * (fs * (own.y - other.y));
                force.z += charge * (fs * (own.z - other.z));
            }
        }
        near_positions = others.reclaim(&block);
        near_charges = other_charges.reclaim(&block);
    }
    if own.is_some() {
        assert!(first + tx < forces.len());
        // SAFETY: within the slice; each particle has one thread.
        unsafe { forces.raw().add(first + tx).write(force) };
    }
}

const ALPHA: f64 = 0.5;

/// Boxes of a cube with `side` of them at each edge.
fn boxes(side: i32) -> Vec<Home> {
    let mut boxes = Vec::new();
    for number in 0..side * side * side {
        let (x, y, z) = (number % side, number / side % side, number / (side * side));
        let mut home = Home {
            offset: number * PARTICLES as i32,
            count: 0,
            neighbours: [0; NEIGHBOURS],
        };
        for (dz, dy, dx) in (0..27).map(|k| (k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1)) {
            let near = [x + dx, y + dy, z + dz];
            if near.iter().all(|c| (0..side).contains(c)) {
                home.neighbours[home.count as usize] = (near[2] * side + near[1]) * side + near[0];
                home.count += 1;
            }
        }
        boxes.push(home);
    }
    boxes
}

/// The force on one particle.
fn reference(boxes: &[Home], positions: &[Four], charges: &[f64], particle: usize) -> Four {
    let home = &boxes[particle / PARTICLES];
    let own = positions[particle];
    let mut force = Four::default();
    for &neighbour in &home.neighbours[..home.count as usize] {
        let start = neighbour as usize * PARTICLES;
        for at in start..start + PARTICLES {
            let other = positions[at];
            let dot = own.x * other.x + own.y * other.y + own.z * other.z;
            let vij = (-2.0 * ALPHA * ALPHA * (own.v + other.v - dot)).exp();
            force.v += charges[at] * vij;
            force.x += charges[at] * 2.0 * vij * (own.x - other.x);
            force.y += charges[at] * 2.0 * vij * (own.y - other.y);
            force.z += charges[at] * 2.0 * vij * (own.z - other.z);
        }
    }
    force
}

impl Value for Four {
    fn error(self, expected: Self) -> f64 {
        let parts = |four: Self| [four.v, four.x, four.y, four.z];
        let errors = parts(self)
            .into_iter()
            .zip(parts(expected))
            .map(|(a, b)| a.error(b));
        // Not `f64::max`, which ignores NaN.
        errors.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let edge = [3, 16][scale as usize];
    let homes = boxes(edge);
    let n = homes.len() * PARTICLES;
    let random = |seed| {
        uniform(n, seed)
            .into_iter()
            .map(f64::from)
            .collect::<Vec<f64>>()
    };
    let [v, x, y, z] = [1, 2, 3, 4].map(random);
    let particle = |i: usize| Four {
        v: v[i],
        x: x[i],
        y: y[i],
        z: z[i],
    };
    let positions: Vec<Four> = (0..n).map(particle).collect();
    let charges = random(5);
    let (d_homes, d_positions) = (side.upload(&homes)?, side.upload(&positions)?);
    let d_charges = side.upload(&charges)?;
    let blank = vec![Four::default(); n];
    let expected = |i| reference(&homes, &positions, &charges, i);
    let mut forces = side.sampled(&blank, expected, 1e-9)?;
    let blocks = homes.len() as u32;
    let arguments = arguments![ALPHA, &d_homes, &d_positions, &d_charges, &forces.buffer];
    // SAFETY: a factor, a box for each block, and positions, charges and forces of their particles.
    let twin = unsafe { Call::new("forces_in_boxes", blocks, THREADS as u32, arguments) };
    side.kernel(
        "forces_in_boxes",
        vec![twin],
        &mut forces,
        |stream, forces| {
            let shape = Launch::new(blocks, THREADS as u32);
            let forces = &mut forces.buffer;
            Ok(forces_in_boxes::launch(
                stream,
                shape,
                ALPHA,
                &d_homes,
                &d_positions,
                &d_charges,
                forces,
            )?)
        },
    )
}
