//! Rodinia `hotspot3D`: one step of the heat equation in a stack of layers; a thread goes through all layers of its column with three values in registers.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::uniform;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "hotspot3d",
    run,
};

/// The factors of the neighbours in a step.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Stencil {
    centre: f32,
    west_east: f32,
    north_south: f32,
    below_above: f32,
    step_by_capacity: f32,
}

// The output is raw: a thread has an element of each layer, in a launch of two dimensions.
#[kernel(fma)]
fn step_of_layers(
    i: Index2D,
    stencil: Stencil,
    columns: u32,
    rows: u32,
    layers: u32,
    power: &[f32],
    source: &[f32],
    mut target: DisjointSlice<f32>,
) {
    let (columns, rows, layers) = (columns as usize, rows as usize, layers as usize);
    let (x, y) = (i.x(), i.y());
    if x >= columns || y >= rows {
        return;
    }
    let layer = columns * rows;
    let mut here = x + y * columns;
    let west = if x == 0 { here } else { here - 1 };
    let east = if x == columns - 1 { here } else { here + 1 };
    let north = if y == 0 { here } else { here - columns };
    let south = if y == rows - 1 { here } else { here + columns };
    let (mut below, mut centre) = (source[here], source[here]);
    for z in 0..layers {
        let above = if z + 1 < layers {
            source[here + layer]
        } else {
            centre
        };
        let start = z * layer;
        let value = stencil.centre * centre
            + stencil.west_east * (source[start + west] + source[start + east])
            + stencil.north_south * (source[start + north] + source[start + south])
            + stencil.below_above * (below + above)
            + stencil.step_by_capacity * power[here]
            + stencil.below_above * AMBIENT;
        // SAFETY: `here` was an index of `source`, which is as long; no other thread has this column.
        unsafe { target.raw().add(here).write(value) };
        below = centre;
        centre = above;
        here += layer;
    }
}

const AMBIENT: f32 = 80.0;
const LAYERS: usize = 8;
const STENCIL: Stencil = Stencil {
    centre: 0.4,
    west_east: 0.09,
    north_south: 0.08,
    below_above: 0.05,
    step_by_capacity: 0.3,
};

fn reference(n: usize, power: &[f32], source: &[f32]) -> Vec<f32> {
    let at = |x: usize, y: usize, z: usize| source[(z * n + y) * n + x];
    let mut target = Vec::with_capacity(source.len());
    for z in 0..LAYERS {
        for y in 0..n {
            for x in 0..n {
                let sides = at(x.saturating_sub(1), y, z) + at((x + 1).min(n - 1), y, z);
                let ends = at(x, y.saturating_sub(1), z) + at(x, (y + 1).min(n - 1), z);
                let levels = at(x, y, z.saturating_sub(1)) + at(x, y, (z + 1).min(LAYERS - 1));
                target.push(
                    STENCIL.centre * at(x, y, z)
                        + STENCIL.west_east * sides
                        + STENCIL.north_south * ends
                        + STENCIL.below_above * (levels + AMBIENT)
                        + STENCIL.step_by_capacity * power[(z * n + y) * n + x],
                );
            }
        }
    }
    target
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [40, 1024][scale as usize];
    let len = n * n * LAYERS;
    let power = uniform(len, 1);
    let source: Vec<f32> = uniform(len, 2).iter().map(|x| 70.0 + 20.0 * x).collect();
    let expected = reference(n, &power, &source);
    let (power, source) = (side.upload(&power)?, side.upload(&source)?);
    let mut target = side.output(&vec![f32::NAN; len], expected, 1e-5)?;

    let grid = (n.div_ceil(64) as u32, n.div_ceil(4) as u32);
    let (n, layers) = (n as u32, LAYERS as u32);
    let Stencil {
        centre,
        west_east,
        north_south,
        below_above,
        step_by_capacity,
    } = STENCIL;
    let arguments = arguments![
        centre,
        west_east,
        north_south,
        below_above,
        step_by_capacity,
        n,
        n,
        layers,
        &power,
        &source,
        &target.buffer
    ];
    // SAFETY: five factors, columns, rows and layers, three arrays of that size.
    let twin = unsafe { Call::new("step_of_layers", grid, (64, 4), arguments) };
    side.kernel(
        "step_of_layers",
        vec![twin],
        &mut target,
        |stream, target| {
            let shape = Launch::new(grid, (64, 4));
            let target = &mut target.buffer;
            Ok(step_of_layers::launch(
                stream, shape, STENCIL, n, n, layers, &power, &source, target,
            )?)
        },
    )
}
