//! The potential of charges with a cutoff, on a grid of points: a thread per point, all charges of a list.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::noise;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "parboil",
    name: "cutcp",
    run,
};

/// A charge: place and size.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Charge {
    x: f32,
    y: f32,
    z: f32,
    q: f32,
}

/// A thread per point of a plane; charges beyond the cutoff count nothing.
#[kernel(fma)]
fn cutoff_potential(
    at: Index2D,
    z: f32,
    spacing: f32,
    cutoff2: f32,
    charges: &[Charge],
    mut potential: DisjointSlice2D<f32>,
) {
    let (x, y) = (at.x() as f32 * spacing, at.y() as f32 * spacing);
    let inverse_cutoff2 = 1.0 / cutoff2;
    let Some(potential) = potential.get_mut(at) else {
        return;
    };
    let mut energy = 0.0;
    for charge in charges {
        let (dx, dy, dz) = (charge.x - x, charge.y - y, charge.z - z);
        let r2 = dx * dx + dy * dy + dz * dz;
        if r2 < cutoff2 {
            let smooth = 1.0 - r2 * inverse_cutoff2;
            energy += charge.q * r2.rsqrt() * smooth * smooth;
        }
    }
    *potential += energy;
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let (n, count) = [(24, 100), (512, 4096)][scale as usize];
    let (spacing, cutoff2, z) = (20.0 / n as f32, 144.0, 9.7);
    let [x, y, zs, q] = [1, 2, 3, 4].map(|seed| noise(count, seed));
    let charge = |at: usize| Charge {
        x: x[at] * 10.0 + 10.0,
        y: y[at] * 10.0 + 10.0,
        z: zs[at] * 3.0 + 5.0,
        q: q[at],
    };
    let charges: Vec<Charge> = (0..count).map(charge).collect();
    let before = noise(n * n, 5);
    let expected = |at: usize| {
        let (x, y) = ((at % n) as f32 * spacing, (at / n) as f32 * spacing);
        let energies = charges.iter().map(|c| {
            let (dx, dy, dz) = (c.x - x, c.y - y, c.z - z);
            let r2 = f64::from(dx * dx + dy * dy + dz * dz);
            let smooth = (1.0 - r2 / f64::from(cutoff2)).max(0.0);
            f64::from(c.q) / r2.sqrt() * smooth * smooth
        });
        before[at] + energies.sum::<f64>() as f32
    };
    let mut potential = side.sampled(&before, expected, 1e-3)?;
    let d_charges = side.upload(&charges)?;
    let (grid, block) = ((n.div_ceil(16) as u32, n.div_ceil(8) as u32), (16, 8));
    let out = &potential.buffer;
    let arguments = arguments![z, spacing, cutoff2, &d_charges, out, count as i32, n as i32];
    // SAFETY: three numbers, charges of four floats, a plane, how many charges, and the plane's width.
    let twin = unsafe { Call::new("cutoff_potential", grid, block, arguments) };
    side.kernel(
        "cutoff_potential",
        vec![twin],
        &mut potential,
        |stream, potential| {
            let (shape, plane) = (Launch::new(grid, block), potential.buffer.view_2d_mut(n)?);
            Ok(cutoff_potential::launch(
                stream, shape, z, spacing, cutoff2, &d_charges, plane,
            )?)
        },
    )
}
