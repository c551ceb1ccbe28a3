//! Rodinia `cfd`: an explicit solver of Euler's equations on an unstructured mesh: step factor of each cell, fluxes over its four faces, time step. Five
//! variables of a cell lie a mesh apart: density, momentum along x, y, z, and energy.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::{mix, noise, uniform};
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "rodinia",
    name: "cfd",
    run,
};

const GAMMA: f32 = 1.4;
/// Part of the jump between two cells that is smoothed.
const SMOOTHING: f32 = 0.2;
const FACES: usize = 4;
const VARIABLES: usize = 5;
/// A face of the body in the flow, and one at the border of the mesh.
const WING: i32 = -1;
const FAR_FIELD: i32 = -2;

/// What a cell's state implies.
#[derive(Clone, Copy)]
struct Cell {
    density: f32,
    momentum: [f32; 3],
    energy: f32,
    velocity: [f32; 3],
    speed: f32,
    pressure: f32,
    sound: f32,
}

impl Cell {
    fn of(variables: &[f32], i: usize) -> Self {
        let n = variables.len() / VARIABLES;
        let [density, mx, my, mz, energy] = [0, 1, 2, 3, 4].map(|k| variables[i + k * n]);
        let momentum = [mx, my, mz];
        let velocity = momentum.map(|m| m / density);
        let squared: f32 = velocity.iter().map(|v| v * v).sum();
        let pressure = (GAMMA - 1.0) * (energy - 0.5 * density * squared);
        Cell {
            density,
            momentum,
            energy,
            velocity,
            speed: squared.sqrt(),
            pressure,
            sound: (GAMMA * pressure / density).sqrt(),
        }
    }

    /// What flows along each axis: three vectors of the momentum, and that of the energy.
    fn flux(&self) -> ([[f32; 3]; 3], [f32; 3]) {
        let mut of_momentum = self.velocity.map(|v| self.momentum.map(|m| v * m));
        for (axis, row) in of_momentum.iter_mut().enumerate() {
            row[axis] += self.pressure;
        }
        let of_energy = self.velocity.map(|v| v * (self.energy + self.pressure));
        (of_momentum, of_energy)
    }
}

#[kernel(fma)]
fn compute_step_factor(
    i: Index1D,
    variables: &[f32],
    areas: &[f32],
    mut factors: DisjointSlice<f32>,
) {
    if let Some(factor) = factors.get_mut(i) {
        let cell = Cell::of(variables, i.get());
        *factor = 0.5 / (areas[i.get()].sqrt() * (cell.speed + cell.sound));
    }
}

// The launch has exactly a thread for each cell, so a thread's elements in strides of the grid are its variables.
#[kernel(fma)]
fn compute_flux(
    i: Index1D,
    surrounding: &[i32],
    normals: &[f32],
    variables: &[f32],
    far: &[f32],
    mut fluxes: DisjointSlice<f32, GridStride>,
) {
    let n = variables.len() / VARIABLES;
    if i.get() >= n {
        return;
    }
    let own = Cell::of(variables, i.get());
    let (own_momentum, own_energy) = own.flux();
    let mut flux = [0.0; VARIABLES];
    for face in 0..FACES {
        let neighbour = surrounding[i.get() + face * n];
        let normal = [0, 1, 2].map(|axis| normals[i.get() + (face + axis * FACES) * n]);
        let length = normal.iter().map(|c| c * c).sum::<f32>().sqrt();
        match neighbour {
            WING => {
                for axis in 0..3 {
                    flux[axis + 1] += normal[axis] * own.pressure;
                }
            }
            FAR_FIELD | 0.. => {
                let other = match neighbour {
                    FAR_FIELD => Cell::of(far, 0),
                    at => Cell::of(variables, at as usize),
                };
                if neighbour >= 0 {
                    let speeds = own.speed + other.speed + own.sound + other.sound;
                    let factor = -length * SMOOTHING * 0.5 * speeds;
                    flux[0] += factor * (own.density - other.density);
                    flux[4] += factor * (own.energy - other.energy);
                    for axis in 0..3 {
                        flux[axis + 1] += factor * (own.momentum[axis] - other.momentum[axis]);
                    }
                }
                let (momentum, energy) = other.flux();
                for axis in 0..3 {
                    let half = 0.5 * normal[axis];
                    flux[0] += half * (own.momentum[axis] + other.momentum[axis]);
                    flux[4] += half * (own_energy[axis] + energy[axis]);
                    for k in 0..3 {
                        flux[k + 1] += half * (own_momentum[k][axis] + momentum[k][axis]);
                    }
                }
            }
            _ => {}
        }
    }
    for ((_, output), value) in fluxes.iter_mut(i).zip(flux) {
        *output = value;
    }
}

