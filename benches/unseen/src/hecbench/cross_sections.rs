//! HeCBench `xsbench`-like: macroscopic cross sections: for an energy and a material, a search in each nuclide's grid and an interpolation.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{below, mix, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "cross_sections",
    run,
};

/// Points of a nuclide's grid, and reactions at each.
const POINTS: usize = 256;
const REACTIONS: usize = 5;

/// An energy with the cross sections there.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Point {
    energy: f64,
    sections: [f64; REACTIONS],
}

/// What is asked for.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Lookup {
    energy: f64,
    material: u64,
}

#[kernel(fma)]
fn lookup(
    i: Index1D,
    lookups: &[Lookup],
    first: &[u32],
    nuclides: &[u32],
    densities: &[f64],
    grids: &[Point],
    mut sections: DisjointSlice<f64, Chunks<REACTIONS>>,
) {
    let (Some(sections), Some(&asked)) = (sections.get_mut(i), lookups.get(i.get())) else {
        return;
    };
    let material = asked.material as usize;
    let mut sums = [0.0; REACTIONS];
    for k in first[material] as usize..first[material + 1] as usize {
        let grid = &grids[nuclides[k] as usize * POINTS..][..POINTS];
        let above = grid
            .partition_point(|point| point.energy <= asked.energy)
            .clamp(1, POINTS - 1);
        let (low, high) = (&grid[above - 1], &grid[above]);
        let part = (high.energy - asked.energy) / (high.energy - low.energy);
        for (sum, (low, high)) in sums.iter_mut().zip(low.sections.iter().zip(&high.sections)) {
            *sum += densities[k] * (high - part * (high - low));
        }
    }
    *sections = sums;
}

const NUCLIDES: usize = 60;
const MATERIALS: usize = 12;

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [500, 1 << 19][scale as usize];
    let steps = uniform(NUCLIDES * POINTS, 1);
    let values = uniform(NUCLIDES * POINTS * REACTIONS, 2);
    let mut grids = Vec::new();
    for nuclide in 0..NUCLIDES {
        let mut energy = 0.0;
        for at in nuclide * POINTS..(nuclide + 1) * POINTS {
            energy += (0.1 + f64::from(steps[at])) / (0.6 * POINTS as f64);
            let sections = std::array::from_fn(|k| f64::from(values[at * REACTIONS + k]));
            grids.push(Point { energy, sections });
        }
    }
    let mut first = vec![0];
    (0..MATERIALS).for_each(|m| first.push(first[m] + 4 + mix(m, 3) % 30));
    let count = first[MATERIALS] as usize;
    let nuclides = below(count, NUCLIDES as u32, 4);
    let densities: Vec<f64> = uniform(count, 5).into_iter().map(f64::from).collect();
    let energies = uniform(n, 6);
    let asked = |at: usize| Lookup {
        energy: f64::from(energies[at]),
        material: u64::from(mix(at, 7)) % MATERIALS as u64,
    };
    let lookups: Vec<Lookup> = (0..n).map(asked).collect();
    let expected = |at: usize| {
        let (Lookup { energy, material }, reaction) = (lookups[at / REACTIONS], at % REACTIONS);
        let mut sum = 0.0;
        for k in first[material as usize] as usize..first[material as usize + 1] as usize {
            let grid = &grids[nuclides[k] as usize * POINTS..][..POINTS];
            let mut low = 0;
            while low < POINTS - 2 && grid[low + 1].energy <= energy {
                low += 1;
            }
            let (a, b) = (&grid[low], &grid[low + 1]);
            let part = (b.energy - energy) / (b.energy - a.energy);
            sum +=
                densities[k] * (b.sections[reaction] * (1.0 - part) + a.sections[reaction] * part);
        }
        sum
    };
    let mut sections = side.sampled(&vec![f64::NAN; n * REACTIONS], expected, 1e-10)?;
    let (d_lookups, d_first) = (side.upload(&lookups)?, side.upload(&first)?);
    let (d_nuclides, d_densities) = (side.upload(&nuclides)?, side.upload(&densities)?);
    let d_grids = side.upload(&grids)?;
    let blocks = n.div_ceil(256) as u32;
    let arguments = arguments![
        &d_lookups,
        &d_first,
        &d_nuclides,
        &d_densities,
        &d_grids,
        &sections.buffer,
        n as i32
    ];
    // SAFETY: lookups, nuclides and densities of materials in compressed rows, grids of nuclides, five numbers for each lookup, how many there are.
    let twin = unsafe { Call::new("lookup", blocks, 256, arguments) };
    side.kernel("lookup", vec![twin], &mut sections, |stream, sections| {
        let shape = Launch::new(blocks, 256);
        let sections = &mut sections.buffer;
        Ok(lookup::launch(
            stream,
            shape,
            &d_lookups,
            &d_first,
            &d_nuclides,
            &d_densities,
            &d_grids,
            sections,
        )?)
    })
}