#[kernel(fma)]
fn time_step(
    i: Index1D,
    substep: u32,
    old: &[f32],
    factors: &[f32],
    fluxes: &[f32],
    mut variables: DisjointSlice<f32, GridStride>,
) {
    let factor = factors[i.get()] / (4 - substep) as f32;
    for (at, variable) in variables.iter_mut(i) {
        *variable = old[at] + factor * fluxes[at];
    }
}

/// The state far away: one cell.
const FAR: [f32; VARIABLES] = [1.4, 1.68, 0.1, 0.0, 3.5];
const SUBSTEP: u32 = 1;

fn state(variables: &[f32], i: usize) -> [f64; VARIABLES] {
    let n = variables.len() / VARIABLES;
    [0, 1, 2, 3, 4].map(|k| f64::from(variables[i + k * n]))
}

/// Pressure, speed, and speed of sound.
fn derived(s: [f64; VARIABLES]) -> [f64; 3] {
    let squared = (s[1] * s[1] + s[2] * s[2] + s[3] * s[3]) / (s[0] * s[0]);
    let pressure = 0.4 * (s[4] - 0.5 * s[0] * squared);
    [pressure, squared.sqrt(), (1.4 * pressure / s[0]).sqrt()]
}

fn reference_factor(variables: &[f32], areas: &[f32], i: usize) -> f64 {
    let [_, speed, sound] = derived(state(variables, i));
    0.5 / (f64::from(areas[i]).sqrt() * (speed + sound))
}

/// The flux of one cell.
fn reference_flux(
    surrounding: &[i32],
    normals: &[f32],
    variables: &[f32],
    i: usize,
) -> [f64; VARIABLES] {
    let n = variables.len() / VARIABLES;
    // What flows along `axis` in state `s` with pressure `p`.
    let along = |s: [f64; VARIABLES], p: f64, axis: usize| {
        let v = s[axis + 1] / s[0];
        let mut flow = [s[axis + 1], v * s[1], v * s[2], v * s[3], v * (s[4] + p)];
        flow[axis + 1] += p;
        flow
    };
    let own = state(variables, i);
    let [own_p, own_speed, own_sound] = derived(own);
    let mut flux = [0.0; VARIABLES];
    for face in 0..FACES {
        let neighbour = surrounding[i + face * n];
        let normal: [f64; 3] =
            [0, 1, 2].map(|axis| f64::from(normals[i + (face + axis * FACES) * n]));
        if neighbour == WING {
            (0..3).for_each(|axis| flux[axis + 1] += normal[axis] * own_p);
            continue;
        }
        let other = match neighbour {
            FAR_FIELD => FAR.map(f64::from),
            at => state(variables, at as usize),
        };
        let [p, speed, sound] = derived(other);
        let length = normal.iter().map(|c| c * c).sum::<f64>().sqrt();
        let smooth = if neighbour == FAR_FIELD {
            0.0
        } else {
            f64::from(SMOOTHING)
        };
        let factor = -length * smooth * 0.5 * (own_speed + speed + own_sound + sound);
        for k in 0..VARIABLES {
            flux[k] += factor * (own[k] - other[k]);
            for axis in 0..3 {
                let flow = along(own, own_p, axis)[k] + along(other, p, axis)[k];
                flux[k] += 0.5 * normal[axis] * flow;
            }
        }
    }
    flux
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let n = [192 * 4, 192 * 4096][scale as usize];
    let areas: Vec<f32> = uniform(n, 1).iter().map(|x| 0.5 + x).collect();
    let mut variables = uniform(n * VARIABLES, 2);
    variables[..n].iter_mut().for_each(|x| *x += 1.0);
    variables[4 * n..].iter_mut().for_each(|x| *x += 4.0);
    let normals = noise(n * FACES * 3, 3);
    let neighbour = |at: usize| match mix(at, 4) % 16 {
        0 => WING,
        1 => FAR_FIELD,
        // Near in the mesh, as after a renumbering.
        k => ((at % n + n + 37 * k as usize - 300) % n) as i32,
    };
    let surrounding: Vec<i32> = (0..n * FACES).map(neighbour).collect();
    let (d_areas, d_variables) = (side.upload(&areas)?, side.upload(&variables)?);
    let (d_normals, d_surrounding) = (side.upload(&normals)?, side.upload(&surrounding)?);
    let far = side.upload(&FAR)?;
    let (blocks, len) = ((n / 192) as u32, n as i32);
    let shape = Launch::new(blocks, 192);

    let factor = |i| reference_factor(&variables, &areas, i) as f32;
    let mut factors = side.sampled(&vec![f32::NAN; n], factor, 1e-5)?;
    let arguments = arguments![&d_variables, &d_areas, &factors.buffer, len];
    // SAFETY: five variables, an area and a factor for each cell, and how many cells there are.
    let twin = unsafe { Call::new("compute_step_factor", blocks, 192, arguments) };
    side.kernel(
        "compute_step_factor",
        vec![twin],
        &mut factors,
        |stream, factors| {
            let factors = &mut factors.buffer;
            Ok(compute_step_factor::launch(
                stream,
                shape,
                &d_variables,
                &d_areas,
                factors,
            )?)
        },
    )?;

    let flux =
        |at: usize| reference_flux(&surrounding, &normals, &variables, at % n)[at / n] as f32;
    let mut fluxes = side.sampled(&vec![f32::NAN; n * VARIABLES], flux, 1e-4)?;
    let arguments = arguments![
        &d_surrounding,
        &d_normals,
        &d_variables,
        &far,
        &fluxes.buffer,
        len
    ];
    // SAFETY: four neighbours, four normals, five variables and fluxes for each cell, five variables far away, how many cells there are.
    let twin = unsafe { Call::new("compute_flux", blocks, 192, arguments) };
    side.kernel("compute_flux", vec![twin], &mut fluxes, |stream, fluxes| {
        let fluxes = &mut fluxes.buffer;
        Ok(compute_flux::launch(
            stream,
            shape,
            &d_surrounding,
            &d_normals,
            &d_variables,
            &far,
            fluxes,
        )?)
    })?;

    let changes = noise(n * VARIABLES, 5);
    let part = 1.0 / (4 - SUBSTEP) as f32;
    let after = |at: usize| variables[at] + areas[at % n] * part * changes[at];
    let d_changes = side.upload(&changes)?;
    let mut result = side.sampled(&vec![f32::NAN; n * VARIABLES], after, 1e-5)?;
    let arguments = arguments![
        SUBSTEP as i32,
        &d_variables,
        &d_areas,
        &d_changes,
        &result.buffer,
        len
    ];
    // SAFETY: five variables and fluxes and a factor for each cell, and how many cells there are.
    let twin = unsafe { Call::new("time_step", blocks, 192, arguments) };
    side.kernel("time_step", vec![twin], &mut result, |stream, result| {
        let variables = &mut result.buffer;
        Ok(time_step::launch(
            stream,
            shape,
            SUBSTEP,
            &d_variables,
            &d_areas,
            &d_changes,
            variables,
        )?)
    })
}
